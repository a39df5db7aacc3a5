//! `hast agent prompt`: the prompts that agents get, as the demo of each flow makes them. The demos are played
//! in a directory that is deleted again, so nothing is invented and no project is needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ValueEnum;
use hast_flow::words::{shell_word, visible_lines};
use serde::Deserialize;
use serde_json::json;

use crate::agent_messages::say;
use crate::app::App;
use crate::cli::{DemoFlow, PromptArgs};
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

/// Directories of the records of calls, below a demo's directory.
const CALLS: [&str; 2] = [".hast/calls", ".ai/.hast/calls"];
/// The name of the demo's directory in what is shown.
const PROJECT: &str = "/project";

/// The part of a call's document that names its prompt.
#[derive(Debug, Deserialize)]
struct PromptName {
    flow: String,
    role: String,
    step: String,
}

#[derive(Debug)]
struct ToldPrompt {
    asked: PromptName,
    text: String,
}

pub(crate) fn run(app: &mut App, args: &PromptArgs) -> Result<Exit, Problem> {
    let mut prompts = Vec::new();
    let flows: &[DemoFlow] = match &args.flow {
        Some(flow) => std::slice::from_ref(flow),
        None => DemoFlow::value_variants(),
    };
    for flow in flows {
        prompts.extend(played(app, *flow)?);
    }
    let is = |wanted: &Option<String>, name: &str| {
        wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(name))
    };
    prompts
        .retain(|prompt| is(&args.role, &prompt.asked.role) && is(&args.step, &prompt.asked.step));
    if prompts.is_empty() {
        let lang = app.lang;
        return Err(Problem::usage(say::prompt_unknown(lang), say::prompt_unknown_next(lang)));
    }
    if app.json {
        let all = prompts.iter().map(|prompt| {
            let PromptName { flow, role, step } = &prompt.asked;
            json!({ "flow": flow, "role": role, "step": step, "bytes": prompt.text.len(), "text": prompt.text })
        });
        app.print_json(&json!({ "prompts": all.collect::<Vec<_>>() }))?;
    } else if args.flow.is_none() && args.role.is_none() && args.step.is_none() {
        app.print(&table(app, &prompts))?;
    } else {
        let texts = prompts.iter().map(|prompt| {
            let PromptName { flow, role, step } = &prompt.asked;
            format!("# {flow} · {role} · {step}\n\n{}\n", visible_lines(prompt.text.trim_end()))
        });
        app.print_exact(&texts.collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Exit::Done)
}

fn table(app: &App, prompts: &[ToldPrompt]) -> String {
    let width = |name: fn(&PromptName) -> &String| {
        prompts.iter().map(|prompt| name(&prompt.asked).len()).max().unwrap_or(0)
    };
    let (flows, roles, steps) =
        (width(|one| &one.flow), width(|one| &one.role), width(|one| &one.step));
    let mut text = String::new();
    for ToldPrompt { asked: PromptName { flow, role, step }, text: prompt } in prompts {
        let bytes = prompt.len();
        text += &format!("{flow:flows$}  {role:roles$}  {step:steps$}  {bytes:>5} B\n");
    }
    if let Some(PromptName { flow, role, step }) = prompts.first().map(|prompt| &prompt.asked) {
        let (role, step) = (shell_word(role), shell_word(step));
        let next = format!("hast agent prompt --flow {flow} --role {role} --step {step}");
        text += &format!("{}: {next}\n", common::next(app.lang));
    }
    text
}

/// The prompts of a flow's demo, by role and step; the longest of each, which has the words of a second attempt.
#[expect(
    clippy::disallowed_methods,
    reason = "a demo is this very program, in a directory of its own"
)]
fn played(app: &App, flow: DemoFlow) -> Result<Vec<ToldPrompt>, Problem> {
    let lang = app.lang;
    let failed = |why: String| {
        Problem::new(say::prompt_demo(lang), say::prompt_demo_next(lang)).because(why)
    };
    let told = |error: std::io::Error| failed(error.to_string());
    let scratch = tempfile::tempdir().map_err(told)?;
    let place = scratch.path().join("project");
    let name =
        flow.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let hast = std::env::current_exe().map_err(told)?;
    let mut demo = Command::new(hast);
    demo.args(["demo", &name, "--quiet", "--lang", lang.code(), "--dir"]).arg(&place);
    let output = demo.current_dir(scratch.path()).stdin(Stdio::null()).output().map_err(told)?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let mut prompts = Vec::new();
    for calls in CALLS {
        for call in directories(&place.join(calls)).iter().flat_map(|unit| directories(unit)) {
            let asked = fs::read(call.join("call.json")).map_err(told)?;
            let asked: PromptName =
                serde_json::from_slice(&asked).map_err(|error| failed(error.to_string()))?;
            let text = fs::read_to_string(call.join("prompt.md")).map_err(told)?;
            let text = text.replace(&*place.to_string_lossy(), PROJECT);
            prompts.push(ToldPrompt { asked, text });
        }
    }
    prompts.sort_by(|one, other| {
        let key = |prompt: &ToldPrompt| (prompt.asked.role.clone(), prompt.asked.step.clone());
        let longer = other.text.len().cmp(&one.text.len());
        key(one).cmp(&key(other)).then(longer).then_with(|| one.text.cmp(&other.text))
    });
    prompts.dedup_by(|next, kept| {
        next.asked.role == kept.asked.role && next.asked.step == kept.asked.step
    });
    Ok(prompts)
}

fn directories(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
