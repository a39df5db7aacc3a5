//! A Markdown table as a register: its text, where each row is, and which row has which key. A row
//! is changed or added without looking at the others, however many there are.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use memchr::{memchr, memchr_iter};

use crate::formats::diagnostic::Diagnostic;
use crate::formats::edit::Edit;
use crate::formats::source::Source;
use crate::formats::table::{Line, MdTable, Row, RowView, TableHeader, print_table};
use crate::store::change::PAGE;
use crate::store::{DocPath, Identity, Put};

/// A table of a document, keyed by its first column.
#[derive(Clone, Debug, PartialEq)]
pub struct Register<R> {
    path: DocPath,
    text: String,
    identity: Option<Identity>,
    header: TableHeader,
    starts: Vec<u32>,
    /// The last row that has a key.
    keys: BTreeMap<Box<str>, u32>,
    end: usize,
    rows: PhantomData<R>,
}

/// What part of a register a change concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// Another text in this row.
    Row(usize),
    /// Everything from this row on.
    From(usize),
}

/// The findings that keep a table from being read.
pub type Faults = Vec<Diagnostic>;

impl<R: Row> Register<R> {
    pub fn read(path: &DocPath, bytes: &[u8], identity: Option<Identity>) -> Result<Self, Faults> {
        let source = Source::from_bytes(path.as_str(), bytes).map_err(|fault| vec![fault])?;
        let table = MdTable::find(&source, R::COLUMNS)?;
        let mut register = Self {
            path: path.clone(),
            text: source.text.to_owned(),
            identity,
            header: table.header().clone(),
            starts: Vec::with_capacity(table.len()),
            keys: BTreeMap::new(),
            end: table.end(),
            rows: PhantomData,
        };
        for row in table.rows() {
            register.note(row.line().start, &row.text(0));
        }
        Ok(register)
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// Forgets what the file looked like.
    pub fn unstamp(&mut self) {
        self.identity = None;
    }

    pub fn contains(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// The row with a key; the last, if a person made several.
    pub fn get(&self, key: &str) -> Option<Result<R, Faults>> {
        let row = *self.keys.get(key)? as usize;
        self.typed(row)
    }

    pub fn typed(&self, row: usize) -> Option<Result<R, Faults>> {
        let read = R::read(&self.row(row)?);
        let start = *self.starts.get(row)? as usize;
        Some(read.map_err(|faults| faults.into_iter().map(|one| self.placed(one, start)).collect()))
    }

    /// A finding about one line, told with the line of the file.
    fn placed(&self, mut fault: Diagnostic, start: usize) -> Diagnostic {
        if let Some(place) = &mut fault.place {
            place.line = memchr_iter(b'\n', &self.text.as_bytes()[..start]).count() + 1;
            place.bytes = place.bytes.start + start..place.bytes.end + start;
        }
        fault
    }

    /// A row as it is written. Its place is inside its own line.
    pub fn row(&self, row: usize) -> Option<RowView<'_>> {
        let line = self.line(*self.starts.get(row)? as usize);
        let source = Source::new(self.path.as_str(), line);
        match self.header.row(source, 0..line.len()) {
            Ok(Line::Row(view)) => Some(view),
            _ => None,
        }
    }

    pub fn rows(&self) -> impl DoubleEndedIterator<Item = RowView<'_>> {
        (0..self.len()).filter_map(|row| self.row(row))
    }

    /// A change of some rows, as one put.
    pub fn change(&self) -> Change<'_, R> {
        Change { register: self, edits: Vec::new(), added: String::new() }
    }

    /// From this place on the document has these bytes, and no more.
    pub fn take_end(
        &mut self,
        at: u64,
        bytes: &[u8],
        identity: Option<Identity>,
    ) -> Result<Touched, Faults> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let (Ok(added), true) = (std::str::from_utf8(bytes), self.text.is_char_boundary(at)) else {
            return self.read_again(at, bytes, identity);
        };
        if at < self.header.rows_at() {
            return self.read_again(at, bytes, identity);
        }
        let first = self.starts.partition_point(|start| *start as usize <= at).saturating_sub(1);
        let from = self.starts.get(first).map_or(self.header.rows_at(), |start| *start as usize);
        for row in first..self.len() {
            self.forget(row);
        }
        self.starts.truncate(first);
        self.text.truncate(at);
        self.text.push_str(added);
        self.identity = identity;
        self.read_from(from)?;
        Ok(Touched::From(first))
    }

    /// As many other bytes at a place. None where they do more than change one row.
    pub fn take_patch(
        &mut self,
        at: u64,
        bytes: &[u8],
        identity: Option<Identity>,
    ) -> Option<Touched> {
        let at = usize::try_from(at).ok()?;
        let patch = std::str::from_utf8(bytes).ok()?;
        let end = at.checked_add(bytes.len())?;
        let row = self.starts.partition_point(|start| *start as usize <= at).checked_sub(1)?;
        let start = *self.starts.get(row)? as usize;
        let within = end <= start + self.line(start).len() && !patch.contains('\n');
        if !within || !self.text.is_char_boundary(at) || !self.text.is_char_boundary(end) {
            return None;
        }
        let mut line = self.line(start).to_owned();
        line.replace_range(at - start..end - start, patch);
        let same_key = match self.header.row(Source::new(self.path.as_str(), &line), 0..line.len())
        {
            Ok(Line::Row(view)) => view.text(0) == self.row(row)?.text(0),
            _ => false,
        };
        if !same_key {
            return None;
        }
        self.text.replace_range(at..end, patch);
        self.identity = identity;
        Some(Touched::Row(row))
    }

    /// Another content of the whole document, of which only the rows that differ are read. None where
    /// more differs than rows; then it has to be read as a whole.
    pub fn take_whole(&mut self, bytes: &[u8], identity: Option<Identity>) -> Option<Touched> {
        let old = self.text.as_bytes();
        let first = common_start(old, bytes);
        if first == old.len() && first == bytes.len() {
            self.identity = identity;
            return Some(Touched::From(self.len()));
        }
        let last = common_end(&old[first..], &bytes[first..]);
        let below = self.text.len() - self.end;
        let no_key_twice = self.keys.len() == self.starts.len();
        if first < self.header.rows_at() || last < below || !no_key_twice {
            return None;
        }
        let at = self.text.floor_char_boundary(first);
        if old.len() == bytes.len() {
            let end = self.text.ceil_char_boundary(old.len() - last);
            let patched = self.take_patch(at as u64, &bytes[at..end], identity);
            if patched.is_some() {
                return patched;
            }
        }
        let touched = self.take_end(at as u64, &bytes[at..], identity).ok()?;
        (self.text.len() - self.end == below).then_some(touched)
    }

    fn read_again(
        &mut self,
        at: usize,
        bytes: &[u8],
        identity: Option<Identity>,
    ) -> Result<Touched, Faults> {
        let mut whole = self.text.as_bytes()[..at.min(self.text.len())].to_vec();
        whole.extend(bytes);
        *self = Self::read(&self.path, &whole, identity)?;
        Ok(Touched::From(0))
    }

    fn read_from(&mut self, from: usize) -> Result<(), Faults> {
        self.end = from;
        while self.end < self.text.len() {
            let (start, line) = (self.end, self.line(self.end));
            let next = self.next_line(start);
            let source = Source::new(self.path.as_str(), line);
            let key = match self.header.row(source, 0..line.len()) {
                Ok(Line::Row(view)) => Some(view.text(0).into_owned()),
                Ok(Line::Blank) => None,
                Ok(Line::End) => break,
                Err(fault) => return Err(vec![self.placed(fault, start)]),
            };
            if let Some(key) = key {
                self.note(start, &key);
            }
            self.end = next;
        }
        Ok(())
    }

    fn note(&mut self, start: usize, key: &str) {
        let row = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
        self.starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        self.keys.insert(key.into(), row);
    }

    fn forget(&mut self, row: usize) {
        let Some(key) = self.row(row).map(|view| view.text(0).into_owned()) else { return };
        if self.keys.get(key.as_str()).is_some_and(|known| *known as usize == row) {
            self.keys.remove(key.as_str());
        }
    }

    /// The line at a place, without its line ending.
    fn line(&self, start: usize) -> &str {
        let line = &self.text[start..self.next_line(start)];
        line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
    }

    fn next_line(&self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        memchr(b'\n', rest).map_or(self.text.len(), |at| start + at + 1)
    }
}

/// How many bytes two texts begin with alike.
fn common_start(one: &[u8], other: &[u8]) -> usize {
    let page = usize::try_from(PAGE).unwrap_or(1);
    let pages = one.chunks_exact(page).zip(other.chunks_exact(page));
    let at = pages.take_while(|(a, b)| a == b).count() * page;
    at + one[at..].iter().zip(&other[at..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes they end with alike.
fn common_end(one: &[u8], other: &[u8]) -> usize {
    let page = usize::try_from(PAGE).unwrap_or(1);
    let pages = one.rchunks_exact(page).zip(other.rchunks_exact(page));
    let count = pages.take_while(|(a, b)| a == b).count() * page;
    let (one, other) = (&one[..one.len() - count], &other[..other.len() - count]);
    count + one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// A change in the making.
#[derive(Clone, Debug)]
#[must_use]
pub struct Change<'r, R> {
    register: &'r Register<R>,
    edits: Vec<Edit>,
    added: String,
}

/// A tail that is longer is a new content; the store's own bound is a little above.
const LONGEST_TAIL: usize = 60 << 10;

impl<R: Row> Change<'_, R> {
    /// Another value in a cell of the row with a key. Where there is no such row nothing changes.
    pub fn set(mut self, key: &str, column: &str, value: &str) -> Self {
        let register = self.register;
        let row = register.keys.get(key).map(|row| *row as usize);
        let column = R::COLUMNS.iter().position(|known| known.name == column);
        if let (Some(row), Some(column)) = (row, column)
            && let (Some(view), Some(start)) = (register.row(row), register.starts.get(row))
            && view.text(column) != value
            && let Some(edit) = view.set(column, value)
        {
            self.edits.push(edit.shifted(*start as usize));
        }
        self
    }

    pub fn with_row(mut self, row: &R) -> Self {
        self.begin_line();
        self.added += &self.register.header.print_row(row);
        self
    }

    /// A new row whose changing cells lie within one page, so that they change in place later.
    pub fn with_row_in_one_page(mut self, row: &R) -> Self {
        self.begin_line();
        let text = self.register.header.print_row(row);
        let at = self.register.end + self.added.len();
        self.added += &in_one_page::<R>(&self.register.header, &text, at);
        self
    }

    /// The smallest put that makes the change; none if there is none.
    pub fn put(mut self) -> Option<Put> {
        let Register { path, text, identity, end, .. } = self.register;
        self.edits.sort_by_key(|edit| edit.range.start);
        let small = identity.and_then(|before| match (self.edits.is_empty(), &*self.added) {
            (true, "") => None,
            (false, "") => self.patch(before),
            (true, added) => self.tail(before, added),
            (false, _) => None,
        });
        if self.edits.is_empty() && self.added.is_empty() {
            return None;
        }
        Some(small.unwrap_or_else(|| {
            let mut whole = Edit::insert(*end, self.added.clone()).apply(text);
            for edit in self.edits.iter().rev() {
                whole = edit.apply(&whole);
            }
            Put::whole(path.clone(), *identity, whole.into_bytes())
        }))
    }

    /// The edits as one patch inside a page.
    fn patch(&self, before: Identity) -> Option<Put> {
        let register = self.register;
        let (first, last) = (self.edits.first()?, self.edits.last()?);
        let (start, end) = (first.range.start, last.range.end);
        let same = self.edits.iter().all(Edit::keeps_length);
        let len = (end - start) as u64;
        if !same || start as u64 % PAGE + len > PAGE {
            return None;
        }
        let old = &register.text[start..end];
        let mut new = old.to_owned();
        for edit in &self.edits {
            new.replace_range(edit.range.start - start..edit.range.end - start, &edit.text);
        }
        Some(Put::Patch {
            path: register.path.clone(),
            before,
            at: start as u64,
            old: old.as_bytes().to_vec(),
            new: new.into_bytes(),
        })
    }

    /// The new rows as another end of the document, with what is below the table after them.
    fn tail(&self, before: Identity, added: &str) -> Option<Put> {
        let register = self.register;
        let from = match register.starts.last() {
            Some(start) => *start as usize,
            None => register.text[..register.end].len().saturating_sub(1),
        };
        let from = register.text.floor_char_boundary(from);
        let (kept, below) = (&register.text[from..register.end], &register.text[register.end..]);
        let old = &register.text[from..];
        let new = format!("{kept}{added}{below}");
        let fits = !old.is_empty() && new.len() <= LONGEST_TAIL;
        fits.then(|| Put::tail(register.path.clone(), before, old.as_bytes(), new.into_bytes()))
    }

    /// A table whose last line has no end gets one first.
    fn begin_line(&mut self) {
        let before = &self.register.text[..self.register.end];
        if self.added.is_empty() && !before.ends_with('\n') {
            self.added.push('\n');
        }
    }
}

/// The put that makes a table where there is none.
pub fn created<R: Row>(path: DocPath, rows: &[R]) -> Put {
    Put::Create { path, bytes: print_table(rows).into_bytes() }
}

/// A row with so much space before its first changing cell that all of them are in one page.
fn in_one_page<R: Row>(header: &TableHeader, text: &str, at: usize) -> String {
    let line = text.trim_end_matches(['\r', '\n']);
    let Ok(Line::Row(view)) = header.row(Source::new("", line), 0..line.len()) else {
        return text.to_owned();
    };
    let fixed = (0..R::COLUMNS.len()).filter(|column| R::COLUMNS[*column].width > 0);
    let spans: Vec<_> = fixed.map(|column| view.bytes(column)).collect();
    let first = spans.iter().map(|span| span.start).min().unwrap_or(0);
    let Some(pipe) = text[..first].rfind('|').filter(|pipe| *pipe > 0) else {
        return text.to_owned();
    };
    let page = usize::try_from(PAGE).unwrap_or(usize::MAX);
    let (start, end) = (at + pipe + 1, at + line.len());
    if start / page == (end - 1) / page || end - start > page {
        return text.to_owned();
    }
    let room = page - start % page;
    format!("{}{}{}", &text[..pipe], " ".repeat(room), &text[pipe..])
}

/// A register whose rows are all read: a table of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet<R> {
    pub register: Register<R>,
    pub rows: Vec<R>,
}

impl<R: Row> Sheet<R> {
    pub fn read(path: &DocPath, bytes: &[u8], identity: Option<Identity>) -> Result<Self, Faults> {
        let register = Register::read(path, bytes, identity)?;
        let mut sheet = Self { register, rows: Vec::new() };
        sheet.take(Touched::From(0))?;
        Ok(sheet)
    }

    /// Reads the rows that changed.
    pub fn take(&mut self, touched: Touched) -> Result<(), Faults> {
        match touched {
            Touched::Row(row) => {
                if let (Some(read), Some(known)) =
                    (self.register.typed(row), self.rows.get_mut(row))
                {
                    *known = read?;
                }
            }
            Touched::From(first) => {
                self.rows.truncate(first);
                for row in first..self.register.len() {
                    self.rows.extend(self.register.typed(row).transpose()?);
                }
            }
        }
        Ok(())
    }

    pub fn change(&self) -> Change<'_, R> {
        self.register.change()
    }
}
