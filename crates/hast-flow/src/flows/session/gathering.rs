//! A data task: exactly its tool calls, without a model. What the sources sent is kept as they sent
//! it, once, with where and when it came from.

use std::collections::BTreeMap;

use crate::docs::session::{PlanTask, SourceRecord};
use crate::flows::session::execution::{Attempt, Output, Ran, base_name};
use crate::flows::session::layout;
use crate::flows::session::view::View;
use crate::flows::session::write::Draft;
use crate::ids::Sha256;
use crate::steps::{Effect, EffectResult, Step, StepKey, ToolAnswer, ToolSource, ToolUse};
use crate::tools::FailureRecord;

/// Raw answers that are not kept yet, by their hash.
#[derive(Default)]
pub(super) struct Gathered {
    new: BTreeMap<Sha256, (SourceRecord, Vec<u8>)>,
}

/// More do not fit into one commit.
const MAX_SOURCES: usize = 100;

pub(super) fn step(attempt: Attempt<'_>, key: StepKey) -> Step {
    let Attempt { view, task, .. } = attempt;
    let Some(result) = view.results.get(&key) else {
        let state = &view.routing.state;
        let uses = task.tool_calls.iter().map(|call| ToolUse {
            name: call.name.clone(),
            args: call.args.clone(),
            state: state.clone(),
        });
        return Step::Effect { key, effect: Effect::Tools(uses.collect()) };
    };
    let nothing = Vec::new();
    let answers = match result {
        EffectResult::Tools(answers) => answers,
        _ => &nothing,
    };
    let (outputs, ran, gathered) = taken(view, task, answers);
    match outputs {
        Ok(_) if gathered.new.len() > MAX_SOURCES => {
            let count = gathered.new.len();
            let error = format!("{count} sources in one task; at most {MAX_SOURCES}: split it");
            attempt.failed(vec![key], &error, ran, Gathered::default())
        }
        Ok(outputs) => attempt.executed(vec![key], &outputs, ran, gathered),
        Err(error) => attempt.failed(vec![key], &error, ran, gathered),
    }
}

type Taken = (Result<Vec<Output>, String>, Vec<Ran>, Gathered);

/// The i-th call fills the i-th output, and each call is a line of the run log.
fn taken(view: &View, task: &PlanTask, answers: &[Result<ToolAnswer, FailureRecord>]) -> Taken {
    let mut gathered = Gathered::default();
    let (mut outputs, mut ran, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (index, call) in task.tool_calls.iter().enumerate() {
        let output = task.outputs.get(index);
        let name = output.map_or("", |output| base_name(&output.path)).to_owned();
        let (error, sources) = match answers.get(index) {
            Some(Ok(answer)) => {
                let records = gathered.keep(view, &answer.sources);
                let error = answer.bytes.is_empty().then(|| format!("{name} is empty"));
                let kind = output.map_or_else(String::new, |output| output.kind.clone());
                // Of several answers, the one that came last is what the tool made its output from.
                let raw =
                    records.last().map(|record: &SourceRecord| layout::source(&record.sha256).0);
                let from = raw.map_or_else(|| call.name.clone(), |path| format!("/{path}"));
                outputs.push(Output { name, kind, bytes: answer.bytes.clone(), from });
                (error, records)
            }
            Some(Err(failure)) => {
                (Some(format!("{}; {}", failure.cause, failure.next)), Vec::new())
            }
            None => (Some(format!("{name} has no answer")), Vec::new()),
        };
        errors.extend(error.as_ref().map(|error| format!("{}: {error}", call.name)));
        let (tool, input) = (Some(call.name.clone()), Some(call.args.clone()));
        ran.push(Ran { tool, input, error, sources });
    }
    let outputs = if errors.is_empty() { Ok(outputs) } else { Err(errors.join("; ")) };
    (outputs, ran, gathered)
}

impl Gathered {
    fn keep(&mut self, view: &View, sources: &[ToolSource]) -> Vec<SourceRecord> {
        let mut records = Vec::new();
        for source in sources {
            let record = SourceRecord {
                sha256: Sha256::of(&source.bytes),
                url: source.url.clone(),
                fetched_at: source.fetched_at,
                media: source.media.clone(),
                bytes: source.bytes.len() as u64,
            };
            if !view.sources.contains(&record.sha256) {
                let kept = || (record.clone(), source.bytes.clone());
                self.new.entry(record.sha256.clone()).or_insert_with(kept);
            }
            records.push(record);
        }
        records
    }

    pub(super) fn into_draft(self, mut draft: Draft<'_>) -> Draft<'_> {
        for (hash, (record, bytes)) in self.new {
            let (path, about) = layout::source(&hash);
            draft = draft.create(&path, bytes).create_json(&about, &record);
        }
        draft
    }
}
