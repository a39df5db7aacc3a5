//! Reads the rows of a table. Cells are byte ranges until someone asks for their text.

use std::borrow::Cow;
use std::ops::Range;

use crate::formats::diagnostic::{Diagnostic, Finding, MAX_FINDINGS};
use crate::formats::source::Source;
use crate::formats::table::blocks::{self, TextLine};
use crate::formats::table::cell::decode;
use crate::formats::table::columns::{Column, Row};
use crate::formats::table::header::{CellSpan, RowRead, TableHeader};

/// A table inside its file.
#[derive(Clone, Debug)]
pub struct MdTable<'a> {
    source: Source<'a>,
    header: TableHeader,
    /// The cells of all rows, each row in the order of the expected columns.
    cells: Vec<CellSpan>,
    row_starts: Vec<u32>,
    end: usize,
}

/// A row inside its file.
#[derive(Clone, Debug)]
pub struct RowView<'a> {
    header: &'a TableHeader,
    source: Source<'a>,
    start: usize,
    cells: Cow<'a, [CellSpan]>,
}

/// All rows of a document's table, or everything that is wrong with them.
pub fn read_rows<R: Row>(source: &Source<'_>) -> Result<Vec<R>, Vec<Diagnostic>> {
    let table = MdTable::find(source, R::COLUMNS)?;
    let mut rows = Vec::with_capacity(table.len());
    let mut findings = Vec::new();
    for view in table.rows() {
        match R::read(&view) {
            Ok(row) => rows.push(row),
            Err(wrong) => findings.extend(wrong),
        }
        if findings.len() >= MAX_FINDINGS {
            break;
        }
    }
    if findings.is_empty() { Ok(rows) } else { Err(findings) }
}

impl<'a> MdTable<'a> {
    /// Finds the first table whose header has the columns, in any order and among others. A row
    /// with too few or too many cells is an error: a value may have gone to the wrong column.
    pub fn find(source: &Source<'a>, columns: &[Column]) -> Result<Self, Vec<Diagnostic>> {
        let header = TableHeader::find(source, columns)?;
        let mut table = Self {
            source: *source,
            cells: Vec::new(),
            row_starts: Vec::new(),
            end: header.rows_at(),
            header,
        };
        let findings = table.read_rows();
        if findings.is_empty() { Ok(table) } else { Err(findings) }
    }

    pub fn header(&self) -> &TableHeader {
        &self.header
    }

    pub fn len(&self) -> usize {
        self.row_starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.row_starts.is_empty()
    }

    /// Where the line after the table starts.
    pub fn end(&self) -> usize {
        self.end
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = RowView<'_>> {
        let views = self.row_starts.iter().enumerate();
        views.map(|(row, start)| self.view(row, *start))
    }

    pub fn row(&self, row: usize) -> Option<RowView<'_>> {
        self.row_starts.get(row).map(|start| self.view(row, *start))
    }

    fn view(&self, row: usize, start: u32) -> RowView<'_> {
        let columns = self.header.columns().len();
        let cells = self.cells.get(row * columns..(row + 1) * columns);
        let cells = Cow::Borrowed(cells.unwrap_or_default());
        RowView::new(&self.header, self.source, start as usize, cells)
    }

    pub(super) fn text(&self) -> &'a str {
        self.source.text
    }

    fn read_rows(&mut self) -> Vec<Diagnostic> {
        let text = self.source.text.as_bytes();
        let mut findings = Vec::new();
        let mut scratch = Vec::new();
        while let Some(line) = blocks::line_at(text, self.end) {
            match self.header.read_line(text, &line, &mut scratch, &mut self.cells) {
                RowRead::Row => self.row_starts.push(start_of(&line)),
                RowRead::Blank => {}
                RowRead::End => break,
                RowRead::WrongCount(count) => {
                    let finding = self.header.wrong_count(count);
                    findings.push(self.source.diagnose(line.text.clone(), finding));
                }
            }
            if findings.len() == MAX_FINDINGS {
                break;
            }
            self.end = line.next;
        }
        findings
    }
}

impl<'a> RowView<'a> {
    pub(super) fn new(
        header: &'a TableHeader,
        source: Source<'a>,
        start: usize,
        cells: Cow<'a, [CellSpan]>,
    ) -> Self {
        Self { header, source, start, cells }
    }

    /// The text of a cell, restored. A column that was not asked for is empty.
    pub fn text(&self, column: usize) -> Cow<'a, str> {
        decode(self.raw(column))
    }

    /// A cell as it is written, without the white space around it.
    pub fn raw(&self, column: usize) -> &'a str {
        &self.source.text[self.bytes(column)]
    }

    /// The bytes of a cell's text in the file.
    pub fn bytes(&self, column: usize) -> Range<usize> {
        match self.span(column) {
            Some(span) => span.range(),
            None => self.start..self.start,
        }
    }

    /// The bytes of the whole line, without its line ending.
    pub fn line(&self) -> Range<usize> {
        match blocks::line_at(self.source.text.as_bytes(), self.start) {
            Some(line) => line.text,
            None => self.start..self.start,
        }
    }

    /// A finding about a cell; about the line where the cell is empty.
    pub fn diagnose(&self, column: usize, finding: Finding) -> Diagnostic {
        let cell = self.bytes(column);
        let bytes = if cell.is_empty() { self.line() } else { cell };
        self.source.diagnose(bytes, finding)
    }

    /// The file that the row is in.
    pub fn source(&self) -> &Source<'a> {
        &self.source
    }

    pub(super) fn span(&self, column: usize) -> Option<CellSpan> {
        self.cells.get(column).copied()
    }

    pub(super) fn column(&self, column: usize) -> Option<&Column> {
        self.header.columns().get(column)
    }

    pub(super) fn source_text(&self) -> &'a str {
        self.source.text
    }
}

fn start_of(line: &TextLine) -> u32 {
    u32::try_from(line.text.start).unwrap_or(u32::MAX)
}
