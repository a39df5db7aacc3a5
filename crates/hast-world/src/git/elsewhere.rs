//! Branches in the repository's other work trees. Git writes down in the log of each where its HEAD went:
//! what such a log tells was done there, and no branch is pulled away under whoever stands on it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;

use super::others::{ENTRIES, LOG, is_a_tree_of_ours};
use super::place::Place;
use super::ref_logs::{Line, end_of, since};
use super::refs::Target;
use super::run::Git;
use super::snapshot::{Kept, Was};
use crate::files::read_bounded;

const BRANCHES: &str = "refs/heads/";
const LONGEST_HEAD: usize = 4 << 10;
/// What HEAD says in a file where refs are not in files.
const NOT_IN_FILES: &str = "refs/heads/.invalid";

/// What other work trees tell of branches.
#[derive(Debug, Default)]
pub(super) struct Elsewhere {
    trees: Vec<Tree>,
}

#[derive(Debug, Default)]
struct Tree {
    /// The branch that its HEAD names.
    on: Option<String>,
    /// Where its log says that HEAD is, and whether it says so since the start.
    at: Option<ObjectId>,
    went_there: bool,
    /// Branches that it went away from since the start, and where it left them.
    left: BTreeMap<String, ObjectId>,
    /// Names that it took from branches since then.
    renamed: BTreeSet<String>,
}

/// Whose doing it is that a branch is not as recorded, as far as other work trees tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Somebody in another work tree left it so.
    Theirs,
    /// It is gone, or elsewhere, since another work tree went away from it. It was there.
    SinceThey {
        left: ObjectId,
    },
    /// Another work tree stands on it and did something else since the start; its files are those of that
    /// commit, if that is known.
    UnderSomebody {
        at: Option<ObjectId>,
    },
    NotTheirs,
}

impl Git {
    /// What other work trees did since the start that has recorded their logs.
    pub(super) fn elsewhere(&self, before: &[Kept]) -> Result<Elsewhere, GitProblem> {
        let place = &self.place;
        // Where there was none, nothing keeps an attempt from making one that tells what it likes.
        let closed = place.is_linked()
            || before.iter().any(|kept| kept.path.starts_with(ENTRIES.as_bytes()));
        let mut trees = Vec::new();
        for entry in fs::read_dir(place.common_dir.join(ENTRIES)).into_iter().flatten().flatten() {
            let git_dir = entry.path();
            if git_dir == place.git_dir || !git_dir.is_dir() || is_a_tree_of_ours(&git_dir) {
                continue;
            }
            let size = place.log_size(&git_dir, before).or(closed.then_some(0));
            if size.is_some() || place.is_elsewhere(&git_dir) {
                trees.push(Tree::read(&git_dir, size));
            }
        }
        // A repository without a checkout has no index.
        if place.is_linked() && place.common_dir.join("index").exists() {
            let size = place.log_size(&place.common_dir, before);
            trees.push(Tree::read(&place.common_dir, size));
        }
        if trees.iter().any(|tree| tree.on.as_deref() == Some(NOT_IN_FILES)) {
            trees = self.trees_by_git()?;
        }
        Ok(Elsewhere { trees })
    }

    /// Where other work trees stand, where only git can tell; what they did is in no file.
    fn trees_by_git(&self) -> Result<Vec<Tree>, GitProblem> {
        let listed = self.call(["worktree", "list", "--porcelain", "-z"]).run()?;
        let text = String::from_utf8_lossy(&listed);
        let others = text.split("\0\0").filter(|tree| {
            let top = tree.split('\0').find_map(|line| line.strip_prefix("worktree "));
            top.is_some_and(|top| Path::new(top) != self.place.top)
        });
        let on = |tree: &str| {
            tree.split('\0').find_map(|line| line.strip_prefix("branch ")).map(str::to_owned)
        };
        Ok(others.map(|tree| Tree { on: on(tree), ..Tree::default() }).collect())
    }
}

impl Place {
    /// How large the log of a work tree was when it was recorded.
    fn log_size(&self, git_dir: &Path, before: &[Kept]) -> Option<u64> {
        let path = git_dir.join(LOG);
        let name = path.strip_prefix(&self.common_dir).ok()?.as_os_str().as_bytes();
        match before.iter().find(|kept| kept.path == name)?.was {
            Was::LargeFile { size, .. } => Some(size),
            _ => None,
        }
    }

    /// Whether the checkout of an entry is there, and out of the reach of an attempt in this one.
    fn is_elsewhere(&self, git_dir: &Path) -> bool {
        let line = |path: &Path| {
            let text = read_bounded(path, LONGEST_HEAD).unwrap_or_default();
            PathBuf::from(OsStr::from_bytes(text.trim_ascii_end()))
        };
        let dot = line(&git_dir.join("gitdir"));
        let says = line(&dot);
        let back = says.as_os_str().as_bytes().strip_prefix(b"gitdir: ");
        let dot = dot.canonicalize().unwrap_or_else(|_| self.top.clone());
        !dot.starts_with(&self.top)
            && back.is_some_and(|back| Path::new(OsStr::from_bytes(back)) == git_dir)
    }
}

impl Tree {
    /// What is known of a work tree. Its log is not believed where its size at the start is not known.
    fn read(git_dir: &Path, size: Option<u64>) -> Self {
        let head = read_bounded(&git_dir.join("HEAD"), LONGEST_HEAD).unwrap_or_default();
        let head = String::from_utf8_lossy(&head);
        let on = head.strip_prefix("ref: ").map(|name| name.trim_end().to_owned());
        let mut tree = Self { on, ..Self::default() };
        let (path, Some(size)) = (git_dir.join(LOG), size) else { return tree };
        let last = end_of(&path);
        let last = last.lines().last().and_then(Line::read);
        tree.at = last.and_then(|line| line.new.parse().ok());
        // The last time counts.
        for line in since(&path, size).lines().filter_map(Line::read) {
            tree.went_there = true;
            if let (Some(name), Ok(at)) = (line.left(), line.old.parse()) {
                tree.left.insert(format!("{BRANCHES}{name}"), at);
            }
            tree.renamed.extend(line.renamed().map(str::to_owned));
        }
        tree
    }
}

impl Elsewhere {
    pub(super) fn whose(&self, name: &str, is: Option<&Target>) -> Doing {
        let trees = || self.trees.iter();
        let stands = |tree: &&Tree| tree.on.as_deref() == Some(name);
        let is_theirs = match is {
            Some(Target { follows: Some(_), .. }) => false,
            Some(Target { id, .. }) => trees().any(|tree| {
                let stood = tree.at.as_ref().filter(|_| tree.went_there && stands(&tree));
                stood == Some(id) || tree.left.get(name) == Some(id)
            }),
            None => trees().any(|tree| tree.renamed.contains(name)),
        };
        if is_theirs {
            return Doing::Theirs;
        }
        if let Some(tree) = trees().find(stands) {
            // It has gone nowhere: it is where the branch was.
            let idle = tree.at.is_some() && !tree.went_there;
            let at = tree.at.clone();
            return if idle { Doing::NotTheirs } else { Doing::UnderSomebody { at } };
        }
        if let Some(left) = trees().find_map(|tree| tree.left.get(name)) {
            return Doing::SinceThey { left: left.clone() };
        }
        Doing::NotTheirs
    }
}
