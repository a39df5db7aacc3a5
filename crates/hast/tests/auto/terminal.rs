//! With a terminal there is somebody to ask: commands that a repository brings are shown, and run only
//! after a yes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::scene::{Scene, WORK};

/// Runs hast on a terminal of its own, as a user who has approved nothing and types this.
fn on_terminal(scene: &Scene, args: &[&str], typed: &str) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let end =
        File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).unwrap();
    let mut command = scene.hast_command(args);
    command.env_remove("HAST_TRUST").env("TERM", "dumb");
    command.stdin(Stdio::from(end.try_clone().unwrap()));
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
fn on_a_terminal_the_commands_are_shown_and_run_only_after_a_yes() {
    let scene = Scene::new(WORK);
    for no in ["n\n", "\n", "maybe\n"] {
        let (code, shown) = on_terminal(&scene, &["auto"], no);
        assert_eq!((code, scene.status().as_str()), (1, "active"), "{shown}");
        assert!(shown.contains("sh tests/check.sh"), "{shown}");
        assert!(!scene.has("src/b.txt") && !scene.has(".ai/events"));
    }
    let (code, shown) = on_terminal(&scene, &["auto"], "y\n");
    assert_eq!((code, scene.status().as_str()), (0, "done"), "{shown}");
    assert!(shown.contains("complete"), "{shown}");
    // It is remembered.
    assert_eq!(scene.hast_without_trust(&["auto"]).code, 0);
}
