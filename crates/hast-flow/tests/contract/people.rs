//! A person works in the repository while a request is driven, or lies cut off: nothing of theirs is taken
//! away, and what hast does not do for their sake is told.

use hast_flow::flows::contract::{Asked, layout};
use hast_flow::steps::{Effect, Ending, Step};
use serde_json::{Value, json};

use crate::actors::{CODE, TESTS, but, honest, recommend, review, tests};
use crate::scene::{HASH, Scene, answer};

fn resume() -> Asked {
    Asked::Resume { id: "R1".parse().unwrap() }
}

/// hast dies while the implementer works.
fn cut_off() -> Scene {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    scene.git.write("src/total.sh", "half");
    scene
}

#[test]
fn a_commit_made_at_rest_stays_and_a_person_is_asked() {
    let mut scene = cut_off();
    scene.git.commit("my own", &[("doc.md", "mine")]);
    scene.git.write("README", "hours of work");
    scene.ask(resume());
    let Ending::Failed(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("somebody else moved main"), "{notice:?}");
    assert!(notice.what.contains("refs/hast/attempts/R1-T1-S1/2"), "{notice:?}");
    assert!(notice.next.contains("resume R1"), "{notice:?}");
    assert_eq!(scene.git.history, ["first", "test(R1/T1-S1): sum up", "my own"]);
    assert_eq!(scene.git.files["README"], "hours of work");
    assert_eq!(scene.git.files["src/total.sh"], "half", "whose it is, hast does not know");
    assert_eq!(scene.events("REQUEST_STOPPED")[0]["detail"]["by"], "others");
    // What is left is the person's to put away; then it goes on, on top of their commit.
    scene.ask(resume());
    let Ending::Blocked(notice) = scene.drive() else { panic!() };
    assert!(notice.next.contains("git stash push -u -- README src/total.sh"), "{notice:?}");
    scene.git.files.remove("src/total.sh");
    scene.git.write("README", "read me\n");
    scene.ask(resume());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.git.history[2..], ["my own", "feat(R1/T1-S1): sum up"]);
}

#[test]
fn refs_and_branches_made_at_rest_stay() {
    let mut stashed = cut_off();
    stashed.git.moved = vec!["refs/stash".to_owned(), "refs/tags/v1".to_owned()];
    stashed.ask(resume());
    let Ending::Failed(notice) = stashed.drive() else { panic!() };
    assert!(notice.what.contains("refs/stash, refs/tags/v1"), "{notice:?}");
    let mut renamed = cut_off();
    renamed.git.on = Some("refs/heads/trunk");
    renamed.ask(Asked::Stop { id: "R1".parse().unwrap() });
    let Ending::Done(_) = renamed.drive() else { panic!() };
    let stopped = &renamed.events("REQUEST_STOPPED")[0]["detail"];
    let told = stopped["reason"].as_str().unwrap();
    assert!(told.contains("began on main, and trunk is checked out"), "{told}");
    assert_eq!(renamed.git.files["src/total.sh"], "half");
}

/// The call had ended, and nobody had looked at what it did.
#[test]
fn a_commit_made_before_the_work_was_judged_stays() {
    for (step, half) in [("test_first", 1), ("implement", 2)] {
        let mut scene = Scene::new(Box::new(honest));
        scene.drive_to(step);
        // The call, and the commit that says that it ended.
        assert_eq!((scene.turn(), scene.turn()), (None, None));
        scene.git.commit("my own", &[("doc.md", "mine")]);
        scene.ask(resume());
        let Ending::Failed(notice) = scene.drive() else { panic!("{step}") };
        assert!(notice.what.contains("somebody else moved main"), "{step}: {notice:?}");
        assert_eq!(scene.git.history.last().unwrap(), "my own", "{step}");
        assert_eq!(scene.git.saved.len(), 1, "{step} {half}");
    }
}

/// Plays a call during which a person commits; the request, once it is done.
fn commits_during(step: &'static str) -> Scene {
    let mut once = false;
    let mut scene = Scene::new(but(step, move |call, git| {
        if !std::mem::replace(&mut once, true) {
            git.commit("my own", &[("doc.md", "mine")]);
        }
        Some(match call.step {
            "review" => answer(&[("review.json", review("PASS", &Value::Null))]),
            _ => recommend("complete"),
        })
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    scene
}

#[test]
fn a_commit_made_during_the_review_or_the_verification_stays_and_the_work_is_done_again_on_it() {
    for step in ["review", "verify"] {
        let scene = commits_during(step);
        assert_eq!(
            scene.git.history,
            ["first", "test(R1/T1-S1): sum up", "my own", "feat(R1/T1-S1): sum up"],
            "{step}"
        );
        assert!(scene.failures()[0].contains("somebody else moved main"), "{:?}", scene.failures());
        assert_eq!(scene.git.files["doc.md"], "mine");
        assert_eq!(scene.git.files["src/total.sh"], CODE);
        assert_eq!(scene.git.saved, ["refs/hast/attempts/R1-T1-S1/2"], "{step}");
    }
}

/// The commit lies between the tests and the implementation, and the design begins anew.
#[test]
fn a_commit_made_between_two_attempts_is_not_gone_back_behind() {
    let mut scene = Scene::new(Box::new(|call, git| match (call.step, call.attempt) {
        ("review", 1) => answer(&[("review.json", review("FAIL", &json!("design")))]),
        ("test_first", 2) => {
            // Those of the first round lie below the person's commit.
            git.write("tests/total.test", &format!("{TESTS}needs README read\n"));
            answer(&[("test-contract.yaml", tests(call, "tests/total.test", "happy_path"))])
        }
        _ => honest(call, git),
    }));
    scene.drive_to("implement");
    scene.ask(Asked::Stop { id: "R1".parse().unwrap() });
    let Ending::Done(_) = scene.drive() else { panic!() };
    scene.git.commit("my own", &[("doc.md", "mine")]);
    scene.ask(resume());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(scene.git.history.contains(&"my own".to_owned()), "{:?}", scene.git.history);
    assert_eq!(scene.git.files["doc.md"], "mine");
    assert_eq!(scene.git.history.last().unwrap(), "feat(R1/T1-S1): sum up");
}

#[test]
fn files_changed_after_the_suite_are_not_committed_and_told() {
    let mut scene = Scene::new(but("verify", |_, git| {
        git.write("README", "vandal");
        Some(recommend("complete"))
    }));
    let Ending::Done(notice) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(notice.next.contains("README"), "{notice:?}");
    assert_eq!(scene.events("COMMITTED")[1]["detail"]["left"], json!(["README"]));
    assert_eq!(scene.git.files["README"], "vandal", "whose it is, hast does not know");
}

#[test]
fn files_that_a_suite_leaves_are_told_as_such() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("test_first");
    // The call, what it means, the look at it; the suite comes next and leaves a file.
    while !matches!(&scene.next(), Step::Effect { effect: Effect::Check(_), .. }) {
        assert_eq!(scene.turn(), None);
    }
    scene.git.write("__pycache__/a.pyc", "x");
    let Ending::Blocked(notice) = scene.drive() else { panic!() };
    assert!(
        notice.what.contains("while the tests ran") && notice.what.contains("a.pyc"),
        "{notice:?}"
    );
    assert!(notice.next.contains(".gitignore"), "{notice:?}");
    assert!(notice.next.contains("git stash push -u -- __pycache__/a.pyc"), "{notice:?}");
    assert!(!notice.next.contains("git stash -u"), "{notice:?}");
}

#[test]
fn a_start_never_drives_the_request_of_somebody_else() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive();
    scene.ask(Asked::Start { id: "R1".parse().unwrap(), text: "something else".to_owned() });
    let Ending::Blocked(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("R1 is another request"), "{notice:?}");
}

#[test]
fn a_lost_state_is_made_again_from_the_log() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    let path = layout::state(&HASH.parse().unwrap());
    scene.documents.remove(&path);
    scene.ask(Asked::Start { id: "R2".parse().unwrap(), text: "another".to_owned() });
    let Ending::Blocked(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("R1 is active"), "{notice:?}");
    scene.ask(resume());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(scene.text(&path).contains("\"completed\""));
    scene.documents.remove(&path);
    scene.ask(Asked::Start { id: "R2".parse().unwrap(), text: "another".to_owned() });
    scene.drive_to("explore");
    assert!(scene.contract("state.json").contains("\"completed\""), "the first is archived");
}
