//! The lines of a run without a terminal: which attempt it is, why the one before failed, and a whole after
//! its parts.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::scene::{Scene, WORK, claude_tests};

/// What was said while it ran.
fn lines(scene: &Scene, args: &[&str]) -> Vec<String> {
    scene.hast(args).err.lines().map(str::to_owned).collect()
}

const SAVED: &str = "attempt 1 at M1 is kept beside your files: hast diff M1@1 shows it, hast take M1@1 brings it into your checkout, git checkout refs/hast/attempts/M1/1 -- PATH one file of it";

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
fn after_a_retry_attempts_count_anew_beside_their_names() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let wrong = "      - delete: src/a.txt\n";
    let replies = format!("  - when: {{attempt: 4}}\n    do:\n{WORK}  - do:\n{wrong}{WORK}");
    let scene = Scene::with(goals, &replies, "max_retries: 2\n");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    let running: Vec<String> = lines(&scene, &["retry", "M1"])
        .into_iter()
        .filter(|line| line.starts_with("running"))
        .collect();
    let expected = [
        "running M1 The work (attempt 1 of 2, M1@3)",
        "running M1 The work (attempt 2 of 2, M1@4)",
    ];
    assert_eq!(running, expected);
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

/// Runs until there is a line on stderr that has this, interrupts, and gives that line and stdout.
fn interrupted_at(scene: &Scene, args: &[&str], wanted: &str) -> (String, String) {
    let mut command = scene.hast_command(args);
    command.env("HAST_TEST_BEAT", "20").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|line| line.contains(wanted)).expect("the agent's time is over");
    scene.interrupt(&child);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130), "{line}");
    (line, out)
}

#[test]
fn an_agent_that_works_is_told_of_now_and_then_and_beside_json_too() {
    let actions = format!("      - print: '{}'\n      - hang\n", claude_tests());
    let goals = "goals:\n  - {id: M1, title: The work, status: active}\n";
    let config = "sandbox: off\nmax_retries: 1\ntimeout_minutes: 1\n";
    for args in [&["auto"][..], &["auto", "--json"]] {
        let scene = Scene::with(goals, &format!("  - do:\n{actions}"), config);
        let (line, out) = interrupted_at(&scene, args, "cargo test");
        assert!(line.starts_with("M1: rehearsal"), "{line}");
        assert!(line.contains("s · Bash: cargo test -p calc · 1.2k tokens"), "{line}");
        if args.contains(&"--json") {
            let told: serde_json::Value = serde_json::from_str(&out).expect("one document");
            assert_eq!(told["ending"], "interrupted", "{out}");
        }
    }
}

#[test]
fn whoever_asks_for_quiet_is_told_nothing_while_an_agent_works() {
    let actions = format!("      - print: '{}'\n      - sleep: 0.3\n", claude_tests());
    for (args, silent) in [
        (&["auto", "--json"][..], false),
        (&["-q", "auto"], true),
        (&["-q", "auto", "--json"], true),
    ] {
        let scene = Scene::new(&actions);
        let mut command = scene.hast_command(args);
        let output = command.env("HAST_TEST_BEAT", "20").output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(!err.contains("cargo test"), silent, "{args:?}: {err}");
        assert_eq!(scene.verdicts().len(), 1, "an agent worked");
    }
}
