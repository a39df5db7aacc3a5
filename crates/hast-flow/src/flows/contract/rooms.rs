//! The room of a request: its agents write tests and code there, apart from the user's checkout. Each
//! attempt begins in it at a commit.

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::TestEnd;
use crate::attempt::git_problem::GitProblem;
use crate::attempt::worktrees::{Spent, Target, TreeName, TreePlan, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{GitSteps, blocked, problem, unexpected};
use crate::flows::contract::decide::Scene;
use crate::flows::contract::{layout, words};
use crate::steps::{Check, Effect, EffectResult, Step, StepKey};
use crate::store::DocPath;

/// The unit that the room belongs to.
pub(super) fn unit(scene: &Scene<'_>) -> TreeName {
    TreeName::of_request(&scene.flow.settings.project.hash, &scene.request.id)
}

/// The unit of the room in which tests are tried on changed code; nobody works there.
pub(super) fn trial(scene: &Scene<'_>) -> TreeName {
    TreeName::of_trial(&scene.flow.settings.project.hash, &scene.request.id)
}

/// The path that names the room to calls and checks.
pub(super) fn place(scene: &Scene<'_>) -> Option<DocPath> {
    place_of(&unit(scene))
}

fn place_of(unit: &TreeName) -> Option<DocPath> {
    layout::path(&format!("{}{unit}", layout::ROOMS))
}

/// A run of a command in the room of a unit.
pub(super) fn check_in(unit: &TreeName, key: StepKey, check: Check) -> Step {
    let effect = Effect::Check(check);
    let effect = match place_of(unit) {
        Some(tree) => Effect::Within { tree, effect: Box::new(effect) },
        None => effect,
    };
    Step::Effect { key, effect }
}

/// A step of a request, in its room.
pub(super) fn within(scene: &Scene<'_>, step: Step) -> Step {
    match (step, place(scene)) {
        (
            Step::Effect { key, effect: effect @ (Effect::Git(_) | Effect::Check(_)) },
            Some(tree),
        ) => Step::Effect { key, effect: Effect::Within { tree, effect: Box::new(effect) } },
        (step, _) => step,
    }
}

/// The commit that a branch is at; without one, the user's checkout.
pub(super) fn tip(
    git: &GitSteps<'_>,
    key: &StepKey,
    onto: Option<&Target>,
) -> Result<(Target, ObjectId), Step> {
    match git.worktree(key, || WorktreeStep::Tip { onto: onto.cloned() })? {
        WorktreeResult::Tip(head) => match Target::of(head) {
            Some((onto, commit)) => Ok((onto, commit.clone())),
            None => Err(problem(&GitProblem::NoFirstCommit, git.lang)),
        },
        _ => Err(unexpected(key, git.lang)),
    }
}

/// The room at a commit: brought there, or made where there is none. `part` makes the keys.
pub(super) fn open(
    scene: &Scene<'_>,
    at: &ObjectId,
    part: impl Fn(&str) -> StepKey,
) -> Result<(), Step> {
    open_for(scene, &unit(scene), at, part)
}

/// The same for the room of another unit.
pub(super) fn open_for(
    scene: &Scene<'_>,
    unit: &TreeName,
    at: &ObjectId,
    part: impl Fn(&str) -> StepKey,
) -> Result<(), Step> {
    let bring = || WorktreeStep::Bring { tree: unit.clone(), to: at.clone() };
    let key = part("bring");
    let brought = scene.view.results.get(&key);
    if let Some(EffectResult::Worktree(WorktreeResult::Refused(GitProblem::Lost { .. }))) = brought
    {
        return make(scene, unit, at, part);
    }
    match scene.git().worktree(&key, bring)? {
        WorktreeResult::Brought => Ok(()),
        _ => Err(unexpected(&key, scene.facts.lang)),
    }
}

fn make(
    scene: &Scene<'_>,
    unit: &TreeName,
    at: &ObjectId,
    part: impl Fn(&str) -> StepKey,
) -> Result<(), Step> {
    let (settings, lang) = (&scene.flow.settings, scene.facts.lang);
    let add = || {
        WorktreeStep::Add(TreePlan {
            tree: unit.clone(),
            at: at.clone(),
            copy: settings.copy.clone(),
            rules: settings.rules.clone(),
            now: scene.facts.now,
        })
    };
    scene.git().worktree(&part("add"), add)?;
    let Some(command) = settings.setup.clone() else { return Ok(()) };
    let key = part("setup");
    match scene.view.results.get(&key) {
        None => {
            let limit_seconds = settings.timeout_minutes.seconds();
            let check = Check { command, tree: at.clone(), limit_seconds };
            Err(check_in(unit, key, check))
        }
        Some(EffectResult::Check(run)) if run.end == TestEnd::Green => Ok(()),
        Some(EffectResult::Check(run)) => {
            let why = run.tail.lines().last().unwrap_or_default().to_owned();
            let next = words::setup_failed_next(lang, &scene.request.id);
            Err(blocked(words::setup_failed(lang, why), next))
        }
        Some(_) => Err(unexpected(&key, lang)),
    }
}

/// The room of a request that is over goes; one that cannot go is found by `hast auto --gc`.
pub(super) fn close(scene: &Scene<'_>) -> Result<(), Step> {
    let part = |name: &str| scene.key(&["room", name]);
    let key = part("tip");
    let tip = match scene.view.results.get(&key) {
        Some(EffectResult::Worktree(WorktreeResult::Refused(_))) => return Ok(()),
        _ => tip(&scene.git(), &key, None)?,
    };
    let key = part("remove");
    if scene.view.results.contains_key(&key) {
        return Ok(());
    }
    let (tree, spent) = (unit(scene), Spent::Merged { into: tip.1 });
    let step = WorktreeStep::Remove { tree, spent };
    Err(Step::Effect { key, effect: Effect::Worktree(Box::new(step)) })
}
