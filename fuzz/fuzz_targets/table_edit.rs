//! Any text with a table: reading, a changed cell and an added row give back what was put in.

#![no_main]

use hast_flow::formats::source::Source;
use hast_flow::formats::table::{Column, MdTable, decode, encode};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

const COLUMNS: &[Column] = &[Column::new("id"), Column::new("status").fixed(10)];

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    row: u8,
    column: u8,
    /// Most random texts have no table: this one is put in.
    with_header: bool,
    value: &'a str,
    text: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let cell = encode(input.value);
    assert_eq!(decode(&cell), input.value);
    assert!(!cell.contains(['\n', '\r']));

    let text = if input.with_header {
        format!("| id | status |\n|:-|-:|\n{}", input.text)
    } else {
        input.text.to_owned()
    };
    let Ok(table) = MdTable::find(&Source::new("fuzz", &text), COLUMNS) else { return };
    let before = texts(&table);
    let (row, column) = (usize::from(input.row), usize::from(input.column) % COLUMNS.len());

    if let Some(edit) = table.set_cell(row, column, input.value) {
        assert!(text.get(edit.range.clone()).is_some());
        let after = edit.apply(&text);
        let mut wanted = before.clone();
        wanted[row][column] = input.value.to_owned();
        // A row without any text is no row.
        wanted.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        assert_eq!(read(&after), wanted, "{text:?}\n{after:?}");
    }

    let added = vec![format!("x{}", input.value), input.value.to_owned()];
    let edit = table.append_cells(std::slice::from_ref(&added));
    let after = edit.apply(&text);
    let mut wanted = before;
    wanted.push(added);
    assert_eq!(read(&after), wanted, "{text:?}\n{after:?}");
});

fn read(text: &str) -> Vec<Vec<String>> {
    let source = Source::new("fuzz", text);
    texts(&MdTable::find(&source, COLUMNS).expect("an edit leaves the table behind"))
}

fn texts(table: &MdTable<'_>) -> Vec<Vec<String>> {
    let cells = |row: hast_flow::formats::table::RowView<'_>| {
        (0..COLUMNS.len()).map(|column| row.text(column).into_owned()).collect()
    };
    table.rows().map(cells).collect()
}
