//! Ignored files of the user, held while an attempt is under way: a second link to each. An agent that
//! cleans the tree takes away what no ref could bring back. What lies in ignored directories (builds,
//! dependencies) is not held.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::evidence::RepoPath;

use super::RealWorkspace;
use super::paths::{Matcher, repo_path};
use super::scan::At;

/// More are not held.
const MOST: usize = 1_000;

impl RealWorkspace {
    /// Links that cost no space, each below the path that it has in the tree. What an attempt that
    /// died had lost comes back first.
    pub(super) fn hold_ignored(&self, ignored: &[Vec<u8>], rules: &TreeRules) {
        // A lane has a tree of its own, with nothing of the user's in it.
        if !rules.moving_refs.is_empty() {
            return;
        }
        self.give_back_ignored();
        let (links, matcher) = (self.links(), Matcher::new(rules));
        let held = |path: &&Vec<u8>| !path.ends_with(b"/") && !matcher.is_left_out(path);
        for path in ignored.iter().filter(held).take(MOST) {
            let link = links.join(OsStr::from_bytes(path));
            if matches!(self.git.place.look_at(path), At::File { .. })
                && link.parent().is_none_or(|above| fs::create_dir_all(above).is_ok())
            {
                // Where there can be no link, as between file systems, the file has to fend for itself.
                let _ = fs::hard_link(self.git.place.at(path), link);
            }
        }
    }

    /// Puts back what is gone, names it, and lets go of the rest.
    pub(super) fn give_back_ignored(&self) -> Vec<RepoPath> {
        let links = self.links();
        if links.symlink_metadata().is_err() {
            return Vec::new();
        }
        let (mut open, mut back) = (vec![links.clone()], Vec::new());
        while let Some(directory) = open.pop() {
            for link in fs::read_dir(directory).into_iter().flatten().flatten() {
                let at = link.path();
                if link.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push(at);
                    continue;
                }
                let Ok(path) = at.strip_prefix(&links) else { continue };
                back.extend(self.bring_back(&at, path.as_os_str().as_bytes()));
            }
        }
        let _ = fs::remove_dir_all(&links);
        back.sort();
        back
    }

    fn bring_back(&self, link: &Path, path: &[u8]) -> Option<RepoPath> {
        if self.git.place.look_at(path) != At::Nothing {
            return None;
        }
        let at = self.git.place.at(path);
        at.parent().map(fs::create_dir_all).transpose().ok()?;
        fs::hard_link(link, at).ok()?;
        Some(repo_path(path))
    }

    fn links(&self) -> PathBuf {
        self.git.place.git_dir.join("hast").join("ignored")
    }
}
