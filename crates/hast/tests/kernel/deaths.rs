//! hast is killed in the middle, or started twice. The request goes on and no item is done twice.

use std::thread::sleep;
use std::time::Duration;

use crate::scene::{GROWING, Scene};

const SLOW: &str = r#"
  - when: {step: execute, unit: a}
    do:
      - sleep: 0.1
      - outbox: {output.json: {task_id: a, status: completed, result: x}}
  - when: {step: execute, unit: b/s1}
    do:
      - sleep: 0.1
      - outbox: {output.json: {task_id: b/s1, status: completed, result: x}}
"#;

#[test]
fn killed_at_any_moment_each_item_is_executed_once() {
    let mut resumed = 0;
    for round in 0..6_u64 {
        let scene = Scene::new(&format!("{SLOW}{GROWING}"));
        let mut child = scene.start(&["kernel", "start", "write something"]);
        // A spread over the run's length: boot, plan, items, sub-plan, replacement, report.
        sleep(Duration::from_millis(150 + round * 170));
        let _ = child.kill();
        let _ = child.wait();
        if !scene.events().contains(&"REQUEST_RECEIVED".to_owned()) {
            continue;
        }
        resumed += 1;
        let mut child = scene.start(&["kernel", "resume"]);
        sleep(Duration::from_millis(90 + round * 60));
        let _ = child.kill();
        let _ = child.wait();
        let ran = scene.hast(&["kernel", "resume", &scene.request()]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "# Report\n\nall done\n"), "{round}: {ran:?}");
        for (item, answers) in scene.answers() {
            // The item that grew and the one that was replaced are answered, then completed.
            let expected = if item == "b" || item == "b/s2" { 2 } else { 1 };
            assert_eq!(answers, expected, "{round}: {item}");
        }
        let verified = scene.hast(&["verify"]);
        assert!(!verified.out.contains(".brain"), "{}", verified.out);
    }
    assert!(resumed > 0, "every round died before the request was there");
}

#[test]
fn a_second_driver_is_told_who_drives() {
    let scene = Scene::new("  - when: {step: plan}\n    do:\n      - hang\n");
    let mut first = scene.start(&["kernel", "start", "first"]);
    let lock = ".brain/.hast/driver-kernel.lock";
    let held = (0..600).any(|_| {
        sleep(Duration::from_millis(50));
        !scene.read(lock).is_empty()
    });
    let second = scene.hast(&["kernel", "start", "second"]);
    let pid = first.id().to_string();
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(held);
    assert_eq!(second.code, 4, "{second:?}");
    assert!(second.err.contains(&pid), "{}", second.err);
}
