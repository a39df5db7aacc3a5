//! hast is killed in the middle, or started twice. The request goes on and no item is done twice.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use hast_stage::dice::random_seed;
use hast_stage::plays::kernel::Growing;
use hast_stage::rounds;

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
