//! `hast take`: the work of a blocked goal, into the checkout, all of it or nothing.

use crate::scene::Scene;

const STUCK: &str = "      - write: {path: src/half.txt, text: \"half\\n\"}\n      - write: {path: src/a.txt, text: \"other\\n\"}\n      - handoff: {status: blocked, next: a key}\n";

fn handed_over() -> Scene {
    let scene = Scene::new(&[("M1", "", STUCK)]);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "blocked"), "{ran:?}");
    assert!(ran.err.contains("hast take M1@1"), "{}", ran.err);
    assert!(!scene.has("src/half.txt"), "nothing of it is in the checkout");
    scene
}

#[test]
fn kept_work_is_taken_into_the_checkout_as_uncommitted_changes() {
    let scene = handed_over();
    let head = scene.git(&["rev-parse", "HEAD"]);
    let ran = scene.hast(&["take", "M1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("src/half.txt") && ran.out.contains("files: 2"), "{}", ran.out);
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(
        (scene.read("src/half.txt"), scene.read("src/a.txt")),
        ("half\n".into(), "other\n".into())
    );
    let json = scene.hast(&["take", "M1", "--json"]);
    assert!(json.code == 0 && json.out.contains("\"goal_id\": \"M1\""), "taking again: {json:?}");
}

#[test]
fn a_file_of_the_user_in_the_way_refuses_all_of_it_and_is_named() {
    let scene = handed_over();
    scene.write("src/half.txt", "mine\n");
    let before = scene.checkout();
    let ran = scene.hast(&["take", "M1"]);
    assert!(ran.code == 1 && ran.err.contains("src/half.txt"), "{ran:?}");
    assert!(!ran.err.contains("src/a.txt"), "{ran:?}");
    assert_eq!(scene.checkout(), before);
}

#[test]
fn a_goal_without_kept_work_has_nothing_to_take() {
    let scene = handed_over();
    for lang in ["en", "ko"] {
        let ran = scene.hast(&["take", "M2", "--lang", lang]);
        assert!(ran.code == 1 && ran.err.contains("M2"), "{ran:?}");
    }
}
