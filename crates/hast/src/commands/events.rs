//! `hast events`: the log folded into state, and its end.

use std::collections::VecDeque;
use std::time::Duration;

use hast_flow::docs::goals::GoalStatus;
use hast_flow::flows::goals::replay::Disagreement;
use hast_flow::flows::goals::selection::placed;
use hast_flow::inbox::Item;
use hast_flow::words::visible;
use hast_world::log_lines::each_line;
use hast_world::root_path::RootPath;
use serde_json::{Value, json};

use super::flow_root::{unread, unwritten};
use super::goals_files::{GoalsFiles, find_root};
use super::goals_history;
use super::inbox::goals::over;
use super::queue::goals_there;
use crate::app::App;
use crate::messages::say as common;
use crate::ops_cli::{EventsCommands, ReplayArgs, TailArgs};
use crate::ops_messages::say;
use crate::problem::{Exit, Problem};

/// How often `--follow` looks.
const LOOK: Duration = Duration::from_millis(300);

pub(crate) fn run(app: &mut App, command: &EventsCommands) -> Result<Exit, Problem> {
    match command {
        EventsCommands::Replay(args) => replay(app, *args),
        EventsCommands::Tail(args) => tail(app, *args),
    }
}

fn replay(app: &mut App, args: ReplayArgs) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let goals = GoalsFiles::read(app, &root)?.goals;
    let replay = goals_history::whole(&root).map_err(|error| unread(app, &error))?;
    let disagreements = replay.disagreements(&placed(&goals));
    let writes = !args.no_write || args.write;
    if writes {
        goals_history::write(&root, &replay).map_err(|error| unwritten(app.lang, &error))?;
    }
    let there = goals_there(&root);
    let waits = |item: &&Item| over(app.lang, &replay, there.as_ref(), item).is_none();
    let (views, waiting) = (replay.views(), replay.inbox().open_items().filter(waits).count());
    if app.json {
        app.print_json(&json!({
            "events": views.log.events,
            "duplicates": views.log.duplicates,
            "unreadable": views.log.unreadable,
            "goals": views.goals,
            "waiting": waiting,
            "disagreements": disagreements,
            "written": writes,
        }))?;
        return Ok(Exit::Done);
    }
    let (lang, log) = (app.lang, &views.log);
    let mut text = say::replayed(lang, log.events, log.duplicates, log.unreadable) + "\n";
    text += &(say::replayed_state(lang, views.goals.len(), waiting) + "\n");
    for one in &disagreements {
        text += &format!("  {}\n", told(app, one));
    }
    if !disagreements.is_empty() {
        text += &format!("{}: {}\n", common::next(lang), say::disagrees_next(lang));
    }
    if writes {
        let files = [goals_history::VIEWS, goals_history::INBOX].join(", ");
        text += &(say::written(lang, files) + "\n");
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

fn told(app: &App, one: &Disagreement) -> String {
    let file =
        one.goals_yaml.map_or_else(|| say::not_in_file(app.lang), |status| word(status).into());
    say::disagrees(app.lang, visible(&one.goal_id), word(one.events), file)
}

pub(crate) fn word(status: GoalStatus) -> &'static str {
    match status {
        GoalStatus::Pending => "pending",
        GoalStatus::Active => "active",
        GoalStatus::Done => "done",
        GoalStatus::Blocked => "blocked",
        GoalStatus::Dropped => "dropped",
    }
}

fn tail(app: &mut App, args: TailArgs) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let log = goals_history::log(&root);
    let (mut last, mut read): (VecDeque<Vec<u8>>, u64) = (VecDeque::new(), 0);
    each_line(&log, 0, &mut |line| {
        read += line.len() as u64;
        if last.len() == args.lines {
            last.pop_front();
        }
        last.push_back(line.to_vec());
    })
    .map_err(|error| unread(app, &error))?;
    last.truncate(args.lines);
    let events: Vec<Value> =
        last.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    if app.json && !args.follow {
        app.print_json(&json!({ "events": events }))?;
        return Ok(Exit::Done);
    }
    if read == 0 && !args.follow {
        app.print(&(say::no_events(app.lang) + "\n"))?;
    }
    for event in &events {
        show(app, event)?;
    }
    if args.follow { follow(app, &log, read) } else { Ok(Exit::Done) }
}

/// Until somebody ends it. With `--json` each event is a line of its own.
fn follow(app: &mut App, log: &RootPath, mut read: u64) -> Result<Exit, Problem> {
    loop {
        let mut events: Vec<Value> = Vec::new();
        let given =
            each_line(log, read, &mut |line| events.extend(serde_json::from_slice(line).ok()))
                .map_err(|error| unread(app, &error))?;
        read += given.unwrap_or(0);
        for event in &events {
            show(app, event)?;
        }
        std::thread::sleep(LOOK);
    }
}

fn show(app: &mut App, event: &Value) -> Result<(), Problem> {
    if app.json {
        return app.print_exact(&format!("{event}\n"));
    }
    let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let detail = &event["detail"];
    let about = ["goal_id", "attempt", "class", "code", "then", "status", "reason", "what"];
    let about: Vec<String> = about
        .iter()
        .filter_map(|name| match &detail[*name] {
            Value::Null => None,
            Value::String(text) => Some(text.lines().next().unwrap_or_default().to_owned()),
            other => Some(other.to_string()),
        })
        .collect();
    let line = format!("{}  {:<19}  {}", text("ts"), text("type"), about.join("  "));
    app.print(&format!("{}\n", visible(&line)))
}
