//! A session decides its next step here. Each decision looks at the view and names one step.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::docs::session::{PlanTask, SessionEventKind as Kind, SummaryUsage};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::session::policy::{CONTROLLER, POLICY};
use crate::flows::session::step_keys::task_key;
use crate::flows::session::view::{IndexFile, Life, Progress, Stage, View, Wanted, Whose};
use crate::flows::session::write::{Draft, files};
use crate::flows::session::{
    boot, closing, execution, happening, layout, people, planning, promotion, prompts, replanning,
    review,
};
use crate::ids::{QuestionId, SessionId};
use crate::replies::Asking;
use crate::roles::PolicyTable;
use crate::steps::{Call, CallResult, EffectResult, Ending, Notice, Others, Place, Step, StepKey};
use crate::store::DocPath;

/// How often one task is tried under one plan.
pub const MAX_FAILURES: u32 = 3;

/// A session, and what it begins with if it is not there yet.
#[derive(Clone, Debug)]
pub struct SessionFlow {
    pub new: Option<NewSession>,
    /// How often a reply that breaks its rules is asked for again.
    pub max_regenerations: u32,
    /// How many tasks may be in hand at the same time.
    pub parallel: usize,
    /// What a person wants besides going on.
    pub wish: Option<Wish>,
}

impl Default for SessionFlow {
    fn default() -> Self {
        Self { new: None, max_regenerations: 2, parallel: 1, wish: None }
    }
}

#[derive(Clone, Debug)]
pub struct NewSession {
    /// The name of its directory; without one, the time at which it is made.
    pub id: Option<SessionId>,
    pub query: String,
    pub system_prompt: String,
    pub review_rules: Option<String>,
}

/// What a person asks for.
#[derive(Clone, Debug)]
pub enum Wish {
    Answer {
        question: QuestionId,
        text: String,
        /// Who decided, where it is known.
        operator: Option<String>,
    },
    /// The plan is impossible. `known` counts the events that were there when they said so.
    Replan { reason: String, known: u64 },
}

impl Flow for SessionFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    /// What was made and what was said about it is known from the log; only what a decision rests
    /// on is looked at again.
    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        const UNREAD: [&str; 5] = [
            "context/sources",
            "critique/reports",
            "execution/outputs",
            "output/artifacts",
            "plan/archive",
        ];
        !(is_dir && UNREAD.contains(&path.as_str()))
    }

    fn rests_on(&self, view: &View) -> Vec<DocPath> {
        rests_on(view)
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        if let Some(step) = people::wish(self, view, facts) {
            return step;
        }
        match view.life {
            Life::Unborn if !view.has_lost_its_log() => return self.create(view, facts),
            Life::Completed => return completed(view, facts),
            Life::Failed => {
                let what = prompts::failed(facts.lang, &view.failed_because);
                let next = prompts::failed_next(facts.lang);
                return Step::Finish(Ending::Failed(Notice { what, next }));
            }
            Life::Unborn | Life::Planning | Life::Working => {}
        }
        if let Some(step) = boot::check(view, facts) {
            return step;
        }
        if view.is_blocked() {
            let settled = self.settle(view, facts, |_| false);
            return settled.unwrap_or_else(|| people::blocked(view, facts));
        }
        match view.life {
            Life::Working => self.work(view, facts),
            _ => planning::step(self, view, facts),
        }
    }
}

fn completed(view: &View, facts: &Facts<'_>) -> Step {
    let tasks = view.plan.as_ref().map_or(0, |plan| plan.making());
    Step::Finish(Ending::Done(Notice {
        what: prompts::completed(facts.lang, tasks),
        next: prompts::completed_next(facts.lang),
    }))
}

/// What everybody needs, the artifacts that a task in hand, or at the end the answer, is made from,
/// and those that are under review.
fn rests_on(view: &View) -> Vec<DocPath> {
    if !matches!(view.life, Life::Planning | Life::Working) {
        return Vec::new();
    }
    let mut paths: Vec<DocPath> = boot::needed(view).filter_map(layout::path).collect();
    paths.extend(view.pending.keys().filter_map(|id| layout::path(&layout::answer(id))));
    let Some(plan) = view.plan.as_ref() else {
        let last = view.plan_files.snapshots.last();
        paths.extend(last.and_then(|last| layout::path(&format!("{last}/decomposition.json"))));
        return paths;
    };
    let path = |artifact: &str| layout::path(artifact.trim_start_matches('/'));
    if plan.is_worked_off() {
        paths.extend(view.knowledge.active().filter_map(|piece| path(&piece.artifact)));
    } else {
        let sources = plan.in_hand().flat_map(|task| plan.sources(task));
        let pieces = sources.flat_map(|source| view.knowledge.active_of(source.as_str()));
        paths.extend(pieces.filter_map(|piece| path(&piece.artifact)));
        let made = plan.in_hand().filter_map(|task| view.made.get(&task.id)).flatten();
        paths.extend(made.filter_map(|made| path(&made.artifact)));
    }
    paths
}

/// What a task in hand needs now.
enum Move {
    /// Its result came home, or it is to be tried again.
    Now(Step),
    /// An effect, perhaps on its way already.
    Effect(StepKey, Step),
}

impl SessionFlow {
    fn create(&self, view: &View, facts: &Facts<'_>) -> Step {
        let Some(new) = &self.new else {
            return blocked(prompts::nothing(facts.lang), prompts::nothing_next(facts.lang));
        };
        let rules = new.review_rules.clone().unwrap_or_else(|| prompts::review_rules(facts.lang));
        let id = new.id.clone().unwrap_or_else(|| SessionId::at(facts.now));
        // What stands before every prompt, also where nobody gave one.
        let mode = match new.system_prompt.trim().is_empty() {
            true => prompts::default_mode(facts.lang) + "\n",
            false => new.system_prompt.clone(),
        };
        let given = [(layout::USER_INPUT, &new.query), (layout::SYSTEM_PROMPT, &mode)];
        let given = files(given.map(|(path, text)| (path.to_owned(), text.as_bytes())));
        Draft::new(view, facts, CONTROLLER, "create the session")
            .create(layout::USER_INPUT, new.query.clone())
            .create(layout::SYSTEM_PROMPT, mode.clone())
            .create(layout::REVIEW_RULES, rules)
            .event(CONTROLLER, Kind::SessionCreated, &[("session_id", json!(id)), given])
            .starts(view.plan_key())
            .step()
    }

    /// Results that came home first, then new tasks into free lanes, then their effects; and when
    /// everything is on its way, whatever comes back next.
    fn work(&self, view: &View, facts: &Facts<'_>) -> Step {
        if view.index == IndexFile::Unreadable {
            return unreadable(facts, layout::INDEX);
        }
        if let Some(step) = promotion::invalidate(view, facts) {
            return step;
        }
        if let Some(wanted) = &view.wanted {
            let settled = self.settle(view, facts, |stage| is_finished_first(view, wanted, stage));
            return settled.unwrap_or_else(|| replanning::step(self, view, facts));
        }
        let Some(plan) = &view.plan else { return unreadable(facts, layout::DECOMPOSITION) };
        if is_edited(view) {
            return blocked(
                prompts::edited_plan(facts.lang, layout::DECOMPOSITION),
                prompts::edited_plan_next(facts.lang),
            );
        }
        if plan.is_worked_off() {
            return closing::step(self, view, facts);
        }
        let (mut to_begin, mut on_its_way) = (None, None);
        for task in plan.in_hand() {
            match self.advance(view, facts, task) {
                Move::Now(step) => return step,
                Move::Effect(key, step) if facts.running.contains(&key) => {
                    on_its_way.get_or_insert(step);
                }
                Move::Effect(_, step) => drop(to_begin.get_or_insert(step)),
            }
        }
        match plan.startable() {
            Some(task) if plan.in_hand_count() < self.parallel.max(1) => start(view, facts, task),
            _ => to_begin.or(on_its_way).unwrap_or_else(|| {
                blocked(prompts::stuck(facts.lang), prompts::stuck_next(facts.lang))
            }),
        }
    }

    /// A task is started, executed, reviewed; a failed one is tried again.
    fn advance(&self, view: &View, facts: &Facts<'_>, task: &PlanTask) -> Move {
        let Some(&Progress { stage, attempt, .. }) = view.progress.get(&task.id) else {
            return Move::Now(start(view, facts, task));
        };
        let step = match stage {
            Stage::Failed | Stage::Waiting => return Move::Now(start(view, facts, task)),
            Stage::Started => execution::step(self, view, facts, task, attempt),
            Stage::Executed | Stage::Passed => review::step(self, view, facts, task, attempt),
        };
        match step {
            Step::Effect { key, effect } => Move::Effect(key.clone(), Step::Effect { key, effect }),
            now => Move::Now(now),
        }
    }

    /// While a session waits for a person or another plan, no task begins; what is on its way still
    /// counts, and `finished` says what is taken to its end.
    fn settle(
        &self,
        view: &View,
        facts: &Facts<'_>,
        finished: impl Fn(Stage) -> bool,
    ) -> Option<Step> {
        let asked = |task: &PlanTask| {
            view.pending.values().any(|pending| pending.task.as_ref() == Some(&task.id))
        };
        let (mut to_begin, mut on_its_way) = (None, None);
        for task in view.plan.iter().flat_map(|plan| plan.in_hand()) {
            let stage = view.progress.get(&task.id).map(|progress| progress.stage);
            let Some(stage @ (Stage::Started | Stage::Executed)) = stage else { continue };
            if asked(task) {
                continue;
            }
            match self.advance(view, facts, task) {
                Move::Now(step) => return Some(step),
                Move::Effect(key, step) if facts.running.contains(&key) => {
                    on_its_way.get_or_insert(step);
                }
                Move::Effect(_, step) if finished(stage) => drop(to_begin.get_or_insert(step)),
                Move::Effect(..) => {}
            }
        }
        to_begin.or(on_its_way)
    }

    /// A question to an agent, with the results that are there.
    pub(super) fn asking<'v>(&self, view: &'v View, facts: &Facts<'_>, key: StepKey) -> Asking<'v> {
        let max_regenerations = self.max_regenerations;
        Asking { key, max_regenerations, results: &view.results, lang: facts.lang }
    }
}

/// What is taken to its end before the plan changes. What was made is reviewed: under another plan
/// it could only be made again. What was started when a task failed is made, too, so that the end is
/// the same whether or not the process died meanwhile; a person who calls the plan impossible does
/// not wait for more of it.
fn is_finished_first(view: &View, wanted: &Wanted, stage: Stage) -> bool {
    let counts = match stage {
        Stage::Executed => true,
        Stage::Started => wanted.by == Whose::Failures,
        Stage::Waiting | Stage::Failed | Stage::Passed => false,
    };
    counts && !is_edited(view)
}

/// Whether the plan is not the one that the log tells of.
fn is_edited(view: &View) -> bool {
    view.plan_files.said.is_some() && view.plan_files.found != view.plan_files.said
}

/// A call with the session's ids, and its operational mode before the prompt. A role sees copies of
/// what it may read, and nothing else of the session. Without a sandbox the project is watched: the rules
/// of the review are also people's to edit, and other sessions may be driven beside this one.
pub(super) fn call(view: &View, facts: &Facts<'_>, mut call: Call) -> Call {
    let id = view.id(facts.now);
    call.place = Place::Copies;
    // Several tool calls may rest on one raw answer.
    let mut seen = BTreeSet::new();
    call.inputs.retain(|path| seen.insert(path.clone()));
    call.others = Others {
        people: vec![layout::from_project(&id, layout::REVIEW_RULES)],
        drivers: vec!["/sessions".to_owned(), format!("!{}", layout::from_project(&id, ""))],
    };
    call.ids.insert("session_id", id.to_string());
    if call.unit.starts_with("T-") {
        call.ids.insert("task_id", call.unit.clone());
    }
    let mode = view.system_prompt.trim();
    if !mode.is_empty() {
        call.prompt = format!("{mode}\n\n{}", call.prompt);
    }
    call
}

fn start(view: &View, facts: &Facts<'_>, task: &PlanTask) -> Step {
    let attempt = view.next_attempt(&task.id);
    Draft::new(view, facts, CONTROLLER, &format!("start {} attempt {attempt}", task.id))
        .event(CONTROLLER, Kind::TaskStarted, &about(task, attempt))
        .starts(task_key(&task.id, "execute", attempt))
        .step()
}

/// The end without an answer: what there is stays, and the summary says how far it came.
pub(super) fn fail(view: &View, facts: &Facts<'_>, steps: Vec<StepKey>, reason: &str) -> Step {
    closing::failed(view, facts, Draft::new(view, facts, CONTROLLER, reason), reason)
        .event(CONTROLLER, Kind::SessionFailed, &[("reason", json!(reason))])
        .finishes(steps)
        .step()
}

pub(super) fn about(task: &PlanTask, attempt: u32) -> [(&'static str, Value); 2] {
    [("task_id", json!(task.id)), ("attempt", json!(attempt))]
}

/// What the calls behind these steps reported, for the event that uses them.
pub(super) fn used(view: &View, steps: &[StepKey]) -> Option<(&'static str, Value)> {
    let total = usage_of(view, steps);
    (total != SummaryUsage::default()).then(|| ("usage", json!(total)))
}

pub(super) fn usage_of(view: &View, steps: &[StepKey]) -> SummaryUsage {
    let mut total = SummaryUsage::default();
    for key in steps {
        let usage = match view.results.get(key) {
            Some(EffectResult::Call(CallResult::Completed(answer))) => answer.usage,
            Some(EffectResult::Call(CallResult::Broken { usage, .. })) => *usage,
            _ => continue,
        };
        let Some(tokens) = usage.tokens else { continue };
        let (input_tokens, output_tokens) = (Some(tokens.input), Some(tokens.output));
        total = happening::sum(total, SummaryUsage { input_tokens, output_tokens });
    }
    total
}

pub(super) fn unreadable(facts: &Facts<'_>, path: &str) -> Step {
    blocked(prompts::unreadable(facts.lang, path), prompts::unreadable_next(facts.lang, path))
}

pub(super) fn blocked(what: String, next: String) -> Step {
    Step::Finish(Ending::Blocked(Notice { what, next }))
}
