//! Repositories of unusual shapes: a room works there, or says why it is at a path of its own.

use std::fs;

use hast_stage::Stage;

use crate::scene::{KINDS, Scene, differences};

/// The kind of room that the doctor tells, and why.
fn told(scene: &Stage) -> String {
    let told = scene.hast(&["agent", "doctor", "--json"]).out;
    let (_, rooms) = told.split_once("\"rooms\": {").unwrap();
    rooms.split_once('}').unwrap().0.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn status_and_doctor_tell_the_rooms_that_there_are() {
    let scene = Scene::with_check("true", "", "true\n");
    assert!(!scene.hast(&["status"]).out.contains("rooms:"));
    assert_eq!(scene.auto().code, 0);
    for command in [&["status"][..], &["agent", "doctor"]] {
        let told = scene.hast(command).out;
        assert!(told.contains("rooms: 1 (0 in use)") && told.contains("KiB"), "{told}");
        let told = scene.hast(&[command, &["--json"]].concat()).out;
        assert!(told.contains("\"in_use\": 0") && told.contains("\"bytes\""), "{told}");
    }
}

#[test]
fn what_cannot_be_seen_through_makes_a_room_of_its_own_path_with_its_reason() {
    let scene = Scene::new("true", "");
    assert_eq!(told(&scene), "\"kind\": \"same_path\", \"why\": null");
    for (from, to, why) in [
        ("sh check.sh", "docker compose run tests", "docker"),
        ("max_retries", "room: own-path\nmax_retries", "room: own-path"),
        ("max_retries", "sandbox: off\nmax_retries", "sandbox: off"),
    ] {
        let config = scene.read(".ai/config.yaml");
        scene.write(".ai/config.yaml", config.replace(from, to));
        let told = told(&scene);
        assert!(told.contains("own_path") && told.contains(why), "{told}");
        scene.write(".ai/config.yaml", config);
    }
}

/// A scene with a submodule that has files, one of them built there.
fn with_submodule(script: &str, kind: &str) -> Scene {
    let scene = Scene::with_check(script, kind, "test \"$(cat sub/x)\" = x\n");
    let made = scene.shell(
        "set -e
git init -q -b main ../home/sub; cd ../home/sub; git config user.name s; git config user.email s@s
mkdir deep; echo x > x; echo y > deep/y; git add -A; git commit -qm x; cd -
git -c protocol.file.allow=always submodule --quiet add ../home/sub sub; git commit -qm sub
echo built > sub/built.o",
    );
    assert_eq!(made.code, 0, "{made:?}");
    scene
}

#[test]
fn a_submodule_with_files_is_there_and_stays_as_it_is() {
    for kind in KINDS {
        let build = "git status --porcelain > st.log; test \"$(cat sub/deep/y)\" = y; echo new > sub/built.o; echo o > sub/deep/o.o";
        let scene = with_submodule(build, kind);
        assert_eq!(told(&scene).contains("same_path"), kind == KINDS[0], "{kind}");
        let before = scene.everything();
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        let changed = differences(&before, &scene.everything(), &["project/src/b.txt"]);
        assert_eq!(changed, Vec::<String>::new(), "{kind}");
        assert!(!ran.err.contains("submodule"), "{kind} {ran:?}");
        scene.nothing_is_left();
    }
}

#[test]
fn a_change_of_a_tracked_file_in_a_submodule_is_told() {
    for script in [
        "echo evil > sub/x",
        "rm sub/deep/y",
        "rm -rf sub/deep",
        "rm -rf sub/deep; mkdir sub/deep",
        "rm -rf sub",
        "mv sub/deep/y sub/deep/z; ln -s z sub/deep/y",
    ] {
        for kind in KINDS {
            let scene = with_submodule(script, kind);
            let before = scene.everything();
            scene.auto();
            assert_eq!(scene.reason(), "submodule_changed", "{kind} {script}");
            assert_eq!(differences(&before, &scene.everything(), &[]), Vec::<String>::new());
            scene.nothing_is_left();
        }
    }
}

#[test]
fn a_submodule_that_is_not_at_the_commit_of_the_base_is_told_at_the_start() {
    let scene = with_submodule("true", "");
    scene.shell("cd sub && git config user.name s && git config user.email s@s && git commit -q --allow-empty -m on");
    let ran = scene.auto();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("git submodule update sub"), "{ran:?}");
}

#[test]
fn linked_work_trees_and_paths_with_blanks_commas_and_korean_work() {
    let scene = Scene::with_check("pwd > src/where.txt", "", "true\n");
    let linked = "../home/다른 작업, 트리: 하나";
    scene.git(&["worktree", "add", "-q", "-b", "side", linked]);
    let before = fs::read(scene.root().join(".git/config")).unwrap();
    let ran = scene.shell(&format!("cd '{linked}' && \"$HAST\" auto"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let at = scene.read(&format!("{linked}/src/where.txt"));
    assert!(at.trim().ends_with("다른 작업, 트리: 하나"), "{at}");
    let log = scene.git(&["log", "--format=%s", "side"]);
    assert_eq!(log, "chore(M1): goal status\nfeat(M1): The work\nfirst");
    assert_eq!(scene.git(&["log", "--format=%s", "main"]), "first");
    assert_eq!(fs::read(scene.root().join(".git/config")).unwrap(), before);
    scene.nothing_is_left();
}

#[test]
fn where_attributes_change_the_tests_run_on_files_as_they_will_be_checked_out() {
    let check = "test ! -f src/b.txt || ! grep -q \"$(printf '\\r')\" src/a.txt\n";
    for kind in KINDS {
        let scene = Scene::with_check("echo 'a.txt text eol=crlf' > .gitattributes", kind, check);
        scene.auto();
        assert_eq!(scene.reason(), "tests_red", "{kind}");
        let scene = Scene::with_check("echo 'a.txt text eol=lf' > src/.gitattributes", kind, check);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        scene.nothing_is_left();
    }
}

/// A clone without contents of files, whose branch is at a commit that it has not got whole.
fn partial_clone(kind: &str) -> Scene {
    let scene = Scene::with_check("test \"$(cat src/a.txt)\" = newer", kind, "true\n");
    let made = scene.shell(
        "set -e
git clone -q --bare . ../home/up.git
git -C ../home/up.git config uploadpack.allowFilter true
git -C ../home/up.git config uploadpack.allowAnySHA1InWant true
git clone -q --filter=blob:none \"file://$HOME/up.git\" ../clone
echo newer > src/a.txt; git commit -qam newer; git push -q ../home/up.git main
cd ../clone; git fetch -q; git update-ref refs/heads/main refs/remotes/origin/main
git config user.name User; git config user.email user@localhost
GIT_NO_LAZY_FETCH=1 git cat-file -e main:src/a.txt 2>/dev/null && exit 1 || true",
    );
    assert_eq!(made.code, 0, "{made:?}");
    scene
}

#[test]
fn a_partial_clone_gets_what_it_lacks_while_its_room_is_made() {
    for kind in KINDS {
        let scene = partial_clone(kind);
        let ran = scene.shell("cd ../clone && \"$HAST\" auto");
        assert_eq!(ran.code, 0, "{kind} {ran:?}");
        let log = scene.shell("git -C ../clone log --format=%s main").out;
        assert_eq!(log, "chore(M1): goal status\nfeat(M1): The work\nnewer\nfirst\n");
    }
}

#[test]
fn a_partial_clone_without_its_remote_stops_the_run_and_says_how_to_go_on() {
    let scene = partial_clone(KINDS[0]);
    scene.shell("mv ../home/up.git ../home/gone.git");
    let ran = scene.shell("cd ../clone && \"$HAST\" auto");
    assert_eq!(ran.code, 1, "{ran:?}");
    let (_, next) = ran.err.split_once("next:").unwrap();
    assert!(next.contains("partial clone") && !next.contains("--reset"), "{ran:?}");
    assert!(scene.read("../clone/.ai/goals.yaml").contains("status: active"));
    scene.shell("mv ../home/gone.git ../home/up.git");
    assert_eq!(scene.shell("cd ../clone && \"$HAST\" auto").code, 0);
}

#[test]
fn a_home_inside_of_the_checkout_stays_what_it_is() {
    let script = "echo settings > \"$HOME/.config/of-agent\"; test ! -e notes.txt";
    let scene = Scene::with_check(script, "sandbox_write: [house/.config]\n", "true\n");
    scene.write("house/.config/mine", "mine\n");
    let house = scene.root().join("house");
    let line = format!(
        "HOME='{}' XDG_STATE_HOME='{}/state' \"$HAST\" auto",
        house.display(),
        house.display()
    );
    let ran = scene.shell(&line);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    assert_eq!(scene.read("house/.config/of-agent"), "settings\n");
    assert_eq!(scene.read("house/.config/mine"), "mine\n");
}
