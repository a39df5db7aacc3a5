//! What came of a task: its outputs, its failure, or its review and what it promotes.

use serde_json::json;

use crate::docs::session::{
    Artifact, ArtifactManifest, CritiqueReport, KnowledgeIndex, PlanTask, RunLogLine,
    SessionEventKind as Kind, SystemStatus, Verdict,
};
use crate::driver::Facts;
use crate::flows::session::decide::{about, document};
use crate::flows::session::layout;
use crate::flows::session::policy::{CRITIC, EXECUTOR};
use crate::flows::session::promotion::{Artifacts, evidence, promote, sha256};
use crate::flows::session::view::View;
use crate::flows::session::write::Draft;
use crate::formats::ndjson;
use crate::gates::gate;
use crate::steps::{CallResult, EffectResult, Step, StepKey};
use crate::time::UtcTime;

/// A file that a task made, by its base name.
pub(super) struct Output {
    name: String,
    kind: String,
    bytes: Vec<u8>,
}

pub(super) enum NotExecuted {
    Failed(String),
    Limited(Option<UtcTime>),
}

/// The outputs that a task declared, all of them, or why it failed.
pub(super) fn outputs(task: &PlanTask, result: &EffectResult) -> Result<Vec<Output>, NotExecuted> {
    if let EffectResult::Call(CallResult::Limited { until }) = result {
        return Err(NotExecuted::Limited(*until));
    }
    let declared = task.outputs.iter().enumerate();
    let made = declared.map(|(index, output)| {
        let name = output.path.rsplit('/').next().unwrap_or_default().to_owned();
        let bytes = match result {
            EffectResult::Tools(answers) => match answers.get(index) {
                Some(Ok(bytes)) if !bytes.is_empty() => Ok(bytes.clone()),
                Some(Ok(_)) => Err(format!("{name} is empty")),
                Some(Err(error)) => Err(error.clone()),
                None => Err(format!("{name} has no answer")),
            },
            EffectResult::Call(_) | EffectResult::Git(_) | EffectResult::Check(_) => {
                document(result, &name).map(<[u8]>::to_vec)
            }
        };
        bytes.map(|bytes| Output { name, kind: output.kind.clone(), bytes })
    });
    made.collect::<Result<_, _>>().map_err(NotExecuted::Failed)
}

pub(super) fn executed(
    view: &View,
    facts: &Facts,
    task: &PlanTask,
    attempt: u32,
    key: StepKey,
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
    let manifest = ArtifactManifest {
        task_id: task.id.clone(),
        created_at: facts.now,
        artifacts: artifacts.collect(),
    };
    let mut draft = Draft::new(view, facts, EXECUTOR, &format!("{} executed", task.id));
    for output in outputs {
        draft = draft.create(&format!("{directory}/{}", output.name), output.bytes.clone());
    }
    draft
        .create_json(&format!("{directory}/artifact_manifest.json"), &manifest)
        .append(&layout::run_log(facts.now), run_line(task, facts, "success", None))
        .event(EXECUTOR, Kind::TaskExecuted, &about(task, attempt))
        .finishes(key)
        .starts(super::decide::key("review", task, attempt))
        .step(SystemStatus::Critiquing, Some(&task.id))
}

pub(super) fn failed(
    view: &View,
    facts: &Facts,
    task: &PlanTask,
    attempt: u32,
    key: StepKey,
    error: &str,
) -> Step {
    let [task_id, number] = about(task, attempt);
    Draft::new(view, facts, EXECUTOR, &format!("{} failed", task.id))
        .append(&layout::run_log(facts.now), run_line(task, facts, "failure", Some(error)))
        .event(EXECUTOR, Kind::TaskFailed, &[task_id, number, ("error", json!(error))])
        .finishes(key)
        .step(SystemStatus::Executing, Some(&task.id))
}

/// A report that cannot be read is a review that failed, with the reason in it.
pub(super) fn reviewed(
    view: &View,
    facts: &Facts,
    task: &PlanTask,
    attempt: u32,
    key: StepKey,
    report: Result<CritiqueReport, String>,
) -> Step {
    let mut report = report.unwrap_or_else(|error| CritiqueReport {
        task_id: task.id.clone(),
        ts: facts.now,
        verdict: Verdict::Fail,
        findings: Vec::new(),
        required_fixes: vec![error],
        checks: None,
    });
    let manifest = view.manifests.get(&(task.id.clone(), attempt)).cloned();
    let artifacts = Artifacts {
        manifest: manifest.unwrap_or_else(|| ArtifactManifest {
            task_id: task.id.clone(),
            created_at: facts.now,
            artifacts: Vec::new(),
        }),
    };
    let empty = KnowledgeIndex::default();
    let index = view.index.as_ref().map_or(&empty, |known| &known.value);
    let evidence = evidence(task, &artifacts, &report);
    let draft = Draft::new(view, facts, CRITIC, &format!("{} reviewed", task.id)).finishes(key);
    let [task_id, number] = about(task, attempt);
    let path = layout::report(&task.id, attempt);
    match gate(artifacts, &evidence) {
        Ok(passed) => {
            let promoted = promote(&passed, index, facts.now);
            let new = &promoted.knowledge[index.knowledge.len()..];
            let ids: Vec<&str> = new.iter().map(|entry| entry.id.as_str()).collect();
            draft
                .create_json(&path, &report)
                .write_json(layout::INDEX, view.index.as_ref(), &promoted)
                .event(
                    CRITIC,
                    Kind::TaskReviewed,
                    &[task_id.clone(), number, ("verdict", json!("PASS"))],
                )
                .event(CRITIC, Kind::KnowledgePromoted, &[task_id, ("knowledge", json!(ids))])
                .step(SystemStatus::Executing, Some(&task.id))
        }
        Err(rejected) => {
            // The gate's word counts, not the critic's.
            report.verdict = Verdict::Fail;
            let reasons = ("reasons", json!(rejected.reasons));
            draft
                .create_json(&path, &report)
                .event(
                    CRITIC,
                    Kind::TaskReviewed,
                    &[task_id, number, ("verdict", json!("FAIL")), reasons],
                )
                .step(SystemStatus::Executing, Some(&task.id))
        }
    }
}

fn run_line(task: &PlanTask, facts: &Facts, result: &str, error: Option<&str>) -> String {
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
