//! The process that is killed: it counts, and says each number once its commit is acknowledged.
//! Every commit changes five documents that must always agree.

use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use hast_flow::store::policy::AnyRole;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Options, Put, Store};
use hast_world::disk::RealDisk;

use crate::Failure;

const POLICY: AnyRole = AnyRole(HistoryClass::Pointer);
const ROWS: u64 = 400;
const ROW: usize = 64;
/// Every so many numbers the log moves to the archive.
const ROTATE: u64 = 500;

/// Counts until it is killed.
pub(super) fn run(root: &Path) -> Result<(), Failure> {
    let (mut store, opened) = Store::open(RealDisk::open(root)?, Options::default())?;
    if !opened.conflicts.is_empty() {
        return Err(format!("conflicts with nobody: {:?}", opened.conflicts).into());
    }
    let mut number = check(root)?;
    let mut out = std::io::stdout().lock();
    loop {
        number += 1;
        let change = next_change(&store, number)?;
        store.commit(change, &POLICY)?;
        writeln!(out, "{number}")?;
        out.flush()?;
        if store.checkpoint_due() {
            store.checkpoint()?;
        }
    }
}

/// Starts a writer whose acknowledgements can be read.
pub(super) fn start(root: &Path) -> Result<(Child, ChildStdout), Failure> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["soak", "--writer"])
        .arg(root)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("no output")?;
    Ok((child, out))
}

fn next_change(store: &Store<RealDisk>, number: u64) -> Result<ChangeSet, Failure> {
    let line = format!("{number}\n").into_bytes();
    let mut change = ChangeSet::new("soak", "count");
    let log = DocPath::new("log.ndjson")?;
    change.puts = match store.read(&log)? {
        None => vec![Put::Create { path: log, bytes: line }],
        Some(_) if number.is_multiple_of(ROTATE) => vec![
            Put::Archive {
                from: log.clone(),
                to: DocPath::new(&format!("archive/log-{number:09}.ndjson"))?,
            },
            Put::Create { path: log, bytes: line },
        ],
        Some((bytes, _)) => vec![Put::Append { path: log, at: bytes.len() as u64, bytes: line }],
    };
    for (name, bytes) in documents(number) {
        let path = DocPath::new(name)?;
        change = change.put(match store.read(&path)? {
            None => Put::Create { path, bytes },
            Some((_, before)) => Put::Replace { path, before, bytes },
        });
    }
    let table = DocPath::new("db/table.md")?;
    Ok(change.put(match store.read(&table)? {
        None => Put::Create {
            path: table,
            bytes: format!("{:>width$}\n", 0, width = ROW - 1).repeat(ROWS as usize).into_bytes(),
        },
        Some((bytes, before)) => {
            let at = ((number % ROWS) as usize) * ROW;
            let new = format!("{number:>width$}", width = ROW - 1).into_bytes();
            Put::Patch {
                path: table,
                before,
                at: at as u64,
                old: bytes[at..at + new.len()].to_vec(),
                new,
            }
        }
    }))
}

/// What two of the documents say at a number; the second passes the size that the journal takes.
fn documents(number: u64) -> Vec<(&'static str, Vec<u8>)> {
    let mut all = vec![
        ("status.json", format!("{{\"n\":{number}}}\n").into_bytes()),
        (
            "notes/deep/text.md",
            format!("{number} ").repeat(1 + (number % 700) as usize).into_bytes(),
        ),
    ];
    if number.is_multiple_of(50) {
        all.push(("big.md", format!("{number:08}").repeat(40_000).into_bytes()));
    }
    all
}

/// Checks that all documents agree, and returns the number they are at.
pub(super) fn check(root: &Path) -> Result<u64, Failure> {
    let Ok(status) = std::fs::read_to_string(root.join("status.json")) else {
        return Ok(0);
    };
    let number = status.trim_start_matches("{\"n\":").trim_end_matches("}\n");
    let number: u64 = number.parse().map_err(|_| format!("status.json: {status:?}"))?;
    for (name, bytes) in documents(number) {
        if std::fs::read(root.join(name))? != bytes {
            return Err(format!("{name} is not whole at {number}").into());
        }
    }
    let table = std::fs::read_to_string(root.join("db/table.md"))?;
    for (row, line) in (0..).zip(table.lines()) {
        // A row whose turn has not come yet still has what it was created with.
        let wanted = number.saturating_sub((number + ROWS - row) % ROWS);
        let found: u64 = line.trim().parse()?;
        // The first number created the table and patched nothing.
        if found != wanted && !(found == 0 && (wanted <= 1 || number < ROWS)) {
            return Err(format!("row {row} is {found} and not {wanted} at {number}").into());
        }
    }
    let mut log = String::new();
    if let Ok(archive) = std::fs::read_dir(root.join("archive")) {
        let mut names: Vec<_> = archive.filter_map(|entry| Some(entry.ok()?.path())).collect();
        names.sort();
        for name in names {
            log.push_str(&std::fs::read_to_string(name)?);
        }
    }
    log.push_str(&std::fs::read_to_string(root.join("log.ndjson"))?);
    let lines = log.lines().zip(1_u64..);
    for (line, wanted) in lines {
        if line.parse() != Ok(wanted) {
            return Err(format!("the log has {line:?} for {wanted}").into());
        }
    }
    if log.lines().count() as u64 != number {
        return Err(format!("the log ends at {} and not {number}", log.lines().count()).into());
    }
    Ok(number)
}

/// Recovers a root and checks that nothing acknowledged is missing.
pub(super) fn recover(disk: RealDisk, acknowledged: u64) -> Result<u64, Failure> {
    let root = disk.root().to_owned();
    let (store, opened) = Store::open(disk, Options::default())?;
    if let Some(conflict) = opened.conflicts.first() {
        return Err(format!("a conflict with nobody about {}", conflict.path).into());
    }
    let number = check(&root)?;
    if number < acknowledged {
        return Err(format!("{acknowledged} was acknowledged, {number} is there").into());
    }
    store.close()?;
    let left = std::fs::read_dir(root.join(".hast/tmp"))?.count();
    if left > 0 {
        return Err(format!("{left} staging files are left").into());
    }
    Ok(number)
}
