//! What the tests on the base left: nobody's work, and the same for the tests that judge as it was for those
//! before the attempt.

use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::index::{Entry, list};
use super::paths::Matcher;
use super::run::Git;
use super::scan::{At, Difference, Scanned};

impl RealWorkspace {
    /// Gives files that the tests had left the bytes of the base again, in the work tree and in what was scanned of it.
    /// One that the attempt commits is its change, and so is one with something else in its place than a
    /// file. Says whether there were any.
    pub(super) fn put_left_back(
        &self,
        matcher: &Matcher<'_>,
        scanned: &mut Scanned,
        (now, committed): (&[Difference], &[Difference]),
    ) -> Result<bool, GitProblem> {
        let commits = |path: &[u8]| committed.iter().any(|found| found.path == path);
        let is_plain = |path: &[u8]| match self.git.place.look_at(path) {
            At::File { .. } => true,
            At::Nothing => self.git.place.file_above(path).is_none(),
            At::Link | At::Directory | At::Other => false,
        };
        let nobodys = |found: &&Difference| {
            found.old.is_some()
                && matcher.is_left_by_tests(&found.path)
                && !commits(&found.path)
                && is_plain(&found.path)
        };
        let left: Vec<Difference> = now.iter().filter(nobodys).cloned().collect();
        if left.is_empty() {
            return Ok(false);
        }
        self.git.check_out_old(scanned, &left)?;
        Ok(true)
    }
}

impl Git {
    /// Lets files have what they had at the start, in the work tree and in what was scanned of it.
    pub(super) fn check_out_old(
        &self,
        scanned: &mut Scanned,
        differences: &[Difference],
    ) -> Result<(), GitProblem> {
        self.vouch_for(&differences.iter().map(Difference::reversed).collect::<Vec<_>>())?;
        let entries: Vec<Entry> = differences.iter().map(Difference::old_entry).collect();
        self.set_entries(&scanned.index, &entries)?;
        let there = differences.iter().filter(|found| found.old.is_some());
        let back: Vec<&[u8]> = there.map(|found| found.path.as_slice()).collect();
        let call = self.call(["checkout-index", "-f", "-u", "-z", "--stdin"]);
        call.index(&scanned.index.path).input(list(&back)).run()?;
        scanned.tree = self.write_tree(&scanned.index)?;
        scanned.image = scanned.index.image()?;
        Ok(())
    }
}
