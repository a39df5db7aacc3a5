//! Real git keeps the contract that the simulated work tree keeps.

use std::collections::BTreeMap;
use std::fs;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::workspace::Workspace;
use hast_flow::attempt::worktrees::{TreeName, Worktrees};
use hast_sim::git::attempt_contract;
use hast_sim::git::contract::{FILES, Scene, check};
use hast_sim::git::trees_contract::{self, Trees};

use crate::fixture::Repo;
use crate::worktrees::{inspection, look_at, path_of, trees};

struct Real(Repo);

impl Scene for Real {
    fn workspace(&self) -> Box<dyn Workspace> {
        Box::new(self.0.open())
    }

    fn write(&self, path: &str, text: &str) {
        self.0.write(path, text);
    }

    fn remove(&self, path: &str) {
        self.0.remove(path);
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        self.0.files().into_iter().map(|(path, (_, bytes))| (path, bytes)).collect()
    }

    fn commit_all(&self, message: &str) {
        self.0.commit_all(message);
    }

    fn point(&self, name: &str, to: &ObjectId) {
        self.0.git(&["update-ref", name, to.as_str()]);
    }

    fn resolve(&self, name: &str) -> Option<ObjectId> {
        let found = self.0.git(&["for-each-ref", "--format=%(objectname)", name]);
        found.parse().ok()
    }
}

impl Trees for Real {
    fn trees(&self) -> Box<dyn Worktrees> {
        Box::new(trees(&self.0))
    }

    fn write_in(&self, tree: &str, path: &str, text: &str) {
        self.0.write(&format!("{}/{path}", path_of(&self.0, tree).display()), text);
    }

    fn remove_in(&self, tree: &str, path: &str) {
        fs::remove_file(path_of(&self.0, tree).join(path)).unwrap();
    }

    fn room(&self, tree: &str) -> Box<dyn Workspace> {
        Box::new(trees(&self.0).workspace(&TreeName::of(tree)).unwrap())
    }

    fn commit_in(&self, tree: &str, message: &str) {
        let top = path_of(&self.0, tree);
        self.0.git_in(&top, &["add", "-A"]);
        self.0.git_in(&top, &["commit", "-q", "-m", message]);
    }

    fn read_in(&self, tree: &str, path: &str) -> Option<Vec<u8>> {
        fs::read(path_of(&self.0, tree).join(path)).ok()
    }

    fn commit_all_in(&self, tree: &str, message: &str) {
        self.commit_in(tree, message);
        look_at(&self.0, tree);
    }

    fn inspect_in(&self, tree: &str) -> Result<ObjectId, String> {
        Ok(inspection(&self.0, tree).tree)
    }

    fn lose_all_but_the_branch(&self, tree: &str) {
        fs::remove_dir_all(path_of(&self.0, tree).parent().unwrap()).unwrap();
    }
}

fn fresh() -> Real {
    let repo = Repo::bare_of_files();
    // The rules are the user's own, so that no file of the tree says them.
    fs::create_dir_all(repo.path("../home/.config/git")).unwrap();
    repo.write("../home/.config/git/ignore", "target/\n*.log\n.ai/\n");
    for (path, text) in FILES {
        repo.write(path, text);
    }
    repo.commit_all("first");
    Real(repo)
}

#[test]
fn real_git_keeps_the_contract() {
    check(fresh).unwrap();
}

#[test]
fn real_work_trees_keep_the_contract() {
    trees_contract::check(fresh).unwrap();
}

#[test]
fn attempts_in_real_rooms_keep_the_contract() {
    attempt_contract::check(fresh).unwrap();
}
