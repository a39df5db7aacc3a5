//! `hast goal list`: the tree of goals, and for each that does not run the reason.

use hast_flow::docs::goals::{GoalMode, GoalStatus};
use hast_flow::flows::goals::closed::Closed;
use hast_flow::flows::goals::runnable::ready;
use hast_flow::flows::goals::selection::{Placed, placed};
use hast_flow::flows::goals::status_edit::status_word;
use hast_flow::flows::goals::waiting::Waiting;
use hast_flow::words::{Lang, visible};
use serde_json::{Value, json};

use crate::app::App;
use crate::commands::goals_files::{GoalsFiles, find_root, show};
use crate::goal_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

/// So much of a reason fits on a line.
const REASON: usize = 100;

pub(super) fn run(app: &mut App) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let files = GoalsFiles::read(app, &root)?;
    if !app.quiet {
        show(app, &files.warnings);
    }
    let (lang, all) = (app.lang, placed(&files.goals));
    if app.json {
        let runnable: Vec<&str> = ready(&all).iter().map(|one| one.goal.id.as_str()).collect();
        let goals: Vec<Value> = all.iter().map(|one| as_json(one, &all, &runnable)).collect();
        app.print_json(&json!({ "goals": goals }))?;
        return Ok(Exit::Done);
    }
    let mut text: String = all.iter().map(|one| line(lang, one, &all)).collect();
    if text.is_empty() {
        let (what, next) = (say::no_goals(lang), say::no_goals_next(lang));
        text = format!("{what}\n{}: {next}\n", common::next(lang));
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

fn line(lang: Lang, placed: &Placed<'_>, all: &[Placed<'_>]) -> String {
    let goal = placed.goal;
    let (status, indent) = (status_word(goal.status), "  ".repeat(placed.depth));
    let why = why_not(lang, placed, all).map(|why| format!(" · {why}")).unwrap_or_default();
    format!("{status:<8} {indent}{}  {}{why}\n", visible(&goal.id), visible(&goal.title))
}

/// Why a goal that is not over does not run.
fn why_not(lang: Lang, placed: &Placed<'_>, all: &[Placed<'_>]) -> Option<String> {
    let goal = placed.goal;
    if goal.status == GoalStatus::Blocked {
        let reason = goal.blocked_reason.as_deref()?.trim().lines().next()?;
        let short: String = reason.chars().take(REASON).collect();
        return Some(visible(&short).into_owned());
    }
    if let Some(closed) = Closed::of(placed) {
        return Some(say::below(lang, visible(&closed.above), status_word(closed.status)));
    }
    if goal.status != GoalStatus::Active {
        return None;
    }
    if goal.mode == Some(GoalMode::Interactive) && goal.children.is_empty() {
        return Some(say::of_person(lang));
    }
    let waiting = Waiting::of(goal, all)?;
    let on = waiting.on.join(", ");
    Some(match waiting.named_by == goal.id {
        true => say::waits(lang, visible(&on)),
        false => say::waits_above(lang, visible(&waiting.named_by), visible(&on)),
    })
}

fn as_json(placed: &Placed<'_>, all: &[Placed<'_>], runnable: &[&str]) -> Value {
    let goal = placed.goal;
    let closed = placed.closed_by.filter(|_| goal.status == GoalStatus::Active);
    json!({
        "id": goal.id,
        "title": goal.title,
        "status": goal.status,
        "parent": placed.parent.map(|parent| &parent.id),
        "depth": placed.depth,
        "runnable": runnable.contains(&goal.id.as_str()),
        "waits_for": Waiting::of(goal, all).map(|waiting| waiting.on).unwrap_or_default(),
        "closed_by": closed.map(|above| json!({ "id": above.id, "status": above.status })),
        "blocked_reason": goal.blocked_reason,
    })
}
