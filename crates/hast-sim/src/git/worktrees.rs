//! Work trees beside the user's own, in memory: they promise what the real ones promise, one lasting
//! operation after the other.

use std::collections::BTreeSet;

use hast_flow::attempt::base::{ObjectId, Saved, SavedWork, TreeRules};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, Head, SavePlan, perform};
use hast_flow::attempt::worktrees::{
    Added, DeliverPlan, Delivered, FoundTree, LANES, MergePlan, Replay, Spent, Standing, Target,
    TreeName, TreePlan, TreeState, Waits, Worktrees,
};

use super::machine::{Object, RoomState, Tree};
use super::port::SimWorkspace;
use super::room::{RoomFault, SimRoom};

/// One process's view of the work trees of a repository.
#[derive(Debug)]
pub struct SimWorktrees {
    main: SimWorkspace,
    fault: RoomFault,
}

impl SimWorktrees {
    pub fn new(main: SimWorkspace, fault: RoomFault) -> Self {
        Self { main, fault }
    }

    /// The steps of git in a unit's room. One that is gone is made again at the unit's commit.
    pub fn workspace(&self, tree: &TreeName) -> Result<SimRoom, GitProblem> {
        if let Some(room) = self.room(tree)? {
            return Ok(room);
        }
        let lost = || GitProblem::Lost { what: tree.branch() };
        self.make(tree, &self.main.resolve(&tree.branch()).ok_or_else(lost)?)
    }

    fn room(&self, tree: &TreeName) -> Result<Option<SimRoom>, GitProblem> {
        SimRoom::open(self.main.clone(), tree.clone(), self.fault)
    }

    /// A room with the files of a commit. What is half made goes first.
    fn make(&self, tree: &TreeName, at: &ObjectId) -> Result<SimRoom, GitProblem> {
        let name = tree.as_str();
        self.take_away(tree)?;
        let files = self.main.machine.borrow().tree(at);
        for (path, id) in files {
            let bytes = self.main.blob(&id)?;
            self.main.operate(|machine| machine.files_in_mut(Some(name)).insert(path, bytes))?;
        }
        self.main.operate(|machine| {
            let room = machine.rooms.entry(name.to_owned()).or_default();
            (room.own_head, room.state) = (Some(at.clone()), RoomState::At(at.clone()));
        })?;
        self.room(tree)?.ok_or_else(|| GitProblem::Lost { what: tree.to_string() })
    }

    fn is_ancestor(&self, one: &ObjectId, of: &ObjectId) -> bool {
        self.main.machine.borrow().ancestry(of).contains(one)
    }

    fn users_head(&self) -> Result<(String, ObjectId), GitProblem> {
        let name = self.main.head();
        let commit = self.main.resolve(&name).ok_or(GitProblem::NoFirstCommit)?;
        Ok((name, commit))
    }

    /// Whether a unit's commits are all the user's.
    fn is_users(&self, commit: &ObjectId) -> Result<bool, GitProblem> {
        let (_, user) = self.users_head()?;
        Ok(self.is_ancestor(commit, &user))
    }

    fn is_unused(&self, tree: &TreeName) -> Result<bool, GitProblem> {
        let head = self.main.resolve(&tree.branch());
        if let Some(head) = &head
            && !self.is_users(head)?
        {
            return Ok(false);
        }
        let Some(room) = self.room(tree)? else { return Ok(true) };
        let head = head.map_or_else(|| room.base(), Ok)?;
        room.holds_only(&head, &TreeRules::default())
    }

    fn save_left(&self, plan: &TreePlan) -> Result<Option<Saved>, GitProblem> {
        let tree = &plan.tree;
        let Some(mut room) = self.room(tree)? else { return Ok(None) };
        let head = self.main.resolve(&tree.branch()).map_or_else(|| room.base(), Ok)?;
        if self.is_users(&head)? && room.holds_only(&head, &plan.rules)? {
            return Ok(None);
        }
        let save = GitStep::Save(SavePlan {
            name: recovered(tree, &head),
            rules: plan.rules.clone(),
            base: None,
            message: format!("what the room of {tree} held"),
            at: plan.now,
            max_file_bytes: u64::MAX,
            max_total_bytes: u64::MAX,
        });
        match perform(&mut room, &save) {
            GitResult::Saved(saved) => Ok(Some(saved)),
            GitResult::Refused(problem) => Err(problem),
            _ => Ok(None),
        }
    }

    /// Nothing may be left of a unit but its ref, whose commits stay on another one.
    fn keep_branch(&self, tree: &TreeName) -> Result<Option<String>, GitProblem> {
        let Some(head) = self.main.resolve(&tree.branch()) else { return Ok(None) };
        if self.room(tree)?.is_some() || self.is_users(&head)? {
            return Ok(None);
        }
        let name = recovered(tree, &head);
        if self.main.resolve(&name).is_none() {
            self.main.move_ref(&name, None, Some(&head))?;
        }
        Ok(Some(name))
    }

    /// The files, then the room: whatever is left can be found again.
    fn take_away(&self, tree: &TreeName) -> Result<(), GitProblem> {
        let name = tree.as_str();
        if !self.main.machine.borrow().rooms.contains_key(name) {
            return Ok(());
        }
        self.main.operate(|machine| {
            machine.rooms.entry(name.to_owned()).or_default().state = RoomState::Making;
        })?;
        let files = self.main.machine.borrow().files_in(Some(name)).clone();
        for path in files.keys() {
            self.main.operate(|machine| machine.files_in_mut(Some(name)).remove(path))?;
        }
        self.main.operate(|machine| machine.rooms.remove(name)).map(|_| ())
    }

    fn point_branch(&self, tree: &TreeName, to: Option<&ObjectId>) -> Result<(), GitProblem> {
        let (name, from) = (tree.branch(), self.main.resolve(&tree.branch()));
        if from.as_ref() == to {
            return Ok(());
        }
        self.main.move_ref(&name, from.as_ref(), to)
    }

    /// The commits since `base`, oldest first.
    fn since(&self, base: &ObjectId, head: &ObjectId) -> Vec<ObjectId> {
        let machine = self.main.machine.borrow();
        let mut commits = Vec::new();
        let mut at = head.clone();
        while at != *base {
            commits.push(at.clone());
            match machine.parents(&at).first() {
                Some(parent) => at = parent.clone(),
                None => break,
            }
        }
        commits.reverse();
        commits
    }

    fn refused(&self, tree: &TreeName) -> GitProblem {
        GitProblem::EditedSince { paths: vec![tree.to_string()] }
    }

    fn moved(name: &str, expected: &ObjectId, found: Option<ObjectId>) -> GitProblem {
        GitProblem::Moved { name: name.to_owned(), expected: Some(expected.clone()), found }
    }
}

/// Where what a unit's room held is kept.
fn recovered(tree: &TreeName, head: &ObjectId) -> String {
    format!("refs/hast/recovered/{tree}/{}", &head.as_str()[..12])
}

/// A three-way merge, path by path; the paths that conflict.
fn merged(before: &Tree, ours: &Tree, theirs: &Tree) -> Result<Tree, Vec<String>> {
    let paths: BTreeSet<&String> = before.keys().chain(theirs.keys()).collect();
    let mut merged = ours.clone();
    let mut conflicts = Vec::new();
    for path in paths.into_iter().filter(|path| before.get(*path) != theirs.get(*path)) {
        let (was, is, wanted) = (before.get(path), ours.get(path), theirs.get(path));
        if is != was && is != wanted {
            conflicts.push(path.clone());
        }
        match wanted {
            Some(id) => merged.insert(path.clone(), id.clone()),
            None => merged.remove(path),
        };
    }
    if conflicts.is_empty() { Ok(merged) } else { Err(conflicts) }
}

/// No flow that is simulated asks for it.
fn not_simulated() -> GitProblem {
    GitProblem::NoGit { why: "this is not simulated".to_owned() }
}

impl Worktrees for SimWorktrees {
    fn tip(&mut self, onto: Option<&Target>) -> Result<Head, GitProblem> {
        if let Some(Target::Branch(name)) = onto {
            let gone = || GitProblem::BranchGone { name: name.clone() };
            let commit = self.main.resolve(name).ok_or_else(gone)?;
            return Ok(Head::Branch { name: name.clone(), commit });
        }
        let (name, commit) = self.users_head()?;
        Ok(Head::Branch { name, commit })
    }

    fn add(&mut self, plan: &TreePlan) -> Result<Added, GitProblem> {
        let tree = &plan.tree;
        let recovered = match self.save_left(plan)? {
            Some(saved) => Some(saved.work().name.clone()),
            None => self.keep_branch(tree)?,
        };
        self.make(tree, &plan.at)?;
        self.point_branch(tree, Some(&plan.at))?;
        Ok(Added { recovered, copied: 0 })
    }

    fn remove(&mut self, tree: &TreeName, spent: &Spent) -> Result<(), GitProblem> {
        let is_spent = match spent {
            Spent::Saved(_) => true,
            Spent::Merged { into } => {
                let head = self.main.resolve(&tree.branch());
                head.is_none_or(|head| self.is_ancestor(&head, into))
            }
            Spent::Unused => self.is_unused(tree)?,
        };
        if !is_spent {
            return Err(self.refused(tree));
        }
        self.take_away(tree)?;
        self.point_branch(tree, None)
    }

    fn rescue(&mut self, plan: &TreePlan) -> Result<Option<SavedWork>, GitProblem> {
        Ok(self.save_left(plan)?.map(|saved| saved.work().clone()))
    }

    fn list(&mut self) -> Result<Vec<FoundTree>, GitProblem> {
        let machine = self.main.machine.borrow();
        let of_branch = |name: &String| TreeName::read(name.strip_prefix(LANES)?);
        let mut names: BTreeSet<TreeName> = machine.refs.keys().filter_map(of_branch).collect();
        names.extend(machine.rooms.keys().filter_map(|name| TreeName::read(name)));
        let found = names.into_iter().map(|tree| FoundTree {
            head: machine.refs.get(&tree.branch()).cloned(),
            state: if machine.is_whole(tree.as_str()) {
                TreeState::Whole
            } else {
                TreeState::Broken
            },
            bytes: machine
                .files_in(Some(tree.as_str()))
                .values()
                .map(|file| file.len() as u64)
                .sum(),
            tree,
        });
        Ok(found.collect())
    }

    fn replay(
        &mut self,
        base: &ObjectId,
        head: &ObjectId,
        onto: &ObjectId,
    ) -> Result<Replay, GitProblem> {
        let mut tip = onto.clone();
        let mut parent = base.clone();
        for commit in self.since(base, head) {
            let (before, ours, theirs, object) = {
                let machine = self.main.machine.borrow();
                let object = machine.get(&commit).cloned();
                (machine.tree(&parent), machine.tree(&tip), machine.tree(&commit), object)
            };
            let Some(Object::Commit { message, at, .. }) = object else {
                return Err(GitProblem::Lost { what: commit.to_string() });
            };
            match merged(&before, &ours, &theirs) {
                Err(paths) => return Ok(Replay::Conflict { paths }),
                // The same change is there already.
                Ok(merged) if merged == ours => {}
                Ok(merged) => {
                    let tree = self.main.write(Object::Tree(merged))?;
                    let parents = vec![tip.clone()];
                    tip = self.main.write(Object::Commit { tree, parents, message, at })?;
                }
            }
            parent = commit;
        }
        let tree = match self.main.machine.borrow().get(&tip) {
            Some(Object::Commit { tree, .. }) => tree.clone(),
            _ => return Err(GitProblem::Lost { what: tip.to_string() }),
        };
        Ok(Replay::Done { commit: tip, tree })
    }

    fn bring(&mut self, tree: &TreeName, to: &ObjectId) -> Result<(), GitProblem> {
        self.workspace(tree)?.put_to(to)?;
        self.point_branch(tree, Some(to))
    }

    fn standing(&mut self, onto: &Target) -> Result<Standing, GitProblem> {
        let on = matches!(onto, Target::Branch(name) if self.main.head() == *name);
        Ok(if on { Standing::On } else { Standing::Off })
    }

    fn contains(&mut self, onto: Option<&Target>, commit: &ObjectId) -> Result<bool, GitProblem> {
        match self.tip(onto)? {
            Head::Branch { commit: tip, .. } | Head::Detached { commit: tip } => {
                Ok(self.is_ancestor(commit, &tip))
            }
            Head::Unborn { .. } => Ok(false),
        }
    }

    /// Branches only: there are no diffs in this memory.
    fn deliver(&mut self, plan: &DeliverPlan) -> Result<Option<String>, GitProblem> {
        let Delivered::Branch { name, commit } = &plan.work else {
            return Ok(Some("a patch does not fit here".to_owned()));
        };
        let found = self.main.resolve(name);
        if found.as_ref() != Some(commit) || !self.is_ancestor(&plan.base, commit) {
            return Ok(Some(format!("{name} does not begin at {}", plan.base)));
        }
        self.bring(&plan.tree, &plan.base)?;
        let room = self.workspace(&plan.tree)?;
        room.take_delivery(commit)?;
        if let Some((path, text)) = &plan.file
            && !self.main.machine.borrow().tree(commit).contains_key(path)
        {
            room.put(path, text.clone().into_bytes())?;
        }
        Ok(None)
    }

    fn measure(
        &mut self,
        _: &ObjectId,
        _: &ObjectId,
        _: &[String],
    ) -> Result<(u64, u64), GitProblem> {
        Err(not_simulated())
    }

    fn merge(&mut self, plan: &MergePlan) -> Result<Option<Waits>, GitProblem> {
        let MergePlan { onto, from, to, .. } = plan;
        let Target::Branch(name) = onto else { return Err(Self::moved("HEAD", from, None)) };
        let found = self.main.resolve(name);
        if let Some(found) = found.as_ref().filter(|found| *found != from && *found != to)
            && self.is_ancestor(to, found)
        {
            return Ok(None);
        }
        let as_told = found.as_ref() == Some(from) || found.as_ref() == Some(to);
        if !as_told || !self.is_ancestor(from, to) {
            return Err(Self::moved(name, from, found));
        }
        if from == to || found.as_ref() == Some(to) {
            return Ok(None);
        }
        if self.main.head() == *name {
            let now = self.main.files();
            let before = self.main.machine.borrow().tree(from);
            let mut puts = Vec::new();
            let mut users = Vec::new();
            for (path, id) in self.main.diff(from, to) {
                let wanted = id.map(|id| self.main.blob(&id)).transpose()?;
                let was = before.get(&path).map(|id| self.main.blob(id)).transpose()?;
                let is = now.get(&path);
                if is != was.as_ref() && is != wanted.as_ref() {
                    users.push(path);
                } else {
                    puts.push((path, wanted));
                }
            }
            if !users.is_empty() {
                return Ok(Some(Waits::UsersFiles { paths: users }));
            }
            for (path, bytes) in puts {
                if self.fault != RoomFault::BranchOnly {
                    self.main.put(&path, bytes)?;
                }
            }
        }
        self.main.move_ref(name, Some(from), Some(to))?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hast_flow::attempt::workspace::Workspace;

    use crate::git::attempt_contract::{self, inspect};
    use crate::git::simulated_scene::Simulated;
    use crate::git::trees_contract::{Trees, base_of, check};

    impl Trees for Simulated {
        fn trees(&self) -> Box<dyn Worktrees> {
            let main = SimWorkspace::new(&self.0);
            Box::new(SimWorktrees::new(main, RoomFault::None))
        }

        fn write_in(&self, tree: &str, path: &str, text: &str) {
            let mut machine = self.0.borrow_mut();
            machine.files_in_mut(Some(tree)).insert(path.to_owned(), text.as_bytes().to_vec());
        }

        fn remove_in(&self, tree: &str, path: &str) {
            self.0.borrow_mut().files_in_mut(Some(tree)).remove(path);
        }

        fn read_in(&self, tree: &str, path: &str) -> Option<Vec<u8>> {
            self.0.borrow().files_in(Some(tree)).get(path).cloned()
        }

        fn room(&self, tree: &str) -> Box<dyn Workspace> {
            let trees = SimWorktrees::new(SimWorkspace::new(&self.0), RoomFault::None);
            Box::new(trees.workspace(&TreeName::of(tree)).unwrap())
        }

        fn commit_in(&self, tree: &str, message: &str) {
            self.0.borrow_mut().commit_all_in(tree, message);
        }

        fn commit_all_in(&self, tree: &str, message: &str) {
            self.0.borrow_mut().commit_all_in(tree, message);
            let main = SimWorkspace::new(&self.0);
            let trees = SimWorktrees::new(main, RoomFault::None);
            let mut room = trees.workspace(&TreeName::of(tree)).unwrap();
            let base = base_of(&TreeName::of(tree), &room.base().unwrap()).unwrap();
            inspect(&mut room, &base).unwrap();
        }

        fn inspect_in(&self, tree: &str) -> Result<ObjectId, String> {
            let trees = SimWorktrees::new(SimWorkspace::new(&self.0), RoomFault::None);
            let mut room = trees.workspace(&TreeName::of(tree)).map_err(|why| why.to_string())?;
            let base = base_of(&TreeName::of(tree), &room.base().map_err(|why| why.to_string())?)?;
            inspect(&mut room, &base).map(|found| found.tree)
        }

        fn lose_all_but_the_branch(&self, tree: &str) {
            let mut machine = self.0.borrow_mut();
            machine.files_in_mut(Some(tree)).clear();
            machine.rooms.remove(tree);
        }
    }

    #[test]
    fn simulated_work_trees_keep_the_contract() {
        check(Simulated::new).unwrap();
        attempt_contract::check(Simulated::new).unwrap();
    }
}
