//! The store on the machine's disk.

use std::os::unix::fs::{PermissionsExt, symlink};

use hast_flow::store::disk::DiskErrorKind;
use hast_flow::store::policy::AnyRole;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Options, Put, Seen, Store, StoreError};
use hast_world::disk::RealDisk;

const POLICY: AnyRole = AnyRole(HistoryClass::Pointer);

type Opened = (tempfile::TempDir, Store<RealDisk>);

fn open() -> Result<Opened, StoreError> {
    let dir = tempfile::tempdir().map_err(|_| StoreError::Stopped)?;
    let (store, _) = Store::open(RealDisk::open(dir.path())?, Options::default())?;
    Ok((dir, store))
}

fn path(text: &str) -> Result<DocPath, StoreError> {
    DocPath::new(text).map_err(|error| StoreError::Malformed(error.into()))
}

fn replace(store: &mut Store<RealDisk>, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let path = path(name)?;
    let put = match store.read(&path)? {
        Some((_, before)) => Put::Replace { path, before, bytes: bytes.to_vec() },
        None => Put::Create { path, bytes: bytes.to_vec() },
    };
    let change = ChangeSet::new("tester", "replace").put(put);
    store.commit(change, &POLICY).map(|_| ())
}

#[test]
fn the_machines_disk_keeps_the_contract() {
    let dirs = std::cell::RefCell::new(Vec::new());
    hast_sim::contract::check(|| {
        let dir = tempfile::tempdir().unwrap();
        let disk = RealDisk::open(dir.path()).unwrap();
        dirs.borrow_mut().push(dir);
        disk
    })
    .unwrap();
}

#[test]
fn replace_keeps_the_mode() {
    let (dir, mut store) = open().unwrap();
    replace(&mut store, "run.sh", b"1").unwrap();
    let file = dir.path().join("run.sh");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o750)).unwrap();
    replace(&mut store, "run.sh", b"2").unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"2");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o750);
}

#[test]
fn a_link_inside_the_root_is_followed_and_one_that_leaves_it_is_refused() {
    let (dir, mut store) = open().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("real")).unwrap();
    symlink("real", dir.path().join("inside")).unwrap();
    symlink(outside.path(), dir.path().join("leaving")).unwrap();
    replace(&mut store, "inside/a", b"1").unwrap();
    symlink("real/a", dir.path().join("direct")).unwrap();
    replace(&mut store, "direct", b"2").unwrap();
    assert_eq!(std::fs::read(dir.path().join("real/a")).unwrap(), b"2");
    assert!(dir.path().join("direct").is_symlink());
    let refused = replace(&mut store, "leaving/a", b"x");
    let Err(StoreError::Disk(error)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(error.kind, DiskErrorKind::Escapes);
    assert_eq!(outside.path().read_dir().unwrap().count(), 0);
}

#[expect(clippy::disallowed_methods, reason = "the test plays whoever damages the journal")]
#[test]
fn a_journal_that_nobody_can_read_is_set_aside_and_the_documents_stay() {
    let (dir, mut store) = open().unwrap();
    replace(&mut store, "a", b"1").unwrap();
    store.close().unwrap();
    std::fs::write(dir.path().join(".hast/journal"), b"garbage").unwrap();
    let disk = RealDisk::open(dir.path()).unwrap();
    let (mut store, opened) = Store::open(disk, Options::default()).unwrap();
    let aside = opened.set_aside.unwrap();
    assert!(dir.path().join(aside.as_str()).exists());
    replace(&mut store, "a", b"2").unwrap();
}

#[test]
fn who_deletes_the_technical_files_stops_the_process_and_not_the_documents() {
    let (dir, mut store) = open().unwrap();
    replace(&mut store, "a", b"1").unwrap();
    std::fs::remove_dir_all(dir.path().join(".hast")).unwrap();
    assert!(replace(&mut store, "a", b"2").is_err());
    assert_eq!(replace(&mut store, "a", b"2"), Err(StoreError::Stopped));
    assert_eq!(std::fs::read(dir.path().join("a")).unwrap(), b"1");
}

#[expect(clippy::disallowed_methods, reason = "the test plays whoever moves the journal")]
#[test]
fn who_moves_the_journal_away_stops_the_process_also_after_many_commits() {
    let (dir, mut store) = open().unwrap();
    for number in 0..5 {
        replace(&mut store, "a", &[b'0' + number]).unwrap();
    }
    let technical = dir.path().join(".hast");
    std::fs::rename(technical.join("journal"), technical.join("journal.old")).unwrap();
    assert!(replace(&mut store, "a", b"lost").is_err());
    assert_eq!(std::fs::read(dir.path().join("a")).unwrap(), b"4");
}

#[test]
fn an_edit_in_the_same_moment_is_told_apart_from_our_own_content() {
    let (dir, mut store) = open().unwrap();
    let name = path("a").unwrap();
    let create = ChangeSet::new("tester", "create")
        .put(Put::Create { path: name.clone(), bytes: b"ours".to_vec() });
    let mut seen = store.commit(create, &POLICY).unwrap().now.remove(0).1;
    for round in 0..200 {
        let Seen::File(before) = seen else { panic!("{seen:?}") };
        // As many bytes, in the same file, within the same tick of most clocks.
        let edit = format!("e{round:03}");
        let file = std::fs::OpenOptions::new().write(true).open(dir.path().join("a")).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, edit.as_bytes(), 0).unwrap();
        let put = Put::Replace { path: name.clone(), before, bytes: b"lost".to_vec() };
        let refused = store.commit(ChangeSet::new("tester", "replace").put(put), &POLICY);
        assert_eq!(refused.err(), Some(StoreError::Stale { path: name.clone() }), "{edit}");
        let (_, before) = store.read(&name).unwrap().unwrap();
        let put = Put::Replace { path: name.clone(), before, bytes: b"ours".to_vec() };
        let change = ChangeSet::new("tester", "replace").put(put);
        seen = store.commit(change, &POLICY).unwrap().now.remove(0).1;
    }
}
