//! The built-in agent by the real binary: under the guard and in the sandbox, against a server on this
//! machine whose answers come from the request alone.

use std::process::Stdio;
use std::sync::{Arc, Mutex};

use hast_agent::builtin::stand_in::{Play, StandIn};
use serde_json::{Value, json};

use crate::scene::{Scene, marked, wait_until};

const TOOL: [&str; 2] = ["--tool", "builtin:openai-chat/m"];

/// A project whose user has a server in the place of a model.
fn scene(model: impl Fn(&Value) -> Play + Send + Sync + 'static) -> Scene {
    let server = StandIn::start(model).unwrap();
    let scene = Scene::new("exit 1");
    let config = format!(
        "builtin:\n  openai-chat: {{base_url: \"{}\", key_env: MY_SERVICE_KEY, price: {{in: 2.0, out: 4.0}}}}\n",
        server.address
    );
    scene.file("home/.config/hast/config.yaml", &config);
    scene
}

fn turn(request: &Value) -> usize {
    let messages = request["messages"].as_array().unwrap();
    messages.iter().filter(|message| message["role"] == "assistant").count()
}

/// The directory of the documents, as the prompt names it.
fn outbox(request: &Value) -> String {
    let prompt = request["messages"][1]["content"].as_str().unwrap();
    let end = prompt.find("/outbox").unwrap() + "/outbox".len();
    let start = prompt[..end].rfind('`').unwrap() + 1;
    prompt[start..end].to_owned()
}

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({ "file_path": path, "content": content }))
}

#[test]
fn a_call_completes_with_its_document_its_tokens_and_its_cost() {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    let scene = scene(move |request| {
        seen.lock().unwrap().push(request.clone());
        match turn(request) {
            0 => Play::Calls(vec![
                ("read_file", json!({"file_path": "secret.txt"})),
                write("p.md", "changed"),
                write(&format!("{}/a.md", outbox(request)), "whole"),
            ]),
            _ => Play::Text("The secret is s3cr3t-value-9.".to_owned()),
        }
    });
    let scene = scene.env("MY_SERVICE_KEY", "s3cr3t-value-9");
    scene.file("project/secret.txt", "s3cr3t-value-9\n");
    let ran = scene.call(&[&TOOL[..], &["--expect", "a.md"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = ran.json();
    let record = std::path::PathBuf::from(told["record"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(record.join("outbox/a.md")).unwrap(), "whole");
    // A call that only reads has no way to write the project.
    assert_eq!(std::fs::read_to_string(scene.at("project/p.md")).unwrap(), "the prompt\n");
    let (input, output) = (&told["usage"]["input_tokens"], &told["usage"]["output_tokens"]);
    let cost = input.as_u64().unwrap() * 2 + output.as_u64().unwrap() * 4;
    assert_eq!(told["usage"]["micro_usd"], json!(cost), "{told}");
    // The model sees the file as it is, the record does not.
    let requests = requests.lock().unwrap();
    assert!(requests[1]["messages"].to_string().contains("s3cr3t-value-9"));
    let stream = std::fs::read_to_string(record.join("stdout.txt")).unwrap();
    assert!(stream.contains("[MY_SERVICE_KEY redacted]") && !stream.contains("s3cr3t"), "{stream}");
    let call: Value =
        serde_json::from_slice(&std::fs::read(record.join("call.json")).unwrap()).unwrap();
    assert_eq!(call["grants"]["read"], json!([scene.root()]), "{call}");
    let names: Vec<&str> = requests[0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert!(!names.contains(&"run_shell_command") && !names.contains(&"replace"), "{names:?}");
}

#[test]
fn killed_in_the_middle_of_a_tool_nothing_of_it_is_left() {
    let scene = scene(|_| {
        let command = "trap '' TERM; sleep 1000 & setsid sleep 1000 & echo $! > going; sleep 1000";
        Play::Calls(vec![("run_shell_command", json!({"command": command}))])
    });
    let mark = format!("HAST_MARK=builtin-{}-", std::process::id());
    let (name, value) = mark.split_once('=').unwrap();
    let scene = scene.env(name, value);
    let args = ["agent", "run", "--role", "worker", "--prompt-file", "p.md", "--in-place"];
    let mut hast =
        scene.command(&[&args[..], &TOOL].concat()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the tool", || scene.at("project/going").exists().then_some(()));
    wait_until("its processes", || (marked(&mark).len() >= 5).then_some(()));
    hast.kill().unwrap();
    hast.wait().unwrap();
    wait_until("all gone", || marked(&mark).is_empty().then_some(()));
    let left: Vec<_> = std::fs::read_dir(scene.root())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().starts_with(".hast-new"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn without_a_key_and_without_a_server_the_cause_is_told() {
    let scene = Scene::new("exit 1");
    let ran = scene.call(&["--tool", "builtin:anthropic/m"]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("login_needed")), "{ran:?}");
    assert!(ran.err.contains("ANTHROPIC_API_KEY"), "{}", ran.err);
    scene.file(
        "home/.config/hast/config.yaml",
        "builtin:\n  openai-chat: {base_url: \"http://127.0.0.1:1\"}\n",
    );
    let doctor = scene
        .env("HAST_AI_TOOL", "builtin:openai-chat/m")
        .run(&["agent", "doctor", "--call", "--json"]);
    let told: Value = serde_json::from_str(&doctor.out).unwrap();
    assert_eq!((doctor.code, &told["builtin"][0]["answered"]), (1, &json!(false)), "{told}");
    assert_eq!(told["builtin"][0]["address"], json!("http://127.0.0.1:1/"));
}

#[test]
fn the_doctor_hears_the_model() {
    let scene = scene(|_| Play::Text("yes".to_owned())).env("HAST_AI_TOOL", TOOL[1]);
    let doctor = scene.run(&["agent", "doctor", "--call", "--json"]);
    let told: Value = serde_json::from_str(&doctor.out).unwrap();
    assert_eq!(told["builtin"][0]["answered"], json!(true), "{doctor:?}");
}
