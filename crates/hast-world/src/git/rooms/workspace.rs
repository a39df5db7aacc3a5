//! The port `Workspace` for a room. An attempt's branch is a ref of hast's in the user's repository; the
//! branch that the agent sees is one of the room's throw-away git directory.

use std::path::Path;

use hast_flow::agents::redact::Redactor;
use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::{Change, ChangeKind};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, Head, HookVerdict, Looked, OwnRef, RolledBack, SavePlan,
    TreeFile, Uncommitted, UncommittedKind, Workspace,
};
use hast_flow::attempt::worktrees::TreeName;

use super::super::diff::Difference;
use super::super::hooking::Hooking;
use super::super::in_the_way::named;
use super::super::index::{Entry, ScratchFile, disk};
use super::super::paths::{Matcher, shown};
use super::super::refs::Move;
use super::super::run::GitEnvironment;
use super::walk::walk;
use super::{IgnoredFiles, RealRooms, Room, remove_any};

/// One room, with the ref of the work in it.
#[derive(Debug)]
pub struct RoomWorkspace {
    rooms: RealRooms,
    room: Room,
    /// The ref that has the attempt's commits.
    branch: String,
    hooking: Option<Hooking>,
    /// No sandbox keeps the agent from the user's repository.
    unconfined: bool,
}

impl RoomWorkspace {
    /// The room of a unit that this process holds.
    pub fn open(
        top: &Path,
        directory: &Path,
        environment: GitEnvironment,
        unit: &TreeName,
    ) -> Result<Self, GitProblem> {
        let rooms = RealRooms::new(top, directory, environment)?;
        let gone = || GitProblem::Lost { what: unit.to_string() };
        let room = rooms.held_elsewhere(unit.as_str()).ok_or_else(gone)?;
        let branch = unit.branch();
        Ok(Self { rooms, room, branch, hooking: None, unconfined: false })
    }

    /// The same, and hooks run in the sandbox of the tests.
    #[must_use]
    pub fn with_hooks(mut self, hooking: Option<Hooking>) -> Self {
        self.unconfined = hooking.as_ref().is_some_and(|hooking| hooking.checks.is_unconfined());
        if let Some(hooking) = &hooking {
            self.rooms = self.rooms.guarding(hooking.checks.agents_secrets());
        }
        self.hooking = hooking;
        self
    }

    /// The same, and none of these values may be in what the agent left.
    #[must_use]
    pub fn guarding(mut self, secrets: Redactor) -> Self {
        self.rooms = self.rooms.guarding(secrets);
        self
    }

    /// The same for an agent that no sandbox keeps from the user's repository: it is looked at.
    #[must_use]
    pub fn unconfined(self) -> Self {
        Self { unconfined: true, ..self }
    }

    /// The commit that the room was opened at.
    pub(super) fn base(&self) -> &ObjectId {
        self.room.base()
    }

    /// Whether everything in the room is part of a commit.
    pub(super) fn holds_only(
        &self,
        commit: &ObjectId,
        rules: &TreeRules,
    ) -> Result<bool, GitProblem> {
        let (rooms, room) = (&self.rooms, &self.room);
        rooms.take_git_away(room)?;
        let meant = rooms.committed_paths(room)?;
        let now = rooms.tree_now(room, rules, &meant)?;
        Ok(now.not_stored.is_empty() && rooms.git.tree_of(commit)? == now.tree)
    }

    /// Things that a ref does not hold go where they are kept: the room is about to go.
    pub(super) fn keep_overflow(&self, saved: &Saved) -> Result<(), GitProblem> {
        self.rooms.move_aside(&self.room, saved.work()).map(|_| ())
    }

    /// Puts work of somebody else into the room, as an agent would have left it: its commits on the
    /// room's branch, its files in the tree.
    pub(in super::super) fn take_delivery(
        &self,
        head: &ObjectId,
        tree: &ObjectId,
    ) -> Result<(), GitProblem> {
        let (rooms, room) = (&self.rooms, &self.room);
        let private = rooms.private_git(room);
        let branch = room.record.branch.as_deref().unwrap_or("HEAD");
        let call = private.call(["update-ref", "--no-deref", branch, head.as_str()]);
        let objects = rooms.git.place.common_dir.join("objects");
        let call = call.variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects);
        call.from(&room.trusted()).run()?;
        self.write_tree(room.base(), tree)
    }

    /// Files of a tree into a room that has those of a commit; hast's index stays at the base.
    fn write_tree(&self, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        // Marks for a start stand where the user has files.
        walk(&self.room.tree())?;
        let index = ScratchFile { path: self.room.trusted().join("restoring") };
        std::fs::copy(self.room.index(), &index.path).map_err(|why| disk(&index.path, why))?;
        let (git, files) = (self.rooms.git_of(&self.room), self.room.files()?);
        // What the room has there is a copy: of a handoff of the user's, or by `room_copy`.
        let new = git.diff(from, to)?.into_iter().filter(|one| one.old.is_none());
        new.map(|one| files.named(&one.path)).try_for_each(|at| at.make_way())?;
        let read = git.call(["read-tree", "-m", "-u", from.as_str(), to.as_str()]).fetching();
        read.index(&index.path).from(&self.room.trusted()).run()?;
        self.rooms.shade(&self.room)
    }

    /// Moves the attempt's ref, wherever it is.
    fn point_branch(&self, to: &ObjectId) -> Result<(), GitProblem> {
        let from = self.rooms.git.resolve(&self.branch)?;
        if from.as_ref() == Some(to) {
            return Ok(());
        }
        let (name, to) = (self.branch.clone(), Some(to.clone()));
        self.rooms.git.move_refs(&[Move { name, from, to }])
    }

    /// A room whose base is the attempt's: another process may have brought it elsewhere.
    fn is_at(&self, base: &Base) -> Result<(), GitProblem> {
        if self.room.base() == base.commit() {
            return Ok(());
        }
        let (name, expected) = (self.branch.clone(), Some(base.commit().clone()));
        Err(GitProblem::Moved { name, expected, found: Some(self.room.base().clone()) })
    }
}

impl Workspace for RoomWorkspace {
    fn look(&mut self, rules: &TreeRules) -> Result<Looked, GitProblem> {
        let (rooms, room) = (&self.rooms, &self.room);
        remove_any(&room.tree().join(".git"))?;
        let now = rooms.tree_now(room, rules, &[])?;
        rooms.make_private_git(room, &room.index())?;
        rooms.note_rules(room, rules)?;
        rooms.shade(room)?;
        let uncommitted = now.differences.iter().map(|one| Uncommitted {
            path: shown(&one.path),
            kind: match one.kind() {
                ChangeKind::Added => UncommittedKind::Untracked,
                _ => UncommittedKind::Tracked,
            },
        });
        let (name, commit) = (self.branch.clone(), room.base().clone());
        Ok(Looked {
            head: Head::Branch { name, commit },
            uncommitted: uncommitted.collect(),
            in_progress: None,
            tree: Some(now.tree),
        })
    }

    /// An attempt begins with the files of the base and nothing of the tests before it, but for what
    /// is ignored.
    fn record(&mut self, _: &str, rules: &TreeRules) -> Result<Recorded, GitProblem> {
        self.rooms.config.refuse_own_filters()?;
        let commit = self.room.base().clone();
        self.rooms.note_begun(&self.room)?;
        self.rooms.put_to(&mut self.room, &commit, IgnoredFiles::Kept)?;
        self.rooms.show_files(&self.room, rules)?;
        self.rooms.note_rules(&self.room, rules)?;
        self.rooms.shade(&self.room)?;
        self.point_branch(&commit)?;
        if self.unconfined {
            self.rooms.note_repository(&self.room)?;
        }
        let tree = self.rooms.git.tree_of(&commit)?;
        let snapshot = tree.clone();
        Ok(Recorded { branch: self.branch.clone(), commit, tree, snapshot })
    }

    fn inspect(&mut self, base: &Base) -> Result<Inspection, GitProblem> {
        self.is_at(base)?;
        let mut found = self.rooms.inspect_room(&self.room, base)?;
        if self.unconfined {
            found.others = self.rooms.compare_repository(&self.room)?;
        }
        self.point_branch(&found.head)?;
        Ok(found)
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        self.rooms.save_work(&self.room, plan)
    }

    fn roll_back(&mut self, base: &Base, saved: &Saved) -> Result<RolledBack, GitProblem> {
        let aside = self.rooms.move_aside(&self.room, saved.work())?;
        self.rooms.reset(&mut self.room, base.commit())?;
        self.point_branch(base.commit())?;
        Ok(RolledBack { aside })
    }

    fn run_hooks(&mut self, plan: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        let Content::Tree(tree) = &plan.content else { return Err(not_in_a_room("hooks")) };
        self.rooms.ask_hooks(&self.room, plan, tree, self.hooking.as_ref())
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let tree = match &plan.content {
            Content::Tree(tree) => tree.clone(),
            Content::Text { path, text } => {
                self.rooms.with_text(&self.room, &plan.parent, path, text)?
            }
            Content::File { .. } => return Err(not_in_a_room("build")),
        };
        self.rooms.git.planned_commit(plan, &tree, self.rooms.config.signature())
    }

    fn advance(&mut self, branch: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        self.rooms.git.advance(branch, from, to)
    }

    /// The branch that the agent stood on is the room's own, and decides nothing.
    fn stands_on(&mut self, _: &str) -> Result<(), GitProblem> {
        Ok(())
    }

    fn keep(&mut self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        self.rooms.git.keep_work(branch, commit)
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        self.rooms.git.diff_lines(from, to)
    }

    fn restore(
        &mut self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        let git = self.rooms.git_of(&self.room);
        let lost = || GitProblem::Lost { what: name.to_owned() };
        let commit = git.resolve(name)?.ok_or_else(lost)?;
        let before = match since {
            Some(since) => since.clone(),
            None => git.resolve(&format!("{commit}^1"))?.ok_or_else(lost)?,
        };
        let matcher = Matcher::new(rules);
        let mut work = git.diff(&git.tree_of(&before)?, &git.tree_of(&commit)?)?;
        work.retain(|one| !matcher.is_left_out(&one.path) && !matcher.is_protected(&one.path));
        let start = git.tree_of(self.room.base())?;
        let index = ScratchFile { path: self.room.trusted().join("restoring") };
        std::fs::copy(self.room.index(), &index.path).map_err(|why| disk(&index.path, why))?;
        let entries = |side: fn(&Difference) -> Entry| work.iter().map(side).collect::<Vec<_>>();
        git.set_entries(&index, &entries(Difference::old_entry))?;
        let as_before = git.write_tree(&index)?;
        git.set_entries(&index, &entries(Difference::new_entry))?;
        let wanted = git.write_tree(&index)?;
        let to_do = git.diff(&start, &wanted)?;
        // The base went on where the kept work changed something.
        let moved_on = git.diff(&start, &as_before)?.into_iter().map(|one| one.path);
        let in_the_way: Vec<Vec<u8>> =
            moved_on.filter(|path| to_do.iter().any(|step| step.path == *path)).collect();
        if !in_the_way.is_empty() {
            return Err(GitProblem::InTheWay { paths: named(in_the_way) });
        }
        drop(index);
        self.write_tree(&start, &wanted)?;
        self.rooms.forget_shown(&self.room, &work)?;
        Ok(work.iter().map(Difference::change).collect())
    }

    fn read(&mut self, tree: &ObjectId, paths: &[String]) -> Result<Vec<TreeFile>, GitProblem> {
        self.rooms.git.files_of(tree, paths)
    }

    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem> {
        self.rooms.git.own_refs()
    }

    fn delete_refs(&mut self, refs: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        self.rooms.git.delete_own(refs)
    }
}

fn not_in_a_room(command: &str) -> GitProblem {
    let said = "a room has no such step".to_owned();
    GitProblem::Refused { command: command.to_owned(), said }
}
