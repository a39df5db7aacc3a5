//! Files of the work tree that git's configuration includes: as much a setting as `.git/config`, and
//! protected like it. A copy lies beside while an attempt is under way, because with a broken one no git
//! runs at all.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::index::disk;
use super::place::Place;
use super::protect::{Root, replace};
use super::snapshot::{Home, Kept, Snapshot};
use crate::files::read_if_there;

const COPIES: &str = "hast/included";
const LARGEST: usize = 256 << 20;

/// Where a value of `include.path` leads, from the file that has it.
pub(super) fn included(
    origin: &str,
    value: &str,
    top: &Path,
    home: Option<&Path>,
) -> Option<PathBuf> {
    let path = match value.strip_prefix("~/") {
        Some(rest) => home?.join(rest),
        None => top.join(origin.strip_prefix("file:")?).parent()?.join(value),
    };
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

impl Place {
    /// Those of some files that lie in the work tree, under every name that leads to them.
    pub(super) fn in_tree(&self, files: &[PathBuf]) -> Vec<Vec<u8>> {
        let mut found = BTreeSet::new();
        for file in files {
            let above = file.parent().and_then(|above| above.canonicalize().ok());
            let beside = above.zip(file.file_name()).map(|(above, name)| above.join(name));
            let names = [Some(file.clone()), file.canonicalize().ok(), beside];
            for name in names.into_iter().flatten() {
                let Ok(inside) = name.strip_prefix(&self.top) else { continue };
                // In a linked work tree that is a file.
                let has_none = inside.starts_with(".git") && self.is_linked();
                if !has_none && !inside.as_os_str().is_empty() {
                    found.insert(inside.as_os_str().as_bytes().to_vec());
                }
            }
        }
        found.into_iter().collect()
    }

    fn copies(&self) -> PathBuf {
        self.git_dir.join(COPIES)
    }

    /// Gives back what an attempt that nobody judged yet did to included files.
    pub(super) fn give_back_included(&self, aside: &Path) -> Result<(), GitProblem> {
        let copies = self.copies();
        let held = read_if_there(&copies, LARGEST).map_err(|error| disk(&copies, error))?;
        // What cannot be read is of no use; git will say what is wrong.
        let Some(held) = held.and_then(|bytes| Snapshot::decode(&bytes).ok()) else {
            return Ok(());
        };
        let roots: Vec<Root> = held.guarded.into_iter().map(|path| (Home::Tree, path)).collect();
        self.restore(&roots, &held.files, aside).map(|_| ())
    }
}

impl RealWorkspace {
    /// The included files of the work tree.
    pub(super) fn included_in_tree(&self) -> Vec<Vec<u8>> {
        self.git.place.in_tree(&self.config.included)
    }

    /// Copies of them for whoever comes after a crash.
    pub(super) fn keep_included(&self, files: &[Kept]) -> Result<(), GitProblem> {
        let guarded = self.included_in_tree();
        if guarded.is_empty() {
            self.forget_included();
            return Ok(());
        }
        let is_included = |kept: &&Kept| kept.home == Home::Tree && guarded.contains(&kept.path);
        let files = files.iter().filter(is_included).cloned().collect();
        let copies = self.git.place.copies();
        let bytes = Snapshot { guarded, files, ..Snapshot::default() }.encode()?;
        replace(&copies, 0o600, &bytes).map_err(|error| disk(&copies, error))
    }

    /// The attempt is over.
    pub(super) fn forget_included(&self) {
        let _ = fs::remove_file(self.git.place.copies());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_included_path_is_read_from_the_file_that_includes_it() {
        let leads = |origin, value| included(origin, value, Path::new("/p"), Some(Path::new("/h")));
        assert_eq!(leads("file:/p/.git/config", "../.gitconfig"), Some("/p/.gitconfig".into()));
        assert_eq!(leads("file:.git/config", "../a/./b"), Some("/p/a/b".into()));
        assert_eq!(leads("file:/h/.gitconfig", "~/x"), Some("/h/x".into()));
        assert_eq!(leads("file:/h/.gitconfig", "/p/y"), Some("/p/y".into()));
        assert_eq!(leads("command line:", "x"), None);
    }
}
