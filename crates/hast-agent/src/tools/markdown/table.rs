//! Tables: of data, of layout, and of the kind that filings have, where a number takes three cells.

/// Spans and columns beyond these come from no table that anybody reads.
const MAX_SPAN: usize = 100;
const MAX_COLUMNS: usize = 200;
const MAX_ROWS: usize = 20_000;

#[derive(Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    /// For each column, how many more rows a cell from above takes.
    taken: Vec<usize>,
    cell: Option<Open>,
}

struct Open {
    text: String,
    columns: usize,
    rows: usize,
}

impl Table {
    pub(super) fn open_row(&mut self, text: &str) {
        self.close_cell(text);
        if self.rows.len() < MAX_ROWS {
            self.rows.push(Vec::new());
        }
    }

    pub(super) fn open_cell(&mut self, text: &str, columns: usize, rows: usize) {
        self.close_cell(text);
        if self.rows.is_empty() {
            self.rows.push(Vec::new());
        }
        let (columns, rows) = (columns.clamp(1, MAX_SPAN), rows.clamp(1, MAX_SPAN));
        self.cell = Some(Open { text: String::new(), columns, rows });
    }

    /// Text that belongs to the open cell, such as a table inside it.
    pub(super) fn add_text(&mut self, text: &str) {
        if let Some(cell) = &mut self.cell {
            join(&mut cell.text, text);
        }
    }

    pub(super) fn close_cell(&mut self, text: &str) {
        let (Some(mut cell), Some(row)) = (self.cell.take(), self.rows.last_mut()) else {
            return self.stray(text);
        };
        join(&mut cell.text, text);
        // Cells that reach down from rows above.
        while let Some(left) = self.taken.get_mut(row.len()).filter(|left| **left > 0) {
            *left -= 1;
            row.push(String::new());
        }
        for column in 0..cell.columns {
            if row.len() >= MAX_COLUMNS {
                break;
            }
            if self.taken.len() <= row.len() {
                self.taken.resize(row.len() + 1, 0);
            }
            self.taken[row.len()] = cell.rows - 1;
            row.push(if column == 0 { std::mem::take(&mut cell.text) } else { String::new() });
        }
    }

    /// Text between cells, such as a caption, is a row of its own.
    fn stray(&mut self, text: &str) {
        if !text.is_empty() && self.rows.len() < MAX_ROWS {
            self.rows.push(vec![text.to_owned()]);
        }
    }

    /// All text in one line, for a table inside another.
    pub(super) fn flat(self) -> String {
        let rows = self.grid().into_iter().map(|row| words(row.iter()));
        rows.filter(|row| !row.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// The blocks of Markdown that say the same.
    pub(super) fn blocks(self) -> Vec<String> {
        let grid = self.grid();
        let columns = grid.first().map_or(0, Vec::len);
        if columns <= 1 || grid.len() == 1 {
            let lines = grid.iter().map(|row| words(row.iter()));
            return lines.filter(|line| !line.is_empty()).collect();
        }
        let is_bullet =
            |text: &str| matches!(text, "•" | "●" | "·" | "▪" | "-" | "–" | "◦" | "*" | "\\*");
        if columns == 2 && grid.iter().all(|row| is_bullet(&row[0])) {
            let items: Vec<String> = grid.iter().map(|row| format!("- {}", row[1])).collect();
            return vec![items.join("\n")];
        }
        // Rows before the data that fill one cell only are its caption.
        let full = |row: &&Vec<String>| row.iter().filter(|cell| !cell.is_empty()).count() > 1;
        let first = grid.iter().position(|row| full(&row)).unwrap_or(0);
        let mut blocks: Vec<String> = grid[..first].iter().map(|row| words(row.iter())).collect();
        blocks.push(printed(&grid[first..], columns));
        blocks
    }

    /// Rows of equal length, without empty rows and columns, with the parts of numbers joined.
    fn grid(self) -> Vec<Vec<String>> {
        let mut rows = self.rows;
        rows.iter_mut().for_each(|row| join_numbers(row));
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        rows.iter_mut().for_each(|row| row.resize(columns, String::new()));
        let mut kept: Vec<Vec<String>> = vec![Vec::new(); rows.len()];
        for column in 0..columns {
            let filled = |row: &Vec<String>| !row[column].is_empty();
            if !rows.iter().any(filled) {
                continue;
            }
            // Two columns that are never filled in one row are one column: a heading over several
            // cells stands over another one than its numbers do.
            let width = kept.first().map_or(0, Vec::len);
            let apart = width > 1
                && rows
                    .iter()
                    .zip(&kept)
                    .all(|(row, kept)| row[column].is_empty() || kept[width - 1].is_empty());
            for (row, kept) in rows.iter_mut().zip(&mut kept) {
                let cell = std::mem::take(&mut row[column]);
                match kept.last_mut().filter(|_| apart) {
                    Some(last) => join(last, &cell),
                    None => kept.push(cell),
                }
            }
        }
        kept
    }
}

fn words<'a>(cells: impl Iterator<Item = &'a String>) -> String {
    cells.filter(|cell| !cell.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn join(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

/// `$`, `(` before and `)`, `%` after a number have cells of their own in filings.
fn join_numbers(row: &mut [String]) {
    for index in 0..row.len() {
        if matches!(row[index].as_str(), "$" | "€" | "£" | "₩" | "¥" | "(" | "$ (" | "$(") {
            let next = (index + 1..row.len()).find(|next| !row[*next].is_empty());
            if let Some(next) = next.filter(|next| next - index <= 2) {
                let number = std::mem::take(&mut row[next]);
                row[index].push_str(&number);
            }
        } else if matches!(row[index].as_str(), ")" | "%" | ")%" | "%)") {
            let before = (0..index).rev().find(|before| !row[*before].is_empty());
            if let Some(before) = before.filter(|before| index - before <= 2) {
                let mark = std::mem::take(&mut row[index]);
                row[before].push_str(&mark);
            }
        }
    }
}

fn printed(rows: &[Vec<String>], columns: usize) -> String {
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |", cells.join(" | "))
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.insert(1.min(lines.len()), format!("|{}", " --- |".repeat(columns)));
    lines.join("\n")
}
