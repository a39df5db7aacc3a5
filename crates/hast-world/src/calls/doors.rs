//! Directories that must stay directories which hast can enter: an agent may have closed one, moved it, or
//! put something else in its place. Noted before it works, and mended right after.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hast_flow::calling::grants::Ground;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::files::read_bounded;

/// What an owner needs.
const OPEN: u32 = 0o700;
/// No path is longer.
const LONGEST: usize = 8 << 10;
/// More names than this are not tried.
const MOST: u32 = 1_000;

/// Directories, each after the one that it is in.
#[derive(Clone, Debug, Default)]
pub(super) struct Doors {
    all: Vec<Door>,
}

#[derive(Clone, Debug)]
struct Door {
    path: PathBuf,
    mode: u32,
    inode: (u64, u64),
    /// Whether an empty one is better than none.
    is_ours: bool,
}

impl Doors {
    /// What everything else needs: the project, the tree of the call, their documents and git.
    pub(super) fn of(ground: &Ground) -> Self {
        let Ground { root, tree, documents, git, .. } = ground;
        let mut doors = Self::to(root, std::iter::once(documents.as_path()));
        doors.all.extend(Self::to(tree, std::iter::once(tree.as_path())).all);
        if let Some(git) = git {
            let common = Self::to(&git.common, std::iter::empty()).all.into_iter();
            doors.all.extend(common.map(|door| Door { is_ours: false, ..door }));
        }
        doors
    }

    /// The directories from a root down to these paths, as far as they are ones now.
    pub(super) fn to<'p>(root: &Path, paths: impl Iterator<Item = &'p Path>) -> Self {
        let mut all: Vec<PathBuf> = vec![root.to_owned()];
        for path in paths.filter(|path| path.starts_with(root)) {
            let above = path.ancestors().take_while(|above| above.starts_with(root));
            all.extend(above.map(Path::to_owned));
        }
        all.sort();
        all.dedup();
        let real = |path: PathBuf| {
            let there = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_dir)?;
            let (mode, inode) = (there.permissions().mode() & 0o7777, inode(&there));
            Some(Door { path, mode, inode, is_ours: true })
        };
        Self { all: all.into_iter().filter_map(real).collect() }
    }

    /// Opens and makes again what was closed or taken away; what is there instead goes into a
    /// directory. Says which ones; of what is only gone, its files tell.
    pub(super) fn open_again(&self, aside: &Path) -> Vec<&Path> {
        self.all.iter().filter(|door| door.mended(aside)).map(|door| door.path.as_path()).collect()
    }
}

impl Door {
    fn mended(&self, aside: &Path) -> bool {
        match fs::symlink_metadata(&self.path) {
            Ok(there) if there.is_dir() => {
                let closed = self.mode & OPEN & !there.permissions().mode() != 0;
                let mode = Permissions::from_mode(self.mode);
                closed && fs::set_permissions(&self.path, mode).is_ok()
            }
            Ok(there) if self.moved_to(&there).is_some_and(|to| self.bring_back(&to)) => true,
            Ok(_) => self.is_ours && put_away(&self.path, aside) && self.made(),
            Err(_) => {
                let _ = self.is_ours && self.made();
                false
            }
        }
    }

    /// Where the directory is now, if what stands in its place says so: a link, or git's own kind of one.
    fn moved_to(&self, there: &fs::Metadata) -> Option<PathBuf> {
        let to = if there.is_symlink() {
            self.path.canonicalize().ok()?
        } else {
            let text = read_bounded(&self.path, LONGEST).ok().filter(|_| there.is_file())?;
            let text = std::str::from_utf8(text.strip_prefix(b"gitdir: ")?).ok()?;
            self.path.parent()?.join(text.trim_end()).canonicalize().ok()?
        };
        let now = fs::symlink_metadata(&to).ok()?;
        (inode(&now) == self.inode).then_some(to)
    }

    fn bring_back(&self, from: &Path) -> bool {
        fs::remove_file(&self.path).is_ok()
            && renameat_with(CWD, from, CWD, &self.path, RenameFlags::NOREPLACE).is_ok()
    }

    fn made(&self) -> bool {
        DirBuilder::new().mode(self.mode).create(&self.path).is_ok()
    }
}

fn inode(there: &fs::Metadata) -> (u64, u64) {
    (there.dev(), there.ino())
}

fn put_away(path: &Path, aside: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    fs::create_dir_all(aside).is_ok()
        && (0..MOST).any(|number| {
            let to = aside.join(format!("{number}-{name}"));
            renameat_with(CWD, path, CWD, &to, RenameFlags::NOREPLACE).is_ok()
        })
}

#[cfg(test)]
mod tests {
    use hast_flow::calling::grants::GitLayout;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
    fn a_git_directory_that_was_moved_comes_back_and_none_is_made_up() {
        for gitfile in [false, true] {
            let top = tempfile::tempdir().unwrap();
            let at = |path: &str| top.path().join(path);
            fs::create_dir_all(at(".git/objects")).unwrap();
            let git = GitLayout { common: at(".git"), own: at(".git"), branch: None };
            let (root, tree) = (top.path().to_owned(), top.path().to_owned());
            let ground = Ground { root, tree, git: Some(git), ..Ground::default() };
            let doors = Doors::of(&ground);
            fs::rename(at(".git"), at("elsewhere")).unwrap();
            match gitfile {
                true => fs::write(at(".git"), "gitdir: elsewhere\n").unwrap(),
                false => std::os::unix::fs::symlink("elsewhere", at(".git")).unwrap(),
            }
            assert_eq!(doors.open_again(&at("aside")), [at(".git")]);
            assert!(at(".git/objects").is_dir() && !at(".git").is_symlink());
            assert!(!at("elsewhere").exists());
            fs::remove_dir_all(at(".git")).unwrap();
            fs::File::create(at(".git")).unwrap();
            assert_eq!(doors.open_again(&at("aside")), Vec::<&Path>::new());
            assert!(at(".git").is_file(), "an empty repository would be worse");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
    fn what_was_closed_replaced_or_removed_is_a_directory_again_and_nothing_is_lost() {
        let top = tempfile::tempdir().unwrap();
        let at = |path: &str| top.path().join(path);
        for path in ["a/b/c", "d", "e", "f", "elsewhere"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        fs::set_permissions(at("f"), Permissions::from_mode(0o750)).unwrap();
        std::os::unix::fs::symlink("elsewhere", at("link")).unwrap();
        let paths = ["a/b/c/file", "d", "e", "f", "link/x"].map(at);
        let doors = Doors::to(top.path(), paths.iter().map(PathBuf::as_path));
        let aside = at("aside");
        assert_eq!(doors.open_again(&aside), Vec::<&Path>::new());
        fs::remove_dir_all(at("a")).unwrap();
        fs::rename(at("d"), at("elsewhere/d")).unwrap();
        std::os::unix::fs::symlink("elsewhere/d", at("d")).unwrap();
        fs::remove_dir(at("e")).unwrap();
        fs::File::create(at("e")).unwrap();
        fs::set_permissions(at("f"), Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(top.path(), Permissions::from_mode(0o500)).unwrap();
        let told = doors.open_again(&aside);
        assert_eq!(told, [top.path(), &at("d"), &at("e"), &at("f")]);
        assert!(at("a/b/c").is_dir() && at("d").is_dir() && !at("d").is_symlink());
        assert_eq!((mode(&at("f")), mode(top.path()) & OPEN), (0o750, OPEN));
        assert!(
            aside.join("0-e").is_file() && !at("elsewhere/d").exists(),
            "it was moved, not lost"
        );
        assert!(at("link").is_symlink(), "what was a link before is somebody's own");
    }
}
