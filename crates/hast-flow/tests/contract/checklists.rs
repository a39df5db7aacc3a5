//! A checklist is passed by boxes that are ticked, and by nothing else that its file says.

use hast_flow::steps::{Call, Ending};
use serde_json::{Value, json};

use crate::actors::{CODE, design, honest, tests};
use crate::scene::{Scene, answer};

/// A design of what is there already.
fn nothing_to_create(call: &Call) -> Value {
    let mut contract = design(call);
    contract["file_refs"][0]["status"] = json!("existing");
    contract
}

/// An analysis whose first checklist is this, and whose second is honest.
fn first_list(first: &'static str) -> Scene {
    let mut scene = Scene::new(Box::new(move |call, git| match call.step {
        "test_first" => {
            let text = if call.attempt == 1 { first } else { "- [x] TC-1\n- [x] TC-2\n" };
            git.write("docs/spec.md", text);
            answer(&[("test-contract.yaml", tests(call, "docs/spec.md", "checklist"))])
        }
        "design" => answer(&[("design-contract.yaml", nothing_to_create(call))]),
        _ => honest(call, git),
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(!scene.calls.iter().any(|call| call.starts_with("implementer")));
    scene
}

/// Whatever its subtasks call themselves, what the design wants to be created is there in the end.
#[test]
fn an_analysis_does_not_end_a_task_that_nobody_has_built() {
    let mut scene = Scene::new(Box::new(|call, git| match (call.step, call.attempt) {
        ("test_first", 1) => {
            git.write("docs/spec.md", "- [x] TC-1\n- [x] TC-2\n");
            answer(&[("test-contract.yaml", tests(call, "docs/spec.md", "checklist"))])
        }
        _ => honest(call, git),
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    let failure = &scene.failures()[0];
    assert!(
        failure.starts_with("GATE-2 to_create") && failure.contains("src/total.sh"),
        "{failure}"
    );
    assert_eq!(scene.git.files["src/total.sh"], CODE, "the next round has tests and code");
}

#[test]
fn an_open_item_of_a_checklist_is_not_done() {
    let scene = first_list("- [x] TC-1: seen\n- [ ] TC-2: later\n");
    let failure = &scene.failures()[0];
    assert!(failure.starts_with("GATE-2") && failure.contains("TC-2"), "{failure}");
}

#[test]
fn a_heading_that_names_the_cases_ticks_none_of_them() {
    let scene = first_list("# Checklist: TC-1, TC-2\n\n- [ ] TC-1: it sums\n- [ ] TC-2: prints\n");
    let failure = &scene.failures()[0];
    assert!(failure.starts_with("GATE-2") && failure.contains("TC-1, TC-2"), "{failure}");
}

#[test]
fn one_open_item_of_a_case_keeps_it_open() {
    let scene = first_list("- [x] TC-1: half\n- [ ] TC-1: the rest\n- [x] TC-2\n");
    let failure = &scene.failures()[0];
    assert!(failure.starts_with("GATE-2") && failure.contains("TC-1"), "{failure}");
    assert!(!failure.contains("TC-2"), "{failure}");
}

#[test]
fn a_checklist_has_a_box_for_each_of_its_cases() {
    for text in ["all fine\n", "# TC-1, TC-2\n- TC-1: fine\n- TC-2: fine\n", "[x] TC-1, TC-2\n"] {
        let scene = first_list(text);
        let failure = &scene.failures()[0];
        assert!(failure.starts_with("GATE-1 the checklist has no line `- [ ] TC-1`"), "{failure}");
    }
}
