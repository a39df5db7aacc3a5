//! What no attempt may change, in the simulated work tree: recorded at its base and given back.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::{Displaced, Meanwhile, comes_with_a_fetch};
use hast_flow::attempt::workspace::{Guarded, Reach};
use serde::{Deserialize, Serialize};

use super::machine::Object;
use super::port::SimWorkspace;

#[derive(Serialize, Deserialize)]
pub(super) struct Snapshot {
    pub(super) refs: BTreeMap<String, ObjectId>,
    pub(super) config: Vec<u8>,
    pub(super) protected: BTreeMap<String, Vec<u8>>,
}

const CONFIG: &str = ".git/config";

impl SimWorkspace {
    fn snapshot(&self, base: &Base) -> Result<Snapshot, GitProblem> {
        let lost = || GitProblem::Lost { what: base.snapshot().to_string() };
        match self.machine.borrow().get(base.snapshot()) {
            Some(Object::Blob(bytes)) => serde_json::from_slice(bytes).map_err(|_| lost()),
            _ => Err(lost()),
        }
    }

    fn give_back_config(&self, base: &Base) -> Result<Vec<RepoPath>, GitProblem> {
        let before = self.snapshot(base)?;
        if self.machine.borrow().config == before.config {
            return Ok(Vec::new());
        }
        self.operate(|machine| machine.config.clone_from(&before.config))?;
        Ok(vec![RepoPath(CONFIG.into())])
    }

    /// Gives back what is protected, one thing after the other.
    pub(super) fn give_back(&self, base: &Base) -> Result<Vec<RepoPath>, GitProblem> {
        let before = self.snapshot(base)?;
        let mut changed = self.give_back_config(base)?;
        for path in &base.rules().protected {
            let now = self.files().remove(path);
            let was = before.protected.get(path);
            if now.as_ref() != was {
                self.put(path, was.cloned())?;
                changed.push(RepoPath(path.as_str().into()));
            }
        }
        Ok(changed)
    }

    pub(super) fn guard_since(&self, base: &Base, reach: Reach) -> Result<Guarded, GitProblem> {
        let files = match reach {
            Reach::Everything => self.give_back(base)?,
            Reach::OfGit | Reach::OfGitButRefs => self.give_back_config(base)?,
        };
        let refs = self.moved_refs(base)?;
        if reach != Reach::OfGitButRefs {
            self.restore_refs(base)?;
        }
        let files = files.iter().map(ToString::to_string).collect();
        Ok(Guarded { files, refs, ..Guarded::default() })
    }

    fn moved_refs(&self, base: &Base) -> Result<Vec<String>, GitProblem> {
        let before = self.snapshot(base)?.refs;
        let now = self.machine.borrow().refs.clone();
        let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let moved = names.into_iter().filter(|name| {
            let own = name.starts_with("refs/hast/") && !before.contains_key(*name);
            before.get(*name) != now.get(*name) && *name != base.branch() && !own
        });
        Ok(moved.cloned().collect())
    }

    /// Other refs are put back, and what they pointed at stays reachable. What a fetch brings is no breach.
    pub(super) fn restore_refs(&self, base: &Base) -> Result<Vec<Breach>, GitProblem> {
        let before = self.snapshot(base)?.refs;
        let now = self.machine.borrow().refs.clone();
        let mut breaches = Vec::new();
        for name in &self.moved_refs(base)? {
            if let Some(at) = now.get(name) {
                let kept = kept_at(base, name);
                self.move_ref(&kept, self.resolve(&kept).as_ref(), Some(at))?;
            }
            self.move_ref(name, now.get(name), before.get(name))?;
            if !comes_with_a_fetch(name) {
                breaches.push(Breach::RefMoved { name: name.clone() });
            }
        }
        Ok(breaches)
    }

    /// What had become of refs that are put back: those that were a breach, and those of a fetch.
    pub(super) fn displaced(
        &self,
        base: &Base,
        breaches: &[Breach],
        now: &BTreeMap<String, ObjectId>,
    ) -> Result<Vec<Displaced>, GitProblem> {
        let before = self.snapshot(base)?.refs;
        let name = |breach: &Breach| match breach {
            Breach::RefMoved { name } => Some(name.clone()),
            _ => None,
        };
        let moves = |name: &&String| before.get(*name) != now.get(*name);
        let fetched = before.keys().chain(now.keys()).filter(|name| comes_with_a_fetch(name));
        let fetched = fetched.filter(moves).cloned();
        let names: BTreeSet<String> = breaches.iter().filter_map(name).chain(fetched).collect();
        let one = |name: String| Displaced {
            was: match (before.contains_key(&name), now.contains_key(&name)) {
                (true, true) => Meanwhile::Moved,
                (true, false) => Meanwhile::Deleted,
                (false, _) => Meanwhile::Made,
            },
            at: now.contains_key(&name).then(|| kept_at(base, &name)),
            name,
        };
        Ok(names.into_iter().map(one).collect())
    }
}

/// The ref that keeps what another one pointed at.
fn kept_at(base: &Base, name: &str) -> String {
    format!("refs/hast/displaced/{}/{name}", base.key())
}
