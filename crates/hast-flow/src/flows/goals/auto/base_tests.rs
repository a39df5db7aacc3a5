//! The tests on the base, before the first attempt at a goal: how they end, and what they leave in the
//! tree. That is nobody's work.

use std::collections::BTreeSet;

use serde_json::json;

use crate::attempt::evidence::{TestEnd, TestRun};
use crate::attempt::recovery::Place;
use crate::attempt::workspace::{GitResult, GitStep, Head, Looked, UncommittedKind};
use crate::attempt_steps::{blocked, unexpected};
use crate::docs::goals::{Goal, GoalsEventKind as Kind};
use crate::driver::Facts;
use crate::flows::goals::auto::decide::git;
use crate::flows::goals::auto::tested::BaseRun;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::working::key;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{AutoFlow, clean_start, layout, words};
use crate::steps::{Check, Effect, EffectResult, Step, StepKey};

/// Most files that are remembered as left by tests. More than that is part of the base all the same.
const MOST_LEFT: usize = 1_000;

/// What is known of the tests when an attempt begins.
pub(super) struct Tested {
    pub(super) run: Option<BaseRun>,
    /// Files in the tree that the tests left, now or in an earlier run.
    pub(super) left: Vec<String>,
}

/// How the tests end on the base, run once for each tree and command.
pub(super) fn on_base(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    goal: &Goal,
    number: u32,
) -> Result<Tested, Step> {
    let look = key(&goal.id, number, &[clean_start::look(view, &goal.id)]);
    let rules = || flow.settings.tree_rules();
    let looked = seen(view, facts, &look, || GitStep::Look { rules: rules() })?;
    let Some(tree) = &looked.tree else { return Ok(Tested { run: None, left: Vec::new() }) };
    let command = flow.settings.test_command_of(goal);
    if flow.place == Place::InPlace {
        let left = clean_start::left_in_tree(view, looked);
        clean_start::clear(flow, view, facts, goal, (number, looked), &left)?;
        if let Some(run) = just_tested(view, looked, command).filter(|_| left.is_empty()) {
            return Ok(Tested { run: Some(run), left: self::left(view, looked, looked) });
        }
    }
    let kept = (tree.to_string(), command.to_owned());
    let again = key(&goal.id, number, &["look-again"]);
    if let Some(run) = view.tested.get(&kept) {
        // Only where they have just run can they have left anything since.
        if !facts.noted.contains(&again) {
            return Ok(Tested { run: Some(run.clone()), left: left(view, looked, looked) });
        }
        let now = seen(view, facts, &again, || GitStep::LookAgain { rules: rules() })?;
        // A commit that came meanwhile was not tested.
        let run = (now.head == looked.head).then(|| run.clone());
        return Ok(Tested { run, left: left(view, looked, now) });
    }
    let check = key(&goal.id, number, &["base-tests"]);
    match view.results.get(&check) {
        None => {
            let limit_seconds = u64::from(flow.settings.timeout_of(goal)) * 60;
            let effect =
                Effect::Check(Check { command: kept.1, tree: tree.clone(), limit_seconds });
            Err(Step::Effect { key: check, effect })
        }
        // It would be the same after each attempt. Nothing is written down: whoever installs it goes on.
        Some(EffectResult::Check(TestRun { end: TestEnd::NoProgram { name, .. }, .. })) => {
            let what = words::no_test_program(facts.lang, command, name);
            let next = match &goal.test_command {
                Some(_) => words::no_test_program_of_goal_next(facts.lang, name, &goal.id),
                None => words::no_test_program_next(facts.lang, name),
            };
            Err(blocked(what, next))
        }
        Some(EffectResult::Check(run)) => {
            let mut detail =
                json!({"goal_id": goal.id, "tree": tree, "command": command, "end": run.end});
            let tail = BaseRun::of(run.end.clone(), &run.tail).tail;
            if !tail.is_empty() {
                detail[layout::TAIL] = json!(tail);
            }
            let draft = Draft::of_one(view, facts, "the tests on the base", check);
            let next = key(&goal.id, number, &["record"]);
            Err(draft.event(Kind::BaseTested, detail).starts(again).starts(next).step())
        }
        Some(_) => Err(unexpected(&check, facts.lang)),
    }
}

/// How the tests of this run ended on the very files that are here: nothing but goals.yaml was committed
/// since. The code of a goal that has just passed is not run again before the start of the next is recorded.
fn just_tested(view: &View, looked: &Looked, command: &str) -> Option<BaseRun> {
    let tested = view.just_tested.as_ref().filter(|tested| tested.command == command)?;
    let Head::Branch { commit, .. } = &looked.head else { return None };
    (*commit == tested.head).then(|| tested.run.clone())
}

fn seen<'v>(
    view: &'v View,
    facts: &Facts<'_>,
    key: &StepKey,
    step: impl FnOnce() -> GitStep,
) -> Result<&'v Looked, Step> {
    match git(view, facts, key.clone(), step)? {
        GitResult::Looked(looked) => Ok(looked),
        _ => Err(unexpected(key, facts.lang)),
    }
}

/// Untracked files that were not there before the tests ran, and those that earlier ones had left.
fn left(view: &View, before: &Looked, now: &Looked) -> Vec<String> {
    let there: BTreeSet<&str> = untracked(before).collect();
    let left =
        untracked(now).filter(|path| !there.contains(path) || view.left_by_tests.contains(*path));
    left.take(MOST_LEFT).map(str::to_owned).collect()
}

fn untracked(looked: &Looked) -> impl Iterator<Item = &str> {
    let files = looked.uncommitted.iter().filter(|file| file.kind == UncommittedKind::Untracked);
    files.map(|file| file.path.as_str())
}

/// What is there without what the tests of earlier runs left: it is in nobody's way.
pub(super) fn without_leftovers(view: &View, mut looked: Looked) -> Looked {
    let ours = |path: &String| view.left_by_tests.contains(path);
    looked.uncommitted.retain(|file| file.kind == UncommittedKind::Tracked || !ours(&file.path));
    looked
}
