//! Lines on stderr of `hast agent run` while an agent works and says nothing.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::scene::Scene;

/// A tool, what the model used, and then nothing.
const SILENT: &str = r#"echo '{"hast":"tool","name":"Bash","on":"make check"}'
echo '{"hast":"usage","input_tokens":1200,"output_tokens":34,"of":"call"}'
while :; do sleep 1; done"#;

#[test]
fn a_silent_agent_is_told_of_now_and_then_and_beside_json_too() {
    for more in [&[][..], &["--json"]] {
        let scene = Scene::new(SILENT).env("HAST_TEST_BEAT", "20");
        let args =
            ["agent", "run", "--role", "worker", "--prompt-file", "p.md", "--timeout", "60s"];
        let mut command = scene.command(&[&args[..], more].concat());
        let mut hast = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(hast.stderr.take().unwrap()).lines().map(Result::unwrap);
        let beat = "s · Bash: make check · 1.2k tokens";
        let line = lines.find(|line| line.contains(beat)).expect("the agent's time is over");
        assert!(line.starts_with("by-hand: "), "{line}");
        kill_process(Pid::from_child(&hast), Signal::INT).unwrap();
        let mut out = String::new();
        hast.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        let rest: Vec<String> = lines.collect();
        assert_eq!(hast.wait().unwrap().code(), Some(130), "{rest:?}");
        if more.is_empty() {
            continue;
        }
        let told: serde_json::Value = serde_json::from_str(&out).expect("one document");
        assert_eq!(told["outcome"], "cancelled", "{out}");
    }
}

#[test]
fn with_quiet_nothing_is_said() {
    let script = SILENT.replace("while :; do sleep 1; done", "sleep 0.3");
    let scene = Scene::new(&script).env("HAST_TEST_BEAT", "20");
    assert!(scene.call(&[]).err.contains("make check"), "beside --json there are lines");
    let ran = scene.call(&["-q"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
}
