//! Lazy and lying agents: a feature is not complete without code that its tests are about.

use hast_flow::steps::{Call, Ending};
use serde_json::{Value, json};

use crate::actors::{breakdown, but, design, honest, tests};
use crate::git::Git;
use crate::scene::{Scene, answer, done};

const THERE: &str = "LIMIT=3\nsum() {\n  echo 1\n}\nprint() {\n  echo 2\n}\n";

/// A project that has `sum` and `print`, and a design that has `status` of their file.
fn project(
    status: &'static str,
    mut agent: impl FnMut(&Call, &mut Git) -> Option<hast_flow::steps::CallResult> + 'static,
) -> Scene {
    let mut scene = Scene::new(Box::new(move |call, git| {
        if let Some(played) = agent(call, git) {
            return played;
        }
        match call.step {
            "design" => answer(&[("design-contract.yaml", design_of(call, status))]),
            "implement" => {
                git.write("src/total.sh", &format!("{THERE}more() {{\n  echo 3\n}}\n"));
                done()
            }
            _ => honest(call, git),
        }
    }));
    scene.git = Git::new(&[("README", "read me\n"), ("src/total.sh", THERE), ("src/store.sh", "")]);
    scene
}

fn design_of(call: &Call, status: &str) -> Value {
    let mut contract = design(call);
    contract["file_refs"][0]["status"] = json!(status);
    contract
}

/// A contract whose cases have these targets.
fn about(call: &Call, targets: &[&str]) -> Value {
    let mut contract = tests(call, "tests/total.test", "happy_path");
    let case = |(number, target): (usize, &&str)| json!({"id": format!("TC-{number}"), "name": format!("name {number}"), "target": target, "given": "g", "when": "w", "then": "t", "category": "happy_path"});
    contract["test_cases"] = targets.iter().enumerate().map(case).collect();
    contract
}

/// Tests of something that is there; in a first round these, then red ones of what is not.
fn first_tests(status: &'static str, text: &'static str, targets: &'static [&str]) -> Scene {
    project(status, move |call, git| {
        (call.step == "test_first").then(|| match call.attempt {
            1 => {
                git.write("tests/total.test", text);
                answer(&[("test-contract.yaml", about(call, targets))])
            }
            _ => {
                git.write("tests/total.test", "calls src/total.sh more\n");
                answer(&[("test-contract.yaml", about(call, &["Total.more"]))])
            }
        })
    })
}

/// Sent back by this gate for this reason, and complete only with code.
fn sent_back(mut scene: Scene, gate: &str, reason: &str) -> Scene {
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    let [failure] = &scene.failures()[..] else { panic!("{:#?}", scene.failures()) };
    assert!(failure.starts_with(gate) && failure.contains(reason), "{failure}");
    assert!(scene.git.on_branch()["src/total.sh"].contains("more()"), "the feature has code");
    assert!(!scene.git.has_trial(), "the room of the trial is gone");
    scene
}

/// The defect that this page is about: the file was there, the function was not.
#[test]
fn a_target_is_not_there_because_its_file_is() {
    let scene = first_tests("to_modify", "needs src/total.sh sum\n", &["Total.discount"]);
    sent_back(scene, "GATE-1", "the tests pass before there is any code for Total.discount");
}

#[test]
fn a_test_that_only_loads_the_code_proves_nothing() {
    let scene = first_tests("to_modify", "needs src/total.sh sum\n", &["Total.sum"]);
    sent_back(scene, "GATE-1", "the tests pass also where the body of Total.sum raises");
}

/// Older tests of the same code turn red without it; they are nobody's proof for the new ones.
#[test]
fn others_tests_of_the_target_are_no_cases_of_this_contract() {
    let mut scene = first_tests("to_modify", "needs src/total.sh sum\n", &["Total.sum"]);
    let old = "calls src/total.sh sum\n";
    scene.git = Git::new(&[("src/total.sh", THERE), ("src/store.sh", ""), ("tests/old.test", old)]);
    sent_back(
        scene,
        "GATE-1",
        "where the body of Total.sum raises, no case of the test file fails",
    );
}

#[test]
fn each_target_is_tried_by_itself() {
    // One test calls the code, and two targets are claimed; only `sum` raises in the first trial.
    let scene = first_tests(
        "to_modify",
        "needs src/total.sh sum\nneeds src/total.sh print\n",
        &["Total.sum", "Total.print"],
    );
    let scene = sent_back(scene, "GATE-1", "Total.print raises");
    assert!(scene.failures()[0].contains("Total.sum raises"), "{:?}", scene.failures());
}

#[test]
fn a_target_that_is_no_symbol_must_be_red_first() {
    let scene = first_tests("to_modify", "needs src/total.sh sum\n", &["GET /a"]);
    sent_back(scene, "GATE-1", "GET /a is no name of code");
}

#[test]
fn a_target_whose_body_cannot_be_taken_away_must_be_red_first() {
    let mut scene = first_tests("to_modify", "needs src/total.c sum\n", &["Total.sum"]);
    // C has no exceptions.
    scene.git =
        Git::new(&[("src/total.c", "int sum(int x) { return x; }\n"), ("src/total.sh", "\n")]);
    let agent = std::mem::replace(&mut scene.agent, Box::new(honest));
    let mut agent = agent;
    scene.agent = Box::new(move |call, git| {
        if call.step == "design" {
            let mut contract = design_of(call, "to_modify");
            let more = json!({"entity": "Total", "path": "src/total.c", "status": "existing"});
            contract["file_refs"].as_array_mut().unwrap().push(more);
            return answer(&[("design-contract.yaml", contract)]);
        }
        agent(call, git)
    });
    sent_back(scene, "GATE-1", "hast cannot take away the body of Total.sum");
}

#[test]
fn a_syntax_error_in_the_test_file_is_no_red_test() {
    let scene = first_tests("to_modify", "prints syntax\n", &["Total.more"]);
    sent_back(scene, "GATE-1", "tests/total.test has a syntax error");
}

#[test]
fn an_import_of_something_else_is_no_red_test() {
    let scene = first_tests("to_modify", "prints no-module\n", &["Total.more"]);
    sent_back(scene, "GATE-1", "nothing tells that a case failed");
}

#[test]
fn a_run_that_only_fails_is_no_red_test() {
    let scene = first_tests("to_modify", "prints nothing\n", &["Total.more"]);
    sent_back(scene, "GATE-1", "nothing tells that a case failed");
}

#[test]
fn somebody_elses_red_test_is_no_red_test() {
    let scene = first_tests("to_modify", "prints others\n", &["Total.more"]);
    sent_back(scene, "GATE-1", "what failed is no test of this contract");
}

/// Not even an honest analysis stands in for the work.
#[test]
fn a_checklist_does_not_end_a_task_whose_files_were_to_change() {
    let scene = project("to_modify", |call, git| {
        (call.step == "test_first").then(|| match call.attempt {
            1 => {
                git.write("docs/spec.md", "- [x] TC-1: fine\n- [x] TC-2: fine\n");
                answer(&[("test-contract.yaml", tests(call, "docs/spec.md", "checklist"))])
            }
            _ => {
                git.write("tests/total.test", "calls src/total.sh more\n");
                answer(&[("test-contract.yaml", about(call, &["Total.more"]))])
            }
        })
    });
    sent_back(scene, "GATE-2", "has changed any of src/total.sh");
}

/// Tests of what was there already are honest, and the feature is still not there.
#[test]
fn tests_of_what_was_there_do_not_end_a_task_whose_files_were_to_change() {
    let scene = first_tests("to_modify", "calls src/total.sh sum\n", &["Total.sum"]);
    let scene = sent_back(scene, "GATE-2", "has changed any of src/total.sh");
    assert!(scene.gates("T1-S1").starts_with("complete 1:passed"), "{}", scene.gates("T1-S1"));
}

#[test]
fn an_implementer_that_changes_another_file_has_not_built_it() {
    let mut scene = project("to_modify", |call, git| match (call.step, call.attempt) {
        ("test_first", _) => {
            git.write("tests/total.test", "needs src/store.sh more\n");
            Some(answer(&[("test-contract.yaml", about(call, &["Total.more"]))]))
        }
        ("implement", 1) => {
            git.write("src/store.sh", "more\n");
            Some(done())
        }
        ("implement", _) => {
            git.write("src/store.sh", "more\n");
            None
        }
        _ => None,
    });
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    let failure = &scene.failures()[0];
    assert!(failure.starts_with("GATE-2 file_refs: no implementation"), "{failure}");
}

/// The subtask after the one that built it may test what is there by then.
#[test]
fn a_subtask_may_find_its_code_there() {
    let mut scene = project("to_modify", |call, git| {
        Some(match (call.step, call.unit.as_str()) {
            ("breakdown", _) => {
                let plan = breakdown(call, &[("T1-S1", "sum up"), ("T1-S2", "more tests")], &[]);
                answer(&[("task-breakdown.yaml", plan)])
            }
            ("test_first", "T1-S1") => {
                git.write("tests/total.test", "calls src/total.sh more\n");
                answer(&[("test-contract.yaml", about(call, &["Total.more"]))])
            }
            ("test_first", _) => {
                git.write("tests/more.test", "calls src/total.sh more\ncalls src/total.sh sum\n");
                let mut contract = about(call, &["Total.more", "sum"]);
                contract["test_file_path"] = json!("tests/more.test");
                answer(&[("test-contract.yaml", contract)])
            }
            _ => return None,
        })
    });
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.failures(), [""; 0]);
    assert_eq!(scene.gates("T1-S2"), "complete 1:passed 2:passed 3:pending 4:pending");
    let implemented = scene.calls.iter().filter(|call| call.starts_with("implementer")).count();
    assert_eq!(implemented, 1, "{:?}", scene.calls);
}

#[test]
fn an_import_error_that_names_the_target_is_red() {
    let mut scene = Scene::new(but("test_first", |call, git| {
        git.write("tests/total.test", "prints no-symbol\n");
        Some(answer(&[("test-contract.yaml", tests(call, "tests/total.test", "happy_path"))]))
    }));
    scene.drive_to("implement");
    assert_eq!(scene.failures(), [""; 0]);
}

/// A process that dies during a trial leaves the room of the request as it was judged.
#[test]
fn a_trial_that_was_cut_off_is_made_again() {
    let mut scene = first_tests("existing", "calls src/total.sh sum\n", &["Total.sum"]);
    for _ in 0..2_000 {
        if scene.git.has_trial() {
            break;
        }
        assert_eq!(scene.turn(), None);
    }
    scene.restart();
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.failures(), [""; 0]);
    assert!(!scene.git.has_trial());
}
