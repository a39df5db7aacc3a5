//! The user's commit hooks in a room. They run what lies in the tree, and an agent was there: hast
//! starts them in the sandbox of the tests, with the room's git directory and an index of their own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use hast_flow::attempt::workspace::{CommitPlan, HookVerdict};

use super::super::hooking::{HookFiles, HookReach, Hooking};
use super::super::index::{ScratchFile, disk};
use super::super::run::Git;
use super::{RealRooms, Room, remove_any};

/// The hooks that a commit runs, in their order.
const HOOKS: [&str; 3] = ["pre-commit", "prepare-commit-msg", "commit-msg"];
/// The files of the hooks below the room's tree, where hooks can write at the checkout's path.
const INSIDE: &str = ".git/hast-hook";

fn hook_directory(room: &Room) -> PathBuf {
    match room.record.kind {
        RoomKind::OwnPath => room.path.join("hook"),
        RoomKind::SamePath => room.tree().join(INSIDE),
    }
}

impl RealRooms {
    /// The hooks' answer to a commit of this tree.
    pub(super) fn ask_hooks(
        &self,
        room: &Room,
        plan: &CommitPlan,
        tree: &ObjectId,
        hooking: Option<&Hooking>,
    ) -> Result<HookVerdict, GitProblem> {
        let directory = self.hooks_directory();
        let there = |hook: &str| directory.join(hook).exists();
        if !HOOKS.iter().any(|hook| there(hook)) {
            return Ok(HookVerdict::Passed { message: plan.message.clone() });
        }
        let files = self.hook_files(room, plan, tree)?;
        let (private, seen, reach) = self.as_hooks_see(room, &files, &directory);
        let message = seen.join("COMMIT_EDITMSG");
        let message = message.as_os_str();
        for hook in HOOKS.iter().filter(|hook| there(hook)) {
            let args: &[&OsStr] = match *hook {
                "prepare-commit-msg" => &[message, OsStr::new("message")],
                "commit-msg" => &[message],
                _ => &[],
            };
            let call = private.call(["hook", "run", "--ignore-missing", hook, "--"]).args(args);
            let call = call.index(&seen.join("index"));
            let call = call.setting("core.hooksPath", &directory.display().to_string());
            if let Some(said) = Hooking::ask(hooking, call, &reach)? {
                return Ok(HookVerdict::Refused { hook: (*hook).to_owned(), said });
            }
            if *hook == "pre-commit" && self.tree_in(room, &files) != Some(tree.clone()) {
                return Ok(HookVerdict::ChangedContent { hook: (*hook).to_owned() });
            }
        }
        let path = &files.message.path;
        let text = fs::read(path).map_err(|error| disk(path, error))?;
        let message = String::from_utf8_lossy(&text).into_owned();
        Ok(HookVerdict::Passed { message })
    }

    /// The room's git, and the directory of the hooks' files, at the paths that hooks see them.
    fn as_hooks_see(
        &self,
        room: &Room,
        files: &HookFiles,
        hooks: &Path,
    ) -> (Git, PathBuf, HookReach) {
        let mut git = self.private_git(room);
        match room.record.kind {
            RoomKind::OwnPath => (git, hook_directory(room), files.reach()),
            RoomKind::SamePath => {
                git.place = self.git.place.clone();
                git.place.git_dir = git.place.top.join(".git");
                git.place.common_dir = git.place.git_dir.clone();
                let seen = git.place.top.join(INSIDE);
                // The user's hooks are covered by the room.
                let readable = vec![hooks.to_owned()];
                (git, seen, HookReach { readable, ..HookReach::default() })
            }
        }
    }

    fn hooks_directory(&self) -> PathBuf {
        let usual = || self.git.place.common_dir.join("hooks");
        self.config.hooks_path.clone().unwrap_or_else(usual)
    }

    fn hook_files(
        &self,
        room: &Room,
        plan: &CommitPlan,
        tree: &ObjectId,
    ) -> Result<HookFiles, GitProblem> {
        let directory = hook_directory(room);
        remove_any(&directory)?;
        let files = HookFiles::new(directory)?;
        self.git_of(room).read_tree(&files.index, tree)?;
        let path = &files.message.path;
        let written =
            File::create_new(path).and_then(|mut file| file.write_all(plan.message.as_bytes()));
        written.map_err(|error| disk(path, error))?;
        Ok(files)
    }

    /// The tree of the hooks' index, from a copy; none where it names objects that only the room has.
    fn tree_in(&self, room: &Room, files: &HookFiles) -> Option<ObjectId> {
        let copy = ScratchFile { path: room.trusted().join("hooked") };
        fs::copy(&files.index.path, &copy.path).ok()?;
        self.git.write_tree(&copy).ok()
    }
}
