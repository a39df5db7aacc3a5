//! A request from its start to its end, stopped, resumed, killed and followed by another.

use hast_flow::flows::contract::{Asked, layout};
use hast_flow::steps::{CallResult, Ending, Step};
use serde_json::{Value, json};

use crate::actors::{CODE, breakdown, but, design, honest, tests};
use crate::scene::{HASH, Scene, answer, done};

#[test]
fn a_request_goes_through_design_tests_code_review_and_verification() {
    let mut scene = Scene::new(Box::new(honest));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(
        scene.calls,
        [
            "code-explore explore R1 1",
            "planner breakdown R1 1",
            "architect design T1 1",
            "qa-engineer test_first T1-S1 1",
            "implementer implement T1-S1 1",
            "architect review T1-S1 1",
            "qa-engineer verify T1-S1 1",
        ]
    );
    assert_eq!(scene.git.history, ["first", "test(R1/T1-S1): sum up", "feat(R1/T1-S1): sum up"]);
    assert_eq!(scene.gates("T1-S1"), "complete 1:passed 2:passed 3:passed 4:passed");
    let state = serde_json::to_value(scene.state()).unwrap();
    assert_eq!(state["request"]["status"], "completed");
    assert_eq!(state["request"]["global_phase"], "complete");
    assert_eq!(scene.git.saved, [""; 0]);
    assert!(!scene.git.has_room(), "it is not needed any more");
}

#[test]
fn documents_stand_where_the_seed_puts_them() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive();
    for name in [
        "explored.yaml",
        "task-breakdown.yaml",
        "T1/design-brief.yaml",
        "T1/design-contract.yaml",
        "T1/T1-S1/test-contract.yaml",
        "T1/T1-S1/test-result.yaml",
    ] {
        assert!(scene.has(name), "{name}");
    }
    let result = scene.contract("T1/T1-S1/test-result.yaml");
    assert!(
        result.contains("command: \"sh tests/run.sh\"") && result.contains("total: 2"),
        "{result}"
    );
    let brief = scene.contract("T1/design-brief.yaml");
    assert!(brief.contains("created_by: orchestrator") && brief.contains("do sum up"), "{brief}");
    let criteria = brief.split("completion_criteria:").nth(1).unwrap();
    let criteria = criteria.split("scope_in:").next().unwrap();
    assert!(criteria.contains("a total") && criteria.contains("do sum up"), "{criteria}");
    assert!(!brief.contains("is done"), "{brief}");
}

/// The seed's own example: an analysis, "write tests", "implement controller".
#[test]
fn the_seeds_own_example_can_be_completed() {
    let mut scene = Scene::new(Box::new(|call, git| match (call.step, call.unit.as_str()) {
        ("breakdown", _) => {
            let names =
                [("T1-S1", "API 스펙 확인"), ("T1-S2", "테스트 작성"), ("T1-S3", "컨트롤러 구현")];
            answer(&[("task-breakdown.yaml", breakdown(call, &names, &[]))])
        }
        ("test_first", "T1-S1") => {
            git.write("docs/spec.md", "- [x] TC-1: seen\n- [x] TC-2: seen\n");
            answer(&[("test-contract.yaml", tests(call, "docs/spec.md", "checklist"))])
        }
        ("test_first", "T1-S3") => {
            git.write("tests/more.test", "calls src/total.sh sum\ncalls src/total.sh print\n");
            answer(&[("test-contract.yaml", tests(call, "tests/more.test", "happy_path"))])
        }
        ("implement", _) => {
            git.write("src/total.sh", "sum() {\n  print\n}\n");
            done()
        }
        _ => honest(call, git),
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.gates("T1-S1"), "complete 1:passed 2:passed");
    assert_eq!(scene.gates("T1-S2"), "complete 1:passed 2:passed 3:passed 4:passed");
    // Its targets were there already: nothing was left to implement.
    assert_eq!(scene.gates("T1-S3"), "complete 1:passed 2:passed 3:pending 4:pending");
    let implemented = scene.calls.iter().filter(|call| call.starts_with("implementer")).count();
    assert_eq!(implemented, 1);
    assert_eq!(scene.git.history.len(), 5, "{:?}", scene.git.history);
}

#[test]
fn one_active_request_and_a_second_start_says_so() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("design");
    scene.ask(Asked::Start { id: "R2".parse().unwrap(), text: "another".to_owned() });
    let Ending::Blocked(notice) = scene.drive() else { panic!() };
    assert!(
        notice.what.contains("R1 is active") && notice.next.contains("resume R1"),
        "{notice:?}"
    );
}

#[test]
fn when_the_next_request_starts_the_state_of_the_last_is_archived() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive();
    let before = scene.text(&layout::state(&HASH.parse().unwrap()));
    scene.ask(Asked::Start { id: "R2".parse().unwrap(), text: "another".to_owned() });
    scene.drive_to("explore");
    assert_eq!(scene.contract("state.json"), before);
    assert_eq!(scene.state().request.id.as_str(), "R2");
}

#[test]
fn a_stopped_request_keeps_its_state_and_goes_on_when_it_is_resumed() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    scene.git.write("src/total.sh", "half");
    scene.ask(Asked::Stop { id: "R1".parse().unwrap() });
    let Ending::Done(_) = scene.drive() else { panic!() };
    let session = scene.text(&layout::session(&HASH.parse().unwrap()));
    assert!(session.contains("\"status\": \"stopped\""), "{session}");
    assert!(!scene.git.files.contains_key("src/total.sh"), "half of the work is not left behind");
    assert_eq!(scene.git.saved, ["refs/hast/attempts/R1-T1-S1/2"]);
    scene.ask(Asked::Resume { id: "R1".parse().unwrap() });
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.git.history, ["first", "test(R1/T1-S1): sum up", "feat(R1/T1-S1): sum up"]);
    assert_eq!(scene.git.files["src/total.sh"], CODE);
}

/// A process that dies before any decision, at every decision there is: the same end.
#[test]
fn killed_anywhere_and_resumed_it_ends_the_same() {
    let mut undisturbed = Scene::new(Box::new(honest));
    undisturbed.drive();
    for at in 0..200 {
        let mut scene = Scene::new(Box::new(honest));
        let mut decisions = 0;
        loop {
            if decisions == at {
                scene.restart();
            }
            decisions += 1;
            match scene.next() {
                Step::Finish(Ending::Done(_)) => break,
                Step::Finish(ending) => panic!("at {at}: {ending:?}"),
                _ => scene_turn(&mut scene),
            }
            assert!(decisions < 500, "at {at} it never ends");
        }
        assert_eq!(scene.git.history, undisturbed.git.history, "at {at}");
        assert_eq!(scene.git.files, undisturbed.git.files, "at {at}");
        assert_eq!(scene.gates("T1-S1"), undisturbed.gates("T1-S1"), "at {at}");
        if decisions < at {
            return;
        }
    }
    panic!("200 decisions are not enough to come to the end");
}

fn scene_turn(scene: &mut Scene) {
    assert_eq!(scene.turn(), None);
}

#[test]
fn an_agent_that_wants_a_person_stops_the_request() {
    let mut scene = Scene::new(but("design", |_, _| {
        Some(CallResult::Blocked { reason: "which database?".to_owned() })
    }));
    let Ending::Failed(notice) = scene.drive() else { panic!() };
    assert!(
        notice.what.contains("which database?") && notice.next.contains("resume R1"),
        "{notice:?}"
    );
    assert_eq!(scene.events("REQUEST_STOPPED")[0]["detail"]["by"], "blocked");
}

#[test]
fn decisions_of_completed_tasks_and_patterns_become_knowledge() {
    let mut scene = Scene::new(Box::new(|call, git| match call.step {
        "explore" => {
            let patterns = json!({"patterns": {"testing": "TAP", "naming": {"files": "kebab"}}});
            answer(&[("explored.yaml", crate::actors::explored(call)), ("patterns.yaml", patterns)])
        }
        "design" => {
            let decisions = json!({"decisions": [{"topic": "sum", "decision": "awk", "rationale": "r", "refs": []}]});
            answer(&[("design-contract.yaml", design(call)), ("decisions.yaml", decisions)])
        }
        _ => honest(call, git),
    }));
    scene.drive_to("test_first");
    let before = scene.text(&format!("knowledge/{HASH}/knowledge.yaml"));
    assert!(before.contains("decisions: []") && before.contains("patterns: {}"), "{before}");
    scene.drive();
    let knowledge = scene.text(&format!("knowledge/{HASH}/knowledge.yaml"));
    for part in ["testing: \"TAP\"", "files: \"kebab\"", "topic: \"sum\"", "id: \"D1\""] {
        assert!(knowledge.contains(part), "{part}: {knowledge}");
    }
    let learned: Vec<Value> = scene
        .events("KNOWLEDGE_LEARNED")
        .iter()
        .map(|event| event["detail"]["added"].clone())
        .collect();
    assert_eq!(learned, [json!(["D1"]), json!(["testing", "naming"])]);
    let former = format!("knowledge/{HASH}/archive/0002/knowledge.yaml");
    assert!(!scene.text(&former).contains("TAP"), "what was known before is kept");
}

#[test]
fn a_state_that_cannot_be_read_is_not_written_over() {
    let mut scene = Scene::new(Box::new(honest));
    scene.set(&layout::state(&HASH.parse().unwrap()), b"{\"mine\": true}\n");
    let Ending::Blocked(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("state.json is not valid"), "{notice:?}");
}
