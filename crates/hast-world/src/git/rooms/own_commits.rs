//! The commits that an agent made in its room. They are kept where they continue the base one by
//! one, within scope, and every object is what its name says: git checks that while it copies them
//! into a store of hast's own, and only then into the user's repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::{OwnCommits, SquashReason};

use super::super::diff::parse_raw;
use super::super::index::{disk, object};
use super::super::paths::repo_path;
use super::super::run::Call;
use super::change::judged_index_of;
use super::quarantine::{quarantine, unreadable};
use super::{RealRooms, Room, remove_any};
use crate::files::read_bounded;

/// Most commits of an agent that are kept one by one.
const MOST_COMMITS: usize = 200;
const LONGEST_HEAD: usize = 4 << 10;
const LONGEST_REFS: usize = 8 << 20;
const SUBMODULE: &str = "160000";

/// What a check came to: a value, or why nothing is kept.
type Checked<T> = Result<Result<T, SquashReason>, GitProblem>;

/// Goes on with a checked value, or ends with the reason.
macro_rules! honest {
    ($checked:expr) => {
        match $checked {
            Ok(value) => value,
            Err(why) => return Ok(Err(why)),
        }
    };
}

impl RealRooms {
    /// The agent's commits, now in the user's repository, or why they are not kept. `in_scope` says
    /// of a path whether the attempt may commit it; `tree` is what the room holds.
    pub fn own_commits(
        &self,
        room: &Room,
        tree: &ObjectId,
        in_scope: &dyn Fn(&[u8]) -> bool,
    ) -> Result<OwnCommits, GitProblem> {
        self.take_git_away(room)?;
        Ok(match self.checked_commits(room, tree, in_scope)? {
            Ok(commits) if commits.is_empty() => OwnCommits::None,
            Ok(commits) => OwnCommits::Linear(commits),
            Err(why) => OwnCommits::Squash(why),
        })
    }

    /// Paths that the agent committed and the base has not: work, whatever ignores them.
    pub fn committed_paths(&self, room: &Room) -> Result<Vec<Vec<u8>>, GitProblem> {
        self.take_git_away(room)?;
        let Ok(store) = self.fetched(room)? else { return Ok(Vec::new()) };
        let Some((store, tip)) = store else { return Ok(Vec::new()) };
        let base = room.base().as_str();
        let diff = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A"];
        let call = self.git.call(diff).args([base, tip.as_str()]);
        let paths = self.with_store(call, &store).run()?;
        Ok(paths.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(Into::into).collect())
    }

    fn checked_commits(
        &self,
        room: &Room,
        tree: &ObjectId,
        in_scope: &dyn Fn(&[u8]) -> bool,
    ) -> Checked<Vec<ObjectId>> {
        let Some((store, tip)) = honest!(self.fetched(room)?) else { return Ok(Ok(Vec::new())) };
        if let Some(why) = self.users_way(room, &store, &tip)? {
            return Ok(Err(why));
        }
        let commits = honest!(self.linear(room, &store, &tip)?);
        let there = self.names_of(tree)?;
        let mut before = room.base();
        for commit in &commits {
            honest!(self.is_as_judged(&store, (before, commit), &there, in_scope)?);
            before = commit;
        }
        self.publish(&store)?;
        Ok(Ok(commits))
    }

    /// What the user's own commits go through and the agent's did not: a signature, hooks, filters.
    fn users_way(
        &self,
        room: &Room,
        store: &Path,
        tip: &ObjectId,
    ) -> Result<Option<SquashReason>, GitProblem> {
        if self.git.overrides.signing.is_some() {
            return Ok(Some(SquashReason::Signed));
        }
        if let Some(name) = self.commit_hook() {
            return Ok(Some(SquashReason::Hook { name: name.to_owned() }));
        }
        let diff = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
        let diff = self.git.call(diff).args([room.base().as_str(), tip.as_str()]);
        let paths = self.with_store(diff, store).run()?;
        // The attempt may have changed the attributes: those of the base count as well.
        for index in [room.index(), judged_index_of(room)] {
            if let Some(path) = self.filtered(room, &paths, &index)? {
                return Ok(Some(SquashReason::Filter { path: repo_path(&path) }));
            }
        }
        Ok(None)
    }

    /// The first of some paths that has a filter by the attributes of an index.
    fn filtered(
        &self,
        room: &Room,
        paths: &[u8],
        index: &Path,
    ) -> Result<Option<Vec<u8>>, GitProblem> {
        if !index.is_file() {
            return Ok(None);
        }
        let git = self.git_of(room);
        let asked = git.call(["check-attr", "--cached", "-z", "--stdin", "filter"]);
        let asked = asked.index(index).from(&room.trusted()).input(paths.to_vec()).run()?;
        let words: Vec<&[u8]> = asked.split(|byte| *byte == 0).collect();
        let is_filtered = |word: &&[&[u8]]| !matches!(word[2], b"unspecified" | b"unset");
        Ok(words.chunks_exact(3).find(is_filtered).map(|word| word[0].to_vec()))
    }

    /// The agent's objects in a store of hast's own, and its last commit; none where it made none.
    fn fetched(&self, room: &Room) -> Checked<Option<(PathBuf, ObjectId)>> {
        // It left no git directory, and with it no commit.
        if fs::read_dir(room.agents_git()).is_ok_and(|mut inside| inside.next().is_none()) {
            return Ok(Ok(None));
        }
        let tip = honest!(self.tip(room)?);
        if tip == *room.base() {
            return Ok(Ok(None));
        }
        let objects = honest!(quarantine(room)?);
        let revisions = format!("{tip}\n^{}\n", room.base()).into_bytes();
        let pack = ["pack-objects", "-q", "--revs", "--stdout", "--thin", "--delta-base-offset"];
        let pack = self.git.call(pack).input(revisions).from(&room.trusted());
        let packed = pack.variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects).output()?;
        if packed.code != Some(0) {
            return Ok(Err(SquashReason::BadObjects { said: packed.said() }));
        }
        let store = room.trusted().join("fetched");
        remove_any(&store)?;
        let place = store.join("pack");
        fs::create_dir_all(&place).map_err(|error| disk(&place, error))?;
        let index = self.git.call(["index-pack", "--stdin", "--fix-thin", "--strict"]);
        let index = index.setting("fsck.missingSpaceBeforeDate", "error").input(packed.stdout);
        let indexed = self.with_store(index, &store).from(&room.trusted()).synced().output()?;
        if indexed.code != Some(0) {
            return Ok(Err(SquashReason::BadObjects { said: indexed.said() }));
        }
        let walk = ["rev-list", "--objects", "--quiet", tip.as_str()];
        let walk = self.git.call(walk).args([format!("^{}", room.base())]);
        let connected = self.with_store(walk, &store).output()?;
        if connected.code != Some(0) {
            return Ok(Err(SquashReason::BadObjects { said: connected.said() }));
        }
        Ok(Ok(Some((store, tip))))
    }

    /// The last commit of the branch, read as text: git is not started on the agent's directory.
    fn tip(&self, room: &Room) -> Checked<ObjectId> {
        let Some(branch) = &room.record.branch else { return self.detached_tip(room) };
        let head = honest!(text(&room.agents_git().join("HEAD"), LONGEST_HEAD, "HEAD"));
        if head.trim_end() != format!("ref: {branch}") {
            return Ok(Err(SquashReason::OtherBranch));
        }
        let loose = room.agents_git().join(branch);
        if fs::symlink_metadata(&loose).is_ok() {
            let id = honest!(text(&loose, LONGEST_HEAD, branch));
            return Ok(id.trim_end().parse().map_err(|_| unreadable(branch)));
        }
        let packed = room.agents_git().join("packed-refs");
        let packed = honest!(text(&packed, LONGEST_REFS, "packed-refs"));
        let ends = format!(" {branch}");
        let line = packed.lines().find_map(|line| line.strip_suffix(ends.as_str()));
        Ok(line.and_then(|id| id.parse().ok()).ok_or_else(|| unreadable(branch)))
    }

    fn detached_tip(&self, room: &Room) -> Checked<ObjectId> {
        let head = honest!(text(&room.agents_git().join("HEAD"), LONGEST_HEAD, "HEAD"));
        Ok(head.trim_end().parse().map_err(|_| SquashReason::OtherBranch))
    }

    /// The commits from the base to the tip, oldest first, each with the one before as only parent.
    fn linear(&self, room: &Room, store: &Path, tip: &ObjectId) -> Checked<Vec<ObjectId>> {
        let range = format!("{}..{tip}", room.base());
        let list = self.git.call(["rev-list", "--parents", "--reverse", "--topo-order", &range]);
        let list = self.with_store(list, store).run()?;
        let list = String::from_utf8_lossy(&list).into_owned();
        let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split(' ').collect()).collect();
        if lines.len() > MOST_COMMITS {
            return Ok(Err(SquashReason::TooMany { commits: lines.len() }));
        }
        let mut before = room.base().to_string();
        let mut commits = Vec::new();
        for line in lines {
            let [commit, parent] = line[..] else { return Ok(Err(SquashReason::NotLinear)) };
            if parent != before {
                return Ok(Err(SquashReason::NotLinear));
            }
            before = commit.to_owned();
            commits.push(object(commit)?);
        }
        if before != tip.as_str() || commits.is_empty() {
            return Ok(Err(SquashReason::NotLinear));
        }
        Ok(Ok(commits))
    }

    /// A commit changes only what is in scope, and holds nothing that the judge does not see: what
    /// it adds or changes is in the room's tree.
    fn is_as_judged(
        &self,
        store: &Path,
        (before, commit): (&ObjectId, &ObjectId),
        there: &BTreeSet<Vec<u8>>,
        in_scope: &dyn Fn(&[u8]) -> bool,
    ) -> Checked<()> {
        let diff = ["diff-tree", "-r", "-z", "--no-renames", before.as_str(), commit.as_str()];
        for one in parse_raw(&self.with_store(self.git.call(diff), store).run()?)? {
            let path = repo_path(&one.path);
            if one.old_mode == SUBMODULE || one.new_mode == SUBMODULE {
                return Ok(Err(SquashReason::Submodule { path }));
            }
            if !in_scope(&one.path) {
                return Ok(Err(SquashReason::OutOfScope { path }));
            }
            if one.new.is_some() && !there.contains(&one.path) {
                return Ok(Err(SquashReason::NotInTree { path }));
            }
        }
        Ok(Ok(()))
    }

    fn names_of(&self, tree: &ObjectId) -> Result<BTreeSet<Vec<u8>>, GitProblem> {
        let list = self.git.call(["ls-tree", "-r", "-z", "--name-only", tree.as_str()]).run()?;
        Ok(list.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
    }

    /// A call that also sees the objects that were fetched.
    fn with_store<'g>(&self, call: Call<'g>, store: &Path) -> Call<'g> {
        let users = self.git.place.common_dir.join("objects");
        call.variable("GIT_OBJECT_DIRECTORY", store)
            .variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", users)
    }

    /// Moves the packs into the user's repository: first what an index speaks of, then the index.
    fn publish(&self, store: &Path) -> Result<(), GitProblem> {
        let to = self.git.place.common_dir.join("objects/pack");
        fs::create_dir_all(&to).map_err(|error| disk(&to, error))?;
        let mut names: Vec<_> =
            fs::read_dir(store.join("pack")).into_iter().flatten().flatten().collect();
        names.sort_by_key(|entry| entry.path().extension().is_some_and(|end| end == "idx"));
        for entry in names {
            let target = to.join(entry.file_name());
            rustix::fs::rename(entry.path(), &target).map_err(|error| disk(&target, error))?;
        }
        let directory = fs::File::open(&to).map_err(|error| disk(&to, error))?;
        directory.sync_all().map_err(|error| disk(&to, error))
    }
}

/// A plain file as text, bounded.
fn text(path: &Path, most: usize, name: &str) -> Result<String, SquashReason> {
    let plain = fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    let bytes = read_bounded(path, most).ok().filter(|_| plain);
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).ok_or_else(|| unreadable(name))
}
