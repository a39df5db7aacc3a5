//! Reads a code base for a map of it: every file once, by as many threads as the machine has. What is
//! looked for, and what it means, `hast_flow::explore` knows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use hast_flow::explore::language::Language;
use hast_flow::explore::map::{Draft, Found, Map, Wanted};
use hast_flow::explore::scan::{MOST_BYTES, Scanned, scan, uses};
use hast_flow::explore::terms::Terms;
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::files::read_bounded;

/// More files are not looked at.
const MOST_FILES: usize = 300_000;

/// The map of what is below a directory. What git ignores and what is hidden is left out, and no link
/// is followed; a file that cannot be read is passed over.
pub fn map(root: &Path, terms: &Terms) -> Map {
    let scans = scans(root, terms);
    let draft = Draft::new(terms, &scans);
    let first = found(root, &draft.wanted());
    let next = found(root, &draft.wanted_next(&first));
    draft.finish(&first, &next)
}

fn scans(root: &Path, terms: &Terms) -> Vec<Scanned> {
    let found: Mutex<Vec<Scanned>> = Mutex::default();
    let all = &found;
    let mut walk = WalkBuilder::new(root);
    // The user's own ignore file is not part of the code: the same code gives the same map.
    walk.git_global(false).require_git(false).follow_links(false).threads(threads());
    walk.build_parallel().run(|| {
        Box::new(move |entry| {
            let Some(scanned) = entry.ok().and_then(|entry| look(root, &entry, terms)) else {
                return WalkState::Continue;
            };
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(scanned);
            if all.len() < MOST_FILES { WalkState::Continue } else { WalkState::Quit }
        })
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    found
}

fn look(root: &Path, entry: &DirEntry, terms: &Terms) -> Option<Scanned> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let path = entry.path().strip_prefix(root).ok()?.to_str()?;
    Language::of(path)?;
    scan(path, &text_of(entry.path())?, terms)
}

/// A text; a file with a zero in it is none.
fn text_of(path: &Path) -> Option<String> {
    let bytes = read_bounded(path, MOST_BYTES).ok()?;
    if bytes.len() > MOST_BYTES || bytes.contains(&0) {
        return None;
    }
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Looks again at the files that may use these names.
fn found(root: &Path, wanted: &Wanted) -> Found {
    let part = wanted.paths.len().div_ceil(threads()).max(1);
    let read = |path: &String| {
        let text = text_of(&root.join(path))?;
        Some((path.clone(), uses(path, &text, &wanted.names)))
    };
    let mut found = BTreeMap::new();
    std::thread::scope(|scope| {
        let parts = wanted.paths.chunks(part);
        let work: Vec<_> = parts
            .map(|paths| scope.spawn(move || paths.iter().filter_map(read).collect::<Vec<_>>()))
            .collect();
        for part in work {
            found.extend(part.join().unwrap_or_default());
        }
    });
    found
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).min(16)
}
