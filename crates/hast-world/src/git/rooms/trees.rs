//! The port `Worktrees` with rooms: each unit of work has a room and a ref of hast's with its commits.
//! Merging, replaying and measuring happen in the user's repository, with nothing of the agent's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hast_flow::agents::redact::Redactor;
use hast_flow::attempt::base::{ObjectId, Saved, SavedWork};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use hast_flow::attempt::workspace::{GitResult, GitStep, Head, SavePlan, perform};
use hast_flow::attempt::worktrees::{
    Added, DeliverPlan, FoundTree, LANES, MergePlan, Replay, Spent, Standing, Target, TreeName,
    TreePlan, TreeState, Waits, Worktrees,
};

use super::super::refs::{HeadNow, Move};
use super::super::run::GitEnvironment;
use super::super::{Checkout, copies};
use super::{RealRooms, Room, RoomWorkspace};

/// What of an earlier room is saved: one file, and all of them.
const SAVED_FILE_BYTES: u64 = 64 << 20;
const SAVED_BYTES: u64 = 1 << 30;

/// The rooms of a checkout, and the user's repository to merge into.
#[derive(Debug)]
pub struct RealWorktrees {
    pub(in super::super) main: Checkout,
    pub(in super::super) rooms: RealRooms,
    environment: GitEnvironment,
    directory: PathBuf,
    /// Rooms that this process holds.
    held: BTreeMap<TreeName, Room>,
}

impl RealWorktrees {
    /// The rooms in `directory`, of the repository whose work tree has its top at `top`. New ones are of
    /// this kind.
    pub fn open(
        top: &Path,
        directory: &Path,
        environment: GitEnvironment,
        kind: RoomKind,
    ) -> Result<Self, GitProblem> {
        let main = Checkout::open(top, environment.clone())?;
        let rooms = RealRooms::new(top, directory, environment.clone())?.of_kind(kind);
        rooms.sweep()?;
        let (directory, held) = (directory.to_owned(), BTreeMap::new());
        Ok(Self { main, rooms, environment, directory, held })
    }

    /// The same, and a merge waits so long for a user who is in the middle of something.
    #[must_use]
    pub fn waiting(mut self, patience: Duration) -> Self {
        self.main.patience = patience;
        self
    }

    /// None of these values may be in what is saved of a room.
    pub fn guard_secrets(&mut self, secrets: Redactor) {
        self.rooms.secrets = secrets;
    }

    /// The steps of git in a unit's room, for any thread of this process. A room that is gone is made
    /// again at the unit's commit: what was in it is lost, what was committed is not.
    pub fn workspace(&mut self, tree: &TreeName) -> Result<RoomWorkspace, GitProblem> {
        self.hold(tree)?;
        let top = &self.main.git.place.top;
        let room = RoomWorkspace::open(top, &self.directory, self.environment.clone(), tree)?;
        Ok(room.guarding(self.rooms.secrets.clone()))
    }

    /// Takes the room of a unit for this process.
    pub fn hold_room(&mut self, tree: &TreeName) -> Result<(), GitProblem> {
        self.hold(tree).map(|_| ())
    }

    /// Takes the room that a unit has, or makes it.
    fn hold(&mut self, tree: &TreeName) -> Result<&mut Room, GitProblem> {
        if !self.has_room(tree)? {
            let lost = || GitProblem::Lost { what: tree.branch() };
            let at = self.branch_of(tree)?.ok_or_else(lost)?;
            self.held.insert(tree.clone(), self.rooms.open_for(tree.as_str(), &at)?);
        }
        self.held.get_mut(tree).ok_or_else(|| GitProblem::Lost { what: tree.to_string() })
    }

    /// Whether a unit has a room; it is held from here on.
    fn has_room(&mut self, tree: &TreeName) -> Result<bool, GitProblem> {
        if self.held.contains_key(tree) {
            // Its record may have been written by the thread that works there.
            if let Some(now) = self.rooms.held_elsewhere(tree.as_str())
                && let Some(held) = self.held.get_mut(tree)
            {
                held.record = now.record;
                return Ok(true);
            }
            self.held.remove(tree);
        }
        let Some(room) = self.rooms.attach(tree.as_str())? else { return Ok(false) };
        self.held.insert(tree.clone(), room);
        Ok(true)
    }

    /// The commit that a unit's work is at.
    fn branch_of(&self, tree: &TreeName) -> Result<Option<ObjectId>, GitProblem> {
        self.main.git.resolve(&tree.branch())
    }

    fn point_branch(&self, tree: &TreeName, to: Option<&ObjectId>) -> Result<(), GitProblem> {
        let (name, from) = (tree.branch(), self.branch_of(tree)?);
        if from.as_ref() == to {
            return Ok(());
        }
        self.main.git.move_refs(&[Move { name, from, to: to.cloned() }])
    }

    /// Whether a unit's commits are all the user's.
    fn is_users(&self, commit: &ObjectId) -> Result<bool, GitProblem> {
        let user = self.main.git.resolve("HEAD")?.ok_or(GitProblem::NoFirstCommit)?;
        Ok(*commit == user || self.main.git.is_ancestor(commit, &user)?)
    }

    /// Puts what a unit's room holds on a ref, unless the unit's commit has all of it.
    fn save_left(&mut self, plan: &TreePlan) -> Result<Option<Saved>, GitProblem> {
        let tree = &plan.tree;
        if !self.has_room(tree)? {
            return Ok(None);
        }
        let mut workspace = self.workspace(tree)?;
        let at = self.branch_of(tree)?;
        let head = at.clone().unwrap_or_else(|| workspace.base().clone());
        let save = GitStep::Save(SavePlan {
            name: recovered(tree, &head),
            rules: plan.rules.clone(),
            base: None,
            message: format!("what the room of {tree} held"),
            at: plan.now,
            max_file_bytes: SAVED_FILE_BYTES,
            max_total_bytes: SAVED_BYTES,
        });
        if workspace.holds_only(&head, &plan.rules)? && self.is_users(&head)? {
            return Ok(None);
        }
        match perform(&mut workspace, &save) {
            GitResult::Saved(saved) => {
                workspace.keep_overflow(&saved)?;
                Ok(Some(saved))
            }
            GitResult::Refused(problem) => Err(problem),
            _ => Ok(None),
        }
    }

    /// A process that died while it took a room away may have left nothing but the ref. Its commits
    /// stay on another one.
    fn keep_branch(&mut self, tree: &TreeName) -> Result<Option<String>, GitProblem> {
        let Some(head) = self.branch_of(tree)? else { return Ok(None) };
        if self.has_room(tree)? || self.is_users(&head)? {
            return Ok(None);
        }
        let name = recovered(tree, &head);
        if self.main.git.resolve(&name)?.is_none() {
            let (name, to) = (name.clone(), Some(head));
            self.main.git.move_refs(&[Move { name, from: None, to }])?;
        }
        Ok(Some(name))
    }

    fn is_spent(&mut self, tree: &TreeName, spent: &Spent) -> Result<bool, GitProblem> {
        match (spent, self.branch_of(tree)?) {
            (Spent::Saved(_), _) | (Spent::Merged { .. }, None) => Ok(true),
            (Spent::Merged { into }, Some(head)) => {
                Ok(head == *into || self.main.git.is_ancestor(&head, into)?)
            }
            (Spent::Unused, Some(head)) if !self.is_users(&head)? => Ok(false),
            (Spent::Unused, head) => {
                if !self.has_room(tree)? {
                    return Ok(true);
                }
                let workspace = self.workspace(tree)?;
                let head = head.unwrap_or_else(|| workspace.base().clone());
                workspace.holds_only(&head, &Default::default())
            }
        }
    }

    /// Units whose ref is there, whatever became of the rest.
    fn branches(&self) -> Result<Vec<TreeName>, GitProblem> {
        let refs = self.main.git.call(["for-each-ref", "--format=%(refname)", LANES]).run()?;
        let text = String::from_utf8_lossy(&refs);
        Ok(text.lines().filter_map(|name| TreeName::read(name.strip_prefix(LANES)?)).collect())
    }

    /// Deletes the rooms that no unit has.
    pub fn free_rooms(&mut self) -> Result<(usize, u64), GitProblem> {
        self.rooms.free()
    }
}

impl Worktrees for RealWorktrees {
    fn tip(&mut self, onto: Option<&Target>) -> Result<Head, GitProblem> {
        if let Some(Target::Branch(name)) = onto {
            let gone = || GitProblem::BranchGone { name: name.clone() };
            let commit = self.main.git.resolve(name)?.ok_or_else(gone)?;
            return Ok(Head::Branch { name: name.clone(), commit });
        }
        let commit = self.main.git.resolve("HEAD")?;
        Ok(match (self.main.git.head()?, commit) {
            (HeadNow::Branch(name), Some(commit)) => Head::Branch { name, commit },
            (HeadNow::Branch(name), None) => self.main.git.unborn(name)?,
            (HeadNow::Detached, Some(commit)) => Head::Detached { commit },
            (HeadNow::Detached, None) => return Err(GitProblem::NoFirstCommit),
        })
    }

    fn add(&mut self, plan: &TreePlan) -> Result<Added, GitProblem> {
        let tree = &plan.tree;
        self.main.reread_config()?;
        let recovered = match self.save_left(plan)? {
            Some(saved) => Some(saved.work().name.clone()),
            None => self.keep_branch(tree)?,
        };
        self.held.remove(tree);
        let room = self.rooms.open_for(tree.as_str(), &plan.at)?;
        self.rooms.note_rules(&room, &plan.rules)?;
        let submodules = self.rooms.copy_submodules(&room)?;
        let copied = match room.record.kind {
            RoomKind::OwnPath => {
                copies::copy(&self.main.git.place.top, &room.files()?, &plan.copy)?
            }
            // They are seen there anyway.
            RoomKind::SamePath => 0,
        };
        let copied = copied + submodules;
        self.rooms.shade(&room)?;
        self.held.insert(tree.clone(), room);
        self.point_branch(tree, Some(&plan.at))?;
        Ok(Added { recovered, copied })
    }

    fn remove(&mut self, tree: &TreeName, spent: &Spent) -> Result<(), GitProblem> {
        if !self.is_spent(tree, spent)? {
            return Err(GitProblem::EditedSince { paths: vec![tree.to_string()] });
        }
        if self.has_room(tree)?
            && let Some(room) = self.held.remove(tree)
        {
            self.rooms.give_back(room)?;
        }
        self.point_branch(tree, None)
    }

    fn rescue(&mut self, plan: &TreePlan) -> Result<Option<SavedWork>, GitProblem> {
        Ok(self.save_left(plan)?.map(|saved| saved.work().clone()))
    }

    fn list(&mut self) -> Result<Vec<FoundTree>, GitProblem> {
        let sizes: BTreeMap<TreeName, u64> = self
            .rooms
            .units()
            .into_iter()
            .filter_map(|(unit, bytes)| Some((TreeName::read(&unit)?, bytes)))
            .collect();
        let mut names: Vec<TreeName> = sizes.keys().cloned().collect();
        names.extend(self.branches()?);
        names.sort();
        names.dedup();
        let mut found = Vec::new();
        for tree in names {
            let bytes = sizes.get(&tree).copied();
            let state = if bytes.is_some() { TreeState::Whole } else { TreeState::Broken };
            let head = self.branch_of(&tree)?;
            found.push(FoundTree { head, state, bytes: bytes.unwrap_or(0), tree });
        }
        Ok(found)
    }

    fn replay(
        &mut self,
        base: &ObjectId,
        head: &ObjectId,
        onto: &ObjectId,
    ) -> Result<Replay, GitProblem> {
        self.main.reread_config()?;
        self.main.git.replay(base, head, onto)
    }

    fn bring(&mut self, tree: &TreeName, to: &ObjectId) -> Result<(), GitProblem> {
        self.hold(tree)?;
        let Some(mut room) = self.held.remove(tree) else { return Ok(()) };
        let brought = self.rooms.reset(&mut room, to);
        self.held.insert(tree.clone(), room);
        brought?;
        self.point_branch(tree, Some(to))
    }

    fn merge(&mut self, plan: &MergePlan) -> Result<Option<Waits>, GitProblem> {
        self.main.reread_config()?;
        self.main.fast_forward(plan)
    }

    fn standing(&mut self, onto: &Target) -> Result<Standing, GitProblem> {
        self.main.standing(onto)
    }

    fn contains(&mut self, onto: Option<&Target>, commit: &ObjectId) -> Result<bool, GitProblem> {
        self.has_on(onto, commit)
    }

    fn measure(
        &mut self,
        from: &ObjectId,
        to: &ObjectId,
        leave_out: &[String],
    ) -> Result<(u64, u64), GitProblem> {
        self.main.git.measure(from, to, leave_out)
    }

    fn deliver(&mut self, plan: &DeliverPlan) -> Result<Option<String>, GitProblem> {
        self.deliver_into(plan)
    }
}

/// Where what a unit's room held is kept.
fn recovered(tree: &TreeName, head: &ObjectId) -> String {
    format!("refs/hast/recovered/{tree}/{}", &head.as_str()[..12])
}
