//! Change sets of the simulated flow over a handful of documents. The seed chooses them from the
//! content of the files.

use std::collections::BTreeMap;

use hast_flow::store::{ChangeSet, Disk, DocPath, Identity, Put, Store, StoreError};

use crate::rng::Rng;

pub(super) type Documents = BTreeMap<String, Vec<u8>>;

/// A change set, and what the documents are if it counts.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) change: ChangeSet,
    pub(super) base: Documents,
    pub(super) next: Documents,
    /// What a conflict would have to keep of ours, by document.
    pub(super) ours: BTreeMap<String, Vec<u8>>,
    pub(super) moves: Vec<(DocPath, DocPath)>,
}

pub(super) const LOG: &str = "log.ndjson";
const TABLE: &str = "db/table.md";
const INDEX: &str = "context/index.json";
const INDEX_END: &[u8] = b"\n  ]\n}\n";
const TREE: &str = "plan/active";
/// Everything a person may want to edit.
pub(super) const EDITABLE: &[&str] =
    &["status.json", "notes/deep/c.md", LOG, TABLE, INDEX, "big.md", "plan/active/x.md"];
/// Documents that are only ever replaced as a whole, so that an edit in place can be noticed.
pub(super) const WHOLE: &[&str] = &["status.json", "notes/deep/c.md", "big.md"];

const TABLE_BYTES: usize = 1_500;

/// Identities that the last commits returned, for those who do not read again.
pub(super) type Known = BTreeMap<String, Identity>;

pub(super) struct Author<'a, D: Disk> {
    pub(super) rng: Rng,
    pub(super) store: &'a Store<D>,
    pub(super) known: &'a Known,
    pub(super) number: usize,
    attempt: Attempt,
}

impl<'a, D: Disk> Author<'a, D> {
    pub(super) fn new(
        rng: Rng,
        store: &'a Store<D>,
        known: &'a Known,
        number: usize,
        documents: &Documents,
    ) -> Self {
        Self {
            rng,
            store,
            known,
            number,
            attempt: Attempt {
                change: ChangeSet::new("sim", &format!("step {number}")),
                base: documents.clone(),
                next: documents.clone(),
                ours: BTreeMap::new(),
                moves: Vec::new(),
            },
        }
    }

    /// Decides on one to four changes.
    pub(super) fn decide(mut self) -> Result<Attempt, StoreError> {
        if self.rng.percent(12) && self.attempt.base.contains_key(LOG) {
            self.rotate()?;
        } else if self.rng.percent(80) {
            self.append()?;
        }
        for _ in 0..self.rng.below(3) + 1 {
            match self.rng.below(7) {
                0 | 1 => self.whole("status.json", 80)?,
                2 => self.whole("notes/deep/c.md", 300)?,
                3 => self.whole("big.md", 2_000)?,
                4 => self.table()?,
                5 => self.index()?,
                _ => self.tree()?,
            }
        }
        if self.attempt.change.puts.is_empty() {
            self.append()?;
        }
        Ok(self.attempt)
    }

    /// Only a line in the log.
    pub(super) fn decide_line(mut self) -> Result<Attempt, StoreError> {
        self.append()?;
        Ok(self.attempt)
    }

    fn taken(&self, path: &DocPath) -> bool {
        self.attempt.change.puts.iter().any(|put| hast_flow::store::change::concerns(put, path))
    }

    fn text(&mut self, bytes: usize) -> Vec<u8> {
        let length = self.rng.below(bytes) + 1;
        let mut text = format!("step {} ", self.number).into_bytes();
        while text.len() < length {
            text.push(b'a' + self.rng.below(26) as u8);
        }
        text.push(b'\n');
        text
    }

    fn set(&mut self, put: Put, name: &str, next: Vec<u8>, ours: Vec<u8>) {
        self.attempt.change.puts.push(put);
        self.attempt.next.insert(name.to_owned(), next);
        self.attempt.ours.insert(name.to_owned(), ours);
    }

    fn whole(&mut self, name: &str, bytes: usize) -> Result<(), StoreError> {
        let path = DocPath::new(name).map_err(malformed)?;
        if self.taken(&path) {
            return Ok(());
        }
        let text = self.text(bytes);
        let known = self.known.get(name).copied();
        let put = match (known, self.store.read(&path)?) {
            (Some(before), Some(_)) => Put::Replace { path, before, bytes: text.clone() },
            (None, Some((_, before))) => Put::Replace { path, before, bytes: text.clone() },
            (_, None) => Put::Create { path, bytes: text.clone() },
        };
        self.set(put, name, text.clone(), text);
        Ok(())
    }

    fn append(&mut self) -> Result<(), StoreError> {
        let path = DocPath::new(LOG).map_err(malformed)?;
        if self.taken(&path) {
            return Ok(());
        }
        let length = 10 + self.rng.below(150);
        let line = format!("{{\"step\":{},\"x\":\"{:x>length$}\"}}\n", self.number, "");
        let line = line.into_bytes();
        match self.store.read(&path)? {
            None => {
                let put = Put::Create { path, bytes: line.clone() };
                self.set(put, LOG, line.clone(), line);
            }
            Some((mut text, _)) => {
                let put = Put::Append { path, at: text.len() as u64, bytes: line.clone() };
                text.extend_from_slice(&line);
                self.set(put, LOG, text, line);
            }
        }
        Ok(())
    }

    fn table(&mut self) -> Result<(), StoreError> {
        let path = DocPath::new(TABLE).map_err(malformed)?;
        if self.taken(&path) {
            return Ok(());
        }
        match self.store.read(&path)? {
            Some((mut text, before)) if text.len() == TABLE_BYTES => {
                let at = self.rng.below(TABLE_BYTES / 12) * 12;
                let new = format!("{:012}", self.rng.draw() % 1_000_000_000).into_bytes();
                let old = text[at..at + 12].to_vec();
                text[at..at + 12].copy_from_slice(&new);
                let before = self.known.get(TABLE).copied().unwrap_or(before);
                let put = Put::Patch { path, before, at: at as u64, old, new: new.clone() };
                self.set(put, TABLE, text, new);
            }
            Some(_) => {}
            None => {
                let text = vec![b'.'; TABLE_BYTES];
                let put = Put::Create { path, bytes: text.clone() };
                self.set(put, TABLE, text.clone(), text);
            }
        }
        Ok(())
    }

    /// One more entry at the end of a document that grows.
    fn index(&mut self) -> Result<(), StoreError> {
        let path = DocPath::new(INDEX).map_err(malformed)?;
        if self.taken(&path) {
            return Ok(());
        }
        let length = 10 + self.rng.below(150);
        let entry = format!("\n    {{\"step\":{},\"x\":\"{:x>length$}\"}}", self.number, "");
        let end = [entry.as_bytes(), INDEX_END].concat();
        match self.store.read(&path)? {
            Some((text, before)) if text.ends_with(INDEX_END) => {
                let new = [b",", end.as_slice()].concat();
                let kept = &text[..text.len() - INDEX_END.len()];
                let next = [kept, &new].concat();
                let before = self.known.get(INDEX).copied().unwrap_or(before);
                self.set(Put::tail(path, before, INDEX_END, new.clone()), INDEX, next, new);
            }
            // A person wrote something else there.
            Some((_, before)) => {
                let text = [b"{\n  \"all\": [", end.as_slice()].concat();
                let put = Put::Replace { path, before, bytes: text.clone() };
                self.set(put, INDEX, text.clone(), text);
            }
            None => {
                let text = [b"{\n  \"all\": [", end.as_slice()].concat();
                let put = Put::Create { path, bytes: text.clone() };
                self.set(put, INDEX, text.clone(), text);
            }
        }
        Ok(())
    }

    fn tree(&mut self) -> Result<(), StoreError> {
        let tree = DocPath::new(TREE).map_err(malformed)?;
        let full = self.attempt.base.contains_key("plan/active/x.md");
        let move_it = self.rng.percent(50);
        if full && move_it && !self.taken(&tree) {
            let to = self.free("plan/archive/v");
            return self.archive(TREE, &to);
        }
        let name = ["plan/active/x.md", "plan/active/y.md"][self.rng.below(2)];
        self.whole(name, 100)
    }

    fn rotate(&mut self) -> Result<(), StoreError> {
        let to = self.free("archive/log-");
        self.archive(LOG, &to)?;
        let path = DocPath::new(LOG).map_err(malformed)?;
        let line = format!("{{\"step\":{},\"first\":true}}\n", self.number).into_bytes();
        let put = Put::Create { path, bytes: line.clone() };
        self.set(put, LOG, line.clone(), line);
        Ok(())
    }

    /// The first name with this beginning that no document has or lies below.
    fn free(&self, start: &str) -> String {
        let taken = |name: &str| {
            let below = format!("{name}/");
            let mut names = self.attempt.base.keys();
            names.any(|one| one == name || one.starts_with(&below))
        };
        (1..).map(|number| format!("{start}{number}")).find(|name| !taken(name)).unwrap_or_default()
    }

    fn archive(&mut self, from: &str, to: &str) -> Result<(), StoreError> {
        let from = DocPath::new(from).map_err(malformed)?;
        let to = DocPath::new(to).map_err(malformed)?;
        let next = &mut self.attempt.next;
        for name in next.keys().cloned().collect::<Vec<_>>() {
            let path = DocPath::new(&name).map_err(malformed)?;
            if let Some(moved) = path.moved(&from, &to)
                && let Some(bytes) = next.remove(&name)
            {
                next.insert(moved.to_string(), bytes);
            }
        }
        self.attempt.moves.push((from.clone(), to.clone()));
        self.attempt.change.puts.push(Put::Archive { from, to });
        Ok(())
    }
}

fn malformed(error: hast_flow::store::BadPath) -> StoreError {
    StoreError::Malformed(error.into())
}
