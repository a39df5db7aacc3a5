//! Real git keeps the contract that the simulated work tree keeps.

use std::collections::BTreeMap;
use std::fs;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::workspace::Workspace;
use hast_sim::git::contract::{FILES, Scene, check};

use crate::fixture::Repo;

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

#[test]
fn real_git_keeps_the_contract() {
    let fresh = || {
        let repo = Repo::bare_of_files();
        // The rules are the user's own, so that no file of the tree says them.
        fs::create_dir_all(repo.path("../home/.config/git")).unwrap();
        repo.write("../home/.config/git/ignore", "target/\n*.log\n");
        for (path, text) in FILES {
            repo.write(path, text);
        }
        repo.commit_all("first");
        Real(repo)
    };
    check(fresh).unwrap();
}
