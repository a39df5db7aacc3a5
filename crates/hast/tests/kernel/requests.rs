//! Ends of a kernel request: answered, grown, mended, or failed with a cause.

use crate::scene::{GROWING, Scene};

#[test]
fn a_request_is_booted_planned_worked_on_and_answered() {
    let scene = Scene::new("");
    let ran = scene.hast(&["kernel", "start", "write something"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.out, "# Report\n\nall done\n");
    let events = scene.events();
    assert_eq!(events[..3], ["KERNEL_BOOTING", "KERNEL_RUNNING", "REQUEST_RECEIVED"]);
    assert_eq!(events.last().unwrap(), "RESPONSE_GIVEN");
    let request = scene.request();
    let output = scene.read(&format!(".brain/requests/{request}/outputs/b/output.json"));
    assert!(output.contains("result of b"), "{output}");
    assert_eq!(scene.read(&format!(".brain/requests/{request}/outputs/b/notes.md")), "notes of b");
    assert!(scene.read(".brain/activeContext.md").contains("- [x] `b`"));
}

#[test]
fn a_complex_item_grows_a_sub_plan_and_a_failed_one_is_replaced() {
    let scene = Scene::new(GROWING);
    let ran = scene.hast(&["kernel", "start", "write something"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let shown = scene.hast(&["kernel", "show"]);
    assert!(shown.out.contains("b: b/s1, b/s2 (items: 2 -> 4)"), "{}", shown.out);
    assert!(shown.out.contains("b/s2: b/s2/r (items: 4 -> 5)"), "{}", shown.out);
    assert!(shown.out.contains("[x] b/s2/r otherwise (ImplementationExpert)"), "{}", shown.out);
    assert!(shown.out.contains("all done"), "{}", shown.out);
    let verified = scene.hast(&["kernel", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn a_plan_that_stays_bad_fails_the_request_with_its_cause_and_the_kernel_goes_on() {
    let bad = r"
  - when: {step: plan}
    do:
      - outbox:
          plan.json:
            todo_list:
              - {id: a, title: t, description: d, expert: Nobody, status: in_progress}
";
    let scene = Scene::new(bad);
    let ran = scene.hast(&["kernel", "start", "write something"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran:?}");
    assert!(ran.err.contains("Nobody"), "{}", ran.err);
    let request = scene.request();
    let errors = scene.read(&format!(".brain/requests/{request}/errors.ndjson"));
    assert!(errors.lines().count() >= 3, "asked three times: {errors}");
    let status = scene.read(".brain/kernel_status.json");
    assert!(status.contains("RUNNING") && status.contains("Nobody"), "{status}");
    let response = scene.read(&format!(".brain/requests/{request}/response.json"));
    assert!(response.contains("\"failed\""), "{response}");
    let json = scene.hast(&["kernel", "start", "again", "--json"]);
    assert_eq!(json.code, 1);
    assert!(json.out.contains("\"status\": \"failed\""), "{}", json.out);
}

#[test]
fn a_report_that_does_not_answer_is_written_again_once() {
    let judge = r"
  - when: {step: judge, attempt: 1}
    do:
      - outbox: {judgement.json: {answers: false, reason: it misses the point}}
";
    let scene = Scene::new(judge);
    let ran = scene.hast(&["kernel", "start", "write something"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let rejected = scene.events().iter().filter(|kind| *kind == "REPORT_REJECTED").count();
    assert_eq!(rejected, 1);
    assert!(scene.read(&format!(".brain/requests/{}/report.2.md", scene.request())).len() > 1);
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_with_its_next_action() {
    let scene = Scene::new("");
    let ran = scene.shell("ulimit -f 8; exec $HAST kernel start 'write something'");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("ulimit -f"), "{}", ran.err);
}

#[test]
fn an_endless_request_is_one_line_of_a_list_and_of_the_status() {
    let scene = Scene::new("");
    let long = format!("{}\nmore", "long ".repeat(20_000));
    assert_eq!(scene.hast(&["kernel", "start", &long]).code, 0);
    for words in [["kernel", "list"], ["status", "-q"]] {
        let ran = scene.hast(&words);
        assert!(ran.code == 0 && ran.out.len() < 2_000, "{words:?}: {} bytes", ran.out.len());
    }
}
