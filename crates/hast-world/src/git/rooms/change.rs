//! Content of a room after an agent worked there: its tree, and the differences from the base. The
//! tree is made with the base's ignore rules and an index that only hast writes.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::evidence::{Breach, Change, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomChanges;
use ignore::gitignore::GitignoreBuilder;

use super::super::diff::{Difference, parse_raw};
use super::super::index::{Entry, disk, list, object};
use super::super::paths::{Matcher, repo_path};
use super::super::place::At;
use super::tree::leaves_tree;
use super::walk::{Found, walk};
use super::{RealRooms, Room};

/// The content of a room as git has it.
pub(super) struct TreeNow {
    pub(super) tree: ObjectId,
    pub(super) differences: Vec<Difference>,
    pub(super) breaches: Vec<Breach>,
    /// Things that are there and that no commit can hold.
    pub(super) not_stored: Vec<Vec<u8>>,
    /// Files of the user's that are seen through and that the agent deleted.
    pub(super) absent: Vec<Vec<u8>>,
    /// The index of the tree, in a place that no agent can write.
    pub(super) index: PathBuf,
}

const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

impl RealRooms {
    /// The tree of what is there, and what differs from the base. `meant` are paths that the agent
    /// committed: they belong to the work although the base's rules may ignore them.
    pub fn changes(
        &self,
        room: &Room,
        rules: &TreeRules,
        meant: &[Vec<u8>],
    ) -> Result<RoomChanges, GitProblem> {
        self.take_git_away(room)?;
        let TreeNow { tree, differences, breaches, .. } = self.tree_now(room, rules, meant)?;
        let changes =
            differences.iter().map(|one| Change { path: repo_path(&one.path), kind: one.kind() });
        let changes = changes.collect();
        Ok(RoomChanges { tree, changes, links: links(&differences), breaches })
    }

    /// The same as git has it. The agent's git directory is not in the tree any more.
    pub(super) fn tree_now(
        &self,
        room: &Room,
        rules: &TreeRules,
        meant: &[Vec<u8>],
    ) -> Result<TreeNow, GitProblem> {
        self.forget_submodule_gits(room)?;
        let found = walk(&room.tree())?;
        let index = judged_index(room)?;
        self.see_left_out(room, &index)?;
        let mut breaches = self.untrackable(room, rules, &found)?;
        let mut paths = self.differing(room, rules, meant, &index)?;
        let is_huge = |path: &mut Vec<u8>| found.huge.contains(path);
        let huge = paths.extract_if(.., is_huge).map(|path| repo_path(&path));
        breaches.extend(huge.map(|path| Breach::TooLarge { path }));
        breaches.extend(self.take_in(room, &paths, &index)?);
        let changed = self.changed_submodules(room, &found.absent)?.into_iter();
        breaches.extend(changed.map(|path| Breach::SubmoduleChanged { path: repo_path(&path) }));
        let git = self.git_of(room);
        let write = git.call(["write-tree"]).index(&index).from(&room.trusted()).synced();
        let tree = object(&write.line()?)?;
        let differences = self.compare_with_base(room, &tree, &mut breaches)?;
        let not_stored = untracked_names(&breaches, &found);
        let absent = found.absent;
        Ok(TreeNow { tree, differences, breaches, not_stored, absent, index })
    }

    /// A file where a sparse checkout has none is compared like any other.
    fn see_left_out(&self, room: &Room, index: &Path) -> Result<(), GitProblem> {
        let tree = room.files()?;
        let mut paths = self.left_out(room)?;
        paths.retain(|path| tree.named(path).there().is_some());
        if paths.is_empty() {
            return Ok(());
        }
        let git = self.git_of(room);
        let call = git.call(["update-index", "-z", "--no-skip-worktree", "--stdin"]);
        call.index(index).from(&room.trusted()).input(list(&paths)).run().map(|_| ())
    }

    /// The agent's git directory leaves the tree, so that no git ever finds it there. The first one
    /// that leaves is the agent's; later ones were made by hast for the tests. What is no directory is none.
    pub(super) fn take_git_away(&self, room: &Room) -> Result<(), GitProblem> {
        let (here, there) = (room.files()?.join(".git"), room.agents_git());
        if fs::symlink_metadata(&there).is_ok() {
            return Ok(here.remove()?);
        }
        if !here.is_dir() {
            here.remove()?;
            return super::make_private(&there);
        }
        crate::files::open_directories(&here);
        rustix::fs::rename(here.as_path(), &there).map_err(|error| disk(&here, error))
    }

    /// Paths that differ from the base's index or are new by the base's rules.
    fn differing(
        &self,
        room: &Room,
        rules: &TreeRules,
        meant: &[Vec<u8>],
        index: &Path,
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let git = self.git_of(room);
        let (matcher, from) = (Matcher::new(rules), room.trusted());
        let new = self.new_by_base_rules(room, index)?;
        let unhidden = self.unhidden(room, index)?;
        let changed = git.call(["diff-files", "-z", "--name-only", "--ignore-submodules=none"]);
        let changed = changed.index(index).from(&from).run()?;
        let changed = changed.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        let mut paths: Vec<Vec<u8>> =
            new.into_iter().chain(changed).chain(meant.to_vec()).chain(unhidden).collect();
        let (shown, begun) = (self.shown_paths(room), self.begun_paths(room));
        let is_work = |path: &[u8]| !begun.contains(path) || meant.iter().any(|one| one == path);
        // A name that ends with a slash is a repository, which is told as such.
        paths.retain(|path| {
            let named = !path.is_empty() && !path.ends_with(b"/");
            named && !matcher.is_left_out(path) && !shown.contains(path) && is_work(path)
        });
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// Files that the base's rules ignore and the attempt's own do not any more: an attempt that changes
    /// these rules means the files that it shows.
    fn unhidden(&self, room: &Room, index: &Path) -> Result<Vec<Vec<u8>>, GitProblem> {
        let (git, from) = (self.git_of(room), room.trusted());
        let rules = ["diff-files", "-z", "--name-only", "--", ":(glob)**/.gitignore"];
        if git.call(rules).index(index).from(&from).run()?.is_empty() {
            return Ok(Vec::new());
        }
        let info = self.git.place.common_dir.join("info/exclude");
        let shown = git.call(["ls-files", "-z", "-o", "--exclude-per-directory=.gitignore"]);
        let files = self.config.excludes_file.iter().chain([&info]).filter(|path| path.is_file());
        let shown = files.fold(shown, |call, file| call.args(["-X".as_ref(), file.as_os_str()]));
        let shown = shown.index(index).from(&from).run()?;
        Ok(shown.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
    }

    /// Takes files into the index; those that git takes from nobody are told. One that cannot be
    /// converted keeps git from all of them: then each is taken by itself.
    pub(super) fn take_in(
        &self,
        room: &Room,
        paths: &[Vec<u8>],
        index: &Path,
    ) -> Result<Vec<Breach>, GitProblem> {
        let git = self.git_of(room);
        let is_gone = |path: &&Vec<u8>| matches!(git.place.look_at(path), At::Nothing | At::Other);
        // What goes comes first: a file may take the place of a directory, and a link too, beyond which git
        // looks for nothing.
        let (gone, there): (Vec<_>, Vec<_>) = paths.iter().partition(is_gone);
        let no_file =
            |path: &&Vec<u8>| Entry { path: path.to_vec(), mode: "0".to_owned(), object: None };
        let gone: Vec<Entry> = gone.iter().map(no_file).collect();
        if !gone.is_empty() {
            git.setting_entries(&gone).index(index).from(&room.trusted()).run()?;
        }
        let (mut ordered, files): (Vec<_>, Vec<_>) =
            there.into_iter().partition(|path| git.place.look_at(path) == At::Directory);
        ordered.extend(files);
        if ordered.is_empty() {
            return Ok(Vec::new());
        }
        let said = match self.update_index(room, &ordered, index) {
            Err(GitProblem::Refused { .. }) if ordered.len() > 1 => {
                return self.take_in_each(room, &ordered, index);
            }
            Err(GitProblem::Refused { .. }) => {
                let path = ordered.first().map(|path| path.as_slice()).unwrap_or_default();
                return Ok(vec![Breach::NotStorable { path: repo_path(path) }]);
            }
            other => other?,
        };
        let ignored = said.split(|byte| *byte == b'\n').filter_map(|line| {
            let path = line.strip_prefix(b"Ignoring path ")?;
            Some(Breach::NotStorable { path: repo_path(path) })
        });
        Ok(ignored.collect())
    }

    fn take_in_each(
        &self,
        room: &Room,
        paths: &[&Vec<u8>],
        index: &Path,
    ) -> Result<Vec<Breach>, GitProblem> {
        let mut breaches = Vec::new();
        for path in paths {
            breaches.extend(self.take_in(room, std::slice::from_ref(*path), index)?);
        }
        Ok(breaches)
    }

    /// What git says about the paths that it passes over.
    fn update_index(
        &self,
        room: &Room,
        paths: &[&Vec<u8>],
        index: &Path,
    ) -> Result<Vec<u8>, GitProblem> {
        let input = paths.iter().flat_map(|path| [path.as_slice(), b"\0"].concat()).collect();
        let git = self.git_of(room);
        let call = git.call(["update-index", "-z", "--add", "--remove", "--stdin"]);
        let call = call.index(index).from(&room.trusted()).synced().input(input);
        Ok(call.run_and_hear()?.1)
    }

    /// Things that no commit can hold, outside of what is ignored. Git lists neither pipes nor
    /// sockets, so the rules are asked here.
    fn untrackable(
        &self,
        room: &Room,
        rules: &TreeRules,
        found: &Found,
    ) -> Result<Vec<Breach>, GitProblem> {
        let mut ignored = GitignoreBuilder::new("");
        let text = fs::read(room.ignores()).map_err(|error| disk(&room.ignores(), error))?;
        for line in String::from_utf8_lossy(&text).lines() {
            // A rule that cannot be read ignores nothing.
            let _ = ignored.add_line(None, line);
        }
        let ignored = ignored.build().map_err(|error| disk(&room.ignores(), error))?;
        let submodules = self.submodules(room)?;
        let matcher = Matcher::new(rules);
        let counts = |path: &[u8]| {
            let at = Path::new(OsStr::from_bytes(path));
            !matcher.is_left_out(path)
                && (path.is_empty() || !ignored.matched_path_or_any_parents(at, false).is_ignore())
        };
        let mut breaches = Vec::new();
        for path in found.special.iter().filter(|path| counts(path)) {
            breaches.push(Breach::NotStorable { path: repo_path(path) });
        }
        for path in found.repositories.iter().filter(|path| counts(path)) {
            if !path.is_empty() && !submodules.contains(path) {
                breaches.push(Breach::NestedRepository { path: repo_path(path) });
            }
        }
        for (path, leads) in &found.links {
            if counts(path) && leaves_tree(path, leads) && self.is_new_link(room, path, leads)? {
                breaches.push(Breach::SymlinkLeaves { path: repo_path(path) });
            }
        }
        Ok(breaches)
    }

    /// Paths of the base's submodules.
    pub(super) fn submodules(&self, room: &Room) -> Result<Vec<Vec<u8>>, GitProblem> {
        let git = self.git_of(room);
        let list = git.call(["ls-files", "-z", "-s"]).index(&room.index()).from(&room.trusted());
        let list = list.run()?;
        let entries = list.split(|byte| *byte == 0);
        let path = |entry: &[u8]| {
            let at = entry.iter().position(|byte| *byte == b'\t')?;
            entry.starts_with(SUBMODULE.as_bytes()).then(|| entry[at + 1..].to_vec())
        };
        Ok(entries.filter_map(path).collect())
    }

    /// A link that the base has like this is the user's.
    fn is_new_link(&self, room: &Room, path: &[u8], leads: &Path) -> Result<bool, GitProblem> {
        let mut name = format!("{}:", room.base()).into_bytes();
        name.extend_from_slice(path);
        name.push(b'\n');
        let call = self.git.call(["cat-file", "--batch"]).input(name);
        let answer = call.run()?;
        let bytes = leads.as_os_str().as_encoded_bytes();
        let same = answer
            .windows(bytes.len() + 1)
            .any(|part| part.starts_with(b"\n") && &part[1..] == bytes);
        Ok(!same)
    }

    fn compare_with_base(
        &self,
        room: &Room,
        tree: &ObjectId,
        breaches: &mut Vec<Breach>,
    ) -> Result<Vec<Difference>, GitProblem> {
        let diff = ["diff-tree", "-r", "-z", "--no-renames", room.base().as_str(), tree.as_str()];
        let differences = parse_raw(&self.git.call(diff).run()?)?;
        for one in &differences {
            if one.old_mode == SUBMODULE || one.new_mode == SUBMODULE {
                breaches.push(Breach::SubmoduleChanged { path: repo_path(&one.path) });
            }
        }
        Ok(differences)
    }
}

/// Changed paths at which a symbolic link is now.
pub(super) fn links(differences: &[Difference]) -> Vec<RepoPath> {
    let links = differences.iter().filter(|one| one.new_mode == LINK);
    links.map(|one| repo_path(&one.path)).collect()
}

/// Pipes, sockets, huge files and repositories that are told as breaches: no ref can hold them.
fn untracked_names(breaches: &[Breach], found: &Found) -> Vec<Vec<u8>> {
    let told = |path: &&Vec<u8>| {
        breaches.iter().any(|breach| match breach {
            Breach::NotStorable { path: told }
            | Breach::NestedRepository { path: told }
            | Breach::TooLarge { path: told } => *told == repo_path(path),
            _ => false,
        })
    };
    let special = found.special.iter().chain(&found.huge).filter(told).cloned();
    let repositories = found.repositories.iter().filter(|path| !path.is_empty()).filter(told);
    special.chain(repositories.cloned()).collect()
}

/// The index of what the agent left, as soon as hast has looked at it.
pub(super) fn judged_index_of(room: &Room) -> PathBuf {
    room.trusted().join("judged")
}

/// A copy of the base's index with its date: by that git knows which entries to look at twice.
pub(super) fn judged_index(room: &Room) -> Result<PathBuf, GitProblem> {
    let (from, to) = (room.index(), judged_index_of(room));
    let failed = |error: std::io::Error| disk(&to, error);
    fs::copy(&from, &to).map_err(failed)?;
    let date = fs::metadata(&from).and_then(|there| there.modified()).map_err(failed)?;
    File::options()
        .write(true)
        .open(&to)
        .and_then(|file| file.set_modified(date))
        .map_err(failed)?;
    Ok(to)
}
