//! A scene of the contract in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::workspace::Workspace;

use super::contract::{FILES, Scene, check};
use super::{Machine, SimWorkspace};

/// A scene in memory.
pub(crate) struct Simulated(pub(crate) Rc<RefCell<Machine>>);

impl Simulated {
    pub(crate) fn new() -> Self {
        Self(Rc::new(RefCell::new(Machine::new(FILES))))
    }
}

impl Scene for Simulated {
    fn workspace(&self) -> Box<dyn Workspace> {
        Box::new(SimWorkspace::new(&self.0))
    }

    fn write(&self, path: &str, text: &str) {
        self.0.borrow_mut().files.insert(path.to_owned(), text.as_bytes().to_vec());
    }

    fn remove(&self, path: &str) {
        self.0.borrow_mut().files.remove(path);
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        self.0.borrow().files.clone()
    }

    fn commit_all(&self, message: &str) {
        self.0.borrow_mut().commit_all(message);
    }

    fn point(&self, name: &str, to: &ObjectId) {
        self.0.borrow_mut().refs.insert(name.to_owned(), to.clone());
    }

    fn resolve(&self, name: &str) -> Option<ObjectId> {
        self.0.borrow().refs.get(name).cloned()
    }
}

#[test]
fn the_simulated_work_tree_keeps_the_contract() {
    check(Simulated::new).unwrap();
}
