//! A task is carried out: exactly its tool calls, or an agent's synthesis; then its outputs, or its
//! failure, are written down.

use std::collections::BTreeSet;

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::session::{
    Artifact, ArtifactManifest, DataSource, PlanTask, RunLogLine, SessionEventKind as Kind,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, about};
use crate::flows::session::policy::EXECUTOR;
use crate::flows::session::view::{View, sha256, task_key};
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, prompts};
use crate::formats::ndjson;
use crate::ids::KnowledgeId;
use crate::knowledge::{Piece, citations};
use crate::replies::{self, Asked};
use crate::steps::{Answer, Call, Effect, EffectResult, Expected, Step, StepKey, ToolUse};
use crate::words::Lang;

/// A file that a task made, by its base name.
struct Output {
    name: String,
    kind: String,
    bytes: Vec<u8>,
}

pub(super) fn step(
    flow: &SessionFlow,
    view: &View,
    facts: &Facts<'_>,
    task: &PlanTask,
    attempt: u32,
) -> Step {
    let key = task_key(&task.id, "execute", attempt);
    if task.data_sources != [DataSource::Synthesis] {
        return use_tools(view, facts, task, attempt, key);
    }
    let asking = flow.asking(view, facts, key);
    let asked = asking
        .ask(|| synthesis(view, facts, task, attempt), |answer| made(task, answer, facts.lang));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => executed(view, facts, task, attempt, steps, &value),
        Asked::Unanswered { why, steps, .. } => {
            failed(view, facts, task, attempt, steps, &why.reason())
        }
    }
}

/// A data task performs exactly its tool calls, without a model.
fn use_tools(view: &View, facts: &Facts<'_>, task: &PlanTask, attempt: u32, key: StepKey) -> Step {
    let Some(result) = view.results.get(&key) else {
        let uses = task.tool_calls.iter();
        let uses = uses.map(|call| ToolUse { name: call.name.clone(), args: call.args.clone() });
        return Step::Effect { key, effect: Effect::Tools(uses.collect()) };
    };
    match fetched(task, result) {
        Ok(outputs) => executed(view, facts, task, attempt, vec![key], &outputs),
        Err(error) => failed(view, facts, task, attempt, vec![key], &error),
    }
}

/// What the tools brought: the i-th call fills the i-th output.
fn fetched(task: &PlanTask, result: &EffectResult) -> Result<Vec<Output>, String> {
    let EffectResult::Tools(answers) = result else {
        return Err("something else answered where tools were asked".to_owned());
    };
    let declared = task.outputs.iter().enumerate();
    let outputs = declared.map(|(index, output)| {
        let name = base_name(&output.path).to_owned();
        match answers.get(index) {
            Some(Ok(bytes)) if !bytes.is_empty() => {
                Ok(Output { name, kind: output.kind.clone(), bytes: bytes.clone() })
            }
            Some(Ok(_)) => Err(format!("{name} is empty")),
            Some(Err(error)) => Err(error.clone()),
            None => Err(format!("{name} has no answer")),
        }
    });
    outputs.collect()
}

/// A synthesis is given only what passed, by the names of the knowledge.
fn synthesis(view: &View, facts: &Facts<'_>, task: &PlanTask, attempt: u32) -> Call {
    let expected = task.outputs.iter().map(|output| Expected::required(base_name(&output.path)));
    let sources = view.plan.iter().flat_map(|plan| plan.sources(task));
    let pieces: Vec<&Piece> =
        sources.flat_map(|source| view.knowledge.active_of(source.as_str())).collect();
    let named: String =
        pieces.iter().map(|piece| format!("- [{}] {}\n", piece.id, piece.artifact)).collect();
    let prompt =
        prompts::synthesize(facts.lang, &task.id, &task.title, prompts::acceptance(task), named);
    let faults = view.faults.get(&task.id).map_or(&[][..], Vec::as_slice);
    let prompt = prompts::with_faults(prompt, faults, facts.lang);
    let artifacts = pieces.iter().map(|piece| piece.artifact.trim_start_matches('/'));
    let inputs = [layout::DECOMPOSITION].into_iter().chain(artifacts);
    Call {
        attempt,
        inputs: inputs.filter_map(layout::path).collect(),
        expected: expected.collect(),
        ..Call::new(EXECUTOR, "synthesize", task.id.as_str(), prompt)
    }
}

/// The outputs that a task declared, all of them, or all that is missing.
fn made(task: &PlanTask, answer: &Answer, lang: Lang) -> Result<Vec<Output>, Vec<CallFinding>> {
    let (mut outputs, mut findings) = (Vec::new(), Vec::new());
    for output in &task.outputs {
        let name = base_name(&output.path).to_owned();
        match replies::file(answer, &name, lang) {
            Ok(bytes) => {
                outputs.push(Output { name, kind: output.kind.clone(), bytes: bytes.to_vec() });
            }
            Err(missing) => findings.extend(missing),
        }
    }
    if findings.is_empty() { Ok(outputs) } else { Err(findings) }
}

fn executed(
    view: &View,
    facts: &Facts<'_>,
    task: &PlanTask,
    attempt: u32,
    steps: Vec<StepKey>,
    outputs: &[Output],
) -> Step {
    let directory = layout::outputs(&task.id, attempt);
    let artifacts = outputs.iter().filter_map(|output| {
        Some(Artifact {
            source_path: output.name.clone(),
            artifact: format!("/{directory}/{}", output.name),
            kind: output.kind.clone(),
            sha256: sha256(&output.bytes)?,
        })
    });
    let artifacts: Vec<Artifact> = artifacts.collect();
    let [task_id, number] = about(task, attempt);
    let mut detail = vec![task_id, number, ("artifacts", json!(artifacts))];
    let cites = cites(task, outputs);
    if !cites.is_empty() {
        detail.push(("cites", json!(cites)));
    }
    let manifest = ArtifactManifest { task_id: task.id.clone(), created_at: facts.now, artifacts };
    let mut draft = Draft::new(view, facts, EXECUTOR, &format!("{} executed", task.id));
    for output in outputs {
        draft = draft.create(&format!("{directory}/{}", output.name), output.bytes.clone());
    }
    draft
        .create_json(&format!("{directory}/artifact_manifest.json"), &manifest)
        .append(&layout::run_log(facts.now), run_line(task, facts, "success", None))
        .event(EXECUTOR, Kind::TaskExecuted, &detail)
        .finishes(steps)
        .starts(task_key(&task.id, "review", attempt))
        .step()
}

/// What a synthesis cites; fetched data may hold anything.
fn cites(task: &PlanTask, outputs: &[Output]) -> BTreeSet<KnowledgeId> {
    if task.data_sources != [DataSource::Synthesis] {
        return BTreeSet::new();
    }
    outputs.iter().flat_map(|output| citations(&String::from_utf8_lossy(&output.bytes))).collect()
}

fn failed(
    view: &View,
    facts: &Facts<'_>,
    task: &PlanTask,
    attempt: u32,
    steps: Vec<StepKey>,
    error: &str,
) -> Step {
    let [task_id, number] = about(task, attempt);
    Draft::new(view, facts, EXECUTOR, &format!("{} failed", task.id))
        .append(&layout::run_log(facts.now), run_line(task, facts, "failure", Some(error)))
        .event(EXECUTOR, Kind::TaskFailed, &[task_id, number, ("error", json!(error))])
        .finishes(steps)
        .step()
}

pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn run_line(task: &PlanTask, facts: &Facts<'_>, result: &str, error: Option<&str>) -> String {
    let calls =
        task.tool_calls.iter().map(|call| (Some(call.name.clone()), Some(call.args.clone())));
    let none = task.tool_calls.is_empty().then_some((None, None));
    calls
        .chain(none)
        .map(|(tool, input)| RunLogLine {
            ts: facts.now,
            task_id: task.id.clone(),
            actor: EXECUTOR.to_owned(),
            action: if tool.is_some() { "run_tool" } else { "synthesize" }.to_owned(),
            tool,
            input,
            result: result.to_owned(),
            error: error.map(str::to_owned),
        })
        .filter_map(|line| ndjson::to_line(&line).ok())
        .collect()
}
