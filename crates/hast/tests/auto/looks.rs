//! How often git is asked: looking at a large tree is most of what an attempt costs.

use crate::scene::Scene;

const TWO: &str =
    "goals:\n  - {id: M1, title: a, status: active}\n  - {id: M2, title: b, status: active}\n";
const REPLIES: &str = "  - do:\n      - write: {path: \"src/{{goal_id}}\", text: \"b\\n\"}\n      - handoff: {status: complete, done: [b], next: nothing}\n";

/// The git commands that a run starts.
fn commands(scene: &Scene, args: &[&str]) -> Vec<String> {
    let (bin, log) = (scene.root().join("../bin"), scene.root().join("../asked"));
    let git = scene.shell_out("command -v git");
    let script =
        format!("#!/bin/sh\necho \"$1\" >> {}\nexec {} \"$@\"\n", log.display(), git.trim());
    scene.write("../bin/git", &script);
    scene.shell("chmod +x ../bin/git");
    let path = std::env::var("PATH").unwrap();
    let mut command = scene.hast_command(args);
    let output = command.env("PATH", format!("{}:{path}", bin.display())).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    scene.read("../asked").lines().map(str::to_owned).collect()
}

#[test]
fn a_goal_takes_one_look_at_the_tree_and_one_at_what_the_agent_left() {
    for config in ["sandbox: off\n", "sandbox: prefer\n"] {
        let scene = Scene::with(TWO, REPLIES, config);
        let asked = commands(&scene, &["auto", "--recursive"]);
        let count = |name: &str| asked.iter().filter(|asked| *asked == name).count();
        assert_eq!((count("status"), count("ls-files")), (2, 2), "{config} {asked:?}");
        assert_eq!(count("cat-file"), 0, "objects are hashed without git: {asked:?}");
    }
}

/// Red at first, then honest; in between the tree is saved and goes back.
const RED_FIRST: &str = "  - when: {attempt: 1}
    do:
      - write: {path: src/half, text: half}
      - write: {path: src/deeper/than/that, text: more}
      - write: {path: build.log, text: ignored}
  - do:
      - write: {path: src/b, text: b}
      - handoff: {status: complete, done: [b], next: nothing}
";
const ONE: &str = "goals:\n  - {id: M1, title: a, status: active}\n";

#[test]
fn what_the_tests_left_alone_is_saved_without_another_look() {
    let scene = Scene::with(ONE, RED_FIRST, "sandbox: off\n");
    let asked = commands(&scene, &["auto"]);
    let count = |name: &str| asked.iter().filter(|asked| *asked == name).count();
    // Nor is git needed to take away what was only added.
    assert_eq!((count("ls-files"), count("read-tree")), (2, 0), "{asked:?}");
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/half"]), "half");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert!(!scene.has("src/half") && !scene.has("src/deeper") && scene.has("build.log"));
}

#[test]
fn and_what_they_changed_is_on_the_ref_and_goes() {
    for change in [
        "echo more >> src/half",
        "echo new > src/new",
        "echo other > README",
        "rm README",
        "chmod +x src/half",
        "rm src/half; ln -s a.txt src/half",
        "mkdir -p src/deep; echo x > src/deep/x",
        "mkfifo src/pipe",
    ] {
        let scene = Scene::with(ONE, RED_FIRST, "sandbox: off\n");
        scene.write("tests/check.sh", &format!("test ! -e src/half || ({change})\n"));
        scene.git(&["commit", "-qam", "tests"]);
        let ran = scene.hast(&["auto"]);
        assert_eq!((ran.code, scene.git(&["status", "--porcelain"]).as_str()), (0, ""), "{ran:?}");
        let saved = "refs/hast/attempts/M1/1";
        let seen = scene.git(&["diff", "--raw", "HEAD~2", saved]);
        let only_half = seen.lines().count() == 2 && seen.matches(":000000 100644").count() == 2;
        let has = |line: &str| seen.contains(line);
        match change {
            "echo more >> src/half" => {
                assert_eq!(scene.git(&["show", &format!("{saved}:src/half")]), "halfmore");
            }
            "mkfifo src/pipe" => assert!(!scene.has("src/pipe"), "{ran:?}"),
            _ => assert!(!only_half && has("src/half"), "{change}: {seen}"),
        }
        for path in ["src/new", "src/deep", "src/half"] {
            assert!(!scene.has(path), "{change}: {path}");
        }
    }
}
