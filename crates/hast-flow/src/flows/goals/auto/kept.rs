//! Work that was handed to a person and that another attempt goes on with (`--continue`).

use std::collections::BTreeSet;

use crate::attempt::base::ObjectId;
use crate::attempt::recovery::Refusal;
use crate::attempt::workspace::{GitResult, GitStep};
use crate::driver::Facts;
use crate::flows::goals::auto::asking::{if_possible, last_goal};
use crate::flows::goals::auto::endings::{Left, over};
use crate::flows::goals::auto::record::{AttemptRecord, KeptWork};
use crate::flows::goals::auto::run::Run;
use crate::flows::goals::auto::view::{Current, Handed, View};
use crate::flows::goals::auto::{AutoFlow, words};
use crate::flows::goals::instructions::{LastFailure, LastWork};
use crate::flows::goals::layout as project;
use crate::flows::goals::runnable::{Asked, Choice, Depth, choose};
use crate::flows::goals::selection::placed;
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

/// With `--continue`: the goal to go on with, if it may run and its work still fits.
pub(super) fn goal_to_continue(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    head: &ObjectId,
) -> Result<String, Step> {
    let lang = facts.lang;
    let failed = |what: String, next: String| Step::Finish(Ending::Failed(Notice { what, next }));
    let named = flow.asked.goal.as_deref().filter(|goal| view.kept.contains_key(*goal));
    let last = || view.last_handed.as_deref().filter(|goal| view.kept.contains_key(*goal));
    let open = flow.asked.depth == Depth::Leaves || flow.asked.goal.is_none();
    let Some(goal) = named.or_else(|| last().filter(|_| open)) else {
        return Err(failed(words::nothing_kept(lang), words::nothing_kept_next(lang)));
    };
    may_run(&Asked { goal: Some(goal.to_owned()), depth: Depth::One }, view, facts)?;
    let kept = view.kept.get(goal).filter(|handed| !handed.gone_on_with);
    let kept = kept.map(|handed| &handed.kept);
    let Some(kept) = kept else { return Ok(goal.to_owned()) };
    let work = compare(flow, view, "continue-work", &kept.base_tree, &kept.tree)?;
    let since = compare(flow, view, "continue-head", &kept.base, head)?;
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

/// The work that the next attempt at a goal begins with.
pub(super) fn to_continue<'v>(view: &'v View, goal: &str) -> Option<&'v KeptWork> {
    let continues = view.run.as_ref().and_then(|run| run.continues.as_deref());
    continues.filter(|continued| *continued == goal)?;
    view.kept.get(goal).filter(|handed| !handed.gone_on_with).map(|handed| &handed.kept)
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
    last_failure_before(view, &current.goal, current.number, lang)
}

/// The same for an attempt that begins anew.
pub fn last_failure_before<'v>(
    view: &'v View,
    goal: &str,
    number: u32,
    lang: Lang,
) -> Option<LastFailure<'v>> {
    let Some(verdict) = view.last_verdict_before(goal, number) else {
        // A retry puts the records of earlier attempts aside; the log still tells why they failed.
        let Handed { found, reason, test_tail, .. } = view.kept.get(goal)?;
        let found = found.as_ref().map_or_else(|| reason.clone(), |found| found.to_agent(lang));
        return Some(LastFailure { found, test_tail, work: LastWork::RolledBack });
    };
    Some(LastFailure {
        found: verdict.verdict.reason.to_agent(lang),
        test_tail: &verdict.test_tail,
        work: LastWork::RolledBack,
    })
}
