//! Checks of the documents after a commit was tried, whatever happened meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::store::DocPath;

use super::script::{Attempt, Documents};
use crate::disk::{Event, Recovery, World};

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
    earlier: &[Move],
) -> Result<Documents, String> {
    let actual = world.documents();
    let edits = edits(events, earlier, &actual);
    let counted = all_or_nothing(attempt, counts, &actual, &edits)?;
    for (name, edit) in &edits {
        check_edit(world, attempt, counted, &actual, name, edit)?;
    }
    Ok(actual)
}

/// From where to where a commit moved something.
pub(super) type Move = (DocPath, DocPath);

struct EditSeen<'a> {
    over: Option<&'a [u8]>,
    bytes: &'a [u8],
    /// Where it was archived because a move that the power cut had undone was made again.
    archived: Option<String>,
}

fn edits<'e>(
    events: &'e [Event],
    earlier: &[Move],
    actual: &Documents,
) -> BTreeMap<&'e str, EditSeen<'e>> {
    let seen = |event: &'e Event| match event {
        Event::Edited { path, over, bytes, recovery } => {
            let is_there = |moved: &String| actual.get(moved) == Some(bytes);
            let due = *recovery == Recovery::Due;
            let moved = moved_names(if due { earlier } else { &[] }, path.as_str());
            let archived = moved.into_iter().find(is_there);
            Some((path.as_str(), EditSeen { over: over.as_deref(), bytes, archived }))
        }
        Event::Died { .. } => None,
    };
    events.iter().filter_map(seen).collect()
}

/// Whether the commit counts: every document that nobody else edited must say the same.
fn all_or_nothing(
    attempt: &Attempt,
    counts: Counts,
    actual: &Documents,
    edits: &BTreeMap<&str, EditSeen<'_>>,
) -> Result<Counts, String> {
    let moved: BTreeSet<String> = edits
        .iter()
        .flat_map(|(name, edit)| {
            moved_names(&attempt.moves, name).into_iter().chain(edit.archived.clone())
        })
        .collect();
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

fn moved_names(moves: &[Move], name: &str) -> Vec<String> {
    let Ok(path) = DocPath::new(name) else {
        return Vec::new();
    };
    moves
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
    if let Some(archived) = &edit.archived {
        let seen_whole = edit.over == attempt.base.get(archived).map(Vec::as_slice);
        return if seen_whole || is_beside(world, archived, |_| true) {
            Ok(())
        } else {
            Err(format!("our side of the conflict about {archived} is lost"))
        };
    }
    let moved = moved_names(&attempt.moves, name);
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
    let whole = attempt.next.get(name);
    let beside = is_beside(world, name, |bytes| bytes == ours || Some(bytes) == whole);
    if beside { Ok(()) } else { Err(format!("our side of the conflict about {name} is lost")) }
}

/// Whether our side of a conflict about a document was kept.
fn is_beside(world: &World, name: &str, is_ours: impl Fn(&Vec<u8>) -> bool) -> bool {
    let suffix = format!("/{name}");
    world.all_files().into_iter().any(|(path, bytes)| {
        path.starts_with(".hast/conflicts/") && path.ends_with(&suffix) && is_ours(&bytes)
    })
}

/// Whether the edit may have been of a tree that the commit then moved away.
fn moved_edit(attempt: &Attempt, name: &str) -> bool {
    !moved_names(&attempt.moves, name).is_empty()
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
