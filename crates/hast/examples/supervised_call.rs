//! One call to a preset as hast makes it: the preset's command, the guard, the sandbox, the limits,
//! the reader, the outcome. For `tests/real-agents/run`; prints one line of JSON.
//! Arguments: PRESET TREE PROMPT_FILE OUT TIMEOUT_SECONDS STALL_SECONDS WRITABLE... and the variable
//! SANDBOX=off for a call without one.

use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hast_flow::agents::command::{AgentCall, NativeSession};
use hast_flow::agents::limit::Moment;
use hast_flow::agents::outcome::{Documents, Evidence, FailureClass, Outcome, classify};
use hast_flow::agents::presets::Preset;
use hast_flow::agents::provider::Provider;
use hast_flow::agents::usage::Earlier;
use hast_flow::docs::call::{Call, CallLimits};
use hast_flow::docs::document::Version;
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::Language;
use hast_flow::ports::Clock;
use hast_flow::process::exit::Applied;
use hast_flow::process::{Limits, Record, Sandbox, SandboxMode, Supervisor};
use hast_world::clock::Machine;
use hast_world::supervisor::Guarded;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [preset, tree, prompt_file, out, timeout, stall, writable @ ..] = args.as_slice() else {
        return Err("PRESET TREE PROMPT_FILE OUT TIMEOUT STALL WRITABLE...".into());
    };
    let provider = Provider::Preset(Preset::named(preset).ok_or("no such preset")?);
    let out = Path::new(out);
    let outbox = out.join("outbox");
    fs::create_dir_all(&outbox)?;
    let call = AgentCall {
        call: call(tree, &outbox, prompt_file, timeout.parse()?),
        call_file: out.join("call.json").display().to_string(),
        prompt: fs::read_to_string(prompt_file)?,
        session: NativeSession::Fresh,
    };
    let command = provider.command(&call, "hast").map_err(|problem| format!("{problem:?}"))?;
    let mut spec = command.in_environment(std::env::vars_os(), &[]);
    let paths = writable.iter().map(PathBuf::from).chain([tree.into(), outbox]);
    let mode = match std::env::var("SANDBOX").as_deref() {
        Ok("off") => SandboxMode::Off,
        _ => SandboxMode::Prefer,
    };
    spec.sandbox = Sandbox { mode, writable: paths.collect(), ..Sandbox::off() };
    spec.record = Record::Files { stdout: out.join("stdout"), stderr: out.join("stderr") };
    let limits = Limits {
        timeout: Duration::from_secs(timeout.parse()?),
        stall: Some(Duration::from_secs(stall.parse()?)),
        grace: Duration::from_secs(3),
        ..Limits::default()
    };
    let guarded = Guarded::with_guard(hast_beside_us()?, std::env::temp_dir())?;
    let mut reader = provider.reader();
    let ended = guarded.run(&spec, &limits, &mut |stream, bytes| {
        reader.push(stream, bytes);
        ControlFlow::Continue(())
    });
    let reply = reader.finish();
    let now = Machine.now();
    let moment = Moment { now, offset: Machine.local_offset(now) };
    let evidence = Evidence {
        provider: &provider,
        exit: &ended.exit,
        reply: &reply,
        documents: Documents::NoneExpected,
        word: None,
    };
    let usage = reply.usage(Earlier::Nothing);
    let line = json!({
        "outcome": named(&classify(evidence, moment)),
        "exit": format!("{:?}", ended.exit),
        "input_tokens": usage.tokens.map(|tokens| tokens.input),
        "micro_usd": usage.cost.map(|cost| cost.0),
        "session": reply.session.is_some(),
        "swept": ended.swept,
        "sandboxed": matches!(ended.sandbox, Applied::Whole { .. }),
        "seconds": ended.lasted.as_secs(),
    });
    println!("{line}");
    Ok(())
}

fn call(tree: &str, outbox: &Path, prompt_file: &str, timeout_seconds: u64) -> Call {
    Call {
        version: Version,
        flow: FlowName::Goals,
        role: "worker".to_owned(),
        step: "attempt".to_owned(),
        unit: "M1".to_owned(),
        attempt: 1,
        regeneration: 0,
        root: tree.to_owned(),
        workdir: tree.to_owned(),
        outbox: outbox.display().to_string(),
        prompt_file: prompt_file.to_owned(),
        handoff_path: None,
        language: Language::En,
        inputs: Vec::new(),
        expected: Vec::new(),
        limits: CallLimits { timeout_seconds, output_bytes: 1 << 30, tokens: None, usd: None },
        grants: None,
        findings: Vec::new(),
        goal_id: Some("M1".to_owned()),
        session_id: None,
        task_id: None,
        run_id: None,
        phase: None,
        stage_id: None,
        tool_task_id: None,
        request_id: None,
        subtask_id: None,
    }
}

/// `target/debug/hast`, seen from `target/debug/examples`.
fn hast_beside_us() -> Result<PathBuf, Box<dyn Error>> {
    let here = std::env::current_exe()?;
    let directory = here.parent().and_then(Path::parent).ok_or("no directory above")?;
    Ok(directory.join("hast"))
}

fn named(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed => "completed".to_owned(),
        Outcome::Blocked { .. } => "blocked".to_owned(),
        Outcome::Limited(limit) if limit.resume_at.is_some() => "limited + reset".to_owned(),
        Outcome::Limited(_) => "limited".to_owned(),
        Outcome::LoginNeeded { .. } => "login".to_owned(),
        Outcome::Denied { .. } => "denied".to_owned(),
        Outcome::Failed { class: FailureClass::TimedOut, .. } => "timed out".to_owned(),
        Outcome::Failed { class, .. } => format!("{class:?}").to_lowercase(),
        Outcome::NotStarted(_) | Outcome::NeverBegan { .. } => "not started".to_owned(),
        Outcome::Cancelled => "cancelled".to_owned(),
    }
}
