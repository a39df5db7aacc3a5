//! The prompt of an attempt, `--dry-run` and `--explain`.

use hast_flow::attempt::judge::Verdict;
use hast_flow::attempt::reason::{Class, Reason};
use hast_flow::docs::goals::{Goal, GoalStatus, PromptMode};
use hast_flow::flows::goals::instructions::{
    self, LastFailure, LastWork, Parts, TAIL_BYTES, prompt,
};
use hast_flow::flows::goals::report::{self, DryRun, dry_run, explain};
use hast_flow::words::{Lang, placeholders};

fn goal() -> Goal {
    serde_json::from_value(
        serde_json::json!({"id": "M4.3", "title": "Strategy", "status": GoalStatus::Active}),
    )
    .unwrap()
}

fn parts() -> Parts<'static> {
    Parts {
        context: "Current Goal:\nM4.3 — Strategy\n",
        test_command: "pytest tests/ -v",
        handoff_path: ".ai/handoffs/2026-02-09_143000.md",
        last: None,
    }
}

#[test]
fn the_prompt_is_the_context_and_the_seeds_instructions() {
    let text = prompt(&goal(), parts(), Lang::Ko);
    assert!(text.starts_with("Current Goal:\nM4.3 — Strategy\n---\n"), "{text}");
    let seed = "작업 완료 후:\n1. pytest tests/ -v를 실행하라. 실패 시 수정 후 재실행 (최대 3회).\n2. 모든 테스트가 통과하면 .ai/handoffs/2026-02-09_143000.md에 핸드오프를 작성하라.\n   형식: ## Done / ## Key Decisions / ## Changed Files / ## Next / ## Context Files\n3. 작업이 불가능하면 핸드오프 status를 blocked으로 작성하고 사유를 기록하라.\n";
    assert!(text.contains(seed), "{text}");
    assert!(text.contains("goal_id: M4.3\n"));
    for absent in ["테스트 작성만", "수정하라:", "깨뜨려라", "지난 시도"] {
        assert!(!text.contains(absent), "{absent}");
    }
}

#[test]
fn red_scope_and_adversarial_goals_get_the_seeds_words() {
    let goal = Goal {
        expect_failure: true,
        allowed_changes: vec!["core/strategy.py".into(), "tests/".into()],
        prompt_mode: Some(PromptMode::Adversarial),
        ..goal()
    };
    let text = prompt(&goal, parts(), Lang::Ko);
    assert!(text.contains(
        "\n이 단계는 테스트 작성만. 테스트가 실패하면 정상.\n다음 파일만 수정하라: [\"core/strategy.py\", \"tests/\"]\n이 코드를 깨뜨려라. 악의적 입력, 동시성, 리소스 고갈 등.\n"
    ), "{text}");
    let english = prompt(&goal, parts(), Lang::En);
    assert!(english.contains("only writes tests") && english.contains("core/strategy.py"));
}

#[test]
fn a_later_attempt_is_told_the_last_failure_and_the_end_of_its_tests() {
    let tail = format!("{}```\nFAILED tests/test_가.py", "소음\n".repeat(10_000));
    let last = LastFailure {
        class: "failed",
        reason: "테스트 실패",
        test_tail: &tail,
        work: LastWork::RolledBack,
    };
    let text = prompt(&goal(), Parts { last: Some(last), ..parts() }, Lang::Ko);
    assert!(text.contains("failed: 테스트 실패"));
    assert!(
        text.contains("FAILED tests/test_가.py\n````\n"),
        "a fence that the output cannot close"
    );
    assert!(text.len() < TAIL_BYTES + 4_000, "{}", text.len());
}

#[test]
fn what_a_file_says_is_put_in_whole_and_never_read_as_a_template() {
    let long = format!("make {{handoff}} {}", "x".repeat(2_000));
    let text = prompt(&goal(), Parts { test_command: &long, ..parts() }, Lang::En);
    assert!(text.contains(&long));
}

#[test]
fn an_id_that_yaml_would_read_as_a_number_is_quoted() {
    for (id, written) in [
        ("1.10", "goal_id: \"1.10\""),
        ("목표 1", "goal_id: \"목표 1\""),
        ("on", "goal_id: \"on\""),
    ] {
        let text = prompt(&Goal { id: id.into(), ..goal() }, parts(), Lang::En);
        assert!(text.contains(written), "{text}");
    }
}

#[test]
fn dry_run_names_id_tool_bytes_limits_and_scope() {
    let goal = DryRun {
        goal_id: "M4.3".into(),
        title: "Strategy".into(),
        tool: "codex exec {prompt}".into(),
        prompt_bytes: 4321,
        timeout_minutes: 30,
        max_retries: 3,
        test_command: "pytest".into(),
        allowed_changes: vec!["tests/".into()],
        expect_failure: true,
        prompt: None,
    };
    for lang in [Lang::En, Lang::Ko] {
        let text = dry_run(std::slice::from_ref(&goal), lang);
        for part in ["M4.3", "codex exec {prompt}", "4321", "30", "3", "tests/"] {
            assert!(text.contains(part), "{part} {text}");
        }
    }
    let full = DryRun { prompt: Some("작업 완료 후".into()), ..goal.clone() };
    assert!(dry_run(&[full], Lang::Ko).contains("작업 완료 후"));
    let json = serde_json::to_value(&goal).unwrap();
    assert_eq!(json["prompt_bytes"], 4321);
    assert!(json.get("prompt").is_none());
}

#[test]
fn explain_prints_goal_attempt_class_and_reason() {
    let verdict = Verdict { class: Class::Failed, reason: Reason::TestsRed { code: 1 }, rule: 10 };
    let line = explain("M4.3", 2, &verdict, Lang::Ko);
    assert_eq!(line, "[M4.3] attempt=2 failed: 테스트 실패 (종료 코드 1)");
    let expected = Verdict { class: Class::ExpectedFailure, reason: Reason::RedAsWanted, rule: 9 };
    let line = explain("M4.3", 1, &expected, Lang::En);
    assert!(line.starts_with("[M4.3] attempt=1 complete (expected failure): "), "{line}");
    assert!(!explain("a\u{1b}[2J", 1, &verdict, Lang::En).contains('\u{1b}'));
}

#[test]
fn everything_is_said_in_both_languages() {
    for entry in instructions::CATALOGUE.iter().chain(report::CATALOGUE) {
        assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
    }
}
