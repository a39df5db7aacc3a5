//! A room in memory: a tree of files with a git directory of its own. The agent's commits are in that
//! one only, until an inspection takes them over.

use std::collections::BTreeSet;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::{Change, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::{HandoffFile, Inspection};
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, Head, HookVerdict, Looked, OwnRef, RolledBack, SavePlan,
    TreeFile, Uncommitted, UncommittedKind, Workspace,
};
use hast_flow::attempt::worktrees::TreeName;

use super::machine::{Machine, Object, RoomState, Tree, is_any};
use super::port::SimWorkspace;

/// A fault of rooms, only to show that a sweep finds what it breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomFault {
    None,
    /// The files of a room stay as they are between two attempts.
    NoReset,
    /// A merge moves the branch and leaves the files of the checkout.
    BranchOnly,
}

/// One process's view of the room of a unit.
#[derive(Clone, Debug)]
pub struct SimRoom {
    main: SimWorkspace,
    unit: TreeName,
    fault: RoomFault,
}

impl SimRoom {
    /// A room that is whole; one whose reset was cut off is reset again.
    pub(super) fn open(
        main: SimWorkspace,
        unit: TreeName,
        fault: RoomFault,
    ) -> Result<Option<Self>, GitProblem> {
        let state = main.machine.borrow().rooms.get(unit.as_str()).map(|room| room.state.clone());
        let room = Self { main, unit, fault };
        match state {
            None | Some(RoomState::Making) => return Ok(None),
            Some(RoomState::Resetting(to)) => room.put_to(&to)?,
            Some(RoomState::At(_)) => {}
        }
        Ok(Some(room))
    }

    fn inside(&self) -> SimWorkspace {
        self.main.inside(self.unit.as_str())
    }

    /// The commit that the room is at.
    pub(super) fn base(&self) -> Result<ObjectId, GitProblem> {
        match self.main.machine.borrow().rooms.get(self.unit.as_str()).map(|room| &room.state) {
            Some(RoomState::At(base)) => Ok(base.clone()),
            _ => Err(GitProblem::Lost { what: self.unit.to_string() }),
        }
    }

    fn operate<T>(
        &self,
        work: impl FnOnce(&mut super::machine::Room) -> T,
    ) -> Result<T, GitProblem> {
        let unit = self.unit.to_string();
        self.main.operate(|machine| work(machine.rooms.entry(unit).or_default()))
    }

    /// The files of a commit and nothing else, but for what is ignored.
    pub(super) fn put_to(&self, to: &ObjectId) -> Result<(), GitProblem> {
        let is_forgotten = self.fault == RoomFault::NoReset && self.base().as_ref() == Ok(to);
        self.operate(|room| {
            room.state = RoomState::Resetting(to.clone());
            room.judged = None;
        })?;
        let wanted = self.main.machine.borrow().tree(to);
        let now = self.inside().files();
        let paths: BTreeSet<&String> = now.keys().chain(wanted.keys()).collect();
        let is_reset = |path: &&String| !is_forgotten && !Machine::is_ignored(path);
        for path in paths.into_iter().filter(is_reset) {
            let bytes = wanted.get(path).map(|id| self.main.blob(id)).transpose()?;
            if now.get(path) != bytes.as_ref() {
                self.operate(|room| match bytes {
                    Some(bytes) => room.files.insert(path.clone(), bytes),
                    None => room.files.remove(path),
                })?;
            }
        }
        self.operate(|room| room.own_head = Some(to.clone()))?;
        self.main.operate(Machine::sync_rooms)?;
        self.operate(|room| room.state = RoomState::At(to.clone()))
    }

    fn point_branch(&self, to: &ObjectId) -> Result<(), GitProblem> {
        let (name, from) = (self.unit.branch(), self.main.resolve(&self.unit.branch()));
        if from.as_ref() == Some(to) {
            return Ok(());
        }
        self.main.move_ref(&name, from.as_ref(), Some(to))
    }

    /// What is there; of paths that are left out, what the base has.
    fn tree_now(&self, rules: &TreeRules) -> Result<ObjectId, GitProblem> {
        let there = self.inside().scan(rules)?;
        let mut tree: Tree = self.main.machine.borrow().tree(&there);
        let base = self.main.machine.borrow().tree(&self.base()?);
        tree.extend(base.into_iter().filter(|(path, _)| is_any(path, &rules.leave_out)));
        self.main.write(Object::Tree(tree))
    }

    /// The last of the agent's commits, where they go on from the base one by one and hold nothing
    /// that the tree has not; else the base.
    fn kept_head(&self, tree: &ObjectId) -> Result<ObjectId, GitProblem> {
        let base = self.base()?;
        let head = {
            let machine = self.main.machine.borrow();
            let own = machine.rooms.get(self.unit.as_str()).and_then(|room| room.own_head.clone());
            let head = own.unwrap_or_else(|| base.clone());
            let changed = self.main.diff(&base, tree);
            let mut at = head.clone();
            while at != base {
                // A power cut may have taken the commit.
                let parents = machine.parents(&at);
                let [parent] = parents else { return Ok(base) };
                let touched = self.main.diff(parent, &at);
                if touched.keys().any(|path| !changed.contains_key(path)) {
                    return Ok(base);
                }
                at = parent.clone();
            }
            head
        };
        if head != base {
            self.main.sync_objects()?;
        }
        Ok(head)
    }

    /// The judged tree and the commits below it; found now where nothing was judged.
    fn work(&self, rules: &TreeRules) -> Result<(ObjectId, ObjectId), GitProblem> {
        let unit = self.unit.as_str();
        let judged =
            self.main.machine.borrow().rooms.get(unit).and_then(|room| room.judged.clone());
        if let Some(judged) = judged {
            return Ok(judged);
        }
        let tree = self.tree_now(rules)?;
        let head = self.kept_head(&tree)?;
        Ok((tree, head))
    }

    /// The tests ran after an inspection of a process that died: the judged files are as they were.
    fn undo_tests(&self) -> Result<(), GitProblem> {
        let room = self.main.machine.borrow().rooms.get(self.unit.as_str()).cloned();
        let Some((tree, _)) = room.and_then(|room| room.judged) else { return Ok(()) };
        let wanted = self.main.machine.borrow().tree(&tree);
        let now = self.inside().files();
        let paths: BTreeSet<&String> = now.keys().chain(wanted.keys()).collect();
        for path in paths.into_iter().filter(|path| !Machine::is_ignored(path)) {
            let bytes = wanted.get(path).map(|id| self.main.blob(id)).transpose()?;
            if now.get(path) != bytes.as_ref() {
                self.inside().put(path, bytes)?;
            }
        }
        Ok(())
    }

    /// Whether everything in the room is part of a commit.
    pub(super) fn holds_only(
        &self,
        commit: &ObjectId,
        rules: &TreeRules,
    ) -> Result<bool, GitProblem> {
        let tree = self.tree_now(rules)?;
        Ok(self.main.diff(commit, &tree).is_empty())
    }

    pub(super) fn put(&self, path: &str, bytes: Vec<u8>) -> Result<(), GitProblem> {
        self.inside().put(path, Some(bytes))
    }

    /// Work of somebody else, as an agent would have left it.
    pub(super) fn take_delivery(&self, head: &ObjectId) -> Result<(), GitProblem> {
        self.inside().check_out(&self.base()?, head)?;
        self.operate(|room| room.own_head = Some(head.clone()))
    }
}

impl Workspace for SimRoom {
    fn look(&mut self, rules: &TreeRules) -> Result<Looked, GitProblem> {
        let (tree, commit) = (self.tree_now(rules)?, self.base()?);
        let committed = self.main.machine.borrow().tree(&commit);
        let uncommitted = self.main.diff(&commit, &tree).into_keys().map(|path| Uncommitted {
            kind: match committed.contains_key(&path) {
                true => UncommittedKind::Tracked,
                false => UncommittedKind::Untracked,
            },
            path,
        });
        let uncommitted = uncommitted.collect();
        let head = Head::Branch { name: self.unit.branch(), commit };
        Ok(Looked { head, uncommitted, in_progress: None, tree: Some(tree) })
    }

    fn record(&mut self, _: &str, _: &TreeRules) -> Result<Recorded, GitProblem> {
        let commit = self.base()?;
        self.put_to(&commit)?;
        self.point_branch(&commit)?;
        let tree = match self.main.machine.borrow().get(&commit) {
            Some(Object::Commit { tree, .. }) => tree.clone(),
            _ => return Err(GitProblem::Lost { what: commit.to_string() }),
        };
        Ok(Recorded { branch: self.unit.branch(), commit, snapshot: tree.clone(), tree })
    }

    fn inspect(&mut self, base: &Base) -> Result<Inspection, GitProblem> {
        if self.base()? != *base.commit() {
            let (name, expected) = (self.unit.branch(), Some(base.commit().clone()));
            return Err(GitProblem::Moved { name, expected, found: Some(self.base()?) });
        }
        let rules = base.rules();
        self.undo_tests()?;
        let tree = self.tree_now(rules)?;
        let head = self.kept_head(&tree)?;
        self.operate(|room| room.judged = Some((tree.clone(), head.clone())))?;
        self.point_branch(&head)?;
        let now = self.main.diff(base.commit(), &tree);
        let before = self.main.machine.borrow().tree(base.commit());
        let place = rules.handoffs.as_deref().unwrap_or("\0");
        let is_handoff = |path: &str| path.starts_with(place);
        let protected = now.keys().filter(|path| {
            is_any(path, &rules.protected) || (is_handoff(path) && before.contains_key(*path))
        });
        let protected = protected.map(|path| RepoPath(path.as_str().into())).collect();
        let files = self.inside().files();
        let new = now.keys().filter(|path| is_handoff(path) && !before.contains_key(*path));
        let handoffs = new.filter_map(|path| {
            let name = path.strip_prefix(place)?.to_owned();
            Some(HandoffFile { name, bytes: Ok(files.get(path)?.clone()), ignored: false })
        });
        let changes = now.iter().filter(|(path, _)| !is_handoff(path)).map(|(path, id)| Change {
            path: RepoPath(path.as_str().into()),
            kind: self.main.kind(base.commit(), path, id.as_ref()),
        });
        Ok(Inspection {
            breaches: Vec::new(),
            others: Vec::new(),
            not_committed: Vec::new(),
            squashed: None,
            taken_back: Vec::new(),
            protected,
            changes: changes.collect::<Vec<Change>>(),
            links: Vec::new(),
            handoffs: handoffs.collect(),
            uncommitted: !self.main.diff(&head, &tree).is_empty(),
            head,
            commit_tree: tree.clone(),
            tree,
        })
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        let (tree, head) = self.work(&plan.rules)?;
        let is_reset = head == self.base()? && self.main.diff(&head, &tree).is_empty();
        if let Some(commit) = self.main.resolve(&plan.name).filter(|_| is_reset) {
            let tree = match self.main.machine.borrow().get(&commit) {
                Some(Object::Commit { tree, .. }) => tree.clone(),
                _ => return Err(GitProblem::Lost { what: commit.to_string() }),
            };
            let (name, overflow) = (plan.name.clone(), Vec::new());
            return Ok(SavedWork { name, commit, tree, overflow });
        }
        self.main.save_tree(plan, &head, tree)
    }

    fn roll_back(&mut self, base: &Base, _: &Saved) -> Result<RolledBack, GitProblem> {
        self.put_to(base.commit())?;
        self.point_branch(base.commit())?;
        Ok(RolledBack::default())
    }

    fn run_hooks(&mut self, plan: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        Ok(HookVerdict::Passed { message: plan.message.clone() })
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        match plan.content {
            Content::Tree(_) | Content::Text { .. } => self.main.build(plan),
            Content::File { .. } => Err(not_in_a_room("build")),
        }
    }

    fn advance(&mut self, branch: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        self.main.advance(branch, from, to)
    }

    fn stands_on(&mut self, _: &str) -> Result<(), GitProblem> {
        Ok(())
    }

    fn keep(&mut self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        self.main.keep(branch, commit)
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        self.main.compare(from, to)
    }

    fn restore(
        &mut self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        self.inside().restore_work(name, since, rules)
    }

    fn read(&mut self, tree: &ObjectId, paths: &[String]) -> Result<Vec<TreeFile>, GitProblem> {
        self.main.read(tree, paths)
    }

    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem> {
        self.main.list_refs()
    }

    fn delete_refs(&mut self, refs: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        self.main.delete_refs(refs)
    }
}

fn not_in_a_room(command: &str) -> GitProblem {
    let said = "a room has no such step".to_owned();
    GitProblem::Refused { command: command.to_owned(), said }
}
