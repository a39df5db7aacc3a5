//! `hast verify` and `hast status` on good, bad and hostile files.

use crate::world::World;

const CONFIG: &str = "test_command: \"cargo test\"\nai_tool: claude\n";
const GOALS: &str = "goals:\n  - id: M1\n    title: \"첫 목표\"\n    status: active\n";

#[test]
fn good_files_are_exit_0() {
    let world = World::new()
        .file(".ai/config.yaml", CONFIG)
        .file(".ai/goals.yaml", GOALS)
        .file("src/config.yaml", "not: ours\n");
    let ran = world.run(&["verify"]);
    assert_eq!((ran.code, ran.out), (0, "files checked: 2, nothing found\n".to_owned()));
}

#[test]
fn a_finding_shows_file_line_column_and_what_to_do_with_korean_aligned() {
    let goals = "goals:\n  - id: M1\n    title: \"첫 목표\"\n    status: 진행 # 상태\n";
    let world = World::new().file(".ai/config.yaml", CONFIG).file(".ai/goals.yaml", goals).korean();
    let ran = world.run(&["verify"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.out,
        "오류: `진행`은 쓸 수 없는 값입니다\n \
         --> .ai/goals.yaml:4:13\n  \
         |\n\
         4 |     status: 진행 # 상태\n  \
         |             ^^^^\n  \
         |\n  \
         = 다음: 다음 중 하나를 쓰세요: pending, active, done, blocked, dropped\n\n\
         파일 2개 검사: 오류 1개, 경고 0개\n"
    );
}

#[test]
fn everything_of_a_file_is_told_at_once() {
    let config = "test_comand: x\nai_tool: 3\nmax_retries: 0\n";
    let world = World::new().file(".ai/config.yaml", config).file(".ai/goals.yaml", "goals: []\n");
    let ran = world.run(&["verify", "--json"]);
    assert_eq!(ran.code, 1);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let found: Vec<_> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (finding["code"].as_str().unwrap(), finding["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(
        found,
        [("missing_field", 1), ("unknown_field", 1), ("quote_text", 2), ("out_of_range", 3)]
    );
    assert_eq!(document["errors"], 3);
    assert_eq!(document["warnings"], 1);
}

#[test]
fn warnings_alone_are_exit_0() {
    let world = World::new().file(".ai/config.yaml", format!("{CONFIG}colour: red\n"));
    let ran = world.run(&["verify"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("warning: unknown field `colour`"), "{}", ran.out);
}

#[test]
fn each_rule_of_config_and_goals_has_its_line() {
    for (config, code, line) in [
        ("test_command: x\nai_tool: \"claude -p\"\n", "no_placeholder", 2),
        ("test_command: x\nai_tool: \"sh -c 'claude {prompt}'\"\n", "placeholder_inside_word", 2),
        ("test_command: x\nai_tool: \"claude 'p {prompt}\"\n", "unclosed_quote", 2),
        ("test_command: x\nai_tool: \"sh -c {prompt}\"\n", "runs_the_prompt", 2),
        ("test_command: \"\"\nai_tool: claude\n", "empty", 1),
        ("test_command: x\nai_tool: claude\nai_tools:\n  a: b\n", "no_placeholder", 4),
        ("test_command: x\nai_tool: claude\ntimeout_minutes: -1\n", "out_of_range", 3),
        ("test_command: x\nai_tool: claude\nstall_minutes: 0.0\n", "out_of_range", 3),
        ("test_command: x\nai_tool: claude\nsandbox: maybe\n", "not_one_of", 3),
        ("test_command: x\nai_tool: claude\nai_tool: codex\n", "duplicate_key", 3),
    ] {
        expect_finding(".ai/config.yaml", config, code, line);
    }
    let typo = World::new().file(".ai/config.yaml", "test_command: x\nai_tool: cluade\n");
    let ran = typo.run(&["verify"]);
    assert!(ran.out.contains("did you mean `claude`?"), "{}", ran.out);
    let goal =
        |id: &str, more: &str| format!("  - id: {id}\n    title: x\n    status: active\n{more}");
    for (goals, code, line) in [
        (goal("a", "") + &goal("a", ""), "duplicate_id", 5),
        (goal("a", "    depends_on: [zz]\n"), "unknown_reference", 5),
        (goal("a", "    depends_on: [b]\n") + &goal("b", "    depends_on: [a]\n"), "cycle", 9),
        (goal("1.1", ""), "quote_text", 2),
        (goal("a", "    children:\n      - id: b\n        title: y\n"), "missing_field", 6),
        (goal("a", "    mode: batch\n"), "not_one_of", 5),
        (goal("a", "    timeout_minutes: 0\n"), "out_of_range", 5),
    ] {
        expect_finding(".ai/goals.yaml", &format!("goals:\n{goals}"), code, line);
    }
}

fn expect_finding(file: &str, text: &str, code: &str, line: u64) {
    let ran = World::new().file(file, text).run(&["verify", "--json", file]);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let errors: Vec<_> = document["findings"].as_array().unwrap().iter().collect();
    assert_eq!(ran.code, 1, "{text}");
    assert_eq!(errors.len(), 1, "{text}\n{}", ran.out);
    assert_eq!((&errors[0]["code"], &errors[0]["line"]), (&code.into(), &line.into()), "{text}");
    assert!(!errors[0]["next"].as_str().unwrap().is_empty());
}

#[test]
fn a_handoff_is_checked_by_name_and_front_matter() {
    let good = "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: M1\n---\n\n## Done\n";
    let world = World::new()
        .file(".ai/handoffs/2026-02-09_143000.md", good)
        .file(".ai/handoffs/notes.md", good)
        .file(".ai/handoffs/2026-02-09_150000.md", "# no front matter\n")
        .file(".ai/handoffs/2026-02-09_160000.md", "---\r\nstatus: done\r\n---\r\n");
    let ran = world.run(&["verify", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let found: Vec<_> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            (f["file"].as_str().unwrap().rsplit('/').next().unwrap(), f["code"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        found,
        [
            ("2026-02-09_150000.md", "no_front_matter"),
            ("2026-02-09_160000.md", "missing_field"),
            ("2026-02-09_160000.md", "missing_field"),
            ("2026-02-09_160000.md", "not_one_of"),
            ("notes.md", "bad_form"),
        ]
    );
}

#[test]
fn a_torn_log_is_a_warning_and_a_bad_line_an_error_with_its_number() {
    let event = r#"{"event_id":"EV-20260112T143000Z-0009","ts":"2026-01-12T14:30:00Z","actor":"Planner","type":"PLAN_CREATED","detail":{}}"#;
    let log = format!(
        "{event}\n{}\n{event}\n{{\"event_id\":",
        event.replace("PLAN_CREATED", "PLAN_MADE")
    );
    let world = World::new()
        .file("sessions/S-20260112-143000Z/plan/active/status_log.ndjson", log)
        .file("sessions/S-20260112-143000Z/status.json", "{}");
    let ran = world.run(&["verify", "sessions/S-20260112-143000Z/plan", "--json"]);
    assert_eq!(ran.code, 1);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let findings = document["findings"].as_array().unwrap();
    assert_eq!((&findings[0]["code"], &findings[0]["line"]), (&"not_one_of".into(), &2.into()));
    assert_eq!(
        (&findings[1]["code"], &findings[1]["severity"]),
        (&"torn_tail".into(), &"warning".into())
    );
}

#[test]
fn a_file_that_hast_does_not_know_needs_a_name() {
    let world = World::new().file("plan.txt", "goals: []\n").file("tmp/goals.yaml", "goals: []\n");
    let ran = world.run(&["verify", "plan.txt"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--as NAME"), "{}", ran.err);
    assert_eq!(world.run(&["verify", "plan.txt", "--as", "goals"]).code, 0);
    assert_eq!(world.run(&["verify", "tmp/goals.yaml"]).code, 0);
    assert_eq!(world.run(&["verify", "none.yaml"]).code, 1);
    assert_eq!(world.run(&["verify", "plan.txt", "--as", "nothing"]).code, 2);
}

#[test]
fn goals_that_wait_for_each_other_are_told_with_their_lines() {
    let goals = "goals:\n  - id: a\n    title: x\n    status: active\n    depends_on: [b]\n  - id: b\n    title: x\n    status: active\n    depends_on: [a]\n";
    let ran = World::new().file(".ai/goals.yaml", goals).run(&["verify"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("a (2) -> b (6) -> a (2)"), "{}", ran.out);
}

#[test]
fn a_directory_without_documents_is_exit_1_however_quiet() {
    let world = World::new().file("docs/readme.txt", "x");
    for args in [&["verify", "docs"][..], &["-q", "verify", "docs"]] {
        let ran = world.run(args);
        assert_eq!(ran.code, 1, "{args:?}");
        assert!(ran.err.contains("no documents of hast there"), "{}", ran.err);
    }
    let ran = world.run(&["verify", "docs", "--as", "goals"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--as says what a file is"), "{}", ran.err);
}

#[test]
fn hostile_files_end_in_a_finding() {
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("not_utf8", b"goals: \xff\n".to_vec()),
        ("syntax", b"goals: \0\n".to_vec()),
        ("too_deep", "[".repeat(50_000).into_bytes()),
        ("wrong_type", format!("goals: {}\n", "x".repeat(5_000_000)).into_bytes()),
        ("alias_loop", b"goals: &a [*a]\n".to_vec()),
    ];
    for (code, bytes) in cases {
        let ran = World::new().file(".ai/goals.yaml", bytes).run(&["verify", "--json"]);
        assert_eq!(ran.code, 1);
        let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(document["findings"][0]["code"], code);
        assert!(ran.out.len() < 5_000, "a message shows a window, not the file");
    }
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let world = World::new().file(".ai/config.yaml", CONFIG).file(".ai/goals.yaml", "goals: 1\n");
    let handoffs = world.root().join(".ai/handoffs");
    std::fs::create_dir_all(&handoffs).unwrap();
    std::os::unix::fs::symlink("loop.md", handoffs.join("loop.md")).unwrap();
    let ran = world.run(&["verify"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("error: expected a list, found a whole number"), "{}", ran.out);
    assert!(ran.out.contains("--> .ai/handoffs/loop.md"), "{}", ran.out);
    assert!(ran.out.ends_with("files checked: 2, errors: 2, warnings: 0\n"), "{}", ran.out);
}

#[test]
fn a_pipe_in_place_of_a_document_is_not_waited_for() {
    let world = World::new().file(".ai/config.yaml", CONFIG);
    let made = mkfifo(&world.root().join(".ai/goals.yaml"));
    assert!(made.success());
    let ran = world.run(&["verify"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("the file cannot be read: not a regular file"), "{}", ran.out);
}

#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn mkfifo(path: &std::path::Path) -> std::process::ExitStatus {
    std::process::Command::new("mkfifo").arg(path).status().unwrap()
}

#[test]
fn schemas_are_listed_and_printed() {
    let names = World::new().run(&["verify", "--schema"]);
    assert!(names.out.lines().any(|name| name == "test-contract"));
    let schema = World::new().run(&["verify", "--schema", "goals"]);
    let document: serde_json::Value = serde_json::from_str(&schema.out).unwrap();
    assert_eq!(document["title"], "Goals");
}

#[test]
fn status_says_what_is_here_or_what_to_do() {
    let ran = World::new().korean().run(&["status"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.starts_with("여기에는 hast의 것이 없습니다\n다음: "), "{}", ran.out);
    let world = World::new().file(".ai/config.yaml", CONFIG).file(".ai/goals.yaml", "goals: 1\n");
    let ran = world.run(&["status"]);
    assert_eq!(
        ran.out,
        "goals     /tmp/home/project\n          in config.yaml and goals.yaml: errors: 1, warnings: 0\nnext: run `hast verify` to see the findings\n"
    );
    let ran = world.run(&["status", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["at"], "2026-02-09T05:30:00Z");
    assert_eq!(document["flows"][0]["flow"], "goals");
}
