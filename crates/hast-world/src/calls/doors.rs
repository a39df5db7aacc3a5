//! Directories that must stay directories which hast can enter: an agent may have closed one, or put
//! something else in its place. Noted before it works, and mended right after.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hast_flow::calling::grants::Ground;
use rustix::fs::{CWD, RenameFlags, renameat_with};

/// What an owner needs.
const OPEN: u32 = 0o700;
/// More names than this are not tried.
const MOST: u32 = 1_000;

/// Directories and their modes, each after the one that it is in.
#[derive(Clone, Debug, Default)]
pub(super) struct Doors {
    all: Vec<(PathBuf, u32)>,
}

impl Doors {
    /// What everything else needs: the project, the tree of the call, their documents and git.
    pub(super) fn of(ground: &Ground) -> Self {
        let Ground { root, tree, documents, git, .. } = ground;
        let mut doors = Self::to(root, std::iter::once(documents.as_path()));
        doors.all.extend(Self::to(tree, std::iter::once(tree.as_path())).all);
        let git = git.iter().map(|git| &git.common);
        git.for_each(|common| doors.all.extend(Self::to(common, std::iter::empty()).all));
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
            Some((path, there.permissions().mode() & 0o7777))
        };
        Self { all: all.into_iter().filter_map(real).collect() }
    }

    /// Opens and makes again what was closed or taken away; what is there instead goes into a
    /// directory. Says which ones; of what is only gone, its files tell.
    pub(super) fn open_again(&self, aside: &Path) -> Vec<&Path> {
        let mended = |(path, mode): &&(PathBuf, u32)| match fs::symlink_metadata(path) {
            Ok(there) if there.is_dir() => {
                let now = there.permissions().mode();
                let closed = mode & OPEN & !now != 0;
                closed && fs::set_permissions(path, Permissions::from_mode(*mode)).is_ok()
            }
            Ok(_) => put_away(path, aside) && made(path, *mode),
            Err(_) => {
                made(path, *mode);
                false
            }
        };
        self.all.iter().filter(mended).map(|(path, _)| path.as_path()).collect()
    }
}

fn made(path: &Path, mode: u32) -> bool {
    DirBuilder::new().mode(mode).create(path).is_ok()
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
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
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
        assert!(aside.join("0-d").is_symlink() && aside.join("0-e").is_file());
        assert!(at("link").is_symlink(), "what was a link before is somebody's own");
    }
}
