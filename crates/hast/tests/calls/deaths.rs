//! hast is killed or interrupted in the middle of a call, or makes several at once.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{Scene, marked, wait_until};

/// A child in its group, one in a session of its own, and a leader that does not listen.
const FAMILY: &str =
    "trap '' TERM; sleep 1000 & setsid sh -c 'trap \"\" TERM; sleep 1000; sleep 1000' &
    echo partial >\"$HAST_OUTBOX/a.md\"; echo running; while :; do sleep 1000; done";

fn marked_scene(name: &str) -> (Scene, String) {
    let mark = format!("HAST_MARK={name}-{}-", std::process::id());
    let (key, value) = mark.split_once('=').unwrap();
    (Scene::new(FAMILY).env(key, value), mark.clone())
}

const ARGS: [&str; 8] =
    ["agent", "run", "--role", "worker", "--prompt-file", "p.md", "--expect", "a.md"];

#[test]
fn killed_hast_leaves_no_process_and_the_next_start_goes_on() {
    let (scene, mark) = marked_scene("killed");
    let mut hast = scene.command(&ARGS).stderr(Stdio::null()).spawn().unwrap();
    let outbox = scene.at("project/.hast/calls/by-hand+worker/1/outbox");
    wait_until("the agent", || outbox.join("a.md").exists().then_some(()));
    wait_until("its family", || (marked(&mark).len() >= 5).then_some(()));
    hast.kill().unwrap();
    hast.wait().unwrap();
    wait_until("all gone", || marked(&mark).is_empty().then_some(()));
    scene.script("agent.sh", "echo whole >\"$HAST_OUTBOX/a.md\"");
    let ran = scene.call(&["--expect", "a.md"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.json()["record"].as_str().unwrap().ends_with("/2"));
    assert!(!outbox.exists(), "what a killed call left unread is removed");
}

#[test]
fn ctrl_c_ends_everything_of_the_agent_with_exit_130() {
    let (scene, mark) = marked_scene("interrupted");
    let mut hast = scene.command(&ARGS).stderr(Stdio::null()).spawn().unwrap();
    wait_until("its family", || (marked(&mark).len() >= 5).then_some(()));
    let pid = Pid::from_child(&hast);
    // The leader does not listen: the second time nobody is asked. Two signals at once may be one.
    let ended = wait_until("its end", || {
        kill_process(pid, Signal::INT).unwrap();
        hast.try_wait().unwrap()
    });
    assert_eq!(ended.code(), Some(130));
    assert_eq!(marked(&mark), [0_u32; 0]);
    let record = scene.at("project/.hast/calls/by-hand+worker/1/record.json");
    let record = std::fs::read_to_string(record).unwrap();
    assert!(record.contains("\"outcome\": \"cancelled\""), "{record}");
}

#[test]
fn calls_at_once_have_records_of_their_own() {
    let scene = Scene::new("echo \"$HAST_CALL\" >\"$HAST_OUTBOX/a.md\"");
    let started: Vec<_> = (0..6)
        .map(|_| scene.command(&ARGS).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
        .collect();
    for mut hast in started {
        assert_eq!(hast.wait().unwrap().code(), Some(0));
    }
    let mut told: Vec<String> = (1..=6)
        .map(|number| {
            let call = scene.at(&format!("project/.hast/calls/by-hand+worker/{number}"));
            std::fs::read_to_string(call.join("outbox/a.md")).unwrap()
        })
        .collect();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), 6);
}

#[test]
fn a_limit_that_was_hit_is_known_to_whoever_comes_after_a_kill() {
    let limited = "echo x >>\"$HOME/../first\"; echo \"You've hit your usage limit.\" >&2; exit 1";
    let mark = format!("HAST_MARK=after-limit-{}-", std::process::id());
    let (key, value) = mark.split_once('=').unwrap();
    let scene = Scene::new(limited).env(key, value).env("HAST_TRUST", "all");
    scene.script("second.sh", ": >\"$HOME/../running\"; sleep 1000");
    let second = scene.at("second.sh").display().to_string();
    let tools = format!("ai_tools:\n  other: sh {second} {{prompt_file}}\nfallback: [other]\n");
    scene.file("project/.ai/config.yaml", &format!("sandbox: off\n{tools}"));
    let mut hast = scene.command(&ARGS).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the fallback", || scene.at("running").exists().then_some(()));
    hast.kill().unwrap();
    hast.wait().unwrap();
    wait_until("all gone", || marked(&mark).is_empty().then_some(()));
    scene.script("second.sh", "echo y >\"$HAST_OUTBOX/a.md\"");
    let ran = scene.call(&["--expect", "a.md"]);
    assert_eq!((ran.code, &ran.json()["agent"]), (0, &serde_json::json!("other")), "{ran:?}");
    assert_eq!(scene.starts("first"), 1, "the limited agent was started again");
}
