//! Writes tables: a new one, one more row, another value in a cell.

use std::ops::Range;

use crate::formats::edit::Edit;
use crate::formats::table::cell::{display_width, encode};
use crate::formats::table::columns::{Column, Row};
use crate::formats::table::header::TableHeader;
use crate::formats::table::read::{MdTable, RowView};

/// A longer table is not aligned: its rows are appended one by one anyway.
const ALIGNED_ROWS: usize = 1000;

/// A wider cell does not widen its column.
const ALIGNED_WIDTH: usize = 60;

/// The narrowest delimiter, `:---`.
const LEAST_WIDTH: usize = 4;

/// A new table as the seed prints it, with LF line endings. A row without any text is not read
/// back: it is what a schema's example looks like.
pub fn print_table<R: Row>(rows: &[R]) -> String {
    let cells: Vec<Vec<String>> = rows.iter().map(R::cells).collect();
    let widths = widths(R::COLUMNS, &cells);
    let mut text = String::new();
    push_row(&mut text, &widths, R::COLUMNS.iter().map(|column| column.header));
    text.push('\n');
    for width in &widths {
        text.push_str("| :");
        text.extend(std::iter::repeat_n('-', width - 1));
        text.push(' ');
    }
    text.push_str("|\n");
    for row in &cells {
        push_row(&mut text, &widths, row.iter().map(String::as_str));
        text.push('\n');
    }
    text
}

impl TableHeader {
    /// A row with its line ending, aligned with the header where it fits. Columns that hast does
    /// not know are left empty. Appending it to a file that ends with the table adds the row.
    pub fn print_row<R: Row>(&self, row: &R) -> String {
        self.print_cells(&row.cells())
    }

    /// The same for the texts of the cells, in the order of the expected columns.
    pub fn print_cells(&self, cells: &[impl AsRef<str>]) -> String {
        let mut widths = self.widths.clone();
        let mut ordered = vec![""; widths.len()];
        for (index, column) in self.columns().iter().enumerate() {
            let Some(position) = self.position_of(index) else {
                continue;
            };
            widths[position] = widths[position].max(column.width);
            ordered[position] = cells.get(index).map_or("", AsRef::as_ref);
        }
        let mut text = self.indent.clone();
        push_row(&mut text, &widths, ordered);
        text.push_str(self.line_ending);
        text
    }
}

impl MdTable<'_> {
    /// One insertion after the last line of the table.
    pub fn append<R: Row>(&self, rows: &[R]) -> Edit {
        let cells: Vec<Vec<String>> = rows.iter().map(R::cells).collect();
        self.append_cells(&cells)
    }

    /// The same for the texts of the cells, in the order of the expected columns.
    pub fn append_cells(&self, rows: &[Vec<String>]) -> Edit {
        let mut text = String::new();
        let before = &self.text()[..self.end()];
        if before.ends_with('\r') && !rows.is_empty() {
            text.push('\n');
        } else if !before.ends_with('\n') && !rows.is_empty() {
            text.push_str(self.header().line_ending);
        }
        for row in rows {
            text.push_str(&self.header().print_cells(row));
        }
        Edit::insert(self.end(), text)
    }

    /// Another value in one cell; none if there is no such row or column.
    pub fn set_cell(&self, row: usize, column: usize, value: &str) -> Option<Edit> {
        self.row(row)?.set(column, value)
    }
}

impl RowView<'_> {
    /// Replaces one cell, with the same width as before wherever the value fits: the same bytes in
    /// a fixed column, the same columns on the screen in others. None if there is no such column.
    pub fn set(&self, column: usize, value: &str) -> Option<Edit> {
        let text = self.source_text();
        let region = self.span(column)?.region(text);
        if self.text(column) == value {
            return Some(Edit { text: text[region.clone()].to_owned(), range: region });
        }
        let cell = encode(value);
        let (before, needed) = if self.column(column)?.is_fixed() {
            (region.len(), cell.len())
        } else {
            (display_width(&text[region.clone()]), display_width(&cell))
        };
        Some(Edit { text: framed(text, &region, &cell, before.checked_sub(needed)), range: region })
    }
}

/// The cell with white space so that it fills `spare` more columns, and with the outer pipes that
/// the row lacks: without them an empty cell would vanish, and a cell such as `- a` end the table.
fn framed(text: &str, region: &Range<usize>, cell: &str, spare: Option<usize>) -> String {
    let opened = text[..region.start].ends_with('|');
    let closed = text[region.end..].starts_with('|');
    // Some readers take `\\|` for an escaped pipe: a space must part the two.
    let parted = spare != Some(0) || !cell.ends_with('\\');
    let (lead, trail) = match spare {
        // A value that fills its place to the last byte stands without spaces.
        Some(spare) if opened && closed && parted => (spare.min(2) / 2, spare - spare.min(2) / 2),
        _ => (1, 1),
    };
    let mut framed = String::with_capacity(cell.len() + lead + trail + 2);
    if !opened {
        framed.push('|');
    }
    framed.extend(std::iter::repeat_n(' ', lead));
    framed.push_str(cell);
    framed.extend(std::iter::repeat_n(' ', trail));
    if !closed {
        framed.push('|');
    }
    framed
}

fn widths(columns: &[Column], rows: &[Vec<String>]) -> Vec<usize> {
    let mut widths: Vec<usize> = columns
        .iter()
        .map(|column| display_width(&encode(column.header)).max(column.width).max(LEAST_WIDTH))
        .collect();
    let aligned = if rows.len() > ALIGNED_ROWS { &[] } else { rows };
    for row in aligned {
        for (width, cell) in widths.iter_mut().zip(row) {
            let needed = display_width(&encode(cell));
            if needed <= ALIGNED_WIDTH {
                *width = needed.max(*width);
            }
        }
    }
    widths
}

fn push_row<'a>(text: &mut String, widths: &[usize], cells: impl IntoIterator<Item = &'a str>) {
    let mut cells = cells.into_iter();
    for width in widths {
        let cell = encode(cells.next().unwrap_or_default());
        text.push_str("| ");
        text.push_str(&cell);
        text.extend(std::iter::repeat_n(' ', width.saturating_sub(display_width(&cell))));
        text.push(' ');
    }
    text.push('|');
}
