//! Gates are decided from evidence: every way of talking past one is sent back with the reason.

use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::steps::Ending;
use serde_json::{Value, json};

use crate::actors::{CODE, TESTS, but, design, honest, recommend, review, tests};
use crate::scene::{HASH, Scene, answer, done};

/// Plays a step wrongly in the first round; the failures, once the request is done.
fn first_round(
    step: &'static str,
    mut wrong: impl FnMut(&hast_flow::steps::Call, &mut crate::git::Git) -> hast_flow::steps::CallResult
    + 'static,
) -> Scene {
    let mut scene =
        Scene::new(but(step, move |call, git| (call.attempt == 1).then(|| wrong(call, git))));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.git.history, ["first", "test(R1/T1-S1): sum up", "feat(R1/T1-S1): sum up"]);
    assert_eq!(scene.git.files["src/total.sh"], CODE);
    scene
}

#[test]
fn tests_that_are_green_before_any_code_prove_nothing() {
    let scene = first_round("test_first", |call, git| {
        git.write("tests/total.test", "needs README read\nneeds README me\n");
        answer(&[("test-contract.yaml", tests(call, "tests/total.test", "happy_path"))])
    });
    let [failure] = &scene.failures()[..] else { panic!("{:?}", scene.failures()) };
    assert!(
        failure.starts_with("GATE-1 the tests pass before there is any code for Total.sum"),
        "{failure}"
    );
    assert!(scene.contract("T1/T1-S1/archive/round-1/test-contract.yaml").contains("TC-1"));
    assert_eq!(scene.git.saved, ["refs/hast/attempts/R1-T1-S1/1"]);
    let prompt =
        scene.prompts.iter().rfind(|prompt| prompt.contains("qa-engineer. Write")).unwrap();
    assert!(prompt.contains("Round 1 did not pass GATE-1"), "{prompt}");
}

#[test]
fn a_contract_without_cases_is_sent_back() {
    let scene = first_round("test_first", |call, git| {
        git.write("tests/total.test", TESTS);
        let mut contract = tests(call, "tests/total.test", "happy_path");
        contract["test_cases"] = json!([]);
        answer(&[("test-contract.yaml", contract)])
    });
    assert!(scene.failures()[0].contains("there is no test case"), "{:?}", scene.failures());
}

#[test]
fn a_test_file_that_this_call_did_not_write_is_sent_back() {
    let scene = first_round("test_first", |call, git| {
        git.write("tests/other.test", TESTS);
        answer(&[("test-contract.yaml", tests(call, "tests/total.test", "happy_path"))])
    });
    assert!(
        scene.failures()[0].contains("tests/total.test: this call did not write it"),
        "{:?}",
        scene.failures()
    );
}

#[test]
fn a_test_author_writes_no_code() {
    let scene = first_round("test_first", |call, git| {
        git.write("tests/total.test", TESTS);
        git.write("src/total.sh", "sum");
        answer(&[("test-contract.yaml", tests(call, "tests/total.test", "happy_path"))])
    });
    assert!(
        scene.failures()[0].contains("this is no test: src/total.sh"),
        "{:?}",
        scene.failures()
    );
}

#[test]
fn a_weakened_test_is_not_the_one_that_passed_gate_1() {
    let scene = first_round("implement", |_, git| {
        git.write("src/total.sh", "nothing");
        git.write("tests/total.test", "needs README me\n");
        done()
    });
    let failure = &scene.failures()[0];
    assert!(failure.starts_with("GATE-3 tests/total.test: the tests are not those"), "{failure}");
    assert_eq!(scene.git.files["tests/total.test"], TESTS);
}

#[test]
fn a_deleted_test_is_missed() {
    let scene = first_round("implement", |_, git| {
        git.write("src/total.sh", "nothing");
        git.files.remove("tests/total.test");
        done()
    });
    assert!(
        scene.failures()[0].contains("the tests that passed GATE-1 are gone"),
        "{:?}",
        scene.failures()
    );
}

#[test]
fn implementer_and_qa_engineer_are_told_what_they_build_on() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive();
    let of = |start: &str| scene.prompts.iter().find(|prompt| prompt.starts_with(start)).unwrap();
    let implementer = of("You are the implementer");
    for part in [
        "Request:\n",
        "Invariants:\n- INV-1: no state\n",
        "Interfaces:\n- Total.sum: lines -> number: sums\n",
        "Boundaries:\n- Total must not use Store",
        "- src/total.sh (to_create)\n- src/store.sh (existing)\n",
        "`sh tests/run.sh` passes",
        "You need not commit",
    ] {
        assert!(implementer.contains(part), "{part}: {implementer}");
    }
    for start in ["You are the qa-engineer. Write", "You are the qa-engineer. hast has run"] {
        let prompt = of(start);
        assert!(prompt.contains("Interfaces:\n- Total.sum: lines -> number: sums"), "{prompt}");
    }
}

#[test]
fn files_outside_of_the_design_are_listed_and_the_work_sent_back() {
    let scene = first_round("implement", |_, git| {
        git.write("src/total.sh", CODE);
        git.write("README", "mine now");
        git.write("src/extra.sh", "more");
        done()
    });
    let failure = &scene.failures()[0];
    assert!(
        failure.contains("outside of the design's file_refs: README, src/extra.sh"),
        "{failure}"
    );
    assert_eq!(scene.git.files["README"], "read me\n");
    assert_eq!(scene.git.saved, ["refs/hast/attempts/R1-T1-S1/2"]);
    let prompt =
        scene.prompts.iter().rfind(|prompt| prompt.contains("You are the implementer")).unwrap();
    assert!(prompt.contains("src/extra.sh"), "{prompt}");
}

#[test]
fn a_file_that_the_design_wants_must_be_there() {
    let mut scene = Scene::new(Box::new(|call, git| match (call.step, call.attempt) {
        ("design", _) => {
            let mut contract = design(call);
            let more = json!({"entity": "Help", "path": "src/help.txt", "status": "to_create"});
            contract["file_refs"].as_array_mut().unwrap().push(more);
            answer(&[("design-contract.yaml", contract)])
        }
        ("implement", attempt) => {
            git.write("src/total.sh", CODE);
            if attempt > 1 {
                git.write("src/help.txt", "help");
            }
            done()
        }
        _ => honest(call, git),
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(scene.failures()[0].starts_with("GATE-4 to_create:"), "{:?}", scene.failures());
    assert!(scene.failures()[0].contains("src/help.txt"));
}

#[test]
fn a_forbidden_boundary_is_not_crossed() {
    let scene = first_round("implement", |_, git| {
        git.write("src/total.sh", &format!("{CODE}. src/store.sh\n"));
        done()
    });
    let failure = &scene.failures()[0];
    assert!(failure.contains("Total must not use Store: src/total.sh:3"), "{failure}");
}

#[test]
fn a_review_that_fails_sends_back_where_it_says() {
    let mut scene = Scene::new(but("review", |call, _| {
        (call.attempt == 1).then(|| answer(&[("review.json", review("FAIL", &json!("design")))]))
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    let designs = scene.calls.iter().filter(|call| call.contains("design")).count();
    assert_eq!(designs, 2, "{:?}", scene.calls);
    assert!(scene.has("T1/T1-S1/archive/round-1/design-contract.yaml"));
    assert!(scene.has("T1/T1-S1/archive/round-1/review.json"));
    assert_eq!(
        scene.git.history.len(),
        3,
        "back at the base of the subtask: {:?}",
        scene.git.history
    );
}

#[test]
fn a_review_that_says_nothing_about_an_invariant_is_asked_for_again() {
    let mut scene = Scene::new(but("review", |call, _| {
        let mut short = review("PASS", &Value::Null);
        short["findings"].as_array_mut().unwrap().pop();
        (call.regeneration == 0).then(|| answer(&[("review.json", short)]))
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(scene.calls.iter().filter(|call| call.contains("review")).count() == 2);
}

#[test]
fn a_red_suite_is_red_whatever_is_recommended() {
    let mut scene = Scene::new(Box::new(|call, git| match (call.step, call.attempt) {
        ("implement", 1) => {
            git.write("src/total.sh", "sum only\n");
            done()
        }
        ("verify", _) => recommend("complete"),
        _ => honest(call, git),
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    let failure = &scene.failures()[0];
    assert!(failure.starts_with("GATE-2 execution.result:"), "{failure}");
    let result = scene.contract("T1/T1-S1/archive/round-1/test-result.yaml");
    assert!(result.contains("result: \"fail\"") && result.contains("failed: 1"), "{result}");
    assert_eq!(scene.calls.iter().filter(|call| call.starts_with("implementer")).count(), 2);
}

#[test]
fn a_redesign_is_recommended_and_made() {
    let mut scene = Scene::new(Box::new(|call, git| match (call.step, call.attempt) {
        ("implement", 1) => {
            git.write("src/total.sh", "sum only\n");
            done()
        }
        ("verify", 1) => recommend("redesign"),
        _ => honest(call, git),
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.calls.iter().filter(|call| call.contains("architect design")).count(), 2);
    assert_eq!(scene.git.history.len(), 3);
}

#[test]
fn a_result_that_the_agent_wrote_itself_counts_for_nothing() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    let path = format!("sessions/{HASH}/contracts/R1/T1/T1-S1/test-result.yaml");
    scene.documents.insert(path.clone(), b"version: 1\nresult: pass\n".to_vec());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    let failure = &scene.failures()[0];
    assert!(
        failure.contains("documents of hast were changed by somebody else: test-result.yaml"),
        "{failure}"
    );
    assert!(scene.text(&path).contains("sh tests/run.sh"), "hast's own run is what stands there");
    let kept = scene.documents.keys().find(|path| path.contains("foreign")).unwrap();
    assert!(scene.text(kept).contains("result: pass"));
}

#[test]
fn a_contract_that_was_rewritten_is_put_back_and_the_attempt_sent_back() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    let path = format!("sessions/{HASH}/contracts/R1/T1/design-contract.yaml");
    let before = scene.text(&path);
    let wider = before.replace("src/total.sh", "src/anything.sh");
    scene.documents.insert(path.clone(), wider.into_bytes());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(scene.failures()[0].contains("design-contract.yaml"), "{:?}", scene.failures());
    assert_eq!(scene.text(&path), before);
}

#[test]
fn what_somebody_else_changed_while_hast_was_away_is_told() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    let path = format!("sessions/{HASH}/contracts/R1/T1/design-contract.yaml");
    scene.documents.insert(path, b"version: 1\n".to_vec());
    scene.restart();
    let Ending::Blocked(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("design-contract.yaml"), "{notice:?}");
}

#[test]
fn what_no_commit_can_hold_fails_whatever_else_is_good() {
    let scene = first_round("implement", |_, git| {
        git.write("src/total.sh", CODE);
        git.breach = Some(Breach::NotStorable { path: RepoPath("pipe".into()) });
        done()
    });
    assert!(scene.failures()[0].contains("pipe"), "{:?}", scene.failures());
}

#[test]
fn an_implementer_that_does_nothing_is_sent_back() {
    let scene = first_round("implement", |_, _| done());
    assert!(scene.failures()[0].contains("no file was changed"), "{:?}", scene.failures());
}

#[test]
fn a_commit_that_the_users_hooks_refuse_is_sent_back() {
    let mut scene = Scene::new(but("implement", |call, git| {
        if call.attempt == 1 {
            git.hook = Some("no tabs".to_owned());
        }
        None
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(
        scene.failures()[0].contains("the commit was refused: pre-commit: no tabs"),
        "{:?}",
        scene.failures()
    );
}

/// What is behind a link is the implementer's to write.
#[test]
fn a_test_that_is_a_link_is_no_test() {
    for path in ["tests/total.test", "tests/data.test"] {
        let scene = first_round("test_first", move |call, git| {
            git.write("tests/total.test", TESTS);
            git.write(path, "link to ../src/store.sh");
            answer(&[("test-contract.yaml", tests(call, "tests/total.test", "happy_path"))])
        });
        let failure = &scene.failures()[0];
        assert!(failure.starts_with("GATE-1") && failure.contains(path), "{failure}");
        assert!(failure.contains("a link and not a file"), "{failure}");
    }
}

#[test]
fn a_file_that_the_design_wants_is_no_link() {
    let scene = first_round("implement", |_, git| {
        git.write("src/total.sh", "link to store.sh: sum print");
        git.write("src/store.sh", CODE);
        done()
    });
    let failure = &scene.failures()[0];
    assert!(
        failure.starts_with("GATE-4 file_refs: a link and not a file: src/total.sh"),
        "{failure}"
    );
}

#[test]
fn a_test_that_is_skipped_proves_nothing() {
    let mut scene = Scene::new(Box::new(|call, git| match call.step {
        "test_first" => {
            git.write("tests/total.test", "needs src/total.sh sum\nskips\n");
            answer(&[("test-contract.yaml", tests(call, "tests/total.test", "happy_path"))])
        }
        _ => honest(call, git),
    }));
    let Ending::Failed(_) = scene.drive() else { panic!() };
    let failure = &scene.failures()[0];
    assert!(
        failure.contains("1 tests ran (1 were skipped), the contract has 2 cases"),
        "{failure}"
    );
}

/// The next event that the log would have, with another word in it.
fn forged(scene: &Scene, kind: &str, detail: &Value) -> String {
    let number = scene.text("events.ndjson").lines().count() + 1;
    let event = json!({
        "event_id": format!("EV-20260112T143000Z-{number:04}"), "ts": "2026-01-12T14:30:00Z",
        "actor": "orchestrator", "type": kind, "detail": detail,
    });
    format!("{event}\n")
}

/// Whatever of hast's own documents is changed while an agent works is put back, and the attempt fails.
#[test]
fn what_only_hast_writes_is_put_back_and_the_attempt_sent_back() {
    let knowledge = format!("knowledge/{HASH}/knowledge.yaml");
    let state = format!("sessions/{HASH}/state.json");
    let session = format!("sessions/{HASH}/session.json");
    let base = "attempts/R1/T1-S1/2/base.json".to_owned();
    type Lie = fn(&Scene, &str) -> Option<Vec<u8>>;
    let grown: Lie = |scene, path| {
        let detail = json!({"request_id": "R1", "subtask_id": "T1-S1"});
        let line = forged(scene, "SUBTASK_COMPLETED", &detail);
        Some((scene.text(path) + &line).into_bytes())
    };
    let other: Lie = |scene, path| {
        let text = scene.text(path);
        assert!(text.contains("in_progress") || text.contains("GATE") || text.contains('1'));
        Some(text.replace("in_progress", "completed").replace('1', "2").into_bytes())
    };
    let empty: Lie = |_, _| Some(Vec::new());
    let gone: Lie = |_, _| None;
    for (path, lie) in [
        ("events.ndjson".to_owned(), grown),
        ("events.ndjson".to_owned(), other),
        ("events.ndjson".to_owned(), empty),
        ("events.ndjson".to_owned(), gone),
        (state.clone(), other),
        (state, gone),
        (session, other),
        (base.clone(), other),
        (base, gone),
        (knowledge.clone(), other),
        (knowledge, gone),
    ] {
        let mut scene = Scene::new(Box::new(honest));
        scene.documents.insert(
            format!("knowledge/{HASH}/knowledge.yaml"),
            format!("version: 1\nproject:\n  path: \"/p\"\n  name: \"p\"\n  hash: \"{HASH}\"\npatterns: {{}}\ndecisions: []\npitfalls: []\nupdated_at: \"2026-01-12T14:30:00Z\"\n").into_bytes(),
        );
        scene.restart();
        scene.drive_to("implement");
        let (before, lied) = (scene.documents[&path].clone(), lie(&scene, &path));
        match lied.clone() {
            Some(bytes) => scene.documents.insert(path.clone(), bytes),
            None => scene.documents.remove(&path),
        };
        let Ending::Done(_) = scene.drive() else { panic!("{path}: {:?}", scene.failures()) };
        let name = path.rsplit('/').next().unwrap();
        let failures = scene.failures();
        assert_eq!(failures.len(), 1, "{path}: {failures:?}");
        assert!(
            failures[0].starts_with("GATE-3 documents of hast were changed by somebody else")
                && failures[0].contains(name),
            "{failures:?}"
        );
        let aside = scene.documents.keys().find(|key| key.contains("foreign-"));
        assert_eq!(aside.map(|key| scene.documents[key].clone()), lied, "{path}");
        if path.starts_with("attempts") {
            assert_eq!(scene.documents[&path], before, "{path}");
        }
        if path == "events.ndjson" {
            assert!(scene.documents[&path].starts_with(&before), "the log goes on where it was");
        }
        assert_eq!(
            scene.git.history,
            ["first", "test(R1/T1-S1): sum up", "feat(R1/T1-S1): sum up"]
        );
    }
}
