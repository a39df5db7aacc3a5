//! What a session does next. One decision looks at the view and names one step.

use serde_json::{Value, json};

use crate::docs::session::{
    CritiqueReport, DataSource, PlanTask, SessionEventKind as Kind, SystemStatus,
};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::session::policy::{CONTROLLER, CRITIC, EXECUTOR, POLICY};
use crate::flows::session::view::{Life, Progress, Stage, View};
use crate::flows::session::write::Draft;
use crate::flows::session::{closing, execution, layout, planning, prompts};
use crate::roles::PolicyTable;
use crate::steps::{
    Call, CallResult, Effect, EffectResult, Ending, Expected, Needed, Notice, Step, StepKey,
    ToolUse,
};

/// How often one task is tried.
pub const MAX_ATTEMPTS: u32 = 3;

/// A session, and what it begins with if it is not there yet.
#[derive(Clone, Debug, Default)]
pub struct SessionFlow {
    pub new: Option<NewSession>,
    pub max_regenerations: u32,
}

#[derive(Clone, Debug)]
pub struct NewSession {
    pub query: String,
    pub system_prompt: String,
    pub review_rules: Option<String>,
}

impl Flow for SessionFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &View, facts: &Facts) -> Step {
        match view.life {
            Life::Unborn => self.create(view, facts),
            Life::Planning => planning::step(self, view, facts),
            Life::Working => match view.current() {
                Some((task, progress)) => work(view, facts, task, progress),
                None => closing::step(view, facts),
            },
            Life::Completed => {
                let tasks = view.plan.as_ref().map_or(0, |plan| plan.order.len());
                let what = prompts::completed(facts.lang, tasks);
                Step::Finish(Ending::Done(Notice {
                    what,
                    next: prompts::completed_next(facts.lang),
                }))
            }
            Life::Failed => {
                let what = prompts::failed(facts.lang, "status_log.ndjson");
                Step::Finish(Ending::Failed(Notice {
                    what,
                    next: prompts::failed_next(facts.lang),
                }))
            }
        }
    }
}

impl SessionFlow {
    fn create(&self, view: &View, facts: &Facts) -> Step {
        let Some(new) = &self.new else {
            let what = prompts::nothing(facts.lang);
            return Step::Finish(Ending::Blocked(Notice {
                what,
                next: prompts::nothing_next(facts.lang),
            }));
        };
        let rules = new.review_rules.clone().unwrap_or_else(|| prompts::review_rules(facts.lang));
        Draft::new(view, facts, CONTROLLER, "create the session")
            .create(layout::USER_INPUT, new.query.clone())
            .create(layout::SYSTEM_PROMPT, new.system_prompt.clone())
            .create(layout::REVIEW_RULES, rules)
            .event(CONTROLLER, Kind::SessionCreated, &[])
            .starts(StepKey::new(&["plan", "0"]))
            .step(SystemStatus::Planning, None)
    }
}

/// A task is started, executed, reviewed; a failed one is tried again.
fn work(view: &View, facts: &Facts, task: &PlanTask, progress: Option<Progress>) -> Step {
    match progress {
        None => start(view, facts, task, 1),
        Some(Progress { stage: Stage::Failed, attempt }) if attempt < MAX_ATTEMPTS => {
            start(view, facts, task, attempt + 1)
        }
        Some(Progress { stage: Stage::Failed, .. }) => {
            let reason = format!("{} failed {MAX_ATTEMPTS} times", task.id);
            fail(view, facts, &reason)
        }
        Some(Progress { stage: Stage::Started, attempt }) => execute(view, facts, task, attempt),
        Some(Progress { stage: Stage::Executed | Stage::Passed, attempt }) => {
            review(view, facts, task, attempt)
        }
    }
}

fn start(view: &View, facts: &Facts, task: &PlanTask, attempt: u32) -> Step {
    Draft::new(view, facts, CONTROLLER, &format!("start {} attempt {attempt}", task.id))
        .event(CONTROLLER, Kind::TaskStarted, &about(task, attempt))
        .starts(key("execute", task, attempt))
        .step(SystemStatus::Executing, Some(&task.id))
}

fn execute(view: &View, facts: &Facts, task: &PlanTask, attempt: u32) -> Step {
    let key = key("execute", task, attempt);
    match view.results.get(&key) {
        None => Step::Effect { key, effect: execution_effect(facts, task, attempt) },
        Some(result) => match execution::outputs(task, result) {
            Ok(outputs) => execution::executed(view, facts, task, attempt, key, &outputs),
            Err(execution::NotExecuted::Limited(until)) => limited(facts, until),
            Err(execution::NotExecuted::Failed(error)) => {
                execution::failed(view, facts, task, attempt, key, &error)
            }
        },
    }
}

/// A data task performs exactly its tool calls, without a model.
fn execution_effect(facts: &Facts, task: &PlanTask, attempt: u32) -> Effect {
    if task.data_sources != [DataSource::Synthesis] {
        let uses = task.tool_calls.iter();
        let uses = uses.map(|call| ToolUse { name: call.name.clone(), args: call.args.clone() });
        return Effect::Tools(uses.collect());
    }
    let names = task.outputs.iter().filter_map(|output| output.path.rsplit('/').next());
    let expected = names.map(|name| Expected { name: name.to_owned(), needed: Needed::Required });
    let prompt = prompts::synthesize(facts.lang, &task.id, &task.title, prompts::acceptance(task));
    Effect::Call(Call {
        role: EXECUTOR,
        step: "synthesize",
        unit: task.id.to_string(),
        attempt,
        regeneration: 0,
        prompt,
        inputs: layout::path(layout::DECOMPOSITION).into_iter().collect(),
        expected: expected.collect(),
        findings: Vec::new(),
    })
}

fn review(view: &View, facts: &Facts, task: &PlanTask, attempt: u32) -> Step {
    let key = key("review", task, attempt);
    match view.results.get(&key) {
        None => Step::Effect { key, effect: Effect::Call(review_call(facts, task, attempt)) },
        Some(EffectResult::Call(CallResult::Limited { until })) => limited(facts, *until),
        Some(result) => {
            let report = document(result, "report.json").and_then(|bytes| {
                let draft: Value =
                    serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
                as_report(draft, task, facts)
            });
            execution::reviewed(view, facts, task, attempt, key, report)
        }
    }
}

fn review_call(facts: &Facts, task: &PlanTask, attempt: u32) -> Call {
    let directory = layout::outputs(&task.id, attempt);
    let names = task.outputs.iter().filter_map(|output| output.path.rsplit('/').next());
    Call {
        role: CRITIC,
        step: "review",
        unit: task.id.to_string(),
        attempt,
        regeneration: 0,
        prompt: prompts::review(facts.lang, &task.id, &task.title, prompts::acceptance(task)),
        inputs: names.filter_map(|name| layout::path(&format!("{directory}/{name}"))).collect(),
        expected: vec![Expected { name: "report.json".to_owned(), needed: Needed::Required }],
        findings: Vec::new(),
    }
}

/// The critic's words with the task and time that hast knows better.
fn as_report(mut draft: Value, task: &PlanTask, facts: &Facts) -> Result<CritiqueReport, String> {
    let fields = draft.as_object_mut().ok_or("report.json is not an object")?;
    fields.insert("task_id".to_owned(), json!(task.id));
    fields.insert("ts".to_owned(), json!(facts.now));
    serde_json::from_value(draft).map_err(|error| error.to_string())
}

pub(super) fn fail(view: &View, facts: &Facts, reason: &str) -> Step {
    Draft::new(view, facts, CONTROLLER, reason)
        .event(CONTROLLER, Kind::SessionFailed, &[("reason", json!(reason))])
        .step(SystemStatus::Failed, None)
}

pub(super) fn limited(facts: &Facts, until: Option<crate::time::UtcTime>) -> Step {
    let until = until.map_or_else(|| prompts::later(facts.lang), |until| until.to_string());
    let what = prompts::limited(facts.lang);
    Step::Finish(Ending::Waiting(Notice { what, next: prompts::limited_next(facts.lang, until) }))
}

pub(super) fn key(step: &str, task: &PlanTask, attempt: u32) -> StepKey {
    StepKey::new(&[task.id.as_str(), step, &attempt.to_string()])
}

pub(super) fn about(task: &PlanTask, attempt: u32) -> [(&'static str, Value); 2] {
    [("task_id", json!(task.id)), ("attempt", json!(attempt))]
}

/// A document that came back from a call, or why there is none.
pub(super) fn document<'r>(result: &'r EffectResult, name: &str) -> Result<&'r [u8], String> {
    match result {
        EffectResult::Call(CallResult::Completed { documents, .. }) => match documents.get(name) {
            Some(bytes) if !bytes.is_empty() => Ok(bytes),
            Some(_) => Err(format!("{name} is empty")),
            None => Err(format!("{name} is missing")),
        },
        EffectResult::Call(CallResult::Failed { reason } | CallResult::Blocked { reason }) => {
            Err(reason.clone())
        }
        EffectResult::Call(CallResult::Limited { .. }) => Err("the agent is limited".to_owned()),
        EffectResult::Tools(_) | EffectResult::Git(_) | EffectResult::Check(_) => {
            Err("something else answered where an agent was asked".to_owned())
        }
    }
}
