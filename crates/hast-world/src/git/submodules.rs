//! What is inside of submodules, found out without running git under their own settings: their index
//! is compared with their files as one of ours.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::ids::Sha256;

use super::RealWorkspace;
use super::checkouts::Checkouts;
use super::entries::{Entries, GITLINK};
use super::index::{IndexImage, ScratchFile};
use super::paths::{repo_path, shown};
use super::place::Place;
use super::record::Opened;
use super::run::Git;
use super::scan::At;
use super::snapshot::{Home, Kept, Was};

/// Deepest that submodules may be nested in each other.
pub(super) const DEEPEST: usize = 8;
/// A submodule that is not checked out.
pub(super) const EMPTY: &str = "empty";
/// Something else is where it was.
const REPLACED: &str = "replaced";

/// One submodule.
#[derive(Debug)]
pub(super) struct Submodule {
    path: Vec<u8>,
    /// What its index holds, in one word.
    index: String,
    /// Files in it that are not as its index has them, from the top of the work tree.
    pub(super) uncommitted: Vec<Vec<u8>>,
}

impl RealWorkspace {
    /// The submodules at some paths, and those in them.
    pub(super) fn inside_submodules(
        &self,
        gitlinks: &[Vec<u8>],
    ) -> Result<Vec<Submodule>, GitProblem> {
        let mut found = Vec::new();
        let mut waiting: Vec<(Vec<u8>, usize)> =
            gitlinks.iter().map(|path| (path.clone(), 0)).collect();
        while let Some((path, depth)) = waiting.pop() {
            let (submodule, nested) = self.submodule(&path, &[])?;
            if depth < DEEPEST {
                waiting.extend(nested.into_iter().map(|path| (path, depth + 1)));
            }
            found.push(submodule);
        }
        Ok(found)
    }

    /// What a start has to know of them. What is changed already cannot be told from what is changed later.
    pub(super) fn recorded_submodules(
        &self,
        gitlinks: &[Vec<u8>],
    ) -> Result<BTreeMap<String, String>, GitProblem> {
        let all = self.inside_submodules(gitlinks)?;
        if let Some(path) = all.iter().find_map(|submodule| submodule.uncommitted.first()) {
            return Err(broken_at(&shown(path))
                .unwrap_or_else(|| GitProblem::SubmoduleChanged { path: shown(path) }));
        }
        // A path that is no text could not be found again by its name.
        let named = all.into_iter().filter(|one| std::str::from_utf8(&one.path).is_ok());
        Ok(named.map(|one| (shown(&one.path), one.index)).collect())
    }

    /// Whether each submodule of a start is as it was, but for those that were checked out since as git does it.
    pub(super) fn inspect_submodules(
        &self,
        opened: &Opened,
        checkouts: &Checkouts,
        breaches: &mut Vec<Breach>,
    ) -> Result<(), GitProblem> {
        let changed = |path: &RepoPath| Breach::SubmoduleChanged { path: path.clone() };
        breaches.extend(checkouts.emptied.iter().map(changed));
        for (path, index) in &opened.snapshot.submodules {
            if checkouts.done.contains(path) {
                continue;
            }
            let (now, _) = self.submodule(path.as_bytes(), &opened.snapshot.files)?;
            let changed = match now.uncommitted.first() {
                Some(first) => Some(first),
                None => (now.index != *index).then_some(&now.path),
            };
            breaches.extend(changed.map(|path| Breach::SubmoduleChanged { path: repo_path(path) }));
        }
        Ok(())
    }

    /// One submodule, and the paths of those in it. What was recorded of its index is trusted more than
    /// what is there: dates in one that was written since may have been made up.
    pub(super) fn submodule(
        &self,
        path: &[u8],
        recorded: &[Kept],
    ) -> Result<(Submodule, Vec<Vec<u8>>), GitProblem> {
        let place = &self.git.place;
        let top = place.at(path);
        let below = |name: &[u8]| [path, b"/", name].concat();
        let as_it_is = |index: &str, uncommitted: Vec<Vec<u8>>| {
            let (path, index) = (path.to_vec(), index.to_owned());
            (Submodule { path, index, uncommitted }, Vec::new())
        };
        match place.look_at(path) {
            At::Nothing => return Ok(as_it_is(EMPTY, Vec::new())),
            At::Directory => {}
            At::File { .. } | At::Link | At::Other => {
                return Ok(as_it_is(REPLACED, vec![path.to_vec()]));
            }
        }
        let mut names = listed(&top);
        if !names.iter().any(|name| name == b".git") {
            let files = names.drain(..).map(|name| below(&name)).collect();
            return Ok(as_it_is(EMPTY, files));
        }
        let unreadable = || Ok(as_it_is("unreadable", vec![below(b".git")]));
        let Ok(own) = Place::locate(&top) else { return unreadable() };
        let image = IndexImage::read(&own.git_dir.join("index"));
        let Ok(Some(image)) = image else { return unreadable() };
        let image = match recorded_index(place, &own.git_dir, recorded) {
            Some(then) if then != image.bytes() => {
                IndexImage::made(then.to_vec(), SystemTime::UNIX_EPOCH + Duration::from_secs(1))
            }
            _ => image,
        };
        let exclude = own.git_dir.join("info/exclude");
        // What no attempt may change hides what it names; another one could have been written by it.
        let trusted = own.git_dir.starts_with(&place.common_dir) && exclude.is_file();
        let index = self.scratch.index(Some(&image))?;
        let uncommitted = self.not_as_in(path, &index, trusted.then_some(&*exclude))?;
        let entries = Entries::read(image.bytes());
        let nested = entries.iter().flat_map(|entries| &entries.all);
        let nested = nested.filter(|entry| entry.mode == GITLINK).map(|entry| below(entry.path));
        let (path, index) = (path.to_vec(), word(entries.as_ref(), image.bytes()));
        Ok((Submodule { path, index, uncommitted }, nested.collect()))
    }

    /// Files in a submodule that are not as an index of it has them, from the top of the work tree.
    pub(super) fn not_as_in(
        &self,
        path: &[u8],
        index: &ScratchFile,
        exclude: Option<&Path>,
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let place = &self.git.place;
        let top = place.at(path);
        let git = Git { place: Place { top, ..place.clone() }, ..self.git.clone() };
        let mut call = git.call(["ls-files", "-z", "-t", "-m", "-d", "-o"]);
        call = call.args(["--exclude-per-directory=.gitignore"]);
        if let Some(exclude) = exclude {
            call = call.args(["-X".as_ref(), exclude.as_os_str()]);
        }
        if let Some(global) = self.config.excludes_file.as_ref().filter(|path| path.is_file()) {
            call = call.args(["-X".as_ref(), global.as_os_str()]);
        }
        let listed = call.index(&index.path).run()?;
        let mut uncommitted: Vec<Vec<u8>> = listed
            .split(|byte| *byte == 0)
            .filter_map(|entry| Some([path, b"/", entry.get(2..)?].concat()))
            .collect();
        uncommitted.dedup();
        Ok(uncommitted)
    }
}

/// What is wrong with a submodule of which not even the repository can be read.
pub(super) fn broken_at(path: &str) -> Option<GitProblem> {
    let path = path.strip_suffix("/.git")?.to_owned();
    Some(GitProblem::SubmoduleBroken { path })
}

/// What was recorded of the index of a submodule whose repository is this.
fn recorded_index<'k>(place: &Place, git_dir: &Path, recorded: &'k [Kept]) -> Option<&'k [u8]> {
    let index = git_dir.join("index");
    let is_it =
        |kept: &&Kept| kept.home != Home::Tree && place.real(kept.home, &kept.path) == index;
    match &recorded.iter().find(is_it)?.was {
        Was::File { bytes, .. } => Some(bytes),
        Was::Directory { .. } | Was::LargeFile { .. } | Was::Link { .. } => None,
    }
}

/// Whether two indexes hold the same.
pub(super) fn same_entries(one: &[u8], other: &[u8]) -> bool {
    let word = |bytes| word(Entries::read(bytes).as_ref(), bytes);
    word(one) == word(other)
}

/// What an index holds, whatever it knows of the files' dates.
fn word(entries: Option<&Entries<'_>>, bytes: &[u8]) -> String {
    let Some(entries) = entries else { return Sha256::of(bytes).to_string() };
    let mut all = Vec::new();
    for entry in &entries.all {
        all.extend(entry.mode.to_be_bytes());
        all.extend(entry.object);
        all.extend(entry.path);
        all.push(0);
        // What hides a file counts, and is rare.
        all.extend(entry.assumed.then_some(b'h'));
        all.extend(entry.skipped.then_some(b'S'));
    }
    Sha256::of(&all).to_string()
}

pub(super) fn listed(directory: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().into_encoded_bytes()).collect()
}
