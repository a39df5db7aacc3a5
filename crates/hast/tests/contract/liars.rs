//! Every way of talking past a gate ends sent back with the reason; the next round is honest.

use hast_stage::plays::contract::{CODE, REHEARSAL};

use crate::scene::{ONE, Scene, USERS};

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
    assert_eq!(scene.read("src/total.sh"), CODE);
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

/// The first tests of the feature, made in this way, and a contract that fits them.
fn tests_first(actions: &str) -> String {
    let contract = r#"      - outbox:
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
    format!("\n  - when: {{step: test_first, attempt: 1}}\n    do:\n{actions}{contract}")
}

#[test]
fn tests_that_are_green_before_any_code() {
    let replies = tests_first("      - write: {path: tests/total.test, text: \"true\\n\"}\n");
    let scene = sent_back(&replies, "GATE-1", "the tests pass before there is any code");
    assert!(!scene.contract("T1/T1-S2/archive/round-1/test-contract.yaml").is_empty());
}

/// Tests of code that is there, which would pass without it: the room in which its body raises shows that.
#[test]
fn tests_that_would_pass_without_the_code() {
    let lazy =
        tests_first("      - write: {path: tests/more.test, text: \"[ -f src/total.sh ]\\n\"}\n");
    let lazy = lazy.replace("attempt: 1", "attempt: 1, unit: T1-S3");
    let scene = Scene::new(&lazy.replace("tests/total.test", "tests/more.test"));
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let failures = scene.failures();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    let reason = "where the body of Total.sum raises, no case of the test file fails";
    assert!(failures[0].contains("GATE-1") && failures[0].contains(reason), "{}", failures[0]);
    assert_eq!(scene.read("src/total.sh"), CODE);
    assert_eq!(scene.git(&["for-each-ref", "refs/hast/lanes"]), "", "no room is left");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
}

/// Behind the link is a file that the implementer may write.
#[test]
fn a_test_that_is_a_link_into_the_implementers_files() {
    let replies = tests_first(
        "      - run: \"mkdir -p src; ln -s ../src/store.sh tests/total.test; echo false > tests/data.test\"\n",
    );
    sent_back(&replies, "GATE-1", "a link and not a file: tests/total.test");
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
    let forged = format!(
        "      - run: \"cd {USERS} && mkdir -p .claude/orchestrator/sessions/*/contracts/R1/T1/T1-S2 && echo 'version: 1' > $(echo .claude/orchestrator/sessions/*/contracts/R1/T1/T1-S2)/test-result.yaml\"\n"
    );
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

/// Git of the room is the room's own: this reaches nobody, and the work is judged by its files.
#[test]
fn what_an_agent_does_to_the_git_of_its_room_is_nobodys_business() {
    for trick in [
        "git -c user.name=a -c user.email=a@b commit -q --amend -m mine",
        "git rev-parse HEAD > .git/MERGE_HEAD",
        "git config core.hooksPath /dev/null",
        "git branch -m other",
        "rm -rf .git",
    ] {
        let work = implement(&format!("{WORK}      - run: {trick}\n"));
        let scene = Scene::new(&format!("{work}{ONE}"));
        let before = scene.read(".git/config");
        let ran = scene.hast(&["contract", "start", "a total"]);
        assert_eq!(ran.code, 0, "{trick}: {ran:?}\n{}", scene.log());
        assert_eq!(scene.failures(), [""; 0], "{trick}");
        let wanted = ["feat(R1/T1-S2): sum up", "test(R1/T1-S2): sum up", "first"];
        assert_eq!(scene.commits(), wanted, "{trick}");
        assert_eq!(scene.read(".git/config"), before, "{trick}");
        assert_eq!(scene.git(&["branch", "--format=%(refname)"]).trim(), "refs/heads/main");
    }
}

#[test]
fn tests_emptied_after_gate_1() {
    let empty = format!("{WORK}      - write: {{path: tests/total.test, text: \"\"}}\n");
    sent_back(&implement(&empty), "GATE-3", "the tests are not those that passed GATE-1");
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
    assert_eq!(scene.commits(), ["first"]);
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
    let log = format!("{USERS}/.claude/orchestrator/events.ndjson");
    let done = "{\\\"event_id\\\":\\\"EV-20990112T143000Z-0099\\\",\\\"ts\\\":\\\"2026-01-12T14:30:00Z\\\",\\\"actor\\\":\\\"orchestrator\\\",\\\"type\\\":\\\"REQUEST_COMPLETED\\\",\\\"detail\\\":{\\\"request_id\\\":\\\"R1\\\"}}";
    for (lie, name) in [
        (format!("echo '{done}' >> {log}"), "events.ndjson"),
        (
            format!(
                "sed -i s/in_progress/completed/g {USERS}/.claude/orchestrator/sessions/*/state.json"
            ),
            "state.json",
        ),
        (format!("sed -i s/GATE-1/GATE-2/ {log}"), "events.ndjson"),
        (format!("rm {log}"), "events.ndjson"),
        (
            format!("echo '{{}}' > {USERS}/.claude/orchestrator/attempts/R1/T1-S2/2/base.json"),
            "base.json",
        ),
    ] {
        let forge = format!("      - run: \"{lie}\"\n");
        let scene = sent_back(&implement(&format!("{WORK}{forge}")), "GATE-3", name);
        assert!(scene.failures()[0].contains("changed by somebody else"), "{:?}", scene.failures());
        assert_eq!(
            scene.log().lines().filter(|line| line.contains("REQUEST_COMPLETED")).count(),
            1
        );
        assert!(!scene.log().contains("-0099\""));
    }
}

/// Code of the attempt that lies while hast runs the tests.
#[test]
fn documents_of_hast_forged_by_the_code_under_test() {
    let code = format!(
        "      - write: {{path: src/total.sh, text: \"echo $(($1 + $2)); test -f {USERS}/.git/once || {{ touch {USERS}/.git/once; echo '{{}}' >> {USERS}/.claude/orchestrator/events.ndjson; }}\\n\"}}\n"
    );
    let scene = Scene::new(&format!("{}{ONE}", implement(&code)));
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let failures = scene.failures();
    assert!(
        failures[0].contains("GATE-2") && failures[0].contains("events.ndjson"),
        "{failures:?}"
    );
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}

/// Ways to make the same tests say something else. None of these files is in the design.
#[test]
fn tests_made_weaker_without_a_word_in_them_changed() {
    for (trick, reason) in [
        ("chmod +x tests/total.test", "the tests are not those that passed GATE-1"),
        ("ln -sf first.test tests/total.test", "the tests are not those that passed GATE-1"),
        ("mv tests/total.test tests/renamed.test", "the tests that passed GATE-1 are gone"),
        ("echo exit 0 > tests/run.sh", "tests/run.sh"),
        ("echo 'collect_ignore_glob = [1]' > tests/conftest.py", "tests/conftest.py"),
        ("echo '*.test -text' > .gitattributes", ".gitattributes"),
        ("echo 'src/' > .gitignore", ".gitignore"),
        ("git init -q nested && echo x > nested/f", "nested"),
        ("printf 'test:\\n\\ttrue\\n' > Makefile", "Makefile"),
        (
            "git update-index --assume-unchanged tests/total.test; echo true > tests/total.test",
            "tests/total.test",
        ),
    ] {
        let trick = trick.replace('\\', "\\\\");
        sent_back(&implement(&format!("{WORK}      - run: \"{trick}\"\n")), "GATE-3", reason);
    }
}

/// What tells git where to look is no test, wherever it lies.
#[test]
fn a_test_author_hides_nothing_from_git() {
    let hides = "  - when: {step: test_first, attempt: 1}\n    do:\n      - write: {path: tests/.gitignore, text: \"hidden\\n\"}\n      - write: {path: tests/total.test, text: \"[ -f src/total.sh ]\\n\"}\n";
    let contract = REHEARSAL.split("unit: T1-S2}").nth(1).unwrap();
    let contract = &contract[contract.find("      - outbox").unwrap()..];
    let contract = &contract[..contract.find("  - when").unwrap()];
    sent_back(&format!("{hides}{contract}"), "GATE-1", "tests/.gitignore");
}

/// A design may name the file that runs the tests; `protect` keeps it as it is.
#[test]
fn what_a_person_protects_no_design_can_open() {
    let design = REHEARSAL.split("  - when: {step: design}").nth(1).unwrap();
    let design = &design[..design.find("  - when").unwrap()];
    let wider = format!(
        "  - when: {{step: design}}{design}              - {{entity: Runner, path: tests/run.sh, status: to_modify}}\n"
    );
    let lie = "      - write: {path: tests/run.sh, text: \"echo ok 1; exit 0\\n\"}\n      - write: {path: src/total.sh, text: \"echo wrong\\n\"}\n";
    let replies = format!("{}{wider}{ONE}", implement(lie));
    let scene = Scene::with(&replies, "sandbox: off\nprotect: [\"tests/run.sh\"]\n");
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let failures = scene.failures();
    assert!(failures[0].contains("GATE-3") && failures[0].contains("tests/run.sh"), "{failures:?}");
    assert_eq!(scene.read("src/total.sh"), CODE);
}

/// Commits of an agent stay its own; hast's are made all the same, each once.
#[test]
fn an_agent_that_commits_by_itself() {
    let own = "      - run: \"git add -A src tests && git -c user.name=a -c user.email=a@b commit -qm mine\"\n";
    let scene = Scene::new(&format!("{}{ONE}", implement(&format!("{WORK}{own}"))));
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let wanted = ["feat(R1/T1-S2): sum up", "mine", "test(R1/T1-S2): sum up", "first"];
    assert_eq!(scene.commits(), wanted);
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}
