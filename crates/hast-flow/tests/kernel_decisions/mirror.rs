//! `activeContext.md` follows the plan, and an edit of it is neither lost nor obeyed.

use crate::scene::{ID, Kernel, item, one_item};
use hast_flow::flows::kernel::layout;
use hast_flow::steps::{Ending, Step};
use serde_json::json;

#[test]
fn the_mirror_says_what_the_plan_says_after_each_update() {
    let mut kernel =
        Kernel::planned(&[item("a", "in_progress", &[], 1), item("b", "pending", &["a"], 1)]);
    kernel.complete("a");
    let mirror = String::from_utf8(kernel.files[layout::MIRROR].clone()).unwrap();
    assert!(mirror.contains("- [x] `a` Title a (ResearchExpert) · completed"), "{mirror}");
    assert!(mirror.contains("- [ ] `b` Title b (ResearchExpert) · in_progress"), "{mirror}");
}

#[test]
fn an_edit_of_the_mirror_at_rest_is_told_and_stays() {
    let mut kernel = one_item();
    kernel.noted.clear();
    let edited = String::from_utf8(kernel.files[layout::MIRROR].clone()).unwrap();
    kernel.set(layout::MIRROR, edited.replace("[ ]", "[x]").as_bytes());
    let Step::Finish(Ending::Blocked(notice)) = kernel.next() else {
        panic!("{:?}", kernel.next())
    };
    assert!(
        notice.what.contains("activeContext.md: - / plan.json: a in_progress"),
        "{}",
        notice.what
    );
    // Deleted, it is written anew from the plan.
    kernel.remove(layout::MIRROR);
    kernel.commit();
    assert!(kernel.files.contains_key(layout::MIRROR));
}

#[test]
fn notes_in_the_mirror_stay_below_it() {
    let mut kernel =
        Kernel::planned(&[item("a", "in_progress", &[], 1), item("b", "pending", &["a"], 1)]);
    let noted = String::from_utf8(kernel.files[layout::MIRROR].clone()).unwrap() + "\ncall Kim\n";
    kernel.set(layout::MIRROR, noted.as_bytes());
    kernel.complete("a");
    let mirror = String::from_utf8(kernel.files[layout::MIRROR].clone()).unwrap();
    assert!(mirror.contains("- [x] `a`") && mirror.ends_with("\n\ncall Kim\n"), "{mirror}");
}

/// A checklist that was edited when nothing ran any more is not overwritten by the next request.
#[test]
fn an_edit_of_the_mirror_after_the_end_is_kept_and_told() {
    let mut kernel = Kernel::requested();
    kernel.set(layout::MIRROR, b"# Active context\n\n- [x] `old` mine (X) \xc2\xb7 completed\n");
    kernel.reply(&[("plan.json", json!({ "todo_list": [item("a", "in_progress", &[], 1)] }))]);
    kernel.commit();
    let kept = format!("requests/{ID}/edited/activeContext.0.md");
    assert!(kernel.files[&kept].starts_with(b"# Active context"));
    assert!(kernel.errors().contains(&kept), "{}", kernel.errors());
}

#[test]
fn a_mirror_that_differs_at_work_is_mended_twice_and_then_fails_with_both_sides() {
    let mut kernel = one_item();
    for round in 1..=2 {
        kernel.set(layout::MIRROR, format!("mine {round}").as_bytes());
        kernel.commit();
        let kept = format!("requests/{ID}/edited/activeContext.{round}.md");
        assert_eq!(kernel.files[&kept], format!("mine {round}").as_bytes());
    }
    kernel.set(layout::MIRROR, b"mine again");
    kernel.commit();
    let error = kernel.response().error_details.unwrap();
    assert!(error.contains("activeContext.md: - / plan.json: a in_progress"), "{error}");
}

#[test]
fn an_edit_of_the_plan_is_told_as_that_and_stays() {
    let mut kernel = one_item();
    kernel.noted.clear();
    let path = format!("requests/{ID}/plan.json");
    let written = kernel.files[&path].clone();
    let edited = String::from_utf8(written.clone()).unwrap().replace("in_progress", "completed");
    kernel.set(&path, edited.as_bytes());
    let Step::Finish(Ending::Blocked(notice)) = kernel.next() else {
        panic!("{:?}", kernel.next())
    };
    assert!(notice.what.contains(&path) && notice.next.contains("put"), "{notice:?}");
    assert!(!notice.what.contains("activeContext"), "{notice:?}");
    kernel.set(&path, &written);
    assert_eq!(kernel.call().unit, "a");
}
