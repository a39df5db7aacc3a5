//! hast killed while a room is mounted: nothing stays, and the next run goes on.

use crate::scene::{KINDS, Scene, differences};

#[test]
fn a_kill_while_the_agent_works_leaves_no_mount_and_the_next_run_goes_on() {
    for kind in KINDS {
        let script = "echo half > src/half.txt; rm -rf src/deep; git add -A; git commit -qm half
test -e \"$HOME/granted/again\" || { touch \"$HOME/granted/ready\"; while :; do sleep 1; done; }
";
        let config = format!("{kind}sandbox_write: [~/granted]\n");
        let scene = Scene::with_check(script, &config, "true\n");
        scene.write("../home/granted/keep", "");
        let before = scene.everything();
        let mut child = scene.start(&["auto"]);
        scene.wait_until("the agent works", |scene| scene.has("../home/granted/ready"));
        child.kill().unwrap();
        child.wait().unwrap();
        scene.nothing_runs();
        let is_temporary = |name: &String| name.starts_with("hast-");
        scene.wait_until("temporary files are gone", |scene| {
            !scene.names("..").iter().any(is_temporary)
        });
        scene.remove("../home/granted/ready");
        assert_eq!(
            differences(&before, &scene.everything(), &["home/granted"]),
            Vec::<String>::new(),
            "{kind}"
        );
        scene.write("../home/granted/again", "");
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        let log = scene.git(&["log", "--format=%s", "main"]);
        assert_eq!(log, "chore(M1): goal status\nfeat(M1): The work\nhalf\nfirst", "{kind}");
        assert_eq!(scene.read("src/deep/draft.txt"), "not committed\n");
        scene.nothing_is_left();
    }
}
