//! On a terminal the proposal is shown and the person is asked at once.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::scene::Scene;

const START: &[&str] = &["run", "start", "--mode", "initial", "report the sales"];

/// Runs hast on a terminal of its own, with somebody who types this.
fn on_terminal(scene: &Scene, args: &[&str], typed: &str) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let end =
        File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).unwrap();
    let mut command = scene.hast_command(args);
    command.env("TERM", "xterm").stdin(Stdio::from(end.try_clone().unwrap()));
    command.stdout(Stdio::from(end.try_clone().unwrap())).stderr(Stdio::from(end));
    let mut child = command.spawn().unwrap();
    // The ends that the command still holds would keep the terminal open.
    drop(command);
    let mut terminal = File::from(terminal);
    terminal.write_all(typed.as_bytes()).unwrap();
    let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = terminal.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..count]);
    }
    let code = child.wait().unwrap().code().unwrap_or(-1);
    (code, String::from_utf8_lossy(&shown).into_owned())
}

#[test]
fn the_question_is_asked_until_it_is_answered_and_a_modification_proposes_again() {
    let scene = Scene::new();
    let (code, shown) = on_terminal(&scene, START, "well\nmodify\nMODIFY shorter\nconfirm\n");
    assert_eq!((code, scene.status().as_str()), (0, "COMPLETED"), "{shown}");
    assert_eq!(shown.matches("# Proposal").count(), 2, "{shown}");
    assert_eq!(shown.matches("please begin with CONFIRM").count(), 2, "{shown}");
    let decisions = scene.read(&format!("runs/{}/decisions.ndjson", scene.run()));
    assert!(decisions.contains("shorter") && decisions.contains("CONFIRM"), "{decisions}");
}

#[test]
fn cancelling_ends_it_and_silence_leaves_it_waiting() {
    let scene = Scene::new();
    let (code, shown) = on_terminal(&scene, START, "\u{4}");
    assert_eq!((code, scene.status().as_str()), (3, "AWAITING_CONFIRMATION"), "{shown}");
    // The run that was left is offered first.
    let (code, shown) = on_terminal(&scene, START, "y\n취소 나중에\n");
    assert_eq!((code, scene.status().as_str()), (1, "FAILED"), "{shown}");
    assert!(shown.contains("나중에"), "{shown}");
    assert_eq!(scene.names("runs").len(), 1);
}
