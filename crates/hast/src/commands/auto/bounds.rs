//! How far a run of `auto` goes: until when, over how many goals, at what cost; and what it does not wait for.

use std::time::Duration;

use hast_flow::agents::budget::RunBudget;
use hast_flow::agents::ledger::LedgerLine;
use hast_flow::flows::goals::auto::RunBounds;
use hast_flow::time::UtcTime;
use hast_world::calls::ledger::LedgerFile;
use jiff::Timestamp;
use jiff::civil::Time;

use crate::app::App;
use crate::auto_cli::AutoArgs;
use crate::auto_messages::say;
use crate::commands::agent::limits;
use crate::commands::calling::Project;
use crate::problem::Problem;
use crate::progress::board::elapsed;

/// The bounds as they were typed; the budget goes with the project, where calls are made.
pub(super) fn of(
    app: &mut App,
    args: &AutoArgs,
    project: &mut Project,
) -> Result<RunBounds, Problem> {
    let lang = app.lang;
    let until = args.until.as_deref().map(|text| {
        let bad = || Problem::usage(say::bad_until(lang, text), say::bad_until_next(lang));
        next_time(app, text).ok_or_else(bad)
    });
    if let Some(text) = &args.budget {
        let bad = || Problem::usage(say::bad_budget(lang, text), say::bad_budget_next(lang));
        let budget = RunBudget::parse(text, app.clock.now()).ok_or_else(bad)?;
        project.run_budget = Some(budget);
    }
    let until = until.transpose()?;
    if let (Some(until), Some(text)) = (until, &args.until) {
        tell_tomorrow(app, until, text.trim());
    }
    Ok(RunBounds { until, goals: args.max_goals })
}

/// A time of today that is over means the one of tomorrow: that is said.
fn tell_tomorrow(app: &mut App, until: UtcTime, text: &str) {
    let (now, until) = (app.clock.now(), until.instant());
    let date = |at: Timestamp| app.clock.local_offset(at).to_datetime(at).date();
    if app.quiet || date(now) == date(until) {
        return;
    }
    let left = until.duration_since(now).as_secs();
    let left = elapsed(Duration::from_secs(u64::try_from(left).unwrap_or(0)));
    app.output.message(&format!("{}\n", say::until_tomorrow(app.lang, text, left)));
}

/// The next time that a clock on the wall shows this, `7:00` or `07:00`.
fn next_time(app: &App, text: &str) -> Option<UtcTime> {
    let (hour, minute) = text.trim().split_once(':')?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(hour) || !digits(minute) || minute.len() != 2 {
        return None;
    }
    let time = Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()?;
    let now = app.clock.now();
    let offset = app.clock.local_offset(now);
    let today = offset.to_datetime(now).date();
    let at = |date: jiff::civil::Date| offset.to_timestamp(date.to_datetime(time)).ok();
    let today_at = at(today)?;
    let next = if today_at > now { today_at } else { at(today.tomorrow().ok()?)? };
    Some(UtcTime::new(next))
}

/// `--now`: agents that refused are asked all the same.
pub(super) fn forget_limits(app: &App, project: &Project) -> Result<(), Problem> {
    let (lang, at) = (app.lang, UtcTime::new(app.clock.now()));
    let known = limits::known(app, &project.machine)?;
    if known.is_empty() {
        return Ok(());
    }
    let cleared = known.into_iter().map(|limited| LedgerLine::Cleared { at, agent: limited.agent });
    let cleared: Vec<LedgerLine> = cleared.collect();
    let written = LedgerFile::within(&project.machine).with(|_| (cleared, ()));
    written.map_err(|error| Problem::cannot_write(lang, &error.path, &error.source))
}
