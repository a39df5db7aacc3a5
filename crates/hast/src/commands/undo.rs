//! `hast undo GOAL`: what a passed goal brought is taken back by a revert commit, and in the same commit the goal is
//! active again with the goals above it that were done.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::Waits;
use hast_flow::docs::goals::{GoalStatus, GoalsEventKind};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::selection::placed;
use hast_flow::flows::goals::status_edit::{NewStatus, with_status};
use hast_flow::formats::diagnostic::Diagnostic;
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
    let Some((from, to)) = brought(&target) else {
        let what = say::nothing_passed(lang, visible(&goal));
        return Err(Problem::new(what, say::show_next(lang, visible(&word))));
    };
    let documents = project.root.join(layout::DIRECTORY);
    // Held until the status is written down.
    let _lock = driving::lock_of(lang, &documents, UNIT)
        .map_err(|problem| Problem { exit: Exit::Failed, ..problem })?;
    let title = target.goal.as_ref().map(|goal| goal.title.as_str()).unwrap_or_default();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let plan = UndoPlan {
        from: from.clone(),
        to: to.clone(),
        message: format!("revert({goal}): {title}\n\nHast-Goal: {goal}\nHast-Undo: {to}\n"),
        at: UtcTime::new(app.clock.now()),
        goals: layout::GOALS.to_owned(),
        rules: tree_rules(&project),
    };
    let failed = |problem: GitProblem| Problem::new(problem.what(lang), problem.next(lang));
    let reopened = reopened(&target);
    let with_status_lines = |text: &str| reopen(text, &reopened).ok();
    let back = match git::undo(&project.root, &plan, &with_status_lines).map_err(failed)? {
        Undone::Done(back) => back,
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
    let commit = back.commit.as_ref().map(ObjectId::as_str);
    write_down(app, &project, &target, (&reopened, commit))?;
    if app.json {
        app.print_json(&json!({
            "goal_id": goal, "commit": commit, "active": reopened,
            "status_committed": back.has_status, "detached": back.is_detached,
        }))?;
        return Ok(Exit::Done);
    }
    let active = say::active_again(lang, visible(&reopened.join(", ")));
    let lines = [
        match commit.filter(|_| back.had_work) {
            Some(commit) => say::undone(lang, visible(&goal), short(commit)),
            None => say::undone_before(lang, visible(&goal)),
        },
        if back.has_status { active } else { format!("{active} {}", say::not_committed(lang)) },
        match commit.filter(|_| back.is_detached) {
            Some(commit) => say::on_no_branch(lang, short(commit)),
            None => String::new(),
        },
        format!("{}: hast auto {word}", common::next(lang)),
    ];
    let lines = lines.into_iter().filter(|line| !line.is_empty());
    app.print(&lines.map(|line| line + "\n").collect::<String>())?;
    Ok(Exit::Done)
}

/// The move of the branch that brought a goal which is done. An undo that was killed between its commit and the log
/// is done again: the commit finds nothing left to take back, and the status is written down.
fn brought(target: &Target) -> Option<(ObjectId, ObjectId)> {
    let status = target.goal.as_ref().map(|goal| goal.status);
    let passed = target.story.passed()?;
    let is_new = passed.round == target.story.retries;
    passed.merged.clone().filter(|_| is_new || status == Some(GoalStatus::Done))
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

/// The goal and the done goals above it.
fn reopened(target: &Target) -> Vec<String> {
    let all = placed(&target.goals);
    let mut reopened = vec![target.id.clone()];
    let parent_of = |id: &str| all.iter().find(|placed| placed.goal.id == id)?.parent;
    let mut next = parent_of(&target.id);
    while let Some(above) = next {
        if above.status == GoalStatus::Done {
            reopened.push(above.id.clone());
        }
        next = parent_of(&above.id);
    }
    reopened
}

/// The text of goals.yaml in which these goals are active.
fn reopen(text: &str, goals: &[String]) -> Result<String, Vec<Diagnostic>> {
    let set = |text: String, id: &String| with_status(&text, id, NewStatus::Active);
    goals.iter().try_fold(text.to_owned(), set)
}

/// The log is told, and the file where the commit could not hold the status.
fn write_down(
    app: &mut App,
    project: &Project,
    target: &Target,
    (reopened, commit): (&[String], Option<&str>),
) -> Result<(), Problem> {
    let (lang, goal) = (app.lang, &target.id);
    let mut refused = None;
    goals_log::write_down(app, project, |store| {
        let (bytes, before) = goals_log::goals_bytes(lang, store)?;
        let old = String::from_utf8_lossy(&bytes).into_owned();
        let mut wish =
            Wish { actor: "person".to_owned(), status: None, goals: None, events: Vec::new() };
        match reopen(&old, reopened) {
            Ok(text) => wish.goals = (text != old).then_some((text, before)),
            Err(findings) => refused = Some(findings),
        }
        if refused.is_none() {
            wish.events = reopened.iter().map(|id| event(id, id == goal, commit)).collect();
        }
        Ok(wish)
    })?;
    match refused {
        None => Ok(()),
        Some(findings) => {
            show(app, &findings);
            let what = say::undone_status(lang, visible(goal));
            Err(Problem::new(what, say::undone_status_next(lang)))
        }
    }
}

/// Attempts at the goal itself count anew.
fn event(id: &str, is_goal: bool, commit: Option<&str>) -> (GoalsEventKind, serde_json::Value) {
    let detail = json!({ "goal_id": id, "status": GoalStatus::Active, "undone_by": commit });
    (if is_goal { GoalsEventKind::Retried } else { GoalsEventKind::StatusSet }, detail)
}
