//! Tools without a model: what is not set up is no failure, and a wait for the network can be ended.

use std::net::TcpListener;

use rustix::process::{Pid, Signal, kill_process};

use crate::scene::Scene;

const YES: &[&str] = &["run", "start", "--mode", "initial", "--yes", "report the sales"];
const SEARCHES: &str = "  - when: {step: pre_tools}\n    do:\n      - outbox: {tool_tasks.json: [{tool_type: Web Search, tool_task_name: market, tool_task_purpose: find it}]}\n";

#[test]
fn a_search_that_is_not_set_up_blocks_the_run_and_fails_nothing() {
    let scene = Scene::with(SEARCHES);
    let ran = scene.hast(YES);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("HAST_SEARXNG_URL"), "{}", ran.err);
    assert_eq!(scene.status(), "PENDING");
    let tools = format!("runs/{}/db/tool_tasks.md", scene.run());
    let planned = scene.read(&tools);
    assert!(planned.contains("PENDING") && !planned.contains("FAILED"), "{planned}");
    // Somebody decides to do without.
    scene.write(&tools, planned.replace("Web Search", "Check     ").replace("market", "check "));
    assert_eq!(scene.hast(&["run", "resume"]).code, 0);
}

#[test]
fn a_search_that_nobody_answers_is_interrupted_at_once_and_done_again_later() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let scene = Scene::with(SEARCHES);
    let mut command = scene.hast_command(YES);
    let mut child = command.env("HAST_SEARXNG_URL", &url).spawn().unwrap();
    let (_held, _) = silent.accept().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(scene.status(), "PENDING");
    let again = scene.hast(&["run", "resume"]);
    assert!(again.code == 1 && again.err.contains("HAST_SEARXNG_URL"), "{again:?}");
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
}
