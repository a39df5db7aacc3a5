//! A task is carried out: exactly its tool calls, or an agent's synthesis; then its outputs, or its
//! failure, are written down.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::docs::call::CallFinding;
use crate::docs::session::{
    Artifact, ArtifactManifest, DataSource, PlanTask, RunLogLine, SessionEventKind as Kind,
    SourceRecord, SystemStatus,
};
use crate::driver::Facts;
use crate::flows::session::decide::{MAX_FAILURES, SessionFlow, about, call, used};
use crate::flows::session::events::{About, RUN_LINES};
use crate::flows::session::gathering::{self, Gathered};
use crate::flows::session::policy::{CONTROLLER, EXECUTOR};
use crate::flows::session::step_keys::task_key;
use crate::flows::session::view::View;
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, people, prompts};
use crate::formats::ndjson;
use crate::ids::{KnowledgeId, Sha256};
use crate::knowledge::{Piece, citations};
use crate::replies::{self, Asked, NoAnswer};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};
use crate::words::Lang;

/// A file that a task made, by its base name.
pub(super) struct Output {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) bytes: Vec<u8>,
    /// Where the bytes came from: a raw answer that is kept, or an outbox.
    pub(super) from: String,
}

/// A task's attempt.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) view: &'a View,
    pub(super) facts: &'a Facts<'a>,
    pub(super) task: &'a PlanTask,
    pub(super) number: u32,
}

/// One line of the run log.
pub(super) struct Ran {
    pub(super) tool: Option<String>,
    pub(super) input: Option<serde_json::Map<String, Value>>,
    pub(super) error: Option<String>,
    pub(super) sources: Vec<SourceRecord>,
}

pub(super) fn step(
    flow: &SessionFlow,
    view: &View,
    facts: &Facts<'_>,
    task: &PlanTask,
    number: u32,
) -> Step {
    let key = task_key(&task.id, "execute", number);
    let attempt = Attempt { view, facts, task, number };
    if task.data_sources != [DataSource::Synthesis] {
        return gathering::step(attempt, key);
    }
    let asking = flow.asking(view, facts, key);
    let asked = asking.ask(|| synthesis(attempt), |answer| made(task, answer, facts.lang));
    let ran =
        |error: Option<String>| vec![Ran { tool: None, input: None, error, sources: Vec::new() }];
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => {
            attempt.executed(steps, &value, ran(None), Gathered::default())
        }
        Asked::Unanswered { why: NoAnswer::Blocked(reason), steps, .. } => {
            attempt.asks(About::Execution, EXECUTOR, &reason, steps)
        }
        Asked::Unanswered { why, steps, .. } => {
            let error = why.reason();
            attempt.failed(steps, &error, ran(Some(error.clone())), Gathered::default())
        }
    }
}

/// A synthesis is given only what passed, by the names of the knowledge.
fn synthesis(attempt: Attempt<'_>) -> Call {
    let Attempt { view, facts, task, number } = attempt;
    let expected = task.outputs.iter().map(|output| Expected::required(base_name(&output.path)));
    let sources = view.plan.iter().flat_map(|plan| plan.sources(task));
    let pieces: Vec<&Piece> =
        sources.flat_map(|source| view.knowledge.active_of(source.as_str())).collect();
    let named = prompts::named(pieces.iter().copied());
    let prompt = prompts::synthesize(facts.lang, &view.query, task, &named);
    let faults = view.faults.get(&task.id).map_or(&[][..], Vec::as_slice);
    let prompt = prompts::with_faults(prompt, faults, facts.lang);
    let (told, answers) = view.told_about(Some(&task.id));
    let prompt = prompts::with_notes(prompt, &told, facts.lang);
    let inputs = pieces.iter().map(|piece| piece.artifact.trim_start_matches('/'));
    let given = [layout::USER_INPUT, layout::DECOMPOSITION, layout::INDEX];
    // The draft that did not pass, with what is to be put right in the prompt.
    let last = view.drafts.get(&task.id).into_iter().flatten();
    let last = last.map(|artifact| artifact.trim_start_matches('/'));
    let inputs = inputs.chain(given).chain(last).filter_map(layout::path);
    let asked = Call {
        attempt: number,
        inputs: inputs.chain(answers).collect(),
        expected: expected.collect(),
        ..Call::new(EXECUTOR, "synthesize", task.id.as_str(), prompt)
    };
    call(view, facts, asked)
}

/// The outputs that a task declared, all of them, or all that is missing.
fn made(task: &PlanTask, answer: &Answer, lang: Lang) -> Result<Vec<Output>, Vec<CallFinding>> {
    let (mut outputs, mut findings) = (Vec::new(), Vec::new());
    for output in &task.outputs {
        let name = base_name(&output.path).to_owned();
        match replies::file(answer, &name, lang) {
            Ok(bytes) => {
                let (kind, bytes) = (output.kind.clone(), bytes.to_vec());
                let from = format!("outbox/{name}");
                outputs.push(Output { name, kind, bytes, from });
            }
            Err(missing) => findings.extend(missing),
        }
    }
    if findings.is_empty() { Ok(outputs) } else { Err(findings) }
}

impl<'a> Attempt<'a> {
    /// Its outputs in a directory of its own, with a manifest.
    pub(super) fn executed(
        self,
        steps: Vec<StepKey>,
        outputs: &[Output],
        ran: Vec<Ran>,
        gathered: Gathered,
    ) -> Step {
        let Self { view, facts, task, number } = self;
        let directory = layout::outputs(&task.id, number);
        let artifacts = outputs.iter().map(|output| Artifact {
            source_path: output.from.clone(),
            artifact: format!("/{directory}/{}", output.name),
            kind: output.kind.clone(),
            sha256: Sha256::of(&output.bytes),
        });
        let artifacts: Vec<Artifact> = artifacts.collect();
        let mut detail = about(task, number).to_vec();
        detail.push(("artifacts", json!(artifacts)));
        let (cites, faults) = (cites(task, outputs), faults(outputs));
        detail.extend((!cites.is_empty()).then(|| ("cites", json!(cites))));
        detail.extend((!faults.is_empty()).then(|| ("faults", json!(faults))));
        detail.extend(used(view, &steps));
        let manifest =
            ArtifactManifest { task_id: task.id.clone(), created_at: facts.now, artifacts };
        let mut draft = Draft::new(view, facts, EXECUTOR, &format!("{} executed", task.id));
        for output in outputs {
            draft = draft.create(&format!("{directory}/{}", output.name), output.bytes.clone());
        }
        let ended = StepsOf { done: steps, next: Some(task_key(&task.id, "review", number)) };
        let draft = draft.create_json(&format!("{directory}/{}", layout::MANIFEST), &manifest);
        self.written(draft, ran, gathered, ended, Kind::TaskExecuted, &detail)
    }

    /// Its failure, which may be one too many for this plan.
    pub(super) fn failed(
        self,
        steps: Vec<StepKey>,
        error: &str,
        ran: Vec<Ran>,
        gathered: Gathered,
    ) -> Step {
        let Self { view, facts, task, number } = self;
        let mut detail = about(task, number).to_vec();
        detail.push(("error", json!(error)));
        detail.extend(used(view, &steps));
        detail.extend(self.gives_up());
        let draft = Draft::new(view, facts, EXECUTOR, &format!("{} failed", task.id));
        let ended = StepsOf { done: steps, next: None };
        self.written(draft, ran, gathered, ended, Kind::TaskFailed, &detail)
    }

    /// The last failure that this plan allows asks for another plan.
    pub(super) fn gives_up(self) -> Vec<(&'static str, Value)> {
        let failures = self.view.progress.get(&self.task.id).map_or(0, |before| before.failures);
        if failures + 1 < MAX_FAILURES {
            return Vec::new();
        }
        let reason = format!("{} failed {MAX_FAILURES} times", self.task.id);
        vec![("status", json!(SystemStatus::Replanning)), ("reason", json!(reason))]
    }

    /// The role cannot go on without a person.
    pub(super) fn asks(
        self,
        about: About,
        role: &'static str,
        reason: &str,
        steps: Vec<StepKey>,
    ) -> Step {
        let Self { view, facts, task, .. } = self;
        // The critic writes no questions; hast does it for whoever asks.
        let why = format!("{role} asks about {}", task.id);
        let draft = Draft::new(view, facts, CONTROLLER, &why);
        let question = prompts::role_asks(facts.lang, format!("{role} {}", task.id), reason);
        let asking = people::Asking { about, task: Some(&task.id), file: None, question };
        people::ask(draft, view, facts, &asking, steps)
    }

    fn written(
        self,
        draft: Draft<'a>,
        ran: Vec<Ran>,
        gathered: Gathered,
        steps: StepsOf,
        kind: Kind,
        detail: &[(&str, Value)],
    ) -> Step {
        let lines = self.run_lines(ran);
        let hash = (RUN_LINES, json!(Sha256::of(lines.as_bytes())));
        let detail: Vec<(&str, Value)> = detail.iter().cloned().chain([hash]).collect();
        let draft = gathered
            .into_draft(draft)
            .append(&layout::run_log(self.facts.now), lines)
            .event(EXECUTOR, kind, &detail)
            .finishes(steps.done);
        match steps.next {
            Some(next) => draft.starts(next).step(),
            None => draft.step(),
        }
    }

    fn run_lines(self, ran: Vec<Ran>) -> String {
        let lines = ran.into_iter().map(|ran| RunLogLine {
            ts: self.facts.now,
            task_id: self.task.id.clone(),
            actor: EXECUTOR.to_owned(),
            action: if ran.tool.is_some() { "run_tool" } else { "synthesize" }.to_owned(),
            tool: ran.tool,
            input: ran.input,
            result: if ran.error.is_some() { "failure" } else { "success" }.to_owned(),
            error: ran.error,
            attempt: Some(self.number),
            sources: ran.sources,
        });
        lines.filter_map(|line| ndjson::to_line(&line).ok()).collect()
    }
}

/// Steps that a commit ends, and the one that it begins.
struct StepsOf {
    done: Vec<StepKey>,
    next: Option<StepKey>,
}

/// What a synthesis cites; fetched data may hold anything.
fn cites(task: &PlanTask, outputs: &[Output]) -> BTreeSet<KnowledgeId> {
    if task.data_sources != [DataSource::Synthesis] {
        return BTreeSet::new();
    }
    outputs.iter().flat_map(|output| citations(&String::from_utf8_lossy(&output.bytes))).collect()
}

/// Outputs that cannot be what their names say.
fn faults(outputs: &[Output]) -> Vec<String> {
    let faults = outputs.iter().filter_map(|output| {
        let ends = |end: &str| output.name.to_ascii_lowercase().ends_with(end);
        let lines = || output.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let wrong = if ends(".json") {
            serde_json::from_slice::<Value>(&output.bytes).err()
        } else if ends(".ndjson") || ends(".jsonl") {
            lines().find_map(|line| serde_json::from_slice::<Value>(line).err())
        } else {
            None
        };
        wrong.map(|error| format!("{} is not JSON: {error}", output.name))
    });
    faults.collect()
}

pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
