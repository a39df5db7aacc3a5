//! Every way of talking past a gate ends sent back with the reason; the next round is honest.

use crate::scene::{ONE, Scene};

/// Runs a request whose first round is played wrongly. It ends well, with both commits exactly once and
/// what was wrong on a ref.
fn sent_back(replies: &str, gate: &str, reason: &str) -> Scene {
    let scene = Scene::new(&format!("{replies}{ONE}"));
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let failures = scene.failures();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    assert!(failures[0].contains(gate) && failures[0].contains(reason), "{}", failures[0]);
    assert!(ran.err.contains(gate) && ran.err.contains("T1-S2"), "{}", ran.err);
    assert_eq!(scene.commits(), ["feat(R1/T1-S2): sum up", "test(R1/T1-S2): sum up", "first"]);
    assert_eq!(scene.read("src/total.sh"), "echo $(($1 + $2))\n");
    assert_eq!(scene.read("README"), "read me\n");
    assert!(scene.git(&["for-each-ref", "refs/hast/attempts"]).contains("R1-T1-S2"));
    let verified = scene.hast(&["contract", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    scene
}

fn implement(actions: &str) -> String {
    format!("  - when: {{step: implement, attempt: 1}}\n    do:\n{actions}")
}

const WORK: &str = "      - write: {path: src/total.sh, text: \"echo $(($1 + $2))\\n\"}\n";

#[test]
fn tests_that_are_green_before_any_code() {
    let replies = r#"
  - when: {step: test_first, attempt: 1}
    do:
      - write: {path: tests/total.test, text: "true\n"}
      - outbox:
          test-contract.yaml:
            version: 1
            request_id: "{{request_id}}"
            task_id: "{{task_id}}"
            subtask_id: "{{subtask_id}}"
            created_at: "2026-01-12T14:30:00Z"
            created_by: qa-engineer
            subtask_name: s
            test_cases: [{id: TC-1, name: sums, target: Total.sum, given: g, when: w, then: t, category: happy_path}]
            coverage_targets: [Total.sum]
            test_file_path: tests/total.test
"#;
    let scene = sent_back(replies, "GATE-1", "the tests pass before there is any code");
    assert!(!scene.contract("T1/T1-S2/archive/round-1/test-contract.yaml").is_empty());
}

#[test]
fn tests_weakened_after_gate_1() {
    let weaken = format!("{WORK}      - write: {{path: tests/total.test, text: \"true\\n\"}}\n");
    sent_back(&implement(&weaken), "GATE-3", "the tests are not those that passed GATE-1");
}

#[test]
fn tests_deleted_after_gate_1() {
    let delete = format!("{WORK}      - delete: tests/total.test\n");
    sent_back(&implement(&delete), "GATE-3", "the tests that passed GATE-1 are gone");
}

#[test]
fn a_result_written_by_the_agent() {
    let forged = "      - run: \"mkdir -p .claude/orchestrator/sessions/*/contracts/R1/T1/T1-S2 && echo 'version: 1' > $(echo .claude/orchestrator/sessions/*/contracts/R1/T1/T1-S2)/test-result.yaml\"\n";
    let scene = sent_back(&implement(&format!("{WORK}{forged}")), "GATE-3", "test-result.yaml");
    assert!(scene.contract("T1/T1-S2/test-result.yaml").contains("sh tests/run.sh"));
}

#[test]
fn files_outside_of_the_scope() {
    let outside = format!(
        "{WORK}      - write: {{path: README, text: \"mine\\n\"}}\n      - write: {{path: src/more.sh, text: x}}\n"
    );
    let scene = sent_back(&implement(&outside), "GATE-3", "README, src/more.sh");
    let hash = scene.names(".claude/orchestrator/knowledge").concat();
    let known = scene.read(&format!(".claude/orchestrator/knowledge/{hash}/knowledge.yaml"));
    assert!(known.contains("learned_from: \"R1/T1-S2\""), "{known}");
}

#[test]
fn a_forbidden_boundary_crossed() {
    let crossed = "      - write: {path: src/total.sh, text: \"test -f x && . src/store.sh\\necho $(($1 + $2))\\n\"}\n";
    sent_back(&implement(crossed), "GATE-4", "Total must not use Store: src/total.sh:1");
}

#[test]
fn a_file_that_was_to_be_created_and_is_missing() {
    // The tests are made green from another file of the design.
    let missing = "      - write: {path: src/store.sh, text: \"echo 3\\n\"}\n";
    sent_back(&implement(missing), "GATE-4", "src/total.sh");
}

#[test]
fn a_red_suite_recommended_as_complete() {
    let wrong = "      - write: {path: src/total.sh, text: \"echo 7\\n\"}\n";
    let scene = sent_back(&implement(wrong), "GATE-2", "the tests failed");
    let result = scene.contract("T1/T1-S2/archive/round-1/test-result.yaml");
    assert!(
        result.contains("result: \"fail\"") && result.contains("action: \"complete\""),
        "{result}"
    );
}

#[test]
fn history_rewritten() {
    let amend = format!(
        "{WORK}      - run: git -c user.name=a -c user.email=a@b commit -q --amend -m mine\n"
    );
    sent_back(&implement(&amend), "GATE-3", "history was rewritten");
}

#[test]
fn a_protected_file_changed() {
    let config = format!(
        "{WORK}      - append: {{path: .ai/config.yaml, text: \"max_regenerations: 9\\n\"}}\n"
    );
    let scene = sent_back(&implement(&config), "GATE-3", "protected path");
    assert!(!scene.read(".ai/config.yaml").contains("max_regenerations"));
}

/// In the sandbox an agent cannot even write where hast keeps its state.
#[test]
fn state_is_closed_to_agents() {
    let forge = "      - run: \"echo '{}' >> .claude/orchestrator/events.ndjson\"\n        may_fail: true\n";
    let replies = format!("{}{ONE}", implement(&format!("{WORK}{forge}")));
    let scene = Scene::with(&replies, "");
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(scene.log().lines().all(|line| line.contains("event_id")), "{}", scene.log());
}

#[test]
fn after_three_rounds_a_person_is_asked() {
    let always = format!(
        "  - when: {{step: implement}}\n    do:\n{WORK}      - write: {{path: README, text: mine}}\n{ONE}"
    );
    let scene = Scene::new(&always);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.err.contains("3 rounds did not pass") && ran.err.contains("hast contract resume R1"),
        "{}",
        ran.err
    );
    assert_eq!(scene.failures().len(), 3);
    assert_eq!(scene.commits(), ["test(R1/T1-S2): sum up", "first"]);
    assert_eq!(scene.git(&["status", "--porcelain", "--", "src", "README", "tests"]), "");
    let shown = scene.hast(&["contract", "show", "--json"]);
    assert!(
        shown.out.contains("\"status\": \"stopped\"")
            && shown.out.contains("\"GATE-3\": \"failed\""),
        "{}",
        shown.out
    );
}

/// Where nothing keeps an agent from them, documents that only hast writes are put back and the attempt
/// fails, whoever reads the log next.
#[test]
fn documents_of_hast_forged_without_a_sandbox() {
    let log = ".claude/orchestrator/events.ndjson";
    let done = "{\\\"event_id\\\":\\\"EV-20990112T143000Z-0099\\\",\\\"ts\\\":\\\"2026-01-12T14:30:00Z\\\",\\\"actor\\\":\\\"orchestrator\\\",\\\"type\\\":\\\"REQUEST_COMPLETED\\\",\\\"detail\\\":{\\\"request_id\\\":\\\"R1\\\"}}";
    for (lie, name) in [
        (format!("echo '{done}' >> {log}"), "events.ndjson"),
        (
            "sed -i s/in_progress/completed/g .claude/orchestrator/sessions/*/state.json"
                .to_owned(),
            "state.json",
        ),
        (format!("sed -i s/GATE-1/GATE-2/ {log}"), "events.ndjson"),
        (format!("rm {log}"), "events.ndjson"),
        ("echo '{}' > .claude/orchestrator/attempts/R1/T1-S2/2/base.json".to_owned(), "base.json"),
    ] {
        let forge = format!("      - run: \"{lie}\"\n");
        let scene = sent_back(&implement(&format!("{WORK}{forge}")), "GATE-3", name);
        assert!(scene.failures()[0].contains("changed by somebody else"), "{:?}", scene.failures());
        assert_eq!(
            scene.log().lines().filter(|line| line.contains("REQUEST_COMPLETED")).count(),
            1
        );
        assert!(!scene.log().contains("0099"));
    }
}

/// Code of the attempt that lies while hast runs the tests.
#[test]
fn documents_of_hast_forged_by_the_code_under_test() {
    let code = "      - write: {path: src/total.sh, text: \"echo $(($1 + $2)); test -f .git/once || { touch .git/once; echo '{}' >> .claude/orchestrator/events.ndjson; }\\n\"}\n";
    let scene = Scene::new(&format!("{}{ONE}", implement(code)));
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let failures = scene.failures();
    assert!(
        failures[0].contains("GATE-2") && failures[0].contains("events.ndjson"),
        "{failures:?}"
    );
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}
