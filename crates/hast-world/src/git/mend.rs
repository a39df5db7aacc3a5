//! A repository that an agent left unreadable: HEAD, refs and the list of packed ones get a form again
//! that git can read, from what was noted when the attempt began. What was there goes aside.

use std::fs;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::git_problem::GitProblem;
use serde::{Deserialize, Serialize};

use super::RealWorkspace;
use super::index::disk;
use super::locks::{LOCKED, directories_like_locks};
use super::operations::is_sign;
use super::place::Place;
use super::ref_files::{Lasts, is_plain};
use super::refs::{HeadNow, Move};
use super::run::Git;
use super::snapshot::Home;
use crate::files::read_bounded;

/// More than any HEAD holds, and than any note of ours.
const LONGEST: usize = 64 << 10;
/// What git says when some of its housekeeping went wrong.
const HOUSEKEEPING: &str = "gc.log";
/// What HEAD names where refs are not in files: the real one is among them.
const ELSEWHERE: &str = "refs/heads/.invalid";
/// What makes a git directory one of a linked work tree.
const COMMON: &str = "commondir";

/// The attempt that is under way in a work tree, as far as git needs it to be readable. Another process
/// finds it in a file: without HEAD and refs git would not even find the record of the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Beginning {
    key: String,
    branch: String,
    commit: ObjectId,
    /// Whether all refs could be read as plain files.
    plain: bool,
    /// Whether housekeeping had gone wrong before.
    complained: bool,
    /// Whether the file HEAD only says that refs are elsewhere.
    #[serde(default)]
    elsewhere: bool,
    /// Links and the like that were there.
    #[serde(default)]
    not_plain: Vec<(Home, String)>,
}

impl Place {
    fn note(&self) -> PathBuf {
        self.git_dir.join("hast").join("start")
    }

    /// Whether an attempt was under way here when the last process ended.
    pub(super) fn has_note(git_dir: &Path) -> bool {
        git_dir.join("hast").join("start").is_file()
    }

    /// The attempt that was under way when a process ended that could not settle it.
    pub(super) fn left_under_way(&self) -> Option<Beginning> {
        let bytes = read_bounded(&self.note(), LONGEST).ok()?;
        let began: Beginning = serde_json::from_slice(&bytes).ok()?;
        let branch = began.branch.starts_with("refs/heads/") && is_plain(&began.branch);
        branch.then_some(began)
    }

    /// Whether git would take this work tree's HEAD for one.
    fn head_is_readable(&self) -> bool {
        let path = self.git_dir.join("HEAD");
        let Ok(there) = fs::symlink_metadata(&path) else { return false };
        if there.is_symlink() {
            return fs::read_link(&path).is_ok_and(|to| to.starts_with("refs"));
        }
        let Some(bytes) = there.is_file().then(|| read_bounded(&path, LONGEST).ok()).flatten()
        else {
            return false;
        };
        let Ok(text) = std::str::from_utf8(&bytes) else { return false };
        match text.strip_prefix("ref:") {
            Some(name) if name.trim() == ELSEWHERE => true,
            Some(name) => is_plain(name.trim()) && name.trim() != "refs",
            None => text.trim_end().parse::<ObjectId>().is_ok(),
        }
    }
}

impl Place {
    /// What git never puts there, and stumbles over.
    fn in_the_way_of_git(&self) -> Vec<(Home, String)> {
        let is_file = |path: &Path| fs::symlink_metadata(path).map(|there| there.is_file());
        let mut found = Vec::new();
        if !self.is_linked() && is_file(&self.git_dir.join(COMMON)).is_ok() {
            found.push((Home::Own, COMMON.to_owned()));
        }
        let locks = LOCKED.map(|name| format!("{name}.lock"));
        for name in locks.into_iter().chain(["index".to_owned()]) {
            if is_file(&self.git_dir.join(&name)).is_ok_and(|file| !file) {
                found.push((Home::Own, name));
            }
        }
        let locks = directories_like_locks(&self.common_dir.join("refs"));
        let named = |path: PathBuf| {
            Some((Home::Common, path.strip_prefix(&self.common_dir).ok()?.to_str()?.to_owned()))
        };
        found.extend(locks.into_iter().filter_map(named));
        found
    }
}

impl RealWorkspace {
    /// Notes what is under way.
    pub(super) fn begin(
        &mut self,
        key: &str,
        branch: &str,
        commit: &ObjectId,
    ) -> Result<(), GitProblem> {
        let plain = self.git.refs_in_files().is_some();
        let complained = self.git.place.common_dir.join(HOUSEKEEPING).exists();
        let (key, branch) = (key.to_owned(), branch.to_owned());
        let head = read_bounded(&self.git.place.git_dir.join("HEAD"), LONGEST).unwrap_or_default();
        let elsewhere = head.trim_ascii_end().ends_with(ELSEWHERE.as_bytes());
        let (commit, not_plain) = (commit.clone(), self.git.place.not_plain());
        let began = Beginning { key, branch, commit, plain, complained, elsewhere, not_plain };
        let text = serde_json::to_string(&began)
            .map_err(|error| GitProblem::Lost { what: error.to_string() })?;
        let path = self.git.place.note();
        self.git.put(&path, &text, Lasts::AfterADeath).map_err(|error| disk(&path, error))?;
        self.looked_after = false;
        self.began = Some(began);
        Ok(())
    }

    /// What the agent did has been looked at: nothing has to be mended for this attempt any more.
    pub(super) fn is_looked_after(&mut self, base: &Base) {
        self.looked_after = self.began.as_ref().is_some_and(|began| began.key == base.key());
    }

    /// Nothing is under way any more, in whatever way this process ends.
    fn end(&mut self) {
        if self.looked_after {
            self.let_go();
            let _ = fs::remove_file(self.git.place.note());
        }
    }

    /// Before git is called after something has run that could have changed anything. What had to be
    /// mended is told with what is protected.
    pub(super) fn mend(&mut self) -> Result<(), GitProblem> {
        let Some(began) = self.began.clone() else { return Ok(()) };
        let aside = self.scratch.aside(&began.key);
        let place = &self.git.place;
        let mut mended: Vec<String> = Vec::new();
        let links = place.not_plain().into_iter().filter(|one| !began.not_plain.contains(one));
        // What HEAD is, is looked at below; and what is under way is ended later.
        let links = links.filter(|(_, path)| path != "HEAD" && !is_sign(path));
        for (home, path) in links.chain(place.in_the_way_of_git()) {
            place.move_aside(home, path.as_bytes(), &aside)?;
            mended.push(path);
        }
        if !place.head_is_readable() {
            place.move_aside(Home::Own, b"HEAD", &aside)?;
            let head = place.git_dir.join("HEAD");
            let name = if began.elsewhere { ELSEWHERE } else { &began.branch };
            let text = format!("ref: {name}\n");
            self.git
                .put(&head, &text, Lasts::AfterAPowerCut)
                .map_err(|error| disk(&head, error))?;
            mended.push("HEAD".to_owned());
        }
        let refs = place.common_dir.join("refs");
        if !fs::symlink_metadata(&refs).is_ok_and(|there| there.is_dir()) {
            place.move_aside(Home::Common, b"refs", &aside)?;
            fs::create_dir(&refs).map_err(|error| disk(&refs, error))?;
            mended.push("refs".to_owned());
        }
        if began.plain {
            mended.extend(self.git.mend_refs(&aside)?);
        }
        if !began.complained && place.common_dir.join(HOUSEKEEPING).exists() {
            let _ = place.move_aside(Home::Common, HOUSEKEEPING.as_bytes(), &aside);
        }
        mended.dedup();
        self.mended.extend(mended.iter().map(|name| RepoPath(format!(".git/{name}").into())));
        Ok(())
    }

    /// Takes an index away that git cannot read, after an agent: everything looks untracked then, and the
    /// record of the start tells what is whose. Says whether it did.
    pub(super) fn mend_index(&mut self) -> Result<bool, GitProblem> {
        let Some(began) = self.began.as_ref().filter(|_| !self.looked_after) else {
            return Ok(false);
        };
        if self.git.call(["ls-files", "-z"]).users_index().output()?.code == Some(0) {
            return Ok(false);
        }
        let aside = self.scratch.aside(&began.key);
        let moved = self.git.place.move_aside(Home::Own, b"index", &aside)?;
        self.mended.extend(moved.is_some().then(|| RepoPath(".git/index".into())));
        Ok(moved.is_some())
    }

    /// The attempt's own branch, where HEAD names it and there is none: what is left of the attempt
    /// could not be compared with anything.
    pub(super) fn mend_branch(&self) -> Result<(), GitProblem> {
        let Some(began) = self.began.as_ref().filter(|_| !self.looked_after) else {
            return Ok(());
        };
        let name = &began.branch;
        if self.git.head()? != HeadNow::Branch(name.clone()) || self.git.resolve(name)?.is_some() {
            return Ok(());
        }
        let (name, to) = (name.clone(), Some(began.commit.clone()));
        self.git.move_refs(&[Move { name, from: None, to }])
    }
}

impl Drop for RealWorkspace {
    fn drop(&mut self) {
        self.end();
    }
}

impl Git {
    /// Takes away what keeps git from reading refs. Only where it all was plain: what merely has another
    /// form is not broken.
    fn mend_refs(&self, aside: &Path) -> Result<Vec<String>, GitProblem> {
        if self.plain_refs().is_some() {
            return Ok(Vec::new());
        }
        let listed = self.call(["for-each-ref", "--format=%(refname)"]).output()?;
        let complains = String::from_utf8_lossy(&listed.stderr).contains("ignoring");
        if listed.code == Some(0) && !complains {
            return Ok(Vec::new());
        }
        let mut mended = Vec::new();
        if self.packed().is_none() {
            self.place.move_aside(Home::Common, b"packed-refs", aside)?;
            mended.push("packed-refs".to_owned());
        }
        for name in self.unreadable_refs() {
            self.place.move_aside(Home::Common, name.as_bytes(), aside)?;
            mended.push(name);
        }
        Ok(mended)
    }
}
