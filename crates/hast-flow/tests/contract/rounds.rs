//! Every way back is a round; after the third a person is asked, and what was overcome is remembered.

use hast_flow::docs::contract::ContractEvent;
use hast_flow::flows::contract::{Asked, inbox, layout};
use hast_flow::inbox::Inbox;
use hast_flow::steps::Ending;

use crate::actors::{CODE, but, honest};
use crate::scene::{HASH, Scene, done};

fn never_within_scope() -> Scene {
    Scene::new(but("implement", |_, git| {
        git.write("README", "mine");
        Some(done())
    }))
}

#[test]
fn after_three_rounds_the_request_is_stopped_and_its_state_kept() {
    let mut scene = never_within_scope();
    let Ending::Failed(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("3 rounds did not pass"), "{notice:?}");
    assert_eq!(scene.failures().len(), 3);
    assert_eq!(scene.git.files["README"], "read me\n");
    assert_eq!(scene.git.saved.len(), 3, "{:?}", scene.git.saved);
    assert_eq!(scene.gates("T1-S1"), "implementation 1:passed 2:pending 3:failed 4:pending");
    let state = serde_json::to_value(scene.state()).unwrap();
    assert_eq!(state["request"]["status"], "stopped");
}

#[test]
fn a_person_finds_it_in_the_inbox_with_evidence() {
    let mut scene = never_within_scope();
    scene.drive();
    let log = scene.text(layout::LOG);
    let events: Vec<ContractEvent> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut inbox = Inbox::default();
    inbox::fold(events.iter()).iter().for_each(|event| inbox.apply(event));
    let waiting = inbox.waiting();
    assert_eq!(waiting.len(), 1);
    assert!(waiting[0].title.contains("T1-S1 GATE-3"), "{:?}", waiting[0]);
    let evidence = waiting[0].evidence.join("\n");
    assert!(
        evidence.contains("README") && evidence.contains("git show refs/hast/attempts/R1-T1-S1/4"),
        "{evidence}"
    );
}

#[test]
fn resumed_it_has_its_rounds_before_it_again_and_their_numbers_go_on() {
    let mut scene = never_within_scope();
    scene.drive();
    scene.agent = Box::new(honest);
    scene.ask(Asked::Resume { id: "R1".parse().unwrap() });
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    assert!(scene.calls.contains(&"implementer implement T1-S1 4".to_owned()), "{:?}", scene.calls);
    assert_eq!(scene.git.files["src/total.sh"], CODE);
}

#[test]
fn resumed_and_stopped_again_it_does_not_go_round_for_ever() {
    let mut scene = never_within_scope();
    scene.drive();
    scene.ask(Asked::Resume { id: "R1".parse().unwrap() });
    let Ending::Failed(_) = scene.drive() else { panic!() };
    assert_eq!(scene.failures().len(), 6);
}

#[test]
fn what_a_later_round_overcame_becomes_a_pitfall() {
    let mut scene = Scene::new(but("implement", |call, git| {
        git.write("README", "mine");
        (call.attempt == 1).then(done).or_else(|| {
            git.write("README", "read me\n");
            None
        })
    }));
    let Ending::Done(_) = scene.drive() else { panic!("{:?}", scene.failures()) };
    let knowledge = scene.text(&format!("knowledge/{HASH}/knowledge.yaml"));
    assert!(knowledge.contains("outside of the design's file_refs: README"), "{knowledge}");
    assert!(knowledge.contains("learned_from: \"R1/T1-S1\""), "{knowledge}");
    assert!(knowledge.contains("failed GATE-3 in round 1, passed in round 2"), "{knowledge}");
}

#[test]
fn what_was_learnt_is_told_to_whom_it_concerns() {
    let mut scene = Scene::new(but("implement", |call, git| {
        git.write("README", "mine");
        (call.attempt == 1).then(done).or_else(|| {
            git.write("README", "read me\n");
            None
        })
    }));
    scene.drive();
    scene.agent = Box::new(honest);
    scene.git.files.remove("src/total.sh");
    let text = "the README of the design".to_owned();
    scene.git = crate::git::Git::new(&[("README", "read me\n")]);
    scene.ask(Asked::Start { id: "R2".parse().unwrap(), text });
    scene.drive_to("design");
    let prompt =
        scene.prompts.iter().rfind(|prompt| prompt.contains("You are code-explore")).unwrap();
    assert!(prompt.contains("What this project has learnt") && prompt.contains("[P1]"), "{prompt}");
}
