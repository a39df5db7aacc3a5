//! How the records of calls are named, and which of them are kept.

use crate::plain_name::plain_name_of_encoded;
use crate::steps::StepKey;

/// Calls of one step that are kept, the newest.
pub const KEPT_PER_STEP: usize = 20;
/// Calls of a root that are kept, the newest.
pub const KEPT_CALLS: usize = 2_000;

/// The directory of a step's calls. Agents are told paths below it.
pub fn step_directory(key: &StepKey) -> String {
    plain_name_of_encoded(key.as_str())
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

    #[test]
    fn a_directory_says_its_step_and_is_one_name() {
        assert_eq!(step_directory(&StepKey::new(&["S-1", "plan", "v1"])), "S-1+plan+v1");
        let encoded = step_directory(&StepKey::new(&["%EB%AA%A9", "1", "call"]));
        assert!(encoded.starts_with("목+1+call=-") && !encoded.contains('%'), "{encoded}");
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
