//! hast is killed in the middle, or started twice. The request goes on and no item is done twice.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use hast_stage::dice::random_seed;
use hast_stage::plays::kernel::Growing;
use hast_stage::rounds;
use rustix::process::Signal;

use crate::scene::Scene;

#[test]
fn killed_at_any_moment_each_item_is_executed_once() {
    let hast = Path::new(env!("CARGO_BIN_EXE_hast"));
    let tally = rounds::play(&Growing, hast, 6, random_seed(), 2);
    assert!(tally.diverged.is_empty(), "{:#?}", tally.diverged);
    assert!(tally.ended_before < tally.kills, "no kill came in time: {tally}");
}

#[test]
fn a_second_driver_is_told_who_drives() {
    let scene = Scene::new("  - when: {step: plan}\n    do:\n      - hang\n");
    let mut first = scene.start(&["kernel", "start", "first"]);
    let lock = ".brain/.hast/driver-kernel.lock";
    let held = (0..600).any(|_| {
        sleep(Duration::from_millis(50));
        !scene.read(lock).is_empty()
    });
    let second = scene.hast(&["kernel", "start", "second"]);
    let pid = first.id().to_string();
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(held);
    assert_eq!(second.code, 4, "{second:?}");
    assert!(second.err.contains(&pid), "{}", second.err);
}

#[test]
fn an_interruption_ends_with_130_and_resume_goes_on() {
    let hangs = "  - when: {step: execute, unit: b, missing: go}\n    do:\n      - write: {path: \"{{outbox}}/began\", text: x}\n      - hang\n";
    let scene = Scene::new(hangs);
    let mut command = scene.hast_command(&["kernel", "start", "write something"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    scene.wait_until("the second item is worked on", |_| {
        scene.answers().contains_key("a") && !scene.events().is_empty()
    });
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{err}");
    assert!(err.contains("hast kernel resume") || err.contains("again"), "{err}");
    scene.nothing_runs();
    let verified = scene.hast(&["kernel", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    scene.write("go", "");
    let ran = scene.hast(&["kernel", "resume"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "# Report\n\nall done\n"), "{ran:?}");
    assert!(scene.answers().values().all(|answers| *answers == 1), "{:?}", scene.answers());
}
