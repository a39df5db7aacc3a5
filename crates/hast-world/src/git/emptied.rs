//! Files that held something at the base and hold nothing of it now: a test that is emptied cannot fail.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use hast_flow::attempt::git_problem::GitProblem;

use super::diff::Difference;
use super::place::At;
use super::run::Git;

const LINK: &str = "120000";
const REGULAR: &str = "100";
/// How much is read at once; mostly the first byte tells.
const PIECE: usize = 4 << 10;
const MARK: &[u8] = b"\xef\xbb\xbf";

impl Git {
    /// Of what differs in the work tree, what was a file with something in it, and is empty, blank or a
    /// link now.
    pub(super) fn emptied<'d>(
        &self,
        now: &'d [Difference],
    ) -> Result<BTreeSet<&'d [u8]>, GitProblem> {
        let mut emptied = BTreeSet::new();
        for found in now {
            let (Some(old), Some(_)) = (&found.old, &found.new) else { continue };
            if !found.old_mode.starts_with(REGULAR) {
                continue;
            }
            let gone = found.new_mode == LINK
                || (found.new_mode.starts_with(REGULAR) && self.is_blank_now(&found.path));
            if gone && !is_blank(&self.call(["cat-file", "blob", old.as_str()]).fetching().run()?) {
                emptied.insert(found.path.as_slice());
            }
        }
        Ok(emptied)
    }

    pub(super) fn is_blank_now(&self, path: &[u8]) -> bool {
        let file = matches!(self.place.look_at(path), At::File { .. });
        file && file_is_blank(&self.place.at(path)).unwrap_or(false)
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MARK).unwrap_or(bytes).iter().all(u8::is_ascii_whitespace)
}

fn file_is_blank(path: &Path) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        piece.clear();
        if file.by_ref().take(PIECE as u64).read_to_end(&mut piece)? == 0 {
            return Ok(true);
        }
        if !is_blank(&piece) {
            return Ok(false);
        }
    }
}
