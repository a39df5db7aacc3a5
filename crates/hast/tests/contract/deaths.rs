//! hast is killed in the middle, interrupted, or started twice. Each commit is made exactly once.

use std::path::Path;
use std::process::Stdio;

use hast_stage::dice::random_seed;
use hast_stage::plays::contract::TestFirst;
use hast_stage::rounds;
use rustix::process::Signal;

use crate::scene::{ONE, Scene};

#[test]
fn killed_at_any_moment_each_commit_is_made_once() {
    let hast = Path::new(env!("CARGO_BIN_EXE_hast"));
    let tally = rounds::play(&TestFirst, hast, 4, random_seed(), 2);
    assert!(tally.diverged.is_empty(), "{:#?}", tally.diverged);
    assert!(tally.ended_before < tally.kills, "no kill came in time: {tally}");
}

#[test]
fn interrupted_while_it_implements_the_work_is_saved_and_done_again() {
    let hangs = "  - when: {step: implement, missing: .git/go}\n    do:\n      - write: {path: src/total.sh, text: half}\n      - hang\n";
    let scene = Scene::new(&format!("{hangs}{ONE}"));
    let mut command = scene.hast_command(&["contract", "start", "a total"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    scene.wait_until("the implementer works", |scene| scene.has("src/total.sh"));
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
