//! What a work tree has and no commit holds: pipes, sockets and devices, directories without any file, and
//! directories that are repositories without being called `.git`. Found by a walk of our own: git does not
//! name them.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use hast_flow::attempt::base::{Base, TreeRules};
use hast_flow::attempt::evidence::Breach;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::RealWorkspace;
use super::entries::Entries;
use super::index::IndexImage;
use super::look::Scene;
use super::paths::{Matcher, repo_path};
use super::place::Place;
use super::record::Opened;
use super::scan::{At, Difference, Scanned};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Odd {
    pub(super) special: Vec<Vec<u8>>,
    /// Directories that git takes for repositories when it stands in them.
    pub(super) bare: Vec<Vec<u8>>,
    /// Directories below which there is no file.
    pub(super) empty: Vec<Vec<u8>>,
}

impl Odd {
    /// What was not there before.
    pub(super) fn since(self, before: &Self) -> Self {
        let new = |now: Vec<Vec<u8>>, before: &[Vec<u8>]| -> Vec<Vec<u8>> {
            let before: BTreeSet<&Vec<u8>> = before.iter().collect();
            now.into_iter().filter(|path| !before.contains(path)).collect()
        };
        Self {
            special: new(self.special, &before.special),
            bare: new(self.bare, &before.bare),
            empty: new(self.empty, &before.empty),
        }
    }
}

/// What a walk need not look into.
pub(super) struct Known<'k> {
    pub(super) matcher: &'k Matcher<'k>,
    /// What was ignored at the start; a directory ends in `/`.
    pub(super) ignored: BTreeSet<&'k [u8]>,
    /// The ignore rules of the start, for what came later.
    pub(super) rules: &'k [u8],
    /// An index of the tree: what it has files in is looked into without asking the rules.
    pub(super) entries: Option<Entries<'k>>,
    pub(super) built: OnceCell<Option<Gitignore>>,
}

impl<'k> Known<'k> {
    pub(super) fn new(
        matcher: &'k Matcher<'k>,
        (ignored, rules): (&'k [Vec<u8>], &'k [u8]),
        entries: Option<Entries<'k>>,
    ) -> Self {
        let ignored = ignored.iter().map(Vec::as_slice).collect();
        Self { matcher, ignored, rules, entries, built: OnceCell::new() }
    }

    /// Whether git would not look at this; a directory ends in `/`.
    fn hides(&self, path: &[u8]) -> bool {
        let plain = path.strip_suffix(b"/").unwrap_or(path);
        if self.matcher.is_left_out(plain) || self.ignored.contains(path) {
            return true;
        }
        if path.len() > plain.len() && self.has_files(path) {
            return false;
        }
        let rules = self.built.get_or_init(|| {
            let mut builder = GitignoreBuilder::new("");
            for line in String::from_utf8_lossy(self.rules).lines() {
                // What cannot be read hides nothing.
                let _ = builder.add_line(None, line);
            }
            builder.build().ok()
        });
        let path_of = Path::new(OsStr::from_bytes(plain));
        rules
            .as_ref()
            .is_some_and(|rules| rules.matched(path_of, path.len() > plain.len()).is_ignore())
    }

    fn has_files(&self, directory: &[u8]) -> bool {
        self.entries.as_ref().is_some_and(|entries| {
            let at = entries.all.partition_point(|entry| entry.path < directory);
            entries.all.get(at).is_some_and(|entry| entry.path.starts_with(directory))
        })
    }
}

impl RealWorkspace {
    /// What no commit holds when an attempt begins.
    pub(super) fn odd_now(&self, rules: &TreeRules, scene: &Scene) -> Odd {
        let (matcher, entries) = (Matcher::new(rules), self.git.entries(&scene.image));
        let known = Known::new(&matcher, (&scene.ignored, &scene.ignores), entries);
        self.git.place.odd(&known)
    }

    /// What no commit holds and was not there at the start.
    pub(super) fn new_odd(
        &self,
        opened: &Opened,
        matcher: &Matcher<'_>,
        image: Option<&IndexImage>,
    ) -> Option<Odd> {
        let snapshot = &opened.snapshot;
        let before = snapshot.odd.as_ref()?;
        let entries = image.and_then(|image| self.git.entries(image));
        let known = Known::new(matcher, (&snapshot.ignored, &snapshot.ignores), entries);
        Some(self.git.place.odd(&known).since(before))
    }

    /// Takes away directories that an attempt made and that nothing is in, and gives back those that were
    /// there: git removes one together with the last file that came into it.
    pub(super) fn empty_back(&self, base: &Base, opened: &Opened) {
        let matcher = Matcher::new(base.rules());
        if let Some(odd) = self.new_odd(opened, &matcher, opened.image.as_ref()) {
            self.git.place.remove_empty(&odd.empty);
        }
        if let Some(before) = &opened.snapshot.odd {
            self.git.place.make_empty(&before.empty);
        }
    }

    /// Repositories that are not called `.git`: those of the walk, and what is committed of one that the
    /// start's rules hide.
    pub(super) fn bare_repositories<'d>(
        &self,
        scanned: &Scanned,
        found: impl Iterator<Item = &'d Difference>,
    ) -> Vec<Breach> {
        let new = found.filter(|found| found.old.is_none());
        let heads = new.filter(|found| self.git.place.is_head_of_repository(&found.path));
        let heads = heads.filter_map(|found| found.path.strip_suffix(b"/HEAD"));
        let bare: BTreeSet<&[u8]> = scanned.bare.iter().map(Vec::as_slice).chain(heads).collect();
        let breach = |path: &[u8]| Breach::NestedRepository { path: repo_path(path) };
        bare.into_iter().map(breach).collect()
    }
}

/// What makes a directory a repository.
const SIGNS: [&[u8]; 4] = [b"HEAD", b"commondir", b"objects", b"refs"];

/// A directory on the walk.
struct Seen {
    /// With a `/` at its end, but for the top.
    path: Vec<u8>,
    above: usize,
    has_files: bool,
}

impl Place {
    /// Walks the work tree. What cannot be read is the scan's to complain of.
    pub(super) fn odd(&self, known: &Known<'_>) -> Odd {
        let mut odd = Odd::default();
        let mut seen = vec![Seen { path: Vec::new(), above: 0, has_files: true }];
        let mut next = 0;
        while next < seen.len() {
            self.look_into(next, &mut seen, known, &mut odd);
            next += 1;
        }
        // Each comes after the one that it is in.
        for at in (1..seen.len()).rev() {
            if seen[at].has_files {
                let above = seen[at].above;
                seen[above].has_files = true;
            } else {
                odd.empty.push(plain(&seen[at].path));
            }
        }
        for paths in [&mut odd.special, &mut odd.bare, &mut odd.empty] {
            paths.sort();
        }
        odd
    }

    fn look_into(&self, at: usize, seen: &mut Vec<Seen>, known: &Known<'_>, odd: &mut Odd) {
        let path = seen[at].path.clone();
        let Ok(listed) = fs::read_dir(self.at(&path)) else {
            seen[at].has_files = true;
            return;
        };
        let mut signs: BTreeSet<&[u8]> = BTreeSet::new();
        let mut below = Vec::new();
        for entry in listed.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name().into_vec();
            if name == b".git" {
                // A repository of its own, which others look at; at the top it is ours.
                seen[at].has_files = true;
                if at > 0 {
                    return;
                }
                continue;
            }
            signs.extend(SIGNS.iter().find(|sign| **sign == name));
            // Most are plain files, and nothing more is asked of them.
            if kind.is_file() || kind.is_symlink() {
                seen[at].has_files = true;
                continue;
            }
            let mut there = [&path[..], &name].concat();
            if kind.is_dir() {
                there.push(b'/');
            }
            if known.hides(&there) {
                seen[at].has_files = true;
            } else if kind.is_dir() {
                below.push(Seen { path: there, above: at, has_files: false });
            } else {
                seen[at].has_files = true;
                odd.special.push(there);
            }
        }
        let has = |name: &[u8]| signs.contains(&name);
        if at > 0 && has(b"HEAD") && (has(b"commondir") || has(b"objects") && has(b"refs")) {
            odd.bare.push(plain(&path));
        }
        seen.extend(below);
    }

    /// Whether a file makes the directory that it is in a repository.
    pub(super) fn is_head_of_repository(&self, path: &[u8]) -> bool {
        let Some(directory) = path.strip_suffix(b"/HEAD") else { return false };
        let has = |name: &str| self.at(directory).join(name).symlink_metadata().is_ok();
        has("HEAD") && (has("commondir") || has("objects") && has("refs"))
    }

    /// Removes directories in which there is nothing, the deepest first.
    fn remove_empty(&self, directories: &[Vec<u8>]) {
        for directory in directories.iter().rev() {
            // One that cannot go is in nobody's way.
            let _ = fs::remove_dir(self.at(directory));
        }
    }
}

impl Place {
    /// Makes directories where nothing is, the outermost first.
    fn make_empty(&self, directories: &[Vec<u8>]) {
        let free =
            |path: &&Vec<u8>| self.look_at(path) == At::Nothing && self.file_above(path).is_none();
        for directory in directories.iter().filter(free) {
            let _ = fs::create_dir(self.at(directory));
        }
    }
}

fn plain(path: &[u8]) -> Vec<u8> {
    path.strip_suffix(b"/").unwrap_or(path).to_vec()
}
