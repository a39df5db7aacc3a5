//! Results of steps: there already, or asked for first. Where something is still to be done, the step
//! that does it comes back as the error.

use crate::attempt::workspace::{GitResult, GitStep};
use crate::attempt_steps::{GitSteps, blocked, unexpected};
use crate::driver::Facts;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::words;
use crate::leases::{LeaseResult, LeaseStep};
use crate::steps::{Effect, EffectResult, Step, StepKey};

/// The result of a step of git.
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

/// Asks for a lease: whoever works on a goal holds it in the queue, wherever they work.
pub(super) fn lease<'v>(
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

/// The goal of the last session.
pub(super) fn last_goal(view: &View) -> Option<String> {
    view.last_session().map(|session| session.front.goal_id)
}
