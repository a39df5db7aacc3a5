//! Lossless additions to a list of maps in YAML that people write: new items come behind the last one,
//! written as the list is; every other byte stays, and the result is read again.

use crate::formats::diagnostic::{Diagnostic, NoEdit};
use crate::formats::edit::Edit;
use crate::formats::source::Source;
use crate::formats::tree::{Field, Marks, Node, Step, Style, Value};
use crate::formats::yaml_edit::{
    InFlow, Target, after_colon, at_mut, cannot, follow, indent, insert_lines, newline, prove,
    scalar,
};
use crate::formats::yaml_print::quoted;

/// A value of a new item, and how it looks best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// Without quotes where it can be.
    Word(String),
    Text(String),
    /// As a block where it has several lines and can be one.
    Lines(String),
    List(Vec<String>),
}

/// A field of a new item.
pub type NewField = (&'static str, NewValue);

/// How texts of several lines are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LongTexts {
    Blocks,
    Quoted,
}

/// Adds items to the list that is, or will be, the field `key` of the map at a path.
pub fn append(
    source: &Source<'_>,
    root: &Node,
    path: &[Step<'_>],
    key: &str,
    items: &[Vec<NewField>],
) -> Result<Edit, Diagnostic> {
    let map = follow(source, root, path)?;
    let mut wanted = root.clone();
    if let Some(Node { value: Value::Map(fields), .. }) = at_mut(&mut wanted, path) {
        let new = items.iter().map(|item| node(item));
        match fields.iter_mut().find(|field| &*field.key == key) {
            Some(Field { node: Node { value: Value::List(list), .. }, .. }) => list.extend(new),
            Some(field) => field.node.value = Value::List(new.collect()),
            None => fields.push(field(key, Value::List(new.collect()))),
        }
    }
    let try_with = |long| {
        let (edit, place) = edit(source, &map, key, items, long)?;
        prove(source, edit, &wanted, place)
    };
    try_with(LongTexts::Blocks).or_else(|_| try_with(LongTexts::Quoted))
}

fn node(item: &[NewField]) -> Node {
    let fields = item.iter().map(|(key, value)| {
        let text = |text: &String| Value::Text(text.as_str().into());
        let value = match value {
            NewValue::Word(word) | NewValue::Text(word) | NewValue::Lines(word) => text(word),
            NewValue::List(all) => Value::List(all.iter().map(|one| plain(text(one))).collect()),
        };
        field(key, value)
    });
    plain(Value::Map(fields.collect()))
}

fn field(key: &str, value: Value) -> Field {
    Field { key: key.into(), key_span: 0..0, node: plain(value) }
}

fn plain(value: Value) -> Node {
    Node { span: 0..0, value, marks: Marks::default() }
}

/// The edit, and the place that a refusal of it points to.
fn edit(
    source: &Source<'_>,
    map: &Target<'_>,
    key: &str,
    items: &[Vec<NewField>],
    long: LongTexts,
) -> Result<(Edit, std::ops::Range<usize>), Diagnostic> {
    let in_flow = map.in_flow.0 || map.node.marks.style == Style::Flow;
    let Some(field) = map.node.field(key) else {
        return new_list(source, map.node, in_flow, key, items, long);
    };
    let place = field.key_span.clone();
    let refuse = |reason| Err(cannot(source, place.clone(), reason));
    match field.node.marks {
        Marks { merged: true, .. } => return refuse(NoEdit::FromMergeKey),
        Marks { aliased: true, .. } => return refuse(NoEdit::ThroughAlias),
        Marks { anchored: true, .. } => return refuse(NoEdit::AnchoredValue),
        _ => {}
    }
    let edit = match (&field.node.value, field.node.marks.style) {
        (Value::List(list), Style::Flow) if !list.is_empty() || in_flow => {
            let (at, comma) = match list.last() {
                Some(last) => (last.span.end, ", "),
                None => (field.node.span.start + 1, ""),
            };
            Some(Edit::insert(at, comma.to_owned() + &flow_items(items)))
        }
        (Value::List(list), style) if !list.is_empty() && style != Style::Flow => {
            dash_column(source.text, list).map(|column| {
                let end = behind_comments(source.text, field.node.span.end, column);
                insert_lines(source.text, end, &block_items(source.text, items, column, long))
            })
        }
        (Value::List(_) | Value::Null, _) if !in_flow => {
            first_items(source.text, field, items, long)
        }
        _ => return refuse(NoEdit::NotFound),
    };
    edit.map_or_else(|| refuse(NoEdit::NotFound), |edit| Ok((edit, place.clone())))
}

/// A map that has no such list yet gets one as its last field.
fn new_list(
    source: &Source<'_>,
    map: &Node,
    in_flow: bool,
    key: &str,
    items: &[Vec<NewField>],
    long: LongTexts,
) -> Result<(Edit, std::ops::Range<usize>), Diagnostic> {
    let own: Vec<&Field> = map.fields().iter().filter(|field| !field.node.marks.merged).collect();
    let refuse = || Err(cannot(source, map.span.clone(), NoEdit::NotFound));
    let Some(last) = own.iter().max_by_key(|field| field.node.span.end.max(field.key_span.end))
    else {
        return refuse();
    };
    let end = last.node.span.end.max(last.key_span.end);
    let place = last.key_span.clone();
    if in_flow {
        let text = format!(", {key}: [{}]", flow_items(items));
        return Ok((Edit::insert(end, text), place));
    }
    let Some(column) = own.iter().find_map(|field| indent(source.text, field)) else {
        return refuse();
    };
    let newline = newline(source.text);
    let below = block_items(source.text, items, column + 2, long);
    let lines = format!("{}{key}:{newline}{below}", " ".repeat(column));
    let end = behind_comments(source.text, end, column.saturating_sub(1));
    Ok((insert_lines(source.text, end, &lines), place))
}

/// In the place of `[]` or of nothing, a block below the key. A comment on its line stays there.
fn first_items(
    text: &str,
    field: &Field,
    items: &[Vec<NewField>],
    long: LongTexts,
) -> Option<Edit> {
    let column = indent(text, field)?;
    let colon = after_colon(text, field)?;
    let end = if field.node.span.is_empty() { colon } else { field.node.span.end };
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let rest = text[end..line_end].trim();
    let comment = if rest.is_empty() { String::new() } else { format!(" {rest}") };
    let below = block_items(text, items, column + 2, long);
    let end = text[..line_end].trim_end_matches('\r').len().max(end);
    Some(Edit { range: colon..end, text: format!("{comment}{}{below}", newline(text)) })
}

/// The column of the dashes, from the first item that has one before it.
fn dash_column(text: &str, list: &[Node]) -> Option<usize> {
    list.iter().find_map(|item| {
        let start = text[..item.span.start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..item.span.start].trim_start_matches('\u{feff}');
        let column = line.len() - line.trim_start_matches(' ').len();
        line[column..].starts_with('-').then_some(column)
    })
}

/// Comments that stand deeper than the dashes belong to the item above them.
fn behind_comments(text: &str, end: usize, column: usize) -> usize {
    let mut end = end;
    loop {
        let next = match text[..end].ends_with('\n') {
            true => end,
            false => match text[end..].find('\n') {
                Some(at) => end + at + 1,
                None => return end,
            },
        };
        let line = text[next..].lines().next().unwrap_or_default();
        let deep = line.len() - line.trim_start_matches(' ').len();
        if deep <= column || !line[deep..].starts_with('#') {
            return end;
        }
        end = next + line.len();
    }
}

fn block_items(text: &str, items: &[Vec<NewField>], column: usize, long: LongTexts) -> String {
    let pad = " ".repeat(column);
    let mut lines = Vec::new();
    for item in items {
        for (at, (key, value)) in item.iter().enumerate() {
            let lead = if at == 0 { "- " } else { "  " };
            let value = block_value(value, column + 4, long);
            lines.extend(format!("{pad}{lead}{key}:{value}").split('\n').map(str::to_owned));
        }
    }
    lines.join(newline(text))
}

/// The text behind the colon.
fn block_value(value: &NewValue, column: usize, long: LongTexts) -> String {
    let below = |line: &str| match line {
        "" => "\n".to_owned(),
        line => format!("\n{}{line}", " ".repeat(column)),
    };
    match value {
        NewValue::Word(word) => format!(" {}", scalar(word, Style::Plain, InFlow(false))),
        NewValue::Lines(text) if long == LongTexts::Blocks && is_block(text) => {
            format!(" |-{}", text.split('\n').map(below).collect::<String>())
        }
        NewValue::Text(text) | NewValue::Lines(text) => format!(" {}", quoted(text)),
        NewValue::List(all) => {
            let inline = all.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(", ");
            if inline.len() <= INLINE {
                return format!(" [{inline}]");
            }
            all.iter().map(|one| below(&format!("- {}", quoted(one)))).collect()
        }
    }
}

/// Longest list on one line.
const INLINE: usize = 80;

/// A text can be a block where it has lines of visible characters, the first of them not indented.
fn is_block(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && !text.ends_with('\n')
        && text.split('\n').all(|line| line.is_empty() || !line.trim().is_empty())
        && !text.contains(|c: char| {
            (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
        })
}

fn flow_items(items: &[Vec<NewField>]) -> String {
    let value = |value: &NewValue| match value {
        NewValue::Word(word) => scalar(word, Style::Plain, InFlow(true)),
        NewValue::Text(text) | NewValue::Lines(text) => quoted(text),
        NewValue::List(all) => {
            format!("[{}]", all.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(", "))
        }
    };
    let item = |item: &Vec<NewField>| {
        let fields = item.iter().map(|(key, one)| format!("{key}: {}", value(one)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    };
    items.iter().map(item).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::yaml;

    fn appended(text: &str, path: &[Step<'_>], key: &str, items: &[Vec<NewField>]) -> String {
        let source = Source::new("goals.yaml", text);
        let root = yaml::read(&source).unwrap().root;
        let edit = append(&source, &root, path, key, items);
        edit.unwrap_or_else(|found| panic!("{text}: {found:?}")).apply(text)
    }

    fn item(id: &str, title: &str) -> Vec<NewField> {
        vec![("id", NewValue::Word(id.into())), ("title", NewValue::Text(title.into()))]
    }

    #[test]
    fn an_item_is_written_as_its_list_is_and_nothing_else_changes() {
        for (before, after) in [
            ("goals: []\n", "goals:\n  - id: G1\n    title: \"가: b\"\n"),
            (
                "goals: []  # none yet\n# x\n",
                "goals: # none yet\n  - id: G1\n    title: \"가: b\"\n# x\n",
            ),
            ("goals:\n", "goals:\n  - id: G1\n    title: \"가: b\"\n"),
            ("goals:", "goals:\n  - id: G1\n    title: \"가: b\""),
            (
                "goals:\n- id: M1 # first\n# end\n",
                "goals:\n- id: M1 # first\n- id: G1\n  title: \"가: b\"\n# end\n",
            ),
            (
                "goals:\n  - id: M1\n    # later\n\n# end",
                "goals:\n  - id: M1\n    # later\n  - id: G1\n    title: \"가: b\"\n\n# end",
            ),
            (
                "goals:\r\n  - {id: M1}\r\n",
                "goals:\r\n  - {id: M1}\r\n  - id: G1\r\n    title: \"가: b\"\r\n",
            ),
            (
                "goals: [{id: M1}, ]\nx: 1\n",
                "goals: [{id: M1}, {id: G1, title: \"가: b\"}, ]\nx: 1\n",
            ),
            (
                "goals:\n  - id: M1\n    notes: |\n      a\n\n      b\n",
                "goals:\n  - id: M1\n    notes: |\n      a\n\n      b\n  - id: G1\n    title: \"가: b\"\n",
            ),
        ] {
            let got = appended(before, &[], "goals", &[item("G1", "가: b")]);
            assert_eq!(got, after, "{before}");
        }
    }

    #[test]
    fn a_map_without_the_list_gets_it_behind_its_last_field() {
        let path = [Step::Key("goals"), Step::Index(0)];
        for (before, after) in [
            (
                "goals:\n  - id: M1\n    status: active # yes\n  - id: M2\n",
                "goals:\n  - id: M1\n    status: active # yes\n    children:\n      - id: M1.1\n        title: \"t\"\n  - id: M2\n",
            ),
            (
                "goals:\n  - {id: M1, status: active}\n",
                "goals:\n  - {id: M1, status: active, children: [{id: M1.1, title: \"t\"}]}\n",
            ),
            (
                "goals:\n  - id: M1\n    children: []\n    status: active\n",
                "goals:\n  - id: M1\n    children:\n      - id: M1.1\n        title: \"t\"\n    status: active\n",
            ),
        ] {
            let got = appended(before, &path, "children", &[item("M1.1", "t")]);
            assert_eq!(got, after, "{before}");
        }
    }

    #[test]
    fn texts_of_several_lines_are_blocks_where_they_can_be() {
        let notes = |text: &str| vec![vec![("notes", NewValue::Lines(text.into()))]];
        let got = appended("goals: []\n", &[], "goals", &notes("one\n\n  - two: 둘"));
        assert_eq!(got, "goals:\n  - notes: |-\n      one\n\n        - two: 둘\n");
        for text in [" first\nx", "a\n \nb", "a\u{7}\nb", "one line", "a\n\tb\n"] {
            let got = appended("goals: []\n", &[], "goals", &notes(text));
            assert!(got.contains("notes: \""), "{got}");
        }
    }

    #[test]
    fn what_is_written_elsewhere_is_not_added_to() {
        let text = "a: &a [{id: M1}]\ngoals: *a\n";
        let source = Source::new("goals.yaml", text);
        let root = yaml::read(&source).unwrap().root;
        assert!(append(&source, &root, &[], "goals", &[item("G1", "t")]).is_err());
    }
}
