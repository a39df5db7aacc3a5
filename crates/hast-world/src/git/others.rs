//! The repository's other work trees: where they stand, and that they are known at all, lies in its own
//! directory. People work in them meanwhile, so that only what git itself would not have done is undone.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use hast_flow::attempt::git_problem::GitProblem;

use super::place::Place;
use super::protect::Root;
use super::snapshot::{Home, Kept, Was};
use crate::files::read_bounded;

pub(super) const ENTRIES: &str = "worktrees";
/// What makes an entry.
const FILES: [&str; 5] = ["HEAD", "commondir", "gitdir", "index", "locked"];
/// Git writes down where HEAD goes.
pub(super) const LOG: &str = "logs/HEAD";
/// Larger ones are not kept.
const LARGEST: u64 = 16 << 20;
const INDEX_BEGINS: &[u8] = b"DIRC";
/// Trees that hast makes and moves itself.
const OURS: &str = ".ai/worktrees";
const OUR_BRANCHES: &[u8] = b"ref: refs/heads/hast/";
/// What git writes into `locked` until the entry is whole, and takes away by itself.
const BEING_MADE: &[u8] = b"initializing";

impl Place {
    /// The entries of other work trees as they are now. Nothing where there are none. One that git is
    /// making meanwhile, for another lane or for a person, is not one yet.
    pub(super) fn other_trees(&self) -> Vec<Kept> {
        let mut kept = Vec::new();
        let mut entries: Vec<_> =
            fs::read_dir(self.common_dir.join(ENTRIES)).into_iter().flatten().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let git_dir = entry.path();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_directory || git_dir == self.git_dir {
                continue;
            }
            let name = entry.file_name();
            let path = |file: &str| {
                [ENTRIES.as_bytes(), b"/", name.as_bytes(), b"/", file.as_bytes()].concat()
            };
            let (home, was) = (Home::Common, log_now(&git_dir));
            kept.extend(was.map(|was| Kept { home, path: path(LOG), was }));
            if !is_of_a_person(&git_dir) {
                continue;
            }
            for file in FILES {
                let Some(was) = small_file(&git_dir.join(file)) else { continue };
                kept.push(Kept { home: Home::Common, path: path(file), was });
            }
        }
        // Beside a linked one the main one is another tree too.
        let main = self.is_linked().then(|| log_now(&self.common_dir)).flatten();
        kept.extend(main.map(|was| Kept { home: Home::Common, path: LOG.into(), was }));
        kept
    }

    /// Gives other work trees back what was taken from them. Says what that was.
    pub(super) fn give_back_other_trees(
        &self,
        before: &[Kept],
        aside: &Path,
    ) -> Result<Vec<Root>, GitProblem> {
        let known: BTreeMap<&[u8], &Was> =
            before.iter().map(|kept| (&*kept.path, &kept.was)).collect();
        let mut changed = Vec::new();
        for kept in before {
            let Some((entry, file)) = entry_and_file(&kept.path) else { continue };
            let git_dir = self.common_dir.join(std::ffi::OsStr::from_bytes(entry));
            let log = [entry, b"/", LOG.as_bytes()].concat();
            let moved_by_git = || log_now(&git_dir).as_ref() != known.get(&*log).copied();
            let now = small_file(&git_dir.join(file));
            let stays = match (file, &now) {
                (LOG, _) => true,
                (_, Some(now)) if *now == kept.was => true,
                ("HEAD", Some(_)) => moved_by_git(),
                ("index", Some(Was::File { bytes, .. })) => bytes.starts_with(INDEX_BEGINS),
                // It grew beyond what is kept.
                ("index", None) => git_dir.join(file).is_file(),
                _ => false,
            };
            if !stays {
                let root = (kept.home, kept.path.clone());
                self.give_back_one(&root, &kept.was, aside)?;
                changed.push(root);
            }
        }
        Ok(changed)
    }
}

/// `worktrees/NAME`, and the file in it.
fn entry_and_file(path: &[u8]) -> Option<(&[u8], &str)> {
    let name = path.strip_prefix(ENTRIES.as_bytes())?.strip_prefix(b"/")?;
    let end = name.iter().position(|byte| *byte == b'/')?;
    let at = ENTRIES.len() + 1 + end;
    Some((&path[..at], std::str::from_utf8(&path[at + 1..]).ok()?))
}

/// Whether an entry is whole, and of a tree that hast did not make. What git writes first is asked for
/// first: an entry that is begun in between has not said yet whose it is.
fn is_of_a_person(git_dir: &Path) -> bool {
    let says = |file: &str| read_bounded(&git_dir.join(file), 16 << 10).unwrap_or_default();
    if says("locked").starts_with(BEING_MADE) {
        return false;
    }
    let (tree, head) = (says("gitdir"), says("HEAD"));
    let is_whole = !tree.is_empty() && !head.is_empty();
    is_whole && !is_at_ours(&tree) && !head.starts_with(OUR_BRANCHES)
}

/// Whether an entry is of a tree that hast made.
pub(super) fn is_a_tree_of_ours(git_dir: &Path) -> bool {
    is_at_ours(&read_bounded(&git_dir.join("gitdir"), 16 << 10).unwrap_or_default())
}

fn is_at_ours(tree: &[u8]) -> bool {
    let ours = OURS.as_bytes();
    tree.windows(ours.len()).any(|part| part == ours)
}

fn small_file(path: &Path) -> Option<Was> {
    let there = fs::symlink_metadata(path).ok()?;
    if !there.is_file() || there.len() > LARGEST {
        return None;
    }
    let mode = there.permissions().mode() & 0o7777;
    Some(Was::File { mode, bytes: fs::read(path).ok()? })
}

/// How far the log of an entry's HEAD has come.
fn log_now(git_dir: &Path) -> Option<Was> {
    let there = fs::symlink_metadata(git_dir.join(LOG)).ok()?;
    Some(Was::LargeFile { mode: 0, size: there.size(), modified: 0, changed: 0 })
}
