//! Tests that every disk must pass, and tests of the store on it. The simulated disk and the
//! machine's disk share this one suite.

use hast_flow::store::disk::{Disk, DiskErrorKind, Exchange, Open};
use hast_flow::store::policy::AnyRole;
use hast_flow::store::{
    ChangeSet, Committed, DocPath, HistoryClass, Options, Put, Seen, Store, StoreError,
};

type Checked = Result<(), String>;
type Check<D> = fn(&D) -> Checked;

/// Runs every check on a fresh root each; the first sentence that is not true comes back.
pub fn check<D: Disk + Clone>(fresh: impl Fn() -> D) -> Checked {
    let checks: [(&str, Check<D>); 10] = [
        ("a new name must be free", names_are_free),
        ("an exchange swaps two files", exchange_swaps),
        ("a handle stays with its file", handles_stay),
        ("reading ends with the file", reading_ends),
        ("a directory lists what it has", directories_list),
        ("every kind of change is committed", every_kind),
        ("a stale change set changes nothing", stale_changes_nothing),
        ("history is judged before anything is written", history_is_judged),
        ("a log is rotated in one commit", log_rotates),
        ("an end grows where it still is the end", end_grows),
    ];
    for (sentence, check) in checks {
        check(&fresh()).map_err(|why| format!("{sentence}: {why}"))?;
    }
    Ok(())
}

fn path(text: &str) -> Result<DocPath, String> {
    DocPath::new(text).map_err(|error| error.to_string())
}

fn said<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "a literal reads better than its reference")]
fn same<T: PartialEq + std::fmt::Debug>(found: T, wanted: T) -> Checked {
    if found == wanted { Ok(()) } else { Err(format!("{found:?} and not {wanted:?}")) }
}

fn write<D: Disk>(disk: &D, name: &str, bytes: &[u8]) -> Result<D::File, String> {
    let file = said(disk.open(&path(name)?, Open::CreateNew))?;
    said(disk.write_at(&file, 0, bytes))?;
    Ok(file)
}

fn read<D: Disk>(disk: &D, name: &str) -> Result<String, String> {
    let file = said(disk.open(&path(name)?, Open::Read))?;
    content(disk, &file)
}

fn content<D: Disk>(disk: &D, file: &D::File) -> Result<String, String> {
    let mut bytes = [0; 64];
    let count = said(disk.read_at(file, 0, &mut bytes))?;
    said(String::from_utf8(bytes[..count].to_vec()))
}

fn names_are_free<D: Disk>(disk: &D) -> Checked {
    write(disk, "a", b"1")?;
    write(disk, "b", b"2")?;
    let again = disk.open(&path("a")?, Open::CreateNew).err();
    same(again.map(|error| error.kind), Some(DiskErrorKind::Exists))?;
    let taken = disk.rename_new(&path("a")?, &path("b")?).err();
    same(taken.map(|error| error.kind), Some(DiskErrorKind::Exists))?;
    said(disk.rename_new(&path("a")?, &path("c")?))?;
    same(said(disk.stat(&path("a")?))?, None)?;
    said(disk.rename_over(&path("c")?, &path("b")?))?;
    same(read(disk, "b")?, "1".to_owned())
}

fn exchange_swaps<D: Disk>(disk: &D) -> Checked {
    write(disk, "a", b"1")?;
    write(disk, "b", b"2")?;
    if said(disk.exchange(&path("a")?, &path("b")?))? == Exchange::Unsupported {
        return Ok(());
    }
    same((read(disk, "a")?, read(disk, "b")?), ("2".into(), "1".into()))?;
    let missing = disk.exchange(&path("a")?, &path("x")?).err();
    same(missing.map(|error| error.kind), Some(DiskErrorKind::NotFound))
}

fn handles_stay<D: Disk>(disk: &D) -> Checked {
    let file = write(disk, "a", b"old")?;
    write(disk, "b", b"new")?;
    said(disk.rename_over(&path("b")?, &path("a")?))?;
    same(content(disk, &file)?, "old".to_owned())?;
    same(read(disk, "a")?, "new".to_owned())?;
    let there = said(disk.stat(&path("a")?))?.map(|meta| meta.inode);
    let held = said(disk.stat_file(&file))?.inode;
    same(there == Some(held), false)
}

fn reading_ends<D: Disk>(disk: &D) -> Checked {
    let file = write(disk, "a", b"abc")?;
    said(disk.write_at(&file, 5, b"f"))?;
    same(content(disk, &file)?, "abc\0\0f".to_owned())?;
    said(disk.reserve(&file, 6, 100))?;
    same(said(disk.stat_file(&file))?.size, 6)?;
    said(disk.set_len(&file, 2))?;
    same(content(disk, &file)?, "ab".to_owned())
}

fn directories_list<D: Disk>(disk: &D) -> Checked {
    said(disk.make_dir(&path("d")?))?;
    write(disk, "d/x", b"")?;
    said(disk.make_dir(&path("d/sub")?))?;
    let listed = said(disk.read_dir(Some(&path("d")?)))?;
    let listed: Vec<_> = listed.into_iter().map(|e| (e.name, e.is_dir)).collect();
    same(listed, vec![("sub".into(), true), ("x".into(), false)])?;
    let inside_file = disk.check_writable(Some(&path("d/x")?)).err();
    same(inside_file.map(|error| error.kind), Some(DiskErrorKind::NotADirectory))
}

const POINTERS: AnyRole = AnyRole(HistoryClass::Pointer);

fn open<D: Disk + Clone>(disk: &D) -> Result<Store<D>, String> {
    said(Store::open(disk.clone(), Options::default())).map(|(store, _)| store)
}

fn create(name: &str, bytes: &[u8]) -> Result<Put, String> {
    Ok(Put::Create { path: path(name)?, bytes: bytes.to_vec() })
}

fn commit<D: Disk>(store: &mut Store<D>, puts: Vec<Put>) -> Result<Committed, StoreError> {
    let mut change = ChangeSet::new("tester", "contract");
    change.puts = puts;
    store.commit(change, &POINTERS)
}

fn every_kind<D: Disk + Clone>(disk: &D) -> Checked {
    let mut store = open(disk)?;
    let first =
        vec![create("log", b"1\n")?, create("sub/table", b"| a | 1 |\n")?, create("tree/x", b"x")?];
    said(commit(&mut store, first))?;
    let (_, table) = said(store.read(&path("sub/table")?))?.ok_or("no table")?;
    let second = vec![
        Put::Append { path: path("log")?, at: 2, bytes: b"2\n".to_vec() },
        Put::Patch {
            path: path("sub/table")?,
            before: table,
            at: 6,
            old: b"1".to_vec(),
            new: b"2".to_vec(),
        },
        Put::Archive { from: path("tree")?, to: path("archive/v1")? },
    ];
    said(commit(&mut store, second))?;
    let (_, log) = said(store.read(&path("log")?))?.ok_or("no log")?;
    let third = vec![Put::Replace { path: path("log")?, before: log, bytes: b"all\n".to_vec() }];
    let done = said(commit(&mut store, third))?;
    same(done.conflicts.len(), 0)?;
    said(store.close())?;
    same(read(disk, "log")?, "all\n".to_owned())?;
    same(read(disk, "sub/table")?, "| a | 2 |\n".to_owned())?;
    same(read(disk, "archive/v1/x")?, "x".to_owned())?;
    let left = said(disk.read_dir(Some(&path(".hast/tmp")?)))?;
    same(left.len(), 0)
}

fn stale_changes_nothing<D: Disk + Clone>(disk: &D) -> Checked {
    let (mut store, mut other) = (open(disk)?, open(disk)?);
    said(commit(&mut store, vec![create("log", b"1\n")?]))?;
    let line = |text: &[u8], at| -> Result<Put, String> {
        Ok(Put::Append { path: path("log")?, at, bytes: text.to_vec() })
    };
    said(commit(&mut other, vec![line(b"2\n", 2)?]))?;
    let late = commit(&mut store, vec![create("new", b"")?, line(b"3\n", 2)?]);
    same(matches!(late, Err(StoreError::Stale { .. })), true)?;
    same(store.foreign_commits(), 1)?;
    same(said(disk.stat(&path("new")?))?, None)?;
    same(read(disk, "log")?, "1\n2\n".to_owned())
}

fn history_is_judged<D: Disk + Clone>(disk: &D) -> Checked {
    let mut store = open(disk)?;
    said(commit(&mut store, vec![create("verdict", b"pass")?]))?;
    let (_, before) = said(store.read(&path("verdict")?))?.ok_or("no verdict")?;
    let change = ChangeSet::new("tester", "contract").put(Put::Replace {
        path: path("verdict")?,
        before,
        bytes: b"fail".to_vec(),
    });
    let refused = store.commit(change, &AnyRole(HistoryClass::Once));
    same(matches!(refused, Err(StoreError::History { .. })), true)?;
    same(read(disk, "verdict")?, "pass".to_owned())
}

fn log_rotates<D: Disk + Clone>(disk: &D) -> Checked {
    let mut store = open(disk)?;
    said(commit(&mut store, vec![create("log", b"1\n")?]))?;
    let rotation = vec![
        Put::Archive { from: path("log")?, to: path("archive/log-1")? },
        create("log", b"2\n")?,
    ];
    said(commit(&mut store, rotation))?;
    same(read(disk, "archive/log-1")?, "1\n".to_owned())?;
    same(read(disk, "log")?, "2\n".to_owned())
}

fn end_grows<D: Disk + Clone>(disk: &D) -> Checked {
    let mut store = open(disk)?;
    let end = b"\n  ]\n}\n";
    said(commit(
        &mut store,
        vec![create("context/index.json", b"{\n  \"all\": [\n    1\n  ]\n}\n")?],
    ))?;
    let (_, read_first) = said(store.read(&path("context/index.json")?))?.ok_or("no index")?;
    let grow = |before, new: &[u8]| -> Result<Put, String> {
        Ok(Put::tail(path("context/index.json")?, before, end, new.to_vec()))
    };
    let done = said(commit(&mut store, vec![grow(read_first, b",\n    2\n  ]\n}\n")?]))?;
    let Some((_, Seen::File(second))) = done.now.first() else {
        return Err("no identity".to_owned());
    };
    said(commit(&mut store, vec![grow(*second, b",\n    3\n  ]\n}\n")?]))?;
    let all = "{\n  \"all\": [\n    1,\n    2,\n    3\n  ]\n}\n".to_owned();
    same(read(disk, "context/index.json")?, all.clone())?;
    let late = commit(&mut store, vec![grow(read_first, b",\n    4\n  ]\n}\n")?]);
    same(matches!(late, Err(StoreError::Stale { .. })), true)?;
    same(read(disk, "context/index.json")?, all)?;
    let (_, now) = said(store.read(&path("context/index.json")?))?.ok_or("no index")?;
    let change = ChangeSet::new("tester", "contract").put(grow(now, b",\n    4\n  ]\n}\n")?);
    let refused = store.commit(change, &AnyRole(HistoryClass::Once));
    same(matches!(refused, Err(StoreError::History { .. })), true)
}
