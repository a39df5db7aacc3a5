//! hast is killed in the middle, or started twice. The session goes on and nothing is done twice.

use std::path::Path;
use std::process::Stdio;

use hast_stage::dice::random_seed;
use hast_stage::plays::session::Research;
use hast_stage::rounds;
use rustix::process::Signal;

use crate::scene::{Scene, fetch, planned};
use crate::torn::cut_off;

#[test]
fn killed_at_any_moment_a_session_ends_as_one_that_was_not() {
    let hast = Path::new(env!("CARGO_BIN_EXE_hast"));
    let tally = rounds::play(&Research::of(8), hast, 4, random_seed(), 2);
    assert!(tally.diverged.is_empty(), "{:#?}", tally.diverged);
    assert!(tally.ended_before < tally.kills, "no kill came in time: {tally}");
}

#[test]
fn a_start_that_was_killed_before_its_first_document_leaves_no_session_behind() {
    let scene = Scene::new("");
    scene.write("sessions/S-20260101-000000Z/.hast/driver-S-20260101-000000Z.lock", "");
    scene.write("sessions/S-20260102-000000Z/.hast/lock", "");
    scene.write("sessions/S-20260103-000000Z/notes.md", "mine\n");
    assert!(scene.shell("mkdir sessions/S-20260104-000000Z").code == 0);
    scene.hast(&["session", "start", "is it so?"]);
    let names = scene.names("sessions");
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.contains(&"S-20260103-000000Z".to_owned()), "{names:?}");
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

#[test]
fn an_interruption_does_not_wait_for_a_source_that_never_answers() {
    let scene = Scene::new("");
    scene.rehearse(&planned("plan", 1, 1, &[fetch("T-0001", "never")]));
    let mut command = scene.hast_command(&["session", "start", "is it so?"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    scene.wait_until("the page is asked for", |_| scene.pages.asked("/news.example/never") == 1);
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::INT).unwrap();
    // A minute is the request's own limit, and it would be made four times.
    scene.wait_until("hast has ended", |_| child.try_wait().unwrap().is_some());
    let ended = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{err}");
    assert_eq!(scene.pages.asked("/news.example/never"), 1);
    assert_eq!(scene.events().last().unwrap(), "TASK_STARTED", "no attempt is spent");
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

/// The first commit of all makes the documents by which a session is known.
#[test]
fn a_session_that_was_cut_off_before_its_documents_were_there_is_resumed() {
    let begun = Scene::new("  - when: {step: plan}\n    do: [{blocked: later}]\n");
    assert_eq!(begun.ask().code, 3);
    let place = format!("sessions/{}", begun.names("sessions").remove(0));
    let mut made = Vec::new();
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        for name in begun.names(&format!("{place}/{directory}")) {
            let path = format!("{directory}{name}");
            match begun.root().join(&place).join(&path).is_dir() {
                true if name == ".hast" => {}
                true => directories.push(path + "/"),
                false => made.push((begun.read(&format!("{place}/{path}")), path)),
            }
        }
    }
    let scene = Scene::new("");
    let torn: Vec<_> = made.iter().map(|(text, path)| (path.as_str(), None, &**text)).collect();
    cut_off(&scene, &place, &torn);
    assert!(!scene.has(&format!("{place}/status.json")));
    let resumed = scene.hast(&["session", "resume"]);
    assert_eq!(resumed.code, 3, "its question waits: {resumed:?}");
    assert_eq!(scene.names("sessions").len(), 1);
}
