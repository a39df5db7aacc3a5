//! The user's commit hooks in a room. They run what lies in the tree, and an agent was there: hast
//! starts them in the sandbox of the tests, with the room's git directory and an index of their own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use hast_flow::attempt::workspace::{CommitPlan, HookVerdict};

use super::super::diff::{Difference, parse_raw};
use super::super::hooking::{HookFiles, HookReach, Hooking};
use super::super::index::{Entry, ScratchFile, disk};
use super::super::run::Git;
use super::change::judged_index_of;
use super::saving::{FoundWork, RewrittenWork};
use super::{RealRooms, Room, remove_any};

/// The hooks that a commit runs, in their order.
const HOOKS: [&str; 3] = ["pre-commit", "prepare-commit-msg", "commit-msg"];
/// The hook that runs after a commit. hast runs it for no commit.
const AFTER: &str = "post-commit";
/// The files of the hooks below the room's tree, where hooks can write at the checkout's path.
const INSIDE: &str = ".git/hast-hook";

/// What a hook has put into its index.
enum Staged {
    AsBefore,
    /// The files that it changed, as they are in the room.
    Tree(ObjectId),
    /// Something that no file of the room has.
    NotInFiles,
}

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
        // Asked again where the answer was lost: the room's files are what the hooks made of them by now.
        let noted = self.noted_work(room).and_then(|work| work.rewritten);
        if let Some(noted) = noted.filter(|noted| noted.before == *tree) {
            return Ok(HookVerdict::Rewrote { hook: noted.hook, tree: noted.after });
        }
        // Hooks see what was judged, and nothing that the tests have made of it.
        self.undo_tests(room)?;
        let judged = Some(judged_index_of(room)).filter(|index| index.exists());
        self.make_private_git(room, &judged.unwrap_or_else(|| room.index()))?;
        let first = self.one_round(room, plan, tree, hooking)?;
        let HookVerdict::Refused { hook, .. } = &first else {
            return self.noted(room, tree, first);
        };
        // A hook that mends files and refuses wants the commit to be tried again with them.
        let Some(mended) = self.mended(room, tree)? else { return Ok(first) };
        let verdict = match self.one_round(room, plan, &mended, hooking)? {
            HookVerdict::Passed { .. } => HookVerdict::Rewrote { hook: hook.clone(), tree: mended },
            other => other,
        };
        self.noted(room, tree, verdict)
    }

    /// One time each hook, in their order, for a tree.
    fn one_round(
        &self,
        room: &Room,
        plan: &CommitPlan,
        tree: &ObjectId,
        hooking: Option<&Hooking>,
    ) -> Result<HookVerdict, GitProblem> {
        let directory = self.hooks_directory();
        let files = self.hook_files(room, plan, tree)?;
        let (private, seen, reach) = self.as_hooks_see(room, &files, &directory);
        let message = seen.join("COMMIT_EDITMSG");
        let message = message.as_os_str();
        for hook in HOOKS.iter().filter(|hook| directory.join(hook).exists()) {
            let args: &[&OsStr] = match *hook {
                "prepare-commit-msg" => &[message, OsStr::new("message")],
                "commit-msg" => &[message],
                _ => &[],
            };
            let call = private.call(["hook", "run", "--ignore-missing", hook, "--"]).args(args);
            let call = call.index(&seen.join("index"));
            let call = call.setting("core.hooksPath", &directory.display().to_string());
            let hook = (*hook).to_owned();
            if let Some(said) = Hooking::ask(hooking, call, &reach)? {
                return Ok(HookVerdict::Refused { hook, said });
            }
            match self.staged(room, &files, tree)? {
                Staged::AsBefore => {}
                Staged::Tree(tree) => return Ok(HookVerdict::Rewrote { hook, tree }),
                Staged::NotInFiles => return Ok(HookVerdict::ChangedContent { hook }),
            }
        }
        let path = &files.message.path;
        let text = fs::read(path).map_err(|error| disk(path, error))?;
        let message = String::from_utf8_lossy(&text).into_owned();
        Ok(HookVerdict::Passed { message })
    }

    /// What a hook has put into its index. Content comes from the room's files by way of hast's own git: the
    /// objects of the room's git directory are those of code that an agent may have written.
    fn staged(
        &self,
        room: &Room,
        files: &HookFiles,
        tree: &ObjectId,
    ) -> Result<Staged, GitProblem> {
        let copy = ScratchFile { path: room.trusted().join("hooked") };
        fs::copy(&files.index.path, &copy.path).map_err(|error| disk(&copy.path, error))?;
        let compare = ["diff-index", "--cached", "-z", "--raw", "--no-renames", tree.as_str()];
        let compare = self.git.call(compare).index(&copy.path).from(&room.trusted()).output()?;
        if compare.code != Some(0) {
            return Ok(Staged::NotInFiles);
        }
        let wanted = parse_raw(&compare.stdout)?;
        if wanted.is_empty() {
            return Ok(Staged::AsBefore);
        }
        let paths: Vec<Vec<u8>> = wanted.iter().map(|one| one.path.clone()).collect();
        let Some(taken) = self.with_files(room, tree, &paths)? else {
            return Ok(Staged::NotInFiles);
        };
        let found = self.git.diff(tree, &taken)?;
        let same = found.len() == wanted.len()
            && wanted.iter().all(|one| {
                found.iter().any(|other| {
                    (&other.path, &other.new, &other.new_mode)
                        == (&one.path, &one.new, &one.new_mode)
                })
            });
        Ok(if same { Staged::Tree(taken) } else { Staged::NotInFiles })
    }

    /// A tree with some paths as the room's files have them; none where git does not take one of them.
    fn with_files(
        &self,
        room: &Room,
        tree: &ObjectId,
        paths: &[Vec<u8>],
    ) -> Result<Option<ObjectId>, GitProblem> {
        let index = ScratchFile { path: room.trusted().join("rewritten") };
        self.git_of(room).read_tree(&index, tree)?;
        if !self.take_in(room, paths, &index.path)?.is_empty() {
            return Ok(None);
        }
        self.git.write_tree(&index).map(Some)
    }

    /// The tree with the files of it that hooks have changed; none where they changed none.
    fn mended(&self, room: &Room, tree: &ObjectId) -> Result<Option<ObjectId>, GitProblem> {
        let index = ScratchFile { path: room.trusted().join("mended") };
        let git = self.git_of(room);
        git.read_tree(&index, tree)?;
        let refresh = git.call(["update-index", "-q", "--refresh"]).index(&index.path);
        refresh.from(&room.trusted()).output()?;
        let changed = git.call(["diff-files", "-z", "--name-only", "--diff-filter=MT"]);
        let changed = changed.index(&index.path).from(&room.trusted()).run()?;
        let changed = changed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let changed: Vec<Vec<u8>> = changed.map(<[u8]>::to_vec).collect();
        if changed.is_empty() {
            return Ok(None);
        }
        Ok(self.with_files(room, tree, &changed)?.filter(|mended| mended != tree))
    }

    /// Remembers what hooks have made of the work: it is what is judged from here on.
    fn noted(
        &self,
        room: &Room,
        before: &ObjectId,
        verdict: HookVerdict,
    ) -> Result<HookVerdict, GitProblem> {
        if let (HookVerdict::Rewrote { hook, tree }, Some(work)) = (&verdict, self.noted_work(room))
        {
            let (hook, after) = (hook.clone(), tree.clone());
            let rewritten = Some(RewrittenWork { before: before.clone(), hook, after });
            let index = ScratchFile { path: room.trusted().join("rewritten") };
            self.git.read_tree(&index, &work.tree)?;
            let changed = self.git.diff(before, tree)?;
            let changed: Vec<Entry> = changed.iter().map(Difference::new_entry).collect();
            self.git.set_entries(&index, &changed)?;
            let tree = self.git.write_tree(&index)?;
            self.note_work(room, &FoundWork { tree, rewritten, ..work })?;
        }
        Ok(verdict)
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

    /// A hook of the user's that a commit would run. Git runs no file that is not executable.
    pub(super) fn commit_hook(&self) -> Option<&'static str> {
        let directory = self.hooks_directory();
        let runs = |name: &&str| {
            let there = fs::metadata(directory.join(name));
            there.is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o111 != 0)
        };
        HOOKS.into_iter().chain([AFTER]).find(runs)
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
}
