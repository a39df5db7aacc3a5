//! Contract commands as people type them: the seed's example to its end, the lists, knowledge, and
//! verify on trees of other tools.

use crate::scene::{ONE, Scene};

#[test]
fn the_seeds_own_example_is_completed_and_shown() {
    let scene = Scene::new("");
    let ran = scene.hast(&["contract", "start", "합계를 내줘"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let shown = scene.hast(&["contract", "show"]);
    assert!(shown.out.starts_with("R1  completed\n합계를 내줘\n"), "{}", shown.out);
    let row = |id: &str| {
        let line = shown.out.lines().find(|line| line.contains(&format!("[x] {id} "))).unwrap();
        line.split_whitespace().skip(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("T1"), "total");
    assert_eq!(row("T1-S1"), "complete passed passed - - API 스펙 확인");
    assert_eq!(row("T1-S2"), "complete passed passed passed passed 테스트 작성");
    assert_eq!(row("T1-S3"), "complete passed passed pending pending 컨트롤러 구현");
    let listed = scene.hast(&["contract", "list"]);
    assert!(listed.out.contains("R1  completed  3/3  합계를 내줘"), "{}", listed.out);
    let json = scene.hast(&["contract", "list", "--json"]);
    assert!(json.out.contains("\"subtasks_done\": 3"), "{}", json.out);
    let again = scene.hast(&["contract", "start", "more", "--json"]);
    // Its checklist is the one that is committed already: nobody wrote it again.
    assert!(again.out.contains("\"id\": \"R2\""), "{}", again.out);
    assert!(scene.contract("state.json").contains("\"id\": \"R1\""), "the first state is archived");
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}

#[test]
fn what_people_get_wrong_is_told_with_what_to_do() {
    let scene = Scene::new(ONE);
    let none = scene.hast(&["contract", "resume"]);
    assert_eq!(none.code, 1);
    assert!(none.err.contains("hast contract start"), "{}", none.err);
    assert_eq!(scene.hast(&["contract", "start", " "]).code, 2);
    assert_eq!(scene.hast(&["contract", "start", "a total"]).code, 0);
    let unknown = scene.hast(&["contract", "resume", "R9"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    let korean = scene.hast(&["contract", "show", "R9", "--lang", "ko"]);
    assert!(
        korean.err.contains("요청 R9(이)가 없습니다") || korean.err.contains("요청 R9가 없습니다"),
        "{}",
        korean.err
    );
}

#[test]
fn without_a_test_command_nothing_is_started() {
    let scene = Scene::new(ONE);
    scene.write(".ai/config.yaml", "ai_tool: \"rehearsal:.ai/rehearsals/a.yaml\"\n");
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("test_command"), "{}", ran.err);
    assert!(!scene.has(".claude"));
}

#[test]
fn a_stopped_request_is_resumed() {
    let scene = Scene::new(&format!(
        "  - when: {{step: design, missing: go}}\n    do:\n      - blocked: which design?\n{ONE}"
    ));
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("which design?"), "{}", ran.err);
    let listed = scene.hast(&["contract", "list"]);
    assert!(listed.out.contains("R1  stopped"), "{}", listed.out);
    scene.write("go", "");
    scene.git(&["add", "go"]);
    scene.git(&["commit", "-qm", "go"]);
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(resumed.out.contains("R1 is complete"), "{}", resumed.out);
}

#[test]
fn knowledge_is_added_listed_and_superseded() {
    let scene = Scene::new(ONE);
    let add = |args: &[&str]| {
        let all: Vec<&str> = ["contract", "knowledge", "add"].iter().chain(args).copied().collect();
        scene.hast(&all)
    };
    assert_eq!(add(&["--decision", "auth", "JWT", "--rationale", "stateless"]).code, 0);
    assert_eq!(add(&["--decision", "auth", "sessions"]).code, 0);
    assert_eq!(add(&["--pitfall", "no Lombok", "team policy"]).code, 0);
    assert_eq!(add(&["--pattern", "testing", "TAP"]).code, 0);
    assert_eq!(add(&["text only"]).code, 2);
    let listed = scene.hast(&["contract", "knowledge", "list"]);
    for line in ["testing: TAP", "D1 auth: JWT (stateless)", "(supersedes D1)", "P1 no Lombok"] {
        assert!(listed.out.contains(line), "{line}: {}", listed.out);
    }
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}

/// A tree that hast did not write: everything that is wrong with it is told at once.
#[test]
fn a_tree_of_another_tool_is_verified_as_a_whole() {
    let scene = Scene::new(ONE);
    let session = ".claude/orchestrator/sessions/a1b2c3d4";
    let state = r#"{
  "version": 2,
  "request": {"id": "R1", "original_request": "x", "status": "active", "current_task": "T1", "global_phase": "task_loop"},
  "tasks": {"T1": {"name": "a", "status": "in_progress", "current_subtask": "T1-S1",
    "subtasks": {"T1-S1": {"name": "s", "status": "completed", "phase": "complete", "gates": {"GATE-1": "passed", "GATE-2": "pending"}}},
    "subtask_order": ["T1-S1"], "created_at": "2024-01-15T10:00:00Z", "updated_at": "2024-01-15T10:30:00Z"}},
  "task_order": ["T1"]
}
"#;
    scene.write(&format!("{session}/state.json"), state);
    scene.write(
        &format!("{session}/contracts/R1/explored.yaml"),
        "version: 1\nrequest_id: R2\ncreated_at: \"2024-01-15T10:05:00Z\"\ncreated_by: code-explore\nproject_manifest:\n  claude_md: null\n  agents_md: null\nexplored_files: []\ndirectory_structure: {}\n",
    );
    scene.write(
        &format!("{session}/contracts/R1/T1/design-brief.yaml"),
        "version: 1\nrequest_id: R1\ntask: T1\n",
    );
    let ran = scene.hast(&["verify", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for part in [
        "explored.yaml",
        "request_id: R1",
        "design-brief.yaml",
        "GATE-2",
        "test-contract.yaml",
        "`task`",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(ran.out.contains("\"line\": 2"), "{}", ran.out);
    let text = scene.hast(&["contract", "verify"]);
    assert_eq!(text.code, 1);
}

#[test]
fn a_request_of_another_tool_can_be_shown_and_stopped() {
    let scene = Scene::new(ONE);
    let hash =
        hast_flow::ids::ProjectHash::of(&scene.root().canonicalize().unwrap().to_string_lossy());
    let path = format!(".claude/orchestrator/sessions/{hash}/state.json");
    scene.write(&path, "{\n  \"version\": 2,\n  \"request\": {\"id\": \"R3\", \"original_request\": \"theirs\", \"status\": \"active\", \"current_task\": null, \"global_phase\": \"global_discovery\"},\n  \"tasks\": {},\n  \"task_order\": []\n}\n");
    assert!(scene.hast(&["contract", "show"]).out.contains("theirs"));
    let second = scene.hast(&["contract", "start", "mine"]);
    assert_eq!(second.code, 1);
    assert!(second.err.contains("R3 is active"), "{}", second.err);
    assert_eq!(scene.hast(&["contract", "stop"]).code, 0);
    assert!(scene.read(&path).contains("\"status\": \"stopped\""));
    let started = scene.hast(&["contract", "start", "mine"]);
    assert_eq!(started.code, 0, "{started:?}");
    assert!(started.out.contains("R4"), "{}", started.out);
}

#[test]
fn the_demo_sends_back_learns_and_ends_green() {
    for lang in ["en", "ko"] {
        let scene = Scene::new(ONE);
        let ran = scene.hast(&["demo", "contract", "--dir", "d", "--lang", lang]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for part in ["GATE-1", "GATE-3", "GATE-2", "README", "P1", "D1", "testing"] {
            assert!(ran.err.contains(part), "{part}: {}", ran.err);
        }
    }
}

#[test]
fn one_request_is_verified_alone() {
    let scene = Scene::new(ONE);
    assert_eq!(scene.hast(&["contract", "start", "a total"]).code, 0);
    assert_eq!(scene.hast(&["contract", "verify", "R1"]).code, 0);
    let hash = scene.names(".claude/orchestrator/sessions").concat();
    let session = format!(".claude/orchestrator/sessions/{hash}/session.json");
    scene.write(&session, "{}\n");
    assert_eq!(scene.hast(&["contract", "verify"]).code, 1);
    assert_eq!(scene.hast(&["contract", "verify", "R1"]).code, 0, "that is not R1's");
    let design = scene.contract_path("T1/design-contract.yaml");
    scene.write(&design, scene.read(&design).replace("no state", "any state"));
    let found = scene.hast(&["contract", "verify", "R1"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(
        found.out.contains("design-contract.yaml") || found.err.contains("design-contract.yaml")
    );
    assert_eq!(scene.hast(&["contract", "verify", "R9"]).code, 2);
}

#[test]
fn what_is_over_or_empty_is_refused_with_what_to_do() {
    let scene = Scene::new(ONE);
    assert_eq!(scene.hast(&["contract", "start", "a total"]).code, 0);
    let stopped = scene.hast(&["contract", "stop"]);
    assert_eq!(stopped.code, 1, "{stopped:?}");
    assert!(stopped.err.contains("hast contract start"), "{}", stopped.err);
    for words in [["--decision", "", "x"], ["--pitfall", "x", " "], ["--pattern", " ", "x"]] {
        let added = scene.hast(&[&["contract", "knowledge", "add"], &words[..]].concat());
        assert_eq!(added.code, 2, "{added:?}");
    }
    for id in ["R9", "../x", "", "r1"] {
        assert_eq!(scene.hast(&["contract", "show", id]).code, 2, "{id}");
        assert_eq!(scene.hast(&["contract", "resume", id]).code, 2, "{id}");
    }
}
