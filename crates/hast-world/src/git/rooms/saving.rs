//! A room's work on a ref: the tree that was judged or, where nothing was judged, what is there. What
//! no ref can hold is moved to where such things are kept before the room is reset.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::{ObjectId, SavedWork, ref_part};
use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::OwnCommits;
use hast_flow::attempt::workspace::{Aside, SavePlan};
use serde::{Deserialize, Serialize};

use super::super::aside;
use super::super::commit::signed_by;
use super::super::diff::{Difference, parse_raw};
use super::super::index::{Entry, ScratchFile, disk, object};
use super::super::paths::shown;
use super::super::refs::Move;
use super::change::TreeNow;
use super::{RealRooms, Room, remove_any};
use crate::files::read_bounded;

const LONGEST_JUDGEMENT: usize = 16 << 20;

/// The work in a room as hast found it after the agent, before any test ran there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FoundWork {
    pub(super) base: ObjectId,
    pub(super) tree: ObjectId,
    /// The last of the agent's own commits that are kept; the base where there is none.
    pub(super) head: ObjectId,
    /// Paths of things that no ref can hold, as people read them.
    pub(super) not_stored: Vec<String>,
    /// Ignored files of the agent that were taken back before the tests.
    #[serde(default)]
    pub(super) taken_back: Vec<RepoPath>,
    /// The last answer of hooks that changed the work.
    #[serde(default)]
    pub(super) rewritten: Option<RewrittenWork>,
}

/// The change that hooks made to a tree that was to be committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RewrittenWork {
    pub(super) before: ObjectId,
    pub(super) hook: String,
    pub(super) after: ObjectId,
}

impl RealRooms {
    /// Notes it before any test runs there, so that it outlasts a power cut: what the tests write can
    /// only be told from the work by it.
    pub(super) fn note_work(&self, room: &Room, work: &FoundWork) -> Result<(), GitProblem> {
        let (path, staged) = (room.judgement(), room.trusted().join("judgement.json.new"));
        let text = serde_json::to_vec(work).unwrap_or_default();
        let written = File::create(&staged)
            .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
            .and_then(|()| rustix::fs::rename(&staged, &path).map_err(Into::into))
            .and_then(|()| File::open(room.trusted())?.sync_all());
        written.map_err(|error: io::Error| disk(&path, error))
    }

    /// The work that an inspection found; none where there was none since the room was reset.
    pub(super) fn noted_work(&self, room: &Room) -> Option<FoundWork> {
        let bytes = read_bounded(&room.judgement(), LONGEST_JUDGEMENT).ok()?;
        let work: FoundWork = serde_json::from_slice(&bytes).ok()?;
        (work.base == *room.base()).then_some(work)
    }

    /// Puts the room's work on a ref. Files beyond the plan's sizes are left out and named.
    pub(super) fn save_work(&self, room: &Room, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        let work = match self.noted_work(room) {
            Some(work) => work,
            None => self.find_work(room, plan)?,
        };
        let work = self.redacted(room, work)?;
        let beyond = self.beyond_sizes(room, plan, &work.tree)?;
        let tree = self.without(room, &work.tree, &beyond)?;
        let before = self.git.resolve(&plan.name)?;
        // A room that was reset since it was saved holds nothing that the ref does not keep.
        let is_reset = work.head == *room.base() && work.not_stored.is_empty();
        if let Some(commit) = before.as_ref().filter(|_| is_reset && beyond.is_empty())
            && work.tree == self.git.tree_of(room.base())?
        {
            let (name, tree) = (plan.name.clone(), self.git.tree_of(commit)?);
            return Ok(SavedWork { name, commit: commit.clone(), tree, overflow: Vec::new() });
        }
        let commit = self.saved_commit(plan, &work.head, &tree, before.as_ref())?;
        if before.as_ref() != Some(&commit) {
            let (name, to) = (plan.name.clone(), Some(commit.clone()));
            self.git.move_refs(&[Move { name, from: before, to }])?;
        }
        let mut overflow: Vec<String> = beyond.iter().map(|one| shown(&one.path)).collect();
        overflow.extend(work.not_stored);
        overflow.sort();
        Ok(SavedWork { name: plan.name.clone(), commit, tree, overflow })
    }

    /// The work of a call that was cut off. Commits that the agent made go with it where they hold.
    fn find_work(&self, room: &Room, plan: &SavePlan) -> Result<FoundWork, GitProblem> {
        self.take_git_away(room)?;
        let meant = self.committed_paths(room)?;
        let TreeNow { tree, not_stored, .. } = self.tree_now(room, &plan.rules, &meant)?;
        let head = match self.own_commits(room, &tree, &|_| true)? {
            OwnCommits::Linear(commits) => commits.last().cloned(),
            OwnCommits::None | OwnCommits::Squash(_) => None,
        };
        let (base, head) = (room.base().clone(), head.unwrap_or_else(|| room.base().clone()));
        let not_stored = not_stored.iter().map(|path| shown(path)).collect();
        Ok(FoundWork { base, tree, head, not_stored, taken_back: Vec::new(), rewritten: None })
    }

    /// Changed files beyond the plan's sizes, the largest first.
    fn beyond_sizes(
        &self,
        room: &Room,
        plan: &SavePlan,
        tree: &ObjectId,
    ) -> Result<Vec<Difference>, GitProblem> {
        let diff = ["diff-tree", "-r", "-z", "--no-renames", room.base().as_str(), tree.as_str()];
        let found = parse_raw(&self.git.call(diff).run()?)?;
        let files: Vec<(&Difference, &ObjectId)> = found
            .iter()
            .filter(|one| one.new_mode.starts_with("100"))
            .filter_map(|one| Some((one, one.new.as_ref()?)))
            .collect();
        let ids: String = files.iter().map(|(_, id)| format!("{id}\n")).collect();
        let call = self.git.call(["cat-file", "--batch-check=%(objectsize)"]);
        let sizes = call.input(ids.into_bytes()).run()?;
        let sizes = String::from_utf8_lossy(&sizes).into_owned();
        let sizes = sizes.lines().map(|line| line.trim().parse::<u64>().unwrap_or(0));
        let mut sized: Vec<(u64, &Difference)> =
            sizes.zip(files.iter().map(|(one, _)| *one)).collect();
        sized.sort_by(|one, other| (other.0, &other.1.path).cmp(&(one.0, &one.1.path)));
        let mut total: u64 = sized.iter().map(|(size, _)| size).sum();
        let mut beyond = Vec::new();
        for (size, one) in sized {
            if size <= plan.max_file_bytes && total <= plan.max_total_bytes {
                break;
            }
            total -= size;
            beyond.push(one.clone());
        }
        Ok(beyond)
    }

    /// The tree with some paths as the base has them.
    pub(super) fn without(
        &self,
        room: &Room,
        tree: &ObjectId,
        beyond: &[Difference],
    ) -> Result<ObjectId, GitProblem> {
        if beyond.is_empty() {
            return Ok(tree.clone());
        }
        let index = ScratchFile { path: room.trusted().join("saving") };
        remove_any(&index.path)?;
        self.git.read_tree(&index, tree)?;
        let before: Vec<Entry> = beyond.iter().map(Difference::old_entry).collect();
        self.git.set_entries(&index, &before)?;
        self.git.write_tree(&index)
    }

    /// The tree of a commit with a text in the place of one of its files, whose mode stays.
    pub(super) fn with_text(
        &self,
        room: &Room,
        commit: &ObjectId,
        path: &str,
        text: &str,
    ) -> Result<ObjectId, GitProblem> {
        let listed = self.git.call(["ls-tree", "-z", commit.as_str(), "--", path]).run()?;
        let mode = listed.split(|byte| *byte == b' ').next().unwrap_or_default();
        let mode = if mode == b"100755" { "100755" } else { "100644" }.to_owned();
        let call = self.git.call(["hash-object", "-w", "--stdin", "--no-filters"]).synced();
        let written = object(&call.input(text.as_bytes().to_vec()).line()?)?;
        let index = ScratchFile { path: room.trusted().join("replacing") };
        remove_any(&index.path)?;
        self.git.read_tree(&index, commit)?;
        let path = path.as_bytes().to_vec();
        self.git.set_entries(&index, &[Entry { path, mode, object: Some(written) }])?;
        self.git.write_tree(&index)
    }

    /// The same commit again if nothing changed, else on top of what the ref already keeps.
    fn saved_commit(
        &self,
        plan: &SavePlan,
        head: &ObjectId,
        tree: &ObjectId,
        before: Option<&ObjectId>,
    ) -> Result<ObjectId, GitProblem> {
        if let Some(before) = before
            && self.git.resolve(&format!("{before}^{{tree}}"))?.as_ref() == Some(tree)
            && self.git.resolve(&format!("{before}^1"))?.as_ref() == Some(head)
        {
            return Ok(before.clone());
        }
        let mut args = vec!["commit-tree", tree.as_str(), "-p", head.as_str()];
        if let Some(before) = before.filter(|before| *before != head) {
            args.extend(["-p", before.as_str()]);
        }
        let date = format!("@{} +0000", plan.at.instant().as_second());
        let call = self.git.call(args).synced().input(plan.message.clone().into_bytes());
        object(&signed_by(call, "hast", "hast@localhost", &date).line()?)
    }

    /// Moves things that the ref does not hold to where they are kept; says where each one is.
    pub(super) fn move_aside(
        &self,
        room: &Room,
        saved: &SavedWork,
    ) -> Result<Vec<Aside>, GitProblem> {
        if !saved.overflow.is_empty() {
            // What the tests have made of the work is not the agent's.
            self.undo_tests(room)?;
        }
        let keep = aside::directory(&self.git.place).join(ref_part(&saved.name));
        let (tree, mut moved) = (room.files()?, Vec::new());
        for path in &saved.overflow {
            let from = tree.join(path);
            if from.there().is_none() {
                continue;
            }
            fs::create_dir_all(&keep).map_err(|error| disk(&keep, error))?;
            let mut free = aside::places_aside(path.as_bytes(), &keep)
                .filter(|to| fs::symlink_metadata(to).is_err());
            let to = free.next().ok_or_else(|| disk(&keep, "it is full"))?;
            let moved_there = from.move_to(&to).and_then(|moved| match moved {
                true => Ok(()),
                // Rooms may be on another file system than the repository.
                false => copy_all(&from, &to),
            });
            moved_there.map_err(|error| disk(&from, error))?;
            moved.push((path.clone().into_bytes(), to));
        }
        Ok(aside::lies_aside(&keep, &moved))
    }
}

/// Copies files, links and directories; a pipe or a socket has no content to keep.
fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    let mut open: Vec<(PathBuf, PathBuf)> = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = open.pop() {
        let there = fs::symlink_metadata(&from)?;
        if there.is_dir() {
            fs::create_dir_all(&to)?;
            for entry in fs::read_dir(&from)? {
                let name = entry?.file_name();
                open.push((from.join(&name), to.join(&name)));
            }
        } else if there.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else if there.is_file() {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
