//! `hast auto --undo`: bringing back what a settle or a recovery took away.

use std::path::Path;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{Aside, GitResult, GitStep};
use hast_flow::docs::goals::{GoalsEvent, GoalsEventKind};
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::flows::goals::auto::run::Beside;
use hast_flow::flows::goals::layout;
use hast_flow::formats::ndjson;
use hast_flow::words::visible;
use hast_world::git::{AsideFiles, BroughtBack, Place};
use hast_world::git_thread::GitThread;
use serde_json::{Value, json};

use super::beside;
use crate::app::App;
use crate::auto_messages::say;
use crate::commands::calling::Project;
use crate::commands::driving;
use crate::problem::{Exit, Problem};

const MAX_LOG: usize = 256 << 20;

/// Puts the work of the last attempt that was rolled back, or of a ref, into the tree again.
pub(super) fn undo(
    app: &mut App,
    project: &Project,
    wanted: Option<&str>,
) -> Result<Exit, Problem> {
    let lang = app.lang;
    if !app.quiet {
        app.output.message(&format!("{}\n", say::undo_is_take(lang)));
    }
    // Whoever works here would find these files as its agent's.
    let documents = project.root.join(layout::DIRECTORY);
    let _lock = driving::lock_of(lang, &documents, super::UNIT)
        .map_err(|problem| Problem { exit: Exit::Failed, ..problem })?;
    let Some((name, since, told)) = last_saved(app, project, wanted)? else {
        let what = match wanted {
            Some(name) => say::not_saved(lang, visible(name)),
            None => say::nothing_to_undo(lang),
        };
        return Err(Problem::new(what, say::nothing_to_undo_next(lang)));
    };
    let rules = super::tree_rules(project);
    let paths = match perform(app, project, &GitStep::Restore { name: name.clone(), since, rules })?
    {
        GitResult::Restored { paths } => paths,
        _ => Vec::new(),
    };
    let beside = bring_back(app, project, &name, &told)?;
    let named: Vec<&str> = paths.iter().map(|change| change.path.as_str()).collect();
    if app.json {
        let aside: Vec<Value> = beside.iter().map(Returned::json).collect();
        app.print_json(&json!({ "ref": name, "paths": named, "aside": aside }))?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{}\n", say::undone(lang, visible(&name), paths.len()));
    for path in named {
        text += &format!("  {}\n", visible(path));
    }
    for one in &beside {
        text += &format!("  {}\n", one.line(app, project));
    }
    app.print(&(text + &say::undone_next(lang) + "\n"))?;
    Ok(Exit::Done)
}

/// What lay aside because the ref does not hold it, and what became of it.
pub(super) struct Returned {
    aside: Aside,
    became: BroughtBack,
}

impl Returned {
    pub(super) fn line(&self, app: &App, project: &Project) -> String {
        let (lang, root) = (app.lang, &project.root);
        let at = beside::within(root, &self.aside.at);
        let path = visible(&self.aside.path);
        match self.became {
            BroughtBack::Back => say::undone_aside(lang, path, visible(&at)),
            BroughtBack::InTheWay => {
                let command = beside::back(root, &at, &self.aside.path);
                say::undo_in_the_way(lang, path, visible(&at), visible(&command))
            }
            BroughtBack::Gone => say::undo_gone(lang, path, visible(&at)),
        }
    }

    pub(super) fn json(&self) -> Value {
        let state = match self.became {
            BroughtBack::Back => "brought_back",
            BroughtBack::InTheWay => "in_the_way",
            BroughtBack::Gone => "gone",
        };
        json!({ "path": self.aside.path, "at": self.aside.at, "state": state })
    }
}

/// Files that the ref does not hold: those that the log tells of, and whatever else lies beside it.
pub(super) fn bring_back(
    app: &App,
    project: &Project,
    name: &str,
    told: &Beside,
) -> Result<Vec<Returned>, Problem> {
    let files = aside_files(app, project)?;
    let lying = files.of(name).map_err(|problem| refused(app, &problem))?;
    let mut all = told.aside.clone();
    for one in lying.into_iter().filter(|one| one.is_whole_path) {
        let at = one.at.display().to_string();
        if !all.iter().any(|known| known.at == at) {
            all.push(Aside { path: one.path, at });
        }
    }
    let mut returned = Vec::new();
    for aside in all {
        let became = files.bring_back(Path::new(&aside.at), &aside.path);
        let became = became.map_err(|problem| refused(app, &problem))?;
        returned.push(Returned { aside, became });
    }
    Ok(returned)
}

/// What lies aside in the repository.
pub(super) fn aside_files(app: &App, project: &Project) -> Result<AsideFiles, Problem> {
    let place = Place::find(&project.root).map_err(|problem| refused(app, &problem))?;
    Ok(AsideFiles::new(place))
}

pub(super) fn refused(app: &App, problem: &GitProblem) -> Problem {
    Problem::new(problem.what(app.lang), problem.next(app.lang))
}

pub(super) fn events(app: &App, project: &Project) -> Result<Vec<GoalsEvent>, Problem> {
    let path = project.root.join(layout::DIRECTORY).join(auto_layout::EVENTS);
    let bytes = path
        .read_if_there(MAX_LOG)
        .map_err(|error| Problem::cannot_read(app.lang, &error.path, &error.source))?;
    Ok(ndjson::read::<GoalsEvent>(auto_layout::EVENTS, &bytes.unwrap_or_default()).0)
}

/// A ref, what its work is compared with, and what it does not hold.
type SavedRef = (String, Option<ObjectId>, Beside);

/// The ref of the last attempt that was taken out of the tree, or the one that is wanted.
fn last_saved(
    app: &App,
    project: &Project,
    wanted: Option<&str>,
) -> Result<Option<SavedRef>, Problem> {
    let events = events(app, project)?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let saved = |event: &GoalsEvent| {
        let beside = event.detail.get("beside").cloned();
        let beside = beside.and_then(|beside| serde_json::from_value(beside).ok());
        let since = text(event.detail.get("base")).and_then(|tree| tree.parse().ok());
        let name = match event.kind {
            GoalsEventKind::AttemptSettled => event.detail.get("saved")?.get("name"),
            GoalsEventKind::Recovered
            | GoalsEventKind::KeptCleared
            | GoalsEventKind::TreeCleared => event.detail.get("ref"),
            _ => return None,
        };
        let name = text(name)?;
        wanted
            .is_none_or(|wanted| wanted == name)
            .then(|| (name, since, beside.unwrap_or_default()))
    };
    Ok(events.iter().rev().find_map(saved))
}

pub(super) fn perform(app: &App, project: &Project, step: &GitStep) -> Result<GitResult, Problem> {
    let git = GitThread::open(&project.root).map_err(|problem| refused(app, &problem))?;
    match git.perform(step) {
        GitResult::Refused(problem) => Err(refused(app, &problem)),
        result => Ok(result),
    }
}
