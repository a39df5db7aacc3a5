//! Work trees beside the user's own, in memory: they promise what the real ones promise, one lasting
//! operation after the other.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::{ObjectId, Saved, SavedWork, TreeRules};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, Head, SavePlan, perform};
use hast_flow::attempt::worktrees::{
    Added, DeliverPlan, Delivered, FoundTree, LANES, MergePlan, Removed, Replay, Spent, Standing,
    Target, TreeName, TreePlan, TreeState, Waits, Worktrees,
};

use super::machine::{Linked, Object, Tree};
use super::port::SimWorkspace;

/// What becomes of a tree that nobody was done with making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfMade {
    MadeAnew,
    /// Only to show that a sweep finds what this breaks.
    TakenForWhole,
}

/// One process's view of the work trees of a repository.
#[derive(Debug)]
pub struct SimWorktrees {
    main: SimWorkspace,
    half_made: HalfMade,
}

impl SimWorktrees {
    pub fn new(main: SimWorkspace, half_made: HalfMade) -> Self {
        Self { main, half_made }
    }

    fn inside(&self, tree: &TreeName) -> SimWorkspace {
        self.main.inside(tree.as_str())
    }

    fn is_ancestor(&self, one: &ObjectId, of: &ObjectId) -> bool {
        self.main.machine.borrow().ancestry(of).contains(one)
    }

    fn users_head(&self) -> Result<(String, ObjectId), GitProblem> {
        let name = self.main.head();
        let commit = self.main.resolve(&name).ok_or(GitProblem::NoFirstCommit)?;
        Ok((name, commit))
    }

    /// Whether a tree holds nothing that is not part of a commit of the user's.
    fn is_unused(&self, tree: &TreeName) -> Result<bool, GitProblem> {
        let Some(head) = self.main.resolve(&tree.branch()) else { return Ok(true) };
        let (_, user) = self.users_head()?;
        if !self.is_ancestor(&head, &user) {
            return Ok(false);
        }
        if !self.main.machine.borrow().is_whole(tree.as_str()) {
            return Ok(true);
        }
        let inside = self.inside(tree);
        let there = inside.scan(&TreeRules::default())?;
        Ok(inside.head() == tree.branch() && inside.diff(&head, &there).is_empty())
    }

    fn save_left(&self, plan: &TreePlan) -> Result<Option<Saved>, GitProblem> {
        let tree = &plan.tree;
        let whole = self.main.machine.borrow().is_whole(tree.as_str());
        if self.is_unused(tree)? || !whole {
            return Ok(None);
        }
        let head = self.main.resolve(&tree.branch()).ok_or(GitProblem::NoFirstCommit)?;
        let save = GitStep::Save(SavePlan {
            name: format!("refs/hast/recovered/{tree}/{}", &head.as_str()[..12]),
            rules: plan.rules.clone(),
            base: None,
            message: format!("what the work tree {tree} held"),
            at: plan.now,
            max_file_bytes: u64::MAX,
            max_total_bytes: u64::MAX,
        });
        match perform(&mut self.inside(tree), &save) {
            GitResult::Saved(saved) => Ok(Some(saved)),
            GitResult::Refused(problem) => Err(problem),
            _ => Ok(None),
        }
    }

    /// Nothing may be left of a tree but its branch, whose commits stay on a ref.
    fn keep_branch(&self, tree: &TreeName) -> Result<Option<String>, GitProblem> {
        let Some(head) = self.main.resolve(&tree.branch()) else { return Ok(None) };
        if self.main.machine.borrow().is_whole(tree.as_str()) {
            return Ok(None);
        }
        let name = format!("refs/hast/recovered/{tree}/{}", &head.as_str()[..12]);
        match self.main.resolve(&name) {
            None => self.main.move_ref(&name, None, Some(&head))?,
            Some(kept) if self.is_ancestor(&head, &kept) => {}
            Some(_) => return Ok(None),
        }
        Ok(Some(name))
    }

    /// Files, entry, branches: whatever is left can be found again.
    fn take_away(&self, tree: &TreeName) -> Result<Removed, GitProblem> {
        let name = tree.as_str();
        let files = self.inside(tree).files();
        for path in files.keys() {
            self.main.operate(|machine| machine.files_in_mut(Some(name)).remove(path))?;
        }
        if self.main.machine.borrow().linked.contains_key(name) {
            self.main.operate(|machine| machine.linked.remove(name))?;
        }
        let start = format!("{LANES}{tree}/");
        let refs = self.main.machine.borrow().refs.clone();
        for (name, at) in refs.iter().filter(|(name, _)| name.starts_with(&start)) {
            self.main.move_ref(name, Some(at), None)?;
        }
        Ok(Removed::default())
    }

    fn blob(&self, id: &ObjectId) -> Result<Vec<u8>, GitProblem> {
        match self.main.machine.borrow().get(id) {
            Some(Object::Blob(bytes)) => Ok(bytes.clone()),
            _ => Err(GitProblem::Lost { what: id.to_string() }),
        }
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
        let (tree, name) = (&plan.tree, plan.tree.as_str());
        let recovered = match self.save_left(plan)? {
            Some(saved) => Some(saved.work().name.clone()),
            None if self.is_unused(tree)? => None,
            None => Some(self.keep_branch(tree)?.ok_or_else(|| self.refused(tree))?),
        };
        let whole = |machine: &mut super::Machine| {
            if let Some(linked) = machine.linked.get_mut(name) {
                linked.whole = true;
            }
        };
        let there = self.main.machine.borrow().linked.contains_key(name);
        if there && self.half_made == HalfMade::TakenForWhole {
            self.main.operate(whole)?;
            return Ok(Added { recovered, copied: 0 });
        }
        self.take_away(tree)?;
        let branch = tree.branch();
        let linked = Linked { head: branch.clone(), ..Linked::default() };
        self.main.operate(|machine| machine.linked.insert(name.to_owned(), linked))?;
        self.main.move_ref(&branch, None, Some(&plan.at))?;
        let files = self.main.machine.borrow().tree(&plan.at);
        for (path, id) in files {
            let bytes = self.blob(&id)?;
            self.main.operate(|machine| machine.files_in_mut(Some(name)).insert(path, bytes))?;
        }
        self.main.operate(|machine| {
            whole(machine);
            machine.linked.entry(name.to_owned()).or_default().index = Some(plan.at.clone());
        })?;
        Ok(Added { recovered, copied: 0 })
    }

    fn remove(&mut self, tree: &TreeName, spent: &Spent) -> Result<Removed, GitProblem> {
        let is_spent = match spent {
            Spent::Saved(_) => true,
            Spent::Merged { into } => {
                let head = self.main.resolve(&tree.branch());
                head.is_none_or(|head| self.is_ancestor(&head, into))
            }
            Spent::Unused => self.is_unused(tree)?,
        };
        if is_spent { self.take_away(tree) } else { Err(self.refused(tree)) }
    }

    fn rescue(&mut self, plan: &TreePlan) -> Result<Option<SavedWork>, GitProblem> {
        Ok(self.save_left(plan)?.map(|saved| saved.work().clone()))
    }

    fn list(&mut self) -> Result<Vec<FoundTree>, GitProblem> {
        let machine = self.main.machine.borrow();
        let of_branch =
            |name: &String| TreeName::read(name.strip_prefix(LANES)?.strip_suffix("/work")?);
        let mut names: BTreeSet<TreeName> = machine.refs.keys().filter_map(of_branch).collect();
        names.extend(machine.linked.keys().filter_map(|name| TreeName::read(name)));
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
        let (inside, branch) = (self.inside(tree), tree.branch());
        let from = self.main.resolve(&branch);
        let mut tracked: BTreeMap<String, ObjectId> = BTreeMap::new();
        {
            let machine = self.main.machine.borrow();
            let index = machine.linked.get(tree.as_str()).and_then(|linked| linked.index.clone());
            for commit in from.iter().chain(&index) {
                tracked.extend(machine.tree(commit));
            }
        }
        if from.as_ref() != Some(to) {
            inside.move_ref(&branch, from.as_ref(), Some(to))?;
        }
        if inside.head() != branch {
            inside.switch_to(&branch)?;
        }
        let wanted = self.main.machine.borrow().tree(to);
        let paths: BTreeSet<&String> = tracked.keys().chain(wanted.keys()).collect();
        let now = inside.files();
        for path in paths {
            let bytes = wanted.get(path).map(|id| self.blob(id)).transpose()?;
            if now.get(path) != bytes.as_ref() {
                inside.put(path, bytes)?;
            }
        }
        let (name, to) = (tree.to_string(), to.clone());
        inside.operate(|machine| machine.linked.entry(name).or_default().index = Some(to))
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
        self.bring(&plan.tree, commit)?;
        if let Some((path, text)) = &plan.file
            && !self.main.machine.borrow().tree(commit).contains_key(path)
        {
            self.inside(&plan.tree).put(path, Some(text.clone().into_bytes()))?;
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
                let wanted = id.map(|id| self.blob(&id)).transpose()?;
                let was = before.get(&path).map(|id| self.blob(id)).transpose()?;
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
                self.main.put(&path, bytes)?;
            }
        }
        self.main.move_ref(name, Some(from), Some(to))?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use hast_flow::attempt::workspace::Workspace;

    use super::*;
    use crate::git::simulated_scene::Simulated;
    use crate::git::trees_contract::{Trees, check};

    impl Trees for Simulated {
        fn trees(&self) -> Box<dyn Worktrees> {
            let main = SimWorkspace::new(&self.0);
            Box::new(SimWorktrees::new(main, HalfMade::MadeAnew))
        }

        fn write_in(&self, tree: &str, path: &str, text: &str) {
            let mut machine = self.0.borrow_mut();
            machine.files_in_mut(Some(tree)).insert(path.to_owned(), text.as_bytes().to_vec());
        }

        fn read_in(&self, tree: &str, path: &str) -> Option<Vec<u8>> {
            self.0.borrow().files_in(Some(tree)).get(path).cloned()
        }

        fn commit_all_in(&self, tree: &str, message: &str) {
            self.0.borrow_mut().commit_all_in(Some(tree), message);
        }

        fn workspace_in(&self, tree: &str) -> Box<dyn Workspace> {
            Box::new(SimWorkspace::new(&self.0).inside(tree))
        }

        fn lose_all_but_the_branch(&self, tree: &str) {
            let mut machine = self.0.borrow_mut();
            machine.files_in_mut(Some(tree)).clear();
            machine.linked.remove(tree);
        }
    }

    #[test]
    fn simulated_work_trees_keep_the_contract() {
        check(Simulated::new).unwrap();
    }
}
