//! Submodules that were empty when an attempt began. One that was checked out since, just as git does
//! it, is no change: the commit is the one that was recorded all along. Anything else goes aside as a
//! whole, files and repository, because half of it is a repository in which git does not work.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::Reach;

use super::RealWorkspace;
use super::index::{Entry, ScratchFile, object};
use super::new_modules::{Module, modules_in};
use super::paths::repo_path;
use super::place::Place;
use super::protect::Root;
use super::record::Opened;
use super::run::Git;
use super::scan::At;
use super::snapshot::Home;
use super::submodules::{DEEPEST, EMPTY, listed};
use crate::files::read_bounded;

const GITLINK: &str = "160000";
/// Longer than any HEAD that names a commit.
const LONGEST_HEAD: usize = 256;
const LARGEST_INDEX: usize = 256 << 20;

/// What became of submodules that were empty.
#[derive(Debug, Default)]
pub(super) struct Checkouts {
    /// Checked out as git does it.
    pub(super) done: Vec<String>,
    /// Something else was in them, such as this. They are empty again.
    pub(super) emptied: Vec<RepoPath>,
    /// Repositories that belong to no checkout as git does it.
    pub(super) taken_away: Vec<Root>,
}

/// A submodule that is looked at.
#[derive(Clone, Copy)]
struct Looked<'l> {
    path: &'l [u8],
    /// What is to be checked out there.
    commit: &'l ObjectId,
    /// The repository that it is part of.
    above: &'l Path,
    depth: usize,
}

impl RealWorkspace {
    /// Decides on every submodule that was empty, and on every repository of a submodule that is new.
    /// Comes after everything else was given back: git is asked here.
    pub(super) fn settle_checkouts(
        &self,
        base: &Base,
        opened: &Opened,
        new: &[Root],
        reach: Reach,
    ) -> Result<Checkouts, GitProblem> {
        let place = &self.git.place;
        let aside = self.scratch.aside(base.key());
        let new_at: Vec<PathBuf> = new.iter().map(|(home, path)| place.real(*home, path)).collect();
        let (mut found, mut claimed) = (Checkouts::default(), BTreeSet::new());
        for (path, word) in &opened.snapshot.submodules {
            let names = listed(&place.at(path.as_bytes()));
            let is_directory = place.look_at(path.as_bytes()) == At::Directory;
            if word != EMPTY || !is_directory || names.is_empty() {
                continue;
            }
            if let Some(claims) = self.claims_of(base, opened, path, &new_at)? {
                claimed.extend(claims);
                found.done.push(path.clone());
                continue;
            }
            if reach != Reach::Everything && !leads_into(&place.at(path.as_bytes()), &new_at) {
                continue;
            }
            let (now, _) = self.submodule(path.as_bytes(), &[])?;
            let first = now.uncommitted.first().map_or(path.as_bytes(), Vec::as_slice);
            found.emptied.push(repo_path(first));
            for name in names {
                let path = [path.as_bytes(), b"/", &name].concat();
                place.move_aside(Home::Tree, &path, &aside)?;
            }
        }
        for ((home, path), real) in new.iter().zip(&new_at) {
            // Somebody may check one out in the main work tree, beside this one.
            let beside = place.is_linked() && *home == Home::Common;
            let harmless = || Module::at(&self.git, real).is_some_and(|one| one.is_plain());
            if claimed.contains(real) || (beside && harmless()) {
                continue;
            }
            place.move_aside(*home, path, &aside)?;
            found.taken_away.push((*home, path.clone()));
        }
        Ok(found)
    }

    /// The repositories of a submodule that is checked out as git does it, and of those in it.
    fn claims_of(
        &self,
        base: &Base,
        opened: &Opened,
        path: &str,
        new: &[PathBuf],
    ) -> Result<Option<Vec<PathBuf>>, GitProblem> {
        let all = opened.snapshot.submodules.keys();
        let above = all.filter(|above| {
            path.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('/'))
        });
        let above = above.max_by_key(|above| above.len());
        let (commit, above) = match above {
            None => {
                let call = self.git.call(["ls-tree", "-z", base.tree().as_str(), "--", path]);
                (
                    gitlinks(&call.run()?).pop().map(|(_, commit)| commit),
                    self.git.place.common_dir.clone(),
                )
            }
            Some(above) => {
                let Ok(own) = Place::locate(&self.git.place.at(above.as_bytes())) else {
                    return Ok(None);
                };
                let inside = path.as_bytes().get(above.len() + 1..).unwrap_or_default();
                let links = self.index_of(&own.git_dir)?.map(|(_, links)| links);
                let link = links.into_iter().flatten().find(|(name, _)| name == inside);
                (link.map(|(_, commit)| commit), own.git_dir)
            }
        };
        let Some(commit) = commit else { return Ok(None) };
        let looked = Looked { path: path.as_bytes(), commit: &commit, above: &above, depth: 0 };
        self.as_git_does(looked, new)
    }

    fn as_git_does(
        &self,
        looked: Looked<'_>,
        new: &[PathBuf],
    ) -> Result<Option<Vec<PathBuf>>, GitProblem> {
        let place = &self.git.place;
        let top = place.at(looked.path);
        let is_file = fs::symlink_metadata(top.join(".git")).is_ok_and(|dot| dot.is_file());
        let Ok(own) = Place::locate(&top) else { return Ok(None) };
        let modules = place.git_dir.join("modules");
        if !is_file || own.is_linked() || !own.git_dir.starts_with(&modules) {
            return Ok(None);
        }
        let is_new = new.iter().any(|new| own.git_dir.starts_with(new));
        let Some(module) = Module::at(&self.git, &own.git_dir) else { return Ok(None) };
        let name = own.git_dir.strip_prefix(looked.above.join("modules"));
        let name = name.or_else(|_| own.git_dir.strip_prefix(&modules));
        let fits = module.is_of(&own.top, is_new)
            && (!is_new
                || (module.is_plain()
                    && name.is_ok_and(|name| module.is_from(&self.git, looked.above, name))));
        let head = read_bounded(&own.git_dir.join("HEAD"), LONGEST_HEAD).unwrap_or_default();
        if !fits || head.trim_ascii_end() != looked.commit.as_str().as_bytes() {
            return Ok(None);
        }
        let Some((index, links)) = self.index_of(&own.git_dir)? else { return Ok(None) };
        if !self.git.is_tree_of(&index, looked.commit, &own.git_dir)?
            || !self.not_as_in(looked.path, &index, None)?.is_empty()
        {
            return Ok(None);
        }
        let mut claims = vec![own.git_dir.clone()];
        for (name, commit) in links {
            let path = [looked.path, b"/", &name].concat();
            if listed(&place.at(&path)).is_empty() {
                continue;
            }
            let (depth, above) = (looked.depth + 1, own.git_dir.as_path());
            let inside = Looked { path: &path, commit: &commit, above, depth };
            match (depth < DEEPEST).then(|| self.as_git_does(inside, new)).transpose()?.flatten() {
                Some(more) => claims.extend(more),
                None => return Ok(None),
            }
        }
        // One that waits for a submodule to be checked out would bring its settings along.
        let all = if is_new { modules_in(&own.git_dir.join("modules")) } else { Some(Vec::new()) };
        let whole = all.is_some_and(|all| all.iter().all(|module| claims.contains(module)));
        Ok(whole.then_some(claims))
    }

    /// What the index of a submodule holds, without anything that it says of files, and its own submodules.
    fn index_of(&self, git_dir: &Path) -> Result<Option<(ScratchFile, Gitlinks)>, GitProblem> {
        let Ok(bytes) = read_bounded(&git_dir.join("index"), LARGEST_INDEX) else {
            return Ok(None);
        };
        let copy = self.scratch.file("index", &bytes)?;
        let output = self.git.call(["ls-files", "-z", "--stage"]).index(&copy.path).output()?;
        let Some(entries) = entries(&output.stdout).filter(|_| output.code == Some(0)) else {
            return Ok(None);
        };
        let is_link = |entry: &&Entry| entry.mode == GITLINK;
        let link = |entry: &Entry| Some((entry.path.clone(), entry.object.clone()?));
        let links = entries.iter().filter(is_link).filter_map(link).collect();
        let index = self.scratch.index(None)?;
        self.git.set_entries(&index, &entries)?;
        Ok(Some((index, links)))
    }
}

type Gitlinks = Vec<(Vec<u8>, ObjectId)>;

impl Git {
    /// Whether an index holds the tree of a commit in a repository. Every name is computed here: what lies
    /// there under a name may be something else.
    fn is_tree_of(
        &self,
        index: &ScratchFile,
        commit: &ObjectId,
        git_dir: &Path,
    ) -> Result<bool, GitProblem> {
        let objects = git_dir.join("objects");
        let call = self.call(["cat-file", "commit", commit.as_str()]);
        let text = call.variable("GIT_OBJECT_DIRECTORY", &objects).output()?;
        if text.code != Some(0) {
            return Ok(false);
        }
        let call = self.call(["hash-object", "-t", "commit", "--literally", "--stdin"]);
        if call.input(text.stdout.clone()).line()? != commit.as_str() {
            return Ok(false);
        }
        let first = text.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let call = self.call(["write-tree", "--missing-ok"]).index(&index.path);
        let tree = call.variable("GIT_OBJECT_DIRECTORY", &objects).output()?;
        let tree = [b"tree ", tree.stdout.trim_ascii_end()].concat();
        Ok(first == tree)
    }
}

/// Whether what is in a submodule's directory belongs to one of some repositories.
fn leads_into(top: &Path, new: &[PathBuf]) -> bool {
    Place::locate(top).is_ok_and(|own| new.iter().any(|new| own.git_dir.starts_with(new)))
}

/// The submodules that `ls-tree` names.
fn gitlinks(listed: &[u8]) -> Gitlinks {
    let lines = listed.split(|byte| *byte == 0);
    let link = |line: &[u8]| {
        let (head, path) = parted(line)?;
        let id = head.strip_prefix("160000 commit ")?;
        Some((path.to_vec(), object(id).ok()?))
    };
    lines.filter_map(link).collect()
}

/// What `ls-files --stage` names; nothing where a path has not been merged.
fn entries(listed: &[u8]) -> Option<Vec<Entry>> {
    let lines = listed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    let entry = |line: &[u8]| {
        let (head, path) = parted(line)?;
        let (mode, rest) = head.split_once(' ')?;
        let id = rest.strip_suffix(" 0")?;
        let (path, mode) = (path.to_vec(), mode.to_owned());
        Some(Entry { path, mode, object: Some(object(id).ok()?) })
    };
    lines.map(entry).collect()
}

fn parted(line: &[u8]) -> Option<(&str, &[u8])> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    Some((std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]))
}
