//! New files with nothing in them: a test that holds nothing tests nothing.

use std::collections::BTreeSet;

use super::diff::Difference;
use super::run::Git;

const REGULAR: &str = "100";

impl Git {
    /// Of what is new in the work tree, what is empty or blank, or no regular file.
    pub(super) fn hollow<'d>(&self, now: &'d [Difference]) -> BTreeSet<&'d [u8]> {
        let new = now.iter().filter(|found| found.old.is_none() && found.new.is_some());
        let hollow = new
            .filter(|found| !found.new_mode.starts_with(REGULAR) || self.is_blank_now(&found.path));
        hollow.map(|found| found.path.as_slice()).collect()
    }
}
