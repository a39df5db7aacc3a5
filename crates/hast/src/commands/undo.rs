//! `hast undo GOAL`: what a passed goal brought is taken back by a revert commit, and the goal is active again
//! with the goals above it that were done.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::Waits;
use hast_flow::docs::goals::{GoalStatus, GoalsEventKind};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::selection::placed;
use hast_flow::flows::goals::status_edit::{NewStatus, with_status};
use hast_flow::time::UtcTime;
use hast_flow::words::{shell_word, visible};
use hast_world::git::{self, UndoPlan, Undone};
use serde_json::json;

use super::auto::{UNIT, tree_rules};
use super::calling::{self, Project};
use super::driving;
use super::goals_files::show;
use super::goals_log::{self, Wish};
use super::look::target::{self, Target};
use crate::app::App;
use crate::look_cli::UndoArgs;
use crate::look_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: &UndoArgs) -> Result<Exit, Problem> {
    let target = target::find(app, &args.goal)?;
    let project = calling::project_at(app, target.root.clone())?;
    let lang = app.lang;
    let (goal, word) = (target.id.clone(), shell_word(&target.id).into_owned());
    // Nothing is written in a repository that nobody has approved.
    let _approved = calling::trusted(app, &project, &calling::commands(&project))?;
    let status = target.goal.as_ref().map(|goal| goal.status);
    let passed = target.story.passed().filter(|_| status == Some(GoalStatus::Done));
    let Some((from, to)) = passed.and_then(|passed| passed.merged.clone()) else {
        let what = say::nothing_passed(lang, visible(&goal));
        return Err(Problem::new(what, say::show_next(lang, visible(&word))));
    };
    let documents = project.root.join(layout::DIRECTORY);
    let lock = driving::lock_of(lang, &documents, UNIT)
        .map_err(|problem| Problem { exit: Exit::Failed, ..problem })?;
    let title = target.goal.as_ref().map(|goal| goal.title.clone()).unwrap_or_default();
    let plan = UndoPlan {
        from: from.clone(),
        to: to.clone(),
        message: format!("revert({goal}): {title}\n\nHast-Goal: {goal}\nHast-Undo: {to}\n"),
        at: UtcTime::new(app.clock.now()),
        goals: layout::GOALS.to_owned(),
        rules: tree_rules(&project),
    };
    let failed = |problem: GitProblem| Problem::new(problem.what(lang), problem.next(lang));
    let commit = match git::undo(&project.root, &plan).map_err(failed)? {
        Undone::By(commit) => commit,
        Undone::Conflict { paths } => {
            let what = say::undo_conflicts(lang, visible(&goal), visible(&paths.join(", ")));
            let range = format!("{}..{}", short(from.as_str()), short(to.as_str()));
            return Err(Problem::new(what, say::undo_conflicts_next(lang, range)));
        }
        Undone::Elsewhere => {
            let what = say::undo_elsewhere(lang, visible(&goal), short(to.as_str()));
            return Err(Problem::new(what, say::undo_elsewhere_next(lang, short(to.as_str()))));
        }
        Undone::Waits(waits) => return Err(in_the_way(app, &waits)),
    };
    drop(lock);
    let commit = commit.as_ref().map(|commit| commit.as_str());
    let again = reopen(app, &project, &target, commit)?;
    if app.json {
        app.print_json(&json!({ "goal_id": goal, "commit": commit, "active": again }))?;
        return Ok(Exit::Done);
    }
    let first = match commit {
        Some(commit) => say::undone(lang, visible(&goal), short(commit)),
        None => say::undone_before(lang, visible(&goal)),
    };
    let active = say::active_again(lang, visible(&again.join(", ")));
    app.print(&format!("{first}\n{active}\n{}: hast auto {word}\n", common::next(lang)))?;
    Ok(Exit::Done)
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

fn in_the_way(app: &App, waits: &Waits) -> Problem {
    let lang = app.lang;
    let (what, next) = match waits {
        Waits::UsersFiles { paths } => {
            (say::undo_files(lang, visible(&paths.join(", "))), say::undo_files_next(lang))
        }
        Waits::InProgress { what } => {
            (say::undo_under_way(lang, visible(what)), say::undo_under_way_next(lang))
        }
        Waits::CheckedOut { at } => {
            (say::undo_checked_out(lang, visible(at)), say::undo_under_way_next(lang))
        }
    };
    Problem::new(what, next)
}

/// The goal and the done goals above it are active again; returns which.
fn reopen(
    app: &mut App,
    project: &Project,
    target: &Target,
    commit: Option<&str>,
) -> Result<Vec<String>, Problem> {
    let (lang, goal) = (app.lang, target.id.clone());
    let all = placed(&target.goals);
    let mut reopened = vec![goal.clone()];
    let mut next = all.iter().find(|placed| placed.goal.id == goal).and_then(|one| one.parent);
    while let Some(above) = next {
        if above.status == GoalStatus::Done {
            reopened.push(above.id.clone());
        }
        let placed = all.iter().find(|placed| placed.goal.id == above.id);
        next = placed.and_then(|placed| placed.parent);
    }
    let mut refused = None;
    goals_log::write(app, project, |store| {
        let (bytes, before) = goals_log::goals_bytes(lang, store)?;
        let old = String::from_utf8_lossy(&bytes).into_owned();
        let mut wish =
            Wish { actor: "person".to_owned(), status: None, goals: None, events: Vec::new() };
        let text = reopened
            .iter()
            .try_fold(old.clone(), |text, id| with_status(&text, id, NewStatus::Active));
        match text {
            Ok(text) => wish.goals = (text != old).then_some((text, before)),
            Err(findings) => refused = Some(findings),
        }
        if refused.is_none() {
            wish.events = reopened.iter().map(|id| event(id, id == &goal, commit)).collect();
        }
        Ok(wish)
    })?;
    match refused {
        None => Ok(reopened),
        Some(findings) => {
            show(app, &findings);
            let what = say::undone_status(lang, visible(&goal));
            Err(Problem::new(what, say::undone_status_next(lang)))
        }
    }
}

/// Attempts at the goal itself count anew.
fn event(id: &str, is_goal: bool, commit: Option<&str>) -> (GoalsEventKind, serde_json::Value) {
    let detail = json!({ "goal_id": id, "status": GoalStatus::Active, "undone_by": commit });
    (if is_goal { GoalsEventKind::Retried } else { GoalsEventKind::StatusSet }, detail)
}
