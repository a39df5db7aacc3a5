//! The user's files that an agent reads and may not change: settings, goals, rules and handoffs, as
//! the user has them now, committed or not. hast puts them into a room before the agent starts, leaves
//! them out of the judged tree, and tells which of them differ afterwards.

use std::collections::BTreeSet;
use std::fs;

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::ids::Sha256;
use serde::{Deserialize, Serialize};

use super::super::diff::Difference;
use super::super::paths::repo_path;
use super::{RealRooms, Room, write_file};
use crate::files::read_bounded;
use crate::root_path::RootPath;

/// Largest file that is shown: no document is longer.
pub(super) const LONGEST: usize = MAX_DOCUMENT_BYTES;
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
        let (tree, mut shown) = (room.files()?, Vec::new());
        let files = rules.protected.iter().filter(|path| !path.ends_with('/'));
        for path in files.cloned().chain(self.new_handoffs_of_user(&tree, rules)) {
            let to = tree.join(&path);
            if to.kind().is_err() {
                // A link of the base would lead it elsewhere.
                continue;
            }
            let users = RootPath::new(&self.git.place.top)?.join(&path);
            let bytes = users.read_exact(LONGEST).ok();
            match &bytes {
                Some(bytes) => to.put(bytes)?,
                None => to.remove()?,
            }
            shown.push(ShownFile { path, hash: bytes.as_deref().map(Sha256::of) });
        }
        let list = serde_json::to_vec(&shown).unwrap_or_default();
        write_file(&room.shown_list(), &list)
    }

    /// Files that work brought into the room again are that work's, and not the user's.
    pub(super) fn forget_shown(&self, room: &Room, work: &[Difference]) -> Result<(), GitProblem> {
        let is_work = |file: &ShownFile| work.iter().any(|one| one.path == file.path.as_bytes());
        let (forgotten, shown): (Vec<_>, Vec<_>) = list(room).into_iter().partition(is_work);
        if forgotten.is_empty() {
            return Ok(());
        }
        write_file(&room.shown_list(), &serde_json::to_vec(&shown).unwrap_or_default())
    }

    /// Paths whose content hast chose.
    pub(super) fn shown_paths(&self, room: &Room) -> BTreeSet<Vec<u8>> {
        list(room).into_iter().map(|file| file.path.into_bytes()).collect()
    }

    /// Shown files that are not as they were put there.
    pub(super) fn changed_shown(&self, room: &Room) -> Result<Vec<RepoPath>, GitProblem> {
        let tree = room.files()?;
        let differs = |file: &ShownFile| {
            let at = tree.join(&file.path);
            let now = at.read_exact(LONGEST).ok().as_deref().map(Sha256::of);
            now != file.hash || (now.is_none() && at.exists())
        };
        let changed = list(room).into_iter().filter(differs);
        Ok(changed.map(|file| repo_path(file.path.as_bytes())).collect())
    }

    /// Handoffs that the user has and the room's commit has not.
    fn new_handoffs_of_user(&self, tree: &RootPath, rules: &TreeRules) -> Vec<String> {
        let Some(directory) = &rules.handoffs else { return Vec::new() };
        let entries = fs::read_dir(self.git.place.top.join(directory)).into_iter().flatten();
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let paths = names.map(|name| format!("{directory}{name}"));
        let mut new: Vec<String> = paths.filter(|path| !tree.join(path).exists()).collect();
        new.sort_unstable();
        new.split_off(new.len().saturating_sub(HANDOFFS))
    }
}

fn list(room: &Room) -> Vec<ShownFile> {
    let bytes = read_bounded(&room.shown_list(), LONGEST_LIST).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
