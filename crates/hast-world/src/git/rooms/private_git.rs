//! The throw-away git directory of a room: the user's branches and objects to look at, an index of
//! its own, no hooks, no credentials, and only such settings as change what files look like.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use hast_flow::process::ROOM_OBJECTS;

use super::super::index::disk;
use super::super::run::Git;
use super::{RealRooms, Room, write_file};

/// Settings of the user's that a room's git needs to see files and people as the user's does.
const TAKEN_OVER: &[&str] = &[
    "user.name",
    "user.email",
    "core.autocrlf",
    "core.eol",
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "init.defaultbranch",
];
/// What a room's git does whatever the user's does.
const FIXED: &[(&str, &str)] = &[
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("commit.gpgsign", "false"),
    ("tag.gpgsign", "false"),
    ("core.logallrefupdates", "true"),
    ("advice.detachedHead", "false"),
];
/// Files of the user's git directory that change how git reads a tree.
const COPIED: &[&str] = &["info/exclude", "info/attributes", "info/sparse-checkout", "shallow"];

impl RealRooms {
    /// Makes `.git` in the room's tree, at the room's base and with this index.
    pub(super) fn make_private_git(&self, room: &Room, index: &Path) -> Result<(), GitProblem> {
        let at = room.tree().join(".git");
        let format = self.git.call(["rev-parse", "--show-object-format"]).line()?;
        let mut init = vec!["init", "-q", "--template="];
        let format = format!("--object-format={format}");
        init.push(&format);
        let private = self.private_git(room);
        private.call(init).from(&room.trusted()).run()?;
        let write = |name: &str, bytes: &[u8]| write_file(&at.join(name), bytes);
        write(
            "objects/info/alternates",
            &self.alternates(&self.git.place.common_dir.join("objects")),
        )?;
        for name in COPIED {
            if let Ok(bytes) = fs::read(self.git.place.common_dir.join(name)) {
                write(name, &bytes)?;
            }
        }
        self.set_config(&private, room)?;
        self.copy_refs(&private, room)?;
        fs::copy(index, at.join("index")).map_err(|error| disk(&at, error))?;
        if room.record.kind == RoomKind::SamePath {
            // Inside, the user's git directory is covered by this one.
            let objects = self.git.place.top.join(ROOM_OBJECTS);
            write("objects/info/alternates", &self.alternates(&objects))?;
            super::make_private(&room.tree().join(ROOM_OBJECTS))?;
        }
        Ok(())
    }

    /// The stores that a room reads objects from: the user's, at this path, and those that it names.
    fn alternates(&self, objects: &Path) -> Vec<u8> {
        let users = self.git.place.common_dir.join("objects");
        let named = fs::read(users.join("info/alternates")).unwrap_or_default();
        let named = named.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        // A path that begins at the user's store does not begin at another one.
        let named = named.map(|line| users.join(OsStr::from_bytes(line)));
        let lines = std::iter::once(objects.to_owned()).chain(named);
        lines.flat_map(|path| [path.as_os_str().as_bytes(), b"\n"].concat()).collect()
    }

    /// Asks for the user's settings once: a room's git directory is made several times an attempt.
    fn set_config(&self, private: &Git, room: &Room) -> Result<(), GitProblem> {
        let file = room.tree().join(".git/config");
        if let Some(settings) = self.settings.get() {
            return write_file(&file, settings);
        }
        self.ask_settings(private, room, &file)?;
        let settings = fs::read(&file).map_err(|error| disk(&file, error))?;
        let _ = self.settings.set(settings);
        Ok(())
    }

    fn ask_settings(&self, private: &Git, room: &Room, file: &Path) -> Result<(), GitProblem> {
        let set = |key: &str, value: &str| {
            let call = private.call(["config", "--file"]).args([file.as_os_str()]);
            call.args([key, value]).from(&room.trusted()).run()
        };
        for key in TAKEN_OVER {
            let get = self.git.call(["config", "--includes", "--get", key]);
            let got = get.variable("GIT_CONFIG_COUNT", "0").output()?;
            let value = String::from_utf8_lossy(&got.stdout).trim_end_matches('\n').to_owned();
            if got.code == Some(0) {
                set(key, &value)?;
            }
        }
        for (key, value) in FIXED {
            set(key, value)?;
        }
        Ok(())
    }

    /// Branches, tags and remote branches as the user has them, and HEAD on the user's branch.
    fn copy_refs(&self, private: &Git, room: &Room) -> Result<(), GitProblem> {
        let list = ["for-each-ref", "--format=create %(refname) %(objectname)"];
        let kinds = ["refs/heads/", "refs/tags/", "refs/remotes/"];
        let refs = self.git.call(list).args(kinds).run()?;
        let from = &room.trusted();
        private.call(["update-ref", "--stdin"]).input(refs).from(from).run()?;
        private.call(["pack-refs", "--all"]).from(from).run()?;
        let base = room.base().as_str();
        match &room.record.branch {
            Some(branch) => {
                private.call(["symbolic-ref", "HEAD", branch]).from(from).run()?;
                private.call(["update-ref", branch, base]).from(from).run()?;
            }
            None => {
                private.call(["update-ref", "--no-deref", "HEAD", base]).from(from).run()?;
            }
        }
        Ok(())
    }

    /// Git with the room's own git directory. hast starts it before an agent was there, or in the sandbox.
    pub(super) fn private_git(&self, room: &Room) -> Git {
        let mut git = self.git_of(room);
        let at: &Path = &room.tree().join(".git");
        git.place.git_dir = at.to_owned();
        git.place.common_dir = at.to_owned();
        git
    }
}
