//! Edits of Markdown tables change the row or the cell they are about, and nothing else.
#![cfg(test)]

use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::formats::edit::Edit;
use hast_flow::formats::source::Source;
use hast_flow::formats::table::{Column, MdTable, Row, RowView, decode, encode, print_table};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A row of three columns, the last one fixed.
#[derive(Clone, Debug, PartialEq)]
struct Texts(Vec<String>);

impl Row for Texts {
    const COLUMNS: &'static [Column] = &[
        Column::new("run_id"),
        Column::new("user_request"),
        Column::new("status").headed("status (PENDING, COMPLETED)").fixed(21),
    ];

    fn read(row: &RowView<'_>) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self((0..3).map(|column| row.text(column).into_owned()).collect()))
    }

    fn cells(&self) -> Vec<String> {
        self.0.clone()
    }
}

fn texts(cells: [&str; 3]) -> Texts {
    Texts(cells.map(str::to_owned).to_vec())
}

fn table(text: &str) -> MdTable<'_> {
    MdTable::find(&Source::new("f.md", text), Texts::COLUMNS).unwrap()
}

fn rows(text: &str) -> Vec<Texts> {
    table(text).rows().map(|row| Texts::read(&row).unwrap()).collect()
}

#[test]
fn a_new_table_is_printed_as_the_seed_does_with_korean_aligned() {
    let rows = [texts(["run-1", "보고서 | 요약", "PENDING"]), texts(["run-2", "a", "COMPLETED"])];
    assert_eq!(
        print_table(&rows),
        "| run_id | user_request   | status (PENDING, COMPLETED) |\n\
         | :----- | :------------- | :-------------------------- |\n\
         | run-1  | 보고서 \\| 요약 | PENDING                     |\n\
         | run-2  | a              | COMPLETED                   |\n"
    );
}

#[test]
fn a_very_long_cell_does_not_widen_its_column() {
    let printed = print_table(&[texts(["run-1", &"가".repeat(500), "PENDING"])]);
    assert!(printed.starts_with("| run_id | user_request | status"));
    assert_eq!(rows(&printed)[0].0[1].chars().count(), 500);
}

#[test]
fn a_row_is_appended_after_the_last_row_and_aligned_with_the_header() {
    let text = "\
intro

| run_id   | owner | user_request | status |
| :------- | ----- | :----------- | :----- |
| run-1    | me    | a            | PENDING               |
prose that follows would be a row, so there is a blank line

";
    let text = text.replace("prose", "\nprose");
    let appended = table(&text).append(&[texts(["run-2", "나", "COMPLETED"])]).apply(&text);
    let line = "| run-2    |       | 나           | COMPLETED             |\n";
    assert_eq!(
        appended,
        text.replace("PENDING               |\n", &format!("PENDING               |\n{line}"))
    );
}

#[test]
fn appending_completes_a_last_line_without_line_break_and_follows_the_line_endings() {
    let row = [texts(["2", "b", "c"])];
    let head = "run_id | user_request | status\n-|-|-";
    let appended = table(head).append(&row).apply(head);
    assert_eq!(appended, format!("{head}\n| 2      | b            | c                     |\n"));
    let crlf = "  |run_id|user_request|status|\r\n  |-|-|-|\r\n  |1|a|x|\r\n\r\ntext";
    let appended = table(crlf).append(&row).apply(crlf);
    assert!(
        appended
            .contains("|1|a|x|\r\n  | 2      | b            | c                     |\r\n\r\ntext")
    );
    let torn = "|run_id|user_request|status|\r\n|-|-|-|\r\n|1|a|x|\r";
    assert_eq!(rows(&table(torn).append(&row).apply(torn)).len(), 2);
    assert_eq!(table(torn).append::<Texts>(&[]).apply(torn), torn);
}

#[test]
fn a_status_changes_in_place_with_as_many_bytes() {
    let mut text =
        print_table(&[texts(["run-1", "a", "PENDING"]), texts(["run-2", "b", "PENDING"])]);
    for status in ["AWAITING_CONFIRMATION", "FAILED", "", "완료", "COMPLETED"] {
        let edit = table(&text).set_cell(1, 2, status).unwrap();
        assert!(edit.keeps_length(), "{status}");
        text = edit.apply(&text);
        assert_eq!(rows(&text)[1], texts(["run-2", "b", status]));
    }
    assert_eq!(rows(&text)[0], texts(["run-1", "a", "PENDING"]));
}

#[test]
fn a_value_fits_to_the_last_byte_between_tight_pipes() {
    let text = "|run_id|user_request|status|\n|-|-|-|\n|1|ab|PENDING|\n";
    let set = |column, value| table(text).set_cell(0, column, value).unwrap().apply(text);
    assert!(set(2, "RUNNING").ends_with("|1|ab|RUNNING|\n"));
    assert!(set(2, "FAILED").ends_with("|1|ab|FAILED |\n"));
    assert!(set(2, "COMPLETED").ends_with("|1|ab| COMPLETED |\n"));
    assert!(set(1, "나").ends_with("|1|나|PENDING|\n"));
    assert!(set(1, "\\").ends_with("|1| \\\\ |PENDING|\n"));
    assert_eq!(set(1, "ab"), text);
}

#[test]
fn a_row_without_outer_pipes_gets_those_that_its_new_cell_needs() {
    let text = "run_id | user_request | status\n--- | --- | ---\n  run-1 | a | b\r\n";
    let set = |column, value| table(text).set_cell(0, column, value).unwrap().apply(text);
    for (column, value) in [(0, ""), (0, "- list"), (0, "# head"), (2, ""), (2, "c"), (1, "")] {
        let changed = set(column, value);
        let mut expected = texts(["run-1", "a", "b"]);
        expected.0[column] = value.to_owned();
        assert_eq!(rows(&changed), [expected], "{changed}");
    }
    assert!(set(0, "- x").ends_with("---\n  | - x | a | b\r\n"));
    assert!(set(2, "").ends_with("run-1 | a |  |\r\n"));
}

#[test]
fn there_is_no_edit_of_a_row_or_column_that_is_not_there() {
    let text = "|run_id|user_request|status|\n|-|-|-|\n|1|a|x|\n";
    assert_eq!(table(text).set_cell(1, 0, "x"), None);
    assert_eq!(table(text).set_cell(0, 3, "x"), None);
}

/// Text with everything that is hard about a cell.
fn cell() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(vec!["a", "단어", "한국어 문장", "🙂", "👨‍👩‍👧", "- ", "# ", "**", "`", "--", "1. "]),
        4 => select(vec!["|", "\\", "\\|", "\n", "\r\n", " ", "<br>", "<br", "<BR />", "&#13;", "&#", "&amp;", "&", "<"]),
        2 => select(vec!["\r", "\t", "\0", "\u{1}", "\u{7f}", "\u{85}", "\u{2028}", "\u{3000}", "\u{feff}", "\u{a0}"]),
    ]
    .prop_map(str::to_owned);
    let any_char = any::<char>().prop_map(String::from);
    vec(prop_oneof![9 => piece, 1 => any_char], 0..5).prop_map(|pieces| pieces.concat())
}

fn row() -> impl Strategy<Value = Texts> {
    // A row without any text is none, so that one cell always has some.
    ((0..1000u32), cell(), cell())
        .prop_map(|(id, request, status)| Texts(vec![format!("run-{id}"), request, status]))
}

fn prose() -> impl Strategy<Value = String> {
    let block = select(vec![
        "한국어 문단입니다.\n둘째 줄 | 막대\n",
        "# 제목 | x\n",
        "- list\n  - nested | x\n",
        "```md\n| run_id | user_request | status |\n|---|---|---|\n| no | no | no |\n```\n",
        "<!--\n| run_id | user_request | status |\n|---|---|---|\n| no | no | no |\n-->\n",
        "    | run_id | user_request | status |\n    |---|---|---|\n",
        "| other | table |\n| --- | --- |\n| 1 | 2 \\| 3 |\n",
        "> | run_id | user_request | status |\n> |---|---|---|\n",
        "---\n",
        "\u{1f642} `|` \\| \\\\\n",
    ]);
    vec(block, 0..4).prop_map(|blocks| blocks.join("\n"))
}

/// How a person may have written the table.
#[derive(Clone, Debug)]
struct Layout {
    /// The order of the three columns and of one that hast does not know.
    order: Vec<usize>,
    headers: Vec<&'static str>,
    delimiter: &'static str,
    spaces: Vec<&'static str>,
    outer_pipes: bool,
    blank_row: bool,
    crlf: bool,
    final_line_break: bool,
}

fn layout() -> impl Strategy<Value = Layout> {
    let flags = any::<[bool; 4]>();
    (
        Just((0..4).collect::<Vec<usize>>()).prop_shuffle(),
        select(vec!["status", "STATUS", "status (PENDING, COMPLETED)", "Status (x)"]),
        select(vec![":---", "-", ":-:", "--:", " :------ "]),
        vec(select(vec!["", " ", "  ", "\t", "         "]), 7),
        flags,
    )
        .prop_map(|(order, status, delimiter, spaces, flags)| Layout {
            order,
            headers: vec!["run_id", "User_Request", status, "메모 \\| note"],
            delimiter,
            spaces,
            outer_pipes: flags[0],
            blank_row: flags[1],
            crlf: flags[2],
            final_line_break: flags[3],
        })
}

impl Layout {
    fn line(&self, cells: &[&str]) -> String {
        let spaced: Vec<String> = self
            .order
            .iter()
            .enumerate()
            .map(|(at, column)| {
                format!("{}{}{}", self.spaces[at], cells[*column], self.spaces[at + 3])
            })
            .collect();
        let line = spaced.join("|");
        let bare = |at: usize| cells[self.order[at]].starts_with(|c: char| c.is_alphabetic());
        if self.outer_pipes || !bare(0) || !bare(3) {
            format!("|{line}|")
        } else {
            line.trim().to_owned()
        }
    }

    /// The lines of the file, as a person with an editor would have them.
    fn write(&self, before: &str, rows: &[Texts], after: &str) -> String {
        let headers = self.line(&self.headers);
        let mut text = format!("{before}\n{headers}\n{}\n", self.line(&[self.delimiter; 4]));
        if self.delimiter.len() == 1 {
            // A first cell of one dash would be a list item without the outer pipe.
            text = format!("{before}\n{headers}\n|-|-|-|-|\n");
        }
        if self.blank_row {
            text.push_str("|  | | ||\n");
        }
        for row in rows {
            let cells: Vec<_> = row.0.iter().map(|cell| encode(cell)).collect();
            text.push_str(&self.line(&[&cells[0], &cells[1], &cells[2], "kept \\\\"]));
            text.push('\n');
        }
        if !after.is_empty() || self.final_line_break {
            text.push('\n');
            text.push_str(after);
        } else {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }
}

#[derive(Clone, Debug)]
enum Change {
    Append(Vec<Texts>),
    Set(Index, usize, String),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        vec(row(), 1..3).prop_map(Change::Append),
        (any::<Index>(), 0..3usize, cell()).prop_map(|(row, column, mut value)| {
            if column == 0 {
                value.insert(0, 'x');
            }
            Change::Set(row, column, value)
        }),
    ]
}

/// Applies a change to the text and to what it should mean.
fn change_both(text: &str, model: &mut Vec<Texts>, change: &Change) -> Edit {
    let table = table(text);
    match change {
        Change::Append(rows) => {
            model.extend_from_slice(rows);
            table.append(rows)
        }
        Change::Set(_, _, _) if model.is_empty() => Edit::insert(0, String::new()),
        Change::Set(row, column, value) => {
            let row = row.index(model.len());
            model[row].0[*column].clone_from(value);
            table.set_cell(row, *column, value).unwrap()
        }
    }
}

/// Everything but the edit is as before, and a cell stays on its line.
fn assert_local(text: &str, edit: &Edit, changed: &str, change: &Change) {
    assert_eq!(changed[..edit.range.start], text[..edit.range.start]);
    assert!(changed.ends_with(&text[edit.range.end..]));
    if let Change::Set(..) = change {
        assert!(!edit.text.contains(['\n', '\r']));
        assert_eq!(changed.lines().count(), text.lines().count());
        let other_lines = text.lines().zip(changed.lines()).filter(|(old, new)| old != new);
        assert!(other_lines.count() <= 1);
    } else {
        assert!(edit.range.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ten_thousand_tables_survive_edits(
        layout in layout(), before in prose(), after in prose(),
        mut model in vec(row(), 0..4), changes in vec(change(), 0..4),
    ) {
        let mut text = layout.write(&before, &model, &after);
        prop_assert_eq!(&rows(&text), &model);
        for change in &changes {
            let edit = change_both(&text, &mut model, change);
            let changed = edit.apply(&text);
            assert_local(&text, &edit, &changed, change);
            prop_assert_eq!(&rows(&changed), &model);
            text = changed;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_has_a_written_form_of_one_line_that_gives_it_back(text in prop_oneof![cell(), any::<String>()]) {
        let written = encode(&text);
        prop_assert_eq!(decode(&written), &*text);
        prop_assert_eq!(written.trim(), &*written);
        prop_assert!(!written.contains(char::is_control));
    }

    #[test]
    fn printed_tables_read_back(model in vec(row(), 0..5)) {
        prop_assert_eq!(rows(&print_table(&model)), model);
    }

    #[test]
    fn readers_never_panic(
        text in prop_oneof![any::<String>(), vec(select(vec!["|", "-", ":", "\n", "\r", " ", "\\", "status", "run_id", "user_request", "가", "`", "<!--", "&#", "\t", "\u{feff}"]), 0..60).prop_map(|pieces| pieces.concat())],
        at in 0..80usize,
    ) {
        let source = Source::new("f", &text);
        let _ = decode(&text);
        if let Ok(found) = MdTable::find(&source, &Texts::COLUMNS[..1]) {
            for row in found.rows() {
                let _ = row.set(0, "x|").map(|edit| edit.apply(&text));
            }
            let _ = found.header().row(source, at..at + 9).map(|line| format!("{line:?}"));
            prop_assert_eq!(found.append(&[texts(["a", "b", "c"])]).apply(&text).len() > text.len(), true);
        }
    }
}
