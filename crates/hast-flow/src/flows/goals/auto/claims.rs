//! Claims on goals: whoever works on one holds it in the queue, wherever they work. A run in place has
//! one at a time; taking the next gives it back, and so does the end of the run.

use std::collections::BTreeSet;

use crate::attempt::base::kept_branch;
use crate::attempt::settle::{Act, Then};
use crate::attempt_steps::{blocked, unexpected};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::driver::Facts;
use crate::flows::goals::auto::record::VerdictRecord;
use crate::flows::goals::auto::settling::{Outcome, about_attempt, perform};
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::words;
use crate::flows::goals::auto::working::{Work, key};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::selection::Placed;
use crate::leases::{LeaseResult, LeaseStep};
use crate::steps::{Effect, EffectResult, Step, StepKey};

/// The step of an attempt that asks whether it may begin, and the one that asks whether it counts.
pub(super) const CLAIM: &str = "claim";
pub(super) const KEEP: &str = "lease";
/// The same for a second verdict, after the user's hooks refused the commit of the first.
const KEEP_AGAIN: &str = "lease-again";

/// What came of asking for a lease, or the step that asks.
pub(super) fn ask<'v>(
    seen: &'v View,
    facts: &Facts<'_>,
    key: &StepKey,
    step: LeaseStep,
) -> Result<&'v LeaseResult, Step> {
    match seen.results.get(key) {
        None => Err(Step::Effect { key: key.clone(), effect: Effect::Lease(step) }),
        Some(EffectResult::Lease(LeaseResult::Failed { why })) => {
            Err(blocked(words::no_queue(facts.lang, why), words::no_queue_next(facts.lang)))
        }
        Some(EffectResult::Lease(result)) => Ok(result),
        Some(_) => Err(unexpected(key, facts.lang)),
    }
}

/// The right to begin the goal's next attempt.
pub(super) fn claim(view: &View, facts: &Facts<'_>, goal: &str) -> Result<(), Step> {
    let claim_key = key(goal, view.ledger(goal).next_number(), &[CLAIM]);
    let step = LeaseStep::Claim { unit: goal.to_owned() };
    match ask(view, facts, &claim_key, step)? {
        LeaseResult::Held { .. } => Ok(()),
        // The choice has passed it over.
        _ => Err(unexpected(&claim_key, facts.lang)),
    }
}

/// Goals that another worker has, as far as was asked since the last commit.
pub(super) fn elsewhere(view: &View, all: &[Placed<'_>]) -> BTreeSet<String> {
    if view.results.is_empty() {
        return BTreeSet::new();
    }
    let gone = |placed: &&Placed<'_>| {
        let id = &placed.goal.id;
        let claim_key = key(id, view.ledger(id).next_number(), &[CLAIM]);
        let result = view.results.get(&claim_key);
        matches!(result, Some(EffectResult::Lease(LeaseResult::Gone { .. })))
    };
    all.iter().filter(gone).map(|placed| placed.goal.id.clone()).collect()
}

/// A late worker's result does not count: whoever has lost the claim keeps the work on a branch, and
/// leaves tree and goal to whoever has it now. A commit that was begun under the claim is ended.
pub(super) fn still_counts(
    work: &Work<'_>,
    record: &VerdictRecord,
    then: &Then,
) -> Result<(), Step> {
    let settles = matches!(then, Then::Done | Then::DoneAndStop | Then::Block(_));
    let build = work.key(&["build"]);
    let begun = work.facts.left_open(&build) || work.view.results.contains_key(&build);
    if !settles || begun {
        return Ok(());
    }
    let step = LeaseStep::Keep { unit: work.current.goal.clone() };
    let passed = record.verdict.class.is_success();
    let keep_key = work.key(&[if passed { KEEP } else { KEEP_AGAIN }]);
    match ask(work.view, work.facts, &keep_key, step)? {
        LeaseResult::Held { .. } => Ok(()),
        _ => Err(lost(work, record)),
    }
}

fn lost(work: &Work<'_>, record: &VerdictRecord) -> Step {
    let goal = &work.current.goal;
    let mut outcome = Outcome::at(&record.head);
    let keep = Act::Keep { branch: kept_branch(goal) };
    let save = Act::Save { name: work.save_plan().name };
    for act in [save, keep, Act::RollBack] {
        if let Err(step) = perform(work, record, &act, &mut outcome) {
            return step;
        }
    }
    let detail = about_attempt(work, "lease_lost", &outcome);
    let draft = Draft::new(work.view, work.facts, &format!("{goal} is somebody else's"));
    let begun = ["hooks", "guard"].map(|part| work.key(&[part]));
    let draft = begun.into_iter().fold(draft, Draft::closes);
    draft.event(Kind::AttemptSettled, detail).step()
}
