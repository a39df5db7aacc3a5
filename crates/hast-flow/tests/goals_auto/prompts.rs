//! The prompt of an attempt, `--dry-run` and `--explain`.

use hast_flow::attempt::evidence::{Breach, RepoPath, TestEnd};
use hast_flow::attempt::judge::Verdict;
use hast_flow::attempt::reason::{Class, MAX_NAMED, Reason};
use hast_flow::attempt::told;
use hast_flow::docs::document::read;
use hast_flow::docs::goals::{Goal, GoalStatus, Goals, HandoffStatus, Minutes, PromptMode};
use hast_flow::flows::goals::context::{assemble, fit};
use hast_flow::flows::goals::handoffs::read_handoff;
use hast_flow::flows::goals::init::{self, Found};
use hast_flow::flows::goals::instructions::{
    self, BaseTests, LastFailure, LastWork, Parts, TAIL_BYTES, prompt,
};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::print::{self, Format};
use hast_flow::flows::goals::report::{self, DryRun, dry_run, explain};
use hast_flow::flows::goals::selection::placed;
use hast_flow::formats::source::Source;
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
        base: None,
        handoff_path: ".ai/handoffs/2026-02-09_143000.md",
        timestamp: "2026-02-09T14:30:00+09:00",
        protect: &[],
        last: None,
        said: None,
    }
}

#[test]
fn what_a_person_said_stands_behind_the_failure_that_they_read() {
    for (lang, heading) in [(Lang::En, "A person has read that"), (Lang::Ko, "사람이 이를 읽고")]
    {
        let said = Some("비밀번호는 8자부터");
        let text = prompt(&goal(), &Parts { last: Some(last("red")), said, ..parts() }, lang);
        let (failure, person) = (text.find("red").unwrap(), text.find(heading).unwrap());
        assert!(failure < person && text[person..].contains("비밀번호는 8자부터"), "{text}");
        assert!(!prompt(&goal(), &parts(), lang).contains(heading));
    }
}

fn last(found: &str) -> LastFailure<'static> {
    LastFailure { found: found.to_owned(), test_tail: "", work: LastWork::RolledBack }
}

const BOTH: [Lang; 2] = [Lang::En, Lang::Ko];

#[test]
fn below_the_context_the_task_comes_first() {
    let text = prompt(&goal(), &parts(), Lang::En);
    let first =
        "M4.3 — Strategy\n---\n\nDo the task above in this repository, without asking anybody.\n";
    assert!(text.starts_with(&format!("Current Goal:\n{first}")), "{text}");
    let text = prompt(&goal(), &parts(), Lang::Ko);
    assert!(
        text.contains("---\n\n위의 작업을 이 저장소에서, 아무에게도 묻지 말고 수행하라.\n"),
        "{text}"
    );
    for absent in ["테스트 작성만", "수정하라:", "깨뜨려라", "지난 시도", "목표에는"]
    {
        assert!(!text.contains(absent), "{absent}");
    }
}

#[test]
fn the_test_command_stands_there_with_the_result_of_the_base() {
    let base = |end, tail| Parts { base: Some(BaseTests { end, tail }), ..parts() };
    let green = prompt(&goal(), &base(&TestEnd::Green, ""), Lang::En);
    assert!(green.contains("run `pytest tests/ -v`") && green.contains("it passes."), "{green}");
    let red = TestEnd::Red { code: 2 };
    let red = prompt(&goal(), &base(&red, "FAILED tests/test_a.py\n"), Lang::En);
    let told = "Before your work it fails (exit code 2). Its last lines then:\n```\nFAILED tests/test_a.py\n```\n";
    assert!(red.contains(told), "{red}");
    let unknown = TestEnd::CouldNotRun { why: "no pytest".into() };
    assert!(prompt(&goal(), &base(&unknown, ""), Lang::En).contains("cannot run: no pytest"));
    assert!(!prompt(&goal(), &parts(), Lang::En).contains("Before your work"));
}

#[test]
fn what_fails_an_attempt_and_what_is_writable_is_said_and_that_no_commit_is_needed() {
    let scoped = Goal { allowed_changes: vec!["src/".into()], ..goal() };
    let protect = ["*.lock".to_owned()];
    let text = prompt(&scoped, &Parts { protect: &protect, ..parts() }, Lang::En);
    let (_, list) = text.split_once("The attempt fails if:\n").unwrap();
    let lines: Vec<&str> = list.lines().take_while(|line| line.starts_with("- ")).collect();
    assert_eq!(
        lines,
        [
            "- a test is weakened, skipped or deleted",
            "- a file is changed that the list of files above does not have",
            "- one of these is changed: *.lock",
            "- anything in `.ai/` is changed but the handoff file below",
            "- the test command fails, or the handoff file is missing",
        ]
    );
    assert!(text.contains("You may write in this repository and in the directory $TMPDIR"));
    assert!(text.contains("You need not commit"));
    let open = prompt(&goal(), &parts(), Lang::En);
    assert!(!open.contains("the list of files above") && !open.contains("one of these"), "{open}");
}

#[test]
fn the_handoff_in_the_prompt_is_a_valid_document_with_its_real_name_and_time() {
    for lang in BOTH {
        let text = prompt(&goal(), &parts(), lang);
        let (_, after) = text.split_once("`.ai/handoffs/2026-02-09_143000.md`").unwrap();
        let (_, example) = after.split_once("```markdown\n").unwrap();
        let (example, _) = example.split_once("\n```\n").unwrap();
        let read = read_handoff(&Source::new("2026-02-09_143000.md", example)).unwrap();
        assert_eq!(read.front.timestamp.to_string(), "2026-02-09T14:30:00+09:00");
        assert_eq!(
            (read.front.status, read.front.goal_id.as_str()),
            (HandoffStatus::Complete, "M4.3")
        );
        for section in ["Done", "Key Decisions", "Changed Files", "Next", "Context Files"] {
            assert!(example.contains(&format!("\n## {section}\n")), "{section}: {example}");
        }
        assert_eq!(text.matches("timestamp:").count(), 1, "no second example: {text}");
    }
}

#[test]
fn there_is_one_way_out_and_it_is_the_handoff() {
    for lang in BOTH {
        let text = prompt(&goal(), &parts(), lang);
        for part in ["`status: blocked`", "`## Blocked`", "`status: failed`"] {
            assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
        }
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
    let text = prompt(&goal, &parts(), Lang::Ko);
    assert!(text.contains(
        "\n이 단계는 테스트 작성만. 테스트가 실패하면 정상.\n다음 파일만 수정하라: [\"core/strategy.py\", \"tests/\"]\n이 코드를 깨뜨려라. 악의적 입력, 동시성, 리소스 고갈 등.\n"
    ), "{text}");
    let english = prompt(&goal, &parts(), Lang::En);
    assert!(english.contains("only writes tests") && english.contains("core/strategy.py"));
}

#[test]
fn a_red_goal_is_nowhere_told_that_its_tests_must_pass() {
    let red = Goal { expect_failure: true, ..goal() };
    let text = prompt(&red, &parts(), Lang::En);
    assert!(text.contains("It must fail") && text.contains("- the test command passes"), "{text}");
    for wrong in ["If it fails", "the test command fails", "after 3 repairs"] {
        assert!(!text.contains(wrong), "{wrong}: {text}");
    }
}

#[test]
fn notes_and_acceptance_reach_the_agent_where_an_earlier_session_set_the_task() {
    let goal = Goal {
        notes: Some("Only the Reflect node.".into()),
        acceptance: vec!["the filter is 0.4".into()],
        ..goal()
    };
    let text = prompt(&goal, &parts(), Lang::En);
    assert!(
        text.contains("The goal also says:\nOnly the Reflect node.\n- the filter is 0.4\n"),
        "{text}"
    );
    let there = "Your Task:\nM4.3 — Strategy\nOnly the Reflect node.\n- the filter is 0.4\n";
    let once = prompt(&goal, &Parts { context: there, ..parts() }, Lang::En);
    assert_eq!(once.matches("Only the Reflect node.").count(), 1, "{once}");
}

#[test]
fn a_later_attempt_is_told_the_last_failure_and_the_end_of_its_tests() {
    let tail = format!("{}```\nFAILED tests/test_가.py", "소음\n".repeat(10_000));
    let last = LastFailure { test_tail: &tail, ..last("테스트 명령이 실패했다.") };
    let text = prompt(&goal(), &Parts { last: Some(last), ..parts() }, Lang::Ko);
    assert!(text.contains("판정 결과: 테스트 명령이 실패했다.\n"), "{text}");
    assert!(
        text.contains("FAILED tests/test_가.py\n````\n"),
        "a fence that the output cannot close"
    );
    assert!(text.len() < TAIL_BYTES + 4_000, "{}", text.len());
}

#[test]
fn a_retry_speaks_to_the_agent_and_never_of_what_only_a_user_can_do() {
    let path = || RepoPath("tests/a.py".into());
    let (name, why) = (|| "x.md".to_owned(), || "because".to_owned());
    let reasons = [
        Reason::Broke { breach: Breach::SymlinkLeaves { path: path() }, more: 0 },
        Reason::Broke { breach: Breach::SubmoduleChanged { path: path() }, more: 1 },
        Reason::Broke { breach: Breach::TooLarge { path: path() }, more: 0 },
        Reason::Broke {
            breach: Breach::SecretWritten { path: path(), variable: "API_KEY".into() },
            more: 0,
        },
        Reason::ProtectedPath { path: path(), more: 2, others: vec![path()] },
        Reason::TimedOut,
        Reason::Stalled,
        Reason::OutsideScope { path: path(), more: 0, others: Vec::new() },
        Reason::NothingChanged,
        Reason::TestsCouldNotRun { why: why() },
        Reason::GreenButRedWanted,
        Reason::RedBefore,
        Reason::RedByDeletion { path: path(), more: 0 },
        Reason::TestsRed { code: 1 },
        Reason::TestsDeleted { path: path(), more: 0 },
        Reason::FewerTests { before: 3, now: 2 },
        Reason::TestsRemoved { tests: vec!["adds".into()], counts: Some((3, 2)) },
        Reason::TestsRemoved { tests: vec!["adds".into()], counts: None },
        Reason::NoHandoff,
        Reason::HandoffInvalid { name: name(), why: why() },
        Reason::HandoffMisnamed { name: name() },
        Reason::HandoffOfAnotherGoal { name: name(), goal: "M9".into() },
        Reason::HandoffSaysFailed { name: name() },
        Reason::CommitRefused { why: why() },
        Reason::MergeConflict { path: path(), more: 0 },
        Reason::RedAfterMerge { why: why() },
        Reason::InterruptedTooOften,
    ];
    for reason in reasons {
        for lang in BOTH {
            let text = reason.to_agent(lang);
            let users = [
                "allowed_changes",
                "hast",
                "sandbox",
                "reflog",
                "update-ref",
                "clone",
                "the agent",
                "에이전트",
            ];
            assert!(!users.into_iter().any(|word| text.contains(word)), "{text}");
            assert!(text.ends_with(['.', ')', 'e']), "{text}");
        }
    }
    assert!(
        Reason::TestsDeleted { path: path(), more: 0 }.text(Lang::En).contains("allowed_changes")
    );
}

#[test]
fn a_retry_names_every_path_that_was_wrong_up_to_a_bound() {
    let paths = |count: usize| (0..count).map(|at| RepoPath(format!("src/{at}.rs").into()));
    for (count, named, more) in
        [(1, 1, None), (3, 3, None), (20, 20, None), (23, 20, Some("3 more"))]
    {
        let others: Vec<RepoPath> = paths(count.min(MAX_NAMED)).skip(1).collect();
        let (path, more_than_one) = (RepoPath("src/0.rs".into()), count - 1);
        for reason in [
            Reason::OutsideScope {
                path: path.clone(),
                more: more_than_one,
                others: others.clone(),
            },
            Reason::ProtectedPath { path, more: more_than_one, others },
        ] {
            let told = reason.to_agent(Lang::En);
            assert_eq!(told.matches("src/").count(), named, "{told}");
            match more {
                Some(more) => assert!(told.contains(more), "{told}"),
                None => assert!(!told.contains("more."), "{told}"),
            }
            let person = reason.text(Lang::En);
            assert_eq!(person.matches("src/").count(), 1, "a person is told one: {person}");
        }
    }
    let old = r#"{"outside_scope": {"path": "src/b.rs", "more": 2}}"#;
    let old: Reason = serde_json::from_str(old).unwrap();
    assert!(old.to_agent(Lang::En).contains("2 more"), "a record of an earlier version");
}

#[test]
fn rules_of_init_do_not_contradict_the_prompt() {
    for (lang, name, commit, red) in [
        (
            Lang::En,
            "under the name that the prompt gives",
            "If you commit yourself",
            "as the task wants it",
        ),
        (Lang::Ko, "프롬프트가 이름을 주면 그 이름으로", "직접 커밋한다면", "작업이 요구한 대로"),
    ] {
        let files = init::files(&Found::default(), lang);
        let rules = &files.iter().find(|file| file.path == layout::RULES).unwrap().text;
        for part in [name, commit, red] {
            assert!(rules.contains(part), "{part}: {rules}");
        }
        assert!(
            !rules.contains("after the tests pass") && !rules.contains("테스트 통과 후"),
            "{rules}"
        );
    }
}

#[test]
fn a_korean_prompt_has_korean_headings() {
    let text = include_str!("../seeds/handoff.md");
    let last = read_handoff(&Source::new("2026-02-09_143000.md", text)).unwrap();
    let goals = "goals:\n  - id: M4\n    title: 부모\n    status: active\n    children:\n      - {id: M4.3.2, title: 조회, status: active}\n";
    let goals = read::<Goals>(&Source::new("goals.yaml", goals)).unwrap().value;
    let placed = placed(&goals);
    let context = assemble(placed.get(1), Some(&last), "- 규칙 하나\n");
    let plain = fit(&context, Format::Plain, Lang::Ko, 100_000).unwrap();
    let text = prompt(placed[1].goal, &Parts { context: &plain, ..parts() }, Lang::Ko);
    for heading in [
        "현재 목표:",
        "상위 목표:",
        "이전 세션 (",
        "상태:",
        "한 일:",
        "작업:",
        "먼저 읽을 파일:",
        "규칙:",
        "테스트:",
        "핸드오프:",
    ] {
        assert!(text.contains(heading), "{heading}: {text}");
    }
    let (above, _) = text.split_once("```markdown").unwrap();
    for english in [
        "Goal:", "Parent:", "Previous", "Status:", "Done:", "Decision", "Task:", "Context",
        "Rules", "Tests",
    ] {
        assert!(!above.contains(english), "{english}: {text}");
    }
}

#[test]
fn what_a_file_says_is_put_in_whole_and_never_read_as_a_template() {
    let long = format!("make {{handoff}} {}", "x".repeat(2_000));
    let text = prompt(&goal(), &Parts { test_command: &long, ..parts() }, Lang::En);
    assert!(text.contains(&long));
}

#[test]
fn an_id_that_yaml_would_read_as_a_number_is_quoted() {
    for (id, written) in [
        ("1.10", "goal_id: \"1.10\""),
        ("목표 1", "goal_id: \"목표 1\""),
        ("on", "goal_id: \"on\""),
    ] {
        let text = prompt(&Goal { id: id.into(), ..goal() }, &parts(), Lang::En);
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
        timeout_minutes: Minutes::new(30),
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
    let all = [instructions::CATALOGUE, report::CATALOGUE, told::say::CATALOGUE, print::CATALOGUE];
    for entry in all.into_iter().flatten() {
        assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
    }
}
