//! Ignored files of the user, held while an attempt is under way: a second link to each. An agent that
//! cleans the tree takes away what no ref could bring back. They go back once the tests have judged what
//! it left. What lies in ignored directories (builds, dependencies) is not held.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirEntryExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::given_back::{Aside, IgnoredBack};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::RealWorkspace;
use super::access::opening;
use super::aside::{lies_aside, places_aside};
use super::listing::{Kind, Listing};
use super::look::Scene;
use super::paths::{Matcher, shown};
use super::scan::At;
use crate::files::read_bounded;

/// More are not held.
const MOST: usize = 1_000;
/// How much of a tree is searched for a file that was moved.
const SEARCHED: usize = 200_000;
const LONGEST_NOTE: usize = 4 << 20;
/// Larger files are not copied where they cannot be linked.
const LARGEST_COPY: u64 = 16 << 20;

/// What is still to be given back, in directories that are named by how many names a file had.
const HELD: &str = "ignored";
/// What was in its place when the commit of an attempt was begun. A rollback may still take it away.
const SEEN: &str = "ignored-seen";
/// What was given back already, for whoever asks again after a death.
const NOTE: &str = "ignored-back";

/// What becomes of the tree after its ignored files went back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A commit, or a rollback where somebody refuses it.
    Commit,
    /// The same once more, after hooks have run that could have taken away what was in its place.
    Hooked,
    /// What the attempt did stays.
    Stays,
    /// It is at the base already: what the attempt moved goes back too.
    AtBase,
}

/// A file by what it is, whatever its name.
type Inode = (u64, u64);

/// A link that we hold.
#[derive(Debug)]
struct Held {
    link: PathBuf,
    path: Vec<u8>,
    inode: Inode,
    is_file: bool,
    /// How many names it had at the base, and has now with ours.
    before: u64,
    now: u64,
}

#[derive(Debug)]
enum Fate {
    /// It is there, or the attempt wrote another one in its place.
    InPlace,
    Back,
    /// It has this name now.
    Moved(Vec<u8>),
    MovedBack(Vec<u8>),
    /// Something else is in its way.
    Aside,
}

#[derive(Debug, Deserialize, Serialize)]
struct Note {
    key: String,
    told: IgnoredBack,
}

impl RealWorkspace {
    /// Links that cost no space, each below the path that it has in the tree. What an attempt that
    /// died had lost comes back first, and is told with the one that begins.
    pub(super) fn hold_ignored(&self, key: &str, ignored: &[Vec<u8>], rules: &TreeRules) {
        let told = self.give_back_ignored(key, Next::Stays);
        if told.is_empty() {
            let _ = fs::remove_file(self.of_ignored(NOTE));
        }
        let back: Vec<Vec<u8>> = told.back.into_iter().map(String::into_bytes).collect();
        let matcher = Matcher::new(rules);
        let is_held = |path: &&Vec<u8>| !path.ends_with(b"/") && !matcher.is_left_out(path);
        let known: BTreeSet<&Vec<u8>> = ignored.iter().chain(&back).filter(is_held).collect();
        let mut held = Vec::new();
        for path in known.into_iter().take(MOST) {
            if matches!(self.git.place.look_at(path), At::File { .. } | At::Link)
                && let Ok(there) = fs::symlink_metadata(self.git.place.at(path))
            {
                held.push((path, there.nlink()));
            }
        }
        // All were counted before the first gets another name: two may be names of one file.
        let links = self.of_ignored(HELD);
        for (path, names) in held {
            let link = links.join(names.to_string()).join(OsStr::from_bytes(path));
            if link.parent().is_none_or(|above| fs::create_dir_all(above).is_ok()) {
                let place = self.git.place.at(path);
                if fs::hard_link(&place, &link).is_err() {
                    // As between file systems: then a copy, of what is not large.
                    let _ = copy_new(&place, &link);
                }
            }
        }
    }

    /// After a rollback all that is neither tracked nor in an ignored directory is ignored: what came since the
    /// attempt before began is the user's too.
    pub(super) fn add_new_ignored(&self, scene: &mut Scene, listing: &Listing) {
        let Some(entries) = self.git.entries(&scene.image) else { return };
        let known: BTreeSet<&[u8]> = scene.ignored.iter().map(Vec::as_slice).collect();
        let directories: Vec<&[u8]> =
            known.iter().copied().filter(|path| path.ends_with(b"/")).collect();
        let mut new = Vec::new();
        for directory in &listing.directories {
            if directories.iter().any(|ignored| directory.path.starts_with(ignored)) {
                continue;
            }
            for (kind, name) in directory.names.iter() {
                let path = [&directory.path, name].concat();
                let tracked =
                    || entries.all.binary_search_by(|entry| entry.path.cmp(&path[..])).is_ok();
                if kind == Kind::File && !known.contains(&path[..]) && !tracked() {
                    new.push(path);
                }
            }
        }
        scene.ignored.extend(new);
    }

    /// Puts back what is gone and lets go of the rest. Whatever is nowhere else by then goes back or
    /// aside, by one rename: a death in between loses nothing. Says all that was given back since the
    /// attempt began, also by a process that died.
    pub(super) fn give_back_ignored(&self, key: &str, next: Next) -> IgnoredBack {
        let aside = self.scratch.aside(&format!("ignored/{key}"));
        let mut told = self.noted(key);
        let all = self.held_now();
        if !all.is_empty() {
            let fates = self.fates(&all, next);
            for (one, fate) in &fates {
                match fate {
                    Fate::Back | Fate::MovedBack(_) => told.back.push(shown(&one.path)),
                    Fate::Moved(to) => {
                        told.moved.push(Aside { path: shown(&one.path), at: shown(to) })
                    }
                    Fate::InPlace | Fate::Aside => {}
                }
            }
            told.sort();
            // Before anything is done, so that it is told whoever ends it.
            self.note(key, &told);
            let mut stuck = false;
            for (one, fate) in &fates {
                stuck |= self.meet(one, fate, &aside, next).is_err();
                if self.git.place.look_at(&one.path) == At::Nothing {
                    told.back.retain(|path| *path != shown(&one.path));
                }
            }
            self.release(next, stuck);
        }
        if aside.exists() {
            told.aside = lies_aside(&aside, &[]);
        }
        told
    }

    /// The commit is made: nothing is rolled back any more.
    pub(super) fn let_go_of_ignored(&self) {
        let _ = fs::remove_dir_all(self.of_ignored(SEEN));
    }

    fn of_ignored(&self, name: &str) -> PathBuf {
        self.git.place.git_dir.join("hast").join(name)
    }

    /// What was told of this attempt before.
    fn noted(&self, key: &str) -> IgnoredBack {
        let bytes = read_bounded(&self.of_ignored(NOTE), LONGEST_NOTE).unwrap_or_default();
        let note: Option<Note> = serde_json::from_slice(&bytes).ok();
        let note = note.filter(|note| note.key == key);
        let mut told = note.map(|note| note.told).unwrap_or_default();
        // It was written before it was done.
        told.back.retain(|path| self.git.place.look_at(path.as_bytes()) != At::Nothing);
        told
    }

    fn note(&self, key: &str, told: &IgnoredBack) {
        if told.is_empty() {
            return;
        }
        let note = Note { key: key.to_owned(), told: told.clone() };
        if let Ok(bytes) = serde_json::to_vec(&note) {
            // Without it a death leaves the files as safe as ever, and only less is told.
            let _ = super::protect::replace(&self.of_ignored(NOTE), 0o644, &bytes);
        }
    }

    fn held_now(&self) -> Vec<Held> {
        let mut all = Vec::new();
        for name in [HELD, SEEN] {
            let links = self.of_ignored(name);
            for counted in fs::read_dir(&links).into_iter().flatten().flatten() {
                let names = counted.file_name().to_str().and_then(|names| names.parse().ok());
                if let Some(before) = names {
                    collect(&counted.path(), before, &mut all);
                }
            }
        }
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    fn fates<'h>(&self, all: &'h [Held], next: Next) -> Vec<(&'h Held, Fate)> {
        let mut ours: BTreeMap<Inode, u64> = BTreeMap::new();
        for one in all {
            *ours.entry(one.inode).or_default() += 1;
        }
        // As many names as at the base, besides ours: it was not deleted.
        let lives = |one: &Held| one.now.saturating_sub(ours[&one.inode]) >= one.before;
        let seen = self.of_ignored(SEEN);
        let again = matches!(next, Next::AtBase | Next::Hooked);
        let asked = all.iter().filter(|one| again || !one.link.starts_with(&seen));
        let (there, gone): (Vec<&Held>, Vec<&Held>) = asked.partition(|one| self.is_in_place(one));
        let wanted: BTreeSet<Inode> =
            gone.iter().filter(|one| lives(one)).map(|one| one.inode).collect();
        let names = self.names_of(&wanted, all);
        let mut fates: Vec<(&Held, Fate)> =
            there.into_iter().map(|one| (one, Fate::InPlace)).collect();
        for one in gone {
            let place = &self.git.place;
            let free =
                place.file_above(&one.path).is_none() && place.look_at(&one.path) == At::Nothing;
            let name = names.get(&one.inode).filter(|_| lives(one)).cloned();
            let fate = match (name, free) {
                (Some(name), true) if next == Next::AtBase => Fate::MovedBack(name),
                (Some(name), _) => Fate::Moved(name),
                // One that went out of the tree, or too far into it, is as good as deleted.
                (None, true) => Fate::Back,
                (None, false) => Fate::Aside,
            };
            fates.push((one, fate));
        }
        fates
    }

    /// Whether it is where it was, or a file that the attempt wrote instead, as it may.
    fn is_in_place(&self, one: &Held) -> bool {
        let now = match self.git.place.look_at(&one.path) {
            At::Nothing | At::Directory | At::Other => return false,
            At::File { .. } => return true,
            At::Link => fs::symlink_metadata(self.git.place.at(&one.path)),
        };
        !one.is_file || now.is_ok_and(|now| inode(&now) == one.inode)
    }

    /// Where files are in the tree that were moved; a name that one had at the base says nothing.
    fn names_of(&self, wanted: &BTreeSet<Inode>, all: &[Held]) -> BTreeMap<Inode, Vec<u8>> {
        let mut names = BTreeMap::new();
        let numbers: BTreeSet<u64> = wanted.iter().map(|(_, number)| *number).collect();
        let (mut open, mut searched) = (vec![Vec::new()], 0);
        while names.len() < wanted.len()
            && let Some(directory) = open.pop()
        {
            for entry in fs::read_dir(self.git.place.at(&directory)).into_iter().flatten().flatten()
            {
                searched += 1;
                let name = entry.file_name();
                if searched > SEARCHED {
                    return names;
                }
                if name == ".git" {
                    continue;
                }
                let between: &[u8] = if directory.is_empty() { b"" } else { b"/" };
                let path = [&directory, between, name.as_bytes()].concat();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push(path);
                } else if numbers.contains(&entry.ino())
                    && let Ok(there) = entry.metadata()
                    && wanted.contains(&inode(&there))
                    && !all.iter().any(|one| one.path == path && one.inode == inode(&there))
                {
                    names.entry(inode(&there)).or_insert(path);
                }
            }
        }
        names
    }

    fn meet(&self, one: &Held, fate: &Fate, aside: &Path, next: Next) -> io::Result<()> {
        let to_be_committed = matches!(next, Next::Commit | Next::Hooked);
        match fate {
            Fate::InPlace if to_be_committed => Ok(()),
            Fate::InPlace | Fate::Moved(_) => fs::remove_file(&one.link),
            Fate::MovedBack(from) => {
                let _ = self.put_ignored(&self.git.place.at(from), &one.path);
                fs::remove_file(&one.link)
            }
            // Hooks are about to run, or may run again after a death.
            Fate::Back if to_be_committed && self.link_ignored(&one.link, &one.path).is_ok() => {
                Ok(())
            }
            Fate::Back => self
                .put_ignored(&one.link, &one.path)
                .or_else(|_| move_link(&one.link, &one.path, aside)),
            Fate::Aside => move_link(&one.link, &one.path, aside),
        }
    }

    /// Never over anything.
    fn put_ignored(&self, from: &Path, path: &[u8]) -> io::Result<()> {
        let place = &self.git.place;
        opening(&place.top, &place.at(path), |at| {
            at.parent().map(fs::create_dir_all).transpose()?;
            match renameat_with(CWD, from, CWD, at, RenameFlags::NOREPLACE) {
                Err(Errno::XDEV) => copy_new(from, at).and_then(|()| fs::remove_file(from)),
                other => Ok(other?),
            }
        })
    }

    /// The same with a name of ours beside.
    fn link_ignored(&self, from: &Path, path: &[u8]) -> io::Result<()> {
        let place = &self.git.place;
        opening(&place.top, &place.at(path), |at| {
            at.parent().map(fs::create_dir_all).transpose()?;
            fs::hard_link(from, at)
        })
    }

    /// What could neither go back nor aside stays held, until somebody asks again.
    fn release(&self, next: Next, stuck: bool) {
        let (held, seen) = (self.of_ignored(HELD), self.of_ignored(SEEN));
        match next {
            // Where nothing is held any more, a process that died had come as far as this.
            Next::Commit if !stuck && held.exists() => {
                let _ = fs::remove_dir_all(&seen);
                let _ = renameat_with(CWD, &held, CWD, &seen, RenameFlags::empty());
            }
            // What is seen is let go with the commit.
            Next::Hooked if stuck => {
                let _ = renameat_with(CWD, &seen, CWD, &held, RenameFlags::NOREPLACE);
            }
            Next::Commit | Next::Hooked => {}
            Next::Stays => {
                let _ = fs::remove_dir_all(&seen);
                remove_empty(&held);
            }
            Next::AtBase => [held, seen].iter().for_each(|links| remove_empty(links)),
        }
    }
}

/// A copy of a plain file, where nothing is yet.
fn copy_new(from: &Path, to: &Path) -> io::Result<()> {
    let there = fs::symlink_metadata(from)?;
    if !there.is_file() || there.len() > LARGEST_COPY {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut new = File::options().write(true).create_new(true).mode(there.mode()).open(to)?;
    let copied = io::copy(&mut File::open(from)?, &mut new).and_then(|_| new.sync_all());
    if copied.is_err() {
        let _ = fs::remove_file(to);
    }
    copied
}

fn inode(there: &Metadata) -> Inode {
    (there.dev(), there.ino())
}

/// Everything that is held below a directory, by its path from there.
fn collect(links: &Path, before: u64, all: &mut Vec<Held>) {
    let mut open = vec![links.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let link = entry.path();
            let Ok(there) = entry.metadata() else { continue };
            if there.is_dir() {
                open.push(link);
            } else if let Ok(path) = link.strip_prefix(links) {
                let path = path.as_os_str().as_bytes().to_vec();
                let (inode, is_file, now) = (inode(&there), there.is_file(), there.nlink());
                all.push(Held { link, path, inode, is_file, before, now });
            }
        }
    }
}

fn move_link(link: &Path, path: &[u8], aside: &Path) -> io::Result<()> {
    fs::create_dir_all(aside)?;
    for to in places_aside(path, aside) {
        match renameat_with(CWD, link, CWD, &to, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            other => return Ok(other?),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Directories with nothing in them but directories.
fn remove_empty(directory: &Path) {
    let mut all = vec![directory.to_owned()];
    let mut at = 0;
    while let Some(directory) = all.get(at).cloned() {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        all.extend(
            entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir())).map(|it| it.path()),
        );
        at += 1;
    }
    for directory in all.iter().rev() {
        let _ = fs::remove_dir(directory);
    }
}
