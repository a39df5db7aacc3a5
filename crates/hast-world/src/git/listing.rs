//! The directories of a work tree and what is in them by name. One that has not changed since an earlier
//! listing is not read again: its date tells whether anything came into it or went.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat};
use rustix::io::Errno;

use super::by_threads::by_threads;
use super::place::Place;

/// What changed so shortly before a look may change once more under the same date.
const SAME_DATE: Duration = Duration::from_millis(20);
/// The same where dates are whole seconds.
const SAME_SECOND: Duration = Duration::from_secs(2);
/// So many directories are read faster than a thread is started.
const FEW: usize = 32;
/// Read at once of a directory.
const AT_ONCE: usize = 32 << 10;
const OWN: &[u8] = b".git";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A plain file or a link.
    File,
    Directory,
    /// A pipe, a socket or a device.
    Special,
}

/// What a directory holds.
#[derive(Debug, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    all: Vec<(Kind, Range<usize>)>,
    pub(super) is_readable: bool,
    /// A repository of its own, which others look at.
    pub(super) is_repository: bool,
}

impl Names {
    pub(super) fn iter(&self) -> impl Iterator<Item = (Kind, &[u8])> {
        self.all.iter().map(|(kind, range)| (*kind, &self.bytes[range.clone()]))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Directory {
    /// With a `/` at its end, but for the top.
    pub(super) path: Vec<u8>,
    /// Where the one is that it is in.
    pub(super) above: usize,
    pub(super) names: Arc<Names>,
    /// Whether one in it was not to be looked into.
    pub(super) is_partial: bool,
    /// Whether git does not look at it, as far as anybody has asked.
    pub(super) is_hidden: bool,
    /// None where more may come into it under the same date.
    date: Option<Date>,
}

/// Each comes after the one that it is in; the first is the top.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    pub(super) directories: Vec<Directory>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    device: u64,
    inode: u64,
    seconds: i64,
    nanos: u64,
}

impl Place {
    /// Lists the work tree, but for what is to be skipped: a directory ends in `/`.
    pub(super) fn list(&self, skips: impl Fn(&[u8]) -> bool, before: Option<&Listing>) -> Listing {
        let since = SystemTime::now();
        let known: HashMap<&[u8], &Directory> = before
            .iter()
            .flat_map(|before| &before.directories)
            .map(|directory| (&*directory.path, directory))
            .collect();
        let mut directories: Vec<Directory> = Vec::new();
        let mut level: Vec<(Vec<u8>, usize)> = vec![(Vec::new(), 0)];
        while !level.is_empty() {
            let read = |part: &[(Vec<u8>, usize)]| -> Vec<(Arc<Names>, Option<Date>)> {
                part.iter().map(|(path, _)| self.names(path, known.get(&**path), since)).collect()
            };
            let read = by_threads(&level, FEW, read).into_iter().flatten();
            let mut next = Vec::new();
            for ((path, above), (names, date)) in std::mem::take(&mut level).into_iter().zip(read) {
                let mut is_partial = false;
                let below = names.iter().filter(|(kind, _)| *kind == Kind::Directory);
                for (_, name) in below.filter(|_| !names.is_repository) {
                    let below = [&path, name, b"/"].concat();
                    if skips(&below) {
                        is_partial = true;
                    } else {
                        next.push((below, directories.len()));
                    }
                }
                let is_hidden = false;
                directories.push(Directory { path, above, names, is_partial, is_hidden, date });
            }
            level = next;
        }
        Listing { directories }
    }

    /// What is in a directory, and its date if that tells of everything that comes.
    fn names(
        &self,
        path: &[u8],
        before: Option<&&Directory>,
        since: SystemTime,
    ) -> (Arc<Names>, Option<Date>) {
        let place = self.at(path);
        if let Some(before) = before
            && before.date.is_some()
            && rustix::fs::lstat(&place).is_ok_and(|now| before.date == Some(Date::of(&now)))
        {
            return (Arc::clone(&before.names), before.date);
        }
        match read(&place, path.is_empty(), since) {
            Ok((names, date)) => (Arc::new(names), date),
            Err(_) => (Arc::default(), None),
        }
    }
}

fn read(place: &Path, is_top: bool, since: SystemTime) -> Result<(Names, Option<Date>), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = rustix::fs::open(place, flags, Mode::empty())?;
    let there = rustix::fs::fstat(&directory)?;
    let date = Date::of(&there);
    let mut names = Names { is_readable: true, ..Names::default() };
    let mut room = [MaybeUninit::uninit(); AT_ONCE];
    let mut listed = RawDir::new(&directory, &mut room);
    while let Some(entry) = listed.next() {
        let entry = entry?;
        let name = entry.file_name();
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let there = rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(there.st_mode)
            }
            kind => kind,
        };
        let name = name.to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        if name == OWN {
            names.is_repository = !is_top;
            continue;
        }
        let kind = match kind {
            FileType::RegularFile | FileType::Symlink => Kind::File,
            FileType::Directory => Kind::Directory,
            _ => Kind::Special,
        };
        let start = names.bytes.len();
        names.bytes.extend_from_slice(name);
        names.all.push((kind, start..names.bytes.len()));
    }
    Ok((names, Some(date).filter(|date| !date.is_fresh(since))))
}

impl Date {
    #[expect(clippy::unnecessary_cast, reason = "the types are others on other machines")]
    fn of(there: &Stat) -> Self {
        Self {
            device: there.st_dev as u64,
            inode: there.st_ino as u64,
            seconds: there.st_ctime as i64,
            nanos: there.st_ctime_nsec as u64,
        }
    }

    fn is_fresh(&self, since: SystemTime) -> bool {
        is_fresh(self.seconds, self.nanos, since)
    }
}

/// Whether such a date could be that of a change after a look as well.
pub(super) fn is_fresh(seconds: i64, nanos: u64, since: SystemTime) -> bool {
    let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) else {
        return true;
    };
    let margin = if nanos == 0 { SAME_SECOND } else { SAME_DATE };
    UNIX_EPOCH + Duration::new(seconds, nanos) + margin >= since
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn place(top: &Path) -> Place {
        let git_dir = top.join(".git");
        Place { top: top.to_owned(), common_dir: git_dir.clone(), git_dir }
    }

    fn paths(listing: &Listing) -> Vec<String> {
        let path = |one: &Directory| String::from_utf8_lossy(&one.path).into_owned();
        listing.directories.iter().map(path).collect()
    }

    fn made(directories: &[&str]) -> tempfile::TempDir {
        let top = tempfile::tempdir().unwrap();
        for path in directories {
            fs::create_dir_all(top.path().join(path)).unwrap();
        }
        top
    }

    /// Until nothing that was there could change under the date that it has.
    fn settle() {
        std::thread::sleep(SAME_DATE * 3);
    }

    #[test]
    fn everything_is_listed_but_what_is_skipped_and_repositories() {
        let top = made(&["a/b", "skipped/c", "nested/.git", "nested/d", ".git/objects"]);
        fs::File::create(top.path().join("a/file")).unwrap();
        let _socket = UnixListener::bind(top.path().join("a/socket")).unwrap();
        let place = place(top.path());
        let listing = place.list(|path| path == b"skipped/", None);
        let mut found = paths(&listing);
        found.sort();
        assert_eq!(found, ["", "a/", "a/b/", "nested/"]);
        assert!(listing.directories[0].is_partial);
        let one = |path: &[u8]| listing.directories.iter().find(|one| one.path == path).unwrap();
        assert!(one(b"nested/").names.is_repository && !one(b"").names.is_repository);
        let mut names: Vec<_> = one(b"a/").names.iter().collect();
        names.sort_by_key(|(_, name)| *name);
        let expected: [(Kind, &[u8]); 3] =
            [(Kind::Directory, b"b"), (Kind::File, b"file"), (Kind::Special, b"socket")];
        assert_eq!(names, expected);
        assert_eq!(listing.directories[one(b"a/b/").above].path, b"a/");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
    fn only_what_changed_is_read_again() {
        let top = made(&["a", "b/c"]);
        settle();
        let place = place(top.path());
        let before = place.list(|_| false, None);
        let same = |now: &Listing, path: &[u8]| {
            let of = |listing: &Listing| {
                let one = listing.directories.iter().find(|one| one.path == path).unwrap();
                Arc::clone(&one.names)
            };
            Arc::ptr_eq(&of(&before), &of(now))
        };
        let now = place.list(|_| false, Some(&before));
        assert!(same(&now, b"") && same(&now, b"a/") && same(&now, b"b/c/"));
        fs::File::create(top.path().join("b/c/new")).unwrap();
        let now = place.list(|_| false, Some(&before));
        assert!(same(&now, b"a/") && same(&now, b"b/") && !same(&now, b"b/c/"));
        // Another one of the same name.
        fs::rename(top.path().join("a"), top.path().join("d")).unwrap();
        fs::create_dir(top.path().join("a")).unwrap();
        let now = place.list(|_| false, Some(&before));
        assert!(!same(&now, b"a/") && paths(&now).contains(&"d/".to_owned()));
    }

    #[test]
    fn what_changed_a_moment_ago_is_read_again_whatever_its_date() {
        let fast_enough = || {
            let (start, top) = (SystemTime::now(), made(&["a"]));
            let listing = place(top.path()).list(|_| false, None);
            let took = start.elapsed().unwrap_or(SAME_DATE);
            (took < SAME_DATE / 2).then_some(listing)
        };
        let listing = std::iter::repeat_with(fast_enough).flatten().next().unwrap();
        assert!(listing.directories.iter().all(|one| one.date.is_none()));
        let now = SystemTime::now();
        let since = now.duration_since(UNIX_EPOCH).unwrap();
        let (seconds, nanos) = (i64::try_from(since.as_secs()).unwrap(), since.subsec_nanos());
        assert!(is_fresh(seconds, u64::from(nanos.max(1)), now + SAME_DATE));
        assert!(!is_fresh(seconds, u64::from(nanos.max(1)), now + SAME_DATE * 2));
        assert!(is_fresh(seconds, 0, now + SAME_DATE * 2), "dates are whole seconds there");
    }
}
