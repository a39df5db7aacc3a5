//! Files that change under a kernel: by a person at rest, by an agent in between two calls.

use crate::scene::Scene;

/// Hangs at its second item until a person makes a file.
const HANGS: &str = r"
  - when: {step: execute, unit: b, missing: go}
    do:
      - hang
";

/// A request that was killed between its first item and its second, and could go on now.
pub(crate) fn cut_off() -> Scene {
    cut_off_with("")
}

/// The same, with replies of its own for later.
fn cut_off_with(replies: &str) -> Scene {
    let scene = Scene::new(&format!("{HANGS}{replies}"));
    let mut first = scene.start(&["kernel", "start", "first"]);
    let waited = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        scene.answers().contains_key("a")
    });
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(waited);
    scene.write("go", "");
    scene
}

#[test]
fn an_edited_mirror_at_rest_is_told_and_stays_until_it_is_deleted() {
    let scene = cut_off();
    let mirror = scene.read(".brain/activeContext.md");
    let edited = mirror.replace("- [ ] `b`", "- [x] `b`");
    assert_ne!(mirror, edited);
    scene.write(".brain/activeContext.md", &edited);
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("activeContext.md was edited"), "{}", ran.err);
    assert_eq!(scene.read(".brain/activeContext.md"), edited, "it is a person's");
    scene.remove(".brain/activeContext.md");
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(scene.read(".brain/activeContext.md").contains("- [x] `b`"));
}

#[test]
fn a_start_while_a_request_is_unfinished_says_so() {
    let scene = cut_off();
    let first = scene.request();
    let ran = scene.hast(&["kernel", "start", "second"]);
    let told = format!("request {first} is unfinished; go on with it: hast kernel resume {first}");
    assert!(ran.err.contains(&told), "{}", ran.err);
}

#[test]
fn an_edit_of_an_expert_between_two_calls_takes_effect() {
    let replies = r#"
  - when: {step: execute, unit: b, exists: go}
    do:
      - expect: {prompt: speak like a pirate}
      - outbox: {output.json: {task_id: b, status: completed, result: x}}
"#;
    let scene = cut_off_with(replies);
    let path = ".brain/experts/ImplementationExpert.yaml";
    let said = "Make the smallest thing that does what the item says, all of it.";
    let expert = scene.read(path);
    assert!(expert.contains(said), "{expert}");
    scene.write(path, expert.replace(said, "speak like a pirate"));
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.answers()["b"], 1, "not replaced");
}

#[test]
fn an_edited_plan_is_told_by_its_own_name_and_undoing_it_goes_on() {
    let scene = cut_off();
    let path = format!(".brain/requests/{}/plan.json", scene.request());
    let plan = scene.read(&path);
    for edited in [plan.replacen("\"in_progress\"", "\"completed\"", 1), "{".to_owned()] {
        scene.write(&path, &edited);
        let ran = scene.hast(&["kernel", "resume"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let first = ran.err.lines().find(|line| line.contains(".brain/requests")).unwrap();
        assert!(first.contains("plan.json was edited"), "{first}");
        assert_eq!(scene.read(&path), edited, "it is a person's");
        let verified = scene.hast(&["kernel", "verify"]);
        assert!(verified.code == 1 && verified.out.contains("plan.json"), "{verified:?}");
        assert!(!verified.out.contains("activeContext.md:"), "{verified:?}");
    }
    scene.remove(&path);
    let ran = scene.hast(&["kernel", "resume", "--lang", "ko"]);
    assert!(ran.code == 1 && ran.err.contains("없거나 읽을 수 없습니다"), "{ran:?}");
    scene.write(&path, plan);
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_second_request_does_not_make_the_first_ones_mirror_an_edit() {
    let scene = cut_off();
    let second = scene.hast(&["kernel", "start", "second"]);
    assert_eq!(second.code, 0, "{second:?}");
    let resumed = scene.hast(&["kernel", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let list = scene.hast(&["kernel", "list"]);
    assert_eq!(list.out.matches("completed  2/2").count(), 2, "{}", list.out);
}

#[test]
fn a_result_that_was_deleted_or_edited_at_rest_stops_the_request_until_it_is_back() {
    let scene = cut_off();
    let path = format!(".brain/requests/{}/outputs/a/output.json", scene.request());
    let result = scene.read(&path);
    scene.remove(&path);
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("outputs/a/output.json, which is not there any more"), "{}", ran.err);
    scene.write(&path, result.replace("result of a", "what I like better"));
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("is not what it was when it was made"), "{}", ran.err);
    assert!(!scene.answers().contains_key("b"), "nothing rests on it");
    scene.write(&path, result);
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_torn_last_line_of_a_log_is_cut_off_kept_and_told() {
    let scene = cut_off();
    let log = ".brain/events.ndjson";
    let text = scene.read(log);
    scene.write(log, format!("{text}{{\"event_id\":\"EV-"));
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("the last line of events.ndjson was torn"), "{}", ran.err);
    let (_, kept) = ran.err.split_once("is kept in ").unwrap();
    let kept = kept.split(". ").next().unwrap();
    assert_eq!(scene.read(&format!(".brain/{kept}")), "{\"event_id\":\"EV-");
    assert!(scene.read(log).starts_with(&text));
    assert_eq!(scene.hast(&["kernel", "verify"]).code, 0);
}
