//! A run in lanes decides its next step here. It first uses results that came home, then begins
//! further work, then waits, and at last ends.

use std::collections::BTreeSet;

use serde_json::json;

use crate::attempt::settle::Commits;
use crate::attempt::workspace::Head;
use crate::attempt::worktrees::{Target, TreeName, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::goals::{Goals, GoalsEventKind as Kind};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::goals::auto::asking::{last_goal, lease};
use crate::flows::goals::auto::endings::{Left, bounded, ending, over, stopped};
use crate::flows::goals::auto::lanes::choosing::{Next, next};
use crate::flows::goals::auto::lanes::view::{Lane, LanesView};
use crate::flows::goals::auto::lanes::{LanesFlow, delivery, lane};
use crate::flows::goals::auto::policy::POLICY;
use crate::flows::goals::auto::red_base::RedBase;
use crate::flows::goals::auto::run::Run;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::working::key;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{layout, publishing, starting, words};
use crate::flows::goals::runnable::{Asked, Depth, Nothing};
use crate::flows::goals::selection::{Placed, ids_below, placed};
use crate::leases::{LeaseResult, LeaseStep};
use crate::roles::PolicyTable;
use crate::steps::{CallResult, Commit, Effect, EffectResult, Step, StepKey};
use crate::store::DocPath;
use crate::words::Lang;

impl Flow for LanesFlow {
    type View = LanesView;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, _: bool) -> bool {
        layout::is_read(path)
    }

    fn fold(&self, view: &mut LanesView, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &LanesView, facts: &Facts<'_>) -> Step {
        let lang = facts.lang;
        let goals = match goals_of(view, lang) {
            Ok(goals) => goals,
            Err(step) => return step,
        };
        if let Some(over) = delivery::nothing_to_drive(self, view, lang) {
            return over;
        }
        let all = placed(goals);
        let left_alone = self.left_alone(view, &all);
        let run = match &view.shared.run {
            Some(run) if run.id == self.auto.run => run,
            _ => return starting::step(self, view, facts, &left_alone),
        };
        let ours = || view.lanes.values().filter(|lane| !left_alone.contains(&lane.goal.as_str()));
        let under_way: BTreeSet<String> = ours().map(|lane| lane.goal.clone()).collect();
        if let Some(step) = self.commit_owed(view, facts, &under_way) {
            return step;
        }
        let (mut waits_for, mut trouble) = (None, None);
        let busy = under_way.iter().filter(|goal| running(facts, goal).is_some()).count();
        for one in ours() {
            if let Some(key) = running(facts, &one.goal) {
                waits_for.get_or_insert(key);
                continue;
            }
            match lane::step(self, view, facts, one, &all) {
                // A run before this one may have had more room.
                Some(Step::Effect { .. }) if busy >= self.width => {}
                // It stands in everybody's way. Who is at work ends first.
                Some(step @ Step::Finish(_)) => trouble = Some(step),
                Some(step) => return step,
                None => {}
            }
        }
        if let Some(trouble) = trouble {
            return last_of_all(trouble, facts);
        }
        if let Some(RedBase { what, next }) = run.red_base.clone() {
            return last_of_all(blocked(what, next), facts);
        }
        let elsewhere = view.claimed_elsewhere(&all);
        let left = Left { asked: &self.auto.asked, all: &all, elsewhere: &elsewhere };
        let begun: BTreeSet<String> = run.tried.union(&under_way).cloned().collect();
        let reached = self.auto.bounds.is_reached(begun.len(), facts.now);
        if under_way.len() < self.width && !run.stop {
            let asked = self.asked_now(run, &under_way);
            let last = last_goal(&view.shared);
            let tried = run.tried.union(&elsewhere).cloned().collect();
            let red = view.red(&all);
            match next(&all, &asked, last.as_deref(), &tried, &under_way, red) {
                Next::Open(_) if reached => {}
                Next::Open(goal) => match running(facts, &goal.goal.id) {
                    Some(key) => waits_for = Some(key),
                    None => return last_of_all(self.open(view, facts, goal), facts),
                },
                Next::Later => {}
                Next::None(choice) => return over(run, &choice, left, lang),
            }
        }
        match waits_for.or_else(|| facts.running.first().cloned()) {
            Some(key) => wait(key),
            None if reached => bounded(&self.auto, run, left, facts),
            None => ending(run, &Nothing::AllTried, left, lang),
        }
    }

    fn stopped(
        &self,
        view: &LanesView,
        key: &StepKey,
        result: &CallResult,
        facts: &Facts<'_>,
    ) -> Option<Commit> {
        stopped(&view.of(view.goal_of(key)), result, facts)
    }
}

/// Nothing ends a run while somebody is at work.
fn last_of_all(step: Step, facts: &Facts<'_>) -> Step {
    match (step, facts.running.first()) {
        (Step::Finish(_), Some(key)) => wait(key.clone()),
        (step, _) => step,
    }
}

/// What is on its way is waited for, whatever it is.
fn wait(key: StepKey) -> Step {
    Step::Effect { key, effect: Effect::Tools(Vec::new()) }
}

/// What a goal's lane waits for. It has one thing on its way at a time.
fn running(facts: &Facts<'_>, goal: &str) -> Option<StepKey> {
    let start = format!("{}/", layout::goal_directory(goal));
    facts.running.iter().find(|key| key.as_str().starts_with(&start)).cloned()
}

impl LanesFlow {
    /// Lanes that an earlier run left, and that need an agent for a goal which nobody asked for now.
    fn left_alone<'v>(&self, view: &'v LanesView, all: &[Placed<'_>]) -> Vec<&'v str> {
        let Some(named) = &self.auto.asked.goal else { return Vec::new() };
        let goals = || all.iter().map(|placed| placed.goal);
        let whole = goals().find(|goal| goal.id == *named);
        let whole = whole.filter(|_| self.auto.asked.depth == Depth::Leaves);
        let below = whole.map(ids_below).unwrap_or_default();
        let is_left = |lane: &&Lane| {
            let asked = lane.goal == *named || below.contains(lane.goal.as_str());
            let known = goals().any(|goal| goal.id == lane.goal);
            !asked && known && !view.is_past_the_agent(lane)
        };
        view.lanes.values().filter(is_left).map(|lane| lane.goal.as_str()).collect()
    }

    /// What is asked for next: kept work that is gone on with comes first.
    fn asked_now(&self, run: &Run, under_way: &BTreeSet<String>) -> Asked {
        let begun: BTreeSet<String> = run.tried.union(under_way).cloned().collect();
        match run.continues.as_ref().filter(|goal| !begun.contains(*goal)) {
            Some(goal) => Asked { goal: Some(goal.clone()), depth: Depth::One },
            None => self.auto.asked.passing_over(&begun),
        }
    }

    /// While nobody works, the branch is nobody's.
    fn commit_owed(
        &self,
        view: &LanesView,
        facts: &Facts<'_>,
        under_way: &BTreeSet<String>,
    ) -> Option<Step> {
        let idle = facts.running.iter().all(|key| key.as_str().starts_with("start/"));
        let commits = self.auto.settings.commits == Commits::Auto;
        if !commits || !idle || !under_way.is_empty() || view.shared.owed.is_none() {
            return None;
        }
        publishing::next(&self.auto.settings.tree_rules(), &view.of_start(), facts)
    }

    /// A goal gets a lane at the place where the branch is now.
    fn open(&self, view: &LanesView, facts: &Facts<'_>, placed: &Placed<'_>) -> Step {
        let goal = &placed.goal.id;
        let seen = view.of(goal);
        let number = seen.ledger(goal).next_number();
        let tip_key = key(goal, number, &["open"]);
        let onto = self.delivery.as_ref().and_then(|delivery| delivery.onto.as_ref());
        let (onto, tip) = match tip(&seen, facts, &tip_key, onto.or(view.onto.as_ref())) {
            Ok(tip) => tip,
            Err(step) => return step,
        };
        let base = self.delivery.as_ref().map_or(tip, |delivery| delivery.base.clone());
        let claim = LeaseStep::Claim { unit: goal.clone() };
        let fence = match lease(&seen, facts, &key(goal, number, &["claim"]), claim) {
            Ok(LeaseResult::Held { fence }) => *fence,
            // The next decision passes it over.
            Ok(_) => return unexpected(&key(goal, number, &["claim"]), facts.lang),
            Err(step) => return step,
        };
        let branch = match &onto {
            Target::Branch(name) => Some(name),
            Target::Detached => None,
        };
        let mut detail = json!({"goal_id": goal, "base": base, "onto": branch, "fence": fence});
        let tree = TreeName::of(goal);
        if tree != TreeName::earlier(goal) {
            detail[layout::TREE] = json!(tree.as_str());
        }
        if let Some(delivery) = &self.delivery {
            detail["packet"] = json!(delivery.packet);
        }
        Draft::new(&seen, facts, &format!("{goal} gets a room"))
            .event(Kind::LaneOpened, detail)
            .starts(key(goal, number, &["add"]))
            .step()
    }
}

/// Where the branch is that finished work goes onto.
pub(super) fn tip(
    seen: &View,
    facts: &Facts<'_>,
    key: &StepKey,
    onto: Option<&Target>,
) -> Result<(Target, crate::attempt::base::ObjectId), Step> {
    let step = || WorktreeStep::Tip { onto: onto.cloned() };
    match worktree(seen, facts, key.clone(), step)? {
        WorktreeResult::Tip(Head::Branch { name, commit }) => {
            Ok((Target::Branch(name.clone()), commit.clone()))
        }
        WorktreeResult::Tip(Head::Detached { commit }) => Ok((Target::Detached, commit.clone())),
        WorktreeResult::Tip(Head::Unborn { .. }) => {
            Err(blocked(words::no_tip(facts.lang), words::no_tip_next(facts.lang)))
        }
        WorktreeResult::Refused(refused) => Err(problem(refused, facts.lang)),
        _ => Err(unexpected(key, facts.lang)),
    }
}

/// The result of a step with work trees, or the step that has to be taken first.
pub(in crate::flows::goals::auto) fn worktree<'v>(
    seen: &'v View,
    facts: &Facts<'_>,
    key: StepKey,
    step: impl FnOnce() -> WorktreeStep,
) -> Result<&'v WorktreeResult, Step> {
    match seen.results.get(&key) {
        None => Err(Step::Effect { key, effect: Effect::Worktree(Box::new(step())) }),
        Some(EffectResult::Worktree(result)) => Ok(result),
        Some(_) => Err(unexpected(&key, facts.lang)),
    }
}

fn goals_of(view: &LanesView, lang: Lang) -> Result<&Goals, Step> {
    match view.shared.goals.as_ref().map(|file| &file.goals) {
        None => Err(blocked(words::no_goals(lang), words::no_goals_next(lang))),
        Some(Err(why)) => Err(blocked(words::bad_goals(lang, why), words::bad_goals_next(lang))),
        Some(Ok(goals)) => Ok(goals),
    }
}
