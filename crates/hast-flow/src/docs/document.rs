//! Every document type offers the same things: a name, a format, a schema, and rules that the
//! schema cannot express. All documents are read here in one way: syntax, schema, rules. Every
//! finding is reported at once, up to a limit.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serializer, de};

use crate::formats::diagnostic::{Diagnostic, Finding, Format, MAX_FINDINGS};
use crate::formats::front_matter::FrontMatter;
use crate::formats::shape::{Shape, Unknown};
use crate::formats::source::Source;
use crate::formats::tree::{Node, Parsed};
use crate::formats::typed::from_tree;
use crate::formats::{json, yaml};

/// A document type. Implemented with [`document!`](crate::document), never by hand.
pub trait Document: Serialize + DeserializeOwned + JsonSchema {
    /// The name that `hast verify --schema NAME` takes.
    const NAME: &'static str;
    const FORMAT: Format;
    const UNKNOWN: Unknown;

    /// The compiled schema, made once.
    fn shape() -> &'static Shape;

    /// What the schema cannot say.
    fn rules(&self, _: &mut Rules<'_>) {}
}

/// A document that was read, its tree for edits, and what is worth a warning.
#[derive(Clone, Debug)]
pub struct Read<D> {
    pub value: D,
    pub tree: Node,
    pub warnings: Vec<Diagnostic>,
}

/// The tree and the findings that a document's own rules add.
#[derive(Debug)]
pub struct Rules<'a> {
    pub source: &'a Source<'a>,
    pub tree: &'a Node,
    findings: Vec<Diagnostic>,
    reported: usize,
}

impl Rules<'_> {
    /// Reports a finding at a value, as long as there are not too many to read.
    pub fn report(&mut self, node: &Node, finding: Finding) {
        self.report_with(node, |_| finding);
    }

    /// Reports what is worth a warning at a value and does not make the document wrong.
    pub fn warn(&mut self, node: &Node, finding: Finding) {
        let findings = self.findings.len();
        self.report(node, finding);
        let warned = self.findings.split_off(findings).into_iter().map(Diagnostic::warning);
        self.findings.extend(warned);
    }

    /// Reports a finding that is made only if there is room for it, because it takes time to make.
    pub fn report_with(&mut self, node: &Node, finding: impl FnOnce(&Self) -> Finding) {
        if self.reported >= MAX_FINDINGS {
            return;
        }
        self.reported += 1;
        let finding = finding(self);
        self.findings.push(self.source.diagnose(node.span.clone(), finding));
    }

    /// Reports a finding about the file as a whole.
    pub fn report_file(&mut self, finding: Finding) {
        self.findings.push(Diagnostic::of_file(self.source.name, finding));
    }

    /// The line a value starts on.
    pub fn line(&self, node: &Node) -> usize {
        self.source.place(node.span.clone()).line
    }
}

/// Reads a document: syntax, then the schema, then the document's own rules; all findings at once.
pub fn read<D: Document>(source: &Source<'_>) -> Result<Read<D>, Vec<Diagnostic>> {
    read_sparing(source, &[])
}

/// Reads a document for somebody who does not need these of its fields: they may be missing.
pub fn read_sparing<D: Document>(
    source: &Source<'_>,
    spared: &[&str],
) -> Result<Read<D>, Vec<Diagnostic>> {
    let parsed = parse(D::FORMAT, source).map_err(|diagnostic| vec![diagnostic])?;
    read_tree(source, parsed, spared)
}

fn read_tree<D: Document>(
    source: &Source<'_>,
    parsed: Parsed,
    spared: &[&str],
) -> Result<Read<D>, Vec<Diagnostic>> {
    let Parsed { root: tree, mut findings } = parsed;
    findings.extend(D::shape().check(source, &tree, D::UNKNOWN));
    findings.retain(|found| match &found.finding {
        Finding::MissingField { name, .. } => !spared.contains(&name.as_str()),
        _ => true,
    });
    if findings.iter().any(Diagnostic::is_error) {
        return Err(findings);
    }
    let value: D = match from_tree(&tree) {
        Ok(value) => value,
        Err(misfit) => {
            let span = misfit.span.unwrap_or_else(|| tree.span.clone());
            findings.push(source.diagnose(span, Finding::Custom { detail: misfit.detail }));
            return Err(findings);
        }
    };
    let mut rules = Rules { source, tree: &tree, findings, reported: 0 };
    value.rules(&mut rules);
    let findings = rules.findings;
    if findings.iter().any(Diagnostic::is_error) {
        return Err(findings);
    }
    Ok(Read { value, tree, warnings: findings })
}

fn parse(format: Format, source: &Source<'_>) -> Result<Parsed, Diagnostic> {
    match format {
        Format::Json | Format::Ndjson => json::read(source),
        Format::Yaml | Format::MarkdownTable => yaml::read(source),
        Format::FrontMatter => {
            let front = FrontMatter::split(source)?;
            // The opening line is a YAML document start, so the file up to the closing line is
            // YAML, with every value where it is in the file.
            yaml::read(&Source::new(source.name, &source.text[..front.yaml.end]))
        }
    }
}

/// Names a document type and compiles its schema once.
#[macro_export]
macro_rules! document {
    ($type:ty, $name:literal, $format:ident, $unknown:ident $(, rules $rules:path)?) => {
        impl $crate::docs::document::Document for $type {
            const NAME: &'static str = $name;
            const FORMAT: $crate::formats::diagnostic::Format =
                $crate::formats::diagnostic::Format::$format;
            const UNKNOWN: $crate::formats::shape::Unknown =
                $crate::formats::shape::Unknown::$unknown;

            fn shape() -> &'static $crate::formats::shape::Shape {
                static SHAPE: std::sync::OnceLock<$crate::formats::shape::Shape> =
                    std::sync::OnceLock::new();
                SHAPE.get_or_init(|| $crate::docs::document::compile::<$type>())
            }

            $(fn rules(&self, rules: &mut $crate::docs::document::Rules<'_>) {
                $rules(self, rules);
            })?
        }
    };
}

/// Compiles a type's schema. A schema that the check does not understand accepts everything; the
/// registry's test proves that there is none.
pub fn compile<D: Document>() -> Shape {
    Shape::compile(&schema::<D>()).unwrap_or_default()
}

/// The JSON Schema of a document type.
pub fn schema<D: JsonSchema>() -> serde_json::Value {
    schemars::schema_for!(D).to_value()
}

/// A version number that must be exactly `N`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version<const N: u64>;

impl<const N: u64> Serialize for Version<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(N)
    }
}

impl<'de, const N: u64> Deserialize<'de> for Version<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = u64::deserialize(deserializer)?;
        if found == N { Ok(Self) } else { Err(de::Error::custom(format!("expected version {N}"))) }
    }
}

impl<const N: u64> JsonSchema for Version<N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Version{N}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "const": N })
    }
}

/// Stands for `Option<T>` in a schema where the field must be there, even if `null`.
#[derive(Debug)]
pub struct Nullable<T>(std::marker::PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Nullable<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Nullable{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Option::<T>::json_schema(generator)
    }
}
