//! Reading YAML 1.2 into a tree with exact bytes for every value.
//!
//! Aliases are expanded and merge keys applied, both bounded; one document a file. Values resolve
//! by the core schema, so `yes` is text and `1.10` is a number that wants quotes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag};

use crate::formats::diagnostic::{Diagnostic, Finding, Format, MAX_FINDINGS};
use crate::formats::source::Source;
use crate::formats::tree::{Field, MAX_NODES, Marks, Node, Parsed, Style, Value, drop_repeated};

/// How deep values may be nested.
pub const MAX_DEPTH: usize = 100;

/// A text counts as one value more for each of these bytes, so that an alias of a long one is not
/// for free; a document of the largest size without aliases stays below the limit.
const BYTES_PER_NODE: usize = 128;

/// Reads one document. A syntax error ends reading; duplicate keys are collected.
pub fn read(source: &Source<'_>) -> Result<Parsed, Diagnostic> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut builder = Builder::new(source);
    for event in Parser::new_from_str_with_options(source.text, options) {
        let (event, span) = event.map_err(|error| scan_error(source, &error))?;
        builder.take(event, &span)?;
    }
    Ok(builder.finish())
}

struct Builder<'s> {
    source: &'s Source<'s>,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    anchors: BTreeMap<usize, Anchor>,
    nodes: usize,
    /// How many values are kept for aliases. Each anchor around a value keeps it once more.
    kept: usize,
    findings: Vec<Diagnostic>,
}

/// An anchored value and how many values it is made of.
struct Anchor {
    node: Node,
    nodes: usize,
}

/// A collection whose end has not come yet.
struct Open {
    start: Range<usize>,
    marks: Marks,
    anchor: usize,
    nodes_before: usize,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    Map { fields: Vec<Field>, merges: Vec<Node>, key: Option<Key> },
}

struct Key {
    text: Box<str>,
    span: Range<usize>,
    merge: bool,
}

impl<'s> Builder<'s> {
    fn new(source: &'s Source<'s>) -> Self {
        Self {
            source,
            open: Vec::new(),
            root: None,
            documents: 0,
            anchors: BTreeMap::new(),
            nodes: 0,
            kept: 0,
            findings: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Diagnostic> {
        let bytes = span.byte_range().unwrap_or(0..0);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let detail = "a second document starts here".to_owned();
                    return Err(self.syntax(bytes, detail));
                }
                Ok(())
            }
            Event::Alias(id) => self.alias(id, bytes),
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(&text, style, anchor, tag.as_deref(), bytes)?;
                let nodes = 1 + text.len() / BYTES_PER_NODE;
                self.count(nodes, &node.span)?;
                self.add(node, anchor, nodes)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.open(bytes, style, anchor, tag.as_deref(), Items::List(Vec::new()))
            }
            Event::MappingStart(style, anchor, tag) => {
                let items = Items::Map { fields: Vec::new(), merges: Vec::new(), key: None };
                self.open(bytes, style, anchor, tag.as_deref(), items)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(bytes),
            _ => Ok(()),
        }
    }

    fn finish(self) -> Parsed {
        let empty = Node { span: 0..0, value: Value::Null, marks: Marks::default() };
        Parsed { root: self.root.unwrap_or(empty), findings: self.findings }
    }

    fn open(
        &mut self,
        start: Range<usize>,
        style: StructureStyle,
        anchor: usize,
        tag: Option<&Tag>,
        items: Items,
    ) -> Result<(), Diagnostic> {
        if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) {
            return Err(self.syntax(start, unsupported_tag(tag)));
        }
        self.count(1, &start)?;
        let marks = Marks {
            style: if style == StructureStyle::Flow { Style::Flow } else { Style::Block },
            anchored: anchor != 0,
            tagged: tag.is_some(),
            ..Marks::default()
        };
        self.open.push(Open { start, marks, anchor, nodes_before: self.nodes - 1, items });
        Ok(())
    }

    fn close(&mut self, end: Range<usize>) -> Result<(), Diagnostic> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let (value, last) = match open.items {
            Items::List(items) => {
                let last = items.last().map(|node| node.span.end);
                (Value::List(items), last)
            }
            Items::Map { mut fields, merges, .. } => {
                let last = fields.last().map(|field| field.node.span.end.max(field.key_span.end));
                drop_repeated(self.source, &mut fields, &mut self.findings);
                self.report_bad_merges(&merges);
                merge_into(&mut fields, merges);
                (Value::Map(fields), last)
            }
        };
        // A block collection ends with its last value, not where the next line begins.
        let end = match open.marks.style {
            Style::Flow => end.end,
            _ => last.unwrap_or(open.start.end).max(open.start.start),
        };
        let node = Node { span: open.start.start..end, value, marks: open.marks };
        let nodes = self.nodes - open.nodes_before;
        self.add(node, open.anchor, nodes)
    }

    fn add(&mut self, node: Node, anchor: usize, nodes: usize) -> Result<(), Diagnostic> {
        if anchor != 0 {
            self.kept = self.kept.saturating_add(nodes);
            if self.kept > MAX_NODES {
                return Err(self.too_many(&node.span));
            }
            self.anchors.insert(anchor, Anchor { node: node.clone(), nodes });
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.items {
            Items::List(items) => items.push(node),
            Items::Map { fields, merges, key } => match key.take() {
                None => *key = Some(as_key(self.source, node)?),
                Some(merge) if merge.merge => merges.push(node),
                Some(Key { text, span, .. }) => {
                    fields.push(Field { key: text, key_span: span, node });
                }
            },
        }
        Ok(())
    }

    fn alias(&mut self, id: usize, bytes: Range<usize>) -> Result<(), Diagnostic> {
        let Some(anchor) = self.anchors.get(&id) else {
            return Err(self.source.diagnose(bytes, Finding::AliasLoop));
        };
        let nodes = anchor.nodes;
        self.count(nodes, &bytes)?;
        let Some(anchor) = self.anchors.get(&id) else { return Ok(()) };
        let mut node = anchor.node.clone();
        node.span = bytes;
        node.marks.aliased = true;
        self.add(node, 0, nodes)
    }

    /// Counts values before they are made, so that an alias bomb never takes memory.
    fn count(&mut self, nodes: usize, bytes: &Range<usize>) -> Result<(), Diagnostic> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES {
            return Err(self.too_many(bytes));
        }
        Ok(())
    }

    fn too_many(&self, bytes: &Range<usize>) -> Diagnostic {
        self.source.diagnose(bytes.clone(), Finding::TooManyNodes { limit: MAX_NODES })
    }

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Range<usize>,
    ) -> Result<Node, Diagnostic> {
        let style = match style {
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::BlockText,
            _ => Style::Plain,
        };
        let value = match tag {
            Some(tag) if tag.is_yaml_core_schema_tag("str") => Value::Text(text.into()),
            Some(tag) if !tag.is_yaml_core_schema() => {
                return Err(self.syntax(span, unsupported_tag(tag)));
            }
            // The parser hands an empty value over as `~`.
            _ if style == Style::Plain => resolve_plain(text),
            _ => Value::Text(text.into()),
        };
        let marks =
            Marks { style, anchored: anchor != 0, tagged: tag.is_some(), ..Marks::default() };
        Ok(Node { span, value, marks })
    }

    /// A merge key takes a map, or a list of maps; anything else would be lost without a word.
    fn report_bad_merges(&mut self, merges: &[Node]) {
        let is_map = |node: &Node| matches!(node.value, Value::Map(_));
        let good = |node: &&Node| {
            is_map(node) || (!node.list().is_empty() && node.list().iter().all(is_map))
        };
        let room = MAX_FINDINGS.saturating_sub(self.findings.len());
        for node in merges.iter().filter(|node| !good(node)).take(room) {
            let detail = "a merge key takes a map or a list of maps".to_owned();
            let finding = self.syntax(node.span.clone(), detail);
            self.findings.push(finding);
        }
    }

    fn syntax(&self, bytes: Range<usize>, detail: String) -> Diagnostic {
        self.source.diagnose(bytes, Finding::Syntax { format: Format::Yaml, detail })
    }
}

fn as_key(source: &Source<'_>, node: Node) -> Result<Key, Diagnostic> {
    let written = source.text.get(node.span.clone()).unwrap_or("");
    let merge = node.marks.style == Style::Plain && written == "<<";
    let text = match node.value {
        Value::Text(text) => text,
        // A key such as `404:` or `true:` is the word as written.
        Value::Bool(_) | Value::Integer(_) | Value::Number(_) | Value::Null
            if !node.marks.aliased =>
        {
            written.into()
        }
        _ => return Err(source.diagnose(node.span, Finding::KeyNotText)),
    };
    Ok(Key { text, span: node.span, merge })
}

fn merge_into(fields: &mut Vec<Field>, merges: Vec<Node>) {
    if merges.is_empty() {
        return;
    }
    let mut known: BTreeSet<Box<str>> = fields.iter().map(|field| field.key.clone()).collect();
    let maps = merges.into_iter().flat_map(|node| match node.value {
        Value::List(items) => items,
        _ => vec![node],
    });
    for map in maps {
        let Value::Map(entries) = map.value else { continue };
        for mut entry in entries {
            if known.insert(entry.key.clone()) {
                entry.node.marks.merged = true;
                fields.push(entry);
            }
        }
    }
}

fn resolve_plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Value::Number(f64::INFINITY);
        }
        "-.inf" | "-.Inf" | "-.INF" => return Value::Number(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Value::Number(f64::NAN),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    // Most scalars are words; look at the number forms only where a number can start.
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Value::Text(text.into());
    }
    let radix = |prefix: &str, radix| {
        text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok())
    };
    if let Some(integer) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Value::Integer(integer);
    }
    if unsigned.bytes().all(|b| b.is_ascii_digit())
        && let Ok(integer) = text.parse()
    {
        return Value::Integer(integer);
    }
    let numeric =
        unsigned.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    match text.parse::<f64>() {
        Ok(number) if numeric => Value::Number(number),
        _ => Value::Text(text.into()),
    }
}

fn scan_error(source: &Source<'_>, error: &ScanError) -> Diagnostic {
    let at = error.marker().byte_offset().unwrap_or(0);
    let finding = match error.kind() {
        ErrorKind::RecursionLimitExceeded => Finding::TooDeep { limit: MAX_DEPTH },
        _ => Finding::Syntax { format: Format::Yaml, detail: error.info() },
    };
    source.diagnose(at..at + 1, finding)
}

fn unsupported_tag(tag: &Tag) -> String {
    format!("the tag {} is not supported", tag.original())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::diagnostic::{Kind, MAX_FINDINGS};

    fn tree(text: &str) -> Node {
        let parsed = read(&Source::new("f.yaml", text)).unwrap();
        assert_eq!(parsed.findings, []);
        parsed.root
    }

    fn error(text: &str) -> Finding {
        read(&Source::new("f.yaml", text)).unwrap_err().finding
    }

    #[test]
    fn every_value_knows_its_bytes() {
        let text = "a: \"한글\" # c\nb:\n  - 1\n  - {c: d}\n\n# end\n";
        let root = tree(text);
        assert_eq!(&text[root.get("a").unwrap().span.clone()], "\"한글\"");
        let list = root.get("b").unwrap();
        assert_eq!(&text[list.span.clone()], "- 1\n  - {c: d}");
        assert_eq!(&text[list.list()[1].span.clone()], "{c: d}");
    }

    #[test]
    fn plain_words_resolve_by_the_core_schema() {
        for (written, kind) in [
            ("~", Kind::Null),
            ("", Kind::Null),
            ("yes", Kind::Text),
            ("True", Kind::Bool),
            ("12", Kind::Integer),
            ("-0x1F", Kind::Text),
            ("0o17", Kind::Integer),
            ("1.10", Kind::Number),
            ("1e3", Kind::Number),
            (".5", Kind::Number),
            ("1.2.3", Kind::Text),
            ("12345678901234567890", Kind::Number),
            ("2024-01-15", Kind::Text),
            ("nan", Kind::Text),
            ("infinity", Kind::Text),
            ("'12'", Kind::Text),
            ("!!str 12", Kind::Text),
            (".", Kind::Text),
            ("+", Kind::Text),
        ] {
            assert_eq!(
                tree(&format!("k: {written}\n")).get("k").unwrap().kind(),
                kind,
                "{written}"
            );
        }
    }

    #[test]
    fn aliases_and_merge_keys_are_expanded() {
        let root = tree("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\nsame: *b\n");
        let merged = root.get("use").unwrap();
        assert_eq!(merged.get("y").unwrap().value, Value::Integer(3));
        assert!(merged.get("x").unwrap().marks.merged);
        assert!(root.get("same").unwrap().marks.aliased);
        assert!(root.get("base").unwrap().same_meaning(root.get("same").unwrap()));
    }

    #[test]
    fn a_merge_of_something_else_is_reported() {
        for text in ["a:\n  <<: 5\n", "a:\n  <<: [x]\n", "a:\n  <<:\n"] {
            let parsed = read(&Source::new("f", text)).unwrap();
            assert_eq!(parsed.findings.len(), 1, "{text}");
            assert_eq!(parsed.findings[0].line(), Some(2), "{text}");
        }
    }

    #[test]
    fn a_repeated_key_is_reported_with_the_first_line() {
        let parsed = read(&Source::new("f", "a: 1\nb: 2\na: 3\n")).unwrap();
        assert_eq!(parsed.findings.len(), 1);
        assert_eq!(
            parsed.findings[0].finding,
            Finding::DuplicateKey { key: "a".into(), first_line: 1 }
        );
        assert_eq!(parsed.findings[0].line(), Some(3));
        assert_eq!(parsed.root.get("a").unwrap().value, Value::Integer(1));
    }

    #[test]
    fn hostile_documents_end_in_a_finding() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let inner = format!("*a{}", level - 1);
            bomb += &format!("a{level}: &a{level} [{}]\n", vec![inner; 10].join(", "));
        }
        assert_eq!(error(&bomb), Finding::TooManyNodes { limit: MAX_NODES });
        assert_eq!(error(&"[".repeat(100_000)), Finding::TooDeep { limit: MAX_DEPTH });
        assert_eq!(error("- &a [*a]"), Finding::AliasLoop);
        assert_eq!(error("[a]: b\n"), Finding::KeyNotText);
        assert!(matches!(error("a: \0\n"), Finding::Syntax { .. }));
        assert!(matches!(error("a: 1\n---\nb: 2\n"), Finding::Syntax { .. }));
        assert!(matches!(error("a: !custom x\n"), Finding::Syntax { .. }));
        assert!(matches!(error("a: *nowhere\n"), Finding::Syntax { .. }));
        assert_eq!(tree(&format!("a: {}\n", "x".repeat(5_000_000))).fields().len(), 1);
    }

    #[test]
    fn a_long_text_is_not_repeated_without_end() {
        let long = "x".repeat(1_000_000);
        let text = format!("a: &a {long}\nb: [{}]\n", vec!["*a"; 10_000].join(", "));
        assert_eq!(error(&text), Finding::TooManyNodes { limit: MAX_NODES });
    }

    #[test]
    fn anchors_around_anchors_do_not_keep_values_without_end() {
        let text = format!("{}{}1{}", "&a [".repeat(90), "1, ".repeat(100_000), "]".repeat(90));
        assert_eq!(error(&text), Finding::TooManyNodes { limit: MAX_NODES });
        let few = format!("{}1{}", "&a [".repeat(90), "]".repeat(90));
        assert_eq!(tree(&few).kind(), Kind::List);
    }

    #[test]
    fn a_large_map_is_merged_in_good_time() {
        let fields: Vec<String> = (0..200_000).map(|at| format!("k{at}: 1")).collect();
        let root = tree(&format!("a: &a {{{}}}\nb:\n  <<: *a\n  k0: 2\n", fields.join(", ")));
        assert_eq!(root.get("b").unwrap().fields().len(), 200_000);
    }

    #[test]
    fn repeated_keys_in_many_maps_are_not_all_reported() {
        let parsed = read(&Source::new("f", &"- {a: 1, a: 2}\n".repeat(50_000))).unwrap();
        assert_eq!(parsed.findings.len(), MAX_FINDINGS);
        assert_eq!(parsed.root.list()[49_999].fields().len(), 1);
    }

    #[test]
    fn a_byte_order_mark_and_crlf_are_read_through() {
        let root = tree("\u{feff}a: 1\r\nb: x\r\n");
        assert_eq!(root.get("b").unwrap().text(), Some("x"));
    }
}
