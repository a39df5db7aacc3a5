//! A person works in the repository while a request is driven, or lies cut off: nothing of theirs is taken
//! away, and what hast does not do for their sake is told.

use hast_flow::flows::contract::{Asked, layout};
use hast_flow::ids::Sha256;
use hast_flow::steps::{Effect, Ending, Place, Step};
use serde_json::Value;

use crate::actors::{CODE, but, honest};
use crate::scene::{HASH, Scene};

fn resume() -> Asked {
    Asked::Resume { id: "R1".parse().unwrap() }
}

/// Plays a call during which a person commits on the branch.
fn commits_during(step: &'static str, file: &'static str) -> Scene {
    let mut once = false;
    let mut scene = Scene::new(but(step, move |_, git| {
        if !std::mem::replace(&mut once, true) {
            git.commit("my own", &[(file, "mine")]);
        }
        None
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    scene
}

const TEST: &str = "test(R1/T1-S1): sum up";
const FEAT: &str = "feat(R1/T1-S1): sum up";

#[test]
fn a_commit_of_the_user_stays_and_the_work_comes_on_top_of_it_tested_again() {
    for step in ["test_first", "implement", "review", "verify"] {
        let scene = commits_during(step, "doc.md");
        assert_eq!(scene.git.history, ["first", "my own", TEST, FEAT], "{step}");
        assert_eq!(scene.failures(), [""; 0], "{step}");
        assert_eq!(scene.git.on_branch()["doc.md"], "mine");
        assert_eq!(scene.git.on_branch()["src/total.sh"], CODE);
        assert_eq!(scene.calls.len(), 7, "no agent is called again: {:?}", scene.calls);
    }
}

#[test]
fn nothing_is_on_the_users_branch_before_the_subtask_is_complete() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("verify");
    assert_eq!(scene.git.history, ["first"]);
    scene.drive();
    assert_eq!(scene.git.history, ["first", TEST, FEAT]);
}

#[test]
fn a_commit_on_the_same_file_sends_the_subtask_back_to_its_tests_on_top_of_it() {
    let scene = commits_during("verify", "src/total.sh");
    assert_eq!(scene.git.history, ["first", "my own", TEST, FEAT]);
    assert!(scene.failures()[0].starts_with("GATE-2 "), "{:?}", scene.failures());
    assert!(scene.failures()[0].contains("src/total.sh"), "{:?}", scene.failures());
    assert_eq!(scene.git.on_branch()["src/total.sh"], CODE, "the second round is on top of it");
    assert_eq!(scene.git.saved, ["refs/hast/attempts/R1-T1-S1/2"], "the first is kept");
}

#[test]
fn work_that_is_red_on_top_of_what_came_is_sent_back_with_what_the_tests_said() {
    let mut once = false;
    let mut scene = Scene::new(but("verify", move |_, git| {
        if !std::mem::replace(&mut once, true) {
            git.commit("my own", &[("tests/mine.test", "needs src/total.sh unheard of\n")]);
        }
        None
    }));
    let Ending::Failed(_) = scene.drive() else { panic!() };
    let failures = scene.failures();
    assert!(failures[0].contains("red") || failures[0].contains("exit code 1"), "{failures:?}");
    assert_eq!(scene.git.history, ["first", "my own"]);
}

#[test]
fn a_branch_that_moves_at_the_last_moment_is_followed() {
    let mut scene = Scene::new(but("verify", |_, git| {
        git.rival = vec![("other.md", "theirs")];
        None
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.git.history, ["first", "theirs", TEST, FEAT]);
}

#[test]
fn a_merge_that_would_touch_the_users_files_waits_for_the_user_and_then_goes_on() {
    let mut scene = Scene::new(Box::new(honest));
    scene.git.in_the_way = vec!["src/total.sh".to_owned()];
    let Ending::Failed(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("T1-S1 passed its gates"), "{notice:?}");
    assert!(
        notice.what.contains("src/total.sh") && notice.next.contains("resume R1"),
        "{notice:?}"
    );
    assert_eq!(scene.events("REQUEST_STOPPED")[0]["detail"]["by"], "others");
    assert_eq!(scene.git.history, ["first"]);
    let calls = scene.calls.len();
    scene.ask(resume());
    let Ending::Failed(_) = scene.drive() else { panic!("it is still there") };
    scene.git.in_the_way.clear();
    scene.ask(resume());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.git.history, ["first", TEST, FEAT]);
    assert_eq!(scene.calls.len(), calls, "no agent is called again");
}

#[test]
fn work_that_a_person_merged_by_hand_is_complete() {
    let mut scene = Scene::new(Box::new(honest));
    scene.git.in_the_way = vec!["src/total.sh".to_owned()];
    scene.drive();
    scene.git.in_the_way.clear();
    scene.git.merge_lane();
    scene.git.commit("my own", &[("doc.md", "mine")]);
    scene.ask(resume());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.git.history, ["first", TEST, FEAT, "my own"]);
}

/// hast dies while the implementer works.
#[test]
fn a_cut_off_call_is_saved_and_done_again_whatever_the_user_did_meanwhile() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    scene.git.write("src/total.sh", "half");
    scene.git.commit("my own", &[("doc.md", "mine")]);
    scene.ask(resume());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.git.saved, ["refs/hast/attempts/R1-T1-S1/2"]);
    assert_eq!(scene.git.history, ["first", "my own", TEST, FEAT]);
}

#[test]
fn a_room_that_somebody_deleted_between_two_attempts_is_made_again() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    scene.ask(Asked::Stop { id: "R1".parse().unwrap() });
    scene.drive();
    scene.git.lose_room();
    scene.ask(resume());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert_eq!(scene.git.history, ["first", TEST, FEAT]);
}

#[test]
fn a_reviewer_reads_the_room_and_may_not_write_there() {
    let mut scene = Scene::new(Box::new(honest));
    for (step, reads) in [("implement", false), ("review", true), ("verify", true)] {
        scene.drive_to(step);
        let Step::Effect { effect: Effect::Call(call), .. } = scene.next() else { panic!() };
        assert_eq!(matches!(call.place, Place::Viewing(_)), reads, "{step}: {:?}", call.place);
        assert_eq!(matches!(call.place, Place::Worktree(_)), !reads, "{step}");
    }
}

/// Its base is on the user's branch: the attempt was made in the checkout.
#[test]
fn a_request_that_an_earlier_version_left_in_the_checkout_is_told_and_begins_its_subtask_again() {
    let mut scene = Scene::new(Box::new(honest));
    scene.drive_to("implement");
    for bytes in scene.documents.values_mut() {
        let text = String::from_utf8_lossy(bytes);
        let base = "refs/hast/lanes/=contract-a1b2c3d4-R1";
        *bytes = text.replace(base, "refs/heads/main").into_bytes();
    }
    // The hash of the document is in the log, as that version would have had it.
    let path = "attempts/R1/T1-S1/2/base.json";
    let log = scene.text(layout::LOG);
    let written = log.lines().rfind(|line| line.contains(path)).unwrap();
    let event: Value = serde_json::from_str(written).unwrap();
    let files = event["detail"]["files"].as_array().unwrap();
    let old = files.iter().find(|file| file["path"] == path).unwrap()["sha256"].clone();
    let new = Sha256::of(&scene.documents[path]).to_string();
    let first = "attempts/R1/T1-S1/1/base.json";
    let other = log.lines().find(|line| line.contains(first)).unwrap();
    let event: Value = serde_json::from_str(other).unwrap();
    let files = event["detail"]["files"].as_array().unwrap();
    let old_first = files.iter().find(|file| file["path"] == first).unwrap()["sha256"].clone();
    let new_first = Sha256::of(&scene.documents[first]).to_string();
    let log = log.replace(old.as_str().unwrap(), &new);
    let log = log.replace(old_first.as_str().unwrap(), &new_first);
    scene.documents.insert(layout::LOG.to_owned(), log.into_bytes());
    scene.ask(resume());
    let Ending::Failed(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("an earlier version of hast"), "{notice:?}");
    scene.ask(resume());
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(
        scene.calls.contains(&"qa-engineer test_first T1-S1 2".to_owned()),
        "{:?}",
        scene.calls
    );
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
