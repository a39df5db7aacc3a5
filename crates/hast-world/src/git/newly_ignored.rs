//! New files that an attempt's own ignore rules hide. They are judged like all that it changed, for rules
//! must hide no work; but nobody means to commit an `.env` or `node_modules/` that the very same commit
//! ignores. What the attempt itself has staged or committed is meant.

use std::collections::BTreeSet;

use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::index::list;
use super::look::is_ignore_file;
use super::paths::Matcher;
use super::scan::Difference;

impl RealWorkspace {
    /// Such files among what differs from the base.
    pub(super) fn newly_ignored(
        &self,
        matcher: &Matcher<'_>,
        (now, committed): (&[Difference], &[Difference]),
    ) -> Result<BTreeSet<Vec<u8>>, GitProblem> {
        let rules = now.iter().filter(|found| is_ignore_file(&found.path));
        if rules.filter(|found| found.new.is_some()).count() == 0 {
            return Ok(BTreeSet::new());
        }
        let committed: BTreeSet<&[u8]> = committed.iter().map(|found| &*found.path).collect();
        let is_new = |found: &&Difference| {
            found.old.is_none()
                && found.new.is_some()
                && !committed.contains(&*found.path)
                && !matcher.is_handoff(&found.path)
        };
        let new: Vec<&[u8]> = now.iter().filter(is_new).map(|found| &*found.path).collect();
        if new.is_empty() {
            return Ok(BTreeSet::new());
        }
        let call = self.git.call(["check-ignore", "-z", "--stdin"]).users_index();
        let output = call.input(list(&new)).output()?;
        // One is that there are none. Where git cannot tell, everything is committed as before.
        let hidden = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(if output.code == Some(0) {
            hidden.map(<[u8]>::to_vec).collect()
        } else {
            BTreeSet::new()
        })
    }
}

/// What differs, but for these paths.
pub(super) fn not_of(all: &[Difference], paths: &BTreeSet<Vec<u8>>) -> Vec<Difference> {
    all.iter().filter(|found| !paths.contains(&found.path)).cloned().collect()
}
