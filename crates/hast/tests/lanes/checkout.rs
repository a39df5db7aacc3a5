//! Ignored files of the user where a merge would write.

use crate::scene::Scene;

#[test]
fn a_merge_waits_for_ignored_files_where_it_would_bring_a_directory() {
    let actions = "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n      - write: {path: data/schema.sql, text: table}\n      - handoff: {status: complete, done: [it], next: nothing}\n";
    let scene = Scene::new(&[("M1", "", actions)]);
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the tree is there", |scene| scene.room_has("M1", "src/a.txt"));
    scene.write(".gitignore", "*.log\n.env\n/data\n");
    scene.git(&["commit", "-qam", "my data"]);
    scene.write("data", "precious\n");
    scene.write("go.log", "");
    child.wait().unwrap();
    assert_eq!(scene.read("data"), "precious\n");
    assert_eq!(scene.status_of("M1"), "blocked");
    assert_eq!(scene.verdicts("M1"), ["all_good", "merge_touches"]);
    assert_eq!(scene.git(&["show", "hast/kept/M1:data/schema.sql"]), "table");
    scene.nothing_is_left();
}
