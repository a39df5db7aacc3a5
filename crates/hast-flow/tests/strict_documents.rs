//! A random mutation of any field of a strict document is found, with its line.

#![cfg(test)]

use hast_flow::docs::contract::LAYOUT;
use hast_flow::docs::registry;
use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::formats::source::Source;
use hast_flow::formats::{json, yaml_print};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const STRICT: &[(&str, &str)] = &[
    ("contract-session", include_str!("seeds/contract-session.json")),
    ("contract-state", include_str!("seeds/contract-state.json")),
    ("explored", include_str!("seeds/explored.yaml")),
    ("task-breakdown", include_str!("seeds/task-breakdown.yaml")),
    ("design-brief", include_str!("seeds/design-brief.yaml")),
    ("design-contract", include_str!("seeds/design-contract.yaml")),
    ("test-contract", include_str!("seeds/test-contract.yaml")),
    ("test-result", include_str!("seeds/test-result.yaml")),
    ("knowledge", include_str!("seeds/knowledge.yaml")),
];

/// Maps whose keys are free: a new key in them is data, not a mutation.
const FREE: &[&str] = &["directory_structure", "patterns", "naming"];

/// Fields that may be absent.
const OPTIONAL: &[&str] = &["GATE-3", "GATE-4", "note", "learned_from", "fields"];

#[derive(Clone, Copy, Debug)]
enum Mutation {
    Rename,
    Remove,
    AddUnknown,
    ChangeType,
}

/// Where a map or a value stands: the keys and indices that lead there.
fn maps(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let last = path.rsplit('/').next().unwrap_or("");
            if !FREE.contains(&last) {
                into.push(path.to_owned());
            }
            for (key, value) in fields {
                maps(value, &format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), into);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                maps(item, &format!("{path}/{index}"), into);
            }
        }
        _ => {}
    }
}

fn mutate(fields: &mut Map<String, Value>, pick: usize, mutation: Mutation) -> bool {
    let keys: Vec<String> = fields.keys().cloned().collect();
    let key = keys[pick % keys.len()].clone();
    match mutation {
        Mutation::AddUnknown => {
            fields.insert("zzz_unknown".to_owned(), json!(1));
        }
        Mutation::Rename => {
            let value = fields.shift_remove(&key).unwrap();
            fields.insert(key + "_x", value);
        }
        Mutation::Remove if OPTIONAL.contains(&key.as_str()) => return false,
        // Leaving a task out of a map of tasks is another document, not a broken one.
        Mutation::Remove if key.starts_with('T') && key.contains(char::is_numeric) => return false,
        Mutation::Remove => {
            fields.shift_remove(&key);
        }
        Mutation::ChangeType => {
            let wrong = match fields[&key] {
                Value::String(_) | Value::Null => json!([1]),
                _ => json!("문자열"),
            };
            fields.insert(key, wrong);
        }
    }
    true
}

fn findings(name: &str, text: &str) -> Vec<Diagnostic> {
    let entry = registry::find(name).unwrap();
    (entry.check)(&Source::new(name, text))
}

fn as_json(text: &str) -> Value {
    if text.starts_with('{') {
        serde_json::from_str(text).unwrap()
    } else {
        yaml_serde::from_str(text).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_mutation_of_a_strict_document_is_found(
        document in prop::sample::select(STRICT),
        place in any::<prop::sample::Index>(),
        pick in any::<usize>(),
        mutation in prop::sample::select(vec![Mutation::Rename, Mutation::Remove, Mutation::AddUnknown, Mutation::ChangeType]),
    ) {
        let (name, text) = document;
        let mut value = as_json(text);
        let mut places = Vec::new();
        maps(&value, "", &mut places);
        let fields = value.pointer_mut(&places[place.index(places.len())]).and_then(Value::as_object_mut).unwrap();
        prop_assume!(!fields.is_empty());
        prop_assume!(mutate(fields, pick, mutation));
        let mutated = if text.starts_with('{') {
            json::print(&value).unwrap()
        } else {
            yaml_print::print(&value, &LAYOUT).unwrap()
        };
        let found = findings(name, &mutated);
        prop_assert!(found.iter().any(Diagnostic::is_error), "{name} {mutation:?}\n{mutated}");
        prop_assert!(found.iter().all(|finding| finding.line().is_some()));
    }

    #[test]
    fn no_text_makes_a_document_check_panic(text in any::<String>(), entry in 0..registry::ENTRIES.len()) {
        (registry::ENTRIES[entry].check)(&Source::new("f", &text));
    }

    /// Cuts and splices of real documents come closer to the edge than random text.
    #[test]
    fn no_broken_document_makes_a_check_panic(
        document in prop::sample::select(STRICT),
        cut in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(),
        splice in "[ -~\n\t가-힣\u{0}\u{feff}]{0,6}",
    ) {
        let (name, text) = document;
        let from = text.floor_char_boundary(cut.index(text.len()));
        let to = text.floor_char_boundary((from + end.index(40)).min(text.len()));
        let broken = [&text[..from], &splice, &text[to.max(from)..]].concat();
        findings(name, &broken);
    }
}

#[test]
fn all_findings_of_a_document_come_at_once() {
    let text = "version: 2\nrequest_id: X1\ncreated_at: \"yesterday\"\ncreated_by: nobody\nextra: 1\nproject_manifest: {}\nexplored_files: none\n";
    let found = findings("explored", text);
    let codes: Vec<_> =
        found.iter().map(|finding| (finding.finding.code(), finding.line().unwrap())).collect();
    assert_eq!(
        codes,
        [
            ("missing_field", 1),
            ("newer_version", 1),
            ("bad_form", 2),
            ("bad_form", 3),
            ("not_one_of", 4),
            ("unknown_field", 5),
            ("missing_field", 6),
            ("missing_field", 6),
            ("wrong_type", 7),
        ]
    );
}
