//! Another Markdown reader sees in our tables what we wrote into them.
#![cfg(test)]

use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::formats::source::Source;
use hast_flow::formats::table::{Column, MdTable, Row, RowView, print_table};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

#[derive(Clone, Debug, PartialEq)]
struct Texts(Vec<String>);

impl Row for Texts {
    const COLUMNS: &'static [Column] = &[
        Column::new("id"),
        Column::new("text"),
        Column::new("timing").headed("timing (PRE/POST)").fixed(4),
    ];

    fn read(row: &RowView<'_>) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self((0..3).map(|column| row.text(column).into_owned()).collect()))
    }

    fn cells(&self) -> Vec<String> {
        self.0.clone()
    }
}

/// All tables as rendered text, each with its header first.
fn rendered(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut cell: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Table(_)) => tables.push(Vec::new()),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                tables.last_mut().unwrap().push(Vec::new());
            }
            Event::Start(Tag::TableCell) => cell = Some(String::new()),
            Event::End(TagEnd::TableCell) => {
                let row = tables.last_mut().and_then(|table| table.last_mut()).unwrap();
                row.push(cell.take().unwrap());
            }
            Event::Text(piece) => cell.iter_mut().for_each(|cell| cell.push_str(&piece)),
            Event::InlineHtml(tag) => {
                assert_eq!(&*tag, "<br>");
                cell.iter_mut().for_each(|cell| cell.push('\n'));
            }
            _ => {}
        }
    }
    tables
}

fn our_rows(text: &str) -> Vec<Vec<String>> {
    let table = MdTable::find(&Source::new("f", text), Texts::COLUMNS).unwrap();
    table.rows().map(|row| Texts::read(&row).unwrap().0).collect()
}

/// Text without emphasis, links and other marks that a renderer would take for its own.
fn ordinary() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "a",
        "단어",
        "두 단어",
        "🙂",
        "-",
        "#",
        "1.",
        "|",
        "\\",
        "\\|",
        "\\\\|",
        "\n",
        " ",
        "  ",
        "\t",
        "\r",
        "\u{1}",
        "\u{3000}",
        "<br>",
        "<br",
        "<BR/>",
        "&#13;",
        "&#",
        "&",
        "C:\\dir",
        "(x)",
        "'",
        "\"",
        "%",
        "{}",
        "=",
    ]);
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn row() -> impl Strategy<Value = Texts> {
    (0..1000u32, ordinary(), select(vec!["PRE", "POST", ""]))
        .prop_map(|(id, text, timing)| Texts(vec![format!("T{id}"), text, timing.to_owned()]))
}

fn block() -> impl Strategy<Value = &'static str> {
    select(vec![
        "문단 | 하나\n",
        "# 제목\n",
        "- list\n\n문단\n",
        "```\n| id | text | timing |\n|---|---|---|\n```\n",
        "~~~\n```\n| id | text | timing |\n|---|---|---|\n~~~\n",
        "<!--\n| id | text | timing |\n|---|---|---|\n-->\n",
        "    | id | text | timing |\n    |---|---|---|\n",
        "---\n",
        "> quote\n",
        "<div>\n</div>\n",
        "1. one\n\n문단\n",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_renderer_shows_the_text_of_every_cell(
        before in vec(block(), 0..3), first in vec(row(), 0..4), more in vec(row(), 0..3),
        value in ordinary(), after in vec(block(), 0..3), crlf in any::<bool>(), tight in any::<bool>(),
    ) {
        let printed = print_table(&first);
        // A block other than a paragraph ends a table also without a blank line.
        let gap = if tight && after.first().is_some_and(|block| !block.starts_with(['문', ' '])) { "" } else { "\n" };
        let mut text = format!("{}\n{printed}{gap}{}", before.join("\n"), after.join("\n"));
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let table = MdTable::find(&Source::new("f", &text), Texts::COLUMNS).unwrap();
        let mut model: Vec<Vec<String>> = first.into_iter().chain(more.iter().cloned()).map(|row| row.0).collect();
        let text = table.append(&more).apply(&text);
        let table = MdTable::find(&Source::new("f", &text), Texts::COLUMNS).unwrap();
        let text = match table.set_cell(0, 1, &value) {
            Some(edit) => edit.apply(&text),
            None => text.clone(),
        };
        if let Some(row) = model.first_mut() {
            row[1] = value;
        }
        prop_assert_eq!(&our_rows(&text), &model);
        model.insert(0, ["id", "text", "timing (PRE/POST)"].map(str::to_owned).to_vec());
        prop_assert_eq!(rendered(&text), vec![model]);
    }
}

#[test]
fn a_table_with_other_spelling_has_the_same_rows_for_both() {
    let texts = [
        "id | text | timing\n:- | :-: | -:\na | b | c\n- list\n",
        "prose\n| id | text | timing |\n|---|---|---|\n| a\\\\ | b\\|c | d |\n<!-- x -->\n",
        "  | id | text | timing |\n | --- | --- | --- |\n   | a | b | c |\n    | d | e | f |\n",
        "|id|text|timing|\n|-|-|-|\n|a|b|c|\n***\n|d|e|f|\n",
        "|id|text|timing|\n|-|-|-|\n|a|b|c|\n7) x\n",
    ];
    for text in texts {
        let theirs = rendered(text);
        assert_eq!(theirs.len(), 1, "{text}");
        assert_eq!(our_rows(text), theirs[0][1..], "{text}");
    }
}
