//! The files of a room: those of a commit, and nothing else. Files that the user has unchanged keep
//! the user's dates, so that build tools find nothing to do.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use rustix::fs::Timespec;

use super::super::ignores::Ignores;
use super::{IgnoredFiles, RealRooms, Room, walk, write_file};
use crate::files::read_bounded;

/// Largest list of ignore rules that is read.
const LONGEST_RULES: usize = 4 << 20;

impl RealRooms {
    /// Makes the tree that of a commit, whatever is in it.
    pub(super) fn bring_tree(
        &self,
        room: &Room,
        to: &ObjectId,
        ignored: IgnoredFiles,
    ) -> Result<(), GitProblem> {
        let git = self.git_of(room);
        let (index, from) = (room.index(), room.trusted());
        let tree = room.files()?;
        for path in walk::walk(&tree)?.special {
            // Git leaves pipes and sockets alone.
            tree.named(&path).remove()?;
        }
        let read = git.call(["read-tree", "-u", "--reset", to.as_str()]).fetching();
        read.index(&index).from(&from).run()?;
        let clean = match (ignored, room.record.kind) {
            (IgnoredFiles::Kept, RoomKind::OwnPath) => "-qffd",
            // At the checkout's path the user's own ignored files are seen again.
            (IgnoredFiles::Kept, RoomKind::SamePath) | (IgnoredFiles::Removed, _) => "-qffdx",
        };
        git.call(["clean", clean]).index(&index).from(&from).run()?;
        if clean == "-qffdx" {
            // Git takes what is in a submodule for the submodule's.
            self.empty_submodules(room)?;
        }
        if ignored == IgnoredFiles::Kept {
            // What only the attempt's own rules hide, or lies where a sparse checkout has nothing.
            for path in self.new_by_base_rules(room, &index)?.iter().chain(&self.left_out(room)?) {
                tree.named(path).remove()?;
            }
        }
        self.copy_dates(room, to)
    }

    /// Files that an index does not have and that the base's rules do not ignore.
    pub(super) fn new_by_base_rules(
        &self,
        room: &Room,
        index: &Path,
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let git = self.git_of(room);
        let new = git.call(["ls-files", "-z", "-o", "-X"]).args([room.ignores().as_os_str()]);
        let new = new.index(index).from(&room.trusted()).run()?;
        // A name that ends with a slash is a repository.
        let is_file = |path: &&[u8]| !path.is_empty() && !path.ends_with(b"/");
        Ok(new.split(|byte| *byte == 0).filter(is_file).map(<[u8]>::to_vec).collect())
    }

    /// Paths that a sparse checkout leaves out.
    pub(super) fn left_out(&self, room: &Room) -> Result<Vec<Vec<u8>>, GitProblem> {
        let call = self
            .git_of(room)
            .call(["ls-files", "-z", "-t"])
            .index(&room.index())
            .from(&room.trusted())
            .run()?;
        let skipped = call.split(|byte| *byte == 0).filter_map(|line| line.strip_prefix(b"S "));
        Ok(skipped.map(<[u8]>::to_vec).collect())
    }

    /// An optimisation: where it fails, build tools have more to do.
    fn copy_dates(&self, room: &Room, to: &ObjectId) -> Result<(), GitProblem> {
        let git = self.git_of(room);
        let (index, from) = (room.index(), room.trusted());
        let changed = self.git.call(["diff", "--no-ext-diff", "--name-only", "-z", to.as_str()]);
        let Ok(changed) = changed.users_index().run() else { return Ok(()) };
        let changed: BTreeSet<&[u8]> = changed.split(|byte| *byte == 0).collect();
        let files = git.call(["ls-files", "-z"]).index(&index).from(&from).run()?;
        let date = |there: Option<Metadata>| {
            let there = there?;
            Some(Timespec { tv_sec: there.mtime(), tv_nsec: there.mtime_nsec() })
        };
        let tree = room.files()?;
        let mut differs = false;
        for path in files.split(|byte| *byte == 0).filter(|path| !changed.contains(path)) {
            if path.is_empty() {
                continue;
            }
            let at = tree.named(path);
            let users = fs::symlink_metadata(self.git.place.at(path)).ok();
            let Some(users) = date(users) else { continue };
            // Git reads a file again whose date was set, also to what it was.
            if date(at.there()) == Some(users) {
                continue;
            }
            differs = true;
            let _ = at.set_date(users);
        }
        if !differs {
            return Ok(());
        }
        let refresh = git.call(["update-index", "-q", "--refresh"]);
        refresh.index(&index).from(&from).output().map(|_| ())
    }

    /// The ignore rules of the base, before anybody can change them.
    pub(super) fn write_ignores(&self, room: &Room) -> Result<(), GitProblem> {
        let git = self.git_of(room);
        let mut rules = Ignores::default();
        let info = self.git.place.common_dir.join("info/exclude");
        for path in self.config.excludes_file.iter().chain([&info]) {
            rules.add_global(&read_bounded(path, LONGEST_RULES).unwrap_or_default());
        }
        let list = git.call(["ls-files", "-z", "--", ":(glob)**/.gitignore"]);
        let list = list.index(&room.index()).from(&room.trusted()).run()?;
        let (tree, mut files) = (room.files()?, Vec::new());
        for path in list.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            if let Ok(text) = tree.named(path).read_exact(LONGEST_RULES) {
                let directory = path.strip_suffix(b".gitignore").unwrap_or_default();
                files.push((directory.to_vec(), text));
            }
        }
        rules.add_files(files);
        write_file(&room.ignores(), &rules.into_text())
    }
}

/// Whether a link at a path of the tree leads out of the tree, or into its git directory, by its text alone.
pub(super) fn leaves_tree(path: &[u8], leads: &Path) -> bool {
    let leads = leads.as_os_str().as_bytes();
    if leads.starts_with(b"/") {
        return true;
    }
    let mut at: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    at.pop();
    for part in leads.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                if at.pop().is_none() {
                    return true;
                }
            }
            part => at.push(part),
        }
    }
    at.first().is_some_and(|first| first.eq_ignore_ascii_case(b".git"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leaves_the_tree_where_its_text_leads_above_the_top() {
        for (path, leads, leaves) in [
            ("a", "b", false),
            ("a", "../b", true),
            ("d/a", "../b", false),
            ("d/a", "../../b", true),
            ("d/e/a", "../../b/..", false),
            ("a", "/etc/passwd", true),
            ("d/a", "x/../../../y", true),
            ("a", ".git/config", true),
            ("d/a", "../.GIT", true),
            ("d/a", ".git", false),
        ] {
            assert_eq!(leaves_tree(path.as_bytes(), Path::new(leads)), leaves, "{path} -> {leads}");
        }
    }
}
