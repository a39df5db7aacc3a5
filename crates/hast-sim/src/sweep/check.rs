//! What must be true after a commit was tried, whatever happened meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::store::DocPath;

use super::script::{Attempt, Documents};
use crate::disk::{Event, World};

/// What is known about whether a commit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// It was acknowledged.
    Yes,
    /// It was refused.
    No,
    /// Its process died or stopped before it could tell.
    Unknown,
}

/// Checks the documents after an attempt and returns them as they are now.
pub(super) fn settle(
    world: &World,
    attempt: &Attempt,
    counts: Counts,
    events: &[Event],
) -> Result<Documents, String> {
    let actual = world.documents();
    let edits = edits(events);
    let counted = all_or_nothing(attempt, counts, &actual, &edits)?;
    for (name, edit) in &edits {
        check_edit(world, attempt, counted, &actual, name, edit)?;
    }
    Ok(actual)
}

struct EditSeen<'a> {
    over: Option<&'a [u8]>,
    bytes: &'a [u8],
}

fn edits(events: &[Event]) -> BTreeMap<&str, EditSeen<'_>> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Edited { path, over, bytes } => {
                Some((path.as_str(), EditSeen { over: over.as_deref(), bytes }))
            }
            Event::Died { .. } => None,
        })
        .collect()
}

/// Whether the commit counts: every document that nobody else edited must say the same.
fn all_or_nothing(
    attempt: &Attempt,
    counts: Counts,
    actual: &Documents,
    edits: &BTreeMap<&str, EditSeen<'_>>,
) -> Result<Counts, String> {
    let moved: BTreeSet<String> =
        edits.keys().flat_map(|name| moved_names(attempt, name)).collect();
    let names: BTreeSet<&String> = [&attempt.base, &attempt.next, actual]
        .into_iter()
        .flat_map(BTreeMap::keys)
        .filter(|name| !edits.contains_key(name.as_str()) && !moved.contains(*name))
        .collect();
    let differs = |wanted: &Documents| {
        names.iter().find(|name| wanted.get(**name) != actual.get(**name)).map(|name| {
            format!("{name} is {} and not {}", shown(actual.get(*name)), shown(wanted.get(*name)))
        })
    };
    let (base, next) = (differs(&attempt.base), differs(&attempt.next));
    match (counts, base, next) {
        (Counts::Yes, _, None) => Ok(Counts::Yes),
        (Counts::Yes, _, Some(why)) => Err(format!("an acknowledged commit is lost: {why}")),
        (Counts::No, None, _) => Ok(Counts::No),
        (Counts::No, Some(why), _) => Err(format!("a refused commit left something: {why}")),
        (Counts::Unknown, None, None) => Ok(Counts::Unknown),
        (Counts::Unknown, Some(_), None) => Ok(Counts::Yes),
        (Counts::Unknown, None, Some(_)) => Ok(Counts::No),
        (Counts::Unknown, Some(base), Some(next)) => Err(format!("half a commit: {base}; {next}")),
    }
}

fn moved_names(attempt: &Attempt, name: &str) -> Vec<String> {
    let Ok(path) = DocPath::new(name) else {
        return Vec::new();
    };
    attempt
        .moves
        .iter()
        .filter_map(|(from, to)| path.moved(from, to))
        .map(|moved| moved.to_string())
        .collect()
}

/// A person's edit is still there, and what we wanted to write is not lost either.
fn check_edit(
    world: &World,
    attempt: &Attempt,
    counted: Counts,
    actual: &Documents,
    name: &str,
    edit: &EditSeen<'_>,
) -> Result<(), String> {
    let theirs = |there: Option<&Vec<u8>>| there.is_some_and(|there| there == edit.bytes);
    let there = actual.get(name);
    let moved = moved_names(attempt, name);
    let kept = theirs(there)
        || there.is_some_and(|there| is_edit_with_ours(attempt, name, edit.bytes, there))
        || moved.iter().any(|moved| theirs(actual.get(moved)));
    if !kept {
        let there = shown(there);
        return Err(format!("a person's edit of {name} is lost: {there}"));
    }
    let Some(ours) = attempt.ours.get(name) else {
        return Ok(());
    };
    let visible_before = edit.over == attempt.next.get(name).map(Vec::as_slice);
    if counted != Counts::Yes || !theirs(there) || visible_before || moved_edit(attempt, name) {
        return Ok(());
    }
    let suffix = format!("/{name}");
    let whole = attempt.next.get(name);
    let beside = world.all_files().into_iter().any(|(path, bytes)| {
        let in_place = path.starts_with(".hast/conflicts/") && path.ends_with(&suffix);
        in_place && (bytes == *ours || Some(&bytes) == whole)
    });
    if beside { Ok(()) } else { Err(format!("our side of the conflict about {name} is lost")) }
}

/// Whether the edit may have been of a tree that the commit then moved away.
fn moved_edit(attempt: &Attempt, name: &str) -> bool {
    !moved_names(attempt, name).is_empty()
}

/// An edit that fits what we expected takes our line or row as well.
fn is_edit_with_ours(attempt: &Attempt, name: &str, edit: &[u8], there: &[u8]) -> bool {
    let Some(ours) = attempt.ours.get(name) else {
        return false;
    };
    let mut appended = edit.to_vec();
    appended.extend_from_slice(ours);
    appended == there
}

fn shown(bytes: Option<&Vec<u8>>) -> String {
    bytes.map_or("absent".to_owned(), |bytes| {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
        format!("{text:?} ({} bytes)", bytes.len())
    })
}
