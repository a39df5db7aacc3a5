//! Guarding what no attempt may change: recorded at its base, compared and given back after it. What was
//! there instead is kept aside.

use std::collections::BTreeSet;

use hast_flow::attempt::base::Base;
use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::IgnoredBack;
use hast_flow::attempt::workspace::{Guarded, Reach};

use super::RealWorkspace;
use super::checkouts::Checkouts;
use super::ignored_files::Next;
use super::paths::shown;
use super::protect::{Restored, Root};
use super::put_back::{Before, PutBack};
use super::record::Opened;
use super::refs::HeadNow;
use super::snapshot::{Home, Kept};

const STASHES: &[u8] = b"logs/refs/stash";

/// What a guard found after an attempt.
#[derive(Debug)]
pub(super) struct Found {
    /// Has again what it had.
    pub(super) changed: Vec<RepoPath>,
    pub(super) checkouts: Checkouts,
}

impl RealWorkspace {
    /// Gives back what is protected, before anything else is done in the repository.
    pub(super) fn guard(
        &mut self,
        base: &Base,
        opened: &Opened,
    ) -> Result<Vec<RepoPath>, GitProblem> {
        let Found { mut changed, checkouts, .. } = self.guard_all(base, opened)?;
        changed.extend(checkouts.emptied);
        Ok(changed)
    }

    /// The same, with all that was found. An ignored file that is protected is told as such, so that those
    /// come first.
    pub(super) fn guard_all(&mut self, base: &Base, opened: &Opened) -> Result<Found, GitProblem> {
        let Restored { changed, modules } = self.give_back(base, opened)?;
        let mut changed: Vec<RepoPath> = changed.iter().map(named).collect();
        changed.extend(self.of_others(base, opened)?);
        self.reread_config()?;
        let checkouts = self.settle_checkouts(base, opened, &modules, Reach::Everything)?;
        changed.extend(checkouts.taken_away.iter().map(named));
        Ok(Found { changed, checkouts })
    }

    /// What was taken from other work trees, and from what lay aside.
    fn of_others(&self, base: &Base, opened: &Opened) -> Result<Vec<RepoPath>, GitProblem> {
        let aside = self.scratch.aside(base.key());
        let (place, was) = (&self.git.place, &opened.snapshot);
        let changed = place.give_back_other_trees(&was.others, &aside)?;
        let mut named: Vec<RepoPath> = changed.iter().map(named).collect();
        let lost = place.lost_aside(&was.aside).into_iter();
        named.extend(lost.map(|path| RepoPath(format!(".git/{path}").into())));
        Ok(named)
    }

    /// The same once more, while nothing but hast has run: the configuration is known unless
    /// something had to be given back.
    pub(super) fn guard_again(&mut self, base: &Base, opened: &Opened) -> Result<(), GitProblem> {
        if self.give_back(base, opened)?.changed.is_empty() {
            return Ok(());
        }
        self.reread_config()
    }

    fn give_back(&self, base: &Base, opened: &Opened) -> Result<Restored, GitProblem> {
        let was = &opened.snapshot;
        let roots = self.roots(base.rules(), &was.guarded, &was.refs);
        self.restore(base, &roots, &opened.snapshot.files)
    }

    fn restore(
        &self,
        base: &Base,
        roots: &[Root],
        before: &[Kept],
    ) -> Result<Restored, GitProblem> {
        self.git.place.restore(roots, before, &self.scratch.aside(base.key()))
    }

    /// What somebody changed since the base who was not inspected, as far as it goes.
    pub(super) fn guard_since(&mut self, base: &Base, reach: Reach) -> Result<Guarded, GitProblem> {
        let opened = self.opened(base)?;
        let files = match reach {
            Reach::Everything => {
                self.end_operations(base, &opened)?;
                let mut files = self.guard(base, &opened)?;
                files.extend(self.nested_away(base, &opened)?);
                files
            }
            Reach::OfGit | Reach::OfGitButRefs => self.guard_gits_own(base, &opened, reach)?,
        };
        let mut files = files;
        files.extend(std::mem::take(&mut self.mended));
        let refs = self.git.refs()?;
        let expected = self.expected_refs(&opened);
        let before = Before { refs: &expected, ..opened.before() };
        let moved = match reach {
            Reach::Everything | Reach::OfGit => {
                named_refs(self.git.restore_refs(base, before, &refs)?)
            }
            Reach::OfGitButRefs => self.git.moved_refs(base, before, &refs)?,
        };
        if reach == Reach::OfGit {
            self.staged_again(base, &opened)?;
        }
        let ignored = match reach {
            Reach::Everything | Reach::OfGit => self.give_back_ignored(base.key(), Next::Stays),
            // Whoever works on may still be judged.
            Reach::OfGitButRefs => IgnoredBack::default(),
        };
        let aside = self.scratch.aside(base.key());
        let kept = !files.is_empty() && aside.exists();
        Ok(Guarded {
            files: files.iter().map(ToString::to_string).collect(),
            refs: moved,
            aside: kept.then(|| aside.display().to_string()),
            ignored,
        })
    }

    /// Puts refs back that were moved since they were looked at. Says which no fetch and no person beside
    /// the attempt would have moved. Where HEAD went elsewhere nothing is committed, and it would be left
    /// on a branch that is not there.
    pub(super) fn refs_back(
        &self,
        base: &Base,
        opened: &Opened,
    ) -> Result<Vec<String>, GitProblem> {
        if self.git.head()? != HeadNow::Branch(base.branch().to_owned()) {
            return Ok(Vec::new());
        }
        let refs = self.git.refs()?;
        let back = self.git.restore_refs(base, opened.before(), &refs)?;
        Ok(back.breaches.into_iter().filter_map(named_ref).collect())
    }

    /// Git's configuration, hooks and the like. Hooks may lie in the tree; everything else there is left
    /// to people.
    fn guard_gits_own(
        &mut self,
        base: &Base,
        opened: &Opened,
        reach: Reach,
    ) -> Result<Vec<RepoPath>, GitProblem> {
        let was = &opened.snapshot;
        let all = self.roots(base.rules(), &was.guarded, &was.refs);
        // Where a stash may stay, so does the log that lists it.
        let stays = |path: &[u8]| reach == Reach::OfGitButRefs && path == STASHES;
        let included = self.included_in_tree();
        let settings = |path: &[u8]| path == b".git" || included.iter().any(|file| file == path);
        let is_gits =
            |home: Home, path: &[u8]| (home != Home::Tree || settings(path)) && !stays(path);
        let roots: Vec<Root> = all.into_iter().filter(|root| is_gits(root.0, &root.1)).collect();
        let files = opened.snapshot.files.iter();
        let before: Vec<Kept> =
            files.clone().filter(|kept| is_gits(kept.home, &kept.path)).cloned().collect();
        let Restored { changed, modules } = self.restore(base, &roots, &before)?;
        let mut changed: Vec<RepoPath> = changed.iter().map(named).collect();
        changed.extend(self.of_others(base, opened)?);
        self.reread_config()?;
        let checkouts = self.settle_checkouts(base, opened, &modules, reach)?;
        changed.extend(checkouts.taken_away.iter().map(named));
        changed.extend(checkouts.emptied);
        if let Some(hooks) = self.hooks_in_tree() {
            let below = [hooks.as_slice(), b"/"].concat();
            let before: Vec<Kept> = files
                .filter(|kept| kept.home == Home::Tree)
                .filter(|kept| kept.path == hooks || kept.path.starts_with(&below))
                .cloned()
                .collect();
            let back = self.restore(base, &[(Home::Tree, hooks)], &before)?;
            changed.extend(back.changed.iter().map(named));
        }
        Ok(changed)
    }
}

/// Refs that are back, or were to be.
fn named_refs(back: PutBack) -> Vec<String> {
    let quiet = back.displaced.into_iter().map(|one| one.name);
    let all: BTreeSet<String> =
        quiet.chain(back.breaches.into_iter().filter_map(named_ref)).collect();
    all.into_iter().collect()
}

fn named_ref(breach: Breach) -> Option<String> {
    match breach {
        Breach::RefMoved { name } | Breach::RefLeft { name } | Breach::RefLost { name, .. } => {
            Some(name)
        }
        _ => None,
    }
}

fn named((home, path): &Root) -> RepoPath {
    let path = shown(path);
    RepoPath(match home {
        Home::Tree => path.into(),
        Home::Common | Home::Own => format!(".git/{path}").into(),
    })
}
