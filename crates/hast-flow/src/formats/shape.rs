//! Checks a tree against the JSON Schema of its document and reports everything at once.
//!
//! It knows the part of JSON Schema that our generated schemas use, and nothing more; a test over
//! all documents proves that no schema goes beyond it.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::formats::diagnostic::{Diagnostic, Finding, Kind, MAX_FINDINGS};
use crate::formats::source::Source;
use crate::formats::tree::{Field, Node, Style, Value};
use crate::words::is_near;
use crate::{ids, time};

/// A JSON Schema, ready to check trees.
#[derive(Clone, Debug)]
pub struct Shape {
    rules: Vec<Rule>,
    root: usize,
}

impl Default for Shape {
    /// Accepts everything.
    fn default() -> Self {
        Self { rules: vec![Rule::default()], root: 0 }
    }
}

/// What happens to a field that the document does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    Reject,
    Warn,
    Keep,
}

/// The schema says something that this check does not understand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema keyword {0} is not understood")]
pub struct Unsupported(pub String);

#[derive(Clone, Debug, Default)]
struct Rule {
    kinds: Vec<Kind>,
    literals: Vec<Json>,
    form: Option<Form>,
    example: Option<String>,
    fields: BTreeMap<String, Known>,
    required: Vec<String>,
    rest: Rest,
    key_form: Option<Form>,
    items: Option<usize>,
    min_items: usize,
    min_length: usize,
    range: Option<(i64, i64)>,
    any_of: Vec<usize>,
}

/// A field that the document knows; its example may say more than its type's.
#[derive(Clone, Debug)]
struct Known {
    rule: usize,
    example: Option<String>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Rest {
    #[default]
    Open,
    Closed,
    Each(usize),
}

#[derive(Clone, Debug)]
struct Form {
    example: &'static str,
    accepts: fn(&str) -> bool,
}

impl Shape {
    pub fn compile(schema: &Json) -> Result<Self, Unsupported> {
        let mut compiler =
            Compiler { defs: schema.get("$defs"), rules: Vec::new(), named: BTreeMap::new() };
        let root = compiler.rule(schema)?;
        Ok(Self { rules: compiler.rules, root })
    }

    /// Everything that is wrong with the tree, in the order of the file.
    pub fn check(&self, source: &Source<'_>, root: &Node, unknown: Unknown) -> Vec<Diagnostic> {
        let mut check =
            Check { shape: self, source, unknown, findings: Vec::new(), errors: 0, warnings: 0 };
        check.node(root, self.root);
        check.findings
    }
}

struct Compiler<'s> {
    defs: Option<&'s Json>,
    rules: Vec<Rule>,
    named: BTreeMap<String, usize>,
}

impl Compiler<'_> {
    fn rule(&mut self, schema: &Json) -> Result<usize, Unsupported> {
        if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
            return self.named(name);
        }
        let index = self.rules.len();
        self.rules.push(Rule::default());
        self.rules[index] = self.compile(schema)?;
        Ok(index)
    }

    /// A definition may mention itself, so its place is taken before it is read.
    fn named(&mut self, name: &str) -> Result<usize, Unsupported> {
        if let Some(&index) = self.named.get(name) {
            return Ok(index);
        }
        let schema = name
            .strip_prefix("#/$defs/")
            .and_then(|key| self.defs?.get(key))
            .ok_or_else(|| Unsupported(name.to_owned()))?
            .clone();
        let index = self.rules.len();
        self.rules.push(Rule::default());
        self.named.insert(name.to_owned(), index);
        self.rules[index] = self.compile(&schema)?;
        Ok(index)
    }

    fn compile(&mut self, schema: &Json) -> Result<Rule, Unsupported> {
        let mut rule = Rule::default();
        let Some(keywords) = schema.as_object() else {
            // `true` accepts everything.
            return Ok(rule);
        };
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "$schema" | "$defs" | "$id" | "title" | "description" | "default" | "writeOnly" => {
                }
                "type" => rule.kinds = kinds(value)?,
                "enum" => rule.literals = value.as_array().cloned().unwrap_or_default(),
                "const" => rule.literals = vec![value.clone()],
                "examples" => rule.example = value.get(0).map(shown),
                "pattern" => rule.form = Some(form(value)?),
                "properties" => rule.fields = self.fields(value)?,
                "required" => rule.required = strings(value),
                "additionalProperties" => rule.rest = self.rest(value, rule.rest)?,
                "patternProperties" => self.keyed(value, &mut rule)?,
                "items" => rule.items = Some(self.rule(value)?),
                "minItems" => rule.min_items = as_size(value),
                "minLength" => rule.min_length = as_size(value),
                "minimum" => rule.range = Some((value.as_i64().unwrap_or(i64::MIN), most(schema))),
                "maximum" | "format" => {}
                "anyOf" | "oneOf" => self.alternatives(value, &mut rule)?,
                other => return Err(Unsupported(other.to_owned())),
            }
        }
        Ok(rule)
    }

    fn fields(&mut self, value: &Json) -> Result<BTreeMap<String, Known>, Unsupported> {
        let fields = value.as_object().into_iter().flatten();
        fields
            .map(|(name, schema)| {
                let rule = self.rule(schema)?;
                let example = schema.get("examples").and_then(|list| list.get(0)).map(shown);
                Ok((name.clone(), Known { rule, example }))
            })
            .collect()
    }

    fn rest(&mut self, value: &Json, now: Rest) -> Result<Rest, Unsupported> {
        match (value, now) {
            // Keys that match a pattern were read already; all others are closed then.
            (Json::Bool(false), Rest::Each(rule)) => Ok(Rest::Each(rule)),
            (Json::Bool(false), _) => Ok(Rest::Closed),
            (Json::Bool(true), _) => Ok(Rest::Open),
            (schema, _) => Ok(Rest::Each(self.rule(schema)?)),
        }
    }

    fn keyed(&mut self, value: &Json, rule: &mut Rule) -> Result<(), Unsupported> {
        for (pattern, schema) in value.as_object().into_iter().flatten() {
            rule.key_form = Some(form(&Json::String(pattern.clone()))?);
            rule.rest = Rest::Each(self.rule(schema)?);
        }
        Ok(())
    }

    fn alternatives(&mut self, value: &Json, rule: &mut Rule) -> Result<(), Unsupported> {
        for schema in value.as_array().into_iter().flatten() {
            match schema.get("const") {
                Some(literal) => rule.literals.push(literal.clone()),
                None => rule.any_of.push(self.rule(schema)?),
            }
        }
        Ok(())
    }
}

struct Check<'c> {
    shape: &'c Shape,
    source: &'c Source<'c>,
    unknown: Unknown,
    findings: Vec<Diagnostic>,
    /// Counted apart: a hundred warnings must not hide an error.
    errors: usize,
    warnings: usize,
}

impl Check<'_> {
    fn node(&mut self, node: &Node, rule: usize) {
        let rule = &self.shape.rules[rule];
        if let Some(found) = wrong_kind(node, rule) {
            return self.report(node.span.clone(), self.kind_finding(node, rule, found));
        }
        if let Some(finding) = wrong_literal(node, rule).or_else(|| wrong_scalar(node, rule)) {
            return self.report(node.span.clone(), finding);
        }
        self.alternative(node, rule);
        match &node.value {
            Value::Map(fields) => self.map(node, fields, rule),
            Value::List(items) => self.list(node, items, rule),
            _ => {}
        }
    }

    fn alternative(&mut self, node: &Node, rule: &Rule) {
        let fits = |&&at: &&usize| wrong_kind(node, &self.shape.rules[at]).is_none();
        if let Some(&at) = rule.any_of.iter().find(fits).or(rule.any_of.first()) {
            self.node(node, at);
        }
    }

    fn map(&mut self, node: &Node, fields: &[Field], rule: &Rule) {
        for name in &rule.required {
            if node.get(name).is_none() {
                self.missing(node, name, rule);
            }
        }
        for field in fields {
            match (rule.fields.get(&*field.key), rule.rest) {
                (Some(known), _) => self.node(&field.node, known.rule),
                (None, Rest::Each(at)) => self.keyed(field, rule, at),
                (None, Rest::Closed) => self.unknown_field(field, rule, Unknown::Reject),
                (None, Rest::Open) if !rule.fields.is_empty() => {
                    self.unknown_field(field, rule, self.unknown);
                }
                (None, Rest::Open) => {}
            }
        }
    }

    fn keyed(&mut self, field: &Field, rule: &Rule, at: usize) {
        if let Some(form) = rule.key_form.as_ref().filter(|form| !(form.accepts)(&field.key)) {
            let finding =
                Finding::BadForm { value: field.key.to_string(), example: form.example.into() };
            return self.report(field.key_span.clone(), finding);
        }
        self.node(&field.node, at);
    }

    fn list(&mut self, node: &Node, items: &[Node], rule: &Rule) {
        if items.len() < rule.min_items {
            let name = self.source.text.get(node.span.clone()).unwrap_or("[]").to_owned();
            self.report(node.span.clone(), Finding::Empty { name });
        }
        if let Some(at) = rule.items {
            for item in items {
                self.node(item, at);
            }
        }
    }

    fn missing(&mut self, node: &Node, name: &str, rule: &Rule) {
        let example = rule.fields.get(name).and_then(|known| {
            let wanted = &self.shape.rules[known.rule];
            let literal = wanted.literals.first().map(shown);
            known.example.clone().or_else(|| wanted.example.clone()).or(literal)
        });
        // Point at the first line of the map, not at all of it.
        let first = node.fields().first().map_or(node.span.clone(), |field| field.key_span.clone());
        self.report(first, Finding::MissingField { name: name.to_owned(), example });
    }

    fn unknown_field(&mut self, field: &Field, rule: &Rule, unknown: Unknown) {
        let room = match unknown {
            Unknown::Reject => self.errors < MAX_FINDINGS,
            Unknown::Warn => self.warnings < MAX_FINDINGS,
            Unknown::Keep => false,
        };
        if !room {
            return;
        }
        let near = nearest(rule, &field.key);
        let finding = Finding::UnknownField { name: field.key.to_string(), near };
        if unknown == Unknown::Reject {
            return self.report(field.key_span.clone(), finding);
        }
        self.warnings += 1;
        self.findings.push(self.source.diagnose(field.key_span.clone(), finding).warning());
    }

    fn kind_finding(&self, node: &Node, rule: &Rule, found: Kind) -> Finding {
        let expected = expected_kind(rule, self.shape);
        let written = self.source.text.get(node.span.clone()).unwrap_or("");
        let scalar = matches!(found, Kind::Bool | Kind::Integer | Kind::Number);
        // Only YAML has words without quotes that are not text; JSON sources start with a bracket.
        let yaml =
            !self.source.text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']);
        if expected == Kind::Text && scalar && yaml && node.marks.style == Style::Plain {
            return Finding::QuoteText { text: written.to_owned() };
        }
        Finding::WrongType { expected, found }
    }

    fn report(&mut self, span: std::ops::Range<usize>, finding: Finding) {
        if self.errors < MAX_FINDINGS {
            self.errors += 1;
            self.findings.push(self.source.diagnose(span, finding));
        }
    }
}

/// The field that a name is a slip of, if there is one.
fn nearest(rule: &Rule, name: &str) -> Option<String> {
    const SLIPS: usize = 2;
    let length = name.chars().count();
    rule.fields
        .keys()
        // Comparing takes the product of both lengths, and a name may have megabytes.
        .filter(|known| known.chars().count().abs_diff(length) <= SLIPS)
        .map(|known| (strsim::osa_distance(known, name), known))
        .filter(|(distance, known)| *distance <= SLIPS && is_near(name, known))
        .min()
        .map(|(_, known)| known.clone())
}

fn wrong_kind(node: &Node, rule: &Rule) -> Option<Kind> {
    let kind = node.kind();
    let fits = rule.kinds.is_empty()
        || rule.kinds.contains(&kind)
        || (kind == Kind::Integer && rule.kinds.contains(&Kind::Number));
    (!fits).then_some(kind)
}

fn expected_kind(rule: &Rule, shape: &Shape) -> Kind {
    let own = rule.kinds.iter().find(|kind| **kind != Kind::Null).or(rule.kinds.first());
    match (own, rule.any_of.first()) {
        (Some(kind), _) => *kind,
        (None, Some(&at)) => expected_kind(&shape.rules[at], shape),
        (None, None) => Kind::Text,
    }
}

fn wrong_literal(node: &Node, rule: &Rule) -> Option<Finding> {
    if rule.literals.is_empty() || rule.literals.iter().any(|literal| means(node, literal)) {
        return None;
    }
    // `null` beside a list of words: the field is optional.
    if node.kind() == Kind::Null && rule.kinds.contains(&Kind::Null) {
        return None;
    }
    if let (Value::Integer(found), [known]) = (&node.value, rule.literals.as_slice())
        && let (Ok(found), Some(known)) = (u64::try_from(*found), known.as_u64())
        && found > known
    {
        return Some(Finding::NewerVersion { found, known });
    }
    let value = match &node.value {
        Value::Text(text) => text.to_string(),
        Value::Integer(integer) => integer.to_string(),
        Value::Bool(bool) => bool.to_string(),
        _ => String::new(),
    };
    Some(Finding::NotOneOf { value, allowed: rule.literals.iter().map(shown).collect() })
}

fn wrong_scalar(node: &Node, rule: &Rule) -> Option<Finding> {
    match &node.value {
        Value::Text(text) => {
            if let Some(form) = rule.form.as_ref().filter(|form| !(form.accepts)(text)) {
                let value = text.to_string();
                return Some(Finding::BadForm { value, example: form.example.to_owned() });
            }
            let short = text.chars().take(rule.min_length).count() < rule.min_length;
            short.then(|| Finding::Empty { name: "\"\"".to_owned() })
        }
        Value::Integer(integer) => rule
            .range
            .filter(|(least, most)| integer < least || integer > most)
            .map(|(least, most)| Finding::OutOfRange { value: integer.to_string(), least, most }),
        _ => None,
    }
}

fn means(node: &Node, literal: &Json) -> bool {
    match (&node.value, literal) {
        (Value::Text(text), Json::String(literal)) => **text == **literal,
        (Value::Integer(integer), Json::Number(literal)) => literal.as_i64() == Some(*integer),
        (Value::Bool(bool), Json::Bool(literal)) => bool == literal,
        (Value::Null, Json::Null) => true,
        _ => false,
    }
}

fn kinds(value: &Json) -> Result<Vec<Kind>, Unsupported> {
    let names = value.as_array().map_or_else(|| vec![value.clone()], Clone::clone);
    names
        .iter()
        .map(|name| match name.as_str() {
            Some("null") => Ok(Kind::Null),
            Some("boolean") => Ok(Kind::Bool),
            Some("integer") => Ok(Kind::Integer),
            Some("number") => Ok(Kind::Number),
            Some("string") => Ok(Kind::Text),
            Some("array") => Ok(Kind::List),
            Some("object") => Ok(Kind::Map),
            _ => Err(Unsupported(name.to_string())),
        })
        .collect()
}

fn form(pattern: &Json) -> Result<Form, Unsupported> {
    let pattern = pattern.as_str().unwrap_or("");
    let of_time = time::FORMS.iter().find(|form| form.pattern == pattern);
    if let Some(form) = of_time {
        return Ok(Form { example: form.example, accepts: form.accepts });
    }
    ids::forms()
        .into_iter()
        .find(|form| form.pattern == pattern)
        .map(|form| Form { example: form.example, accepts: form.accepts })
        .ok_or_else(|| Unsupported(format!("pattern {pattern}")))
}

/// The largest number that fits the type named by `format`, or the schema's own maximum.
fn most(schema: &Json) -> i64 {
    if let Some(maximum) = schema.get("maximum").and_then(Json::as_i64) {
        return maximum;
    }
    match schema.get("format").and_then(Json::as_str) {
        Some("uint8") => i64::from(u8::MAX),
        Some("uint16") => i64::from(u16::MAX),
        Some("uint32") => i64::from(u32::MAX),
        _ => i64::MAX,
    }
}

fn as_size(value: &Json) -> usize {
    value.as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(0)
}

fn strings(value: &Json) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
