//! Stamps of a project's files before and after a call, so that changes in between are known. Files
//! are looked at and not read: size, mode, inode and the time of the last change tell.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where a store keeps what is its own, beside its documents.
const STORE: &str = ".hast";
/// More entries than this are not looked at.
const MOST: usize = 1_000_000;
/// Inside of `.git` only what decides what git does or where branches stand. Objects only grow, and
/// looking at a repository already rewrites its index.
const OF_GIT: &[&str] =
    &["config", "config.worktree", "hooks", "info", "HEAD", "packed-refs", "refs"];

/// A project at one moment.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    seen: BTreeMap<PathBuf, Stamp>,
    /// There were more entries than are looked at.
    pub(crate) cut: bool,
}

/// Forging the time of the last change of the inode needs more than a user may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stamp {
    Directory { mode: u32 },
    Other { inode: u64, size: u64, mode: u32, changed: (i64, i64) },
}

impl Traces {
    /// Looks at everything below a directory; links are not followed.
    pub(crate) fn of(root: &Path, left_out: &[&Path]) -> Self {
        let mut traces = Self::default();
        let mut open = vec![root.to_owned()];
        while let Some(directory) = open.pop() {
            let is_git = directory.file_name().is_some_and(|name| name == ".git");
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let of_git = OF_GIT.iter().any(|known| name == *known);
                if left_out.contains(&path.as_path()) || (is_git && !of_git) {
                    continue;
                }
                let Ok(metadata) = entry.metadata() else { continue };
                if traces.seen.len() >= MOST {
                    traces.cut = true;
                    return traces;
                }
                let below = path.strip_prefix(root).unwrap_or(&path).to_owned();
                traces.seen.insert(below, Stamp::of(&metadata));
                if metadata.is_dir() {
                    open.push(path);
                }
            }
        }
        traces
    }

    /// The directories with a store of their own in which something of the store changed since.
    pub(crate) fn active_since(&self, before: &Self) -> Vec<PathBuf> {
        let changed = self.changed_since(before);
        let stores = changed.iter().filter_map(|path| {
            let store = |above: &&Path| above.file_name().is_some_and(|name| name == STORE);
            Path::new(path).ancestors().find(store).and_then(Path::parent).map(Path::to_owned)
        });
        let mut stores: Vec<PathBuf> = stores.collect();
        stores.dedup();
        stores
    }

    /// How many files and directories were looked at.
    pub(crate) fn count(&self) -> usize {
        self.seen.len()
    }

    /// The paths that came, went or changed since, in order.
    pub(crate) fn changed_since(&self, before: &Self) -> Vec<String> {
        let gone = before.seen.keys().filter(|path| !self.seen.contains_key(*path));
        let other = self.seen.iter().filter(|(path, stamp)| before.seen.get(*path) != Some(stamp));
        let mut paths: Vec<String> = gone
            .chain(other.map(|(path, _)| path))
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        paths.sort();
        paths
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let mode = metadata.mode();
        match metadata.is_dir() {
            true => Self::Directory { mode },
            false => Self::Other {
                inode: metadata.ino(),
                size: metadata.len(),
                mode,
                changed: (metadata.ctime(), metadata.ctime_nsec()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn what_comes_goes_or_changes_is_seen_and_what_git_does_for_itself_is_not() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        let files = ["a", "b", "c", "d/e", ".git/index", ".git/config", ".hast/journal"];
        files.iter().for_each(|file| write(&root.join(file), "1"));
        let own = root.join(".hast");
        let look = || Traces::of(root, &[&own]);
        let before = look();
        assert!(look().changed_since(&before).is_empty());
        write(&root.join("a"), "22");
        fs::remove_file(root.join("b")).unwrap();
        fs::set_permissions(root.join("c"), fs::Permissions::from_mode(0o755)).unwrap();
        write(&root.join("new/f"), "1");
        for file in [".git/index", ".git/config", ".git/objects/x", ".hast/journal"] {
            write(&root.join(file), "22");
        }
        assert_eq!(look().changed_since(&before), [".git/config", "a", "b", "c", "new", "new/f"]);
    }

    #[test]
    fn a_time_that_was_set_back_hides_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("a");
        write(&path, "1");
        let first = fs::metadata(&path).unwrap();
        let before = Traces::of(scratch.path(), &[]);
        loop {
            let mut file = fs::File::options().write(true).open(&path).unwrap();
            file.write_all(b"2").unwrap();
            file.set_modified(first.modified().unwrap()).unwrap();
            // The clock of files may tick more slowly than two writes follow each other.
            if file.metadata().unwrap().ctime_nsec() != first.ctime_nsec() {
                break;
            }
        }
        assert_eq!(Traces::of(scratch.path(), &[]).changed_since(&before), ["a"]);
    }
}
