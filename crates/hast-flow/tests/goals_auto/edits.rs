//! Status changes of goals.yaml: lossless, proven, and refused where they cannot be both.

use hast_flow::docs::document::read;
use hast_flow::docs::goals::{GoalStatus, Goals};
use hast_flow::flows::goals::status_edit::{NewStatus, NoRetry, retried, with_status};
use hast_flow::formats::source::Source;
use hast_flow::words::Lang;

const GOALS: &str = "# 우리 목표\ngoals:\n  - id: M4   # keep me\n    title: \"Mind\"\n    status: active\n    children:\n      - {id: M4.1, title: Belief, status: active}\n      - id: M4.2\n        title: 'Goal'\n        status: \"active\"  # and me\n        x-own: 1\n";

fn lines_changed(before: &str, after: &str) -> Vec<String> {
    let old: Vec<&str> = before.lines().collect();
    after.lines().filter(|line| !old.contains(line)).map(str::to_owned).collect()
}

fn goals(text: &str) -> Goals {
    read::<Goals>(&Source::new("goals.yaml", text)).unwrap().value
}

#[test]
fn a_status_changes_and_nothing_else() {
    let after = with_status(GOALS, "M4.2", NewStatus::Done).unwrap();
    assert_eq!(lines_changed(GOALS, &after), ["        status: \"done\"  # and me"]);
    assert_eq!(after.lines().count(), GOALS.lines().count());
    let after = with_status(GOALS, "M4.1", NewStatus::Done).unwrap();
    assert_eq!(lines_changed(GOALS, &after), ["      - {id: M4.1, title: Belief, status: done}"]);
    let after = with_status(GOALS, "M4", NewStatus::Done).unwrap();
    assert_eq!(lines_changed(GOALS, &after), ["    status: done"]);
}

#[test]
fn blocking_adds_a_reason_and_giving_back_takes_it_away_byte_for_byte() {
    let reason = "max retries exceeded (3회): 테스트 \"a: b\" # 실패";
    for id in ["M4", "M4.1", "M4.2"] {
        let blocked = with_status(GOALS, id, NewStatus::Blocked { reason }).unwrap();
        let all = goals(&blocked);
        let found = [&all.goals[0], &all.goals[0].children[0], &all.goals[0].children[1]];
        let goal = found.into_iter().find(|goal| goal.id == id).unwrap();
        assert_eq!(
            (goal.status, goal.blocked_reason.as_deref()),
            (GoalStatus::Blocked, Some(reason))
        );
        assert_eq!(retried(&blocked, id).unwrap(), GOALS, "{id}");
    }
}

#[test]
fn blocking_again_changes_the_reason_that_is_there() {
    let once = with_status(GOALS, "M4.2", NewStatus::Blocked { reason: "one" }).unwrap();
    let twice = with_status(&once, "M4.2", NewStatus::Blocked { reason: "two" }).unwrap();
    assert_eq!(twice.matches("blocked_reason").count(), 1);
    assert!(twice.contains("two") && !twice.contains("\"one\""));
    assert_eq!(with_status(&twice, "M4.2", NewStatus::Active).unwrap(), GOALS);
}

#[test]
fn line_ends_and_byte_order_mark_stay() {
    let windows = format!("\u{feff}{}", GOALS.replace('\n', "\r\n"));
    let blocked = with_status(&windows, "M4.2", NewStatus::Blocked { reason: "x" }).unwrap();
    assert!(blocked.starts_with('\u{feff}') && !blocked.replace("\r\n", "").contains('\n'));
    assert_eq!(retried(&blocked, "M4.2").unwrap(), windows);
}

#[test]
fn what_cannot_be_edited_alone_is_refused_and_not_guessed() {
    let shared =
        "goals:\n  - &one\n    id: A\n    title: t\n    status: active\n  - <<: *one\n    id: B\n";
    assert!(with_status(shared, "B", NewStatus::Done).is_err());
    assert!(with_status(GOALS, "none", NewStatus::Done).is_err());
    assert!(with_status("goals: [", "A", NewStatus::Done).is_err());
}

#[test]
fn only_a_blocked_goal_is_retried_and_the_error_names_its_status() {
    let error = retried(GOALS, "M4.2").unwrap_err();
    assert!(matches!(error, NoRetry::NotBlocked { status: GoalStatus::Active, .. }));
    for lang in [Lang::En, Lang::Ko] {
        assert!(error.what(lang).contains("active"), "{}", error.what(lang));
        assert!(error.next(lang).contains("hast auto M4.2"));
    }
    assert!(matches!(retried(GOALS, "X"), Err(NoRetry::Unknown { .. })));
}
