//! Files that the tests leave in the tree of a lane are not part of the attempt.

use crate::scene::{Scene, work};

const CHECK: &str = "date +%s%N > coverage.out\n";

#[test]
fn in_a_lane_too_what_the_tests_left_is_neither_progress_nor_a_breach_of_the_scope() {
    let handoff = "      - handoff: {status: complete, done: [it], next: nothing}\n";
    let lies = Scene::with(&[("M1", "", handoff)], "max_retries: 1\n", CHECK);
    assert_eq!(lies.hast(&["auto", "--isolate"]).code, 1);
    assert_eq!(lies.verdicts("M1"), ["nothing_changed"]);
    let actions = work("src/b.txt", "b");
    let goal = [("M1", "    allowed_changes: [src/]\n", actions.as_str())];
    let honest = Scene::with(&goal, "max_retries: 1\n", CHECK);
    let ran = honest.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, honest.verdicts("M1")), (0, vec!["all_good".to_owned()]), "{ran:?}");
    assert!(!honest.has("coverage.out"), "it is not merged");
    honest.nothing_is_left();
}
