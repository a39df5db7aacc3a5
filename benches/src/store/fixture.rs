//! A root that commits as a flow does: a line in the log, and some pointer files.

use std::fs;
use std::path::{Path, PathBuf};

use hast_benches::Failure;
use hast_flow::store::policy::AnyRole;
use hast_flow::store::steps::open_steps;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Identity, Options, Put, Seen, Store};
use hast_world::disk::RealDisk;

/// As long as a usual event. Its line break belongs to it: the store mends a log that does not end
/// with one, and an append at the old length is then stale.
pub(crate) const LINE: &[u8] = &{
    let mut line = [b'e'; 256];
    line[255] = b'\n';
    line
};
const ROW: usize = 256;

pub(crate) const POLICY: AnyRole = AnyRole(HistoryClass::Pointer);

pub(crate) fn document(round: usize) -> Vec<u8> {
    let text = "x".repeat(900);
    format!("{{\n  \"round\": {round},\n  \"text\": \"{text}\"\n}}\n").into_bytes()
}

const INDEX_END: &str = "\n  ]\n}\n";

/// Three hundred bytes of an array.
fn entry(number: usize) -> String {
    format!("\n    {{\n      \"id\": \"K-{number:06}\",\n      \"text\": \"{:x<245}\"\n    }}", "")
}

pub(crate) struct Root {
    store: Store<RealDisk>,
    log: DocPath,
    length: u64,
    files: Vec<(DocPath, Identity)>,
    table: Option<(DocPath, Identity, Vec<u8>)>,
    index: Option<Identity>,
    round: usize,
}

impl Root {
    pub(crate) fn new(dir: &Path) -> Result<Self, Failure> {
        Self::with_history(dir, 1, 0)
    }

    /// A root in which much has happened: lines in the log, rows in a table.
    pub(crate) fn with_history(dir: &Path, lines: usize, rows: usize) -> Result<Self, Failure> {
        fs::create_dir_all(dir)?;
        fs::write(dir.join("log.ndjson"), LINE.repeat(lines))?;
        for index in 0..4 {
            fs::write(dir.join(format!("file-{index}.json")), document(0))?;
        }
        let mut row = vec![b'r'; ROW - 1];
        row.push(b'\n');
        let table = row.repeat(rows);
        if rows > 0 {
            fs::write(dir.join("table.md"), &table)?;
        }
        let (store, _) = Store::open(RealDisk::open(dir)?, Options::default())?;
        let mut files = Vec::new();
        for index in 0..4 {
            let path = DocPath::new(&format!("file-{index}.json"))?;
            let (_, identity) = store.read(&path)?.ok_or("no file")?;
            files.push((path, identity));
        }
        let path = DocPath::new("table.md")?;
        let table = store.read(&path)?.map(|(bytes, identity)| (path, identity, bytes));
        Ok(Self {
            store,
            log: DocPath::new("log.ndjson")?,
            length: (LINE.len() * lines) as u64,
            files,
            table,
            index: None,
            round: 0,
        })
    }

    /// One event and so many files.
    pub(crate) fn commit(&mut self, files: usize) -> Result<(), Failure> {
        self.round += 1;
        let mut change = ChangeSet::new("bench", "commit").put(Put::Append {
            path: self.log.clone(),
            at: self.length,
            bytes: LINE.to_vec(),
        });
        for (path, before) in &self.files[..files] {
            change = change.put(Put::Replace {
                path: path.clone(),
                before: *before,
                bytes: document(self.round),
            });
        }
        let committed = self.store.commit(change, &POLICY)?;
        self.length += LINE.len() as u64;
        for (file, (_, seen)) in self.files.iter_mut().zip(&committed.now[1..]) {
            if let Seen::File(identity) = seen {
                file.1 = *identity;
            }
        }
        self.checkpoint_if_due()
    }

    /// One cell of one row.
    pub(crate) fn patch(&mut self, round: usize) -> Result<(), Failure> {
        let (path, before, bytes) = self.table.as_mut().ok_or("no table")?;
        let rows = bytes.len() / ROW;
        let at = (round * 7919 % rows) * ROW;
        let old = bytes[at..at + 8].to_vec();
        let new = format!("{round:08}").into_bytes();
        bytes[at..at + 8].copy_from_slice(&new);
        let change = ChangeSet::new("bench", "patch").put(Put::Patch {
            path: path.clone(),
            before: *before,
            at: at as u64,
            old,
            new,
        });
        let committed = self.store.commit(change, &POLICY)?;
        if let Some((_, Seen::File(identity))) = committed.now.first() {
            *before = *identity;
        }
        self.checkpoint_if_due()
    }

    /// One more entry in a JSON document that has so many.
    pub(crate) fn with_index(dir: &Path, entries: usize) -> Result<Self, Failure> {
        fs::create_dir_all(dir)?;
        let mut text = format!("{{\n  \"all\": [{}", entry(0));
        for number in 1..entries {
            text.push(',');
            text.push_str(&entry(number));
        }
        text.push_str(INDEX_END);
        fs::write(dir.join("index.json"), text)?;
        Self::new(dir)
    }

    pub(crate) fn grow_index(&mut self, round: usize) -> Result<(), Failure> {
        let path = DocPath::new("index.json")?;
        let before = match self.index {
            Some(identity) => identity,
            None => self.store.read(&path)?.ok_or("no index")?.1,
        };
        let new = format!(",{}{INDEX_END}", entry(round)).into_bytes();
        let put = Put::tail(path, before, INDEX_END.as_bytes(), new);
        let committed = self.store.commit(ChangeSet::new("bench", "grow").put(put), &POLICY)?;
        if let Some((_, Seen::File(identity))) = committed.now.first() {
            self.index = Some(*identity);
        }
        self.checkpoint_if_due()
    }

    /// What the same entry costs when the document is written anew.
    pub(crate) fn rewrite_index(&mut self, round: usize) -> Result<(), Failure> {
        let path = DocPath::new("index.json")?;
        let (mut bytes, before) = self.store.read(&path)?.ok_or("no index")?;
        bytes.truncate(bytes.len() - INDEX_END.len());
        bytes.extend(format!(",{}{INDEX_END}", entry(round)).into_bytes());
        let put = Put::Replace { path, before, bytes };
        self.store.commit(ChangeSet::new("bench", "rewrite").put(put), &POLICY)?;
        self.checkpoint_if_due()
    }

    fn checkpoint_if_due(&mut self) -> Result<(), Failure> {
        if self.store.checkpoint_due() {
            self.store.checkpoint()?;
        }
        Ok(())
    }
}

/// A root with so many finished steps and one that is not.
pub(crate) fn write_steps(dir: &Path, steps: usize) -> Result<(), Failure> {
    let technical: PathBuf = dir.join(".hast");
    fs::create_dir_all(&technical)?;
    let mut text = String::new();
    for step in 0..=steps {
        let name = format!("session/T-{step:06}/execute/1");
        text.push_str(&format!("{{\"step\":\"{name}\",\"state\":\"started\"}}\n"));
        if step < steps {
            text.push_str(&format!("{{\"step\":\"{name}\",\"state\":\"finished\"}}\n"));
        }
    }
    fs::write(technical.join("steps.ndjson"), text)?;
    Ok(())
}

pub(crate) fn open_with_steps(dir: &Path) -> Result<usize, Failure> {
    let (store, _) = Store::open(RealDisk::open(dir)?, Options::default())?;
    Ok(open_steps(&store)?.open.len())
}
