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
