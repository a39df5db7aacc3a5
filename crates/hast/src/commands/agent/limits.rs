//! `hast agent limits`: which agents refuse and until when, and an agent that may be asked again. The same
//! limits are a line of `hast status`.

use hast_flow::agents::ledger::{LedgerLine, Limited};
use hast_flow::agents::resume_time::{ResetSource, ResumeTime};
use hast_flow::time::{OffsetTime, UtcTime};
use hast_flow::words::{shell_word, visible};
use hast_world::calls::ledger::LedgerFile;
use hast_world::root_path::RootPath;
use serde_json::{Value, json};

use crate::agent_messages::say;
use crate::app::App;
use crate::commands::calling::{Project, project};
use crate::messages::say as common;
use crate::ops_cli::LimitsArgs;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: &LimitsArgs) -> Result<Exit, Problem> {
    let project = project(app)?;
    if let Some(agent) = &args.clear {
        clear(app, &project, agent)?;
    }
    let limits = known(app, &project.machine)?;
    if app.json {
        let cleared = args.clear.as_deref();
        app.print_json(&json!({ "limits": as_json(&limits), "cleared": cleared }))?;
        return Ok(Exit::Done);
    }
    let mut text = match &args.clear {
        Some(agent) => format!("{}\n", say::limit_cleared(app.lang, agent)),
        None => String::new(),
    };
    text.extend(lines(app, &limits).iter().map(|line| format!("{line}\n")));
    match limits.first() {
        None if args.clear.is_none() => text += &format!("{}\n", say::no_limits(app.lang)),
        Some(first) if args.clear.is_none() => {
            let next = say::clear_limit_next(app.lang, visible(&shell_word(&first.agent)));
            text += &format!("{}: {next}\n", common::next(app.lang));
        }
        _ => {}
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

/// The limits of a project as its ledger has them; nothing is changed.
pub(crate) fn known(app: &App, machine: &RootPath) -> Result<Vec<Limited>, Problem> {
    let ledger = LedgerFile::look(machine);
    let ledger =
        ledger.map_err(|error| Problem::cannot_read(app.lang, &error.path, &error.source))?;
    Ok(ledger.limited(app.clock.now()))
}

/// `claude is limited until 13:16 (in 2 h)`.
pub(crate) fn lines(app: &App, limits: &[Limited]) -> Vec<String> {
    let now = app.clock.now();
    let now = OffsetTime::new(now, app.clock.local_offset(now));
    let line = |Limited { agent, limit, .. }: &Limited| {
        let until = ResumeTime { limit: *limit, now }.text(app.lang);
        say::limited_until(app.lang, visible(agent), until)
    };
    limits.iter().map(line).collect()
}

/// Times are UTC, as everywhere for programs.
pub(crate) fn as_json(limits: &[Limited]) -> Value {
    let one = |Limited { agent, since, limit }: &Limited| {
        let guess = limit.source == ResetSource::Guess;
        json!({ "agent": agent, "since": since, "until": limit.until, "guess": guess })
    };
    limits.iter().map(one).collect()
}

fn clear(app: &App, project: &Project, agent: &str) -> Result<(), Problem> {
    let lang = app.lang;
    let limits = known(app, &project.machine)?;
    if !limits.iter().any(|limited| limited.agent == agent) {
        let names: Vec<&str> = limits.iter().map(|limited| limited.agent.as_str()).collect();
        let next = match names.is_empty() {
            true => say::none_limited_next(lang),
            false => say::not_limited_next(lang, names.join(", ")),
        };
        return Err(Problem::new(say::not_limited(lang, agent), next));
    }
    let at = UtcTime::new(app.clock.now());
    let line = LedgerLine::Cleared { at, agent: agent.to_owned() };
    let written = LedgerFile::within(&project.machine).with(|_| (vec![line], ()));
    written.map_err(|error| Problem::cannot_write(lang, &error.path, &error.source))
}
