//! What `auto` does next. One decision looks at the view and names one step.

use std::collections::BTreeSet;

use serde_json::json;

use crate::attempt::settle::Commits;
use crate::attempt::workspace::{GitResult, GitStep};
use crate::attempt_steps::{GitSteps, blocked};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::driver::endings::stops;
use crate::driver::{Delta, Facts, Flow};
use crate::flows::goals::auto::endings::{Left, ending, over};
use crate::flows::goals::auto::policy::POLICY;
use crate::flows::goals::auto::view::{Run, View};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{
    AutoFlow, claims, layout, publishing, settling, starting, words, working,
};
use crate::flows::goals::runnable::{Choice, Nothing, choose};
use crate::flows::goals::selection::{Placed, placed};
use crate::roles::PolicyTable;
use crate::steps::{CallResult, Commit, Effect, EffectResult, Ending, Step, StepKey};
use crate::store::DocPath;

impl Flow for AutoFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    /// Work trees, queues and reports lie here too, and they are large.
    fn reads(&self, path: &DocPath, _: bool) -> bool {
        layout::is_read(path)
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let lang = facts.lang;
        let goals = match view.goals.as_ref().map(|file| &file.goals) {
            None => return blocked(words::no_goals(lang), words::no_goals_next(lang)),
            Some(Err(why)) => {
                return blocked(words::bad_goals(lang, why), words::bad_goals_next(lang));
            }
            Some(Ok(goals)) => goals,
        };
        let all = placed(goals);
        let run = match &view.run {
            Some(run) if run.id == self.run => run,
            _ => return starting::step(self, view, facts),
        };
        if let Some((what, next)) = &run.gave_up {
            return blocked(what.clone(), next.clone());
        }
        if let Some(goal) = view.lanes.first() {
            return blocked(words::open_lane(lang, goal), words::open_lane_next(lang));
        }
        if view.owed.is_some() && self.settings.commits == Commits::Auto {
            let rules = self.settings.tree_rules();
            if let Some(step) = publishing::next(&rules, view, facts) {
                return step;
            }
        }
        match &view.current {
            Some(current) => match &current.settled {
                Some(settled) => settling::commit_goals(view, facts, current, settled),
                None => working::step(self, view, facts, current, &all),
            },
            None => {
                let elsewhere = claims::elsewhere(view, &all);
                let left = Left { asked: &self.asked, all: &all, elsewhere: &elsewhere };
                if run.stop {
                    return ending(run, &Nothing::AllTried, left, lang);
                }
                match self.choice(view, run, &all, &elsewhere) {
                    Choice::Run(goal) => match claims::claim(view, facts, &goal.goal.id) {
                        Ok(()) => working::begin(self, view, facts, goal, &elsewhere),
                        Err(step) => step,
                    },
                    nothing => over(run, &nothing, left, lang),
                }
            }
        }
    }

    /// What stops a run and passes, or needs a person, is told where the inbox looks.
    fn stopped(
        &self,
        view: &View,
        _: &StepKey,
        result: &CallResult,
        facts: &Facts<'_>,
    ) -> Option<Commit> {
        let (cause, agent, until) = match result {
            CallResult::Limited { agent, until } => ("limit", Some(agent), Some(*until)),
            CallResult::LoginNeeded { agent, .. } => ("login", Some(agent), None),
            CallResult::OverBudget { .. } => ("budget", None, None),
            CallResult::NotStarted { .. } => ("not_started", None, None),
            CallResult::Completed(_)
            | CallResult::Broken { .. }
            | CallResult::Failed { .. }
            | CallResult::Blocked { .. }
            | CallResult::Cancelled => return None,
        };
        let notice = match stops(&EffectResult::Call(result.clone()), facts.lang)? {
            Ending::Waiting { notice, .. } | Ending::Blocked(notice) => notice,
            Ending::Done(_) | Ending::Failed(_) | Ending::Interrupted(_) => return None,
        };
        let current = view.current.as_ref();
        let detail = json!({
            "cause": cause,
            "goal_id": current.map(|current| &current.goal),
            "attempt": current.map(|current| current.number),
            "agent": agent,
            "until": until,
            "what": notice.what,
            "next": notice.next,
        });
        Some(Draft::note(view, facts, "stopped").event(Kind::Stopped, detail).commit())
    }
}

impl AutoFlow {
    /// A goal that is being tried is tried again before any other.
    fn choice<'g, 'a>(
        &self,
        view: &View,
        run: &Run,
        all: &'g [Placed<'a>],
        elsewhere: &BTreeSet<String>,
    ) -> Choice<'g, 'a> {
        let continued = run.continues.as_deref().filter(|goal| !run.tried.contains(*goal));
        let mut first = run.working.as_deref().into_iter().chain(continued);
        let first = first.find(|goal| !elsewhere.contains(*goal));
        match all.iter().find(|placed| Some(placed.goal.id.as_str()) == first) {
            Some(goal) => Choice::Run(goal),
            None => {
                let asked = self.asked.passing_over(&run.tried);
                let passed_over = run.tried.union(elsewhere).cloned().collect();
                choose(all, &asked, last_goal(view).as_deref(), &passed_over)
            }
        }
    }
}

/// The goal of the last session.
pub(super) fn last_goal(view: &View) -> Option<String> {
    view.last_session().map(|session| session.front.goal_id)
}

/// The result of a step of git, or the step that has to be taken first.
pub(super) fn git<'v>(
    view: &'v View,
    facts: &Facts<'_>,
    key: StepKey,
    step: impl FnOnce() -> GitStep,
) -> Result<&'v GitResult, Step> {
    git_steps(view, facts).git(key, step)
}

pub(super) fn git_steps<'v>(view: &'v View, facts: &Facts<'_>) -> GitSteps<'v> {
    GitSteps { results: &view.results, lang: facts.lang }
}

/// The same for a step that is worth having and not worth failing for.
pub(super) fn if_possible(
    view: &View,
    key: StepKey,
    step: impl FnOnce() -> GitStep,
) -> Result<Option<&GitResult>, Step> {
    match view.results.get(&key) {
        None => Err(Step::Effect { key, effect: Effect::Git(Box::new(step())) }),
        Some(EffectResult::Git(GitResult::Refused(_))) => Ok(None),
        Some(EffectResult::Git(result)) => Ok(Some(result)),
        Some(_) => Ok(None),
    }
}
