//! Changes inside a file: lines at its end, rows in its middle. Pure, as the chain they belong to.

use super::chain::{Change, Current, Life, Link, Published, Verdict};
use super::codec::Content;

/// Stands for a moment in the room of a new end: no format that grows means anything by spaces at
/// its end.
pub(super) const FILLER: u8 = b' ';

/// Makes the changes in a content; false when one of them does not reach it.
pub(super) fn apply_all(state: &mut Vec<u8>, links: &[Link]) -> bool {
    links.iter().all(|link| {
        let (at, bytes) = region(&link.change);
        overwrite(state, at, bytes)
    })
}

pub(super) fn overwrite(state: &mut Vec<u8>, at: u64, bytes: &[u8]) -> bool {
    let at = at as usize;
    if at > state.len() {
        return false;
    }
    let end = at + bytes.len();
    if end > state.len() {
        state.resize(end, 0);
    }
    state[at..end].copy_from_slice(bytes);
    true
}

fn region(change: &Change) -> (u64, &[u8]) {
    match change {
        Change::Append { at, bytes } => (*at, bytes),
        Change::Patch { at, new, .. } => (*at, new),
        Change::Whole { .. } => (0, &[]),
    }
}

/// Whether one of the changes had that byte at that place.
pub(super) fn was_written(links: &[Link], place: u64, byte: u8) -> bool {
    links.iter().any(|link| {
        let (at, bytes) = region(&link.change);
        let Some(offset) = place.checked_sub(at) else {
            return false;
        };
        let old = match &link.change {
            Change::Patch { old, .. } => old.get(offset as usize),
            _ => None,
        };
        let filled = byte == FILLER && grown(&link.change).contains(&place);
        bytes.get(offset as usize) == Some(&byte) || old == Some(&byte) || filled
    })
}

/// Changes inside a file that is older than the records.
pub(super) fn judge_regions(links: &[Link], current: Current<'_>, life: Life) -> Verdict {
    match judge_same_file(links, current, life) {
        theirs @ Verdict::Theirs { .. } => judge_later_file(links, current, life).unwrap_or(theirs),
        fits => fits,
    }
}

/// A person may have saved another file between two changes, and we may have gone on with it: then
/// the earlier ones, which were published, are of no concern.
pub(super) fn judge_later_file(
    links: &[Link],
    current: Current<'_>,
    life: Life,
) -> Option<Verdict> {
    let published = links.iter().take_while(|link| link.published == Published::Yes);
    let starts = (1..=published.count()).rev().filter(|&at| is_new_start(links, at));
    let verdicts = starts.map(|at| judge_same_file(&links[at..], current, life));
    let mut fitting = verdicts.filter(|verdict| !matches!(verdict, Verdict::Theirs { .. }));
    fitting.next()
}

/// Whether a change within a file did not follow from the change before it.
fn is_new_start(links: &[Link], at: usize) -> bool {
    let end = match &links[at - 1].change {
        Change::Append { at, bytes } => at.checked_add(bytes.len() as u64),
        Change::Patch { at, old, new } if new.len() > old.len() => at.checked_add(new.len() as u64),
        Change::Whole { content: Content::Inline(bytes), .. } => Some(bytes.len() as u64),
        Change::Whole { .. } | Change::Patch { .. } => None,
    };
    match links.get(at).map(|link| &link.change) {
        Some(Change::Append { at, .. }) => end != Some(*at),
        Some(Change::Patch { at, old, new }) if new.len() > old.len() => {
            end != at.checked_add(old.len() as u64)
        }
        Some(Change::Patch { .. }) => true,
        Some(Change::Whole { .. }) | None => false,
    }
}

fn judge_same_file(links: &[Link], current: Current<'_>, life: Life) -> Verdict {
    let theirs = || Verdict::Theirs { ours: Some(unseen(links)) };
    let Current::File(bytes) = current else {
        return theirs();
    };
    let mut wanted = bytes.to_vec();
    if !apply_all(&mut wanted, links) {
        return theirs();
    }
    if wanted == bytes {
        return Verdict::Nothing;
    }
    if !can_be_as_long(links, bytes.len() as u64) {
        return theirs();
    }
    let ours = match life {
        Life::SameBoot => links.iter().all(|link| is_before_or_after(link, bytes)),
        Life::Rebooted | Life::Untrusted => bytes.iter().enumerate().all(|(at, &byte)| {
            byte == wanted[at]
                || was_written(links, at as u64, byte)
                || byte == 0 && is_appended(links, at as u64)
        }),
    };
    if !ours {
        return theirs();
    }
    let regions = links.iter().map(|link| {
        let (at, bytes) = region(&link.change);
        let end = at as usize + bytes.len();
        (at, wanted[at as usize..end].to_vec())
    });
    Verdict::Regions(regions.collect())
}

/// What a person may not have seen of ours: what was certainly published needs no second copy,
/// unless nothing else is in question.
fn unseen(links: &[Link]) -> Vec<u8> {
    let any_unknown = links.iter().any(|link| link.published == Published::Unknown);
    links
        .iter()
        .filter(|link| !any_unknown || link.published == Published::Unknown)
        .flat_map(|link| region(&link.change).1)
        .copied()
        .collect()
}

fn is_before_or_after(link: &Link, bytes: &[u8]) -> bool {
    let (at, new) = region(&link.change);
    let there = bytes.get(at as usize..).unwrap_or(&[]);
    match &link.change {
        // A killed process may have written a part of a long line.
        Change::Append { .. } => new.starts_with(there) || there.starts_with(new),
        Change::Patch { old, .. } if new.len() > old.len() => is_on_its_way(there, old, new),
        Change::Patch { old, .. } => there.starts_with(old) || there.starts_with(new),
        Change::Whole { .. } => false,
    }
}

/// Whether an end is the old one with any part of its room, or any part of the new one in it.
fn is_on_its_way(there: &[u8], old: &[u8], new: &[u8]) -> bool {
    let arrived = there.iter().zip(new).take_while(|(one, other)| one == other).count();
    let room = old.iter().chain(std::iter::repeat(&FILLER));
    (old.len()..=new.len()).contains(&there.len())
        && there.iter().zip(room).skip(arrived).all(|(one, other)| one == other)
}

/// What was there before the first change is there still, and nothing follows the end that the last
/// one made.
fn can_be_as_long(links: &[Link], length: u64) -> bool {
    let least = match links.first().map(|link| &link.change) {
        Some(Change::Patch { at, old, .. }) => at.saturating_add(old.len() as u64),
        _ => 0,
    };
    let most = match links.last().map(|link| &link.change) {
        Some(Change::Patch { at, old, new }) if new.len() > old.len() => {
            at.saturating_add(new.len() as u64)
        }
        _ => u64::MAX,
    };
    (least..=most).contains(&length)
}

fn is_appended(links: &[Link], place: u64) -> bool {
    links.iter().any(|link| grown(&link.change).contains(&place))
}

/// The places that a change added to the file.
fn grown(change: &Change) -> std::ops::Range<u64> {
    match change {
        Change::Append { at, bytes } => *at..at.saturating_add(bytes.len() as u64),
        Change::Patch { at, old, new } => {
            at.saturating_add(old.len() as u64)..at.saturating_add(new.len() as u64)
        }
        Change::Whole { .. } => 0..0,
    }
}
