//! What a work tree has and no commit holds: pipes, sockets and devices, directories without any file,
//! repositories within it, and directories that are repositories without being called `.git`. Found by a
//! walk of our own: git does not name them all.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hast_flow::attempt::base::{Base, TreeRules};
use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::RealWorkspace;
use super::entries::Entries;
use super::index::IndexImage;
use super::listing::{Directory, Kind, Listing};
use super::look::Scene;
use super::paths::{Matcher, repo_path};
use super::place::Place;
use super::record::Opened;
use super::run::Git;
use super::scan::{At, Difference, Scanned};
use super::snapshot::Home;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Odd {
    pub(super) special: Vec<Vec<u8>>,
    /// Directories with something called `.git` in them, whatever that is. Git names one only where
    /// nothing in it is tracked.
    pub(super) nested: Vec<Vec<u8>>,
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
            nested: new(self.nested, &before.nested),
            bare: new(self.bare, &before.bare),
            empty: new(self.empty, &before.empty),
        }
    }
}

type Asked<'k> = Box<dyn Fn(&[u8]) -> bool + 'k>;

/// What a walk need not look into.
pub(super) struct Known<'k> {
    matcher: &'k Matcher<'k>,
    /// What was ignored at the start; a directory ends in `/`.
    ignored: BTreeSet<&'k [u8]>,
    /// The ignore rules of the start, for what came later.
    rules: &'k [u8],
    built: OnceCell<Option<Gitignore>>,
    /// Directories that are looked into without asking the rules, and whatever they say.
    shown: Asked<'k>,
    tracked: Asked<'k>,
}

impl<'k> Known<'k> {
    /// `entries` is an index of the tree: git looks at what has files in it.
    pub(super) fn at_start(
        matcher: &'k Matcher<'k>,
        (ignored, rules): (&'k [Vec<u8>], &'k [u8]),
        entries: Option<&'k Entries<'k>>,
    ) -> Self {
        let ignored = ignored.iter().map(Vec::as_slice).collect();
        let shown = move |path: &[u8]| entries.is_some_and(|entries| entries.has_below(path));
        let (shown, tracked) = (Box::new(shown), Box::new(|_: &[u8]| false));
        Self { matcher, ignored, rules, built: OnceCell::new(), shown, tracked }
    }

    /// The index is read only where it matters: most directories were there at the start.
    fn since(
        matcher: &'k Matcher<'k>,
        opened: &'k Opened,
        git: &'k Git,
        image: Option<&'k IndexImage>,
    ) -> Self {
        let (ignored, rules) = (&opened.snapshot.ignored, &opened.snapshot.ignores);
        let ignored = ignored.iter().map(Vec::as_slice).collect();
        let before = opened.listing.iter().flat_map(|listing| &listing.directories);
        let before: HashSet<&[u8]> =
            before.filter(|one| !one.is_hidden).map(|one| &*one.path).collect();
        let entries = OnceCell::new();
        let tracked = move |path: &[u8]| {
            let entries: &Option<Entries<'k>> =
                entries.get_or_init(|| image.and_then(|image| git.entries(image)));
            entries.as_ref().is_some_and(|entries| entries.has_below(path))
        };
        let (shown, tracked) =
            (Box::new(move |path: &[u8]| before.contains(path)), Box::new(tracked));
        Self { matcher, ignored, rules, built: OnceCell::new(), shown, tracked }
    }

    /// Whether a walk has nothing to look for in there, whatever came since; a directory ends in `/`.
    pub(super) fn is_out_of_sight(&self, path: &[u8]) -> bool {
        let plain = path.strip_suffix(b"/").unwrap_or(path);
        self.matcher.is_left_out(plain) || self.ignored.contains(path)
    }

    /// Whether git would not look at this; a directory ends in `/`.
    pub(super) fn hides(&self, path: &[u8]) -> bool {
        let plain = path.strip_suffix(b"/").unwrap_or(path);
        let is_directory = path.len() > plain.len();
        if self.is_out_of_sight(path) {
            return true;
        }
        if is_directory && (self.shown)(path) {
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
        let ignored =
            rules.as_ref().is_some_and(|rules| rules.matched(path_of, is_directory).is_ignore());
        ignored && !(is_directory && (self.tracked)(path))
    }
}

impl RealWorkspace {
    /// What no commit holds when an attempt begins, and the directories that there are.
    pub(super) fn odd_now(&self, rules: &TreeRules, scene: &Scene) -> (Listing, Odd) {
        let (matcher, entries) = (Matcher::new(rules), self.git.entries(&scene.image));
        let ignored = (&scene.ignored[..], &scene.ignores[..]);
        let known = Known::at_start(&matcher, ignored, entries.as_ref());
        let before = self.opened.as_ref().and_then(|opened| opened.listing.as_ref());
        let mut listing = self.git.place.list(|path| known.hides(path), before);
        let odd = listing.odd(&known);
        (listing, odd)
    }

    /// What no commit holds and was not there at the start.
    pub(super) fn new_odd(
        &self,
        opened: &Opened,
        matcher: &Matcher<'_>,
        image: Option<&IndexImage>,
    ) -> Option<Odd> {
        let before = opened.snapshot.odd.as_ref()?;
        let known = Known::since(matcher, opened, &self.git, image);
        let skips = |path: &[u8]| known.hides(path);
        let mut listing = self.git.place.list(skips, opened.listing.as_ref());
        Some(listing.odd(&known).since(before))
    }

    /// Puts aside what makes a directory of tracked files a repository of its own, and was not there at
    /// the start: whoever stands in there would run what its configuration says. Says where it was.
    pub(super) fn nested_away(
        &self,
        base: &Base,
        opened: &Opened,
    ) -> Result<Vec<RepoPath>, GitProblem> {
        let (matcher, users) = (Matcher::new(base.rules()), IndexImage::of_user(&self.git)?);
        let new = self.new_odd(opened, &matcher, users.as_ref()).unwrap_or_default().nested;
        let entries = users.as_ref().filter(|_| !new.is_empty());
        let Some(entries) = entries.and_then(|image| self.git.entries(image)) else {
            return Ok(Vec::new());
        };
        let mut away = Vec::new();
        for directory in new {
            if entries.has_below(&[&directory[..], b"/"].concat()) {
                let dot = dot_in(&directory);
                self.git.place.move_aside(Home::Tree, &dot, &self.scratch.aside(base.key()))?;
                away.push(repo_path(&dot));
            }
        }
        Ok(away)
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

/// What a directory has that is a repository itself.
const SIGNS: [&[u8]; 4] = [b"HEAD", b"commondir", b"objects", b"refs"];

impl Listing {
    /// What is odd in it, and notes what git does not look at. What cannot be read is the scan's to
    /// complain of.
    pub(super) fn odd(&mut self, known: &Known<'_>) -> Odd {
        let mut odd = Odd::default();
        let mut has_files: Vec<bool> = Vec::with_capacity(self.directories.len());
        for at in 0..self.directories.len() {
            let one = &self.directories[at];
            let is_hidden =
                at > 0 && (self.directories[one.above].is_hidden || known.hides(&one.path));
            let one = &mut self.directories[at];
            one.is_hidden = is_hidden;
            has_files.push(at == 0 || is_hidden || one.has_files(at == 0, known, &mut odd));
        }
        // Each comes after the one that it is in.
        for (at, one) in self.directories.iter().enumerate().skip(1).rev() {
            if has_files[at] {
                has_files[one.above] = true;
            } else {
                odd.empty.push(plain(&one.path));
            }
        }
        for paths in [&mut odd.special, &mut odd.nested, &mut odd.bare, &mut odd.empty] {
            paths.sort();
        }
        odd
    }
}

impl Directory {
    /// Whether there is anything directly in it but directories. Finds what is odd.
    fn has_files(&self, is_top: bool, known: &Known<'_>, odd: &mut Odd) -> bool {
        let names = &self.names;
        if names.is_repository {
            odd.nested.push(plain(&self.path));
        }
        if !names.is_readable || names.is_repository {
            return true;
        }
        let mut found = self.is_partial;
        let mut signs = [false; SIGNS.len()];
        for (kind, name) in names.iter() {
            found |= kind != Kind::Directory;
            if let Some(at) = SIGNS.iter().position(|sign| *sign == name) {
                signs[at] = true;
            }
            if kind == Kind::Special {
                let path = [&self.path, name].concat();
                odd.special.extend((!known.hides(&path)).then_some(path));
            }
        }
        let [head, common, objects, refs] = signs;
        if !is_top && head && (common || objects && refs) {
            odd.bare.push(plain(&self.path));
        }
        found
    }
}

impl Place {
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

/// What makes a directory a repository.
pub(super) fn dot_in(directory: &[u8]) -> Vec<u8> {
    [directory, b"/.git"].concat()
}

fn plain(path: &[u8]) -> Vec<u8> {
    path.strip_suffix(b"/").unwrap_or(path).to_vec()
}
