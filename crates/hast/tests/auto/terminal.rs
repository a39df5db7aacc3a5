//! With a terminal there is somebody to ask, and somebody who presses Ctrl-C: commands that a repository
//! brings run only after a yes, and an interruption leaves nothing behind.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::scene::{GO, Scene, WORK};

/// A program on a terminal of its own.
pub(crate) struct Seat {
    terminal: File,
    child: Child,
}

impl Seat {
    fn take(mut command: Command) -> Self {
        command.env("TERM", "xterm");
        Self::take_as_it_is(command)
    }

    fn take_as_it_is(mut command: Command) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let name = OsStr::from_bytes(name.as_bytes());
        let end = File::options().read(true).write(true).open(name).unwrap();
        command.stdin(Stdio::from(end.try_clone().unwrap()));
        command.stdout(Stdio::from(end.try_clone().unwrap())).stderr(Stdio::from(end));
        let child = command.spawn().unwrap();
        Self { terminal: File::from(terminal), child }
    }

    /// As whoever sits at the keyboard of a shell: what is typed goes to all that runs in front.
    pub(crate) fn at_keyboard(scene: &Scene, args: &[&str]) -> Self {
        let hast = env!("CARGO_BIN_EXE_hast");
        Self::take(scene.other_command("setsid", &[&["--ctty", hast], args].concat()))
    }

    /// How large the terminal is.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.terminal, size).unwrap();
    }

    /// What is shown until it has this.
    pub(crate) fn shows(&mut self, wanted: &str) -> String {
        let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
        let (limit, end) =
            (Timespec { tv_sec: 60, tv_nsec: 0 }, Instant::now() + Duration::from_secs(60));
        while !String::from_utf8_lossy(&shown).contains(wanted) {
            let mut fds = [PollFd::new(&self.terminal, PollFlags::IN)];
            let ready = poll(&mut fds, Some(&limit)).unwrap();
            if ready == 0 || Instant::now() > end {
                let _ = self.child.kill();
                panic!("{wanted} never came: {}", String::from_utf8_lossy(&shown));
            }
            let count = self.terminal.read(&mut buffer).unwrap();
            shown.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    }

    pub(crate) fn types(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).unwrap();
    }

    /// The exit code, and everything that was shown.
    pub(crate) fn ends(mut self) -> (i32, String) {
        let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = self.terminal.read(&mut buffer) {
            shown.extend_from_slice(&buffer[..count]);
        }
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        (code, String::from_utf8_lossy(&shown).into_owned())
    }
}

/// Runs hast on a terminal of its own, as a user who has approved nothing and types this.
pub(crate) fn on_terminal(scene: &Scene, args: &[&str], typed: &str) -> (i32, String) {
    let mut command = scene.hast_command(args);
    command.env_remove("HAST_TRUST");
    let mut seat = Seat::take(command);
    seat.types(typed);
    seat.ends()
}

pub(crate) const CTRL_C: &str = "\u{3}";
const GOALS: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";

/// Nothing runs, nothing is in the checkout, nothing counts.
fn left_nothing(scene: &Scene, code: i32, shown: &str) {
    assert_eq!(code, 130, "{shown}");
    assert!(scene.left_running().is_empty(), "{:?}", scene.left_running());
    assert_eq!(scene.git(&["status", "--porcelain"]), "", "{shown}");
    assert!(!scene.has(".ai/auto.lock"), "{shown}");
    assert!(scene.verdicts().is_empty() && scene.status() == "active", "{shown}");
}

/// The next run goes on, saves what was there, and has all its attempts.
fn goes_on(scene: &Scene) {
    scene.agent(WORK);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/half.txt"]), "half");
    assert_eq!(scene.verdicts(), ["complete all_good"]);
    assert!(scene.has("src/b.txt") && !scene.has("src/half.txt") && scene.has("user.log"));
}

fn busy_agent(last: &str) -> Scene {
    let replies = format!(
        "  - do:\n      - write: {{path: src/half.txt, text: half}}\n      - write: {{path: here.log, text: now}}\n{last}"
    );
    Scene::with(GOALS, &replies, "sandbox: off\nmax_retries: 1\n")
}

#[test]
fn a_terminal_that_can_only_write_lines_gets_lines_and_no_colour() {
    for name in [None, Some(""), Some("dumb"), Some("xterm")] {
        let scene = Scene::with(GOALS, &format!("  - do:\n{WORK}"), "");
        let mut command = scene.hast_command(&["auto"]);
        match name {
            Some(name) => command.env("TERM", name),
            None => command.env_remove("TERM"),
        };
        let (code, shown) = Seat::take_as_it_is(command).ends();
        assert_eq!(code, 0, "{name:?}: {shown}");
        assert_eq!(shown.contains('\u{1b}'), name == Some("xterm"), "{name:?}: {shown:?}");
        assert!(shown.contains("M1 The work"), "{name:?}: {shown}");
    }
}

#[test]
fn ctrl_c_while_the_agent_works_leaves_nothing_behind() {
    let scene = busy_agent("      - hang\n");
    let mut seat = Seat::at_keyboard(&scene, &["auto"]);
    scene.wait_for("here.log");
    seat.types(CTRL_C);
    let (code, shown) = seat.ends();
    left_nothing(&scene, code, &shown);
    goes_on(&scene);
}

#[test]
fn ctrl_c_twice_ends_an_agent_that_does_not_listen() {
    let stubborn = "      - run: \"trap '' INT TERM HUP; while true; do sleep 0.05; done\"\n";
    let scene = busy_agent(stubborn);
    let mut seat = Seat::at_keyboard(&scene, &["auto"]);
    scene.wait_for("here.log");
    seat.types(CTRL_C);
    seat.types(CTRL_C);
    let (code, shown) = seat.ends();
    left_nothing(&scene, code, &shown);
    goes_on(&scene);
}

#[test]
fn ctrl_c_while_the_tests_run_leaves_nothing_behind_and_the_agent_is_not_called_again() {
    let handoff = "      - handoff: {status: complete, done: [half], next: nothing}\n";
    let scene = busy_agent(handoff);
    let slow = format!(
        "test -f src/half.txt || exit 0\ntouch testing.log\nwhile ! test -e {GO}; do sleep 0.05; done\n"
    );
    scene.write("tests/check.sh", &slow);
    scene.git(&["commit", "-qam", "slow tests"]);
    let mut seat = Seat::at_keyboard(&scene, &["auto"]);
    scene.wait_for("testing.log");
    seat.types(CTRL_C);
    let (code, shown) = seat.ends();
    left_nothing(&scene, code, &shown);
    scene.agent("      - failed: again\n");
    scene.write("go.log", "");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(
        (scene.verdicts(), scene.has("src/half.txt")),
        (vec!["complete all_good".into()], true)
    );
}

#[test]
fn three_interruptions_in_a_row_count_as_one_attempt() {
    let scene = busy_agent("      - hang\n");
    for _ in 0..3 {
        scene.forget_in_rooms("here.log");
        let mut seat = Seat::at_keyboard(&scene, &["auto"]);
        scene.wait_for("here.log");
        seat.types(CTRL_C);
        let (code, shown) = seat.ends();
        assert_eq!((code, scene.status().as_str()), (130, "active"), "{shown}");
        assert_eq!(scene.git(&["status", "--porcelain"]), "", "{shown}");
    }
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{ran:?}");
    assert_eq!(scene.verdicts(), ["failed interrupted_too_often"]);
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
