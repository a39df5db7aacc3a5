//! Tracked files that are protected: whatever an attempt made of them goes aside, and the base's come back.

use hast_flow::attempt::base::Base;
use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::paths::{Matcher, repo_path};
use super::scan::{Difference, Scanned};
use super::snapshot::Home;

impl RealWorkspace {
    /// Says which ones; what differs is looked up again if there are any.
    pub(super) fn take_back_protected(
        &self,
        base: &Base,
        matcher: &Matcher<'_>,
        scanned: &mut Scanned,
        now: &mut Vec<Difference>,
    ) -> Result<Vec<RepoPath>, GitProblem> {
        let guarded: Vec<Difference> =
            now.iter().filter(|found| matcher.is_protected(&found.path)).cloned().collect();
        if !guarded.is_empty() {
            self.take_back(base, scanned, &guarded)?;
            *now = self.git.diff(base.tree(), &scanned.tree)?;
        }
        Ok(guarded.iter().map(|found| repo_path(&found.path)).collect())
    }

    /// Gives tracked files that a glob protects back what the base has.
    fn take_back(
        &self,
        base: &Base,
        scanned: &mut Scanned,
        guarded: &[Difference],
    ) -> Result<(), GitProblem> {
        let aside = self.scratch.aside(base.key());
        for found in guarded.iter().filter(|found| found.new.is_some()) {
            self.git.place.move_aside(Home::Tree, &found.path, &aside)?;
        }
        self.git.check_out_old(scanned, guarded)
    }
}
