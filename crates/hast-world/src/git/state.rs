//! What a repository says, apart from its work tree: where every ref stands and what the index holds.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::ids::Sha256;

use super::RealWorkspace;

/// The refs and the index at one moment. What git keeps about files to be faster is no part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryState {
    refs: Sha256,
    index: Sha256,
}

impl RealWorkspace {
    pub fn state(&self) -> Result<RepositoryState, GitProblem> {
        let format = "--format=%(refname) %(objectname) %(symref)";
        let refs = self.git.call(["for-each-ref", format]).run()?;
        let index = self.git.call(["ls-files", "-z", "-s"]).users_index().run()?;
        Ok(RepositoryState { refs: Sha256::of(&refs), index: Sha256::of(&index) })
    }
}

impl RepositoryState {
    /// The names of what is different.
    pub fn changed_since(&self, before: &Self) -> Vec<String> {
        let refs = (self.refs != before.refs).then(|| "refs".to_owned());
        let index = (self.index != before.index).then(|| "index".to_owned());
        refs.into_iter().chain(index).collect()
    }
}
