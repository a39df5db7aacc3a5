//! What at the top of a git directory changes what names and merges mean, though nobody ever put it there: a
//! file that git takes for a ref before it looks among the refs, remembered resolutions of conflicts. Files of
//! other tools are nobody's business.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use hast_flow::attempt::base::{ObjectId, TreeRules};

use super::RealWorkspace;
use super::place::Place;
use super::protect::Root;
use super::refs::Refs;
use super::snapshot::Home;

/// What git remembers of conflicts. That it is there switches this on.
pub(super) const RESOLUTIONS: &[u8] = b"rr-cache";
/// Before a short name of a ref.
const BEGINNINGS: [&str; 4] = ["refs/tags/", "refs/heads/", "refs/remotes/", "refs/"];
/// The branch of a remote that its name alone stands for.
const OF_REMOTE: &str = "/HEAD";
const OURS: &str = "refs/hast/";
/// Longer than what a ref says.
const LONGEST: u64 = 4 << 10;

impl RealWorkspace {
    /// Everything that is protected, with what must not come up beside it.
    pub(super) fn roots(&self, rules: &TreeRules, guarded: &[Vec<u8>], refs: &Refs) -> Vec<Root> {
        let place = &self.git.place;
        let mut roots = place.protected_roots(rules, guarded);
        roots.extend(place.shadows(refs));
        // Who wants them has them from any commit on.
        if !self.config.remembers_conflicts {
            roots.push((Home::Common, RESOLUTIONS.to_vec()));
        }
        roots
    }
}

impl Place {
    /// Files that stand before refs of the same short name.
    fn shadows(&self, refs: &Refs) -> Vec<Root> {
        let homes = [(Home::Common, &self.common_dir), (Home::Own, &self.git_dir)];
        let homes = &homes[..if self.is_linked() { 2 } else { 1 }];
        let mut found = BTreeSet::new();
        for (home, directory) in homes {
            let there = fs::read_dir(directory).into_iter().flatten().flatten();
            let there: BTreeSet<OsString> = there.map(|entry| entry.file_name()).collect();
            let names = refs.keys().filter(|name| !name.starts_with(OURS));
            for short in names.flat_map(|name| short_names(name)) {
                let first = short.split('/').next().unwrap_or(short);
                let begins = there.contains(OsStr::new(first)) && !is_gits(short);
                if begins && says_where(&directory.join(short)) {
                    found.insert((*home, short.as_bytes().to_vec()));
                }
            }
        }
        found.into_iter().collect()
    }
}

/// What a ref may be called by.
fn short_names(name: &str) -> impl Iterator<Item = &str> {
    let shorter = BEGINNINGS.iter().filter_map(|start| name.strip_prefix(start));
    shorter.flat_map(|short| [Some(short), short.strip_suffix(OF_REMOTE)]).flatten()
}

/// `HEAD`, `ORIG_HEAD` and whatever else git keeps there; also what is below `refs/` itself.
fn is_gits(short: &str) -> bool {
    let loud = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    short.bytes().all(loud) || short.starts_with("refs/") || short.starts_with("worktrees/")
}

/// Whether git would take a file for a ref.
fn says_where(path: &Path) -> bool {
    if !path.symlink_metadata().is_ok_and(|there| there.is_file() && there.len() <= LONGEST) {
        return false;
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    read.is_ok() && (text.starts_with("ref:") || word.parse::<ObjectId>().is_ok())
}
