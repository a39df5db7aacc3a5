//! Markdown tables in the forms that hast reads, and the findings on tables that are wrong.
#![cfg(test)]

use hast_flow::formats::diagnostic::{Diagnostic, Finding};
use hast_flow::formats::source::Source;
use hast_flow::formats::table::{Column, Line, MdTable, Row, RowView, TableHeader, read_rows};

const COLUMNS: &[Column] = &[
    Column::new("instruction_id"),
    Column::new("content"),
    Column::new("status").headed("status (ACTIVE, SUPERSEDED)").fixed(10),
];

fn read(text: &str) -> Result<Vec<Vec<String>>, Vec<Diagnostic>> {
    let table = MdTable::find(&Source::new("db/user_instructions.md", text), COLUMNS)?;
    Ok(table
        .rows()
        .map(|row| (0..3).map(|column| row.text(column).into_owned()).collect())
        .collect())
}

fn findings(text: &str) -> Vec<(Option<usize>, Finding)> {
    let diagnostics = read(text).unwrap_err();
    diagnostics.into_iter().map(|found| (found.line(), found.finding)).collect()
}

fn cell_count(expected: usize, found: usize) -> Finding {
    Finding::CellCount { expected, found }
}

#[test]
fn the_schema_of_the_seed_is_a_table_without_rows() {
    let text = "- **스키마:**  \n\n\
        | instruction_id | run_id | instruction_type | content | status (ACTIVE, SUPERSEDED) | superseded_by_id | justification |\n\
        | :------------- | :----- | :--------------- | :------ | :-------------------------- | :--------------- | :------------ |\n\
        |                |        |                  |         |                             |                  |               |\n";
    assert_eq!(read(text).unwrap(), Vec::<Vec<String>>::new());
    let header_only = text.split_inclusive('\n').take(4).collect::<String>();
    assert_eq!(read(&header_only).unwrap(), Vec::<Vec<String>>::new());
    assert_eq!(read(header_only.trim_end()).unwrap(), Vec::<Vec<String>>::new());
}

#[test]
fn other_ways_of_writing_a_table_mean_the_same() {
    let expected = vec![vec!["I-0001".to_owned(), "가 | 나".to_owned(), "ACTIVE".to_owned()]];
    let ways = [
        "|instruction_id|content|status|\n|-|-|-|\n|I-0001|가 \\| 나|ACTIVE|",
        "instruction_id | content | STATUS\n:-- | :-: | --:\nI-0001 | 가 \\| 나 | ACTIVE\n",
        "| Status (ACTIVE) | owner | content | instruction_id |\r\n| --- | --- | --- | --- |\r\n| ACTIVE | me | 가 \\| 나 | I-0001 |\r\n",
        "\u{feff}   |  instruction_id\t|content |   status|\n\t  \n|instruction_id|content|status|\n   | --- |--- | --- |   \n  |  I-0001 | 가 \\| 나\t|  ACTIVE |  \n",
        "| instruction_id | content | status |\n| --- | --- | --- |\n| | | |\n| I-0001 | 가 &#124; 나 | ACTIVE |\n# next\n| I-0002 | x | ACTIVE |\n",
    ];
    for way in ways {
        assert_eq!(read(way).unwrap(), expected, "{way}");
    }
}

#[test]
fn bold_is_text() {
    let text = "|instruction_id|content|status|\n|-|-|-|\n|**I**|`a`|_b_|\n";
    assert_eq!(read(text).unwrap(), [["**I**", "`a`", "_b_"]]);
}

#[test]
fn tables_in_code_and_comments_are_not_found() {
    let table =
        "| instruction_id | content | status |\n| --- | --- | --- |\n| I-0001 | x | ACTIVE |\n";
    let indented: String = table.lines().map(|line| format!("    {line}\n")).collect();
    let hidden = [
        format!("```md\n{table}```\n"),
        format!("~~~\n{table}~~~\n"),
        format!("<!--\n{table}-->\n"),
        format!("text\n\n{indented}"),
        table.lines().map(|line| format!("> {line}\n")).collect(),
    ];
    for text in hidden {
        let [(None, Finding::NoTable { expected })] = &findings(&text)[..] else {
            panic!("{text}");
        };
        assert_eq!(expected[2], "status (ACTIVE, SUPERSEDED)");
        assert_eq!(read(&format!("{text}\n\n{table}")).unwrap().len(), 1, "{text}");
    }
}

#[test]
fn the_first_table_with_the_columns_is_taken() {
    let text = "| content | status |\n|---|---|\n| a | b |\n|---|---|\n\n\
        | instruction_id | content | status |\n|---|---|---|\n| 1 | 2 | 3 |\n\n\
        | instruction_id | content | status |\n|---|---|---|\n| 4 | 5 | 6 |\n";
    assert_eq!(read(text).unwrap(), [["1", "2", "3"]]);
}

#[test]
fn a_missing_column_is_named_with_the_line_of_the_header() {
    let text =
        "text\n\n| a | b |\n|---|---|\n\n| instruction_id | content |\n|---|---|\n| 1 | 2 |\n";
    let name = "status (ACTIVE, SUPERSEDED)".to_owned();
    assert_eq!(findings(text), [(Some(6), Finding::MissingColumn { name })]);
}

#[test]
fn a_column_that_is_there_twice_is_refused() {
    let text = "| instruction_id | content | status | Status (ACTIVE, SUPERSEDED) |\n|-|-|-|-|\n";
    let key = "status".to_owned();
    assert_eq!(findings(text), [(Some(1), Finding::DuplicateKey { key, first_line: 1 })]);
}

#[test]
fn rows_with_another_number_of_cells_are_named_with_their_lines() {
    let text = "| instruction_id | content | status |\n|---|---|---|\n\
        | 1 | 2 |\n| 1 | 2 | 3 |\n| a | b|c | d |\ntext under the table\n|\n";
    assert_eq!(
        findings(text),
        [
            (Some(3), cell_count(3, 2)),
            (Some(5), cell_count(3, 4)),
            (Some(6), cell_count(3, 1)),
            (Some(7), cell_count(3, 0)),
        ]
    );
}

#[test]
fn a_table_full_of_wrong_rows_gives_a_bounded_number_of_findings() {
    let rows = "| 1 |\n".repeat(50_000);
    let text = format!("| instruction_id | content | status |\n|---|---|---|\n{rows}");
    assert_eq!(findings(&text).len(), 100);
}

#[test]
fn a_header_needs_a_delimiter_row_of_its_own_width() {
    for delimiter in [
        "| --- | --- |",
        "| --- | --- | --- | --- |",
        "--- --- ---",
        "",
        "| --- | - - | --- |",
        "| --- |  | --- |",
        "|::|-|-|",
    ] {
        let text = format!("| instruction_id | content | status |\n{delimiter}\n| 1 | 2 | 3 |\n");
        assert!(matches!(findings(&text)[..], [(None, Finding::NoTable { .. })]), "{delimiter}");
    }
}

#[test]
fn hostile_tables_are_read_in_time_and_memory_of_their_size() {
    let wide = "|a".repeat(1 << 17);
    let text = format!("{wide}\n{}\n{wide}\n", "|-".repeat(1 << 17));
    assert!(read(&text).is_err());
    let long =
        format!("|instruction_id|content|status|\n|-|-|-|\n|1|{}|\0|\n", "x".repeat(5 << 20));
    assert_eq!(read(&long).unwrap()[0][1].len(), 5 << 20);
    let pipes = format!("|instruction_id|content|status|\n|-|-|-|\n{}\n", "|x".repeat(1 << 17));
    assert_eq!(findings(&pipes), [(Some(3), cell_count(3, 1 << 17))]);
    let many = "|a|b|\n|-|-|\n\n".repeat(1 << 16);
    assert!(matches!(findings(&many)[..], [(None, Finding::NoTable { .. })]));
}

#[test]
fn one_line_of_a_large_file_is_read_and_patched_alone() {
    let beginning = "| status | instruction_id | content |\n| :--- | :--- | :--- |\n| ACTIVE";
    let header = TableHeader::find(&Source::new("f", beginning), COLUMNS).unwrap();
    let line = "| ACTIVE     | I-0007 | 가 |\r\n";
    let Line::Row(row) = header.row(Source::new("f", line), 0..line.len()).unwrap() else {
        panic!("a row");
    };
    assert_eq!((row.raw(0), &*row.text(1), row.raw(2)), ("I-0007", "가", "ACTIVE"));
    let edit = row.set(2, "SUPERSEDED").unwrap();
    assert!(edit.keeps_length());
    assert_eq!(edit.apply(line), "| SUPERSEDED | I-0007 | 가 |\r\n");
    assert!(matches!(header.row(Source::new("f", "|||"), 0..3), Ok(Line::Blank)));
    assert!(matches!(header.row(Source::new("f", "\n| x"), 0..5), Ok(Line::End)));
    let wrong = header.row(Source::new("f", "| a |"), 0..5).unwrap_err();
    assert_eq!(wrong.finding, cell_count(3, 1));
}

struct Instruction {
    id: String,
    active: bool,
}

impl Row for Instruction {
    const COLUMNS: &'static [Column] = COLUMNS;

    fn read(row: &RowView<'_>) -> Result<Self, Vec<Diagnostic>> {
        let active = match &*row.text(2) {
            "ACTIVE" => true,
            "SUPERSEDED" => false,
            "" => return Err(vec![row.diagnose(2, Finding::Empty { name: "status".to_owned() })]),
            other => {
                let allowed = vec!["ACTIVE".to_owned(), "SUPERSEDED".to_owned()];
                let finding = Finding::NotOneOf { value: other.to_owned(), allowed };
                return Err(vec![row.diagnose(2, finding)]);
            }
        };
        Ok(Self { id: row.text(0).into_owned(), active })
    }

    fn cells(&self) -> Vec<String> {
        let status = if self.active { "ACTIVE" } else { "SUPERSEDED" };
        vec![self.id.clone(), String::new(), status.to_owned()]
    }
}

#[test]
fn a_document_reads_typed_rows_and_points_at_the_cell_that_is_wrong() {
    let good = "| instruction_id | content | status |\n|-|-|-|\n| 가 | x | SUPERSEDED |\n";
    let rows: Vec<Instruction> = read_rows(&Source::new("f", good)).unwrap();
    assert_eq!((rows.len(), &*rows[0].id, rows[0].active), (1, "가", false));

    let bad = format!("{good}| 나 | x | active |\n| 다 | x | |\n");
    let found = read_rows::<Instruction>(&Source::new("f", &bad)).err().unwrap();
    let places: Vec<(usize, usize)> = found
        .iter()
        .filter_map(|found| found.place.as_ref())
        .map(|place| (place.line, place.column))
        .collect();
    assert_eq!(places, [(4, 11), (5, 1)]);
}
