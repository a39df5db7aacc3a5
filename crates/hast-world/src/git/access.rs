//! What an attempt closed to its own owner, opened again: a directory that we may not read hides what
//! is in it, and one that we may not write to keeps it there. No content changes by that.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::place::Place;

/// Directories of a repository that nothing can be done without.
const OF_GIT: &[&str] = &["", "objects", "refs", "refs/heads", "logs", "hast", "hast/aside"];

impl Place {
    /// All directories of the work tree.
    pub(super) fn open_directories(&self) {
        open_below(&self.top, &|name| name != ".git");
    }

    /// The directories that some paths of the work tree lie in.
    pub(super) fn open_above<'p>(&self, paths: impl Iterator<Item = &'p [u8]>) {
        let mut above = BTreeSet::new();
        for path in paths {
            let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            above.extend(slashes.map(|(at, _)| &path[..at]));
        }
        open_up(&self.top);
        // A directory comes before what is in it.
        above.into_iter().for_each(|directory| open_up(&self.at(directory)));
    }

    /// The repository's own directories, if one of those that matter is closed.
    pub(super) fn open_repository(&self) {
        for home in [&self.common_dir, &self.git_dir] {
            if OF_GIT.iter().any(|name| lacks(&home.join(name)).is_some()) {
                open_below(home, &|_| true);
            }
        }
    }
}

/// Does something with a path, and once more after everything from `home` down to it was opened, if it
/// was closed.
pub(super) fn opening<T>(
    home: &Path,
    path: &Path,
    act: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<T> {
    match act(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            open_between(home, path);
            act(path)
        }
        other => other,
    }
}

pub(super) fn open_between(home: &Path, path: &Path) {
    let mut way: Vec<&Path> =
        path.ancestors().take_while(|above| above.starts_with(home)).collect();
    way.reverse();
    way.into_iter().for_each(open_up);
}

/// Opens a file or a directory to its owner, if that is us. Where nothing at all was left of its
/// permissions, others get what the directory above gives them.
pub(super) fn open_up(path: &Path) {
    let Some(mode) = lacks(path) else { return };
    let is_directory = fs::symlink_metadata(path).is_ok_and(|there| there.is_dir());
    let owners = if is_directory { 0o700 } else { 0o600 };
    let above = path.parent().and_then(|above| fs::symlink_metadata(above).ok());
    let above = above.map_or(0, |above| above.permissions().mode());
    let others = if mode & 0o777 != 0 {
        0
    } else if is_directory {
        above & 0o077
    } else {
        above & 0o066
    };
    // What stays closed is told of by whoever needs it.
    let _ = fs::set_permissions(path, Permissions::from_mode(mode | owners | others));
}

/// The mode of a file or a directory of ours that is closed to us.
fn lacks(path: &Path) -> Option<u32> {
    let there = fs::symlink_metadata(path).ok()?;
    let wanted = if there.is_dir() { 0o700 } else { 0o400 };
    let mode = there.permissions().mode() & 0o7777;
    let ours = there.uid() == rustix::process::geteuid().as_raw();
    let plain = there.is_dir() || there.is_file();
    (plain && ours && mode & wanted != wanted).then_some(mode)
}

fn open_below(directory: &Path, enters: &dyn Fn(&std::ffi::OsStr) -> bool) {
    let mut open: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        open_up(&directory);
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && enters(&entry.file_name()) {
                open.push(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new() -> Self {
            let tree = Self(tempfile::TempDir::new().unwrap());
            for path in ["src/deep", "objects", "plain"] {
                fs::create_dir_all(tree.at(path)).unwrap();
            }
            for path in ["src/a", "src/deep/b"] {
                fs::File::create(tree.at(path)).unwrap();
            }
            for (path, mode) in [("", 0o755), ("src", 0o755), ("plain", 0o500)] {
                tree.close(path, mode);
            }
            tree
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }

        fn close(&self, path: &str, mode: u32) {
            fs::set_permissions(self.at(path), Permissions::from_mode(mode)).unwrap();
        }

        fn mode(&self, path: &str) -> u32 {
            fs::metadata(self.at(path)).unwrap().permissions().mode() & 0o777
        }

        fn place(&self) -> Place {
            let top = self.0.path().to_owned();
            Place { git_dir: top.clone(), common_dir: top.clone(), top }
        }
    }

    #[test]
    fn directories_that_were_closed_are_open_again_from_the_top_down() {
        let tree = Tree::new();
        tree.close("src/deep", 0o000);
        tree.close("src", 0o555);
        tree.place().open_directories();
        assert_eq!((tree.mode("src"), tree.mode("src/deep")), (0o755, 0o755));
        assert_eq!(tree.mode("plain"), 0o700, "whoever may not write there takes nothing out");
    }

    #[test]
    fn only_the_directories_above_what_is_touched_are_opened() {
        let tree = Tree::new();
        tree.close("src", 0o555);
        tree.place().open_above([&b"src/a"[..]].into_iter());
        assert_eq!((tree.mode("src"), tree.mode("plain")), (0o755, 0o500));
    }

    #[test]
    fn a_file_of_no_mode_gets_what_its_directory_gives_and_no_link_is_followed() {
        let tree = Tree::new();
        tree.close("src/a", 0o000);
        open_up(&tree.at("src/a"));
        assert_eq!(tree.mode("src/a"), 0o644);
        tree.close("src/a", 0o040);
        open_up(&tree.at("src/a"));
        assert_eq!(tree.mode("src/a"), 0o640);
        tree.close("src/deep", 0o000);
        std::os::unix::fs::symlink(tree.at("src/deep"), tree.at("plain/link")).unwrap();
        open_up(&tree.at("plain/link"));
        assert_eq!(tree.mode("src/deep"), 0o000);
        tree.close("src/deep", 0o755);
    }

    #[test]
    fn a_repository_is_opened_only_where_something_that_matters_is_closed() {
        let tree = Tree::new();
        tree.place().open_repository();
        assert_eq!(tree.mode("plain"), 0o500);
        tree.close("objects", 0o500);
        tree.place().open_repository();
        assert_eq!(tree.mode("objects"), 0o700);
    }

    #[test]
    fn what_is_refused_is_tried_once_more_after_opening_the_way() {
        let tree = Tree::new();
        tree.close("src", 0o000);
        let tries = std::cell::Cell::new(0);
        let done = opening(tree.0.path(), &tree.at("src/a"), |_| {
            tries.set(tries.get() + 1);
            if tries.get() == 1 { Err(ErrorKind::PermissionDenied.into()) } else { Ok(7) }
        });
        assert_eq!((done.unwrap(), tree.mode("src")), (7, 0o755));
        let missing = opening(tree.0.path(), &tree.at("none"), |path| fs::read(path));
        assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
    }
}
