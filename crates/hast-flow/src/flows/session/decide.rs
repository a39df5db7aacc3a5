//! What a session does next. One decision looks at the view and names one step.

use serde_json::{Value, json};

use crate::docs::session::{PlanTask, SessionEventKind as Kind};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::session::policy::{CONTROLLER, POLICY};
use crate::flows::session::view::{IndexFile, Life, Progress, Stage, View, plan_key, task_key};
use crate::flows::session::write::Draft;
use crate::flows::session::{closing, execution, layout, planning, promotion, prompts, review};
use crate::replies::Asking;
use crate::roles::PolicyTable;
use crate::steps::{Ending, Notice, Step, StepKey};
use crate::store::DocPath;

/// How often one task is tried.
pub const MAX_ATTEMPTS: u32 = 3;

/// A session, and what it begins with if it is not there yet.
#[derive(Clone, Debug)]
pub struct SessionFlow {
    pub new: Option<NewSession>,
    /// How often a reply that breaks its rules is asked for again.
    pub max_regenerations: u32,
    /// How many tasks may be in hand at the same time.
    pub parallel: usize,
}

impl Default for SessionFlow {
    fn default() -> Self {
        Self { new: None, max_regenerations: 2, parallel: 1 }
    }
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
        match view.life {
            Life::Unborn => self.create(view, facts),
            Life::Planning => planning::step(self, view, facts),
            Life::Working => self.work(view, facts),
            Life::Completed => {
                let tasks = view.plan.as_ref().map_or(0, |plan| plan.making());
                Step::Finish(Ending::Done(Notice {
                    what: prompts::completed(facts.lang, tasks),
                    next: prompts::completed_next(facts.lang),
                }))
            }
            Life::Failed => Step::Finish(Ending::Failed(Notice {
                what: prompts::failed(facts.lang, "status_log.ndjson"),
                next: prompts::failed_next(facts.lang),
            })),
        }
    }
}

/// The plan, the artifacts that a task in hand, or at the end the answer, is made from, and those
/// that are under review.
fn rests_on(view: &View) -> Vec<DocPath> {
    let Some(plan) = view.plan.as_ref().filter(|_| view.life == Life::Working) else {
        return Vec::new();
    };
    let mut paths: Vec<DocPath> = layout::path(layout::DECOMPOSITION).into_iter().collect();
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
    /// It has failed for good.
    GivenUp,
}

impl SessionFlow {
    fn create(&self, view: &View, facts: &Facts<'_>) -> Step {
        let Some(new) = &self.new else {
            return blocked(prompts::nothing(facts.lang), prompts::nothing_next(facts.lang));
        };
        let rules = new.review_rules.clone().unwrap_or_else(|| prompts::review_rules(facts.lang));
        Draft::new(view, facts, CONTROLLER, "create the session")
            .create(layout::USER_INPUT, new.query.clone())
            .create(layout::SYSTEM_PROMPT, new.system_prompt.clone())
            .create(layout::REVIEW_RULES, rules)
            .event(CONTROLLER, Kind::SessionCreated, &[])
            .starts(plan_key())
            .step()
    }

    /// Results that came home first, then new tasks into free lanes, then their effects; and when
    /// everything is on its way, whatever comes back next.
    fn work(&self, view: &View, facts: &Facts<'_>) -> Step {
        let Some(plan) = &view.plan else { return unreadable(facts, layout::DECOMPOSITION) };
        if view.index == IndexFile::Unreadable {
            return unreadable(facts, layout::INDEX);
        }
        if let Some(step) = promotion::invalidate(view, facts) {
            return step;
        }
        if plan.is_worked_off() {
            return closing::step(self, view, facts);
        }
        let (mut given_up, mut to_begin, mut on_its_way) = (None, None, None);
        for task in plan.in_hand() {
            match self.advance(view, facts, task) {
                Move::Now(step) => return step,
                Move::GivenUp => drop(given_up.get_or_insert(task)),
                Move::Effect(key, step) if facts.running.contains(&key) => {
                    on_its_way.get_or_insert(step);
                }
                Move::Effect(_, step) => drop(to_begin.get_or_insert(step)),
            }
        }
        // With a task given up nothing new begins; what is on its way still counts.
        if let Some(task) = given_up {
            let reason = format!("{} failed {MAX_ATTEMPTS} times", task.id);
            return on_its_way.unwrap_or_else(|| fail(view, facts, Vec::new(), &reason));
        }
        match plan.startable() {
            Some(task) if plan.in_hand_count() < self.parallel.max(1) => {
                start(view, facts, task, 1)
            }
            _ => to_begin.or(on_its_way).unwrap_or_else(|| {
                blocked(prompts::stuck(facts.lang), prompts::stuck_next(facts.lang))
            }),
        }
    }

    /// A task is started, executed, reviewed; a failed one is tried again.
    fn advance(&self, view: &View, facts: &Facts<'_>, task: &PlanTask) -> Move {
        let Some(&Progress { stage, attempt }) = view.progress.get(&task.id) else {
            return Move::Now(start(view, facts, task, 1));
        };
        let step = match stage {
            Stage::Failed if attempt < MAX_ATTEMPTS => {
                return Move::Now(start(view, facts, task, attempt + 1));
            }
            Stage::Failed => return Move::GivenUp,
            Stage::Started => execution::step(self, view, facts, task, attempt),
            Stage::Executed | Stage::Passed => review::step(self, view, facts, task, attempt),
        };
        match step {
            Step::Effect { key, effect } => Move::Effect(key.clone(), Step::Effect { key, effect }),
            now => Move::Now(now),
        }
    }

    /// A question to an agent, with the results that are there.
    pub(super) fn asking<'v>(&self, view: &'v View, facts: &Facts<'_>, key: StepKey) -> Asking<'v> {
        let max_regenerations = self.max_regenerations;
        Asking { key, max_regenerations, results: &view.results, lang: facts.lang }
    }
}

fn start(view: &View, facts: &Facts<'_>, task: &PlanTask, attempt: u32) -> Step {
    Draft::new(view, facts, CONTROLLER, &format!("start {} attempt {attempt}", task.id))
        .event(CONTROLLER, Kind::TaskStarted, &about(task, attempt))
        .starts(task_key(&task.id, "execute", attempt))
        .step()
}

pub(super) fn fail(view: &View, facts: &Facts<'_>, steps: Vec<StepKey>, reason: &str) -> Step {
    Draft::new(view, facts, CONTROLLER, reason)
        .event(CONTROLLER, Kind::SessionFailed, &[("reason", json!(reason))])
        .finishes(steps)
        .step()
}

pub(super) fn about(task: &PlanTask, attempt: u32) -> [(&'static str, Value); 2] {
    [("task_id", json!(task.id)), ("attempt", json!(attempt))]
}

fn unreadable(facts: &Facts<'_>, path: &str) -> Step {
    blocked(prompts::unreadable(facts.lang, path), prompts::unreadable_next(facts.lang, path))
}

fn blocked(what: String, next: String) -> Step {
    Step::Finish(Ending::Blocked(Notice { what, next }))
}
