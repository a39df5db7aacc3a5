//! Memory of the contract flow: earlier requests are quoted with their source. claude-mem is asked
//! where it runs.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{ONE, Scene};

#[test]
fn an_earlier_request_is_remembered_with_its_source() {
    let scene = Scene::new(&format!(
        "  - when: {{step: explore, exists: asked}}\n    do:\n      - expect: {{prompt: [\"From earlier requests\", \"explored.yaml\"]}}\n      - failed: it was there\n{ONE}"
    ));
    assert_eq!(scene.hast(&["contract", "start", "read the README of tests"]).code, 0);
    scene.write("asked", "");
    scene.git(&["add", "asked"]);
    scene.git(&["commit", "-qm", "asked"]);
    let ran = scene.hast(&["contract", "start", "what about the README of tests"]);
    assert!(ran.err.contains("it was there"), "{}", ran.err);
}

#[test]
fn prompts_and_streams_are_no_memory_nor_is_the_request_that_asks() {
    let scene = Scene::new(&format!(
        "  - when: {{step: explore, exists: asked}}\n    do:\n      - expect: {{prompt: [\"contracts/R1/explored.yaml\"], not_in_prompt: [prompt.md, stdout.txt, contracts/R2]}}\n      - failed: it was there\n{ONE}"
    ));
    assert_eq!(scene.hast(&["contract", "start", "read the README of tests"]).code, 0);
    scene.write("asked", "");
    scene.git(&["add", "asked"]);
    scene.git(&["commit", "-qm", "asked"]);
    let ran = scene.hast(&["contract", "start", "read the README of tests"]);
    assert!(ran.err.contains("it was there"), "{}", ran.err);
}

#[test]
fn claude_mem_is_asked_over_its_local_http_api() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut asked = String::new();
        // Exploring asks once, designing once.
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 4096];
            let length = stream.read(&mut bytes).unwrap();
            asked += &String::from_utf8_lossy(&bytes[..length]);
            let body = r#"{"results": [{"id": 42, "title": "Totals", "narrative": "sums are kept as integers"}]}"#;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all((head + body).as_bytes()).unwrap();
        }
        asked
    });
    let design = "  - when: {step: design}\n    do:\n      - expect: {prompt: [\"claude-mem #42\", \"sums are kept as integers\"]}\n      - failed: the architect heard too\n";
    let scene = Scene::with(&format!("{ONE}{design}"), "sandbox: off\nmemory: claude-mem\n");
    let mut command = scene.hast_command(&["contract", "start", "a total"]);
    let ended = command.env("CLAUDE_MEM_WORKER_PORT", port.to_string()).output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert!(err.contains("the architect heard too"), "{err}");
    let asked = server.join().unwrap();
    assert!(asked.contains("GET /api/search/observations?query=a+total"), "{asked}");
}

#[test]
fn where_claude_mem_does_not_answer_hast_says_so_and_searches_itself() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let scene = Scene::with(ONE, "sandbox: off\nmemory: claude-mem\n");
    let mut command = scene.hast_command(&["contract", "start", "a total"]);
    let ended = command.env("CLAUDE_MEM_WORKER_PORT", port.to_string()).output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{err}");
    assert!(err.contains("claude-mem does not answer"), "{err}");
}

#[test]
fn an_interruption_does_not_wait_for_a_memory_that_never_answers() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let scene = Scene::with(ONE, "sandbox: off\nmemory: claude-mem\n");
    let mut command = scene.hast_command(&["contract", "start", "a total"]);
    command.env("CLAUDE_MEM_WORKER_PORT", port.to_string()).stderr(Stdio::piped());
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    let (_held, _) = silent.accept().unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{err}");
    // Its own patience is five seconds; after that hast would have searched itself.
    assert!(!err.contains("claude-mem does not answer"), "{err}");
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
}
