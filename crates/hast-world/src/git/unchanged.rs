//! Whether a work tree is still as it was looked at, found out without starting git: HEAD, settings
//! and index are the same, each file has the dates and the size that it had, and there is no other
//! one. Whatever is not plain counts as changed.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::workspace::Head;
use sha1::{Digest, Sha1};

use super::RealWorkspace;
use super::config_files::ConfigFiles;
use super::entries::{IndexEntry, STAT};
use super::index::IndexImage;
use super::look::Scene;
use super::paths::Matcher;
use crate::files::read_bounded;

/// A file that changed so shortly before the look may change once more under the same date.
const SAME_DATE: Duration = Duration::from_millis(20);
/// The same where dates are whole seconds.
const SAME_SECOND: Duration = Duration::from_secs(2);

/// So many files are looked at faster than a thread is started.
const FEW: usize = 1_000;

/// Largest file that is read once more.
const LARGEST: usize = 64 << 20;

const EXECUTABLE: u32 = 0o100_755;
const PLAIN: u32 = 0o100_644;
const LINK: u32 = 0o120_000;

impl RealWorkspace {
    /// Whether nothing has happened here since a look.
    pub(super) fn is_as_seen(&self, scene: &Scene, rules: &TreeRules) -> bool {
        self.has_same_repository(scene) && self.has_same_files(scene, rules).unwrap_or(false)
    }

    fn has_same_repository(&self, scene: &Scene) -> bool {
        let files = ConfigFiles::now(&self.git);
        let users = IndexImage::of_user(&self.git).ok().flatten();
        let same_index = match (&users, &scene.users) {
            (Some(now), Some(then)) => now.has_bytes_of(then),
            _ => false,
        };
        let Head::Branch { name, commit } = &scene.head else { return false };
        files.is_some()
            && files == self.config_files
            && same_index
            && self.git.place.head_in_file().as_ref() == Some(name)
            && self.git.ref_in_files(name) == Some(Some(commit.clone()))
    }

    fn has_same_files(&self, scene: &Scene, rules: &TreeRules) -> Option<bool> {
        let since = scene.since?;
        let hidden = scene.flags.assumed.iter().chain(&scene.flags.skipped).chain(&scene.gitlinks);
        let entries = self.git.entries(&scene.image)?;
        let matcher = Matcher::new(rules);
        let (bytes, place) = (scene.image.bytes(), &self.git.place);
        let same = |entry: &IndexEntry<'_>| {
            matcher.is_left_out(entry.path)
                || bytes
                    .get(entry.at..entry.at + STAT)
                    .is_some_and(|stat| is_same(&place.at(entry.path), entry, stat, since))
        };
        if hidden.count() > 0 || !all_by_threads(&entries.all, same) {
            return Some(false);
        }
        let known =
            |path: &[u8]| entries.all.binary_search_by(|entry| entry.path.cmp(path)).is_ok();
        Some(self.has_no_more_files(&scene.ignored, &matcher, known))
    }

    /// Whether each file of the tree is known, ignored or left out.
    fn has_no_more_files(
        &self,
        ignored: &[Vec<u8>],
        matcher: &Matcher<'_>,
        known: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let ignored: BTreeSet<&[u8]> = ignored.iter().map(Vec::as_slice).collect();
        let mut directories = vec![Vec::new()];
        while let Some(directory) = directories.pop() {
            let Ok(listed) = fs::read_dir(self.git.place.at(&directory)) else { return false };
            for entry in listed {
                let Ok(entry) = entry else { return false };
                let Ok(kind) = entry.file_type() else { return false };
                let mut path = directory.clone();
                path.extend(entry.file_name().into_vec());
                if path == b".git" || matcher.is_left_out(&path) {
                    continue;
                }
                if !kind.is_dir() {
                    if !known(&path) && !ignored.contains(path.as_slice()) {
                        return false;
                    }
                    continue;
                }
                path.push(b'/');
                if !ignored.contains(path.as_slice()) {
                    directories.push(path);
                }
            }
        }
        true
    }
}

/// Whether something holds for all of many things. Looking at a file is mostly the system's work, and
/// every processor can do some of it.
fn all_by_threads<T: Sync>(things: &[T], holds: impl Fn(&T) -> bool + Sync) -> bool {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = things.len().div_ceil(threads).max(FEW);
    std::thread::scope(|scope| {
        let mut parts = things.chunks(share);
        let own = parts.next().unwrap_or_default();
        let others: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().all(&holds))).collect();
        let own = own.iter().all(&holds);
        others.into_iter().all(|other| other.join().unwrap_or(false)) && own
    })
}

/// Whether a file is the one that an entry of an index has seen.
fn is_same(path: &Path, entry: &IndexEntry<'_>, stat: &[u8], since: SystemTime) -> bool {
    let Ok(now) = fs::symlink_metadata(path) else { return false };
    let mode = if now.is_symlink() {
        LINK
    } else if now.is_file() {
        if now.mode() & 0o100 == 0 { PLAIN } else { EXECUTABLE }
    } else {
        return false;
    };
    let number = |at: usize| {
        let four = stat.get(at..at + 4)?;
        Some(four.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte)))
    };
    // Both times, inode and size, each in 32 bits.
    let here = [
        (0, now.ctime().cast_unsigned()),
        (4, now.ctime_nsec().cast_unsigned()),
        (8, now.mtime().cast_unsigned()),
        (12, now.mtime_nsec().cast_unsigned()),
        (20, now.ino()),
        (36, now.size()),
    ];
    let same = here.iter().all(|(at, value)| number(*at) == Some(value & 0xffff_ffff));
    same && mode == entry.mode && (!is_fresh(&now, since) || has_content(path, &now, entry.object))
}

/// Whether its date could be that of a change after the look as well.
fn is_fresh(now: &Metadata, since: SystemTime) -> bool {
    let (Ok(seconds), Ok(nanos)) = (u64::try_from(now.ctime()), u32::try_from(now.ctime_nsec()))
    else {
        return true;
    };
    let margin = if nanos == 0 { SAME_SECOND } else { SAME_DATE };
    UNIX_EPOCH + Duration::new(seconds, nanos) + margin >= since
}

/// Whether it holds what an object holds, as it is.
fn has_content(path: &Path, now: &Metadata, object: &[u8]) -> bool {
    let bytes = if now.is_symlink() {
        fs::read_link(path).ok().map(|target| target.into_os_string().into_vec())
    } else {
        read_bounded(path, LARGEST).ok()
    };
    let Some(bytes) = bytes else { return false };
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(&bytes);
    hash.finalize()[..] == *object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_that_does_not_hold_is_found_wherever_it_is() {
        let many: Vec<usize> = (0..10 * FEW).collect();
        assert!(all_by_threads(&many, |_| true) && all_by_threads::<usize>(&[], |_| false));
        for one in [0, FEW, 5 * FEW + 1, 10 * FEW - 1] {
            assert!(!all_by_threads(&many, |thing| *thing != one), "{one}");
        }
    }
}
