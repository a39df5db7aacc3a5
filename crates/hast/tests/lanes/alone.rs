//! `--isolate`: one goal in a tree of its own.

use crate::scene::{Scene, work};

#[test]
fn the_checkout_is_untouched_until_the_merge_and_the_users_files_stay() {
    let waiting = "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n";
    let actions = format!("{waiting}{}", work("src/b.txt", "b"));
    let scene = Scene::new(&[("M1", "", &actions)]);
    scene.write("src/a.txt", "half done\n");
    scene.write("new.txt", "untracked\n");
    scene.write("staged.txt", "staged\n");
    scene.git(&["add", "staged.txt"]);
    let (before, status) = (scene.checkout(), scene.git(&["status", "--porcelain"]));
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the tree is there", |scene| scene.room_has("M1", "src/a.txt"));
    assert_eq!(scene.checkout(), before);
    assert_eq!(scene.git(&["status", "--porcelain"]), status);
    scene.write("go.log", "");
    assert!(child.wait().unwrap().success());
    let mut after = scene.checkout();
    assert_eq!(after.remove("src/b.txt").as_deref(), Some(&b"b\n"[..]));
    after.remove("go.log");
    assert_eq!(after, before);
    assert_eq!(scene.git(&["status", "--porcelain"]), status);
    assert_eq!(scene.status_of("M1"), "done");
    scene.nothing_is_left();
}

#[test]
fn a_merge_that_would_touch_the_users_files_waits_with_the_work_on_a_branch() {
    let scene = Scene::new(&[("M1", "", &work("src/a.txt", "b"))]);
    scene.write("src/a.txt", "half done\n");
    let (before, head) = (scene.checkout(), scene.git(&["rev-parse", "HEAD"]));
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.checkout(), before);
    assert_eq!(scene.status_of("M1"), "blocked");
    assert_eq!(scene.verdicts("M1"), ["all_good", "merge_touches"]);
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/a.txt"]), "a\nb");
    assert!(scene.read(".ai/goals.yaml").contains("src/a.txt"), "the file is named");
    let inbox = scene.hast(&["inbox", "list"]).out;
    assert!(inbox.contains("M1") && inbox.contains("uncommitted files: src/a.txt"), "{inbox}");
    // Only the status was committed.
    assert_eq!(scene.git(&["diff", "--name-only", &head, "HEAD"]), ".ai/goals.yaml");
    scene.nothing_is_left();
}

#[test]
fn a_failed_attempt_is_kept_on_a_ref_and_the_next_one_is_told() {
    let scene = Scene::with(
        &[("M1", "", &work("src/b.txt", "bug"))],
        "max_retries: 2\n",
        "! grep -rq bug src\n",
    );
    let ran = scene.hast(&["auto", "--isolate", "--explain"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.verdicts("M1"), ["tests_red", "tests_red"]);
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/b.txt"]), "bug");
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "bug");
    assert!(!scene.has("src/b.txt"));
    scene.nothing_is_left();
}

#[test]
fn setup_and_copies_make_the_tree_ready_and_are_not_committed() {
    let scene = Scene::with(
        &[("M1", "", &work("src/b.txt", "b"))],
        "worktree_setup: \"cat .env > made.log && echo set >> setup.txt\"\nworktree_copy: [\".env\"]\n",
        "grep -q secret made.log && grep -q set setup.txt\n",
    );
    // The tests of the base run in the tree too.
    scene.write(".env", "secret\n");
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let files = scene.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!files.contains("setup.txt") && !files.contains(".env"), "{files}");
    assert!(files.contains("src/b.txt"));
    scene.nothing_is_left();
}

#[test]
fn a_submodule_that_the_setup_fills_is_there_for_agent_and_tests_and_a_change_in_it_fails() {
    let of = |line: &str| format!("      - run: \"{line}\"\n{}", work("src/b.txt", "b"));
    for (line, verdict) in [
        ("git status && cat lib/s.txt && touch lib/build.o", "all_good"),
        ("echo evil >> lib/s.txt", "submodule_changed"),
    ] {
        let setup = "git -c protocol.file.allow=always submodule update --init";
        let config = format!("worktree_setup: \"{setup}\"\nmax_retries: 1\n");
        let scene = Scene::with(&[("M1", "", &of(line))], &config, "grep -qx s lib/s.txt\n");
        scene.shell("git init -q ../sub && cd ../sub && echo s > s.txt && git add -A && git -c user.name=u -c user.email=u commit -qm s");
        let url = scene.root().join("../sub").canonicalize().unwrap().display().to_string();
        scene.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "lib"]);
        scene.git(&["commit", "-qam", "submodule"]);
        let ran = scene.hast(&["auto", "--isolate"]);
        assert_eq!(scene.verdicts("M1"), [verdict], "{line}: {ran:?}");
        assert_eq!(scene.git(&["status", "--porcelain"]), "", "{line}");
        scene.nothing_is_left();
    }
}

#[test]
fn a_setup_that_fails_blocks_its_goal() {
    let goal = ("M1", "", &*work("src/b.txt", "b"));
    let scene = Scene::with(&[goal], "worktree_setup: \"echo no such tool; false\"\n", "true\n");
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.status_of("M1"), "blocked");
    assert!(scene.read(".ai/goals.yaml").contains("no such tool"));
    assert_eq!(scene.verdicts("M1"), Vec::<String>::new());
}

#[test]
fn the_agent_of_a_lane_reaches_nothing_but_its_tree() {
    // Wherever the sandbox is not there, this shows nothing; it is asked for.
    let steps = [
        "../../../../../../../project/src/a.txt",
        "../../../../../../../project/.git/hooks/pre-commit",
        "../../../../../../../project/.git/config",
        "../../../../../../../project/.git/refs/heads/main",
        "../../../../../../../project/.git/refs/hast/lanes/other",
        "../meta.json",
        "../trusted/index",
        "../../../../../../../project/.ai/goals.yaml",
    ];
    let tries: String = steps
        .iter()
        .map(|path| {
            format!("      - run: \"mkdir -p $(dirname {path}); echo evil >> {path} || true\"\n")
        })
        .collect();
    let actions = format!("{tries}{}", work("src/b.txt", "b"));
    let scene = Scene::with(&[("M1", "", &actions)], "sandbox: enforce\n", "true\n");
    let config = scene.read(".git/config");
    let ran = scene.hast(&["auto", "--isolate"]);
    if ran.err.contains("sandbox") && ran.code != 0 {
        return;
    }
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.read("src/a.txt"), "a\n");
    assert!(!scene.has(".git/hooks/pre-commit"));
    assert_eq!(scene.read(".git/config"), config);
    assert!(!scene.read(".ai/goals.yaml").contains("evil"));
    scene.nothing_is_left();
}

#[test]
fn a_detached_head_goes_forward() {
    let scene = Scene::new(&[("M1", "", &work("src/b.txt", "b"))]);
    scene.git(&["checkout", "-q", "--detach"]);
    let main = scene.git(&["rev-parse", "main"]);
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.read("src/b.txt"), "b\n");
    assert_eq!(scene.git(&["rev-parse", "main"]), main);
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    scene.nothing_is_left();
}

#[test]
fn commit_off_and_several_lanes_exclude_each_other() {
    let goal = ("M1", "", &*work("src/b.txt", "b"));
    let scene = Scene::with(&[goal], "commit: off\n", "true\n");
    let ran = scene.hast(&["auto", "--parallel", "2"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("commit: auto"), "{}", ran.err);
    scene.nothing_is_left();
}

#[test]
fn a_tree_that_somebody_deleted_blocks_its_goal_and_not_the_run() {
    let gone = "      - run: \"rm -rf .git src\"\n      - run: \"rm -rf \\\"$PWD\\\"\"\n";
    let scene = Scene::with(
        &[("M1", "", gone), ("M2", "", &work("src/b.txt", "b"))],
        "sandbox: off\nmax_retries: 1\n",
        "true\n",
    );
    let ran = scene.hast(&["auto", "--isolate", "--recursive"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!((scene.status_of("M1"), scene.status_of("M2")), ("blocked".into(), "done".into()));
}

#[test]
fn a_lane_goes_on_with_work_that_was_handed_over() {
    let stuck = "      - write: {path: src/half.txt, text: \"half\\n\"}\n      - handoff: {status: blocked, next: a key}\n";
    let scene = Scene::with(&[("M1", "", stuck)], "isolation: worktree\n", "true\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "blocked"), "{ran:?}");
    assert!(!scene.has("src/half.txt"));
    let again = format!(
        "version: 1\nreplies:\n  - do:\n      - expect: {{exists: src/half.txt}}\n{}",
        work("src/b.txt", "b")
    );
    scene.write("a.rehearsal.yaml", again);
    scene.git(&["commit", "-q", "-m", "another agent", "a.rehearsal.yaml"]);
    let ran = scene.hast(&["retry", "M1", "--continue"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
    assert_eq!(
        (scene.read("src/half.txt").as_str(), scene.read("src/b.txt").as_str()),
        ("half\n", "b\n")
    );
    let changed = scene.git(&["log", "--grep=^feat(M1)", "--name-only", "--format=", "-1"]);
    assert!(changed.contains("src/half.txt") && changed.contains("src/b.txt"), "{changed}");
    scene.nothing_is_left();
}

#[test]
fn no_path_that_an_agent_is_told_has_a_percent_sign_whatever_its_goal_is_called() {
    let scene = Scene::new(&[("목표/1", "", &work("src/b.txt", "b"))]);
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("목표/1").as_str()), (0, "done"), "{ran:?}");
    let calls = scene.names(".ai/.hast/calls");
    let [call] = &calls[..] else { panic!("{calls:?}") };
    assert!(call.starts_with("auto+목표+1+1+call+0=-"), "{call}");
    let told = scene.read(&format!(".ai/.hast/calls/{call}/1/call.json"));
    assert!(told.contains("/tree\"") && !told.contains('%'), "{told}");
    scene.nothing_is_left();
}
