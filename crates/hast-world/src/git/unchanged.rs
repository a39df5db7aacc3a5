//! Whether a work tree is still as it was looked at, found out without starting git: HEAD, settings
//! and index are the same, each file has the dates and the size that it had, and there is no other
//! one. Whatever is not plain counts as changed.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::SystemTime;

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::workspace::Head;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use sha1::{Digest, Sha1};

use super::RealWorkspace;
use super::by_threads::by_threads;
use super::config_files::ConfigFiles;
use super::entries::{Entries, IndexEntry, STAT};
use super::index::IndexImage;
use super::inspect::Latest;
use super::listing::{Directory, Kind, Listing, is_fresh};
use super::look::Scene;
use super::odd::{Known, Odd};
use super::paths::Matcher;
use super::place::Place;
use super::record::Opened;
use crate::files::read_bounded;

/// So many files are looked at faster than a thread is started.
const FEW: usize = 1_000;

/// Largest file that is read once more.
const LARGEST: usize = 64 << 20;

const EXECUTABLE: u32 = 0o100_755;
const PLAIN: u32 = 0o100_644;
const LINK: u32 = 0o120_000;

/// Whether ignored files that were not there before make a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NewIgnored {
    Counts,
    PassedOver,
}

impl RealWorkspace {
    /// The directories that there are, if nothing has happened here since a look.
    pub(super) fn as_seen(&self, scene: &Scene, rules: &TreeRules) -> Option<(Listing, Odd)> {
        if self.has_same_repository(scene) { self.same_files(scene, rules) } else { None }
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

    fn same_files(&self, scene: &Scene, rules: &TreeRules) -> Option<(Listing, Odd)> {
        let hidden = scene.flags.assumed.iter().chain(&scene.flags.skipped).chain(&scene.gitlinks);
        if hidden.count() > 0 {
            return None;
        }
        let rules_then = (&scene.ignored[..], &scene.ignores[..]);
        let new = NewIgnored::Counts;
        self.has_files_of((&scene.image, scene.since?), rules_then, rules, new)
    }

    /// Whether everything is still there that the inspection saw, and nothing else: the tests of most attempts
    /// change nothing.
    pub(super) fn is_as_inspected(&self, opened: &Opened, rules: &TreeRules) -> bool {
        let Some(Latest { image, since: Some(since), .. }) = &self.latest else { return false };
        let (then, flags) = (&opened.snapshot, &opened.snapshot.flags);
        if !flags.assumed.is_empty() || !flags.skipped.is_empty() || !opened.gitlinks.is_empty() {
            return false;
        }
        // What is ignored is no part of the work, and may have come since.
        let rules_then = (&then.ignored[..], &then.ignores[..]);
        let new = NewIgnored::PassedOver;
        let found = self.has_files_of((image, *since), rules_then, rules, new);
        let (Some((_, odd)), Some(before)) = (found, &then.odd) else { return false };
        // An empty directory is in no index either.
        let Odd { special, nested, bare, empty: _ } = odd.since(before);
        [special, nested, bare].iter().all(Vec::is_empty)
    }

    /// The directories that there are, if there are the files of an index as they were then, and nothing else but
    /// what was ignored.
    fn has_files_of(
        &self,
        (image, since): (&IndexImage, SystemTime),
        ignored: (&[Vec<u8>], &[u8]),
        rules: &TreeRules,
        new: NewIgnored,
    ) -> Option<(Listing, Odd)> {
        let entries = self.git.entries(image)?;
        let matcher = Matcher::new(rules);
        let (bytes, place) = (image.bytes(), &self.git.place);
        let all_same = |part: &[IndexEntry<'_>]| {
            let mut directory = Opening::default();
            part.iter().all(|entry| {
                let stat = bytes.get(entry.at..entry.at + STAT);
                matcher.is_left_out(entry.path)
                    || stat.is_some_and(|stat| directory.is_same(place, entry, stat, since))
            })
        };
        if by_threads(&entries.all, FEW, all_same).contains(&false) {
            return None;
        }
        let known = Known::at_start(&matcher, ignored, Some(&entries));
        let passed_over = |path: &[u8]| match new {
            NewIgnored::Counts => known.is_out_of_sight(path),
            NewIgnored::PassedOver => known.hides(path),
        };
        let mut listing = place.list(passed_over, None);
        let odd = listing.odd(&known);
        listing.has_no_more_than(&entries, passed_over).then_some((listing, odd))
    }
}

impl Listing {
    /// Whether each file of the tree is in an index, or nobody's to look at.
    fn has_no_more_than(&self, entries: &Entries<'_>, passed_over: impl Fn(&[u8]) -> bool) -> bool {
        let is_known = |directory: &Directory| {
            let path = &directory.path;
            let first = entries.all.partition_point(|entry| entry.path < &path[..]);
            let all = &entries.all[first..];
            let all = &all[..all.partition_point(|entry| entry.path.starts_with(path))];
            let listed = |name: &[u8]| {
                all.binary_search_by(|entry| entry.path[path.len()..].cmp(name)).is_ok()
            };
            let mut files = directory.names.iter().filter(|(kind, _)| *kind != Kind::Directory);
            directory.names.is_readable
                && !directory.names.is_repository
                && files.all(|(_, name)| listed(name) || passed_over(&[path, name].concat()))
        };
        self.directories.iter().all(is_known)
    }
}

/// The directory that a thread is at: a name in it is found faster than a whole path.
#[derive(Default)]
struct Opening<'e> {
    at: Option<(&'e [u8], OwnedFd)>,
}

impl<'e> Opening<'e> {
    /// Whether a file is the one that an entry of an index has seen.
    fn is_same(
        &mut self,
        place: &Place,
        entry: &IndexEntry<'e>,
        stat: &[u8],
        since: SystemTime,
    ) -> bool {
        let end = entry.path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        let (above, name) = entry.path.split_at(end);
        if self.at.as_ref().is_none_or(|(at, _)| *at != above) {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = rustix::fs::open(place.at(above), flags, Mode::empty());
            self.at = opened.ok().map(|directory| (above, directory));
        }
        let Some((_, directory)) = &self.at else { return false };
        let now = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
        now.is_ok_and(|now| is_same(place, entry, stat, &now, since))
    }
}

#[expect(clippy::unnecessary_cast, reason = "the types are others on other machines")]
fn is_same(
    place: &Place,
    entry: &IndexEntry<'_>,
    stat: &[u8],
    now: &Stat,
    since: SystemTime,
) -> bool {
    let mode = match FileType::from_raw_mode(now.st_mode) {
        FileType::Symlink => LINK,
        FileType::RegularFile if now.st_mode & 0o100 == 0 => PLAIN,
        FileType::RegularFile => EXECUTABLE,
        _ => return false,
    };
    let number = |at: usize| {
        let four = stat.get(at..at + 4)?;
        Some(four.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte)))
    };
    // Both times, inode and size, each in 32 bits.
    let here = [
        (0, now.st_ctime as u64),
        (4, now.st_ctime_nsec as u64),
        (8, now.st_mtime as u64),
        (12, now.st_mtime_nsec as u64),
        (20, now.st_ino as u64),
        (36, now.st_size as u64),
    ];
    let same = here.iter().all(|(at, value)| number(*at) == Some(value & 0xffff_ffff));
    let fresh = || is_fresh(now.st_ctime as i64, now.st_ctime_nsec as u64, since);
    same && mode == entry.mode
        && (!fresh() || has_content(&place.at(entry.path), mode == LINK, entry.object))
}

/// Whether it holds what an object holds, as it is.
pub(super) fn has_content(path: &Path, is_link: bool, object: &[u8]) -> bool {
    let bytes = if is_link {
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
