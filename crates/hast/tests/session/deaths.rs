//! hast is killed in the middle, or started twice. The session goes on and nothing is done twice.

use std::path::Path;

use hast_stage::dice::random_seed;
use hast_stage::plays::session::Research;
use hast_stage::rounds;

use crate::scene::Scene;
use crate::torn::cut_off;

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

/// The newer session has ended, although its log does not say so yet: the older one is resumed.
#[test]
fn a_session_whose_end_was_cut_off_is_not_resumed_again() {
    let scene = Scene::new("  - when: {step: verdict, exists: stop}\n    do: [{blocked: later}]\n");
    scene.write("stop", "");
    assert_eq!(scene.ask().code, 3);
    scene.remove("stop");
    let ended = scene.ask();
    assert_eq!(ended.code, 0, "{ended:?}");
    scene.write("stop", "");
    let newer = format!("sessions/{}", scene.names("sessions").pop().unwrap());
    let log = "plan/active/status_log.ndjson";
    let whole = scene.read(&format!("{newer}/{log}"));
    let lines: Vec<&str> = whole.lines().collect();
    let before = lines[..lines.len() / 2].join("\n") + "\n";
    cut_off(&scene, &newer, &[(log, Some(&before), &whole)]);
    let resumed = scene.hast(&["session", "resume"]);
    assert_eq!(resumed.code, 3, "the older one waits: {resumed:?}");
}
