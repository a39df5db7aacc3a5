//! `commit: off`: what passed is put into the user's checkout as uncommitted changes, and the run stops.
//! Files of the user are never written over; where one is in the way, the goal is a person's.

use crate::attempt::base::Saved;
use crate::attempt::evidence::RepoPath;
use crate::attempt::git_problem::GitProblem;
use crate::attempt::reason::Reason;
use crate::attempt::settle::{Act, settle};
use crate::attempt::workspace::{GitResult, GitStep};
use crate::attempt_steps::{problem, unexpected};
use crate::flows::goals::auto::lanes::lane::within;
use crate::flows::goals::auto::lanes::train::{may_count, refuse};
use crate::flows::goals::auto::lanes::view::Lane;
use crate::flows::goals::auto::record::VerdictRecord;
use crate::flows::goals::auto::settling::{Outcome, perform, settled};
use crate::flows::goals::auto::working::Work;
use crate::flows::goals::selection::Placed;
use crate::steps::{Effect, EffectResult, Step};

pub(super) fn step(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    all: &[Placed<'_>],
) -> Result<Step, Step> {
    let plan = settle(&verdict.verdict, &work.attempt(0));
    let mut outcome = Outcome::at(&verdict.head);
    for act in &plan.acts {
        match (act, outcome.saved) {
            (Act::PutIntoCheckout, Some(saved)) => {
                outcome.uncommitted = put(work, lane, verdict, saved)?;
            }
            _ => perform(work, verdict, act, &mut outcome).map_err(|step| within(lane, step))?,
        }
    }
    Ok(settled(work, &plan.then, &outcome, None, all))
}

/// The files that the work changed in the checkout. Doing it again changes nothing.
fn put(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    saved: &Saved,
) -> Result<Vec<String>, Step> {
    let commit = &saved.work().commit;
    may_count(work, lane, verdict, commit)?;
    let (key, lang) = (work.key(&["checkout"]), work.facts.lang);
    let reason = match work.view.results.get(&key) {
        None => {
            let step = GitStep::Restore {
                name: commit.to_string(),
                since: Some(work.base.tree().clone()),
                rules: work.base.rules().clone(),
            };
            return Err(Step::Effect { key, effect: Effect::Git(Box::new(step)) });
        }
        Some(EffectResult::Git(GitResult::Restored { paths })) => {
            return Ok(paths.iter().map(|change| change.path.to_string()).collect());
        }
        Some(EffectResult::Git(GitResult::Refused(GitProblem::InTheWay { paths }))) => {
            let (path, more) = RepoPath::first_of(paths);
            Reason::MergeTouches { path, more }
        }
        Some(EffectResult::Git(GitResult::Refused(refused))) if refused.is_everybodys() => {
            return Err(problem(refused, lang));
        }
        Some(EffectResult::Git(GitResult::Refused(refused))) => {
            Reason::MergeWaits { why: refused.what(lang) }
        }
        Some(_) => return Err(unexpected(&key, lang)),
    };
    Err(refuse(work, lane, verdict, reason, commit, ""))
}
