//! Proof that a project is as it was: its files, and of its repository refs, index, config and hooks,
//! looked at before and after.

use std::path::{Path, PathBuf};

use crate::calls::traces::Traces;
use crate::git::{GitEnvironment, RepositoryState};
use crate::roots::git_top;

/// A project at one moment.
#[derive(Debug)]
pub struct Looked {
    traces: Traces,
    /// Nothing where there is no repository.
    repository: Option<RepositoryState>,
}

impl Looked {
    /// `left_out` are absolute paths of what hast itself writes meanwhile. Without a git there is no
    /// repository to look at.
    pub fn at(root: &Path, left_out: &[PathBuf], environment: Option<GitEnvironment>) -> Self {
        let left_out: Vec<&Path> = left_out.iter().map(PathBuf::as_path).collect();
        let top = git_top(root).zip(environment);
        let repository = top.and_then(|(top, git)| RepositoryState::of(&top, git).ok());
        Self { traces: Traces::of(root, &left_out), repository }
    }

    /// How many files and directories were looked at.
    pub fn count(&self) -> usize {
        self.traces.count()
    }

    /// Everything that is different now; nothing is the proof.
    pub fn changed_since(&self, before: &Self) -> Vec<String> {
        let mut changed = self.traces.changed_since(&before.traces);
        match (&before.repository, &self.repository) {
            (Some(before), Some(now)) => changed.extend(now.changed_since(before)),
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => changed.push(".git".to_owned()),
        }
        changed
    }
}
