//! The state: objects, refs, HEAD, files; and what a power cut leaves of it.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::workspace::TreeFile;
use hast_flow::store::identity::ContentHash;

use crate::rng::Rng;

pub(super) type Tree = BTreeMap<String, ObjectId>;

/// An object, named by what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    Blob(Vec<u8>),
    Tree(Tree),
    Commit { tree: ObjectId, parents: Vec<ObjectId>, message: String, at: i64 },
}

/// Whether hast's own objects and refs are synced, as `core.fsync=all` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syncing {
    All,
    /// As git does by itself. Only to show that a sweep finds what this loses.
    Off,
}

/// Where a unit of work has its files, with a git directory that is thrown away.
#[derive(Clone, Debug, Default)]
pub struct Room {
    pub files: Files,
    /// The last commit of the branch that the agent has there.
    pub own_head: Option<ObjectId>,
    pub state: RoomState,
    /// What an inspection found: the tree, and the last of the agent's commits that are kept.
    pub judged: Option<(ObjectId, ObjectId)>,
    /// What a power cut leaves of the files and of the agent's branch for certain.
    synced: (Files, Option<ObjectId>),
}

impl Room {
    fn sync(&mut self) {
        self.synced = (self.files.clone(), self.own_head.clone());
    }

    /// Of what was not synced any part may be gone. Only hast's own notes of the room are always there.
    fn cut_power(&mut self, rng: &mut Rng) {
        let (files, own_head) = &self.synced;
        let paths: BTreeSet<String> = self.files.keys().chain(files.keys()).cloned().collect();
        for path in paths {
            if self.files.get(&path) == files.get(&path) || rng.percent(50) {
                continue;
            }
            match files.get(&path) {
                Some(bytes) => self.files.insert(path, bytes.clone()),
                None if rng.percent(50) => self.files.insert(path, Vec::new()),
                None => self.files.remove(&path),
            };
        }
        if rng.percent(50) {
            self.own_head.clone_from(own_head);
        }
        self.sync();
    }
}

/// How far hast is with a room.
#[derive(Clone, Debug, Default)]
pub enum RoomState {
    #[default]
    Making,
    Resetting(ObjectId),
    At(ObjectId),
}

pub type Files = BTreeMap<String, Vec<u8>>;

/// One repository with the user's work tree and those beside it.
#[derive(Debug)]
pub struct Machine {
    pub files: Files,
    pub rooms: BTreeMap<String, Room>,
    pub refs: BTreeMap<String, ObjectId>,
    pub head: String,
    pub syncing: Syncing,
    objects: BTreeMap<ObjectId, Object>,
    unsynced: BTreeSet<ObjectId>,
    synced_refs: BTreeMap<String, ObjectId>,
}

pub(super) const BRANCH: &str = "refs/heads/main";

impl Machine {
    /// A repository with one commit of these files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        let mut machine = Self {
            files: files.collect(),
            rooms: BTreeMap::new(),
            refs: BTreeMap::new(),
            head: BRANCH.to_owned(),
            syncing: Syncing::All,
            objects: BTreeMap::new(),
            unsynced: BTreeSet::new(),
            synced_refs: BTreeMap::new(),
        };
        machine.commit_all("first");
        machine.sync();
        machine
    }

    /// A fault, only to show that a sweep finds it: the commits that agents made in rooms are gone, and
    /// their files are there.
    pub fn forget_own_commits(&mut self) {
        for room in self.rooms.values_mut() {
            if let RoomState::At(base) = &room.state {
                room.own_head = Some(base.clone());
            }
        }
    }

    /// What git ignores here; the rules never change.
    pub fn is_ignored(path: &str) -> bool {
        path.starts_with("target/") || path.ends_with(".log")
    }

    pub fn is_whole(&self, tree: &str) -> bool {
        self.rooms.get(tree).is_some_and(|room| matches!(room.state, RoomState::At(_)))
    }

    /// The files of a work tree; none where there is no such tree.
    pub fn files_in(&self, tree: Option<&str>) -> &Files {
        static NONE: Files = Files::new();
        match tree {
            None => &self.files,
            Some(tree) => self.rooms.get(tree).map_or(&NONE, |room| &room.files),
        }
    }

    pub fn files_in_mut(&mut self, tree: Option<&str>) -> &mut Files {
        match tree {
            None => &mut self.files,
            Some(tree) => &mut self.rooms.entry(tree.to_owned()).or_default().files,
        }
    }

    /// An object as git writes it: not synced.
    pub fn add(&mut self, object: Object) -> ObjectId {
        let id = name_of(&object);
        if !self.objects.contains_key(&id) {
            self.unsynced.insert(id.clone());
            self.objects.insert(id.clone(), object);
        }
        id
    }

    pub fn get(&self, id: &ObjectId) -> Option<&Object> {
        self.objects.get(id)
    }

    pub fn tree(&self, id: &ObjectId) -> Tree {
        match self.objects.get(id) {
            Some(Object::Tree(tree)) => tree.clone(),
            Some(Object::Commit { tree, .. }) => self.tree(&tree.clone()),
            _ => Tree::new(),
        }
    }

    pub fn files_of(&self, tree: &ObjectId, paths: &[String]) -> Vec<TreeFile> {
        let files = self.tree(tree);
        let bytes = |path: &String| match files.get(path).and_then(|id| self.get(id)) {
            Some(Object::Blob(bytes)) => Some(bytes.clone()),
            _ => None,
        };
        paths.iter().map(|path| TreeFile { path: path.clone(), bytes: bytes(path) }).collect()
    }

    pub fn parents(&self, id: &ObjectId) -> &[ObjectId] {
        match self.objects.get(id) {
            Some(Object::Commit { parents, .. }) => parents,
            _ => &[],
        }
    }

    /// Every commit that a commit rests on, itself among them.
    pub fn ancestry(&self, id: &ObjectId) -> BTreeSet<ObjectId> {
        let mut found = BTreeSet::new();
        let mut open = vec![id.clone()];
        while let Some(id) = open.pop() {
            if found.insert(id.clone()) {
                open.extend(self.parents(&id).iter().cloned());
            }
        }
        found
    }

    /// Everything that is there now survives a power cut.
    pub fn sync(&mut self) {
        self.unsynced.clear();
        self.synced_refs = self.refs.clone();
    }

    /// An agent has ended: what it left in its room survives, as far as that is switched on. The disk
    /// that the rooms are on is synced as a whole.
    pub fn sync_rooms(&mut self) {
        if self.syncing == Syncing::All {
            self.rooms.values_mut().for_each(Room::sync);
            self.unsynced.clear();
        }
    }

    /// What hast has just written survives, as far as that is switched on.
    pub fn sync_own(&mut self, ids: &[ObjectId]) {
        if self.syncing == Syncing::All {
            for id in ids {
                self.unsynced.remove(id);
            }
        }
    }

    /// Moves a ref, or removes it, as hast does.
    pub fn set_ref(&mut self, name: &str, to: Option<&ObjectId>) {
        let syncing = self.syncing;
        let maps =
            [Some(&mut self.refs), (syncing == Syncing::All).then_some(&mut self.synced_refs)];
        for map in maps.into_iter().flatten() {
            match to {
                Some(to) => map.insert(name.to_owned(), to.clone()),
                None => map.remove(name),
            };
        }
    }

    /// The power goes: of what was not synced any part may be gone.
    pub fn cut_power(&mut self, rng: &mut Rng) {
        let names: BTreeSet<String> =
            self.refs.keys().chain(self.synced_refs.keys()).cloned().collect();
        for name in names {
            if rng.percent(50) {
                match self.synced_refs.get(&name) {
                    Some(id) => self.refs.insert(name, id.clone()),
                    None => self.refs.remove(&name),
                };
            }
        }
        for id in std::mem::take(&mut self.unsynced) {
            if rng.percent(50) {
                self.objects.remove(&id);
            }
        }
        self.synced_refs = self.refs.clone();
        for room in self.rooms.values_mut() {
            room.cut_power(rng);
        }
    }

    /// A commit of everything that is not ignored, as a person or an agent makes it.
    pub fn commit_all(&mut self, message: &str) -> ObjectId {
        let parent = self.refs.get(&self.head).cloned();
        let id = self.commit_of(None, parent, message);
        self.refs.insert(self.head.clone(), id.clone());
        id
    }

    /// The same in a room, with the git directory that is there.
    pub fn commit_all_in(&mut self, room: &str, message: &str) -> ObjectId {
        let parent = self.rooms.get(room).and_then(|room| room.own_head.clone());
        let id = self.commit_of(Some(room), parent, message);
        self.rooms.entry(room.to_owned()).or_default().own_head = Some(id.clone());
        id
    }

    fn commit_of(
        &mut self,
        room: Option<&str>,
        parent: Option<ObjectId>,
        message: &str,
    ) -> ObjectId {
        let files = self.files_in(room).clone();
        let mut tree = Tree::new();
        for (path, bytes) in files.into_iter().filter(|(path, _)| !Self::is_ignored(path)) {
            let id = self.add(Object::Blob(bytes));
            tree.insert(path, id);
        }
        let tree = self.add(Object::Tree(tree));
        let (parents, message) = (parent.into_iter().collect(), message.to_owned());
        self.add(Object::Commit { tree, parents, message, at: 0 })
    }

    /// A commit of one file on the branch of the user's tree, as a person makes it whose git syncs;
    /// other files that they have not committed stay so.
    pub fn commit_file(&mut self, path: &str, text: &str, message: &str) {
        let blob = self.add(Object::Blob(text.as_bytes().to_vec()));
        let parent = self.refs.get(&self.head).cloned();
        let mut tree = parent.as_ref().map(|parent| self.tree(parent)).unwrap_or_default();
        tree.insert(path.to_owned(), blob);
        let tree = self.add(Object::Tree(tree));
        let (parents, message) = (parent.into_iter().collect(), message.to_owned());
        let id = self.add(Object::Commit { tree, parents, message, at: 0 });
        self.refs.insert(self.head.clone(), id);
        self.files.insert(path.to_owned(), text.as_bytes().to_vec());
        self.sync();
    }

    /// The messages of the first parents of the branch, newest first.
    pub fn history(&self) -> Vec<String> {
        let mut messages = Vec::new();
        let mut at = self.refs.get(BRANCH).cloned();
        while let Some(Object::Commit { parents, message, .. }) =
            at.as_ref().and_then(|id| self.objects.get(id))
        {
            messages.push(message.clone());
            at = parents.first().cloned();
        }
        messages
    }
}

fn name_of(object: &Object) -> ObjectId {
    let hash = ContentHash::of(format!("{object:?}").as_bytes());
    let hex: String = hash.0.iter().map(|byte| format!("{byte:02x}")).collect();
    // Half a SHA-256 is shorter than a name of git.
    let padded = format!("{hex}00000000");
    padded.parse().unwrap_or_else(|_| name_of(&Object::Blob(Vec::new())))
}

fn within(path: &str, rule: &str) -> bool {
    if rule.ends_with('/') { path.starts_with(rule) } else { path == rule }
}

pub(super) fn is_any(path: &str, rules: &[String]) -> bool {
    rules.iter().any(|rule| within(path, rule))
}
