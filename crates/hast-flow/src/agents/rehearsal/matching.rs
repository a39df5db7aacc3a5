//! Which reply of a rehearsal answers a call: the first that fits.

use jiff::Timestamp;

use crate::docs::call::Call;
use crate::docs::rehearsal::{Rehearsal, Reply, Texts, When};

/// The reply for a call. `exists` tells whether a path, relative to the root, is there.
pub fn reply_for<'r>(
    rehearsal: &'r Rehearsal,
    call: &Call,
    now: Timestamp,
    exists: &dyn Fn(&str) -> bool,
) -> Option<&'r Reply> {
    rehearsal.replies.iter().find(|reply| fits(&reply.when, call, now, exists))
}

/// What a call asks, in the words of a `when`.
pub fn asked(call: &Call) -> String {
    let Call { flow, role, step, unit, attempt, regeneration, .. } = call;
    format!(
        "flow: {}, role: {role}, step: {step}, unit: {unit}, attempt: {attempt}, regeneration: {regeneration}",
        flow.as_str()
    )
}

/// The replies that there are, one a line.
pub fn listed(rehearsal: &Rehearsal) -> Vec<String> {
    let line = |(index, reply): (usize, &Reply)| {
        let name = reply.name.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
        format!("{}{name}: {}", index + 1, described(&reply.when))
    };
    rehearsal.replies.iter().enumerate().map(line).collect()
}

fn described(when: &When) -> String {
    let texts = |texts: &Option<Texts>| texts.as_ref().map(|texts| texts.0.join(" "));
    let parts = [
        ("flow", when.flow.map(|flow| flow.as_str().to_owned())),
        ("role", when.role.clone()),
        ("step", when.step.clone()),
        ("unit", when.unit.clone()),
        ("attempt", when.attempt.map(|numbers| numbers.to_string())),
        ("regeneration", when.regeneration.map(|numbers| numbers.to_string())),
        ("exists", texts(&when.exists)),
        ("missing", texts(&when.missing)),
        ("from", when.from.map(|time| time.to_string())),
        ("until", when.until.map(|time| time.to_string())),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value?))).collect();
    if parts.is_empty() { "*".to_owned() } else { parts.join(", ") }
}

fn fits(when: &When, call: &Call, now: Timestamp, exists: &dyn Fn(&str) -> bool) -> bool {
    let text = |pattern: &Option<String>, text: &str| {
        pattern.as_ref().is_none_or(|pattern| glob(pattern, text))
    };
    let all = |paths: &Option<Texts>, wanted: bool| {
        paths.as_ref().is_none_or(|paths| paths.0.iter().all(|path| exists(path) == wanted))
    };
    when.flow.is_none_or(|flow| flow == call.flow)
        && when.role.as_ref().is_none_or(|pattern| is_of(pattern, &call.role))
        && text(&when.step, &call.step)
        && text(&when.unit, &call.unit)
        && when.attempt.is_none_or(|numbers| numbers.contains(call.attempt))
        && when.regeneration.is_none_or(|numbers| numbers.contains(call.regeneration))
        && when.from.is_none_or(|time| time.instant() <= now)
        && when.until.is_none_or(|time| now < time.instant())
        && all(&when.exists, true)
        && all(&when.missing, false)
}

/// Roles are the same however people write them.
fn is_of(pattern: &str, role: &str) -> bool {
    glob(&pattern.to_lowercase(), &role.to_lowercase())
}

/// Whether a text has the form of a pattern with `*` (any text) and `?` (one character). Goes back
/// to the last star only, so that no pattern takes long.
fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&c) if c == '?' || c == text[from] => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((starred, taken)) = star else { return false };
                star = Some((starred, taken + 1));
                at = starred + 1;
                from = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_the_same_however_it_is_written() {
        assert!(is_of("planner", "Planner") && is_of("QA-*", "qa-engineer"));
        assert!(!is_of("planner", "Executor"));
    }

    #[test]
    fn a_star_is_any_text_and_a_question_mark_one_character() {
        for (pattern, text) in [
            ("M1", "M1"),
            ("M1.*", "M1.2.3"),
            ("*", ""),
            ("*.?", "M1.3"),
            ("*1*3", "M1.2.3"),
            ("작?", "작업"),
            ("**", "x"),
        ] {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("M1", "M12"), ("M1.*", "M1"), ("?", ""), ("*a", "ab"), ("", "x")] {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
        assert!(!glob(&"*a".repeat(50), &"a".repeat(40)));
        assert!(!glob(&("*a".repeat(30) + "b"), &"a".repeat(10_000)));
    }
}
