//! Where the status of a goal is written and committed once its work is on the branch.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{Content, GitResult, GitStep, Head, TreeFile};
use hast_flow::attempt::worktrees::{Standing, WorktreeResult};
use hast_flow::steps::{Effect, EffectResult, Step};

use crate::scene::{Lanes, goals, id};

/// A goal that was merged, with its status still to be committed.
fn merged() -> Lanes {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    lanes.passed("A", 'c');
    let (about, head) = (r#""goal_id":"A","attempt":1"#, id('c'));
    let settled = format!(
        r#"{about},"then":"done","head":"{head}","commit_goals_on":"{head}","status":"done","written":true"#
    );
    lanes.event("GOAL_DONE", about);
    lanes.event("ATTEMPT_SETTLED", &settled);
    assert_eq!(lanes.key(), "A/1/goals-standing");
    lanes
}

fn stands(lanes: &mut Lanes, standing: Standing) {
    lanes.worktree("A/1/goals-standing", WorktreeResult::Stands(standing));
}

fn git(lanes: &mut Lanes, key: &str, result: GitResult) {
    lanes.result(key, &EffectResult::Git(result));
}

#[test]
fn the_status_is_committed_where_the_merge_left_the_branch_so_that_a_second_try_is_the_same() {
    let mut lanes = merged();
    stands(&mut lanes, Standing::On);
    let Step::Effect { effect: Effect::Git(step), .. } = lanes.step() else { panic!() };
    assert!(matches!(&*step, GitStep::Build { plan } if plan.parent == id('c')), "{step:?}");
    git(&mut lanes, "A/1/goals-build", GitResult::Built { commit: id('e') });
    let Step::Effect { effect: Effect::Git(step), .. } = lanes.step() else { panic!() };
    let to_e =
        matches!(&*step, GitStep::Advance { from, to, .. } if *from == id('c') && *to == id('e'));
    assert!(to_e, "{step:?}");
}

#[test]
fn where_somebody_was_on_the_branch_since_the_status_is_committed_on_top_of_that() {
    let mut lanes = merged();
    stands(&mut lanes, Standing::On);
    git(&mut lanes, "A/1/goals-build", GitResult::Built { commit: id('e') });
    let (name, expected) = ("refs/heads/main".to_owned(), Some(id('c')));
    let moved = GitProblem::Moved { name, expected, found: Some(id('d')) };
    git(&mut lanes, &format!("A/1/goals-advance/{}", id('e')), GitResult::Refused(moved));
    assert_eq!(lanes.key(), "A/1/goals-tip");
    let (name, commit) = ("refs/heads/main".to_owned(), id('d'));
    lanes.worktree("A/1/goals-tip", WorktreeResult::Tip(Head::Branch { name, commit }));
    let Step::Effect { key, effect: Effect::Git(step) } = lanes.step() else { panic!() };
    assert_eq!(key.as_str(), "A/1/goals-again-build");
    assert!(matches!(&*step, GitStep::Build { plan } if plan.parent == id('d')), "{step:?}");
}

#[test]
fn while_the_user_is_in_the_middle_of_something_the_status_is_left_to_be_committed() {
    let mut lanes = merged();
    stands(&mut lanes, Standing::Busy(GitProblem::InProgress { what: "merge".into() }));
    let written = lanes.written();
    assert!(written.contains("GOALS_COMMITTED") && written.contains("\"commit_goals\":true"));
    assert!(written.contains("a merge is under way"), "{written}");
    lanes.event("GOALS_COMMITTED", r#""goal_id":"A","commit_goals":true"#);
    assert_eq!(lanes.view.shared.owed.as_ref().unwrap().goals, ["A"]);
}

#[test]
fn on_another_branch_the_status_is_committed_into_the_goals_of_the_branch_that_the_work_is_on() {
    let mut lanes = merged();
    stands(&mut lanes, Standing::Off);
    assert_eq!(lanes.key(), "A/1/goals-own-tip");
    let (name, commit) = ("refs/heads/main".to_owned(), id('d'));
    lanes.worktree("A/1/goals-own-tip", WorktreeResult::Tip(Head::Branch { name, commit }));
    assert_eq!(lanes.key(), "A/1/goals-own");
    let theirs = goals(&[("A", ""), ("B", "")]);
    let file = TreeFile { path: ".ai/goals.yaml".into(), bytes: Some(theirs.clone().into()) };
    git(&mut lanes, "A/1/goals-own", GitResult::Files(vec![file]));
    let Step::Effect { effect: Effect::Git(step), .. } = lanes.step() else { panic!() };
    let GitStep::Build { plan } = &*step else { panic!("{step:?}") };
    let Content::Text { text, .. } = &plan.content else { panic!("{plan:?}") };
    assert_eq!(*text, theirs.replacen("active", "done", 1));
    assert_eq!(plan.parent, id('d'));
}
