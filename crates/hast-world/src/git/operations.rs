//! Operations of git that are under way in a work tree: a merge, a rebase and the like. None may be left
//! by an attempt: the user's next commit would complete it.

use hast_flow::attempt::base::Base;
use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::aside::places_aside;
use super::place::Place;
use super::protect::from_the_top;
use super::record::Opened;
use super::snapshot::Home;

/// Something that is under way, and the file of a git directory that says so.
type Sign = (&'static str, &'static str);

/// What git itself calls an operation under way. Nothing is begun while there is one.
const UNDER_WAY: &[Sign] = &[
    ("merge", "MERGE_HEAD"),
    ("rebase", "rebase-merge"),
    ("rebase", "rebase-apply"),
    ("cherry-pick", "CHERRY_PICK_HEAD"),
    ("revert", "REVERT_HEAD"),
    ("cherry-pick", "sequencer"),
    ("bisect", "BISECT_LOG"),
];

/// What `git status` does not show, and what becomes of a later command all the same: the next commit applies
/// such a stash.
const HALF: &[Sign] = &[("merge", "MERGE_AUTOSTASH"), ("bisect", "BISECT_START")];

/// What only goes with the above, or offers the words of a message. An honest `git merge --squash` leaves
/// some, so they break nothing, and go all the same. `ORIG_HEAD` does nothing to any command and stays.
const LINGERING: &[&str] = &[
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "AUTO_MERGE",
    "SQUASH_MSG",
    "REBASE_HEAD",
    "BISECT_ANCESTORS_OK",
    "BISECT_EXPECTED_REV",
    "BISECT_FIRST_PARENT",
    "BISECT_HEAD",
    "BISECT_NAMES",
    "BISECT_RUN",
    "BISECT_TERMS",
];

/// Whether something of this name says that an operation is under way, whatever it is.
pub(super) fn is_sign(name: &str) -> bool {
    UNDER_WAY.iter().chain(HALF).any(|(_, sign)| *sign == name)
}

impl Place {
    /// What is under way here: its name, and the file that says so.
    pub(super) fn in_progress(&self) -> Vec<Sign> {
        UNDER_WAY.iter().filter(|(_, file)| self.has_sign(file)).copied().collect()
    }

    /// A link is a sign too, wherever it leads: git takes one for a ref.
    fn has_sign(&self, file: &str) -> bool {
        self.git_dir.join(file).symlink_metadata().is_ok()
    }
}

impl RealWorkspace {
    pub(super) fn in_progress(&self) -> Vec<Sign> {
        self.git.place.in_progress()
    }

    /// Every file of an operation that is there.
    pub(super) fn signs(&self) -> Vec<String> {
        let all = UNDER_WAY.iter().chain(HALF).map(|(_, file)| file).chain(LINGERING);
        all.filter(|file| self.git.place.has_sign(file)).map(|file| (*file).to_owned()).collect()
    }

    /// Takes away what was left under way since the base, and tells of nothing.
    pub(super) fn end_operations(&self, base: &Base, opened: &Opened) -> Result<(), GitProblem> {
        self.put_signs_aside(opened, &self.scratch.aside(base.key()))
    }

    /// The same after an attempt, with what it left under way. What lies aside already was found by an inspection that did
    /// not come to its end.
    pub(super) fn inspect_operations(
        &self,
        base: &Base,
        opened: &Opened,
        breaches: &mut Vec<Breach>,
    ) -> Result<(), GitProblem> {
        let aside = self.scratch.aside(&format!("{}/operations", base.key()));
        self.put_signs_aside(opened, &aside)?;
        if !aside.is_dir() {
            return Ok(());
        }
        let lies = |file: &str| {
            let first = places_aside(&from_the_top(Home::Own, file.as_bytes()), &aside).next();
            first.is_some_and(|at| at.symlink_metadata().is_ok())
        };
        let mut found = UNDER_WAY.iter().chain(HALF).filter(|(_, file)| lies(file));
        if let Some((what, _)) = found.next() {
            breaches.push(Breach::OperationLeft { what: (*what).to_owned() });
        }
        Ok(())
    }

    fn put_signs_aside(&self, opened: &Opened, aside: &std::path::Path) -> Result<(), GitProblem> {
        for name in self.signs() {
            if !opened.snapshot.in_progress.contains(&name) {
                self.git.place.move_aside(Home::Own, name.as_bytes(), aside)?;
            }
        }
        Ok(())
    }
}
