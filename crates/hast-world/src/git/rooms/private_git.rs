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
        // What code of an agent has left there may lead anywhere.
        room.files()?.join(".git").remove()?;
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
        super::make_private(&at.join("hooks"))?;
        self.set_config(room)?;
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
    fn set_config(&self, room: &Room) -> Result<(), GitProblem> {
        let file = room.tree().join(".git/config");
        if let Some(settings) = self.settings.get() {
            return write_file(&file, settings);
        }
        let mut settings = fs::read(&file).map_err(|error| disk(&file, error))?;
        let list = self.git.call(["config", "--list", "-z", "--includes"]);
        let list = list.variable("GIT_CONFIG_COUNT", "0").run()?;
        let users = list.split(|byte| *byte == 0).filter_map(|entry| {
            let at = entry.iter().position(|byte| *byte == b'\n')?;
            Some((std::str::from_utf8(&entry[..at]).ok()?, &entry[at + 1..]))
        });
        for (key, value) in users.filter(|(key, _)| TAKEN_OVER.contains(key)) {
            settings.extend(setting(key, value));
        }
        for (key, value) in FIXED {
            settings.extend(setting(key, value.as_bytes()));
        }
        write_file(&file, &settings)?;
        let _ = self.settings.set(settings);
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

/// One setting as git's files have it. A later one of the same name counts.
fn setting(key: &str, value: &[u8]) -> Vec<u8> {
    let (section, name) = key.split_once('.').unwrap_or(("core", key));
    let mut text = format!("[{section}]\n\t{name} = \"").into_bytes();
    for byte in value {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            other => text.push(*other),
        }
    }
    text.extend(b"\"\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_with_any_sign_is_one_value() {
        let text = String::from_utf8(setting("user.name", b"A \"B\" \\ # ;\nC")).unwrap();
        assert_eq!(text, "[user]\n\tname = \"A \\\"B\\\" \\\\ # ;\\nC\"\n");
    }
}
