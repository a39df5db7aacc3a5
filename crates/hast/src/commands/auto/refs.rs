//! `hast auto --undo` and `--gc`: bringing back what a settle took away, and clearing old refs.

use std::collections::BTreeMap;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::workspace::{GitResult, GitStep, OwnRef};
use hast_flow::docs::goals::{GoalsEvent, GoalsEventKind};
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::flows::goals::layout;
use hast_flow::formats::ndjson;
use hast_flow::time::UtcTime;
use hast_flow::words::visible;
use hast_world::files::read_if_there;
use hast_world::git_thread::GitThread;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::leftovers::{self, Leftover};
use crate::app::App;
use crate::auto_messages::say;
use crate::commands::calling::{Project, asks, says_yes_to};
use crate::commands::driving;
use crate::problem::{Exit, Problem};

/// Refs that are younger stay.
const OLD: SignedDuration = SignedDuration::from_hours(30 * 24);
const MAX_LOG: usize = 256 << 20;

/// Puts the work of the last attempt that was rolled back into the tree again.
pub(super) fn undo(app: &mut App, project: &Project) -> Result<Exit, Problem> {
    let lang = app.lang;
    // Whoever works here would find these files as its agent's.
    let documents = project.root.join(layout::DIRECTORY);
    let _lock = driving::lock_of(lang, &documents, super::UNIT)
        .map_err(|problem| Problem { exit: Exit::Failed, ..problem })?;
    let Some((name, since)) = last_saved(app, project)? else {
        return Err(Problem::new(say::nothing_to_undo(lang), say::nothing_to_undo_next(lang)));
    };
    let rules = super::tree_rules(project);
    let paths = match perform(app, project, &GitStep::Restore { name: name.clone(), since, rules })?
    {
        GitResult::Restored { paths } => paths,
        _ => Vec::new(),
    };
    let named: Vec<&str> = paths.iter().map(|change| change.path.as_str()).collect();
    if app.json {
        app.print_json(&json!({ "ref": name, "paths": named }))?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{}\n", say::undone(lang, visible(&name), paths.len()));
    for path in named {
        text += &format!("  {}\n", visible(path));
    }
    app.print(&(text + &say::undone_next(lang) + "\n"))?;
    Ok(Exit::Done)
}

/// Lists refs of hast that are older than a month, and deletes them: unmerged ones only if somebody
/// says so.
pub(super) fn gc(app: &mut App, project: &Project) -> Result<Exit, Problem> {
    let now = app.clock.now();
    let GitResult::Refs(mut all) = perform(app, project, &GitStep::ListRefs)? else {
        return Ok(Exit::Done);
    };
    let starts = starts(&events(app, project)?);
    for one in &mut all {
        // What only records where an attempt began holds no work of anybody.
        if let Some(at) = starts.get(&one.name) {
            (one.at, one.merged) = (Some(*at), true);
        }
    }
    let is_old = |one: &OwnRef| one.at.is_some_and(|at| now.duration_since(at.instant()) > OLD);
    let (old, young): (Vec<OwnRef>, Vec<OwnRef>) = all.into_iter().partition(is_old);
    let (merged, unmerged): (Vec<OwnRef>, Vec<OwnRef>) =
        old.into_iter().partition(|one| one.merged);
    let mut goes = merged;
    let mut stays = young.len();
    if !unmerged.is_empty() && asks(app) {
        for one in &unmerged {
            app.output.message(&format!("  {}\n", visible(&one.name)));
        }
        if says_yes_to(app, &say::gc_question(app.lang, unmerged.len())) {
            goes.extend(unmerged);
        } else {
            stays += unmerged.len();
        }
    } else {
        stays += unmerged.len();
    }
    let refs = goes.iter().map(|one| (one.name.clone(), one.target.clone())).collect();
    if !goes.is_empty() {
        perform(app, project, &GitStep::DeleteRefs { refs })?;
    }
    let names: Vec<&str> = goes.iter().map(|one| one.name.as_str()).collect();
    let trees = leftovers::remove(app, project)?;
    if app.json {
        let trees: Vec<_> = trees.iter().map(Leftover::json).collect();
        app.print_json(&json!({ "deleted": names, "kept": stays, "worktrees": trees }))?;
    } else {
        let mut text = format!("{}\n", say::gc_done(app.lang, names.len(), stays));
        for name in &names {
            text += &format!("  {}\n", visible(name));
        }
        for tree in &trees {
            text += &format!("{}\n", tree.line(app));
        }
        app.print(&text)?;
    }
    Ok(Exit::Done)
}

fn events(app: &App, project: &Project) -> Result<Vec<GoalsEvent>, Problem> {
    let path = project.root.join(layout::DIRECTORY).join(auto_layout::EVENTS);
    let bytes = read_if_there(&path, MAX_LOG)
        .map_err(|error| Problem::cannot_read(app.lang, &error.path, &error.source))?;
    Ok(ndjson::read::<GoalsEvent>(auto_layout::EVENTS, &bytes.unwrap_or_default()).0)
}

/// When each attempt began whose record nobody needs any more: a later one of its goal has begun.
fn starts(events: &[GoalsEvent]) -> BTreeMap<String, UtcTime> {
    let mut last: BTreeMap<&str, (String, UtcTime)> = BTreeMap::new();
    let mut over = BTreeMap::new();
    for event in events.iter().filter(|event| event.kind == GoalsEventKind::AttemptStarted) {
        let goal = event.detail.get("goal_id").and_then(Value::as_str).unwrap_or_default();
        let number = event.detail.get("attempt").and_then(Value::as_u64).unwrap_or_default();
        let name = format!("refs/hast/bases/{}/{number}", auto_layout::goal_directory(goal));
        over.extend(last.insert(goal, (name, event.ts)));
    }
    over
}

/// The ref of the last attempt that was taken out of the tree.
fn last_saved(app: &App, project: &Project) -> Result<Option<(String, Option<ObjectId>)>, Problem> {
    let events = events(app, project)?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let saved = |event: &GoalsEvent| match event.kind {
        GoalsEventKind::AttemptSettled => {
            let since = text(event.detail.get("base")).and_then(|tree| tree.parse().ok());
            Some((text(event.detail.get("saved")?.get("name"))?, since))
        }
        GoalsEventKind::Recovered | GoalsEventKind::KeptCleared => {
            Some((text(event.detail.get("ref"))?, None))
        }
        _ => None,
    };
    Ok(events.iter().rev().find_map(saved))
}

fn perform(app: &App, project: &Project, step: &GitStep) -> Result<GitResult, Problem> {
    let lang = app.lang;
    let refused = |problem: &hast_flow::attempt::git_problem::GitProblem| {
        Problem::new(problem.what(lang), problem.next(lang))
    };
    let git = GitThread::open(&project.root).map_err(|problem| refused(&problem))?;
    match git.perform(step) {
        GitResult::Refused(problem) => Err(refused(&problem)),
        result => Ok(result),
    }
}
