//! Saved work into the user's checkout again, uncommitted, and never over anything of the user's.

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::evidence::Change;
use hast_flow::attempt::git_problem::GitProblem;

use super::checkout::Checkout;
use super::diff::Difference;
use super::in_the_way::named;
use super::index::Entry;
use super::paths::Matcher;

impl Checkout {
    /// Brings what a commit changed since another one, or since its parent. All of it, or nothing where a path
    /// is neither as it was before that work nor as the work has it.
    pub(super) fn restore_work(
        &self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        let git = &self.git;
        let lost = || GitProblem::Lost { what: name.to_owned() };
        let commit = git.resolve(name)?.ok_or_else(lost)?;
        let before = match since {
            Some(since) => since.clone(),
            None => git.resolve(&format!("{commit}^1"))?.ok_or_else(lost)?,
        };
        let before = git.tree_of(&before)?;
        let matcher = Matcher::new(rules);
        let mut work = git.diff(&before, &git.tree_of(&commit)?)?;
        work.retain(|one| !matcher.is_left_out(&one.path) && !matcher.is_protected(&one.path));
        let ready = self.compare_with_files(&work, &before)?;
        if !ready.users_own.is_empty() {
            return Err(GitProblem::InTheWay { paths: named(ready.users_own) });
        }
        let wanted = self.scratch_index()?;
        git.read_tree(&wanted, &before)?;
        let new: Vec<Entry> = work.iter().map(Difference::new_entry).collect();
        git.set_entries(&wanted, &new)?;
        let wanted = git.write_tree(&wanted)?;
        let call = git.call(["read-tree", "-m", "-u", before.as_str(), wanted.as_str()]).fetching();
        call.index(&ready.index.path).run()?;
        Ok(work.iter().map(Difference::change).collect())
    }
}
