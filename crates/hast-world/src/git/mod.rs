//! The port `Workspace` with the git binary: plumbing commands in `-z` form, an index of our own,
//! nothing of the repository's choosing run. Decides nothing.

mod access;
mod aside;
mod branch_files;
mod by_threads;
mod checkouts;
mod config;
mod config_files;
mod copies;
mod delivery;
mod directories;
mod discard;
mod elsewhere;
mod emptied;
mod ending;
mod entries;
mod glance;
mod guard;
mod half_merge;
mod held;
mod history;
mod hollow;
mod hooking;
mod ignored_files;
mod ignores;
mod included;
mod index;
mod inspect;
mod left;
mod links;
mod listing;
mod locks;
mod look;
mod mend;
mod modules;
mod moved_tests;
mod new_modules;
mod newly_ignored;
mod not_plain;
mod objects;
mod odd;
mod one_file;
mod only_added;
mod operations;
mod others;
mod own_refs;
mod owner;
mod paths;
mod place;
mod protect;
mod put_back;
mod reading;
mod record;
mod ref_files;
mod ref_logs;
mod refs;
mod remaining;
mod restore;
mod rooms;
mod run;
mod save;
mod scan;
mod settle;
mod shadows;
mod signing;
mod snapshot;
mod state;
mod submodules;
mod taken_back;
mod train;
mod true_objects;
mod unchanged;
mod unhidden;
mod way;

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::{Change, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, DiffLine, Guarded, HookVerdict, LeftWork, Looked, OwnRef, Reach, RolledBack,
    SavePlan, TreeFile, Workspace,
};
use hast_flow::time::UtcTime;

use config::Config;
use config_files::ConfigFiles;
use held::Holding;
use index::{Scratch, disk};
use inspect::Latest;
use look::{Glance, Scene};
use mend::Beginning;
use record::Opened;
use save::SavedTree;
use settle::Filed;
use submodules::broken_at;

pub use aside::{AsideFiles, BroughtBack, Lying};
pub use glance::{glance, hides_handoffs};
pub use hooking::Hooking;
pub use place::Place;
pub use rooms::{
    RealRooms, RealWorktrees, Room, RoomWorkspace, UnitRoom, room_of_unit, rooms_directory,
};
use run::Git;
pub use run::GitEnvironment;
pub use state::RepositoryState;

/// A work tree of the machine. What it keeps in memory only saves time: every step can be performed
/// by another process that knows nothing of the one before.
#[derive(Debug)]
pub struct RealWorkspace {
    git: Git,
    config: Config,
    /// Where that came from, if it can be told whether it is still so.
    config_files: Option<ConfigFiles>,
    scratch: Scratch,
    /// The tree as it was looked at last, while nothing else has run.
    scene: Option<Scene>,
    /// What the step before this one saw, if it was a look.
    glance: Option<Glance>,
    /// The configuration was read, and nothing was done since.
    config_is_new: bool,
    hooks_are_known: bool,
    /// Who runs them; without it they run as git's own.
    hooking: Option<Hooking>,
    opened: Option<Rc<Opened>>,
    /// The index of the last inspection: what it knows need not be read again.
    latest: Option<Latest>,
    saved: Option<SavedTree>,
    /// Refs that were saved to, and with what.
    own_saves: Vec<(String, ObjectId)>,
    /// A commit of one file that was built, until the branch moves.
    filed: Option<Filed>,
    /// The base that the last inspection compared with.
    inspected: Option<Base>,
    holding: Holding,
    /// The attempt that is under way here.
    began: Option<Beginning>,
    /// Whether what its agent did was looked at.
    looked_after: bool,
    /// What of git's own had to be made readable again, until it is told.
    mended: BTreeSet<RepoPath>,
}

impl RealWorkspace {
    /// The work tree whose top a directory is.
    pub fn open(top: &Path, environment: GitEnvironment) -> Result<Self, GitProblem> {
        Self::open_at(Place::find(top)?, environment)
    }

    /// The same where the place is already known: in a work tree whose `.git` file an agent could
    /// have replaced.
    pub fn open_at(place: Place, environment: GitEnvironment) -> Result<Self, GitProblem> {
        let scratch = Scratch::new(&place)?;
        let (overrides, compared) = Default::default();
        let mut git = Git { environment, place, overrides, compared, packs: None };
        let began = git.place.left_under_way();
        if began.is_none() {
            git.remember_packs();
        }
        let mut workspace = Self {
            git,
            config: Config::default(),
            config_files: None,
            scratch,
            scene: None,
            glance: None,
            config_is_new: false,
            hooks_are_known: false,
            hooking: None,
            opened: None,
            latest: None,
            saved: None,
            own_saves: Vec::new(),
            filed: None,
            inspected: None,
            holding: Holding::default(),
            began,
            looked_after: false,
            mended: BTreeSet::new(),
        };
        let aside = workspace.scratch.aside("included");
        workspace.git.place.give_back_included(&aside)?;
        workspace.mend()?;
        workspace.reread_config()?;
        workspace.mend_branch()?;
        workspace.config_is_new = true;
        Ok(workspace)
    }

    fn reread_config(&mut self) -> Result<(), GitProblem> {
        let files = ConfigFiles::now(&self.git);
        if files.is_some() && files == self.config_files {
            return Ok(());
        }
        let mut config = Config::read(&self.git)?;
        // Which hooks run was said before the first agent; one of them may have said something else.
        if self.hooks_are_known {
            config.hooks_path = self.config.hooks_path.take();
        }
        (self.config, self.hooks_are_known) = (config, true);
        self.config_files = files.filter(|files| files.are_all_of(&self.config));
        self.git.overrides = self.config.overrides.clone();
        Ok(())
    }

    fn look_afresh(&mut self, rules: &TreeRules) -> Result<Looked, GitProblem> {
        self.glance = None;
        self.mend()?;
        self.mend_branch()?;
        let (looked, scene) = match self.look_around(rules) {
            Err(GitProblem::Refused { .. }) if self.mend_index()? => self.look_around(rules)?,
            other => other?,
        };
        // What an attempt left is put away before anything is begun.
        let left = self.began.is_some() && !self.looked_after;
        let broken = looked.uncommitted.iter().find_map(|file| broken_at(&file.path));
        if let Some(problem) = broken.filter(|_| !left) {
            return Err(problem);
        }
        self.scene = scene;
        self.glance = Some(Glance::new(rules, &looked, &self.git.place));
        Ok(looked)
    }

    /// Objects that others wrote, and that git did not wait for, survive a power cut from here on.
    fn sync_objects(&self) -> Result<(), GitProblem> {
        let path = &self.git.place.common_dir;
        let directory = std::fs::File::open(path).map_err(|error| disk(path, error))?;
        crate::disk::sync_file_system(directory).map_err(|error| disk(path, error))
    }
}

impl Git {
    fn is_ancestor(&self, old: &ObjectId, new: &ObjectId) -> Result<bool, GitProblem> {
        let call = self.call(["merge-base", "--is-ancestor", old.as_str(), new.as_str()]);
        Ok(call.output()?.code == Some(0))
    }

    /// Whether a commit is really there: after a power cut a ref may point at one that is not.
    fn has_commit(&self, id: &ObjectId) -> Result<bool, GitProblem> {
        let call = self.call(["cat-file", "-e", &format!("{id}^{{tree}}")]);
        Ok(call.output()?.code == Some(0))
    }
}

impl Workspace for RealWorkspace {
    fn look(&mut self, rules: &TreeRules) -> Result<Looked, GitProblem> {
        if let Some(glance) =
            self.glance.as_ref().filter(|glance| glance.still_holds(rules, &self.git.place))
            && self.scene.is_some()
        {
            return Ok(glance.looked.clone());
        }
        self.look_afresh(rules)
    }

    fn look_again(&mut self, rules: &TreeRules) -> Result<Looked, GitProblem> {
        if let (Some(glance), Some(scene)) = (&self.glance, &self.scene)
            && glance.is_of(rules)
            && let Some(around) = self.as_seen(scene, rules)
        {
            let looked = glance.looked.clone();
            if let Some(scene) = &mut self.scene {
                scene.around = Some(around);
            }
            return Ok(looked);
        }
        self.look_afresh(rules)
    }

    fn record(&mut self, key: &str, rules: &TreeRules) -> Result<Recorded, GitProblem> {
        self.glance = None;
        self.record_start(key, rules)
    }

    fn inspect(&mut self, base: &Base) -> Result<Inspection, GitProblem> {
        self.glance = None;
        self.mend()?;
        let inspected = self.inspect_attempt(base)?;
        self.is_looked_after(base);
        Ok(inspected)
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        self.glance = None;
        self.mend()?;
        self.save_tree(plan)
    }

    fn roll_back(&mut self, base: &Base, saved: &Saved) -> Result<RolledBack, GitProblem> {
        self.glance = None;
        self.mend()?;
        let back = self.roll_back_tree(base, saved)?;
        self.is_looked_after(base);
        Ok(back)
    }

    fn guard(&mut self, base: &Base, reach: Reach) -> Result<Guarded, GitProblem> {
        self.glance = None;
        self.mend()?;
        let guarded = self.guard_since(base, reach)?;
        self.is_looked_after(base);
        Ok(guarded)
    }

    fn run_hooks(&mut self, plan: &CommitPlan, base: &Base) -> Result<HookVerdict, GitProblem> {
        self.glance = None;
        self.mend()?;
        self.hooks(plan, base)
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        self.build_commit(plan)
    }

    fn advance(&mut self, branch: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        self.glance = None;
        self.advance_branch(branch, from, to)
    }

    fn stands_on(&mut self, branch: &str) -> Result<(), GitProblem> {
        self.git.stands_on(branch)
    }

    fn keep(&mut self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        self.git.keep_work(branch, commit)
    }

    fn discard(
        &mut self,
        left: &LeftWork,
        saved: &Saved,
        rules: &TreeRules,
    ) -> Result<RolledBack, GitProblem> {
        self.glance = None;
        self.take_out(left, saved, rules)
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        self.git.diff_lines(from, to)
    }

    fn unlock(&mut self, since: UtcTime) -> Result<Vec<String>, GitProblem> {
        let removed = self.git.place.remove_left_locks(since);
        // Whoever still holds one may be in the middle of something: nothing is done meanwhile.
        match self.git.place.locks(since).first() {
            Some(held) => Err(GitProblem::Locked { path: held.display().to_string() }),
            None => Ok(removed),
        }
    }

    fn restore(
        &mut self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        self.glance = None;
        self.restore_work(name, since, rules)
    }

    fn read(&mut self, tree: &ObjectId, paths: &[String]) -> Result<Vec<TreeFile>, GitProblem> {
        self.git.files_of(tree, paths)
    }

    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem> {
        self.git.own_refs()
    }

    fn delete_refs(&mut self, refs: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        self.git.delete_own(refs)
    }
}
