//! What keeps a start reachable while its attempt lasts, so that no pruning takes away what a ref, a
//! stash or the user's index had when it began. Needs nothing but git's own reachability.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::SystemTime;

use hast_flow::attempt::base::{Base, ObjectId, ref_part};
use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::time::UtcTime;

use super::RealWorkspace;
use super::config::Writing;
use super::entries::object_id;
use super::index::{disk, object};
use super::objects::{Kind, NewCommit, raw};
use super::record::Opened;
use super::ref_files::Lasts;
use super::refs::{Move, Refs, base_ref};
use super::run::Git;
use super::snapshot::{Home, Snapshot, Was};
use super::true_objects::OBJECTS;

/// The refs that tell where attempts began: a commit whose tree has the record and the tree, and whose
/// parent is the commit of that moment.
pub(super) const BASES: &str = "refs/hast/bases/";
/// One ref for each work tree in which an attempt is under way: its parents are whatever other refs had.
pub(super) const HELD: &str = "refs/hast/held/";
/// What the one of the main work tree is called.
const CHECKOUT: &str = "checkout";
const STASHES: &[u8] = b"logs/refs/stash";
/// Our refs stay by themselves: whoever deletes them would delete what holds them too.
const OURS: &str = "refs/hast/";
const BRANCHES: &str = "refs/heads/";

/// What a start consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) commit: ObjectId,
    pub(super) tree: ObjectId,
    pub(super) snapshot: ObjectId,
    /// The tree of the user's index, where that is another one.
    pub(super) index: Option<ObjectId>,
}

/// What is held for the attempt that is under way, and what is known of objects that refs point at.
#[derive(Debug, Default)]
pub(super) struct Holding {
    ids: BTreeSet<ObjectId>,
    commit: Option<ObjectId>,
    /// The commits of such objects; none of what is no commit.
    peeled: BTreeMap<ObjectId, Option<ObjectId>>,
}

impl Git {
    /// The commit that a ref of [`BASES`] points at.
    pub(super) fn holder(&self, key: &str, parts: &Parts) -> Result<ObjectId, GitProblem> {
        let mut entries = vec![("snapshot", Kind::Blob, &parts.snapshot)];
        entries.extend(parts.index.as_ref().map(|index| ("index", Kind::Tree, index)));
        entries.push(("tree", Kind::Tree, &parts.tree));
        entries.sort_by_key(|(name, ..)| *name);
        let tree = self.tree_of_parts(&entries)?;
        self.commit_of_ours(&tree, &[&parts.commit], &format!("{key} began here\n"))
    }

    fn tree_of_parts(&self, entries: &[(&str, Kind, &ObjectId)]) -> Result<ObjectId, GitProblem> {
        let stored = || {
            let mut content = Vec::new();
            for (name, kind, id) in entries {
                let mode = if *kind == Kind::Tree { "40000" } else { "100644" };
                content.extend(format!("{mode} {name}\0").bytes());
                content.extend(raw(id)?);
            }
            self.store(Kind::Tree, &content)
        };
        if let Some(tree) = stored() {
            return Ok(tree);
        }
        let line = |(name, kind, id): &(&str, Kind, &ObjectId)| match kind {
            Kind::Tree => format!("040000 tree {id}\t{name}\n"),
            Kind::Blob | Kind::Commit => format!("100644 blob {id}\t{name}\n"),
        };
        let input: String = entries.iter().map(line).collect();
        object(&self.call(["mktree"]).synced().input(input.into_bytes()).line()?)
    }

    fn commit_of_ours(
        &self,
        tree: &ObjectId,
        parents: &[&ObjectId],
        message: &str,
    ) -> Result<ObjectId, GitProblem> {
        let at = jiff::Timestamp::try_from(SystemTime::now()).unwrap_or_default();
        let (name, email, at) = ("hast", "hast@localhost", UtcTime::new(at));
        self.make_commit(&NewCommit { tree, parents, name, email, at, message })
    }

    /// Points one of our refs at something, wherever it points now. After a power cut no agent runs.
    fn set_own_ref(&self, name: &str, to: &ObjectId) -> Result<(), GitProblem> {
        if self.overrides.writing == Writing::ByGit {
            let (from, name, to) = (self.resolve(name)?, name.to_owned(), Some(to.clone()));
            return self.move_refs(&[Move { name, from, to }]);
        }
        let path = self.place.common_dir.join(name);
        let put = fs::create_dir_all(path.parent().unwrap_or(&path))
            .and_then(|()| self.put(&path, &format!("{to}\n"), Lasts::AfterADeath));
        put.map_err(|error| disk(&path, error))
    }

    /// Takes one of our refs away, in whatever form it is there.
    fn drop_own_ref(&self, name: &str) {
        let path = self.place.common_dir.join(name);
        if self.overrides.writing == Writing::Plain && self.ref_in_files(name) == Some(None) {
            return;
        }
        let _ = fs::remove_file(&path);
        if let Ok(Some(from)) = self.resolve(name) {
            let (name, from) = (name.to_owned(), Some(from));
            let _ = self.move_refs(&[Move { name, from, to: None }]);
        }
    }

    /// The name of the ref that holds for this work tree.
    fn held_name(&self) -> String {
        let linked = self.place.is_linked().then(|| self.place.git_dir.file_name()).flatten();
        let name = linked.map_or_else(|| CHECKOUT.into(), |name| name.to_string_lossy());
        format!("{HELD}{}", ref_part(&name))
    }
}

impl RealWorkspace {
    /// The tree of the user's index, where it is not what the work tree has.
    pub(super) fn users_tree(
        &self,
        scene: &super::look::Scene,
    ) -> Result<Option<ObjectId>, GitProblem> {
        let Some(users) = scene.users.as_ref().filter(|users| !users.has_bytes_of(&scene.image))
        else {
            return Ok(None);
        };
        if let Some(tree) = self.git.entries(users).and_then(|all| self.git.store_tree(&all)) {
            return Ok(Some(tree));
        }
        let index = self.scratch.index(Some(users))?;
        self.git.write_tree(&index).map(Some)
    }

    /// Holds what other refs and the stash have. An attempt without it can still be judged, so that no
    /// failure is one of the attempt.
    pub(super) fn hold(&mut self, snapshot: &Snapshot, parts: &Parts) {
        self.drop_held_by_nobody();
        let Ok(mut ids) = self.commits_of(&snapshot.refs) else { return };
        ids.extend(stashes(snapshot));
        ids.remove(&parts.commit);
        let name = self.git.held_name();
        if ids.is_empty() {
            self.git.drop_own_ref(&name);
            self.holding.commit = None;
            return;
        }
        let there = self.holding.commit.as_ref().is_some_and(|it| self.git.is_loose_commit(it));
        if self.holding.ids != ids || !there {
            let parents: Vec<&ObjectId> = ids.iter().collect();
            let message = "what other refs had when the attempt began\n";
            self.holding.commit = self.git.commit_of_ours(&parts.tree, &parents, message).ok();
            self.holding.ids = ids;
        }
        if let Some(commit) = &self.holding.commit {
            let _ = self.git.set_own_ref(&name, commit);
        }
    }

    /// Nothing is under way any more.
    pub(super) fn let_go(&mut self) {
        self.git.drop_own_ref(&self.git.held_name());
        self.holding.commit = None;
    }

    /// The ref of the start, where the attempt took it away: without it the next pruning takes the rest.
    /// What was pruned already is made again from what this process knows and the work tree still has.
    pub(super) fn start_back(
        &self,
        base: &Base,
        opened: &Opened,
        now: &Refs,
    ) -> Result<Option<Breach>, GitProblem> {
        let Some((holder, parts)) = &opened.holder else { return Ok(None) };
        let name = base_ref(base.key());
        if now.get(&name).is_some_and(|there| there.id == *holder) {
            return Ok(None);
        }
        let all = [holder, &parts.commit, &parts.tree, &parts.snapshot];
        let missing = self.git.missing(&all.into_iter().chain(&parts.index).collect::<Vec<_>>())?;
        if !missing.is_empty() {
            self.make_again(opened, parts)?;
        }
        let holder = self.git.holder(base.key(), parts)?;
        self.git.set_own_ref(&name, &holder)?;
        Ok(Some(Breach::RefMoved { name }))
    }

    fn make_again(&self, opened: &Opened, parts: &Parts) -> Result<(), GitProblem> {
        self.git.store(Kind::Blob, &opened.snapshot.encode()?);
        let Some(image) = &opened.image else { return Ok(()) };
        let before = self.git.entries(image).map(|entries| entries.all).unwrap_or_default();
        let ids: Vec<(ObjectId, &[u8])> =
            before.iter().filter_map(|one| Some((object_id(one.object)?, one.path))).collect();
        let missing = self.git.missing(&ids.iter().map(|(id, _)| id).collect::<Vec<_>>())?;
        let paths: Vec<&[u8]> =
            ids.iter().filter(|(id, _)| missing.contains(id)).map(|(_, path)| *path).collect();
        let aside = self.scratch.aside(OBJECTS);
        self.git.take_in(&self.scratch.index(None)?, &paths, &aside)?;
        let made = self.git.write_tree(&self.scratch.index(Some(image))?)?;
        if made == parts.tree {
            return Ok(());
        }
        Err(GitProblem::Lost { what: parts.tree.to_string() })
    }

    /// Work trees go, and what died in one of them could not let go.
    fn drop_held_by_nobody(&self) {
        let common = &self.git.place.common_dir;
        for entry in fs::read_dir(common.join(HELD)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let there = |name: &str| common.join("worktrees").join(name).is_dir();
            // A name that had to be encoded is nobody's that hast makes.
            if name != CHECKOUT && !there(&name) && !name.contains('%') {
                self.git.drop_own_ref(&format!("{HELD}{name}"));
            }
        }
    }

    /// The commits that refs stand for. Git is asked about an object once, and only if it is packed.
    fn commits_of(&mut self, refs: &Refs) -> Result<BTreeSet<ObjectId>, GitProblem> {
        let mut commits = BTreeSet::new();
        let mut asked = Vec::new();
        let peeled = &mut self.holding.peeled;
        for (name, target) in refs {
            if name.starts_with(OURS) || target.follows.is_some() {
                continue;
            }
            // Git puts nothing else there.
            if name.starts_with(BRANCHES) || self.git.is_loose_commit(&target.id) {
                commits.insert(target.id.clone());
            } else if let Some(known) = peeled.get(&target.id) {
                commits.extend(known.clone());
            } else {
                asked.push(target.id.clone());
            }
        }
        for (id, commit) in self.git.peel(&asked)? {
            commits.extend(commit.clone());
            peeled.insert(id, commit);
        }
        Ok(commits)
    }
}

impl Git {
    fn peel(&self, ids: &[ObjectId]) -> Result<BTreeMap<ObjectId, Option<ObjectId>>, GitProblem> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let input: String = ids.iter().map(|id| format!("{id}^{{commit}}\n")).collect();
        let call = self.call(["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
        let bytes = call.input(input.into_bytes()).run()?;
        let text = String::from_utf8_lossy(&bytes);
        let commit = |line: &str| line.strip_suffix(" commit")?.parse().ok();
        Ok(ids.iter().cloned().zip(text.lines().map(commit)).collect())
    }

    /// Which of some objects are not there.
    pub(super) fn missing(&self, ids: &[&ObjectId]) -> Result<BTreeSet<ObjectId>, GitProblem> {
        if ids.is_empty() {
            return Ok(BTreeSet::new());
        }
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let call = self.call(["cat-file", "--batch-check=%(objectname)"]);
        let bytes = call.input(input.into_bytes()).run()?;
        let text = String::from_utf8_lossy(&bytes);
        let gone = text.lines().filter_map(|line| line.strip_suffix(" missing")?.parse().ok());
        Ok(gone.collect())
    }
}

/// What the log of the stash lists: only the newest of them is on a ref.
fn stashes(snapshot: &Snapshot) -> Vec<ObjectId> {
    let is_log = |home: Home, path: &[u8]| home == Home::Common && path == STASHES;
    let log = snapshot.files.iter().find(|kept| is_log(kept.home, &kept.path));
    let Some(Was::File { bytes, .. }) = log.map(|kept| &kept.was) else { return Vec::new() };
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter_map(|line| line.split(' ').nth(1)?.parse().ok()).collect()
}
