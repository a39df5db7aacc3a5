//! Going back from work that only added files, which needs no git: each is still what was saved, and is
//! removed. Whatever else there is to do is git's.

use std::fs;

use hast_flow::attempt::base::Base;
use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::paths::parents;
use super::record::Opened;
use super::save::{SavedTree, WentBack};
use super::scan::{At, Difference};
use super::unchanged::has_content;

/// More files are git's to remove.
const MOST: usize = 64;

impl RealWorkspace {
    /// Nothing where that is not all, or where a later process would need to know the index.
    pub(super) fn back_from_added(
        &self,
        base: &Base,
        opened: &Opened,
        known: &SavedTree,
    ) -> Result<Option<WentBack>, GitProblem> {
        if opened.users.is_none() || opened.image.is_none() {
            return Ok(None);
        }
        let differences = self.git.diff(&known.tree, base.tree())?;
        if differences.len() > MOST || !differences.iter().all(|found| self.is_as_saved(found)) {
            return Ok(None);
        }
        let mut gone = Vec::new();
        for Difference { path, .. } in differences {
            // What cannot be removed here git may be able to, and says why not.
            if fs::remove_file(self.git.place.at(&path)).is_err() {
                return Ok(None);
            }
            for above in parents(&path) {
                // One with something in it stays, and so do those above.
                if fs::remove_dir(self.git.place.at(above)).is_err() {
                    break;
                }
            }
            gone.push(path);
        }
        Ok(Some(WentBack::without(gone)))
    }

    /// Whether this was added, is a plain file, and has just what was saved of it.
    fn is_as_saved(&self, found: &Difference) -> bool {
        let Difference { path, old: Some(saved), new: None, old_mode, .. } = found else {
            return false;
        };
        let place = &self.git.place;
        let plain = old_mode.starts_with("100") && matches!(place.look_at(path), At::File { .. });
        let raw = super::objects::raw(saved);
        plain && raw.is_some_and(|object| has_content(&place.at(path), false, &object))
    }
}
