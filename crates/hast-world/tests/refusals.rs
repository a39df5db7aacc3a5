//! A machine that refuses: a disk that is full in each phase of a commit, and places that nobody may
//! write to, root neither. Where this process may not mount, the tests say so and end.
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use hast_flow::store::disk::DiskErrorKind;
use hast_flow::store::policy::AnyRole;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Options, Put, Store, StoreError};
use hast_flow::words::Lang;
use hast_stage::needs::{Ability, skip_without};
use hast_world::disk::RealDisk;
use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, mount_remount, unmount};

const POLICY: AnyRole = AnyRole(HistoryClass::Pointer);
const PAGE: u64 = 4096;
/// Small, so that one document makes the journal grow.
const AREA: u64 = 64 << 10;

fn path(name: &str) -> DocPath {
    DocPath::new(name).unwrap()
}

/// A file system of our own, until it is dropped.
struct Mounted {
    at: PathBuf,
    _dir: tempfile::TempDir,
}

impl Mounted {
    fn tmpfs(options: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let data = CString::new(options).unwrap();
        let mounted = mount("tmpfs", dir.path(), "tmpfs", MountFlags::empty(), Some(&*data));
        if let Err(errno) = mounted {
            skip_without(Ability::Mounts, format!("a tmpfs ({errno})"));
            return None;
        }
        Some(Self { at: dir.path().to_owned(), _dir: dir })
    }

    /// A directory that becomes a mount of its own, which cannot be written through.
    fn seal(&self, name: &str) -> Option<Sealed> {
        let at = self.at.join(name);
        let sealed = mount_bind(&at, &at).and_then(|()| {
            let flags = MountFlags::BIND | MountFlags::RDONLY;
            mount_remount(&at, flags, c"")
        });
        if let Err(errno) = sealed {
            skip_without(Ability::Mounts, format!("a read-only mount ({errno})"));
            return None;
        }
        Some(Sealed(at))
    }

    fn open(&self) -> Store<RealDisk> {
        let options = Options { journal_area: AREA, ..Options::default() };
        Store::open(RealDisk::open(&self.at).unwrap(), options).unwrap().0
    }

    /// Everything except what the filler may use later.
    fn fill(&self, but: u64) -> Filler {
        let at = self.at.join("filler");
        let file = File::create(&at).unwrap();
        let mut length = 0;
        while file.write_all_at(&[1; PAGE as usize], length).is_ok() {
            length += PAGE;
        }
        file.set_len(length - but).unwrap();
        Filler(at)
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.at.join(name)).ok()
    }

    fn staged(&self) -> usize {
        self.at.join(".hast/tmp").read_dir().unwrap().count()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _: Result<(), _> = unmount(&self.at, UnmountFlags::DETACH);
    }
}

struct Sealed(PathBuf);

impl Drop for Sealed {
    fn drop(&mut self) {
        let _: Result<(), _> = unmount(&self.0, UnmountFlags::DETACH);
    }
}

/// Takes the room until it is dropped.
struct Filler(PathBuf);

impl Drop for Filler {
    fn drop(&mut self) {
        let _: Result<(), _> = std::fs::remove_file(&self.0);
    }
}

fn commit(store: &mut Store<RealDisk>, puts: Vec<Put>) -> Result<(), StoreError> {
    let mut change = ChangeSet::new("tester", "refusal");
    change.puts = puts;
    let committed = store.commit(change, &POLICY)?;
    assert_eq!(committed.conflicts, []);
    Ok(())
}

fn create(name: &str, length: usize) -> Put {
    Put::Create { path: path(name), bytes: filled(b'n', length) }
}

fn replace(store: &Store<RealDisk>, name: &str, length: usize) -> Put {
    let (_, before) = store.read(&path(name)).unwrap().unwrap();
    Put::Replace { path: path(name), before, bytes: filled(b'n', length) }
}

/// So many bytes, the last of which ends a line: only after such a one is more appended.
fn filled(byte: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![byte; length];
    if let Some(last) = bytes.last_mut() {
        *last = b'\n';
    }
    bytes
}

fn append(store: &Store<RealDisk>, name: &str, length: usize) -> Put {
    let (bytes, _) = store.read(&path(name)).unwrap().unwrap();
    Put::Append { path: path(name), at: bytes.len() as u64, bytes: filled(b'a', length) }
}

/// The error names a place below the root and says what to do, in both languages.
#[track_caller]
fn check_said(error: &StoreError, at: &Path, next: &str) {
    let root = at.display().to_string();
    assert!(error.to_string().contains(&root), "{error}");
    assert!(error.next(Lang::En).contains(next), "{}", error.next(Lang::En));
    assert!(error.next(Lang::Ko).contains(&root));
}

/// Refused before it counted: everything is as it was, the same store goes on once it may.
#[track_caller]
fn check_refused(refused: &Result<(), StoreError>, kind: &DiskErrorKind, at: &Path, next: &str) {
    let Err(error @ StoreError::Disk(disk)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(disk.kind, *kind);
    check_said(error, at, next);
}

#[test]
fn a_disk_that_is_full_when_a_document_is_staged_refuses_the_commit_and_takes_the_next_one() {
    let Some(disk) = Mounted::tmpfs("size=1m") else { return };
    let mut store = disk.open();
    commit(&mut store, vec![create("a", 10), create("log", 10)]).unwrap();
    let wanted = vec![append(&store, "log", 5), replace(&store, "a", 40_000)];
    let filler = disk.fill(2 * PAGE);
    let refused = commit(&mut store, wanted.clone());
    check_refused(&refused, &DiskErrorKind::Full, &disk.at, "free space");
    assert_eq!((disk.read("a"), disk.staged()), (Some(filled(b'n', 10)), 0));
    assert_eq!(disk.read("log").unwrap().len(), 10);
    drop(filler);
    commit(&mut store, wanted).unwrap();
    assert_eq!(disk.read("a").unwrap().len(), 40_000);
    assert_eq!(disk.read("log").unwrap().len(), 15);
}

#[test]
fn a_disk_that_is_full_when_a_log_or_a_growing_document_needs_a_page_refuses_before_it_counts() {
    let Some(disk) = Mounted::tmpfs("size=1m") else { return };
    let mut store = disk.open();
    commit(&mut store, vec![create("log", 4000), create("index", 4000)]).unwrap();
    let (_, before) = store.read(&path("index")).unwrap().unwrap();
    let line = append(&store, "log", 300);
    let end = Put::tail(path("index"), before, b"n\n", vec![b'e'; 300]);
    let filler = disk.fill(0);
    for put in [&line, &end] {
        let refused = commit(&mut store, vec![put.clone()]);
        check_refused(&refused, &DiskErrorKind::Full, &disk.at, "free space");
    }
    assert_eq!(disk.read("log"), Some(filled(b'n', 4000)));
    assert_eq!(disk.read("index"), Some(filled(b'n', 4000)));
    drop(filler);
    commit(&mut store, vec![line, end]).unwrap();
    assert_eq!(disk.read("log").unwrap().len(), 4300);
    assert_eq!(disk.read("index").unwrap().len(), 4298);
}

#[test]
fn a_disk_that_is_full_when_the_journal_must_grow_refuses_the_commit_and_keeps_the_journal() {
    let Some(disk) = Mounted::tmpfs("size=1m") else { return };
    let mut store = disk.open();
    commit(&mut store, vec![create("a", 10)]).unwrap();
    // Room for the staging file, not for a ring that takes the record as well.
    let filler = disk.fill(30 * PAGE);
    let large = replace(&store, "a", 100_000);
    let refused = commit(&mut store, vec![large.clone()]);
    check_refused(&refused, &DiskErrorKind::Full, &disk.at, "free space");
    assert_eq!((disk.read("a"), disk.staged()), (Some(filled(b'n', 10)), 0));
    // Small ones still go, and another process finds everything in order.
    let small = append(&store, "a", 5);
    commit(&mut store, vec![small]).unwrap();
    let mut other = disk.open();
    let small = append(&other, "a", 5);
    commit(&mut other, vec![small]).unwrap();
    drop(filler);
    let large = replace(&store, "a", 100_000);
    commit(&mut store, vec![large]).unwrap();
    assert_eq!(disk.read("a").unwrap().len(), 100_000);
}

#[test]
fn a_disk_without_room_for_a_directory_leaves_a_recorded_commit_to_the_next_opening() {
    let Some(disk) = Mounted::tmpfs("size=1m,nr_inodes=24") else { return };
    let mut store = disk.open();
    commit(&mut store, vec![create("a", 10)]).unwrap();
    let mut fillers: Vec<Filler> = Vec::new();
    loop {
        let at = disk.at.join(format!("filler-{}", fillers.len()));
        match File::create(&at) {
            Ok(_) => fillers.push(Filler(at)),
            Err(_) => break,
        }
    }
    // One for the staging file, none for the directory.
    fillers.pop();
    let puts = vec![create("new/deep/b", 10), append(&store, "a", 5)];
    let refused = commit(&mut store, puts);
    let Err(error @ StoreError::Unpublished(full)) = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!(full.kind, DiskErrorKind::Full);
    check_said(error, &disk.at, "free space");
    // Whoever stopped writes no more, and nobody opens the root as if nothing had happened.
    assert_eq!(commit(&mut store, vec![create("c", 1)]), Err(StoreError::Stopped));
    assert!(Store::open(RealDisk::open(&disk.at).unwrap(), Options::default()).is_err());
    drop(fillers);
    let mut store = disk.open();
    assert_eq!(disk.read("new/deep/b"), Some(filled(b'n', 10)));
    assert_eq!(disk.read("a").unwrap().len(), 15);
    commit(&mut store, vec![create("c", 1)]).unwrap();
    assert_eq!(disk.staged(), 0);
}

#[test]
fn a_disk_that_is_full_when_a_root_is_made_says_so_and_leaves_nothing_in_the_way() {
    let Some(disk) = Mounted::tmpfs("size=1m") else { return };
    let filler = disk.fill(8 * PAGE);
    let options = Options { journal_area: AREA, ..Options::default() };
    let refused = Store::open(RealDisk::open(&disk.at).unwrap(), options).map(|_| ());
    check_refused(&refused, &DiskErrorKind::Full, &disk.at, "free space");
    drop(filler);
    let mut store = disk.open();
    commit(&mut store, vec![create("a", 10)]).unwrap();
    assert_eq!(disk.staged(), 0);
}

#[test]
fn a_directory_on_a_read_only_mount_refuses_every_kind_of_change_before_it_counts() {
    let Some(disk) = Mounted::tmpfs("size=1m") else { return };
    let mut store = disk.open();
    commit(&mut store, vec![create("sealed/a", 10), create("open", 10)]).unwrap();
    let (_, before) = store.read(&path("sealed/a")).unwrap().unwrap();
    let all = [
        create("sealed/new", 5),
        replace(&store, "sealed/a", 20),
        Put::tail(path("sealed/a"), before, b"n\n", b"longer".to_vec()),
        Put::Archive { from: path("sealed/a"), to: path("archive/a") },
        append(&store, "sealed/a", 5),
    ];
    store.close().unwrap();
    let Some(sealed) = disk.seal("sealed") else { return };
    let mut store = disk.open();
    for put in &all {
        let other = append(&store, "open", 5);
        let refused = commit(&mut store, vec![other, put.clone()]);
        check_refused(&refused, &DiskErrorKind::ReadOnly, &disk.at, "writable");
    }
    assert_eq!(disk.read("open").unwrap().len(), 10);
    assert_eq!((disk.read("sealed/a").unwrap().len(), disk.staged()), (10, 0));
    drop(sealed);
    commit(&mut store, vec![all[4].clone()]).unwrap();
    assert_eq!(disk.read("sealed/a").unwrap().len(), 15);
}

/// Nobody may change it, root neither, until it is let go.
struct Immutable(File);

impl Immutable {
    fn new(at: &Path) -> Option<Self> {
        let file = OpenOptions::new().read(true).open(at).unwrap();
        let set = ioctl_getflags(&file)
            .and_then(|flags| ioctl_setflags(&file, flags | IFlags::IMMUTABLE));
        if let Err(errno) = set {
            skip_without(Ability::Immutable, errno);
            return None;
        }
        Some(Self(file))
    }
}

impl Drop for Immutable {
    fn drop(&mut self) {
        if let Ok(flags) = ioctl_getflags(&self.0) {
            let _: Result<(), _> = ioctl_setflags(&self.0, flags - IFlags::IMMUTABLE);
        }
    }
}

#[test]
fn an_immutable_directory_or_log_refuses_the_commit_and_an_immutable_document_its_publication() {
    let Some(disk) = Mounted::tmpfs("size=1m") else { return };
    let mut store = disk.open();
    commit(&mut store, vec![create("d/a", 10), create("log", 10), create("open", 10)]).unwrap();
    store.close().unwrap();
    let mut store = disk.open();
    for (name, put) in [("d", create("d/new", 5)), ("log", append(&store, "log", 5))] {
        let Some(held) = Immutable::new(&disk.at.join(name)) else { return };
        let other = append(&store, "open", 5);
        let refused = commit(&mut store, vec![other, put.clone()]);
        check_refused(&refused, &DiskErrorKind::Denied, &disk.at, "writable");
        assert_eq!((disk.read("open").unwrap().len(), disk.staged()), (10, 0));
        drop(held);
        commit(&mut store, vec![put]).unwrap();
    }
    let Some(held) = Immutable::new(&disk.at.join("d/a")) else { return };
    let puts = vec![replace(&store, "d/a", 20), append(&store, "open", 5)];
    let refused = commit(&mut store, puts);
    let Err(error @ StoreError::Unpublished(denied)) = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!(denied.kind, DiskErrorKind::Denied);
    check_said(error, &disk.at, "writable");
    drop(held);
    disk.open();
    assert_eq!(disk.read("d/a").unwrap().len(), 20);
    assert_eq!(disk.read("open").unwrap().len(), 15);
    assert_eq!(disk.staged(), 0);
}
