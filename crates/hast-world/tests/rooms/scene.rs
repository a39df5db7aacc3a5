//! A user's repository, a room beside it, and a shell that plays the agent or the user.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::rooms::{OwnCommits, RoomChanges};
use hast_world::git::{GitEnvironment, RealRooms, Room};

pub(crate) struct Scene {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) environment: GitEnvironment,
}

/// How an agent's work was found.
pub(crate) struct Judged {
    pub(crate) changes: RoomChanges,
    pub(crate) own: OwnCommits,
}

impl Judged {
    /// Changed paths with the first letter of their kind, in order.
    pub(crate) fn list(&self) -> Vec<String> {
        let shown = |change: &hast_flow::attempt::evidence::Change| {
            let kind = format!("{:?}", change.kind);
            format!("{} {}", &kind[..1], change.path)
        };
        self.changes.changes.iter().map(shown).collect()
    }
}

const MAKE: &str = "
git init -q -b main
git config user.name user
git config user.email user@localhost
mkdir -p src/deep node_modules/lib
echo one > src/a.txt; echo two > src/deep/b.txt; echo '#!/bin/sh' > run.sh; chmod +x run.sh
printf 'node_modules/\\n.env\\n*.log\\n' > .gitignore; echo 'cache/' > src/.gitignore
echo SECRET=1 > .env; echo lib > node_modules/lib/index.js
git add -A; git commit -qm base; git tag v1; git branch side
echo uncommitted > src/mine.txt";

impl Scene {
    pub(crate) fn new() -> Self {
        Self::made_by(MAKE)
    }

    /// A repository made by a script in an empty directory.
    pub(crate) fn made_by(script: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = std::env::var_os("PATH").unwrap();
        let program = hast_world::programs::find("git", &path).unwrap();
        let home = Some(dir.path().join("home"));
        let environment = GitEnvironment {
            program,
            path,
            home,
            config_home: None,
            signing: Vec::new(),
            fetching: Vec::new(),
        };
        let scene = Self { dir, environment };
        fs::create_dir_all(scene.top()).unwrap();
        fs::create_dir_all(scene.dir.path().join("home")).unwrap();
        scene.user(script);
        scene
    }

    pub(crate) fn top(&self) -> PathBuf {
        self.dir.path().join("작업 장소")
    }

    pub(crate) fn rooms(&self) -> RealRooms {
        let directory = self.dir.path().join("state/rooms");
        RealRooms::new(&self.top(), &directory, self.environment.clone()).unwrap()
    }

    pub(crate) fn head(&self) -> ObjectId {
        self.user("git rev-parse HEAD").trim().parse().unwrap()
    }

    /// Opens a room at the user's HEAD.
    pub(crate) fn open(&self) -> (RealRooms, Room) {
        let rooms = self.rooms();
        let room = rooms.open("auto", &self.head()).unwrap();
        (rooms, room)
    }

    /// A room in which a script was the agent, looked at as after an attempt.
    pub(crate) fn worked(&self, script: &str) -> Judged {
        let (rooms, room) = self.open();
        self.agent(&room, script);
        self.judged(&rooms, &room, &|path| path != b"secret")
    }

    pub(crate) fn judged(
        &self,
        rooms: &RealRooms,
        room: &Room,
        in_scope: &dyn Fn(&[u8]) -> bool,
    ) -> Judged {
        let meant = rooms.committed_paths(room).unwrap();
        let changes = rooms.changes(room, &TreeRules::default(), &meant).unwrap();
        let own = rooms.own_commits(room, &changes.tree, in_scope).unwrap();
        Judged { changes, own }
    }

    pub(crate) fn user(&self, script: &str) -> String {
        self.shell(&self.top(), script)
    }

    pub(crate) fn agent(&self, room: &Room, script: &str) -> String {
        self.shell(&room.tree(), script)
    }

    #[expect(clippy::disallowed_methods, reason = "the test plays the agent and the user")]
    fn shell(&self, directory: &Path, script: &str) -> String {
        let output = std::process::Command::new("bash")
            .args(["-ec", script])
            .current_dir(directory)
            .env_clear()
            .env("PATH", &self.environment.path)
            .env("HOME", self.dir.path().join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Everything of the user's, by path: kind, mode and content; without objects and `refs/hast`.
    pub(crate) fn users_files(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut all = BTreeMap::new();
        let mut open = vec![self.top()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                let there = fs::symlink_metadata(&path).unwrap();
                let left_out = ["objects", "refs/hast"].iter().any(|part| path.ends_with(part));
                if left_out && path.starts_with(self.top().join(".git")) {
                    continue;
                }
                if there.is_dir() {
                    open.push(path);
                    continue;
                }
                let bytes = fs::read(&path).unwrap_or_default();
                all.insert(path, (there.mode(), bytes));
            }
        }
        all
    }
}
