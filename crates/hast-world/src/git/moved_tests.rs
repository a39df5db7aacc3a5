//! Test files that were moved: at a path that is one of a test too, with the same bytes, or with most of their
//! lines, under the same name or split over several.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::test_files::is_test_file;

use super::diff::Difference;
use super::paths::shown;
use super::run::Git;
use crate::files::read_bounded;

/// A longer one is moved only as it is.
const LONGEST: usize = 4 << 20;

impl Git {
    /// Among what differs, the old paths of such files.
    pub(super) fn moved_tests<'d>(
        &self,
        now: &'d [Difference],
    ) -> Result<BTreeSet<&'d [u8]>, GitProblem> {
        let is_test = |found: &&Difference| is_test_file(&shown(&found.path));
        let is_new = |found: &&Difference| found.old.is_none() && found.new_mode.starts_with("100");
        let new: Vec<&Difference> = now.iter().filter(is_new).filter(is_test).collect();
        let there: BTreeSet<&ObjectId> =
            new.iter().filter_map(|found| found.new.as_ref()).collect();
        let mut moved = BTreeSet::new();
        for gone in now.iter().filter(|found| found.new.is_none()).filter(is_test) {
            let Some(old) = &gone.old else { continue };
            let namesake = |found: &&&Difference| name(&found.path) == name(&gone.path);
            let parts: Vec<&Difference> = match new.iter().find(namesake) {
                Some(namesake) => vec![*namesake],
                None => new.clone(),
            };
            let is_there = there.contains(old) || self.have_most_of(&parts, old)?;
            if is_there {
                moved.insert(gone.path.as_slice());
            }
        }
        Ok(moved)
    }

    /// Whether files together have at least half of the lines that an object has.
    fn have_most_of(&self, files: &[&Difference], object: &ObjectId) -> Result<bool, GitProblem> {
        let mut new = Vec::new();
        for file in files {
            let room = LONGEST.saturating_sub(new.len());
            new.extend(read_bounded(&self.place.at(&file.path), room).unwrap_or_default());
            new.push(b'\n');
        }
        let old = self.call(["cat-file", "blob", object.as_str()]).fetching().run()?;
        Ok(keeps_most(&old, &new))
    }
}

fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Each line counts as often as it stands there; blank ones do not.
fn keeps_most(old: &[u8], new: &[u8]) -> bool {
    fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
        text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
    }
    let mut left: BTreeMap<&[u8], usize> = BTreeMap::new();
    for line in lines(new) {
        *left.entry(line).or_default() += 1;
    }
    let (mut all, mut kept) = (0_usize, 0_usize);
    for line in lines(old) {
        all += 1;
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            kept += 1;
        }
    }
    kept > 0 && 2 * kept >= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_most_of_its_lines_or_it_is_another() {
        let old = b"import a\n\ndef test_one():\n    assert a.one()\n";
        for (new, kept) in [
            (&b"import b.a\ndef test_one():\n    assert a.one()\n"[..], true),
            (b"\tassert a.one()\ndef test_one():", true),
            (b"# no more\n", false),
            (b"import a\n", false),
            (b"import a\nimport a\nimport a\n", false),
            (b"", false),
        ] {
            assert_eq!(keeps_most(old, new), kept, "{}", String::from_utf8_lossy(new));
        }
        assert!(!keeps_most(b"", b""), "nothing is kept of nothing");
    }
}
