//! `hast status`: all flows found here, at a glance, and what waits for a person.

use std::path::{Path, PathBuf};

use hast_flow::docs::document::read;
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::{Goal, GoalStatus, Goals};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::selection::{Placed, placed, select};
use hast_flow::formats::source::Source;
use hast_flow::time::UtcTime;
use hast_flow::words::visible;
use serde_json::json;

use super::contract::listing::glance as request_glance;
use super::goals_files::{newest_handoff, text_of};
use super::run::glance as runs;
use super::session::glance::{Glance, glance};
use super::verify::{Report, check_flow, flows_here};
use crate::app::App;
use crate::messages::say;
use crate::ops_messages::say as ops;
use crate::problem::{Exit, Problem};

/// A flow that was found, and what its documents look like.
struct Seen {
    flow: FlowName,
    root: PathBuf,
    report: Report,
    goals: Option<GoalsState>,
    sessions: Option<Glance>,
    runs: Option<runs::Glance>,
    request: Option<(String, serde_json::Value)>,
}

/// The goals flow in a few words.
struct GoalsState {
    counts: [usize; 5],
    current: Option<(String, String)>,
    blocked: Vec<(String, Option<String>)>,
    last_handoff: Option<String>,
}

/// In the order people care about them.
const STATUSES: [GoalStatus; 5] = [
    GoalStatus::Active,
    GoalStatus::Pending,
    GoalStatus::Blocked,
    GoalStatus::Done,
    GoalStatus::Dropped,
];

pub(crate) fn run(app: &mut App) -> Result<Exit, Problem> {
    let mut flows = Vec::new();
    for (flow, root) in flows_here(app) {
        let mut report = Report::default();
        check_flow(app, flow, &root, &mut report);
        let goals = (flow == FlowName::Goals).then(|| goals_state(app, &root)).flatten();
        let sessions = (flow == FlowName::Session).then(|| glance(&root));
        let contract = flow == FlowName::Contract;
        let request = contract.then(|| request_glance(app.lang, &root)).flatten();
        let runs = (flow == FlowName::Run).then(|| runs::glance(&root));
        flows.push(Seen { flow, root, report, goals, sessions, runs, request });
    }
    if app.json {
        let at = UtcTime::new(app.clock.now()).to_string();
        let flows: Vec<_> = flows.iter().map(seen_json).collect();
        let waiting = super::inbox::waiting(app);
        app.print_json(&json!({ "at": at, "flows": flows, "waiting": waiting }))?;
        return Ok(Exit::Done);
    }
    let text = if flows.is_empty() { nothing(app) } else { text(app, &flows) };
    app.print(&text)?;
    Ok(Exit::Done)
}

fn nothing(app: &App) -> String {
    let next = say::nothing_here_next(app.lang, app.here().display());
    format!("{}\n{}: {next}\n", say::nothing_here(app.lang), say::next(app.lang))
}

fn text(app: &App, flows: &[Seen]) -> String {
    let lang = app.lang;
    let mut text = String::new();
    for Seen { flow, root, report, goals, sessions, runs, request } in flows {
        let state = say::flow_state(lang, report.files, report.errors, report.warnings);
        let root = root.display().to_string();
        text += &format!("{:<9} {}  {state}\n", flow.as_str(), visible(&root));
        let sessions = sessions.iter().flat_map(|sessions| sessions.lines(lang));
        let runs = runs.iter().flat_map(|runs| runs.lines(lang));
        for line in sessions.chain(runs) {
            text += &format!("          {line}\n");
        }
        if let Some((line, _)) = request {
            text += &format!("          {line}\n");
        }
        let Some(goals) = goals else { continue };
        let [active, pending, blocked, done, dropped] = goals.counts;
        let counts = say::goal_counts(lang, active, pending, blocked, done, dropped);
        text += &format!("          {counts}\n");
        if let Some((id, title)) = &goals.current {
            let goal = format!("{id} — {title}");
            text += &format!("          {}\n", say::current_goal(lang, goal));
        }
        if let Some(name) = &goals.last_handoff {
            text += &format!("          {}\n", say::last_handoff(lang, name));
        }
        for (goal, reason) in &goals.blocked {
            let reason = reason.clone().unwrap_or_else(|| say::no_reason(lang));
            text += &format!("          {}\n", say::blocked_goal(lang, goal, reason));
        }
    }
    let waiting = super::inbox::waiting(app);
    if waiting > 0 {
        text += &format!("{}\n", ops::waiting(lang, waiting));
        text += &format!("{}: {}\n", say::next(lang), ops::waiting_next(lang));
    }
    if flows.iter().any(|seen| seen.report.findings() > 0) {
        text += &format!("{}: {}\n", say::next(lang), say::run_verify(lang));
    }
    text
}

fn seen_json(seen: &Seen) -> serde_json::Value {
    let goals = seen.goals.as_ref().map(|goals| {
        let [active, pending, blocked, done, dropped] = goals.counts;
        let blocked_goals: Vec<_> = goals
            .blocked
            .iter()
            .map(|(id, reason)| json!({ "id": id, "blocked_reason": reason }))
            .collect();
        json!({
            "active": active, "pending": pending, "blocked": blocked, "done": done,
            "dropped": dropped,
            "current_goal": goals.current.as_ref().map(|(id, title)| json!({ "id": id, "title": title })),
            "last_handoff": goals.last_handoff,
            "blocked_goals": blocked_goals,
        })
    });
    json!({
        "flow": seen.flow.as_str(),
        "root": seen.root.display().to_string(),
        "documents": seen.report.files,
        "errors": seen.report.errors,
        "warnings": seen.report.warnings,
        "goals": goals,
        "sessions": seen.sessions.as_ref().map(Glance::json),
        "runs": seen.runs.as_ref().map(runs::Glance::json),
        "request": seen.request.as_ref().map(|(_, json)| json),
    })
}

/// Nothing where the goals cannot be read: the findings say so already.
fn goals_state(app: &App, root: &Path) -> Option<GoalsState> {
    let text = text_of(app, root, layout::GOALS).ok().flatten()?;
    let goals = read::<Goals>(&Source::new(layout::GOALS, &text)).ok()?.value;
    let all = placed(&goals);
    // The same goal that `context` would choose.
    let newest = newest_handoff(app, root).ok()?.session;
    let last_goal = newest.as_ref().map(|(_, session)| session.front.goal_id.as_str());
    let count = |status| all.iter().filter(|placed| placed.goal.status == status).count();
    let named = |placed: &Placed<'_>| (placed.goal.id.clone(), placed.goal.title.clone());
    let blocked = |goal: &&Goal| goal.status == GoalStatus::Blocked;
    let goals = all.iter().map(|placed| placed.goal).filter(blocked);
    Some(GoalsState {
        counts: STATUSES.map(count),
        current: select(&all, last_goal).map(named),
        blocked: goals.map(|goal| (goal.id.clone(), goal.blocked_reason.clone())).collect(),
        last_handoff: newest.map(|(name, _)| name),
    })
}
