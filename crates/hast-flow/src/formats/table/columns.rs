//! A document describes its table here: its columns, and how a row is read and written.

use crate::formats::diagnostic::Diagnostic;
use crate::formats::table::read::RowView;

/// A column of a document's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// As the seed prints it, such as `status (ACTIVE, SUPERSEDED)`.
    pub header: &'static str,
    /// The short form, understood on reading too: `status`.
    pub name: &'static str,
    /// Cells are written at least this wide, so that another value fits into the same bytes.
    pub width: usize,
}

/// A row of a document's table. Columns are called by their index in `COLUMNS`.
pub trait Row: Sized {
    const COLUMNS: &'static [Column];

    fn read(row: &RowView<'_>) -> Result<Self, Vec<Diagnostic>>;

    /// The texts of the cells in the order of `COLUMNS`.
    fn cells(&self) -> Vec<String>;
}

impl Column {
    pub const fn new(name: &'static str) -> Self {
        Self { header: name, name, width: 0 }
    }

    /// A column with a longer header than its name.
    #[must_use]
    pub const fn headed(self, header: &'static str) -> Self {
        Self { header, ..self }
    }

    /// A column whose cells are changed in place: status and pointers.
    #[must_use]
    pub const fn fixed(self, width: usize) -> Self {
        Self { width, ..self }
    }

    pub(super) const fn is_fixed(&self) -> bool {
        self.width > 0
    }

    /// Whether a header cell means this column: `status`, `Status`, `status (any list)`.
    pub(super) fn is_headed_by(&self, header: &str) -> bool {
        let short = match header.split_once('(') {
            Some((short, list)) if list.ends_with(')') => short.trim_end(),
            _ => header,
        };
        same_letters(header, self.header) || same_letters(short, self.name)
    }
}

fn same_letters(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_known_by_its_header_and_by_its_short_form() {
        let status = Column::new("status").headed("status (ACTIVE, SUPERSEDED)");
        for header in ["status", "STATUS", "status (ACTIVE, SUPERSEDED)", "Status (active)"] {
            assert!(status.is_headed_by(header), "{header}");
        }
        for header in ["statuses", "status ACTIVE", "(status)", ""] {
            assert!(!status.is_headed_by(header), "{header}");
        }
        assert!(Column::new("f(x)").is_headed_by("F(X)"));
    }
}
