//! The user's commit hooks in a room. They run what lies in the tree, and an agent was there: hast
//! starts them in the sandbox of the tests, with the room's git directory and an index of their own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{CommitPlan, HookVerdict};

use super::super::hooking::{HookFiles, Hooking};
use super::super::index::{ScratchFile, disk};
use super::super::settle::HOOKS;
use super::{RealRooms, Room, remove_any};

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
            let (message, ignored) = (plan.message.clone(), Default::default());
            return Ok(HookVerdict::Passed { message, ignored });
        }
        let files = self.hook_files(room, plan, tree)?;
        let message = files.message.path.as_os_str();
        for hook in HOOKS.iter().filter(|hook| there(hook)) {
            let args: &[&OsStr] = match *hook {
                "prepare-commit-msg" => &[message, OsStr::new("message")],
                "commit-msg" => &[message],
                _ => &[],
            };
            let private = self.private_git(room);
            let call = private.call(["hook", "run", "--ignore-missing", hook, "--"]).args(args);
            let call = call.index(&files.index.path);
            let call = call.setting("core.hooksPath", &directory.display().to_string());
            if let Some(said) = Hooking::ask(hooking, call, &files)? {
                return Ok(HookVerdict::Refused { hook: (*hook).to_owned(), said });
            }
            if *hook == "pre-commit" && self.tree_in(room, &files) != Some(tree.clone()) {
                return Ok(HookVerdict::ChangedContent { hook: (*hook).to_owned() });
            }
        }
        let path = &files.message.path;
        let text = fs::read(path).map_err(|error| disk(path, error))?;
        let message = String::from_utf8_lossy(&text).into_owned();
        Ok(HookVerdict::Passed { message, ignored: Default::default() })
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
        let directory = room.path.join("hook");
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
