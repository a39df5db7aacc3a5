//! Protected paths: what they were, and giving it back. Never follows a link below its home, and
//! removes nothing: what an attempt added is moved aside.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::git_problem::GitProblem;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::access::{open_between, opening};
use super::aside::places_aside;
use super::index::disk;
use super::modules::{MODULES, Modules};
use super::place::Place;
use super::shadows::RESOLUTIONS;
use super::snapshot::{Home, Kept, Was};

/// Larger files are watched but not kept.
const LARGE: u64 = 8 << 20;
/// Most that all protected files together may hold, and how many there may be.
const MOST_BYTES: usize = 128 << 20;
const MOST_FILES: usize = 50_000;

/// What of a git directory no attempt may change.
const OF_COMMON: &[&str] = &[
    "config",
    "hooks/",
    "info/",
    "modules/",
    "objects/info/alternates",
    "shallow",
    "remotes/",
    "branches/",
    "logs/refs/stash",
];
/// What of it belongs to a ref.
const OF_REFS: &[&str] = &["logs/refs/stash"];
const OF_OWN: &[&str] = &["config.worktree", "info/", "modules/", "commondir", "gitdir"];

pub(super) type Root = (Home, Vec<u8>);

/// What had to be given back.
#[derive(Debug, Default)]
pub(super) struct Restored {
    pub(super) changed: Vec<Root>,
    /// Repositories of submodules that were not there before. They were not touched.
    pub(super) modules: Vec<Root>,
}

impl Place {
    pub(super) fn home(&self, home: Home) -> &Path {
        match home {
            Home::Common => &self.common_dir,
            Home::Own => &self.git_dir,
            Home::Tree => &self.top,
        }
    }

    pub(super) fn real(&self, home: Home, path: &[u8]) -> PathBuf {
        self.home(home).join(OsStr::from_bytes(path))
    }

    /// Everything that is protected here; directories without their `/`.
    pub(super) fn protected_roots(&self, rules: &TreeRules, more: &[Vec<u8>]) -> Vec<Root> {
        let plain = |path: &str| path.trim_end_matches('/').as_bytes().to_vec();
        // Beside a linked work tree people move refs, their stash among them, and its log goes along.
        let stays = |path: &&&str| !self.is_linked() || !OF_REFS.contains(path);
        let mut roots: Vec<Root> =
            OF_COMMON.iter().filter(stays).map(|path| (Home::Common, plain(path))).collect();
        if self.is_linked() {
            roots.extend(OF_OWN.iter().map(|path| (Home::Own, plain(path))));
            roots.push((Home::Tree, b".git".to_vec()));
        } else {
            roots.push((Home::Common, b"config.worktree".to_vec()));
        }
        roots.extend(rules.protected.iter().map(|path| (Home::Tree, plain(path))));
        roots.extend(more.iter().map(|path| (Home::Tree, path.clone())));
        roots
    }

    /// What is at the protected paths now.
    pub(super) fn protected_now(&self, roots: &[Root]) -> Result<Vec<Kept>, GitProblem> {
        let mut found = self.protected_of(roots, Found::default())?;
        found.kept.append(&mut found.refs);
        Ok(found.kept)
    }

    fn protected_of<'m>(
        &self,
        roots: &[Root],
        mut found: Found<'m>,
    ) -> Result<Found<'m>, GitProblem> {
        for (home, path) in roots {
            if self.below_link(*home, path) {
                continue;
            }
            if *home != Home::Tree && path == MODULES {
                self.collect_modules(*home, path.clone(), &mut found)?;
            } else if *home != Home::Tree && path == RESOLUTIONS {
                // What is in it is the business of whoever has it.
                self.collect_itself(*home, path.clone(), &mut found)?;
            } else {
                self.collect(*home, path.clone(), &mut found)?;
            }
        }
        Ok(found)
    }

    /// Whether a directory above is a link: then the path itself is not there.
    pub(super) fn below_link(&self, home: Home, path: &[u8]) -> bool {
        path.iter().enumerate().filter(|(_, byte)| **byte == b'/').any(|(at, _)| {
            fs::symlink_metadata(self.real(home, &path[..at])).is_ok_and(|above| !above.is_dir())
        })
    }

    /// Only a directory, and not what is in it.
    fn collect_itself(
        &self,
        home: Home,
        path: Vec<u8>,
        into: &mut Found<'_>,
    ) -> Result<(), GitProblem> {
        match fs::symlink_metadata(self.real(home, &path)) {
            Ok(there) if there.is_dir() => {
                let mode = there.permissions().mode() & 0o7777;
                into.kept.push(Kept { home, path, was: Was::Directory { mode } });
                into.count()
            }
            _ => self.collect(home, path, into),
        }
    }

    pub(super) fn collect(
        &self,
        home: Home,
        path: Vec<u8>,
        into: &mut Found<'_>,
    ) -> Result<(), GitProblem> {
        let real = self.real(home, &path);
        let at = |error| disk(&real, error);
        let top = self.home(home);
        let there = match opening(top, &real, |real| fs::symlink_metadata(real)) {
            Ok(there) => there,
            Err(_) => return Ok(()),
        };
        into.count()?;
        let mode = there.permissions().mode() & 0o7777;
        if there.is_symlink() {
            let target = fs::read_link(&real).map_err(at)?.into_os_string().into_vec();
            into.kept.push(Kept { home, path, was: Was::Link { target } });
        } else if there.is_dir() {
            let is_new = into.is_new(home, &path);
            into.kept.push(Kept { home, path: path.clone(), was: Was::Directory { mode } });
            let below = match self.below(home, &path) {
                // It goes aside as it is, however much it holds.
                Err(_) if is_new => return Ok(()),
                _ if is_new && into.files > MOST_FILES => return Ok(()),
                below => below?,
            };
            for below in below {
                if home == Home::Tree || !is_derived(&below) {
                    self.collect(home, below, into)?;
                }
            }
        } else if there.is_file() {
            let was = if there.len() > LARGE || into.is_new(home, &path) || into.is_full() {
                let modified =
                    i128::from(there.mtime()) * 1_000_000_000 + i128::from(there.mtime_nsec());
                let changed =
                    i128::from(there.ctime()) * 1_000_000_000 + i128::from(there.ctime_nsec());
                let modified = u128::try_from(modified).unwrap_or_default();
                Was::LargeFile { mode, size: there.len(), modified, changed }
            } else {
                let bytes = opening(top, &real, |real| fs::read(real)).map_err(at)?;
                into.bytes += bytes.len();
                Was::File { mode, bytes }
            };
            into.kept.push(Kept { home, path, was });
        }
        Ok(())
    }

    /// The paths in a directory.
    pub(super) fn below(&self, home: Home, path: &[u8]) -> Result<Vec<Vec<u8>>, GitProblem> {
        let real = self.real(home, path);
        let at = |error| disk(&real, error);
        let mut below = Vec::new();
        for entry in opening(self.home(home), &real, |real| fs::read_dir(real)).map_err(at)? {
            below.push([path, b"/", entry.map_err(at)?.file_name().as_bytes()].concat());
        }
        below.sort();
        Ok(below)
    }

    /// Gives protected paths back what they had. Says which had something else.
    pub(super) fn restore(
        &self,
        roots: &[Root],
        before: &[Kept],
        aside: &Path,
    ) -> Result<Restored, GitProblem> {
        let known = Modules::of(before);
        let root = |kept: &Kept| (kept.home, kept.path.clone());
        let watched = before.iter().filter(|kept| known.watch(kept.home, &kept.path));
        let before: BTreeMap<Root, Was> =
            watched.map(|kept| (root(kept), kept.was.clone())).collect();
        let found = Found { known: Some(&known), before: Some(&before), ..Found::default() };
        let found = self.protected_of(roots, found)?;
        let mut now: BTreeMap<Root, Was> =
            found.kept.into_iter().map(|kept| (root(&kept), kept.was)).collect();
        // Refs of a submodule come with every fetch: only those that were there are compared.
        let refs = found.refs.into_iter().map(|kept| (root(&kept), kept.was));
        now.extend(refs.filter(|(root, _)| before.contains_key(root)));
        let mut changed = Vec::new();
        // A directory that was closed has to be open before anything in it can be given back.
        for (root, was) in &before {
            if let (Was::Directory { mode }, Some(Was::Directory { mode: is })) =
                (was, now.get(root))
                && mode != is
            {
                self.give_back(root, was)?;
            }
        }
        // What was added goes first, the deepest before its directory.
        for (root, is) in now.iter().rev() {
            let stays = match (before.get(root), is) {
                (Some(Was::Directory { .. }), Was::Directory { .. }) => true,
                (
                    Some(Was::File { .. } | Was::LargeFile { .. }),
                    Was::File { .. } | Was::LargeFile { .. },
                ) => true,
                (Some(was), is) => was == is,
                (None, _) => false,
            };
            if !stays {
                self.move_aside(root.0, &root.1, aside)?;
                changed.push(root.clone());
            }
        }
        for (root, was) in &before {
            if now.get(root).is_some_and(|is| is == was || known.is_same_index(root, was, is)) {
                continue;
            }
            self.give_back_one(root, was, aside)?;
            if !changed.contains(root) {
                changed.push(root.clone());
            }
        }
        changed.sort();
        Ok(Restored { changed, modules: found.new })
    }

    /// Nothing is written through a link, which may lead anywhere: what is recorded had none above it.
    fn clear_way(&self, (home, path): &Root, aside: &Path) -> Result<(), GitProblem> {
        let above = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for above in above.map(|(at, _)| &path[..at]) {
            let there = fs::symlink_metadata(self.real(*home, above));
            if there.is_ok_and(|there| !there.is_dir()) {
                self.move_aside(*home, above, aside)?;
                break;
            }
        }
        Ok(())
    }

    /// Gives one path back what it had. What is there instead, or in the way of it, is not lost.
    pub(super) fn give_back_one(
        &self,
        root: &Root,
        was: &Was,
        aside: &Path,
    ) -> Result<(), GitProblem> {
        self.clear_way(root, aside)?;
        let (top, real) = (self.home(root.0), self.real(root.0, &root.1));
        match fs::symlink_metadata(&real) {
            Ok(_) if matches!(was, Was::LargeFile { .. }) => {}
            Ok(there) if there.is_file() => self.keep_aside(root, aside)?,
            Ok(there) if there.is_dir() && matches!(was, Was::Directory { .. }) => {}
            Ok(_) => drop(self.move_aside(root.0, &root.1, aside)?),
            Err(_) => {}
        }
        if self.give_back(root, was).is_err() {
            open_between(top, &real);
            self.give_back(root, was)?;
        }
        Ok(())
    }

    fn give_back(&self, root: &Root, was: &Was) -> Result<(), GitProblem> {
        let real = self.real(root.0, &root.1);
        let at = |error| disk(&real, error);
        if let Some(parent) = real.parent() {
            fs::create_dir_all(parent).map_err(at)?;
        }
        match was {
            Was::Directory { mode } => {
                if !real.is_dir() {
                    fs::create_dir(&real).map_err(at)?;
                }
                fs::set_permissions(&real, fs::Permissions::from_mode(*mode)).map_err(at)
            }
            Was::Link { target } => symlink(OsStr::from_bytes(target), &real).map_err(at),
            Was::File { mode, bytes } => replace(&real, *mode, bytes).map_err(at),
            // Seen, and reported; its content comes back from the tree where git has it.
            Was::LargeFile { .. } => Ok(()),
        }
    }

    /// Another content is about to take this one's place, which must not be lost.
    fn keep_aside(&self, root: &Root, aside: &Path) -> Result<(), GitProblem> {
        let real = self.real(root.0, &root.1);
        fs::create_dir_all(aside).map_err(|error| disk(aside, error))?;
        for to in places_aside(&from_the_top(root.0, &root.1), aside) {
            let kept = fs::hard_link(&real, &to);
            match kept.or_else(|_| copy_new(&real, &to)) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(disk(&real, error)),
            }
        }
        Err(disk(aside, "it is full"))
    }

    /// Takes something away without losing it. Says where it is, if it was there.
    pub(super) fn move_aside(
        &self,
        home: Home,
        path: &[u8],
        aside: &Path,
    ) -> Result<Option<PathBuf>, GitProblem> {
        let real = self.real(home, path);
        fs::create_dir_all(aside).map_err(|error| disk(aside, error))?;
        for to in places_aside(&from_the_top(home, path), aside) {
            let mut moved = renameat_with(CWD, &real, CWD, &to, RenameFlags::NOREPLACE);
            if moved == Err(rustix::io::Errno::ACCESS) {
                open_between(self.home(home), &real);
                moved = renameat_with(CWD, &real, CWD, &to, RenameFlags::NOREPLACE);
            }
            match moved {
                Ok(()) => return Ok(Some(to)),
                Err(rustix::io::Errno::EXIST | rustix::io::Errno::NOTEMPTY) => {}
                Err(rustix::io::Errno::NOENT) => return Ok(None),
                Err(error) => return Err(disk(&real, error)),
            }
        }
        Err(disk(aside, "it is full"))
    }
}

/// Whether something of a git directory says nothing of its own: `info/refs` is a list that `git gc`
/// writes for plain web servers.
fn is_derived(path: &[u8]) -> bool {
    let list = |path: &[u8]| path == b"info/refs" || path.starts_with(b"info/refs_");
    let mut parts = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    list(path) || (path.starts_with(b"modules/") && parts.any(|at| list(&path[at + 1..])))
}

/// A path as people know it, whichever home it is in.
pub(super) fn from_the_top(home: Home, path: &[u8]) -> Cow<'_, [u8]> {
    match home {
        Home::Tree => Cow::Borrowed(path),
        Home::Common | Home::Own => Cow::Owned([b".git/", path].concat()),
    }
}

/// Where no second name can be had: a copy under a name that nothing has yet.
fn copy_new(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut copy = File::create_new(to)?;
    std::io::copy(&mut File::open(from)?, &mut copy).map(|_| ())
}

/// What was found at protected paths.
#[derive(Default)]
pub(super) struct Found<'m> {
    pub(super) kept: Vec<Kept>,
    /// What refs of submodules name, as files that hold just that.
    pub(super) refs: Vec<Kept>,
    /// The repositories of submodules that were there before, and those that were not.
    pub(super) known: Option<&'m Modules>,
    pub(super) new: Vec<Root>,
    /// What was there, where that is compared.
    before: Option<&'m BTreeMap<Root, Was>>,
    files: usize,
    bytes: usize,
}

impl Found<'_> {
    /// Whether something was not there: no more is asked of it, for it goes aside.
    fn is_new(&self, home: Home, path: &[u8]) -> bool {
        self.before.is_some_and(|before| !before.contains_key(&(home, path.to_vec())))
    }

    fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// There is a limit to what is recorded; nobody keeps hast from judging by making more of it.
    pub(super) fn count(&mut self) -> Result<(), GitProblem> {
        self.files += 1;
        if self.before.is_none() && (self.files > MOST_FILES || self.is_full()) {
            let what = "files that are protected".to_owned();
            return Err(GitProblem::TooMuch { what });
        }
        Ok(())
    }
}

/// Another content under the same name, whole or not at all.
pub(super) fn replace(real: &Path, mode: u32, bytes: &[u8]) -> std::io::Result<()> {
    let mut staged = real.as_os_str().to_owned();
    staged.push(format!(".hast-{}", std::process::id()));
    let staged = PathBuf::from(staged);
    let _ = fs::remove_file(&staged);
    let mut file = File::create_new(&staged)?;
    file.write_all(bytes)?;
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.sync_all()?;
    Ok(renameat_with(CWD, &staged, CWD, real, RenameFlags::empty())?)
}
