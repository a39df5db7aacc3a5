//! One of hast's own git processes dies by a signal, each in turn: no goal is blocked, nothing is half
//! merged, and the next run ends what this one began.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use hast_stage::Ran;

use crate::scene::{Scene, work};

/// Runs hast with a git before the real one on PATH that does something else at its n-th call. Whether
/// there were so many, and what came of it.
#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn with_trick(scene: &Scene, args: &str, n: usize, trick: &str) -> (bool, Ran) {
    let bin = scene.home().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let count = bin.join("count");
    fs::write(&count, n.to_string()).unwrap();
    let script = format!(
        "#!/bin/sh\nPATH=${{PATH#*:}}\nexec 9>{0}.lock; flock 9\n\
         n=$(($(cat {0}) - 1)); echo $n > {0}; exec 9>&-\n\
         if [ $n = 0 ]; then {trick}; fi\nexec git \"$@\"\n",
        count.display()
    );
    fs::write(bin.join("git"), script).unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = scene.shell(&format!("PATH={}:$PATH exec \"$HAST\" {args}", bin.display()));
    let left = fs::read_to_string(&count).unwrap();
    (left.trim().parse::<i64>().unwrap() <= 0, ran)
}

fn one() -> Scene {
    Scene::new(&[("A", "", &work("src/new.txt", "new"))])
}

/// Every other call from the first on; two tests share the work.
fn whichever_git_is_killed(first: usize) {
    let mut ended_early = 0;
    for n in (first..).step_by(2) {
        let scene = one();
        let (killed, ran) = with_trick(&scene, "auto --isolate", n, "kill -9 $$");
        if !killed {
            assert_eq!(ran.code, 0, "{ran:?}");
            break;
        }
        assert!(!ran.err.contains("(None)"), "{n}: {ran:?}");
        assert_ne!(scene.status_of("A"), "blocked", "{n}: {ran:?}");
        if ran.code != 0 {
            ended_early += 1;
            assert_eq!(ran.code, 1, "{n}: {ran:?}");
        }
        let again = scene.hast(&["auto", "--isolate"]);
        assert_eq!(scene.status_of("A"), "done", "{n}: {ran:?} {again:?}");
        let commits = scene.git(&["log", "--format=%s"]);
        assert_eq!(commits.matches("feat(A)").count(), 1, "{n}: {commits}");
        assert_eq!(scene.git(&["status", "--porcelain"]), "", "{n}: {ran:?} {again:?}");
        scene.nothing_is_left();
    }
    assert!(ended_early > 5, "{ended_early}");
}

#[test]
fn whichever_git_is_killed_the_goal_is_not_blocked_and_the_next_run_ends_it() {
    whichever_git_is_killed(1);
}

#[test]
fn the_same_for_the_calls_between() {
    whichever_git_is_killed(2);
}
