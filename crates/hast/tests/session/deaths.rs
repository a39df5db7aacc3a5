//! hast is killed in the middle, or started twice. The session goes on and nothing is done twice.

use std::path::Path;

use hast_stage::dice::random_seed;
use hast_stage::plays::session::Research;
use hast_stage::rounds;

use crate::scene::Scene;

#[test]
fn killed_at_any_moment_a_session_ends_as_one_that_was_not() {
    let hast = Path::new(env!("CARGO_BIN_EXE_hast"));
    let tally = rounds::play(&Research::of(8), hast, 4, random_seed(), 2);
    assert!(tally.diverged.is_empty(), "{:#?}", tally.diverged);
    assert!(tally.ended_before < tally.kills, "no kill came in time: {tally}");
}

#[test]
fn a_second_driver_is_told_who_drives() {
    let scene = Scene::new("  - when: {step: plan}\n    do:\n      - hang\n");
    let mut first = scene.start(&["session", "start", "first"]);
    scene.wait_until("the session is there", |stage| {
        stage
            .names("sessions")
            .iter()
            .any(|name| stage.has(&format!("sessions/{name}/status.json")))
    });
    let second = scene.hast(&["session", "resume"]);
    let pid = first.id().to_string();
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, 4, "{second:?}");
    assert!(second.err.contains(&pid), "{}", second.err);
}
