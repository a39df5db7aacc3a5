//! Lossless edits of YAML that people write: one value or one line changes, every other byte stays.
//!
//! Each edit is proven before it is returned: the edited text is read again and must mean exactly
//! what was wanted. What cannot be edited so is refused, with the line to change by hand.

use std::ops::Range;

use crate::formats::diagnostic::{Diagnostic, Finding, NoEdit};
use crate::formats::edit::Edit;
use crate::formats::source::Source;
use crate::formats::tree::{Field, Marks, Node, Step, Style, Value};
use crate::formats::yaml;
use crate::formats::yaml_print::quoted;

/// Changes the text at a path.
pub fn set(
    source: &Source<'_>,
    root: &Node,
    path: &[Step<'_>],
    text: &str,
) -> Result<Edit, Diagnostic> {
    let target = follow(source, root, path)?;
    let node = target.node;
    let refuse = |reason| Err(cannot(source, node.span.clone(), reason));
    match (&node.value, node.marks) {
        (Value::List(_) | Value::Map(_), _) => return refuse(NoEdit::NotAScalar),
        (_, Marks { style: Style::BlockText, .. }) => return refuse(NoEdit::NotAScalar),
        (_, Marks { anchored: true, .. }) => return refuse(NoEdit::AnchoredValue),
        (_, Marks { tagged: true, .. }) => return refuse(NoEdit::TaggedValue),
        _ => {}
    }
    let written = scalar(text, node.marks.style, target.in_flow);
    let edit = if node.span.is_empty() {
        match target.field.and_then(|field| after_colon(source.text, field)) {
            Some(at) => Edit::insert(at, format!(" {written}")),
            None => return refuse(NoEdit::NotFound),
        }
    } else {
        Edit { range: node.span.clone(), text: written }
    };
    let mut wanted = root.clone();
    if let Some(node) = at_mut(&mut wanted, path) {
        node.value = Value::Text(text.into());
    }
    prove(source, edit, &wanted, node.span.clone())
}

/// Adds a field with a text to the map at a path, after the named field (or at the end).
pub fn insert(
    source: &Source<'_>,
    root: &Node,
    path: &[Step<'_>],
    after: &str,
    (key, text): (&str, &str),
) -> Result<Edit, Diagnostic> {
    let map = follow(source, root, path)?.node;
    let own: Vec<&Field> = map.fields().iter().filter(|field| !field.node.marks.merged).collect();
    let named = own.iter().position(|field| &*field.key == after);
    let Some(neighbour) = named.map(|at| own[at]).or(own.last().copied()) else {
        return Err(cannot(source, map.span.clone(), NoEdit::NotFound));
    };
    if let Some(field) = map.field(key) {
        return Err(cannot(source, field.key_span.clone(), NoEdit::AlreadyThere));
    }
    let edit = if map.marks.style == Style::Flow {
        let value = scalar(text, Style::Plain, InFlow(true));
        Edit::insert(neighbour.node.span.end, format!(", {key}: {value}"))
    } else {
        let Some(indent) = own.iter().find_map(|field| indent(source.text, field)) else {
            return Err(cannot(source, neighbour.key_span.clone(), NoEdit::NotFound));
        };
        let line = format!(
            "{}{key}: {}",
            " ".repeat(indent),
            scalar(text, Style::DoubleQuoted, InFlow(false))
        );
        insert_line(source.text, neighbour, &line)
    };
    let mut wanted = root.clone();
    if let Some(Node { value: Value::Map(fields), .. }) = at_mut(&mut wanted, path) {
        let at = fields.iter().position(|field| field.key == neighbour.key).map_or(0, |at| at + 1);
        let node = Node { span: 0..0, value: Value::Text(text.into()), marks: Marks::default() };
        fields.insert(at, Field { key: key.into(), key_span: 0..0, node });
    }
    prove(source, edit, &wanted, neighbour.key_span.clone())
}

/// Removes a field from the map at a path.
pub fn remove(
    source: &Source<'_>,
    root: &Node,
    path: &[Step<'_>],
    key: &str,
) -> Result<Edit, Diagnostic> {
    let map = follow(source, root, path)?.node;
    let Some(index) = map.fields().iter().position(|field| &*field.key == key) else {
        return Err(cannot(source, map.span.clone(), NoEdit::NotFound));
    };
    let field = &map.fields()[index];
    if field.node.marks.merged {
        return Err(cannot(source, field.key_span.clone(), NoEdit::FromMergeKey));
    }
    let range = if map.marks.style == Style::Flow {
        Some(flow_entry(map.fields(), index))
    } else {
        whole_lines(source.text, field)
    };
    let Some(range) = range else {
        return Err(cannot(source, field.key_span.clone(), NoEdit::SharesItsLine));
    };
    let mut wanted = root.clone();
    if let Some(Node { value: Value::Map(fields), .. }) = at_mut(&mut wanted, path) {
        fields.remove(index);
    }
    prove(source, Edit { range, text: String::new() }, &wanted, field.key_span.clone())
}

/// Whether a value stands inside `[..]` or `{..}`, where more characters need quotes.
#[derive(Clone, Copy)]
pub(super) struct InFlow(pub(super) bool);

pub(super) struct Target<'t> {
    pub(super) node: &'t Node,
    field: Option<&'t Field>,
    pub(super) in_flow: InFlow,
}

/// Walks a path, and refuses to walk through what is written elsewhere.
pub(super) fn follow<'t>(
    source: &Source<'_>,
    root: &'t Node,
    path: &[Step<'_>],
) -> Result<Target<'t>, Diagnostic> {
    let mut target = Target { node: root, field: None, in_flow: InFlow(false) };
    for step in path {
        let parent = target.node;
        let next = match step {
            Step::Key(key) => parent.field(key).map(|field| (&field.node, Some(field))),
            Step::Index(index) => parent.list().get(*index).map(|node| (node, None)),
        };
        let Some((node, field)) = next else {
            return Err(cannot(source, parent.span.clone(), NoEdit::NotFound));
        };
        let in_flow = InFlow(target.in_flow.0 || parent.marks.style == Style::Flow);
        target = Target { node, field, in_flow };
        let place = field.map_or(node.span.clone(), |field| field.key_span.clone());
        if node.marks.merged {
            return Err(cannot(source, place, NoEdit::FromMergeKey));
        }
        if node.marks.aliased {
            return Err(cannot(source, place, NoEdit::ThroughAlias));
        }
    }
    Ok(target)
}

pub(super) fn at_mut<'t>(root: &'t mut Node, path: &[Step<'_>]) -> Option<&'t mut Node> {
    path.iter().try_fold(root, |node, step| match (step, &mut node.value) {
        (Step::Key(key), Value::Map(fields)) => {
            fields.iter_mut().find(|field| &*field.key == *key).map(|field| &mut field.node)
        }
        (Step::Index(index), Value::List(items)) => items.get_mut(*index),
        _ => None,
    })
}

pub(super) fn prove(
    source: &Source<'_>,
    edit: Edit,
    wanted: &Node,
    place: Range<usize>,
) -> Result<Edit, Diagnostic> {
    let edited = edit.apply(source.text);
    let proven = match yaml::read(&Source::new(source.name, &edited)) {
        Ok(parsed) => parsed.findings.is_empty() && parsed.root.same_meaning(wanted),
        Err(_) => false,
    };
    if proven { Ok(edit) } else { Err(cannot(source, place, NoEdit::OtherValuesWouldChange)) }
}

pub(super) fn cannot(source: &Source<'_>, place: Range<usize>, reason: NoEdit) -> Diagnostic {
    // Point at one line, however long the value is.
    let line_end = source.text.get(place.start..).and_then(|rest| rest.find('\n'));
    let end = line_end.map_or(place.end, |at| place.end.min(place.start + at));
    source.diagnose(place.start..end, Finding::CannotEdit { reason })
}

/// Writes a text in the style it had, as long as that style can hold it.
pub(super) fn scalar(text: &str, style: Style, in_flow: InFlow) -> String {
    let one_line = !text
        .contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    match style {
        Style::Plain if is_plain(text, in_flow) => text.to_owned(),
        Style::SingleQuoted if one_line => format!("'{}'", text.replace('\'', "''")),
        _ => quoted(text),
    }
}

/// Words that stay text without quotes everywhere. Careful rather than complete.
fn is_plain(text: &str, in_flow: InFlow) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ' ');
    let reserved = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|c: char| c.is_alphabetic())
        && !text.ends_with(' ')
        && text.chars().all(inner)
        && !(in_flow.0 && text.contains(' '))
        && !reserved.contains(&text.to_lowercase().as_str())
}

/// Right behind the colon of a field without a value.
pub(super) fn after_colon(text: &str, field: &Field) -> Option<usize> {
    let rest = text.get(field.key_span.end..)?;
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    rest[spaces..].starts_with(':').then_some(field.key_span.end + spaces + 1)
}

/// The column of a field's key, if only spaces and list dashes come before it.
pub(super) fn indent(text: &str, field: &Field) -> Option<usize> {
    let before = line_before(text, field);
    before.bytes().all(|byte| matches!(byte, b' ' | b'-')).then_some(before.len())
}

fn line_before<'t>(text: &'t str, field: &Field) -> &'t str {
    let start = text[..field.key_span.start].rfind('\n').map_or(0, |at| at + 1);
    text[start..field.key_span.start].trim_start_matches('\u{feff}')
}

fn insert_line(text: &str, neighbour: &Field, line: &str) -> Edit {
    insert_lines(text, neighbour.node.span.end.max(neighbour.key_span.end), line)
}

/// Puts whole lines behind the line on which something ends.
pub(super) fn insert_lines(text: &str, end: usize, line: &str) -> Edit {
    let newline = newline(text);
    if text[..end].ends_with('\n') {
        return Edit::insert(end, format!("{line}{newline}"));
    }
    match text[end..].find('\n') {
        Some(at) => Edit::insert(end + at + 1, format!("{line}{newline}")),
        None => Edit::insert(text.len(), format!("{newline}{line}")),
    }
}

/// The line end that a text uses.
pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The lines of a field, if nothing else stands on them.
fn whole_lines(text: &str, field: &Field) -> Option<Range<usize>> {
    let before = line_before(text, field);
    if !before.bytes().all(|byte| byte == b' ') {
        return None;
    }
    let end = field.node.span.end.max(after_colon(text, field).unwrap_or(field.key_span.end));
    let line_end = if text[..end].ends_with('\n') {
        end
    } else {
        text[end..].find('\n').map_or(text.len(), |at| end + at + 1)
    };
    let alone = text[end..line_end].trim().is_empty();
    alone.then_some(field.key_span.start - before.len()..line_end)
}

fn flow_entry(fields: &[Field], index: usize) -> Range<usize> {
    let field = &fields[index];
    let end = field.node.span.end.max(field.key_span.end);
    match (index.checked_sub(1).map(|at| &fields[at]), fields.get(index + 1)) {
        (Some(before), _) => before.node.span.end.max(before.key_span.end)..end,
        (None, Some(next)) => field.key_span.start..next.key_span.start,
        (None, None) => field.key_span.start..end,
    }
}
