//! The board on a terminal: what the run costs while it runs, and never more lines than there are.

use unicode_width::UnicodeWidthStr;

use crate::scene::{GO, Scene, WORK, claude_tests};
use crate::terminal::{CTRL_C, Seat, on_terminal};

/// Goals with titles that are wider than they are long.
fn many_goals() -> String {
    let goal = |n| {
        format!(
            "  - id: M{n}\n    title: \"{n}번째 목표: 아주 길고 자세한 한국어 제목이 붙은 일\"\n    status: active\n"
        )
    };
    (1..=30).map(goal).fold("goals:\n".to_owned(), |all, one| all + &one)
}

/// What is drawn between two ways up.
fn frames(shown: &str) -> Vec<&str> {
    let mut frames = Vec::new();
    let mut rest = shown;
    while let Some((_, after)) = rest.split_once("\u{1b}[") {
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest = after;
        if digits > 0
            && let Some(frame) = after[digits..].strip_prefix('A')
        {
            frames.push(frame);
        }
    }
    let next = |frame: &&str| frame.find("\r\u{1b}[").unwrap_or(frame.len());
    frames.iter().map(|frame| &frame[..next(frame)]).collect()
}

#[test]
fn tokens_and_cost_are_shown_while_the_goal_runs_and_the_board_stays_on_its_screen() {
    let replies = format!(
        "  - when: {{missing: go.log}}\n    do:\n      - stream: {{say: [thinking], usage: {{input: 120000, output: 3400, usd: 0.1234}}}}\n      - hang\n  - do:\n{WORK}"
    );
    let scene = Scene::with(&many_goals(), &replies, "max_retries: 1\n");
    for (lang, height, width, spent) in
        [("en", 12, 120, "123.4k tokens · $0.12"), ("ko", 6, 140, "토큰 123.4k · $0.12")]
    {
        let mut seat = Seat::at_keyboard(&scene, &["auto", "M3", "--lang", lang]);
        seat.resize(height, width);
        let mut shown = seat.shows("thinking");
        // The frame with the words, and some more.
        for _ in 0..3 {
            shown += &seat.shows("\u{1b}[J");
        }
        seat.types(CTRL_C);
        assert_eq!(seat.ends().0, 130, "{shown}");
        let frames = frames(&shown);
        let last = frames.iter().rfind(|frame| frame.contains("thinking")).unwrap();
        let heading = last.lines().next().unwrap();
        assert!(heading.contains("hast auto") && heading.contains(spent), "{last}");
        let row = last.lines().find(|line| line.contains("M3")).unwrap();
        assert!(row.contains(spent), "{last}");
        for frame in frames {
            assert!(frame.matches('\n').count() < usize::from(height), "{frame:?}");
            assert!(
                !frame.starts_with("\u{1b}[J"),
                "a copy of it goes into the history: {frame:?}"
            );
        }
    }
}

#[test]
fn the_command_of_a_tool_and_the_tokens_of_its_message_are_on_the_board_while_it_runs() {
    let scene = Scene::new(&format!("      - print: '{}'\n      - hang\n", claude_tests()));
    let mut seat = Seat::at_keyboard(&scene, &["auto"]);
    seat.resize(12, 140);
    let mut shown = seat.shows("Bash: cargo test -p calc");
    // The whole of the frame.
    shown += &seat.shows("\u{1b}[J");
    seat.types(CTRL_C);
    assert_eq!(seat.ends().0, 130, "{shown}");
    let frames = frames(&shown);
    let last = frames.iter().rfind(|frame| frame.contains("cargo test")).unwrap();
    let row = last.lines().find(|line| line.contains("M1")).unwrap();
    assert!(row.contains("Bash: cargo test -p calc"), "{last}");
    assert!(row.contains("1.2k tokens"), "{last}");
}

#[test]
fn the_board_says_what_is_done_for_a_goal_and_why_the_last_attempt_failed() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!(
        "  - when: {{attempt: 1}}\n    do:\n      - delete: src/a.txt\n{WORK}  - do:\n{WORK}"
    );
    for (lang, testing, judging, second, before) in [
        ("en", "testing the base", "judging: tests", "attempt 2 of 3", "before: the tests failed"),
        ("ko", "기준 커밋 테스트", "판정: 테스트", "3번 중 2번째 시도", "앞선 시도: 테스트 실패"),
    ] {
        let scene = Scene::with(goals, &replies, "max_retries: 3\nsandbox: off\nroom: own-path\n");
        // Each run of the tests waits for its word.
        let check = format!(
            "n=base\ntest -f src/b.txt && n=first\ntest -f src/a.txt && test -f src/b.txt && n=second\nwhile ! test -e {GO}.$n; do sleep 0.05; done\ntest -f src/a.txt || {{ echo FAIL a.txt; exit 1; }}\n"
        );
        scene.write("tests/check.sh", &check);
        scene.git(&["commit", "-qam", "slow tests"]);
        let mut seat = Seat::at_keyboard(&scene, &["auto", "--lang", lang]);
        let shown = seat.shows(testing);
        assert!(!shown.contains(judging), "{shown}");
        scene.write("go.log.base", "");
        seat.shows(judging);
        scene.write("go.log.first", "");
        let shown = seat.shows(second) + &seat.shows(before);
        assert!(shown.contains(second), "{shown}");
        scene.write("go.log.second", "");
        let (code, shown) = seat.ends();
        assert_eq!(code, 0, "{shown}");
    }
}

/// Lines as they stand on the terminal, without what moves the cursor or colours.
fn printed(shown: &str) -> Vec<String> {
    let mut text = String::new();
    let mut rest = shown;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        text += before;
        let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
        rest = &after[end..];
    }
    (text + rest).lines().map(|line| line.trim_end_matches('\r').to_owned()).collect()
}

#[test]
fn everything_that_is_said_is_broken_between_words() {
    let outside = "      - write: {path: README, text: \"changed by the agent\\n\"}\n";
    for lang in ["en", "ko"] {
        let scene = Scene::new(&format!("{outside}{WORK}"));
        scene.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
        let (code, shown) = on_terminal(&scene, &["auto", "--lang", lang], "y\n");
        assert_eq!(code, 1, "{shown}");
        let lines = printed(&shown);
        // The question before the run shows lines of the repository as they are.
        let from = lines.iter().position(|line| line.contains("hast auto")).unwrap();
        for line in &lines[from..] {
            assert!(line.width() <= 80, "{lang}: {line}\n{shown}");
        }
        let said = lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        let command = "hast take GOAL@N";
        assert!(said.contains(command), "{lang}: {said}");
    }
    // In a pipe nothing is broken.
    let scene = Scene::new(&format!("{outside}{WORK}"));
    let ran = scene.hast(&["auto"]);
    assert!(ran.err.lines().any(|line| line.len() > 80), "{}", ran.err);
}
