//! The files of a room: those of a commit, and nothing else. Files that the user has unchanged keep
//! the user's dates, so that build tools find nothing to do.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use super::super::ignores::Ignores;
use super::super::index::disk;
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
        for path in walk::walk(&room.tree())?.special {
            // Git leaves pipes and sockets alone.
            let path = git.place.at(&path);
            fs::remove_file(&path).map_err(|error| disk(&path, error))?;
        }
        let read = git.call(["read-tree", "-u", "--reset", to.as_str()]);
        read.index(&index).from(&from).run()?;
        let clean = match (ignored, room.record.kind) {
            (IgnoredFiles::Kept, RoomKind::OwnPath) => "-qffd",
            // At the checkout's path the user's own ignored files are seen again.
            (IgnoredFiles::Kept, RoomKind::SamePath) | (IgnoredFiles::Removed, _) => "-qffdx",
        };
        git.call(["clean", clean]).index(&index).from(&from).run()?;
        self.copy_dates(room, to)
    }

    /// An optimisation: where it fails, build tools have more to do.
    fn copy_dates(&self, room: &Room, to: &ObjectId) -> Result<(), GitProblem> {
        let git = self.git_of(room);
        let (index, from) = (room.index(), room.trusted());
        let changed = self.git.call(["diff", "--no-ext-diff", "--name-only", "-z", to.as_str()]);
        let Ok(changed) = changed.users_index().run() else { return Ok(()) };
        let changed: BTreeSet<&[u8]> = changed.split(|byte| *byte == 0).collect();
        let files = git.call(["ls-files", "-z"]).index(&index).from(&from).run()?;
        for path in files.split(|byte| *byte == 0).filter(|path| !changed.contains(path)) {
            if path.is_empty() {
                continue;
            }
            let Ok(users) = fs::symlink_metadata(self.git.place.at(path)) else { continue };
            let date = Timespec { tv_sec: users.mtime(), tv_nsec: users.mtime_nsec() };
            let dates = Timestamps { last_access: date, last_modification: date };
            let _ = utimensat(CWD, git.place.at(path), &dates, AtFlags::SYMLINK_NOFOLLOW);
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
        let mut files = Vec::new();
        for path in list.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            let at = git.place.at(path);
            let plain = fs::symlink_metadata(&at).is_ok_and(|there| there.is_file());
            if plain && let Ok(text) = read_bounded(&at, LONGEST_RULES) {
                let directory = path.strip_suffix(b".gitignore").unwrap_or_default();
                files.push((directory.to_vec(), text));
            }
        }
        rules.add_files(files);
        write_file(&room.ignores(), &rules.into_text())
    }
}

/// Whether a link at a path of the tree leads out of the tree, by its text alone.
pub(super) fn leaves_tree(path: &[u8], leads: &std::path::Path) -> bool {
    let leads = leads.as_os_str().as_bytes();
    if leads.starts_with(b"/") {
        return true;
    }
    let mut depth = path.iter().filter(|byte| **byte == b'/').count();
    for part in leads.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if depth == 0 => return true,
            b".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

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
        ] {
            assert_eq!(leaves_tree(path.as_bytes(), Path::new(leads)), leaves, "{path} -> {leads}");
        }
    }
}
