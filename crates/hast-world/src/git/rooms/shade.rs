//! The user's checkout below a room's tree, for a room at the checkout's own path. Ignored files of the
//! user are seen through; everything else of the user's is hidden by the marks that overlays go by. hast
//! marks before each start, because the user goes on working.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use rustix::fs::{CWD, FileType, Mode, XattrFlags, lremovexattr, lsetxattr, mknodat};

use super::super::index::disk;
use super::super::paths::Matcher;
use super::{RealRooms, Room, write_file};
use crate::files::read_bounded;
use crate::root_path::RootPath;

const LONGEST_RULES: usize = 1 << 20;
/// The mark of a directory through which nothing of the layer below is seen.
pub(super) const OPAQUE: &str = "user.overlay.opaque";
/// Caches that tell of the user's own runs, and files that lead to a server of the user's: a room makes
/// its own.
pub(super) const OWN_CACHES: &[&[u8]] =
    &[b"__pycache__", b".pytest_cache", b".mypy_cache", b".DS_Store", b".dmypy.json"];

/// Paths of the checkout, without a slash at the end.
struct Seen {
    /// Ignored files and directories that are seen through.
    through: BTreeSet<Vec<u8>>,
    /// Directories that hold one of them, from the top down; the top's name is empty.
    above: BTreeSet<Vec<u8>>,
}

impl Room {
    pub(super) fn rules_list(&self) -> PathBuf {
        self.trusted().join("rules.json")
    }

    /// The rules that were noted last; none for a room that is new.
    pub(super) fn rules(&self) -> TreeRules {
        let rules = read_bounded(&self.rules_list(), LONGEST_RULES).unwrap_or_default();
        serde_json::from_slice(&rules).unwrap_or_default()
    }
}

impl RealRooms {
    /// Remembers what belongs to hast and is never seen in this room.
    pub(super) fn note_rules(&self, room: &Room, rules: &TreeRules) -> Result<(), GitProblem> {
        write_file(&room.rules_list(), &serde_json::to_vec(rules).unwrap_or_default())
    }

    /// Marks the tree of a room at the checkout's path; nothing to do at a path of its own.
    pub(super) fn shade(&self, room: &Room) -> Result<(), GitProblem> {
        if room.record.kind == RoomKind::OwnPath {
            return Ok(());
        }
        let (seen, tree) = (self.seen_through(room)?, room.files()?);
        for directory in &seen.above {
            self.shade_directory(&tree, directory, &seen)?;
        }
        self.hide_submodule_gits(room)
    }

    /// The ignored files of the user by the base's rules, but hast's own and those of other flows.
    fn seen_through(&self, room: &Room) -> Result<Seen, GitProblem> {
        let rules = room.rules();
        let (matcher, own) = (Matcher::new(&rules), own_directory(&rules));
        let list = self.git.call(["ls-files", "-z", "-o", "-i", "--directory", "-X"]);
        let list = list.args([room.ignores().as_os_str()]).index(&room.index());
        let list = list.from(&room.trusted()).run()?;
        let mut seen = Seen { through: BTreeSet::new(), above: BTreeSet::from([Vec::new()]) };
        for path in list.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            let plain = path.strip_suffix(b"/").unwrap_or(path);
            let name = plain.rsplit(|byte| *byte == b'/').next().unwrap_or(plain);
            let hasts =
                matcher.is_left_out(path) || own.as_ref().is_some_and(|it| path.starts_with(it));
            if !hasts && !OWN_CACHES.contains(&name) {
                seen.above.extend(parents(plain).map(<[u8]>::to_vec));
                seen.through.insert(plain.to_vec());
            }
        }
        for submodule in self.filled_submodules(room)? {
            seen.above.extend(parents(&submodule).map(<[u8]>::to_vec));
            seen.through.insert(submodule);
        }
        Ok(seen)
    }

    fn shade_directory(&self, tree: &RootPath, path: &[u8], seen: &Seen) -> Result<(), GitProblem> {
        let here = tree.named(path);
        let users = self.git.place.at(path);
        if !here.is_dir() {
            if here.there().is_some() || !here.is_reached() {
                // Something of the room's is in its place, and covers what is below.
                return Ok(());
            }
            here.make_directory()?;
        }
        let _ = lremovexattr(here.as_path(), OPAQUE);
        let inside = here.entries().unwrap_or_default();
        for (name, _) in inside.into_iter().filter(|(_, is_directory)| *is_directory) {
            let child = joined(path, name.as_bytes());
            if !seen.above.contains(&child) && !seen.through.contains(&child) {
                let at = tree.named(&child);
                lsetxattr(at.as_path(), OPAQUE, b"y", XattrFlags::empty())
                    .map_err(|error| disk(&at, error))?;
            }
        }
        for name in names(&users) {
            let child = joined(path, &name);
            let is_seen = seen.above.contains(&child) || seen.through.contains(&child);
            let at = tree.named(&child);
            if !is_seen && child != b".git" && at.there().is_none() {
                at.mark_absent()?;
            }
        }
        Ok(())
    }

    /// Takes away what is in the room at ignored paths of the user's, so that the user's own is seen there again.
    pub(super) fn uncover(
        &self,
        room: &Room,
        keep: &dyn Fn(&[u8]) -> bool,
    ) -> Result<(), GitProblem> {
        if room.record.kind == RoomKind::OwnPath {
            return Ok(());
        }
        let tree = room.files()?;
        for path in self.seen_through(room)?.through.iter().filter(|path| !keep(path)) {
            remove_but(&tree, path, keep)?;
        }
        for submodule in self.filled_submodules(room)? {
            // Git looks for a directory there.
            let at = tree.named(&submodule);
            if at.is_reached() && at.there().is_none() {
                at.make_private()?;
            }
        }
        Ok(())
    }
}

/// Removes what is at a path, but what is to be kept below it.
fn remove_but(
    tree: &RootPath,
    path: &[u8],
    keep: &dyn Fn(&[u8]) -> bool,
) -> Result<(), GitProblem> {
    if keep(path) {
        return Ok(());
    }
    let at = tree.named(path);
    if !at.is_dir() || !holds(tree, path, keep) {
        return Ok(at.remove()?);
    }
    let inside = at.entries().map_err(|error| disk(&at, error))?;
    inside.iter().try_for_each(|(name, _)| remove_but(tree, &joined(path, name.as_bytes()), keep))
}

/// Whether something that is to be kept lies in a directory.
fn holds(tree: &RootPath, directory: &[u8], keep: &dyn Fn(&[u8]) -> bool) -> bool {
    let mut open = vec![directory.to_vec()];
    while let Some(directory) = open.pop() {
        for (name, is_directory) in tree.named(&directory).entries().unwrap_or_default() {
            let path = joined(&directory, name.as_bytes());
            if keep(&path) {
                return true;
            }
            if is_directory {
                open.push(path);
            }
        }
    }
    false
}

/// Hides files of the user's that the agent deleted.
pub(super) fn hide_absent<'a>(
    room: &Room,
    mut absent: impl Iterator<Item = &'a Vec<u8>>,
) -> Result<(), GitProblem> {
    let tree = room.files()?;
    absent.try_for_each(|path| {
        let at = tree.named(path);
        let is_free = at.is_reached() && at.there().is_none();
        if is_free { Ok(at.mark_absent()?) } else { Ok(()) }
    })
}

/// Tries the marks on a directory: not every file system takes them.
pub(super) fn try_marks(tree: &Path) -> std::io::Result<()> {
    lsetxattr(tree.join(".git"), OPAQUE, b"y", XattrFlags::empty())?;
    let absent = tree.join("absent");
    Ok(mknodat(CWD, absent, FileType::CharacterDevice, Mode::empty(), 0)?)
}

/// hast's own directory, with a slash at its end: the one that has the handoffs.
fn own_directory(rules: &TreeRules) -> Option<Vec<u8>> {
    let handoffs = rules.handoffs.as_deref()?.trim_end_matches('/');
    let (above, _) = handoffs.rsplit_once('/')?;
    Some(format!("{above}/").into_bytes())
}

/// The directories above a path, from the top down, without the top itself.
fn parents(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    ends.map(|(at, _)| &path[..at])
}

fn joined(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() { name.to_vec() } else { [directory, b"/", name].concat() }
}

fn names(directory: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().as_bytes().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directories_above_a_path_come_from_the_top_down() {
        let above: Vec<&[u8]> = parents(b"a/b/c").collect();
        assert_eq!(above, [b"a".as_slice(), b"a/b"]);
        assert_eq!(parents(b"a").count(), 0);
    }

    #[test]
    fn the_directory_of_the_handoffs_belongs_to_hast() {
        let of = |handoffs: &str| {
            let handoffs = Some(handoffs.to_owned());
            own_directory(&TreeRules { handoffs, ..TreeRules::default() })
        };
        assert_eq!(of(".ai/handoffs/"), Some(b".ai/".to_vec()));
        assert_eq!(of("handoffs/"), None);
        assert_eq!(own_directory(&TreeRules::default()), None);
    }
}
