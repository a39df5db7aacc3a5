//! Each goal of a run begins with what is committed: what the tests or hooks of the one before it left in
//! the tree would count for the next, and no gate has judged it.

use serde_json::json;

use crate::attempt::base::{TreeRules, recovered_ref};
use crate::attempt::workspace::{GitResult, GitStep, Head, LeftWork, Looked, SavePlan};
use crate::attempt_steps::unexpected;
use crate::docs::goals::{Goal, GoalsEventKind as Kind};
use crate::driver::Facts;
use crate::flows::goals::auto::AutoFlow;
use crate::flows::goals::auto::base_tests::without_leftovers;
use crate::flows::goals::auto::decide::git;
use crate::flows::goals::auto::record::LISTED;
use crate::flows::goals::auto::run::Beside;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::working::key;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::layout as project;
use crate::steps::Step;

/// What is in the tree and not committed, but for hast's own directory and what tests left before any agent
/// had worked.
pub(super) fn left_in_tree(view: &View, looked: &Looked) -> Vec<String> {
    let own = format!("{}/", project::DIRECTORY);
    let found = without_leftovers(view, looked.clone()).uncommitted.into_iter();
    found.map(|file| file.path).filter(|path| !path.starts_with(&own)).collect()
}

/// What the look around is called: one more is another step.
pub(super) fn look(view: &View, goal: &str) -> &'static str {
    if is_cleared(view, goal) { "look-clean" } else { "look" }
}

fn is_cleared(view: &View, goal: &str) -> bool {
    let cleared = view.run.iter().flat_map(|run| &run.trees_cleared);
    cleared.into_iter().any(|cleared| cleared.goal == goal)
}

/// Takes it out of the tree, once it is on a ref. What the run began with is the user's, and what is there
/// again after it was taken out (line ends that git would change) stays.
pub(super) fn clear(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    goal: &Goal,
    (number, looked): (u32, &Looked),
    left: &[String],
) -> Result<(), Step> {
    let is_first = view.run.as_ref().is_none_or(|run| run.tried.is_empty());
    let (Head::Branch { commit, .. }, Some(tree)) = (&looked.head, &looked.tree) else {
        return Ok(());
    };
    if is_first || left.is_empty() || is_cleared(view, &goal.id) {
        return Ok(());
    }
    let left_by_tests = || view.left_by_tests.iter().cloned().collect();
    let rules = || TreeRules { left_by_tests: left_by_tests(), ..flow.settings.tree_rules() };
    let plan = || SavePlan {
        name: recovered_ref(facts.now),
        rules: rules(),
        base: None,
        message: "what tests or hooks left in the tree".to_owned(),
        at: facts.now,
        max_file_bytes: flow.settings.max_saved_file_bytes,
        max_total_bytes: flow.settings.max_saved_bytes,
    };
    let save = key(&goal.id, number, &["clean-save"]);
    let saved = match git(view, facts, save.clone(), || GitStep::Save(plan()))? {
        GitResult::Saved(saved) => saved.clone(),
        _ => return Err(unexpected(&save, facts.lang)),
    };
    let (base, from, work) = (commit.clone(), commit.clone(), tree.clone());
    let name = saved.work().name.clone();
    let out = key(&goal.id, number, &["clean-out"]);
    let discard = || {
        let left = LeftWork { base, from, work, within: None };
        GitStep::Discard { left, saved, rules: rules() }
    };
    let beside = match git(view, facts, out.clone(), discard)? {
        GitResult::RolledBack(back) => Beside::aside(&back.aside),
        _ => return Err(unexpected(&out, facts.lang)),
    };
    let paths: Vec<&String> = left.iter().take(LISTED).collect();
    let mut detail = json!({"goal_id": goal.id, "ref": name, "paths": paths});
    if !beside.is_empty() {
        detail["beside"] = json!(beside);
    }
    let draft = Draft::new(view, facts, "what the last goal left in the tree");
    let next = key(&goal.id, number, &["look-clean"]);
    Err(draft.event(Kind::TreeCleared, detail).starts(next).step())
}
