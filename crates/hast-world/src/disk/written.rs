//! Record of the documents that this process wrote itself. A watch over the project tells by it the
//! process's own writes from those of others. It is kept only where it was asked for.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hast_flow::store::DocPath;
use hast_flow::store::disk::{Disk, DiskError, FileKind, Meta};

use super::RealDisk;

/// What each path was when we last wrote it; none where we took it away.
#[derive(Debug, Default)]
pub(super) struct Written(Mutex<BTreeMap<DocPath, Option<Meta>>>);

impl Written {
    fn all(&self) -> MutexGuard<'_, BTreeMap<DocPath, Option<Meta>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RealDisk {
    /// From here on it is remembered what is written through this root.
    #[must_use]
    pub fn remembering(self) -> Self {
        self.0.written.get_or_init(Written::default);
        self
    }

    /// Whether a document is as this process wrote it last, or gone because this process took it away.
    pub fn is_as_written(&self, path: &DocPath) -> bool {
        let Some(written) = self.0.written.get() else { return false };
        let all = written.all();
        let Some(ours) = all.get(path) else { return false };
        let now = self.stat(path).ok().flatten();
        match (ours, now) {
            (None, None) => true,
            (Some(ours), Some(now)) => is_same(ours, &now),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Changes a path and remembers what it is afterwards. Nobody asks in between. The store's own
    /// files are nobody's business.
    pub(super) fn changing<T>(
        &self,
        path: &DocPath,
        change: impl FnOnce() -> Result<T, DiskError>,
    ) -> Result<T, DiskError> {
        let Some(written) = self.0.written.get().filter(|_| !path.is_technical()) else {
            return change();
        };
        let mut all = written.all();
        let changed = change();
        all.insert(path.clone(), self.stat(path).ok().flatten());
        changed
    }

    /// As [`Self::changing`], for what comes from another path: a tree comes with all that is in it, and
    /// leaves nothing where it was.
    pub(super) fn moving<E>(
        &self,
        from: &DocPath,
        to: &DocPath,
        change: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(written) = self.0.written.get() else { return change() };
        let mut all = written.all();
        change()?;
        let mut open = vec![to.clone()];
        while let Some(path) = open.pop() {
            let now = self.stat(&path).ok().flatten();
            if now.is_some_and(|meta| meta.kind == FileKind::Dir) {
                let entries = self.read_dir(Some(&path)).unwrap_or_default();
                let below =
                    entries.iter().map(|entry| DocPath::new(&format!("{path}/{}", entry.name)));
                open.extend(below.filter_map(Result::ok));
            }
            all.extend(path.moved(to, from).map(|was| (was, None)));
            all.insert(path, now);
        }
        Ok(())
    }
}

/// What is in a directory is looked at by itself.
fn is_same(one: &Meta, other: &Meta) -> bool {
    let of = |meta: &Meta| (meta.inode, meta.size, meta.changed);
    let file = one.kind != FileKind::Dir;
    one.kind == other.kind && one.mode == other.mode && !(file && of(one) != of(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hast_flow::store::disk::Open;
    use std::io::Write;

    fn path(text: &str) -> DocPath {
        DocPath::new(text).unwrap()
    }

    #[test]
    fn what_was_written_here_is_told_from_what_somebody_else_wrote() {
        let scratch = tempfile::tempdir().unwrap();
        let disk = RealDisk::open(scratch.path()).unwrap().remembering();
        let (log, directory) = (path("a/log.ndjson"), path("a"));
        disk.make_dir(&directory).unwrap();
        let file = disk.open(&log, Open::CreateNew).unwrap();
        disk.write_at(&file, 0, b"1\n").unwrap();
        // Room is made before the next line is written, and counts as a change too.
        disk.reserve(&file, 2, 8192).unwrap();
        assert!(disk.is_as_written(&log) && disk.is_as_written(&directory));
        let mut theirs = std::fs::File::options()
            .append(true)
            .open(scratch.path().join("a/log.ndjson"))
            .unwrap();
        theirs.write_all(b"2\n").unwrap();
        assert!(!disk.is_as_written(&log) && disk.is_as_written(&directory));
        disk.write_at(&file, 2, b"3\n").unwrap();
        assert!(disk.is_as_written(&log), "the store compares before it writes");
        assert!(!disk.is_as_written(&path("b")), "nobody wrote it");
    }

    #[test]
    fn a_tree_that_was_moved_or_removed_here_is_ours_in_both_places() {
        let scratch = tempfile::tempdir().unwrap();
        let disk = RealDisk::open(scratch.path()).unwrap();
        for directory in ["a", "a/b"] {
            disk.make_dir(&path(directory)).unwrap();
        }
        disk.open(&path("a/b/c"), Open::CreateNew).unwrap();
        let disk = disk.remembering();
        disk.rename_new(&path("a"), &path("z")).unwrap();
        for known in ["a", "a/b", "a/b/c", "z", "z/b", "z/b/c"] {
            assert!(disk.is_as_written(&path(known)), "{known}");
        }
        std::fs::File::create(scratch.path().join("z/b/d")).unwrap();
        std::fs::remove_file(scratch.path().join("z/b/c")).unwrap();
        assert!(!disk.is_as_written(&path("z/b/d")) && !disk.is_as_written(&path("z/b/c")));
    }
}
