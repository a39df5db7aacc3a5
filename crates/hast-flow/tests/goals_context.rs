//! The context of a session: source priorities, formats, and the order of shortening.

#![cfg(test)]

use hast_flow::docs::document::read;
use hast_flow::docs::goals::Goals;
use hast_flow::flows::goals::context::{self, Context};
use hast_flow::flows::goals::handoffs::{LastSession, read_handoff};
use hast_flow::flows::goals::print::{Format, print};
use hast_flow::flows::goals::selection::{placed, select};
use hast_flow::formats::source::Source;
use hast_flow::words::Lang;
use proptest::prelude::*;

const GOALS: &str = "goals:
  - id: M4.3
    title: \"Strategy Learning\"
    status: active
    children:
      - id: M4.3.1
        title: \"Strategy extraction\"
        status: done
      - id: M4.3.2
        title: \"Strategy query in Reflect\"
        status: active
        notes: |
          Reflect 노드만 고친다
        acceptance: [\"테스트 통과\"]
";

const RULES: &str = "# Rules of this project\n\n## 검증\n- 테스트가 통과해야 완료\n- 커밋 형식: feat(M4.3.2): description\n";

fn handoff(goal: &str, next: &str) -> LastSession {
    let text = include_str!("seeds/handoff.md")
        .replace("goal_id: M4.3.1", &format!("goal_id: {goal}"))
        .replace("M4.3.2 — Reflect 노드에서 STRATEGY 카테고리 쿼리\n", next);
    read_handoff(&Source::new("2026-02-09_143000.md", &text)).unwrap()
}

fn assembled(goals: &str, last: Option<&LastSession>, rules: &str) -> Context {
    let goals = read::<Goals>(&Source::new("goals.yaml", goals)).unwrap().value;
    let placed = placed(&goals);
    let goal = select(&placed, last.map(|last| last.front.goal_id.as_str()));
    context::assemble(goal, last, rules)
}

#[test]
fn the_example_of_the_seed() {
    let last = handoff("M4.3.1", "M4.3.2 — Reflect 노드에서 STRATEGY 카테고리 쿼리\n");
    let context = assembled(GOALS, Some(&last), RULES);
    assert_eq!(
        print(&context, Format::Markdown, Lang::Ko),
        "# Session Context

## Current Goal
M4.3.2 — Strategy query in Reflect
Parent: M4.3 Strategy Learning (active)

## Previous Session (2026-02-09 14:30)
Status: complete
Done:
- core/mind/nodes/record.py: Strategy extraction 구현
- tests/test_strategy_learning.py: 18개 테스트 작성
Key Decision: 성공 시 STRATEGY belief confidence 0.4로 초기화

## Your Task
M4.3.2 — Reflect 노드에서 STRATEGY 카테고리 쿼리
- core/mind/nodes/reflect.py 수정

## Context Files (read these first)
1. core/mind/nodes/reflect.py
2. core/memory/belief.py

## Rules
### Rules of this project

#### 검증
- 테스트가 통과해야 완료
- 커밋 형식: feat(M4.3.2): description
"
    );
    let json: serde_json::Value =
        serde_json::from_str(&print(&context, Format::Json, Lang::Ko)).unwrap();
    let fields: Vec<_> = json.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["current_goal", "previous_session", "task", "context_files", "rules"]);
    assert_eq!(
        json["current_goal"],
        serde_json::json!({"id": "M4.3.2", "title": "Strategy query in Reflect", "parent": "M4.3"})
    );
    assert_eq!(json["previous_session"]["timestamp"], "2026-02-09T14:30:00+09:00");
    assert_eq!(json["task"][1], "core/mind/nodes/reflect.py 수정");
    assert_eq!(json["rules"][0], "테스트가 통과해야 완료");
}

#[test]
fn the_handoff_of_a_blocked_session_reaches_its_own_goal_alone() {
    let blocked = |goal: &str| {
        let text = include_str!("seeds/handoff.md")
            .replace("goal_id: M4.3.1", &format!("goal_id: {goal}"))
            .replace("status: complete", "status: blocked");
        read_handoff(&Source::new("2026-02-09_143000.md", &text)).unwrap()
    };
    let own = assembled(GOALS, Some(&blocked("M4.3.2")), "");
    assert!(own.previous.is_some() && !own.files.is_empty());
    let others = assembled(GOALS, Some(&blocked("M4.3.1")), "");
    assert_eq!(others, assembled(GOALS, None, ""));
}

#[test]
fn plain_saves_what_markdown_adds() {
    let last = handoff("M4.3.1", "M4.3.2 — 다음\n");
    let context = assembled(GOALS, Some(&last), RULES);
    let plain = print(&context, Format::Plain, Lang::En);
    assert!(!plain.contains('#') && !plain.contains("\n\n"), "{plain}");
    assert!(plain.starts_with("Current Goal:\nM4.3.2 — Strategy query in Reflect\n"));
    assert!(plain.len() < print(&context, Format::Markdown, Lang::En).len());
}

#[test]
fn the_source_priorities_of_the_seed() {
    let task =
        |goal: &str, next: &str| assembled(GOALS, Some(&handoff(goal, next)), "").task[0].clone();
    for (name, goal, next, expected) in [
        ("Next is the task if the handoff is about the goal", "M4.3.2", "남은 일\n", "남은 일"),
        (
            "Next is the task if its first word is the goal",
            "M4.3.1",
            "M4.3.2 — 다음\n",
            "M4.3.2 — 다음",
        ),
        ("also with a colon and a list marker", "M4.3.1", "- M4.3.2: 다음\n", "- M4.3.2: 다음"),
        (
            "else the goal itself is the task",
            "M4.3.1",
            "X9 다른 일\n",
            "M4.3.2 — Strategy query in Reflect",
        ),
    ] {
        assert_eq!(task(goal, next), expected, "{name}");
    }
    let own = assembled(GOALS, None, "").task;
    assert_eq!(
        own,
        ["M4.3.2 — Strategy query in Reflect", "Reflect 노드만 고친다", "- 테스트 통과"]
    );
}

#[test]
fn without_goals_or_handoffs_it_is_still_useful_and_complete() {
    let context = assembled("goals: []\n", None, "");
    let text = print(&context, Format::Markdown, Lang::En);
    assert!(text.contains("No active goal. Next: set `status: active`"));
    let json: serde_json::Value =
        serde_json::from_str(&print(&context, Format::Json, Lang::En)).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"current_goal": null, "previous_session": null, "task": [], "context_files": [], "rules": []})
    );
    let last = handoff("X", "다음 할 일\n");
    assert_eq!(assembled("goals: []\n", Some(&last), "").task[0], "다음 할 일");
}

fn long_context() -> Context {
    let mut last = handoff("M4.3.2", "할 일\n");
    last.done = vec!["한 일 ".repeat(200); 50];
    last.key_decisions = vec!["결정 ".repeat(200); 50];
    last.context_files = (0..20).map(|n| format!("src/파일{n}.rs")).collect();
    assembled(GOALS, Some(&last), RULES)
}

#[test]
fn the_order_of_shortening_of_the_seed() {
    let context = long_context();
    let whole = print(&context, Format::Markdown, Lang::En);
    let fit = |max| context::fit(&context, Format::Markdown, Lang::En, max).unwrap();
    assert_eq!(fit(whole.len()), whole, "what fits is not shortened");
    let first = fit(whole.len() - 1);
    assert!(
        first.contains("Done: 한 일") && first.contains("src/파일19.rs"),
        "first the last session is summarised"
    );
    let second = fit(first.len() - 1);
    assert!(
        second.contains("src/파일4.rs") && !second.contains("src/파일5.rs"),
        "then five files stay"
    );
    assert!(second.contains("Done: 한 일"));
    let third = fit(second.len() - 1);
    assert!(
        !third.contains("Done:") && third.contains("Status: complete"),
        "then only its status stays"
    );
    let fourth = fit(third.len() - 1);
    for text in [&first, &second, &third, &fourth] {
        assert!(
            text.contains("M4.3.2 — Strategy query") && text.contains("커밋 형식"),
            "goal and rules stay"
        );
    }
}

#[test]
fn a_task_that_was_cut_is_not_called_missing() {
    let mut context = long_context();
    context.task = vec!["할 일 ".repeat(5_000)];
    let text = context::fit(&context, Format::Markdown, Lang::En, 420).unwrap();
    assert!(text.contains("## Your Task\n") && text.contains('…'), "{text}");
    assert!(!text.contains("Nothing is set as a task"), "{text}");
    assert!(text.contains("커밋 형식"), "the rules stay: {text}");
}

#[test]
fn a_limit_below_the_emptiest_json_is_said_so() {
    let error = context::fit(&long_context(), Format::Json, Lang::En, 10).unwrap_err();
    assert!(error.needed > 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_context_is_never_over_its_limit_and_never_cuts_a_character(
        max in 1usize..4000,
        format in prop::sample::select(vec![Format::Markdown, Format::Plain, Format::Json]),
        rules in "([가-힣a-z -]{0,40}\n){0,30}",
        next in "[가-힣]{1,400}",
    ) {
        let mut context = long_context();
        context.rules = rules.lines().map(str::to_owned).collect();
        context.task = vec![next];
        match context::fit(&context, format, Lang::Ko, max) {
            Ok(text) => {
                prop_assert!(text.len() <= max);
                if format == Format::Json {
                    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
                    prop_assert_eq!(value.as_object().unwrap().len(), 5);
                }
            }
            Err(error) => prop_assert!(format == Format::Json && error.needed > max),
        }
    }
}
