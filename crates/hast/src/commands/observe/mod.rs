//! `hast observe baseline`: how well the project runs by itself, as a table, JSON, and a page.

mod page;

use std::path::{Path, PathBuf};

use hast_flow::agents::ledger::LedgerLine;
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::QueueEvent;
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::observe::{Baseline, Guard, Observation};
use hast_flow::flows::goals::replay::told::Told;
use hast_flow::time::UtcTime;
use hast_flow::words::Lang;
use hast_world::derived_files::put_again;
use hast_world::files::PathError;
use hast_world::log_lines::each_line;
use hast_world::root_path::RootPath;
use serde_json::json;

use super::calling::{self, Project};
use super::flow_root::{unread, unwritten};
use super::goals_files::find_root;
use super::goals_history;
use super::page_file;
use crate::app::App;
use crate::observe_messages::say;
use crate::ops_cli::{BaselineArgs, ObserveCommands};
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, command: &ObserveCommands) -> Result<Exit, Problem> {
    match command {
        ObserveCommands::Baseline(args) => baseline(app, args),
    }
}

fn baseline(app: &mut App, args: &BaselineArgs) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let project = calling::project_at(app, root)?;
    let now = UtcTime::new(app.clock.now());
    let mut observation = Observation::new(now, args.window);
    read(&project, &mut observation).map_err(|error| unread(app, &error))?;
    let baseline = observation.baseline();
    let written = match &args.html {
        None => None,
        Some(path) => Some(write_page(app, &project.root, path.as_deref(), &baseline)?),
    };
    if app.json {
        let mut value = json!(baseline);
        value["html"] = json!(written.as_ref().map(|path| path.display().to_string()));
        app.print_json(&value)?;
        return Ok(Exit::Done);
    }
    let mut text = table(app.lang, &baseline);
    if let Some(path) = written {
        text += &format!("{}\n", say::page_written(app.lang, path.display()));
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

/// The three logs.
fn read(project: &Project, observation: &mut Observation) -> Result<(), PathError> {
    for file in goals_history::files(&project.root)? {
        each_line(&file, 0, &mut |line| {
            if let Ok(told) = serde_json::from_slice::<Told<'_>>(line) {
                observation.event(&told);
            }
        })?;
    }
    let queue = super::queue::directory(project);
    let archive = queue.join("archive");
    let mut archived = archive.names()?;
    archived.sort();
    let files = archived.into_iter().map(|name| archive.join(name));
    for file in files.chain([queue.join(hast_flow::flows::goals::queue::desk::LOG)]) {
        each_line(&file, 0, &mut |line| {
            if let Ok(event) = serde_json::from_slice::<QueueEvent>(line) {
                observation.queued(&event);
            }
        })?;
    }
    let start = format!("{}/", FlowName::Goals.as_str());
    each_line(&project.machine.join("ledger.ndjson"), 0, &mut |line| {
        if let Ok(LedgerLine::Ended { at, unit, used, .. }) = serde_json::from_slice(line)
            && let (Some(goal), Some(tokens)) = (unit.strip_prefix(&start), used.tokens)
        {
            observation.used(goal, at, tokens);
        }
    })?;
    Ok(())
}

fn write_page(
    app: &App,
    root: &RootPath,
    path: Option<&Path>,
    baseline: &Baseline,
) -> Result<PathBuf, Problem> {
    let text = page::page(app.lang, baseline);
    if let Some(path) = path {
        let path = app.directory.join(path);
        page_file::save(app, &path, &text)?;
        return Ok(path);
    }
    let day = baseline.to.instant().strftime("%Y%m%d");
    let path = root.join(layout::DIRECTORY).join(format!("reports/observe-{day}.html"));
    put_again(&path, text.as_bytes()).map_err(|error| unwritten(app.lang, &error))?;
    Ok(path.to_path_buf())
}

/// What is measured, in the order in which it is shown: name, value.
pub(super) fn figures(lang: Lang, baseline: &Baseline) -> Vec<(String, String)> {
    let share = |value: Option<f64>| {
        value.map_or("-".to_owned(), |value| format!("{:.0} %", value * 100.0))
    };
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    vec![
        (say::runs(lang), baseline.runs.to_string()),
        (say::attempts(lang), baseline.attempts.to_string()),
        (say::success(lang), share(baseline.success_rate)),
        (say::first_pass(lang), share(baseline.first_pass_rate)),
        (say::retry(lang), share(baseline.retry_rate)),
        (say::block(lang), share(baseline.block_rate)),
        (say::scope(lang), share(baseline.scope_violation_rate)),
        (say::security(lang), share(baseline.security_rate)),
        (say::mean_attempts(lang), number(baseline.mean_attempts)),
        (say::mttr(lang), number(baseline.mttr_minutes)),
        (say::claims(lang), baseline.claims.to_string()),
        (say::collisions(lang), share(baseline.collision_rate)),
        (say::tokens(lang), number(baseline.tokens_per_goal)),
        (say::minutes(lang), number(baseline.minutes_per_goal)),
    ]
}

/// Whether the project can be left alone, in one sentence.
pub(super) fn verdict(lang: Lang, baseline: &Baseline) -> String {
    let failing: Vec<String> = baseline
        .guards
        .iter()
        .filter(|guard| !guard.holds)
        .map(|guard| failing_guard(lang, *guard))
        .collect();
    if failing.is_empty() { say::ready(lang) } else { say::not_ready(lang, failing.join(", ")) }
}

/// A guard that does not hold: what was measured, and what is needed.
fn failing_guard(lang: Lang, guard: Guard) -> String {
    let Guard { name, limit, value, .. } = guard;
    let value = value.unwrap_or(0.0);
    let share = |value: f64| format!("{:.0} %", value * 100.0);
    match name {
        "runs" => say::too_few_runs(lang, value, limit),
        "first_pass_rate" => say::first_pass_low(lang, share(value), share(limit)),
        "block_rate" => say::block_high(lang, share(value), share(limit)),
        "collision_rate" => say::collisions_high(lang, share(value), share(limit)),
        "mttr_minutes" => say::mttr_high(lang, value, limit),
        other => format!("{other} {value} ({limit})"),
    }
}

fn table(lang: Lang, baseline: &Baseline) -> String {
    use unicode_width::UnicodeWidthStr;
    let figures = figures(lang, baseline);
    let width = figures.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let mut text = format!("{} .. {}\n", baseline.from, baseline.to);
    for (name, value) in figures {
        let pad = " ".repeat(width - name.width());
        text += &format!("  {name}{pad}  {value:>8}\n");
    }
    text + &verdict(lang, baseline) + "\n"
}
