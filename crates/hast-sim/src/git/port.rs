//! Building blocks of the simulated git steps: operations that last, trees and refs of a simulated
//! work tree.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::evidence::ChangeKind;
use hast_flow::attempt::git_problem::GitProblem;

use super::machine::{Machine, Object, Tree, is_any};
use crate::disk::{Hit, World};

/// Paths that differ, and what they are then.
pub(super) type Differences = BTreeMap<String, Option<ObjectId>>;

/// One process's view of a work tree.
#[derive(Clone, Debug)]
pub struct SimWorkspace {
    pub machine: Rc<RefCell<Machine>>,
    /// The room whose files these are; none is the user's own tree.
    tree: Option<String>,
    /// The process, and the machine whose operations these are too.
    life: Option<(Rc<RefCell<World>>, u64)>,
}

impl SimWorkspace {
    pub fn new(machine: &Rc<RefCell<Machine>>) -> Self {
        Self { machine: Rc::clone(machine), tree: None, life: None }
    }

    /// As part of a process that can die.
    pub fn of(machine: &Rc<RefCell<Machine>>, world: &Rc<RefCell<World>>, process: u64) -> Self {
        Self { machine: Rc::clone(machine), tree: None, life: Some((Rc::clone(world), process)) }
    }

    /// The same process with the files of a room.
    pub fn inside(&self, tree: &str) -> Self {
        Self { tree: Some(tree.to_owned()), ..self.clone() }
    }

    pub(super) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        self.machine.borrow().files_in(self.tree.as_deref()).clone()
    }

    /// The branch that the user has checked out.
    pub(super) fn head(&self) -> String {
        self.machine.borrow().head.clone()
    }

    pub(super) fn blob(&self, id: &ObjectId) -> Result<Vec<u8>, GitProblem> {
        match self.machine.borrow().get(id) {
            Some(Object::Blob(bytes)) => Ok(bytes.clone()),
            _ => Err(GitProblem::Lost { what: id.to_string() }),
        }
    }

    /// One operation that lasts.
    pub fn operate<T>(&self, work: impl FnOnce(&mut Machine) -> T) -> Result<T, GitProblem> {
        if let Some(tree) = self.tree.as_ref().filter(|tree| !self.machine.borrow().is_whole(tree))
        {
            return Err(GitProblem::NotARepository { path: tree.clone() });
        }
        let hit = match &self.life {
            None => Hit::Fine,
            Some((world, process)) => world.borrow_mut().operate(*process),
        };
        let stopped = |why: &str| GitProblem::Disk { path: "work".into(), why: why.to_owned() };
        match hit {
            Hit::Fine => Ok(work(&mut self.machine.borrow_mut())),
            Hit::Refused => Err(stopped("No space left on device (os error 28)")),
            Hit::Dead => Err(stopped("the process is dead")),
            Hit::DoneThenDead => {
                work(&mut self.machine.borrow_mut());
                Err(stopped("the process is dead"))
            }
        }
    }

    /// Writes an object so that it survives.
    pub(super) fn write(&self, object: Object) -> Result<ObjectId, GitProblem> {
        self.operate(|machine| {
            let id = machine.add(object);
            machine.sync_own(std::slice::from_ref(&id));
            id
        })
    }

    pub(super) fn move_ref(
        &self,
        name: &str,
        from: Option<&ObjectId>,
        to: Option<&ObjectId>,
    ) -> Result<(), GitProblem> {
        self.operate(|machine| {
            let found = machine.refs.get(name).cloned();
            if found.as_ref() != from {
                let (name, expected) = (name.to_owned(), from.cloned());
                return Err(GitProblem::Moved { name, expected, found });
            }
            machine.set_ref(name, to);
            Ok(())
        })?
    }

    /// What is there, as a tree object.
    pub(super) fn scan(&self, rules: &TreeRules) -> Result<ObjectId, GitProblem> {
        let ours = self
            .files()
            .into_iter()
            .filter(|(path, _)| !Machine::is_ignored(path) && !is_any(path, &rules.leave_out));
        self.operate(|machine| {
            let mut ids = Vec::new();
            let mut tree = Tree::new();
            for (path, bytes) in ours {
                let id = machine.add(Object::Blob(bytes));
                ids.push(id.clone());
                tree.insert(path, id);
            }
            let id = machine.add(Object::Tree(tree));
            ids.push(id.clone());
            machine.sync_own(&ids);
            id
        })
    }

    pub(super) fn resolve(&self, name: &str) -> Option<ObjectId> {
        self.machine.borrow().refs.get(name).cloned()
    }

    pub(super) fn diff(&self, from: &ObjectId, to: &ObjectId) -> Differences {
        let machine = self.machine.borrow();
        let (from, to) = (machine.tree(from), machine.tree(to));
        let paths: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
        let differs = paths.into_iter().filter(|path| from.get(*path) != to.get(*path));
        differs.map(|path| (path.clone(), to.get(path).cloned())).collect()
    }

    pub(super) fn kind(&self, base: &ObjectId, path: &str, now: Option<&ObjectId>) -> ChangeKind {
        let machine = self.machine.borrow();
        let blank = |id: &ObjectId| match machine.get(id) {
            Some(Object::Blob(bytes)) => bytes.iter().all(u8::is_ascii_whitespace),
            _ => false,
        };
        match (machine.tree(base).get(path), now) {
            (None, Some(is)) if blank(is) => ChangeKind::Hollow,
            (None, _) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(was), Some(is)) if blank(is) && !blank(was) => ChangeKind::Emptied,
            (Some(_), Some(_)) => ChangeKind::Modified,
        }
    }

    pub(super) fn put(&self, path: &str, bytes: Option<Vec<u8>>) -> Result<(), GitProblem> {
        let tree = self.tree.clone();
        self.operate(|machine| {
            let files = machine.files_in_mut(tree.as_deref());
            match bytes {
                Some(bytes) => files.insert(path.to_owned(), bytes),
                None => files.remove(path),
            };
        })
    }

    /// Objects of others survive from here on.
    pub(super) fn sync_objects(&self) -> Result<(), GitProblem> {
        self.operate(Machine::sync)
    }

    pub(super) fn entries_on(
        &self,
        tree: &ObjectId,
        entries: &BTreeMap<String, Option<ObjectId>>,
    ) -> Result<ObjectId, GitProblem> {
        let mut tree = self.machine.borrow().tree(tree);
        for (path, id) in entries {
            match id {
                Some(id) => tree.insert(path.clone(), id.clone()),
                None => tree.remove(path),
            };
        }
        self.write(Object::Tree(tree))
    }

    /// Makes the work tree have what a tree has, file by file.
    pub(super) fn check_out(&self, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        for (path, id) in self.diff(from, to) {
            let bytes = match id.map(|id| self.machine.borrow().get(&id).cloned()) {
                None => None,
                Some(Some(Object::Blob(bytes))) => Some(bytes),
                Some(_) => return Err(GitProblem::Lost { what: path }),
            };
            self.put(&path, bytes)?;
        }
        Ok(())
    }
}
