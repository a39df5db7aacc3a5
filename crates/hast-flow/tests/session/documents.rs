//! Every example document of the seed, with each of its values wrong in turn: found, with its line and
//! what to do about it.

use hast_flow::docs::registry;
use hast_flow::formats::source::Source;
use hast_flow::words::Lang;
use serde_json::{Value, json};

const SEEDS: &[(&str, &str)] = &[
    ("session-status", include_str!("../seeds/session-status.json")),
    ("session-event", include_str!("../seeds/session-event.ndjson")),
    ("decomposition", include_str!("../seeds/decomposition.json")),
    ("plan-metadata", include_str!("../seeds/plan-metadata.json")),
    ("run-log", include_str!("../seeds/run-log.ndjson")),
    ("question", include_str!("../seeds/question.json")),
    ("critique-report", include_str!("../seeds/critique-report.json")),
    ("knowledge-index", include_str!("../seeds/knowledge-index.json")),
    ("pointers", include_str!("../seeds/pointers.json")),
    ("routing-state", include_str!("../seeds/routing-state.json")),
];

/// Whatever stands in these is the event's or the tool's own.
const OPEN: [&str; 3] = ["detail", "input", "args"];

/// Paths of all values that a schema speaks about.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    if !at.is_empty() {
        into.push(at.to_owned());
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let below = format!("{at}/{name}");
                if OPEN.contains(&name.as_str()) {
                    into.push(below);
                } else {
                    places(value, &below, into);
                }
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                places(value, &format!("{at}/{index}"), into);
            }
        }
        _ => {}
    }
}

/// What each finding says, where; nothing if the document is fine.
fn findings(name: &str, value: &Value) -> Vec<(Option<usize>, String)> {
    let entry = registry::find(name).unwrap();
    let is_log = matches!(name, "session-event" | "run-log");
    let text = if is_log { format!("{value}\n") } else { format!("{value:#}\n") };
    let found = (entry.check)(&Source::new(name, &text));
    let errors = found.into_iter().filter(|finding| finding.is_error());
    errors
        .map(|finding| {
            let line = finding.place.as_ref().map(|place| place.line);
            (line, finding.finding.next(Lang::Ko) + &finding.finding.next(Lang::En))
        })
        .collect()
}

#[test]
fn every_example_of_the_seed_is_fine_and_a_wrong_value_anywhere_in_it_is_found() {
    let mut mutations = 0;
    for (name, text) in SEEDS {
        let seed: Value = serde_json::from_str(text.trim()).unwrap();
        assert_eq!(findings(name, &seed), [], "{name}");
        let mut all = Vec::new();
        places(&seed, "", &mut all);
        for place in all {
            let mut wrong = seed.clone();
            let value = wrong.pointer_mut(&place).unwrap();
            *value = if value.is_object() { json!(7) } else { json!({"x": 1}) };
            let found = findings(name, &wrong);
            let told = found.iter().any(|(line, next)| line.is_some() && !next.is_empty());
            assert!(told, "{name}{place}: {found:?}");
            mutations += 1;
        }
    }
    assert!(mutations > 60, "{mutations}");
}

#[test]
fn a_field_that_is_left_out_is_found() {
    // A session need not be about a company.
    for (name, text) in SEEDS.iter().filter(|(name, _)| *name != "routing-state") {
        let seed: Value = serde_json::from_str(text.trim()).unwrap();
        for field in seed.as_object().unwrap().keys() {
            // What a log line of another actor may leave out.
            if *name == "run-log" && ["tool", "input"].contains(&field.as_str()) {
                continue;
            }
            let mut wrong = seed.clone();
            wrong.as_object_mut().unwrap().remove(field);
            assert!(!findings(name, &wrong).is_empty(), "{name} without {field}");
        }
    }
}
