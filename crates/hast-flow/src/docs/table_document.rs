//! Documents that are Markdown tables: a row is a small document of its own.

use serde_json::Value as Json;

use crate::docs::document::Document;
use crate::formats::diagnostic::{Diagnostic, Finding, Kind};
use crate::formats::source::Source;
use crate::formats::table::{Column, Row, RowView, read_rows};
use crate::formats::tree::{Field, Marks, Node, Value};
use crate::formats::typed::from_tree;

/// Names a row type and its columns.
#[macro_export]
macro_rules! table_document {
    ($type:ty, $name:literal, [$($column:expr),* $(,)?]) => {
        $crate::document!($type, $name, MarkdownTable, Keep);

        impl $crate::formats::table::Row for $type {
            const COLUMNS: &'static [$crate::formats::table::Column] = &[$($column),*];

            fn read(
                row: &$crate::formats::table::RowView<'_>,
            ) -> Result<Self, Vec<$crate::formats::diagnostic::Diagnostic>> {
                $crate::docs::table_document::read_row(row)
            }

            fn cells(&self) -> Vec<String> {
                $crate::docs::table_document::cells(self)
            }
        }
    };
}

/// Reads a row as a map from column names to texts; an empty cell is nothing.
pub fn read_row<R: Document + Row>(row: &RowView<'_>) -> Result<R, Vec<Diagnostic>> {
    let fields = R::COLUMNS.iter().enumerate().map(|(index, column)| {
        let span = row.bytes(index);
        let node = Node {
            span: span.clone(),
            value: cell_value(row, index, column),
            marks: Marks::default(),
        };
        Field { key: column.name.into(), key_span: span, node }
    });
    let tree =
        Node { span: row.line(), value: Value::Map(fields.collect()), marks: Marks::default() };
    let findings = R::shape().check(row.source(), &tree, R::UNKNOWN);
    if !findings.is_empty() {
        return Err(findings
            .into_iter()
            .map(|diagnostic| in_a_cell(row, R::COLUMNS, diagnostic))
            .collect());
    }
    from_tree(&tree).map_err(|misfit| {
        let span = misfit.span.unwrap_or_else(|| row.line());
        vec![row.source().diagnose(span, Finding::Custom { detail: misfit.detail })]
    })
}

/// The cells of a row in the order of its columns.
pub fn cells<R: Document + Row>(row: &R) -> Vec<String> {
    let values = serde_json::to_value(row).unwrap_or(Json::Null);
    R::COLUMNS
        .iter()
        .map(|column| match values.get(column.name) {
            Some(Json::String(text)) => text.clone(),
            None | Some(Json::Null) => String::new(),
            Some(other) => other.to_string(),
        })
        .collect()
}

/// Everything that is wrong with a table.
pub fn check_table<R: Document + Row>(source: &Source<'_>) -> Vec<Diagnostic> {
    read_rows::<R>(source).err().unwrap_or_default()
}

/// Columns that count are numbers; every other cell is text, whatever it looks like.
fn cell_value(row: &RowView<'_>, index: usize, column: &Column) -> Value {
    let text = row.text(index);
    match text.parse() {
        _ if text.is_empty() => Value::Null,
        Ok(number) if column.name == "execution_order" => Value::Integer(number),
        _ => Value::Text(text.into()),
    }
}

/// An empty cell has no bytes to point at: point at the line and name the column.
fn in_a_cell(row: &RowView<'_>, columns: &[Column], diagnostic: Diagnostic) -> Diagnostic {
    let at = diagnostic.place.as_ref().map(|place| place.bytes.clone());
    let empty = columns.iter().enumerate().find(|(index, _)| {
        let bytes = row.bytes(*index);
        bytes.is_empty() && Some(bytes) == at
    });
    match (&diagnostic.finding, empty) {
        (Finding::WrongType { found: Kind::Null, .. }, Some((index, column))) => {
            row.diagnose(index, Finding::Empty { name: column.name.to_owned() })
        }
        _ => diagnostic,
    }
}
