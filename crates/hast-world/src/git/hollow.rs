//! New files with nothing in them: a test that holds nothing tests nothing.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::RealWorkspace;
use super::scan::{At, Difference};

const REGULAR: &str = "100";
/// How much is read at once; mostly the first byte tells.
const PIECE: u64 = 4 << 10;
const MARK: &[u8] = b"\xef\xbb\xbf";

impl RealWorkspace {
    /// Of what is new in the work tree, what is empty or blank, or no regular file.
    pub(super) fn hollow<'d>(&self, now: &'d [Difference]) -> BTreeSet<&'d [u8]> {
        let new = now.iter().filter(|found| found.old.is_none() && found.new.is_some());
        let hollow = new
            .filter(|found| !found.new_mode.starts_with(REGULAR) || self.is_blank_now(&found.path));
        hollow.map(|found| found.path.as_slice()).collect()
    }

    fn is_blank_now(&self, path: &[u8]) -> bool {
        let file = matches!(self.git.place.look_at(path), At::File { .. });
        file && file_is_blank(&self.git.place.at(path)).unwrap_or(false)
    }
}

fn file_is_blank(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut piece = Vec::new();
    loop {
        piece.clear();
        if file.by_ref().take(PIECE).read_to_end(&mut piece)? == 0 {
            return Ok(true);
        }
        let text = piece.strip_prefix(MARK).unwrap_or(&piece);
        if !text.iter().all(u8::is_ascii_whitespace) {
            return Ok(false);
        }
    }
}
