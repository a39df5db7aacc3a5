//! Changes of a goal's status are commits of `goals.yaml` alone: those that end an attempt, and those
//! that a retry, a person or a worker made, which the log owes until somebody can commit them.

use serde_json::{Value, json};

use crate::attempt::base::{ObjectId, TreeRules};
use crate::attempt::git_problem::GitProblem;
use crate::attempt::workspace::{CommitPlan, Content, GitResult, GitStep, Head, Identity};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::driver::{Delta, Facts, Flow};
use crate::flows::goals::auto::policy::POLICY;
use crate::flows::goals::auto::view::{Owed, View};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{layout, words};
use crate::flows::goals::layout as project;
use crate::roles::PolicyTable;
use crate::steps::{Effect, EffectResult, Ending, Notice, Step, StepKey};
use crate::store::DocPath;
use crate::time::UtcTime;

/// Commits what the log owes, and ends.
#[derive(Clone, Debug)]
pub struct StatusFlow {
    pub rules: TreeRules,
}

impl Flow for StatusFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, _: bool) -> bool {
        layout::is_read(path)
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        next(&self.rules, view, facts).unwrap_or_else(|| {
            let (what, next) = (words::status_told(facts.lang), words::done_next(facts.lang));
            Step::Finish(Ending::Done(Notice { what, next }))
        })
    }
}

/// Goals whose status a log still owes a commit. Only lines that could tell of one are read.
pub fn owed_in(log: &str) -> Vec<String> {
    let tells = |line: &&str| line.contains(layout::OWED) || line.contains("GOALS_COMMITTED");
    let mut view = View::default();
    for event in log.lines().filter(tells).filter_map(|line| serde_json::from_str(line).ok()) {
        view.take_event(&event);
    }
    view.owed.map(|owed| owed.goals).unwrap_or_default()
}

/// The next step of committing what is owed. Nothing where nothing is owed, and while an attempt of an
/// earlier version is open in the checkout.
pub(super) fn next(rules: &TreeRules, view: &View, facts: &Facts<'_>) -> Option<Step> {
    let owed = view.owed.as_ref()?;
    if view.current.is_some() { None } else { commit_owed(rules, view, facts, owed) }
}

/// What is owed stays so while the user is in the middle of something.
fn commit_owed(rules: &TreeRules, view: &View, facts: &Facts<'_>, owed: &Owed) -> Option<Step> {
    let number = view.events.to_string();
    let key = |part: &str| StepKey::new(&["start", "status", &number, part]);
    let looked = match view.results.get(&key("look")) {
        None => {
            let look = GitStep::Look { rules: rules.clone() };
            return Some(Step::Effect { key: key("look"), effect: Effect::Git(Box::new(look)) });
        }
        Some(EffectResult::Git(GitResult::Looked(looked))) => looked,
        Some(result) if passes(result) => return None,
        Some(result) => return Some(not_committed(view, facts, &owed.goals, result)),
    };
    let changed = looked.uncommitted.iter().any(|file| file.path == project::GOALS);
    if looked.in_progress.is_some() {
        return None;
    }
    Some(match &looked.head {
        Head::Branch { name, commit } if changed => {
            let plan = StatusCommit {
                goals: &owed.goals,
                branch: name.clone(),
                head: commit.clone(),
                at: owed.at,
                text: None,
                build: key("build"),
                advance: key("advance"),
            };
            if plan.refusal(view).is_some_and(is_for_later) {
                return None;
            }
            plan.step(view, facts)
        }
        // It is committed, or there is no branch that it could be committed on.
        _ => committed(view, facts, &owed.goals, json!({})),
    })
}

/// Whether it was refused for something that the user is in the middle of.
fn passes(result: &EffectResult) -> bool {
    matches!(result, EffectResult::Git(GitResult::Refused(problem)) if problem.passes())
}

/// Or for something that is wrong with the whole repository or its disk, and may not be the next time.
fn is_for_later(problem: &GitProblem) -> bool {
    problem.passes() || problem.is_everybodys()
}

/// A commit of `goals.yaml`, on top of where a branch is.
pub(super) struct StatusCommit<'g> {
    pub(super) goals: &'g [String],
    pub(super) branch: String,
    pub(super) head: ObjectId,
    pub(super) at: UtcTime,
    /// What the file becomes; none is what the user's checkout has.
    pub(super) text: Option<String>,
    pub(super) build: StepKey,
    /// Goes before the name of the commit.
    pub(super) advance: StepKey,
}

impl StatusCommit<'_> {
    /// Why it could not be made, if that is known.
    pub(super) fn refusal<'v>(&self, view: &'v View) -> Option<&'v GitProblem> {
        let result = |key: &StepKey| match view.results.get(key) {
            Some(EffectResult::Git(result)) => Some(result),
            _ => None,
        };
        match result(&self.build)? {
            GitResult::Refused(problem) => Some(problem),
            GitResult::Built { commit } => {
                let advance = StepKey::new(&[self.advance.as_str(), commit.as_str()]);
                match result(&advance)? {
                    GitResult::Refused(problem) => Some(problem),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn step(self, view: &View, facts: &Facts<'_>) -> Step {
        let git =
            |key: StepKey, step: GitStep| Step::Effect { key, effect: Effect::Git(step.into()) };
        let built = match view.results.get(&self.build) {
            None => {
                let plan = self.plan();
                return git(self.build, GitStep::Build { plan });
            }
            Some(EffectResult::Git(GitResult::Built { commit })) => commit.clone(),
            Some(result) => return not_committed(view, facts, self.goals, result),
        };
        let key = StepKey::new(&[self.advance.as_str(), built.as_str()]);
        match view.results.get(&key) {
            None => {
                let (branch, from, to) = (self.branch, self.head, built);
                git(key, GitStep::Advance { branch, from, to })
            }
            Some(EffectResult::Git(GitResult::Advanced)) => {
                let mut detail = json!({"commit": built});
                if self.text.is_some() {
                    detail[layout::ELSEWHERE] = json!(self.branch);
                }
                committed(view, facts, self.goals, detail)
            }
            Some(result) => not_committed(view, facts, self.goals, result),
        }
    }

    fn plan(&self) -> CommitPlan {
        let trailers: String =
            self.goals.iter().map(|goal| format!("Hast-Goal: {goal}\n")).collect();
        let path = project::GOALS.to_owned();
        CommitPlan {
            content: match self.text.clone() {
                Some(text) => Content::Text { path, text },
                None => Content::File { path },
            },
            parent: self.head.clone(),
            message: format!("chore({}): goal status\n\n{trailers}", self.goals.join(", ")),
            at: self.at,
            identity: Identity::Users,
        }
    }
}

/// The status is in the file; that nobody could commit it is no reason to stop.
fn not_committed(view: &View, facts: &Facts<'_>, goals: &[String], result: &EffectResult) -> Step {
    let EffectResult::Git(GitResult::Refused(problem)) = result else {
        return committed(view, facts, goals, json!({"refused": ""}));
    };
    let mut detail = json!({"refused": problem.what(facts.lang)});
    if is_for_later(problem) {
        detail[layout::OWED] = json!(true);
    }
    committed(view, facts, goals, detail)
}

pub(super) fn committed(
    view: &View,
    facts: &Facts<'_>,
    goals: &[String],
    mut detail: Value,
) -> Step {
    let named = goals.join(", ");
    detail["goal_id"] = json!(named);
    let draft = Draft::new(view, facts, &format!("{named}: goals.yaml"));
    draft.event(Kind::GoalsCommitted, detail).step()
}
