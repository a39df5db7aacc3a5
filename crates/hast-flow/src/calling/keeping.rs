//! How the records of calls are named, and which of them are kept.

use sha2::{Digest, Sha256};

use crate::steps::StepKey;

/// Calls of one step that are kept, the newest.
pub const KEPT_PER_STEP: usize = 20;
/// Calls of a root that are kept, the newest.
pub const KEPT_CALLS: usize = 2_000;
/// The longest name that is used as it is; file systems take 255.
const MAX_NAME: usize = 180;

/// The directory of a step's calls: its key, percent-encoded, so that it reads back.
pub fn step_directory(key: &StepKey) -> String {
    let mut name = String::new();
    for byte in key.as_str().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                name.push(char::from(byte));
            }
            _ => name += &format!("%{byte:02X}"),
        }
    }
    if name.starts_with('.') {
        name.replace_range(..1, "%2E");
    }
    if name.len() <= MAX_NAME && !name.is_empty() {
        return name;
    }
    let digest = Sha256::digest(key.as_str().as_bytes());
    let short: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    // Cutting a percent code in two is harmless: the hash tells keys apart.
    name.truncate(MAX_NAME - 20);
    format!("{name}~{short}")
}

/// The number of the next call of a step, given the names of those that are there.
pub fn next_number<'a>(names: impl IntoIterator<Item = &'a str>) -> u64 {
    let numbers = names.into_iter().filter_map(|name| name.parse::<u64>().ok());
    numbers.max().map_or(1, |last| last.saturating_add(1))
}

/// A kept call: what orders them in time, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kept {
    pub at: i64,
    pub step: String,
    pub number: u64,
}

/// What is removed so that the newest stay: per step, then of all.
pub fn superfluous(mut calls: Vec<Kept>) -> Vec<Kept> {
    calls.sort_by(|a, b| b.cmp(a));
    let mut of_step = std::collections::BTreeMap::<String, usize>::new();
    let mut kept = 0;
    calls.retain(|call| {
        let count = of_step.entry(call.step.clone()).or_default();
        *count += 1;
        let keep = *count <= KEPT_PER_STEP && kept < KEPT_CALLS;
        kept += usize::from(keep);
        !keep
    });
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(key: &str) -> String {
        step_directory(&StepKey::new(&[key]))
    }

    #[test]
    fn a_directory_says_its_step_and_is_one_name() {
        assert_eq!(step_directory(&StepKey::new(&["S-1", "plan", "v1"])), "S-1%2Fplan%2Fv1");
        assert_eq!(named("목"), "%EB%AA%A9");
        assert_eq!(named(".."), "%2E.");
        assert_eq!(named("a\nb"), "a%0Ab");
        let (one, two) = (named(&"x".repeat(999)), named(&"x".repeat(998)));
        assert!(one.len() <= 200 && one != two);
        assert!(!named("").is_empty());
    }

    #[test]
    fn numbers_go_on_after_the_last_and_foreign_names_do_not_count() {
        assert_eq!(next_number([]), 1);
        assert_eq!(next_number(["2", "10", "notes"]), 11);
    }

    #[test]
    fn the_newest_calls_stay() {
        let call = |at: i64| Kept { at, step: "s".into(), number: at.unsigned_abs() };
        let gone = superfluous((0..25).map(call).collect());
        let gone: Vec<i64> = gone.iter().map(|call| call.at).collect();
        assert_eq!(gone, [4, 3, 2, 1, 0]);
    }
}
