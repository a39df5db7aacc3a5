//! The board on a terminal: what the run costs while it runs, and never more lines than there are.

use crate::scene::{Scene, WORK, claude_tests};
use crate::terminal::{CTRL_C, Seat};

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
