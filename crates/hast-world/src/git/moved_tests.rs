//! Test files that were renamed: what they hold is all there, at a path that is one of a test too.

use std::collections::BTreeSet;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::test_files::is_test_file;

use super::paths::shown;
use super::scan::Difference;

/// Among what differs, the old paths of such files.
pub(super) fn moved_tests(now: &[Difference]) -> impl Iterator<Item = &[u8]> {
    let is_test = |found: &&Difference| is_test_file(&shown(&found.path));
    let new = now.iter().filter(|found| found.old.is_none() && found.new_mode.starts_with("100"));
    let there: BTreeSet<&ObjectId> =
        new.filter(is_test).filter_map(|found| found.new.as_ref()).collect();
    let gone = now.iter().filter(|found| found.new.is_none()).filter(is_test);
    let moved =
        move |found: &&Difference| found.old.as_ref().is_some_and(|old| there.contains(old));
    gone.filter(moved).map(|found| found.path.as_slice())
}
