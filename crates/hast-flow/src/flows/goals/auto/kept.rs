//! Work that earlier runs left behind: in the tree for a person, on a ref to go on from, or as commits
//! that no gate has judged. What a start has to know about it before it decides.

use std::collections::BTreeSet;

use crate::attempt::base::ObjectId;
use crate::attempt::recovery::{Kept, Refusal, Unjudged, Wanted};
use crate::attempt::workspace::{GitResult, GitStep, Head, Looked};
use crate::docs::goals::GoalStatus;
use crate::driver::Facts;
use crate::flows::goals::auto::decide::{if_possible, last_goal};
use crate::flows::goals::auto::endings::{Left, over};
use crate::flows::goals::auto::record::{AttemptRecord, KeptWork};
use crate::flows::goals::auto::run::Run;
use crate::flows::goals::auto::view::{Current, Handed, View};
use crate::flows::goals::auto::{AutoFlow, claims, layout, words};
use crate::flows::goals::instructions::{LastFailure, LastWork};
use crate::flows::goals::layout as project;
use crate::flows::goals::runnable::{Asked, Choice, Depth, choose};
use crate::flows::goals::selection::placed;
use crate::leases::{LeaseResult, LeaseStep};
use crate::steps::{Ending, Notice, Step, StepKey};
use crate::words::Lang;

/// Compares two commits or trees; the paths that differ, or nothing where that cannot be told.
fn compare(
    flow: &AutoFlow,
    view: &View,
    name: &str,
    from: &ObjectId,
    to: &ObjectId,
) -> Result<Option<Vec<String>>, Step> {
    if from == to {
        return Ok(Some(Vec::new()));
    }
    let key = StepKey::new(&["start", &flow.run, name]);
    let step = || GitStep::Compare { from: from.clone(), to: to.clone() };
    Ok(match if_possible(view, key, step)? {
        Some(GitResult::Compared(lines)) => {
            Some(lines.iter().map(|line| line.change.path.to_string()).collect())
        }
        _ => None,
    })
}

/// What was left in the tree for a person, compared with what is there now.
pub(super) fn in_tree(flow: &AutoFlow, view: &View, looked: &Looked) -> Result<Option<Kept>, Step> {
    let own = format!("{}/", project::DIRECTORY);
    let dirty = looked.uncommitted.iter().any(|file| !file.path.starts_with(&own));
    let (Some((goal, handed)), true) = (view.left_in_tree(), dirty) else { return Ok(None) };
    let (Head::Branch { commit, .. }, Some(tree)) = (&looked.head, &looked.tree) else {
        return Ok(None);
    };
    let kept = &handed.kept;
    let differs = compare(flow, view, "kept-tree", &kept.tree, tree)?;
    let since = compare(flow, view, "kept-head", &kept.base, commit)?;
    Ok(differs.zip(since).map(|(differs, since)| Kept {
        goal: goal.to_owned(),
        name: kept.name.clone(),
        branch: kept.branch.clone(),
        differs,
        since,
    }))
}

/// Whether commits of a dead attempt are on another branch than the one that is checked out: nothing
/// that happens here decides about them.
pub(super) fn is_elsewhere(view: &View, looked: &Looked) -> bool {
    let here = |name: &String| match &looked.head {
        Head::Branch { name: head, .. } => head == name,
        Head::Detached { .. } | Head::Unborn { .. } => false,
    };
    view.unjudged.as_ref().is_some_and(|work| !here(&work.branch))
}

/// Commits of a dead attempt, while nobody has decided about them.
pub(super) fn unjudged(
    flow: &AutoFlow,
    view: &View,
    looked: &Looked,
) -> Result<Option<Unjudged>, Step> {
    let Some(work) = &view.unjudged else { return Ok(None) };
    let (Head::Branch { commit, .. } | Head::Detached { commit }) = &looked.head else {
        return Ok(None);
    };
    // Somebody took the branch back to where it was.
    if *commit == work.base {
        return Ok(None);
    }
    let on_top = compare(flow, view, "unjudged-head", &work.head, commit)?;
    let goals = view.goals.as_ref().and_then(|file| file.goals.as_ref().ok());
    let all = goals.map(placed).unwrap_or_default();
    let goal = all.iter().find(|placed| placed.goal.id == work.goal_id);
    let wanted = match goal.map(|placed| placed.goal.status) {
        Some(GoalStatus::Blocked) => Wanted::Undecided,
        Some(GoalStatus::Active) => Wanted::AnotherTry,
        Some(GoalStatus::Done | GoalStatus::Dropped | GoalStatus::Pending) | None => Wanted::Taken,
    };
    Ok(on_top.map(|on_top| Unjudged {
        goal: work.goal_id.clone(),
        branch: work.branch.clone(),
        base: work.base.clone(),
        head: work.head.clone(),
        on_top,
        wanted,
    }))
}

/// With `--continue`: the goal to go on with, if it may run and its work still fits.
pub(super) fn goal_to_continue(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    looked: &Looked,
) -> Result<String, Step> {
    let lang = facts.lang;
    let failed = |what: String, next: String| Step::Finish(Ending::Failed(Notice { what, next }));
    let named = flow.asked.goal.as_deref().filter(|goal| view.kept.contains_key(*goal));
    let last = || view.left_in_tree().map(|(goal, _)| goal);
    let open = flow.asked.depth == Depth::Leaves || flow.asked.goal.is_none();
    let Some(goal) = named.or_else(|| last().filter(|_| open)) else {
        return Err(failed(words::nothing_kept(lang), words::nothing_kept_next(lang)));
    };
    may_run(&Asked { goal: Some(goal.to_owned()), depth: Depth::One }, view, facts)?;
    let kept = view.kept.get(goal).map(|handed| &handed.kept);
    let (Some(kept), Head::Branch { commit, .. }) = (kept, &looked.head) else {
        return Ok(goal.to_owned());
    };
    let work = compare(flow, view, "continue-work", &kept.base_tree, &kept.tree)?;
    let since = compare(flow, view, "continue-head", &kept.base, commit)?;
    let (Some(work), Some(since)) = (work, since) else {
        let (what, next) = (words::kept_lost(lang, &kept.name), words::kept_lost_next(lang));
        return Err(failed(what, next));
    };
    let own = format!("{}/", project::DIRECTORY);
    let both = since.into_iter().filter(|path| !path.starts_with(&own) && work.contains(path));
    let paths: Vec<String> = both.collect();
    if paths.is_empty() {
        return Ok(goal.to_owned());
    }
    let refusal = Refusal::KeptWorkOutdated { name: kept.name.clone(), paths };
    Err(failed(refusal.what(lang), refusal.next(lang)))
}

/// Whether what was asked for names a goal to run; else how the run ends.
pub(super) fn something_runs(flow: &AutoFlow, view: &View, facts: &Facts<'_>) -> Result<(), Step> {
    may_run(&flow.asked, view, facts)
}

fn may_run(asked: &Asked, view: &View, facts: &Facts<'_>) -> Result<(), Step> {
    let lang = facts.lang;
    let goals = view.goals.as_ref().and_then(|file| file.goals.as_ref().ok());
    let all = goals.map(placed).unwrap_or_default();
    let elsewhere = BTreeSet::new();
    match choose(&all, asked, last_goal(view).as_deref(), &elsewhere) {
        Choice::Run(_) => Ok(()),
        nothing => {
            let left = Left { asked, all: &all, elsewhere: &elsewhere };
            Err(over(&Run::default(), &nothing, left, lang))
        }
    }
}

/// Nothing is taken out of the tree for goals that are all with other workers: the first that is free
/// is claimed before, and kept until it begins.
pub(super) fn one_is_free(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    continued: Option<&str>,
) -> Result<(), Step> {
    let goals = view.goals.as_ref().and_then(|file| file.goals.as_ref().ok());
    let all = goals.map(placed).unwrap_or_default();
    let named = |goal: &str| Asked { goal: Some(goal.to_owned()), depth: Depth::One };
    let asked = continued.map_or_else(|| flow.asked.passing_over(&BTreeSet::new()), named);
    let (last, mut elsewhere) = (last_goal(view), BTreeSet::new());
    loop {
        let choice = choose(&all, &asked, last.as_deref(), &elsewhere);
        let Choice::Run(goal) = choice else {
            let left = Left { asked: &asked, all: &all, elsewhere: &elsewhere };
            return Err(over(&Run::default(), &choice, left, facts.lang));
        };
        let unit = goal.goal.id.clone();
        let directory = layout::goal_directory(&unit);
        let key = StepKey::new(&["start", &flow.run, "claim", &directory]);
        match claims::ask(view, facts, &key, LeaseStep::Claim { unit: unit.clone() })? {
            LeaseResult::Held { .. } => return Ok(()),
            _ => elsewhere.insert(unit),
        };
    }
}

/// The work that the next attempt at a goal begins with.
pub(super) fn to_continue<'v>(view: &'v View, goal: &str) -> Option<&'v KeptWork> {
    let run = view.run.as_ref().filter(|run| !run.continued)?;
    run.continues.as_deref().filter(|continued| *continued == goal)?;
    view.kept.get(goal).map(|handed| &handed.kept)
}

/// The finding about the attempt before, as the agent is told it.
pub(super) fn last_failure<'v>(
    view: &'v View,
    current: &Current,
    record: &AttemptRecord,
    lang: Lang,
) -> Option<LastFailure<'v>> {
    if let (Some(_), Some(handed)) = (&record.continues, view.kept.get(&current.goal)) {
        let Handed { found, reason, test_tail, .. } = handed;
        let found = found.as_ref().map_or_else(|| reason.clone(), |found| found.to_agent(lang));
        return Some(LastFailure { found, test_tail, work: LastWork::InTheTree });
    }
    let verdict = view.last_verdict_before(&current.goal, current.number)?;
    Some(LastFailure {
        found: verdict.verdict.reason.to_agent(lang),
        test_tail: &verdict.test_tail,
        work: LastWork::RolledBack,
    })
}
