//! The repositories of submodules, below `modules/`: what of them is a setting is protected as one of
//! ours. Everything else in them git itself rewrites whenever it looks, fetches or tidies up.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use hast_flow::attempt::git_problem::GitProblem;

use super::access::opening;
use super::place::Place;
use super::protect::{Found, Root};
use super::snapshot::{Home, Kept, Was};
use super::submodules::same_entries;

pub(super) const MODULES: &[u8] = b"modules";
/// What says how git behaves in such a repository, with all that is below.
const SETTINGS: [&[u8]; 9] = [
    b"HEAD",
    b"branches",
    b"commondir",
    b"config",
    b"config.worktree",
    b"gitdir",
    b"hooks",
    b"info",
    b"remotes",
];
/// The same of what is deeper.
const DEEPER: [&[u8]; 2] = [b"objects/info/alternates", b"logs/refs/stash"];
/// Work trees of the submodule itself, and what of each is a setting.
const TREES: &[u8] = b"worktrees";
const OF_TREE: [&[u8]; 3] = [b"commondir", b"config.worktree", b"gitdir"];
/// Compared by its entries: every look may write down other dates.
const INDEX: &[u8] = b"index";
/// Refs that hold somebody's work; those of remotes follow what is fetched.
const REFS: [&str; 3] = ["refs/heads/", "refs/tags/", "refs/stash"];
/// Git gives them what the user's umask leaves, and nothing goes by it.
const MODE_OF_REFS: u32 = 0o644;

/// The repositories of submodules that were there at a start, and the directories that lead to them.
#[derive(Debug, Default)]
pub(super) struct Modules {
    all: BTreeSet<Root>,
    between: BTreeSet<Root>,
}

impl Modules {
    pub(super) fn of(before: &[Kept]) -> Self {
        let mut known = Self::default();
        let in_modules = |kept: &&Kept| {
            kept.home != Home::Tree && (kept.path == MODULES || is_below(&kept.path, MODULES))
        };
        let mut heads: Vec<Root> = before
            .iter()
            .filter(in_modules)
            .filter_map(|kept| Some((kept.home, kept.path.strip_suffix(b"/HEAD")?.to_vec())))
            .collect();
        // What holds others comes before them.
        heads.sort();
        for (home, path) in heads {
            let nested = known.rest(home, &path).is_none_or(|rest| is_below(rest, MODULES));
            if nested {
                known.all.insert((home, path));
            }
        }
        for kept in before.iter().filter(in_modules) {
            let outside = || match known.rest(kept.home, &kept.path) {
                Some(rest) => is_below(rest, MODULES),
                None => true,
            };
            if matches!(kept.was, Was::Directory { .. }) && outside() {
                known.between.insert((kept.home, kept.path.clone()));
            }
        }
        known
    }

    /// What follows the innermost of them in a path; nothing where there is none.
    fn rest<'p>(&self, home: Home, path: &'p [u8]) -> Option<&'p [u8]> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let mut inner = None;
        for end in ends {
            if self.all.contains(&(home, path[..end].to_vec())) {
                inner = Some(&path[end + 1..]);
            }
        }
        inner
    }

    /// Whether something that was recorded is compared. An earlier hast recorded everything.
    pub(super) fn watch(&self, home: Home, path: &[u8]) -> bool {
        let Some(rest) = self.rest(home, path) else { return true };
        let within = |above: &[u8]| rest == above || is_below(rest, above);
        let is_ref = || {
            std::str::from_utf8(rest).is_ok_and(|name| REFS.iter().any(|of| name.starts_with(of)))
        };
        rest == INDEX
            || SETTINGS.iter().any(|name| within(name))
            || DEEPER.contains(&rest)
            || within(MODULES)
            || is_below(rest, TREES)
            || is_ref()
    }

    /// Whether two forms of a submodule's index hold the same.
    pub(super) fn is_same_index(&self, root: &Root, was: &Was, is: &Was) -> bool {
        let of_module = root.1.strip_suffix(b"/index").is_some_and(|module| {
            root.0 != Home::Tree && self.all.contains(&(root.0, module.to_vec()))
        });
        match (was, is) {
            (Was::File { bytes: was, .. }, Was::File { bytes: is, .. }) => {
                of_module && same_entries(was, is)
            }
            _ => false,
        }
    }
}

fn is_below(path: &[u8], above: &[u8]) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with(b"/"))
}

impl Place {
    /// Everything in a directory of such repositories. Those that are new are only named.
    pub(super) fn collect_modules(
        &self,
        home: Home,
        path: Vec<u8>,
        into: &mut Found<'_>,
    ) -> Result<(), GitProblem> {
        let real = self.real(home, &path);
        let there = opening(self.home(home), &real, |real| fs::symlink_metadata(real));
        let Ok(there) = there else { return Ok(()) };
        if !there.is_dir() {
            return self.collect(home, path, into);
        }
        let root = (home, path);
        let looks_like_one = || path_is_module(&real) && root.1 != MODULES;
        let (is_module, is_new) = match into.known {
            Some(known) if known.all.contains(&root) => (true, false),
            Some(known) if known.between.contains(&root) => (false, false),
            Some(_) => (looks_like_one(), true),
            None => (looks_like_one(), false),
        };
        let (home, path) = root;
        if is_module && is_new {
            into.new.push((home, path));
            return Ok(());
        }
        into.count()?;
        let new = into.new.len();
        if is_module {
            self.collect_module(home, &path, into)?;
        } else {
            for below in self.below(home, &path)? {
                self.collect_modules(home, below, into)?;
            }
        }
        // A new directory that leads to a new one goes or stays with it.
        if !is_new || into.new.len() == new {
            let mode = there.permissions().mode() & 0o7777;
            into.kept.push(Kept { home, path, was: Was::Directory { mode } });
        }
        Ok(())
    }

    /// What of one repository is protected.
    fn collect_module(
        &self,
        home: Home,
        path: &[u8],
        into: &mut Found<'_>,
    ) -> Result<(), GitProblem> {
        let at = |name: &[u8]| [path, b"/", name].concat();
        let mut settings: Vec<Vec<u8>> =
            SETTINGS.iter().chain(&DEEPER).chain([&INDEX]).map(|name| at(name)).collect();
        if self.real(home, &at(TREES)).is_dir() {
            for tree in self.below(home, &at(TREES))? {
                settings.extend(OF_TREE.iter().map(|name| [&tree[..], b"/", name].concat()));
            }
        }
        for setting in settings {
            if !self.below_link(home, &setting) {
                self.collect(home, setting, into)?;
            }
        }
        let git_dir = self.real(home, path);
        let own = Self { top: self.top.clone(), common_dir: git_dir.clone(), git_dir };
        let linked = self.below_link(home, &at(b"refs/heads/any"));
        let refs = (!linked).then(|| own.plain_refs()).flatten();
        for (name, target) in refs.into_iter().flatten() {
            if target.follows.is_none() && REFS.iter().any(|of| name.starts_with(of)) {
                into.count()?;
                let bytes = format!("{}\n", target.id).into_bytes();
                let was = Was::File { mode: MODE_OF_REFS, bytes };
                into.refs.push(Kept { home, path: at(name.as_bytes()), was });
            }
        }
        self.collect_modules(home, at(MODULES), into)
    }
}

/// Whether a directory is a repository, whatever it is called.
pub(super) fn path_is_module(directory: &std::path::Path) -> bool {
    fs::symlink_metadata(directory.join("HEAD")).is_ok() && directory.join("objects").is_dir()
}
