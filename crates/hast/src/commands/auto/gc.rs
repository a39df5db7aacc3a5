//! `hast auto --gc`: old refs, what lies on no ref, and work trees that nobody needs. Whatever is nowhere
//! else goes only after somebody says so.

use std::collections::BTreeMap;

use hast_flow::attempt::workspace::{GitResult, GitStep, OwnRef};
use hast_flow::docs::goals::{GoalsEvent, GoalsEventKind};
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::time::UtcTime;
use hast_flow::words::visible;
use hast_world::git::Lying;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::beside;
use super::leftovers::{self, Leftover, size};
use super::refs::{aside_files, events, perform, refused};
use crate::app::App;
use crate::auto_messages::say;
use crate::commands::calling::{Project, asks, says_yes_to};
use crate::problem::{Exit, Problem};

/// What is younger stays.
const OLD: SignedDuration = SignedDuration::from_hours(30 * 24);

pub(super) fn run(app: &mut App, project: &Project) -> Result<Exit, Problem> {
    let refs = clear_refs(app, project)?;
    let (trees, freed) = leftovers::remove(app, project)?;
    let earlier = leftovers::of_earlier_versions(project);
    let aside = clear_aside(app, project)?;
    if app.json {
        let trees: Vec<Value> = trees.iter().map(Leftover::json).collect();
        let aside: Vec<Value> = aside.iter().map(Found::json).collect();
        let checked_out: Vec<&str> = refs.checked_out.iter().map(|one| &*one.name).collect();
        app.print_json(&json!({
            "deleted": refs.deleted,
            "kept": refs.kept,
            "unmerged": refs.unmerged,
            "checked_out": checked_out,
            "worktrees": trees,
            "of_earlier_versions": earlier,
            "rooms": { "deleted": freed.rooms, "bytes": freed.bytes },
            "aside": aside,
        }))?;
        return Ok(Exit::Done);
    }
    let mut text = refs.text(app);
    for tree in &trees {
        text += &format!("{}\n", tree.line(app));
    }
    for tree in &earlier {
        text += &format!("{}\n", say::gc_earlier(app.lang, visible(tree)));
    }
    if freed.rooms > 0 {
        text += &format!("{}\n", say::gc_rooms(app.lang, freed.rooms, size(freed.bytes)));
    }
    app.print(&(text + &aside_text(app, project, &aside)))?;
    Ok(Exit::Done)
}

/// What became of the refs that hast made.
#[derive(Default)]
struct Refs {
    deleted: Vec<String>,
    kept: usize,
    /// Old ones that stay because their work is nowhere else.
    unmerged: Vec<String>,
    /// Old ones that stay because somebody stands on them.
    checked_out: Vec<OwnRef>,
}

/// Deletes refs that are older than a month: unmerged ones only if somebody says so, and never a branch
/// that somebody stands on.
fn clear_refs(app: &mut App, project: &Project) -> Result<Refs, Problem> {
    let now = app.clock.now();
    let GitResult::Refs(mut all) = perform(app, project, &GitStep::ListRefs)? else {
        return Ok(Refs::default());
    };
    let starts = starts(&events(app, project)?);
    for one in &mut all {
        // What only records where an attempt began holds no work of anybody.
        if let Some(at) = starts.get(&one.name) {
            (one.at, one.merged) = (Some(*at), true);
        }
    }
    let total = all.len();
    let is_old = |one: &OwnRef| one.at.is_some_and(|at| now.duration_since(at.instant()) > OLD);
    let old = all.into_iter().filter(is_old);
    let (checked_out, free): (Vec<OwnRef>, Vec<OwnRef>) =
        old.partition(|one| one.checked_out.is_some());
    let (mut goes, mut unmerged): (Vec<OwnRef>, Vec<OwnRef>) =
        free.into_iter().partition(|one| one.merged);
    if !unmerged.is_empty() && asks(app) {
        for one in &unmerged {
            app.output.message(&format!("  {}\n", visible(&one.name)));
        }
        if says_yes_to(app, &say::gc_question(app.lang, unmerged.len())) {
            goes.append(&mut unmerged);
        }
    }
    let refs = goes.iter().map(|one| (one.name.clone(), one.target.clone())).collect();
    if !goes.is_empty() {
        perform(app, project, &GitStep::DeleteRefs { refs })?;
    }
    let names =
        |refs: Vec<OwnRef>| -> Vec<String> { refs.into_iter().map(|one| one.name).collect() };
    let kept = total - goes.len();
    Ok(Refs { deleted: names(goes), kept, unmerged: names(unmerged), checked_out })
}

impl Refs {
    fn text(&self, app: &App) -> String {
        let lang = app.lang;
        let mut lines = vec![say::gc_done(lang, self.deleted.len(), self.kept)];
        lines.extend(self.deleted.iter().map(|name| format!("  {}", visible(name))));
        if !self.unmerged.is_empty() {
            lines.push(say::gc_unmerged(lang, self.unmerged.len()));
            lines.extend(self.unmerged.iter().map(|name| format!("  {}", visible(name))));
        }
        for one in &self.checked_out {
            let at = one.checked_out.as_deref().unwrap_or_default();
            lines.push(say::gc_checked_out(lang, visible(&one.name), visible(at)));
        }
        lines.join("\n") + "\n"
    }
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

/// Something that lies aside, how long it has, and whether it was deleted.
struct Found {
    lying: Lying,
    days: i64,
    deleted: bool,
}

impl Found {
    fn json(&self) -> Value {
        let Lying { of, path, at, bytes, .. } = &self.lying;
        let (at, state) = (at.display().to_string(), if self.deleted { "deleted" } else { "kept" });
        json!({ "of": of, "path": path, "at": at, "bytes": bytes, "days": self.days, "state": state })
    }
}

/// What no ref holds is listed, and what has lain there for a month deleted if somebody says so.
fn clear_aside(app: &mut App, project: &Project) -> Result<Vec<Found>, Problem> {
    let now = app.clock.now();
    let files = aside_files(app, project)?;
    let all = files.list().map_err(|problem| refused(app, &problem))?;
    let age = |lying: &Lying| now.duration_since(lying.since.instant());
    let mut found: Vec<Found> = all
        .into_iter()
        .map(|lying| Found { days: age(&lying).as_hours() / 24, deleted: false, lying })
        .collect();
    let old: Vec<usize> = (0..found.len()).filter(|at| age(&found[*at].lying) > OLD).collect();
    if old.is_empty() || !asks(app) {
        return Ok(found);
    }
    for at in &old {
        let line = aside_line(app, project, &found[*at]);
        app.output.message(&format!("  {line}\n"));
    }
    let bytes = old.iter().map(|at| found[*at].lying.bytes).sum();
    if says_yes_to(app, &say::gc_aside_question(app.lang, old.len(), size(bytes))) {
        for at in old {
            files.delete(&found[at].lying).map_err(|problem| refused(app, &problem))?;
            found[at].deleted = true;
        }
    }
    Ok(found)
}

fn aside_line(app: &App, project: &Project, found: &Found) -> String {
    let Lying { of, at, bytes, .. } = &found.lying;
    let at = at.display().to_string();
    let at = beside::within(&project.root, &at);
    if found.deleted {
        return say::gc_aside_deleted(app.lang, visible(&at), size(*bytes));
    }
    say::gc_aside_line(app.lang, visible(&at), size(*bytes), found.days, visible(of))
}

fn aside_text(app: &App, project: &Project, all: &[Found]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let bytes = all.iter().map(|found| found.lying.bytes).sum();
    let mut text = format!("{}\n", say::gc_aside(app.lang, all.len(), size(bytes)));
    for found in all {
        text += &format!("  {}\n", aside_line(app, project, found));
    }
    text
}
