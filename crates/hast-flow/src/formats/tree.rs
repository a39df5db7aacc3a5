//! A parsed document as a tree in which every value knows its bytes.
//!
//! Both YAML and JSON are read into it; checks and edits work on it. Reading is bounded in depth
//! and in size after aliases are expanded.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::formats::diagnostic::{Diagnostic, Finding, Kind, MAX_FINDINGS};
use crate::formats::source::Source;

/// How many values a document may have after its aliases are expanded.
pub const MAX_NODES: usize = 1_000_000;

/// A value and where it stands. A value reached through an alias stands where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub span: Range<usize>,
    pub value: Value,
    pub marks: Marks,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    /// A number that is not an `i64`, with its value.
    Number(f64),
    Text(Box<str>),
    List(Vec<Node>),
    Map(Vec<Field>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub key: Box<str>,
    pub key_span: Range<usize>,
    pub node: Node,
}

/// How a value was written, as far as an edit must know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Flow style (`[a, b]`, `{a: b}`) for a collection; quoted or block for a text.
    pub style: Style,
    pub anchored: bool,
    pub tagged: bool,
    /// The value is written elsewhere and only named here.
    pub aliased: bool,
    /// The field came in through a merge key `<<`.
    pub merged: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    #[default]
    Plain,
    SingleQuoted,
    DoubleQuoted,
    BlockText,
    Block,
    Flow,
}

/// One step into a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl Node {
    pub fn kind(&self) -> Kind {
        match self.value {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Integer(_) => Kind::Integer,
            Value::Number(_) => Kind::Number,
            Value::Text(_) => Kind::Text,
            Value::List(_) => Kind::List,
            Value::Map(_) => Kind::Map,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn fields(&self) -> &[Field] {
        match &self.value {
            Value::Map(fields) => fields,
            _ => &[],
        }
    }

    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields().iter().find(|field| &*field.key == key)
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.field(key).map(|field| &field.node)
    }

    /// The value at a path, if there is one.
    pub fn at(&self, path: &[Step<'_>]) -> Option<&Node> {
        path.iter().try_fold(self, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Index(index) => node.list().get(*index),
        })
    }

    /// Whether two trees mean the same, wherever and however they are written.
    pub fn same_meaning(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_meaning(b))
            }
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| a.key == b.key && a.node.same_meaning(&b.node))
            }
            (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }
}

/// A tree, and what was wrong with the file without making it unreadable.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub root: Node,
    pub findings: Vec<Diagnostic>,
}

/// Keeps the first of fields with the same key and reports the others, as long as the file has
/// room for more findings: each has to look for its line.
pub(crate) fn drop_repeated(
    source: &Source<'_>,
    fields: &mut Vec<Field>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by(|&a, &b| fields[a].key.cmp(&fields[b].key).then(a.cmp(&b)));
    let mut repeated = BTreeSet::new();
    for group in order.chunk_by(|&a, &b| fields[a].key == fields[b].key) {
        let [first, others @ ..] = group else { continue };
        for &other in others {
            repeated.insert(other);
            if findings.len() >= MAX_FINDINGS {
                continue;
            }
            let field = &fields[other];
            let first_line = source.place(fields[*first].key_span.clone()).line;
            let finding = Finding::DuplicateKey { key: field.key.to_string(), first_line };
            findings.push(source.diagnose(field.key_span.clone(), finding));
        }
    }
    if !repeated.is_empty() {
        let mut index = 0..;
        fields.retain(|_| index.next().is_none_or(|index| !repeated.contains(&index)));
    }
}
