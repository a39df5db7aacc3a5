//! The lines of a run without a terminal: which attempt it is, why the one before failed, and a whole after
//! its parts.

use crate::scene::{Scene, WORK};

/// What was said while it ran.
fn lines(scene: &Scene, args: &[&str]) -> Vec<String> {
    scene.hast(args).err.lines().map(str::to_owned).collect()
}

const SAVED: &str = "attempt 1 at M1 is rolled back and on refs/hast/attempts/M1/1 (git checkout refs/hast/attempts/M1/1 -- PATH gives a file back, hast auto --undo=refs/hast/attempts/M1/1 all of it)";

fn wrong_at_first() -> Scene {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!(
        "  - when: {{attempt: 1}}\n    do:\n      - delete: src/a.txt\n{WORK}  - do:\n{WORK}"
    );
    Scene::with(goals, &replies, "max_retries: 4\n")
}

#[test]
fn each_attempt_has_its_number_and_a_failed_one_its_reason() {
    let said = lines(&wrong_at_first(), &["auto"]);
    let expected = [
        "running M1 The work",
        "M1 attempt 1: failed · the tests failed (exit code 1)",
        SAVED,
        "running M1 The work (attempt 2 of 4)",
        "done M1 The work",
    ];
    assert_eq!(said, expected);
    let korean = lines(&wrong_at_first(), &["--lang", "ko", "auto"]);
    assert!(korean[3].contains("(4번 중 2번째 시도)"), "{korean:?}");
    assert!(korean[1].contains("1번째 시도: failed · 테스트 실패"), "{korean:?}");
}

#[test]
fn whoever_asks_for_quiet_or_for_each_verdict_gets_no_other_words() {
    assert_eq!(lines(&wrong_at_first(), &["-q", "auto"]), Vec::<String>::new());
    let explained = lines(&wrong_at_first(), &["auto", "--explain"]);
    let failures = explained.iter().filter(|line| line.contains("failed"));
    assert_eq!(failures.count(), 1, "{explained:?}");
}

#[test]
fn a_parent_is_done_after_its_last_child() {
    let child = |id: &str| format!("      - {{id: M1.{id}, title: part, status: active}}\n");
    let goals = format!(
        "goals:\n  - id: M1\n    title: all\n    status: active\n    children:\n{}{}",
        child("1"),
        child("2")
    );
    let append = "      - append: {path: src/b.txt, text: \"b\\n\"}\n      - handoff: {status: complete, done: [b], next: nothing}\n";
    let said =
        lines(&Scene::with(&goals, &format!("  - do:\n{append}"), ""), &["auto", "--recursive"]);
    let at = |line: &str| said.iter().position(|said| said == line);
    assert!(at("done M1.2 part").is_some() && at("done M1.2 part") < at("done M1 all"), "{said:?}");
}
