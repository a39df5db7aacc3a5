//! `{{goal_id}}` and the like in the texts of a rehearsal. `{{{{` stands for `{{` itself.

use std::fmt;

/// Names that a call gives a value to; which of them depends on its flow.
pub const KNOWN: &[&str] = &[
    "attempt",
    "call",
    "date",
    "flow",
    "goal_id",
    "handoff_path",
    "language",
    "outbox",
    "phase",
    "prompt_file",
    "regeneration",
    "request_id",
    "role",
    "root",
    "run_id",
    "session_id",
    "stage_id",
    "step",
    "subtask_id",
    "task_id",
    "timestamp",
    "tool_task_id",
    "unit",
    "utc",
    "workdir",
];

const OPEN: &str = "{{";
const CLOSE: &str = "}}";

/// A name without a value here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved(pub String);

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPEN}{}{CLOSE}", self.0)
    }
}

/// The text with its placeholders filled.
pub fn expand(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, Unresolved> {
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Name(name) => {
                out.push_str(&value(name).ok_or_else(|| Unresolved(name.to_owned()))?);
            }
        }
    }
    Ok(out)
}

/// The first placeholder of a text that no call gives a value to.
pub fn unknown(text: &str) -> Option<&str> {
    parts(text).find_map(|part| match part {
        Part::Name(name) if !KNOWN.contains(&name) => Some(name),
        _ => None,
    })
}

enum Part<'t> {
    Text(&'t str),
    Name(&'t str),
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, length) = match rest.find(OPEN) {
            None => (Part::Text(rest), rest.len()),
            Some(0) => at_open(rest),
            Some(at) => (Part::Text(&rest[..at]), at),
        };
        rest = &rest[length..];
        Some(part)
    })
}

/// What stands at two opening braces: an escape, a placeholder, or a text that never closes.
fn at_open(rest: &str) -> (Part<'_>, usize) {
    let inner = &rest[OPEN.len()..];
    if inner.starts_with(OPEN) {
        return (Part::Text(OPEN), 2 * OPEN.len());
    }
    match inner.find(CLOSE) {
        Some(end) => (Part::Name(inner[..end].trim()), OPEN.len() + end + CLOSE.len()),
        None => (Part::Text(rest), rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filled(text: &str) -> Result<String, Unresolved> {
        expand(text, &|name| (name == "unit").then(|| "M1".to_owned()))
    }

    #[test]
    fn names_become_values_and_four_braces_become_two() {
        for (text, expected) in [
            ("", ""),
            ("{{unit}}", "M1"),
            ("a {{ unit }}/{{unit}}.", "a M1/M1."),
            ("${{{{ secrets.X }}", "${{ secrets.X }}"),
            ("{ {unit} } {{unit", "{ {unit} } {{unit"),
            ("가{{unit}}나", "가M1나"),
        ] {
            assert_eq!(filled(text).unwrap(), expected, "{text}");
        }
        assert_eq!(filled("x {{goal}} y"), Err(Unresolved("goal".to_owned())));
        assert_eq!(unknown("{{unit}} {{ goal }}"), Some("goal"));
    }

    proptest! {
        #[test]
        fn what_is_escaped_reads_back(text in "[a{}가 ]{0,20}") {
            prop_assert_eq!(filled(&text.replace(OPEN, "{{{{")).unwrap(), text);
        }
    }
}
