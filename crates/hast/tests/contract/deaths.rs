//! hast is killed in the middle, interrupted, or started twice. Each commit is made exactly once.

use std::path::Path;
use std::process::Stdio;

use hast_stage::dice::random_seed;
use hast_stage::plays::contract::TestFirst;
use hast_stage::rounds;
use rustix::process::Signal;

use crate::scene::{ONE, Scene, USERS};
use crate::torn::cut_off;

#[test]
fn killed_at_any_moment_each_commit_is_made_once() {
    let hast = Path::new(env!("CARGO_BIN_EXE_hast"));
    let tally = rounds::play(&TestFirst, hast, 4, random_seed(), 2);
    assert!(tally.diverged.is_empty(), "{:#?}", tally.diverged);
    assert!(tally.ended_before < tally.kills, "no kill came in time: {tally}");
}

#[test]
fn interrupted_while_it_implements_the_work_is_saved_and_done_again() {
    let hangs = format!(
        "  - when: {{step: implement, missing: .git/go}}\n    do:\n      - write: {{path: src/total.sh, text: half}}\n      - write: {{path: {USERS}/.git/here, text: now}}\n      - hang\n"
    );
    let scene = Scene::new(&format!("{hangs}{ONE}"));
    let mut command = scene.hast_command(&["contract", "start", "a total"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    scene.wait_until("the implementer works", |scene| scene.has(".git/here"));
    let second = scene.hast(&["contract", "resume"]);
    assert_eq!(second.code, 4, "{second:?}");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
    scene.nothing_runs();
    scene.write(".git/go", "");
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(scene.commits(), ["feat(R1/T1-S2): sum up", "test(R1/T1-S2): sum up", "first"]);
    let saved = scene.git(&["show", "refs/hast/attempts/R1-T1-S2/2:src/total.sh"]);
    assert_eq!(saved, "half");
    assert!(scene.failures().is_empty(), "an interruption is no round");
}

/// A request whose first commit was cut off is there, although no file says so yet.
fn begun_and_cut_off() -> Scene {
    let scene = Scene::new(ONE);
    let started = "{\"event_id\":\"EV-20260112T143000Z-0001\",\"ts\":\"2026-01-12T14:30:00Z\",\"actor\":\"orchestrator\",\"type\":\"REQUEST_STARTED\",\"detail\":{\"request_id\":\"R1\",\"request\":\"a total\"}}\n";
    let state = "{\n  \"version\": 2,\n  \"request\": {\n    \"id\": \"R1\",\n    \"original_request\": \"a total\",\n    \"status\": \"active\",\n    \"current_task\": null,\n    \"global_phase\": \"global_discovery\"\n  },\n  \"tasks\": {},\n  \"task_order\": []\n}\n";
    let root = scene.root().canonicalize().unwrap();
    let hash = hast_flow::ids::ProjectHash::of(&root.to_string_lossy());
    let path = format!("sessions/{hash}/state.json");
    let files = [("events.ndjson", None, started), (path.as_str(), None, state)];
    cut_off(&scene, ".claude/orchestrator", &files);
    assert!(!scene.has(".claude/orchestrator/events.ndjson"));
    scene
}

#[test]
fn a_request_that_was_cut_off_as_it_began_is_resumed() {
    let scene = begun_and_cut_off();
    let ran = scene.hast(&["contract", "resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.commits(), ["feat(R1/T1-S2): sum up", "test(R1/T1-S2): sum up", "first"]);
}

#[test]
fn a_new_request_does_not_take_the_id_of_one_that_was_cut_off() {
    let scene = begun_and_cut_off();
    let ran = scene.hast(&["contract", "start", "another wish"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("R1 is active"), "{}", ran.err);
    assert_eq!(scene.commits(), ["first"]);
}

/// Killed and resumed, a request has the rounds that it had left, and a stop is a stop.
#[test]
fn a_resumed_request_that_runs_out_of_rounds_stops() {
    let always = format!(
        "  - when: {{step: implement, missing: .git/go}}\n    do: [hang]\n  - when: {{step: implement}}\n    do:\n      - write: {{path: README, text: mine}}\n{ONE}"
    );
    let scene = Scene::new(&always);
    let mut command = scene.hast_command(&["contract", "start", "a total"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    scene.wait_until("the implementer is called", |scene| {
        scene.read(".claude/orchestrator/events.ndjson").contains("\"implement\"")
    });
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    scene.write(".git/go", "");
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 1, "{resumed:?}");
    assert_eq!(scene.failures().len(), 3, "{:?}", scene.failures());
}
