//! Recording where an attempt begins.

use std::rc::Rc;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, TreeRules};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::Head;

use super::RealWorkspace;
use super::glance::hidden_by;
use super::held::{HELD, Parts};
use super::index::{IndexImage, object};
use super::listing::Listing;
use super::look::{Scene, SceneOf};
use super::objects::Kind;
use super::put_back::Before;
use super::refs::{Move, base_ref};
use super::snapshot::Snapshot;
use super::true_objects::is_named;

/// A recorded start, with what only this process knows of it. The latter saves time and is never
/// needed: a later process reads the files again.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) id: ObjectId,
    pub(super) snapshot: Snapshot,
    /// What the ref of the start pointed at, and what of.
    pub(super) holder: Option<(ObjectId, Parts)>,
    pub(super) image: Option<IndexImage>,
    pub(super) listing: Option<Listing>,
    pub(super) users: Option<IndexImage>,
    /// Submodules of that index.
    pub(super) gitlinks: Vec<Vec<u8>>,
}

impl Opened {
    /// What its refs are compared with.
    pub(super) fn before(&self) -> Before<'_> {
        Before { refs: &self.snapshot.refs, trees: &self.snapshot.others }
    }
}

/// Directories of branches that hast makes: no branch may have such a name.
const OURS: [&str; 3] = ["refs/heads/hast", "refs/heads/hast/kept", "refs/heads/hast/lanes"];

impl RealWorkspace {
    pub(super) fn record_start(
        &mut self,
        key: &str,
        rules: &TreeRules,
    ) -> Result<Recorded, GitProblem> {
        let lock = self.git.place.git_dir.join("index.lock");
        if lock.exists() {
            return Err(GitProblem::Locked { path: lock.display().to_string() });
        }
        if let Some((what, _)) = self.in_progress().first() {
            return Err(GitProblem::InProgress { what: (*what).to_owned() });
        }
        let mut scene = match self.scene.take() {
            Some(scene) => scene,
            None => self.look_around(rules)?.1.ok_or(GitProblem::NoFirstCommit)?,
        };
        if let Some(name) = self.config.own_filters.first() {
            return Err(GitProblem::RepositoryFilter { name: name.clone() });
        }
        let around = scene.around.take();
        let (listing, odd) = around.unwrap_or_else(|| self.odd_now(rules, &scene));
        let Head::Branch { name: branch, commit } = scene.head.clone() else {
            return Err(GitProblem::Detached);
        };
        let handoffs = rules.handoffs.as_deref();
        if let Some(problem) = handoffs.and_then(|it| hidden_by(&scene.ignores, it)) {
            return Err(problem);
        }
        if scene.seen == SceneOf::AttemptBefore {
            self.add_new_ignored(&mut scene, &listing);
        }
        let snapshot = Snapshot { odd: Some(odd), ..self.snapshot_of(&scene, rules)? };
        self.hold_ignored(key, &snapshot.ignored, rules);
        let bytes = snapshot.encode()?;
        let id = self.keep_bytes(bytes)?;
        let (tree, snapshot_id) = (scene.tree.clone(), id.clone());
        let index = snapshot.index.clone();
        let parts = Parts { commit: commit.clone(), tree, snapshot: snapshot_id, index };
        let holder = self.git.holder(key, &parts)?;
        let name = base_ref(key);
        let from = snapshot.refs.get(&name).map(|target| target.id.clone());
        self.git.move_refs(&[Move { name, from, to: Some(holder.clone()) }])?;
        self.hold(&snapshot, &parts);
        self.begin(key, &branch, &commit)?;
        self.opened = Some(Rc::new(Opened {
            id: id.clone(),
            snapshot,
            holder: Some((holder, parts)),
            image: Some(scene.image),
            listing: Some(listing),
            users: scene.users,
            gitlinks: scene.gitlinks,
        }));
        Ok(Recorded { branch, commit, tree: scene.tree, snapshot: id })
    }

    /// An object of some bytes that survives a power cut.
    fn keep_bytes(&self, bytes: Vec<u8>) -> Result<ObjectId, GitProblem> {
        if let Some(id) = self.git.store(Kind::Blob, &bytes) {
            return Ok(id);
        }
        let call = self.git.call(["hash-object", "-w", "--stdin", "--no-filters"]);
        object(&call.synced().input(bytes).line()?)
    }

    /// Everything about a start that does not fit a line.
    fn snapshot_of(&self, scene: &Scene, rules: &TreeRules) -> Result<Snapshot, GitProblem> {
        let submodules = self.recorded_submodules(&scene.gitlinks)?;
        let mut refs = self.git.refs()?;
        let roots = self.roots(rules, &scene.guarded, &refs);
        let files = self.git.place.protected_now(&roots)?;
        self.keep_included(&files)?;
        // That one is ours, and goes before the attempt is judged or after.
        refs.retain(|name, _| !name.starts_with(HELD));
        // What comes of an attempt may have to be kept on a branch of ours.
        if let Some(way) = OURS.iter().find(|name| refs.contains_key(**name)) {
            let name = way.strip_prefix("refs/heads/").unwrap_or(way).to_owned();
            return Err(GitProblem::BranchInTheWay { name });
        }
        Ok(Snapshot {
            refs,
            odd: None,
            index: self.users_tree(scene)?,
            ignores: scene.ignores.clone(),
            flags: scene.flags.clone(),
            files,
            guarded: scene.guarded.clone(),
            in_progress: self.signs(),
            ignored: scene.ignored.clone(),
            submodules,
            others: self.git.place.other_trees(),
            aside: self.git.place.lying_aside(),
        })
    }

    /// The start that a base names, from memory or from git.
    pub(super) fn opened(&mut self, base: &Base) -> Result<Rc<Opened>, GitProblem> {
        if let Some(opened) = self.opened.as_ref().filter(|opened| opened.id == *base.snapshot()) {
            return Ok(Rc::clone(opened));
        }
        let id = base.snapshot();
        let snapshot = self.snapshot(id)?;
        let opened = Rc::new(Opened {
            id: id.clone(),
            snapshot,
            holder: None,
            image: None,
            listing: None,
            users: None,
            gitlinks: Vec::new(),
        });
        self.opened = Some(Rc::clone(&opened));
        Ok(opened)
    }

    fn snapshot(&self, id: &ObjectId) -> Result<Snapshot, GitProblem> {
        let lost = || GitProblem::Lost { what: id.to_string() };
        let bytes = self.git.call(["cat-file", "blob", id.as_str()]).run().map_err(|_| lost())?;
        // It says what hooks and settings were: nobody else may have written it.
        if is_named(id, Kind::Blob.word(), &bytes) { Snapshot::decode(&bytes) } else { Err(lost()) }
    }
}
