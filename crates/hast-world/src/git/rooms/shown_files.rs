//! The user's files that an agent reads and may not change: settings, goals, rules and handoffs, as
//! the user has them now, committed or not. hast puts them into a room before the agent starts, leaves
//! them out of the judged tree, and tells which of them differ afterwards.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::ids::Sha256;
use serde::{Deserialize, Serialize};

use super::super::paths::repo_path;
use super::{RealRooms, Room, remove_any, write_file};
use crate::files::read_bounded;

/// Largest file that is shown.
const LONGEST: usize = 4 << 20;
/// Newest handoffs of the user's that no commit has and that are shown.
const HANDOFFS: usize = 50;
const LONGEST_LIST: usize = 4 << 20;

/// One file; without a hash there was none at its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ShownFile {
    path: String,
    hash: Option<Sha256>,
}

impl RealRooms {
    /// Puts the user's files into a room, and notes them.
    pub(super) fn show_files(&self, room: &Room, rules: &TreeRules) -> Result<(), GitProblem> {
        let mut shown = Vec::new();
        let files = rules.protected.iter().filter(|path| !path.ends_with('/'));
        for path in files.cloned().chain(self.new_handoffs_of_user(room, rules)) {
            let to = room.tree().join(&path);
            if !stays_in(&room.tree(), &to) {
                continue;
            }
            let bytes = plain_file(&self.git.place.top.join(&path));
            match &bytes {
                Some(bytes) => write_file(&to, bytes)?,
                None => remove_any(&to)?,
            }
            shown.push(ShownFile { path, hash: bytes.as_deref().map(Sha256::of) });
        }
        let list = serde_json::to_vec(&shown).unwrap_or_default();
        write_file(&room.shown_list(), &list)
    }

    /// Paths whose content hast chose.
    pub(super) fn shown_paths(&self, room: &Room) -> BTreeSet<Vec<u8>> {
        list(room).into_iter().map(|file| file.path.into_bytes()).collect()
    }

    /// Shown files that are not as they were put there.
    pub(super) fn changed_shown(&self, room: &Room) -> Vec<RepoPath> {
        let differs = |file: &ShownFile| {
            let at = room.tree().join(&file.path);
            let now = plain_file(&at).as_deref().map(Sha256::of);
            now != file.hash || (now.is_none() && fs::symlink_metadata(&at).is_ok())
        };
        let changed = list(room).into_iter().filter(differs);
        changed.map(|file| repo_path(file.path.as_bytes())).collect()
    }

    /// Handoffs that the user has and the room's commit has not.
    fn new_handoffs_of_user(&self, room: &Room, rules: &TreeRules) -> Vec<String> {
        let Some(directory) = &rules.handoffs else { return Vec::new() };
        let entries = fs::read_dir(self.git.place.top.join(directory)).into_iter().flatten();
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let paths = names.map(|name| format!("{directory}{name}"));
        let mut new: Vec<String> =
            paths.filter(|path| fs::symlink_metadata(room.tree().join(path)).is_err()).collect();
        new.sort_unstable();
        new.split_off(new.len().saturating_sub(HANDOFFS))
    }
}

fn list(room: &Room) -> Vec<ShownFile> {
    let bytes = read_bounded(&room.shown_list(), LONGEST_LIST).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// The bytes of a regular file; none for anything else.
fn plain_file(path: &Path) -> Option<Vec<u8>> {
    let plain = fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    if plain { read_bounded(path, LONGEST).ok() } else { None }
}

/// Whether no link of the base leads a path out of the tree.
fn stays_in(tree: &Path, path: &Path) -> bool {
    let there = path
        .parent()
        .and_then(|parent| parent.ancestors().find(|above| fs::symlink_metadata(above).is_ok()));
    let real = there.and_then(|above| above.canonicalize().ok());
    let tree = tree.canonicalize().ok();
    real.zip(tree).is_some_and(|(real, tree)| real.starts_with(tree))
}
