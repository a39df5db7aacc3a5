//! A plan of tasks has rules. Its evidence must exist, each output must lie in its place, and no
//! output may occur twice. All faults of a plan are told at once.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::call::CallFinding;
use crate::docs::run::{CatalogRow, ProposedTask, TaskRow};
use crate::flows::run::layout;
use crate::flows::run::prompts;
use crate::flows::run::register::Register;
use crate::store::DocPath;
use crate::words::Lang;

/// A larger file says more than a task can take in.
pub const LARGEST_REFERENCE: u64 = 2 << 20;

/// Names that mean something else in an outbox.
const TAKEN_NAMES: [&str; 4] = ["result.json", "failed.json", "blocked.json", layout::KEEP];

/// What a plan may refer to, and what is taken.
#[derive(Clone, Copy, Debug)]
pub struct Known<'v> {
    pub tasks: &'v [TaskRow],
    pub catalog: Option<&'v Register<CatalogRow>>,
    /// Of the files that were found.
    pub sizes: &'v BTreeMap<String, u64>,
    /// Directories that outputs go to.
    pub places: &'v [String],
}

/// One way in which a plan is wrong; tasks are named by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    NoEvidence { task: String },
    NotInCatalog { task: String, path: String },
    Gone { task: String, path: String },
    TooLarge { task: String, path: String, size: u64 },
    Hidden { task: String, path: String },
    OutsideItsPlace { task: String, path: String },
    TakenName { task: String, path: String },
    OutputTwice { task: String, path: String },
}

impl Fault {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NoEvidence { task } => prompts::no_evidence(lang, task),
            Self::NotInCatalog { task, path } => prompts::not_in_catalog(lang, task, path),
            Self::Gone { task, path } => prompts::reference_gone(lang, task, path),
            Self::TooLarge { task, path, size } => prompts::too_large(lang, task, path, size),
            Self::Hidden { task, path } => prompts::hidden(lang, task, path),
            Self::OutsideItsPlace { task, path } => prompts::outside(lang, task, path),
            Self::TakenName { task, path } => prompts::taken_name(lang, task, path),
            Self::OutputTwice { task, path } => prompts::output_twice(lang, task, path),
        }
    }

    pub fn next(&self, lang: Lang, places: &[String]) -> String {
        match self {
            Self::NoEvidence { .. } | Self::NotInCatalog { .. } => prompts::evidence_next(lang),
            Self::Gone { .. } => prompts::reference_gone_next(lang),
            Self::TooLarge { .. } => prompts::too_large_next(lang, LARGEST_REFERENCE),
            Self::Hidden { .. } => prompts::hidden_next(lang),
            Self::OutsideItsPlace { .. } => prompts::outside_next(lang, places.join(", ")),
            Self::TakenName { .. } | Self::OutputTwice { .. } => prompts::output_twice_next(lang),
        }
    }
}

/// Entries of one list; a plan that needs more is made in parts.
pub const MOST_ENTRIES: usize = 100;

/// A list that is not longer than a plan may be.
pub fn within<T>(list: Vec<T>, file: &str, lang: Lang) -> Result<Vec<T>, Vec<CallFinding>> {
    if list.len() <= MOST_ENTRIES {
        return Ok(list);
    }
    Err(vec![CallFinding {
        file: file.to_owned(),
        line: None,
        problem: prompts::too_many(lang, list.len(), MOST_ENTRIES),
        next: prompts::too_many_next(lang),
    }])
}

/// The files that a plan rests on and that are there already, or should be.
pub fn references(tasks: &[ProposedTask]) -> Vec<DocPath> {
    let made: BTreeSet<&str> = tasks.iter().map(|task| task.output_path.as_str()).collect();
    let all = tasks.iter().flat_map(|task| &task.related_references);
    let there: BTreeSet<&str> =
        all.map(String::as_str).filter(|path| !made.contains(path)).collect();
    there.into_iter().filter_map(layout::path).collect()
}

/// Everything that is wrong with a plan.
pub fn faults(tasks: &[ProposedTask], known: &Known<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut made: BTreeSet<String> = BTreeSet::new();
    let outputs = known.tasks.iter().filter_map(|task| task.output_path.clone());
    let mut taken: BTreeSet<String> = outputs.collect();
    for task in tasks {
        let name = || task.task_name.clone();
        if task.related_references.is_empty() {
            faults.push(Fault::NoEvidence { task: name() });
        }
        let rests_on = task.related_references.iter();
        faults.extend(rests_on.filter_map(|path| reference(task, path, known, &made)));
        let path = task.output_path.clone();
        if !is_in_its_place(&path, known.places) {
            faults.push(Fault::OutsideItsPlace { task: name(), path: path.clone() });
        } else if has_taken_name(&path) {
            faults.push(Fault::TakenName { task: name(), path: path.clone() });
        } else if taken.iter().any(|other| in_the_way(other, &path)) {
            faults.push(Fault::OutputTwice { task: name(), path: path.clone() });
        }
        taken.insert(path.clone());
        made.insert(path);
    }
    faults
}

fn reference(
    task: &ProposedTask,
    path: &str,
    known: &Known<'_>,
    made: &BTreeSet<String>,
) -> Option<Fault> {
    let (task, text) = (task.task_name.clone(), path.to_owned());
    if made.contains(path) {
        return None;
    }
    if path == layout::RECIPES {
        return Some(Fault::Hidden { task, path: text });
    }
    if !known.catalog.is_some_and(|table| table.contains(path)) {
        return Some(Fault::NotInCatalog { task, path: text });
    }
    match known.sizes.get(path) {
        None => Some(Fault::Gone { task, path: text }),
        Some(size) if *size > LARGEST_REFERENCE => {
            Some(Fault::TooLarge { task, path: text, size: *size })
        }
        Some(_) => None,
    }
}

/// Whether a file lies below one of the places.
pub fn is_in_its_place(path: &str, places: &[String]) -> bool {
    let below = places.iter().filter_map(|place| path.strip_prefix(place.as_str()));
    layout::path(path).is_some() && below.into_iter().any(|rest| !rest.is_empty())
}

/// Names of an outbox's own files, and of what tool tasks make.
fn has_taken_name(path: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path);
    let tool =
        base.strip_prefix("TT").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    TAKEN_NAMES.contains(&base) || tool
}

/// The same file, or one that would have to be a directory.
fn in_the_way(one: &str, other: &str) -> bool {
    let below = |path: &str, dir: &str| {
        path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(one, other) || below(other, one)
}
