//! Work trees that no run needs any more: found, what they hold put on a ref, and removed.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::rooms::RoomKind;
use hast_flow::attempt::worktrees::{
    FoundTree, Spent, TreeName, TreePlan, WorktreeResult, WorktreeStep,
};
use hast_flow::docs::goals::{GoalsEvent, GoalsEventKind as Kind};
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::flows::goals::layout;
use hast_flow::formats::ndjson;
use hast_flow::time::UtcTime;
use hast_flow::words::visible;
use hast_world::driver_lock::DriverLock;
use hast_world::worktree_threads::WorktreeThreads;
use serde_json::{Value, json};

use super::effects::open_rooms;
use crate::app::App;
use crate::auto_messages::say;
use crate::commands::calling::Project;
use crate::commands::contract;
use crate::problem::Problem;

const MAX_LOG: usize = 256 << 20;

/// One work tree, and what became of it.
pub(super) struct Leftover {
    found: FoundTree,
    became: Became,
}

/// Rooms that were deleted.
pub(super) struct Freed {
    pub(super) rooms: usize,
    pub(super) bytes: u64,
}

enum Became {
    Removed { saved: Option<String> },
    InUse,
    Refused { why: String },
}

/// Looks at all work trees of hast, removes those whose goal no run is working on, and deletes the
/// rooms that are free then.
pub(super) fn remove(app: &App, project: &Project) -> Result<(Vec<Leftover>, Freed), Problem> {
    let lang = app.lang;
    let refused = |problem: &hast_flow::attempt::git_problem::GitProblem| {
        Problem::new(problem.what(lang), problem.next(lang))
    };
    let state = project.root.join(layout::DIRECTORY);
    let trees = open_rooms(&project.root, &project.variables, RoomKind::SamePath)
        .map_err(|p| refused(&p))?;
    // While somebody drives, every tree may be theirs.
    let lock = DriverLock::take(&state, super::UNIT);
    let open = open_lanes(app, project)?;
    let found = match trees.perform(&WorktreeStep::List) {
        WorktreeResult::Listed(found) => found,
        WorktreeResult::Refused(problem) => return Err(refused(&problem)),
        _ => Vec::new(),
    };
    let rules = super::tree_rules(project);
    let mut leftovers = Vec::new();
    for found in found {
        let in_use = lock.is_err() || open.contains(&found.tree);
        let became = if in_use || contract::needs_room(&project.root, &found.tree) {
            Became::InUse
        } else {
            let plan = found.head.clone().map(|at| TreePlan {
                tree: found.tree.clone(),
                at,
                copy: Vec::new(),
                rules: rules.clone(),
                now: UtcTime::new(app.clock.now()),
            });
            match clear(&trees, &found.tree, plan) {
                Ok(became) => became,
                Err(problem) => Became::Refused { why: problem.what(lang) },
            }
        };
        leftovers.push(Leftover { found, became });
    }
    let freed = match lock {
        Ok(_) => trees.free_rooms().map_err(|problem| refused(&problem))?,
        Err(_) => (0, 0),
    };
    Ok((leftovers, Freed { rooms: freed.0, bytes: freed.1 }))
}

/// Work trees that hast made in the checkout before it had rooms: nothing is known of them any more.
pub(super) fn of_earlier_versions(project: &Project) -> Vec<String> {
    let trees = project.root.join(layout::DIRECTORY).join(auto_layout::WORKTREES);
    let names = trees.names().unwrap_or_default().into_iter();
    let directory = |name: &String| trees.join(name).is_dir();
    let path = |name| format!("{}/{}{name}", layout::DIRECTORY, auto_layout::WORKTREES);
    names.filter(directory).map(path).collect()
}

fn clear(
    trees: &WorktreeThreads,
    tree: &TreeName,
    plan: Option<TreePlan>,
) -> Result<Became, hast_flow::attempt::git_problem::GitProblem> {
    let saved = match plan.map(|plan| trees.perform(&WorktreeStep::Rescue(plan))) {
        Some(WorktreeResult::Rescued(saved)) => saved,
        Some(WorktreeResult::Refused(problem)) => return Err(problem),
        _ => None,
    };
    let name = saved.as_ref().map(|saved| saved.work().name.clone());
    let spent = saved.map_or(Spent::Unused, Spent::Saved);
    match trees.perform(&WorktreeStep::Remove { tree: tree.clone(), spent }) {
        WorktreeResult::Refused(problem) => Err(problem),
        _ => Ok(Became::Removed { saved: name }),
    }
}

/// Trees of goals that a run is in the middle of, dead or alive.
fn open_lanes(app: &App, project: &Project) -> Result<BTreeSet<TreeName>, Problem> {
    let path = project.root.join(layout::DIRECTORY).join(auto_layout::EVENTS);
    let bytes = path
        .read_if_there(MAX_LOG)
        .map_err(|error| Problem::cannot_read(app.lang, &error.path, &error.source))?;
    let (events, _) = ndjson::read::<GoalsEvent>(auto_layout::EVENTS, &bytes.unwrap_or_default());
    let mut open = BTreeMap::new();
    for event in &events {
        let goal = event.detail.get("goal_id").and_then(Value::as_str).unwrap_or_default();
        match event.kind {
            Kind::LaneOpened => {
                open.insert(goal, auto_layout::tree_of_lane(&event.detail, goal));
            }
            Kind::LaneClosed => {
                open.remove(goal);
            }
            _ => {}
        }
    }
    Ok(open.into_values().collect())
}

impl Leftover {
    pub(super) fn line(&self, app: &App) -> String {
        let (lang, size) = (app.lang, size(self.found.bytes));
        let tree = visible(self.found.tree.as_str());
        match &self.became {
            Became::Removed { saved: None } => say::gc_tree(lang, tree, size),
            Became::Removed { saved: Some(name) } => {
                say::gc_tree_saved(lang, tree, size, visible(name))
            }
            Became::InUse => say::gc_tree_in_use(lang, tree, size),
            Became::Refused { why } => say::gc_tree_refused(lang, tree, visible(why)),
        }
    }

    pub(super) fn json(&self) -> Value {
        let (state, saved) = match &self.became {
            Became::Removed { saved } => ("removed", saved.as_deref()),
            Became::InUse => ("in_use", None),
            Became::Refused { .. } => ("refused", None),
        };
        let tree = self.found.tree.as_str();
        json!({ "tree": tree, "bytes": self.found.bytes, "state": state, "saved": saved })
    }
}

pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{} KiB", bytes.div_ceil(1_024)),
        _ => format!("{} MiB", bytes.div_ceil(1_048_576)),
    }
}
