//! The header of a table: which of its columns are ours, and how wide they are. With it one line
//! can be read or written without the rest of a large table.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::source::{MAX_DOCUMENT_BYTES, Source};
use crate::formats::table::blocks::{self, OpenLines, TextLine};
use crate::formats::table::cell::{decode, display_width};
use crate::formats::table::columns::Column;
use crate::formats::table::read::RowView;

/// The header of a table that has all expected columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableHeader {
    columns: Vec<Column>,
    /// The position in the header of each expected column.
    positions: Vec<usize>,
    /// The display width of each column of the header, unknown ones too.
    pub(super) widths: Vec<usize>,
    pub(super) indent: String,
    pub(super) line_ending: &'static str,
    rows_at: usize,
}

/// A line under a header.
#[derive(Clone, Debug)]
pub enum Line<'a> {
    Row(RowView<'a>),
    /// A row without any text, such as the examples of a schema have. It is no row.
    Blank,
    /// The table ends before this line.
    End,
}

/// The bytes of a cell's text, without the white space around it. Documents are smaller than
/// 4 GiB, and a large table has a million of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellSpan {
    start: u32,
    end: u32,
}

/// A header line and its delimiter line.
struct Candidate {
    header: TextLine,
    cells: Vec<CellSpan>,
    rows_at: usize,
}

impl TableHeader {
    /// Finds the first table with all columns. Reads no further than that table's header, so that
    /// the beginning of a large file is enough.
    pub fn find(source: &Source<'_>, columns: &[Column]) -> Result<Self, Vec<Diagnostic>> {
        check_size(source).map_err(|too_large| vec![too_large])?;
        let mut nearest: Option<(usize, Candidate)> = None;
        let mut lines = OpenLines::new(source.text, 0);
        while let Some(candidate) = next_candidate(source.text, &mut lines) {
            let found = columns_found(source.text, &candidate.cells, columns);
            if found == columns.len() {
                return Self::from_candidate(source, &candidate, columns);
            }
            lines.skip_to(end_of_rows(source.text, candidate.rows_at));
            if found > nearest.as_ref().map_or(0, |(most, _)| *most) {
                nearest = Some((found, candidate));
            }
        }
        Err(match nearest {
            Some((_, candidate)) => missing_columns(source, &candidate, columns),
            None => vec![no_table(source, columns)],
        })
    }

    /// Where the first line after the delimiter row starts.
    pub fn rows_at(&self) -> usize {
        self.rows_at
    }

    /// The columns that were asked for.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Reads the line at these bytes. For one line of a large file the source is that line alone.
    pub fn row<'a>(
        &'a self,
        source: Source<'a>,
        line: Range<usize>,
    ) -> Result<Line<'a>, Diagnostic> {
        check_size(&source)?;
        let bytes = source.text.as_bytes();
        let start = source.text.floor_char_boundary(line.start);
        let end = source.text.floor_char_boundary(line.end);
        let Some(found) = blocks::line_at(&bytes[..end], start) else {
            return Ok(Line::End);
        };
        let mut scratch = Vec::with_capacity(self.widths.len());
        let mut cells = Vec::with_capacity(self.positions.len());
        match self.read_line(bytes, &found, &mut scratch, &mut cells) {
            RowRead::Row => {
                Ok(Line::Row(RowView::new(self, source, found.text.start, Cow::Owned(cells))))
            }
            RowRead::Blank => Ok(Line::Blank),
            RowRead::End => Ok(Line::End),
            RowRead::WrongCount(count) => Err(source.diagnose(found.text, self.wrong_count(count))),
        }
    }

    /// Splits a line and adds the spans of the expected columns to `cells`, if it is a row.
    pub(super) fn read_line(
        &self,
        text: &[u8],
        line: &TextLine,
        scratch: &mut Vec<CellSpan>,
        cells: &mut Vec<CellSpan>,
    ) -> RowRead {
        if blocks::ends_table(&text[line.text.clone()]) {
            return RowRead::End;
        }
        scratch.clear();
        split(text, line.text.clone(), scratch);
        if !scratch.is_empty() && scratch.iter().all(CellSpan::is_empty) {
            return RowRead::Blank;
        }
        if scratch.len() != self.widths.len() {
            return RowRead::WrongCount(scratch.len());
        }
        cells.extend(self.positions.iter().filter_map(|position| scratch.get(*position)));
        RowRead::Row
    }

    pub(super) fn wrong_count(&self, found: usize) -> Finding {
        Finding::CellCount { expected: self.widths.len(), found }
    }

    pub(super) fn position_of(&self, column: usize) -> Option<usize> {
        self.positions.get(column).copied()
    }

    fn from_candidate(
        source: &Source<'_>,
        candidate: &Candidate,
        columns: &[Column],
    ) -> Result<Self, Vec<Diagnostic>> {
        let text = source.text;
        let mut positions = Vec::with_capacity(columns.len());
        let mut twice = Vec::new();
        for column in columns {
            let mut same = positions_of(text, &candidate.cells, column);
            positions.extend(same.next());
            twice.extend(
                same.next().map(|second| duplicate(source, candidate.cells[second], column)),
            );
        }
        if !twice.is_empty() {
            return Err(twice);
        }
        let line = &text[candidate.header.text.clone()];
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let crlf = text[..candidate.header.next].ends_with("\r\n");
        Ok(Self {
            columns: columns.to_vec(),
            positions,
            widths: candidate.cells.iter().map(|span| span.column_width(text)).collect(),
            indent: indent.to_owned(),
            line_ending: if crlf { "\r\n" } else { "\n" },
            rows_at: candidate.rows_at,
        })
    }
}

/// What a line under a header is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowRead {
    Row,
    Blank,
    End,
    WrongCount(usize),
}

impl CellSpan {
    fn new(bytes: &[u8], start: usize, end: usize) -> Self {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let cell = &bytes[start..end];
        let text = cell.iter().position(|byte| !blank(byte)).unwrap_or(cell.len());
        let last = cell.iter().rposition(|byte| !blank(byte)).map_or(text, |last| last + 1);
        Self { start: small(start + text), end: small(start + last) }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The bytes between the pipes. Where an outer pipe is missing they start at the cell's text,
    /// after the indentation.
    pub(super) fn region(self, text: &str) -> Range<usize> {
        let (before, after) = (&text[..self.start as usize], &text[self.end as usize..]);
        let spaces_before = before.trim_end_matches([' ', '\t']);
        let spaces_after = after.len() - after.trim_start_matches([' ', '\t']).len();
        let start = if spaces_before.ends_with('|') { spaces_before.len() } else { before.len() };
        start..self.end as usize + spaces_after
    }

    fn column_width(self, text: &str) -> usize {
        let region = display_width(&text[self.region(text)]);
        display_width(&text[self.range()]).max(region.saturating_sub(2))
    }
}

fn check_size(source: &Source<'_>) -> Result<(), Diagnostic> {
    let (bytes, limit) = (source.text.len(), MAX_DOCUMENT_BYTES);
    if bytes > limit {
        return Err(Diagnostic::of_file(source.name, Finding::TooLarge { bytes, limit }));
    }
    Ok(())
}

/// Offsets are below the limit of a document, which `find` and `row` check.
fn small(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// Splits a line at the pipes that are not escaped. Outer pipes may be missing.
fn split(text: &[u8], line: Range<usize>, cells: &mut Vec<CellSpan>) {
    let whole = CellSpan::new(text, line.start, line.end).range();
    let mut start = whole.start;
    if text.get(start) == Some(&b'|') && start < whole.end {
        start += 1;
    }
    let mut at = start;
    while let Some(found) = memchr2(b'|', b'\\', &text[at..whole.end]) {
        at += found;
        if text[at] == b'\\' {
            at = (at + 2).min(whole.end);
        } else {
            cells.push(CellSpan::new(text, start, at));
            at += 1;
            start = at;
        }
    }
    // Nothing after the last pipe: it was the outer one.
    if start < whole.end {
        cells.push(CellSpan::new(text, start, whole.end));
    }
}

/// The next header, with `lines` standing after its delimiter row.
fn next_candidate(text: &str, lines: &mut OpenLines<'_>) -> Option<Candidate> {
    let bytes = text.as_bytes();
    let mut above: Option<TextLine> = None;
    for line in lines {
        if let Some(header) = above.take().filter(|above| above.next == line.text.start)
            && let Some(columns) = delimiter_cells(bytes, &line)
            && !blocks::is_code(&bytes[header.text.clone()])
            && !blocks::ends_table(&bytes[header.text.clone()])
        {
            let mut cells = Vec::new();
            split(bytes, header.text.clone(), &mut cells);
            if cells.len() == columns {
                return Some(Candidate { header, cells, rows_at: line.next });
            }
        }
        above = Some(line);
    }
    None
}

/// How many columns a delimiter row such as `| :--- | :-: |` has; none if it is not one.
fn delimiter_cells(text: &[u8], line: &TextLine) -> Option<usize> {
    let bytes = &text[line.text.clone()];
    if blocks::is_code(bytes) {
        return None;
    }
    let marks = |byte: &u8| matches!(byte, b'|' | b':' | b'-' | b' ' | b'\t');
    // Without a pipe it may be the underline of a heading.
    if !bytes.iter().all(marks) || !bytes.contains(&b'|') {
        return None;
    }
    let mut cells = Vec::new();
    split(text, line.text.clone(), &mut cells);
    cells.iter().all(|span| is_delimiter(&text[span.range()])).then_some(cells.len())
}

fn is_delimiter(cell: &[u8]) -> bool {
    let cell = cell.strip_prefix(b":").unwrap_or(cell);
    let cell = cell.strip_suffix(b":").unwrap_or(cell);
    !cell.is_empty() && cell.iter().all(|byte| *byte == b'-')
}

/// Where the line after the last row starts.
fn end_of_rows(text: &str, rows_at: usize) -> usize {
    let mut at = rows_at;
    while let Some(line) = blocks::line_at(text.as_bytes(), at) {
        if blocks::ends_table(&text.as_bytes()[line.text]) {
            break;
        }
        at = line.next;
    }
    at
}

fn positions_of<'a>(
    text: &'a str,
    cells: &'a [CellSpan],
    column: &'a Column,
) -> impl Iterator<Item = usize> + 'a {
    let is_it = |span: &CellSpan| column.is_headed_by(&decode(&text[span.range()]));
    cells.iter().enumerate().filter(move |(_, span)| is_it(span)).map(|(position, _)| position)
}

fn columns_found(text: &str, cells: &[CellSpan], columns: &[Column]) -> usize {
    let is_there = |column: &&Column| positions_of(text, cells, column).next().is_some();
    columns.iter().filter(is_there).count()
}

fn missing_columns(
    source: &Source<'_>,
    candidate: &Candidate,
    columns: &[Column],
) -> Vec<Diagnostic> {
    columns
        .iter()
        .filter(|column| positions_of(source.text, &candidate.cells, column).next().is_none())
        .map(|column| {
            let name = column.header.to_owned();
            source.diagnose(candidate.header.text.clone(), Finding::MissingColumn { name })
        })
        .collect()
}

fn duplicate(source: &Source<'_>, second: CellSpan, column: &Column) -> Diagnostic {
    let finding = Finding::DuplicateKey {
        key: column.name.to_owned(),
        first_line: source.place(second.range()).line,
    };
    source.diagnose(second.range(), finding)
}

fn no_table(source: &Source<'_>, columns: &[Column]) -> Diagnostic {
    let expected = columns.iter().map(|column| column.header.to_owned()).collect();
    Diagnostic::of_file(source.name, Finding::NoTable { expected })
}
