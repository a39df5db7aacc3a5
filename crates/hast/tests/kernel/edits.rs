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
    let scene = Scene::new(HANGS);
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
fn an_edit_of_an_expert_between_two_calls_takes_effect() {
    let replies = r#"
  - when: {step: execute, unit: a}
    do:
      - run: sed -i 's/^instructions:.*/instructions:\ "speak like a pirate"/' "{{root}}/.brain/experts/ImplementationExpert.yaml"
      - outbox: {output.json: {task_id: a, status: completed, result: x}}
  - when: {step: execute, unit: b}
    do:
      - expect: {prompt: speak like a pirate}
      - outbox: {output.json: {task_id: b, status: completed, result: x}}
"#;
    let scene = Scene::new(replies);
    let ran = scene.hast(&["kernel", "start", "write something"]);
    let expert = scene.read(".brain/experts/ImplementationExpert.yaml");
    assert!(expert.contains("pirate"), "{expert} {ran:?}");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.answers()["b"], 1, "not replaced");
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
