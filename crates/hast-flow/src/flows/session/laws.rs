//! The four laws of a session, checked over its documents on disk. `breaches` reports every
//! contradiction. No single file can show these faults; `verify` calls this module.

mod log;
mod outputs;
mod plan;

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::session::{KnowledgeIndex, KnowledgeStatus, Pointers, SessionStatus};
use crate::flows::session::{layout, status};
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::json;
use crate::formats::source::Source;
use crate::ids::{EventId, KnowledgeId, Sha256, TaskId};
use crate::roles::matches;

use log::Told;

/// More of a file is not looked at.
pub const MAX_BYTES: usize = 256 << 20;

/// The files of one session.
pub trait Documents {
    /// Their paths below its root.
    fn paths(&self) -> &BTreeSet<String>;

    fn read(&self, path: &str) -> Option<Vec<u8>>;

    /// Whether a file is there, named from the directory that holds all sessions.
    fn is_in_project(&self, path: &str) -> bool;
}

/// Everything in which a session's documents disagree.
pub fn breaches(files: &dyn Documents) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let told = log::read(files, &mut found);
    pointer(files, &told, &mut found);
    plan::check(files, &told, &mut found);
    outputs::check(files, &told, &mut found);
    knowledge(files, &told, &mut found);
    pointers(files, &mut found);
    places(files, &mut found);
    found
}

/// `status.json` is the fold of the log.
fn pointer(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    let Some(bytes) = files.read(layout::STATUS) else {
        if told.events > 0 {
            found.push(missing(layout::STATUS, layout::LOG, &format!("{} events", told.events)));
        }
        return;
    };
    let Ok(says) = serde_json::from_slice::<SessionStatus>(&bytes) else { return };
    if says == told.pointer {
        return;
    }
    let last = |id: &Option<EventId>| id.as_ref().map_or("-".to_owned(), ToString::to_string);
    let (here, there) = (&says.last_event_id, &told.pointer.last_event_id);
    let detail = if here == there {
        let code = |status: &SessionStatus| json::print(status).unwrap_or_default();
        let (one, other) = (code(&told.pointer), code(&says));
        let differs = one.lines().zip(other.lines()).find(|(one, other)| one != other);
        differs.map_or(String::new(), |(one, _)| one.trim().trim_end_matches(',').to_owned())
    } else {
        format!("last_event_id {}, there {}", last(here), last(there))
    };
    found.push(contradicts(layout::STATUS, layout::LOG, detail));
}

/// Only what passed is knowledge, and it is still what it was.
fn knowledge(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    let Some(bytes) = files.read(layout::INDEX) else {
        if let Some(id) = told.promoted.keys().next() {
            found.push(missing(layout::INDEX, layout::LOG, &format!("KNOWLEDGE_PROMOTED {id}")));
        }
        return;
    };
    let text = String::from_utf8_lossy(&bytes);
    let source = Source::new(layout::INDEX, &text);
    let (Ok(index), Ok(tree)) =
        (serde_json::from_str::<KnowledgeIndex>(&text), json::read(&source))
    else {
        return;
    };
    let nodes = tree.root.get("knowledge").map_or(&[][..], |list| list.list());
    // What the log says counts, also where an entry has lost its hash.
    let logged: BTreeMap<&str, &Sha256> =
        told.made.values().flatten().map(|made| (made.artifact.as_str(), &made.sha256)).collect();
    let mut listed: BTreeMap<&KnowledgeId, KnowledgeStatus> = BTreeMap::new();
    for (entry, node) in index.knowledge.iter().zip(nodes) {
        let mut tell = |other: &str, detail: String| {
            let finding = Finding::Contradicts { other: other.to_owned(), detail };
            found.push(source.diagnose(node.span.clone(), finding));
        };
        let artifact = layout::from_session(&entry.artifact_path).trim_start_matches('/');
        match told.promoted.get(&entry.id) {
            Some(task) if *task == entry.source_task_id && told.has_passed(task, artifact) => {}
            _ => {
                tell(layout::LOG, format!("{} KNOWLEDGE_PROMOTED, TASK_REVIEWED PASS: -", entry.id))
            }
        }
        let invalid = told.invalidated.get(&entry.id);
        match (entry.status, invalid) {
            (KnowledgeStatus::Active, Some(by)) => {
                tell(layout::LOG, format!("{} KNOWLEDGE_INVALIDATED {by}", entry.id));
            }
            (KnowledgeStatus::Invalidated, None) => {
                tell(layout::LOG, format!("{} KNOWLEDGE_INVALIDATED: -", entry.id));
            }
            _ => {}
        }
        if entry.status == KnowledgeStatus::Active {
            let now = files.read(artifact).map(|bytes| Sha256::of(&bytes));
            let made = logged.get(layout::from_session(&entry.artifact_path)).copied();
            let said = made.into_iter().chain(&entry.sha256);
            if now.is_none() || said.into_iter().any(|said| now.as_ref() != Some(said)) {
                let hash = now.map_or("-".to_owned(), |hash| hash.to_string());
                tell(artifact, format!("{} sha256 {hash}", entry.id));
            }
        }
        listed.insert(&entry.id, entry.status);
    }
    for id in told.promoted.keys().filter(|id| !listed.contains_key(id)) {
        found.push(contradicts(layout::INDEX, layout::LOG, format!("KNOWLEDGE_PROMOTED {id}")));
    }
}

/// A pointer points at something.
fn pointers(files: &dyn Documents, found: &mut Vec<Diagnostic>) {
    let Some(bytes) = files.read(layout::POINTERS) else { return };
    let text = String::from_utf8_lossy(&bytes);
    let source = Source::new(layout::POINTERS, &text);
    let (Ok(pointers), Ok(tree)) = (serde_json::from_str::<Pointers>(&text), json::read(&source))
    else {
        return;
    };
    let named = [
        ("status", Some(pointers.status)),
        ("plan", Some(pointers.plan)),
        ("critique_report", pointers.critique_report),
        ("context_index", Some(pointers.context_index)),
    ];
    for (field, path) in named {
        let Some(path) = path.filter(|path| !files.is_in_project(path)) else { continue };
        let finding = Finding::MissingFile { path, because: field.to_owned() };
        let node = tree.root.get(field);
        let span = node.map_or(0..0, |node| node.span.clone());
        found.push(source.diagnose(span, finding));
    }
}

/// No role leaves anything where its row has no place for it.
fn places(files: &dyn Documents, found: &mut Vec<Diagnostic>) {
    /// Directories that are the session's alone; elsewhere people may keep what they like.
    const OURS: [&str; 5] = ["plan/", "context/", "execution/", "critique/", "input/"];
    let classes = crate::flows::session::policy::POLICY.classes;
    for path in files.paths().iter().filter(|path| OURS.iter().any(|ours| path.starts_with(ours))) {
        let known = layout::path(path)
            .is_some_and(|path| classes.iter().any(|class| matches(class.path, &path)));
        if !known {
            let (other, detail) = ("section 5".to_owned(), "no role writes here".to_owned());
            found.push(Diagnostic::of_file(path, Finding::Contradicts { other, detail }));
        }
    }
}

fn missing(path: &str, other: &str, because: &str) -> Diagnostic {
    let because = format!("{other}: {because}");
    Diagnostic::of_file(other, Finding::MissingFile { path: path.to_owned(), because })
}

fn contradicts(file: &str, other: &str, detail: String) -> Diagnostic {
    Diagnostic::of_file(file, Finding::Contradicts { other: other.to_owned(), detail })
}

/// The pointer before anything happened, for a log that has no events.
fn unborn() -> SessionStatus {
    status::unborn()
}

/// A task's attempt.
type Attempt = (TaskId, u32);
