//! An analysis whose evidence is a file: one item with a box for each case, ticked or open. Lines without
//! a box say nothing.

use crate::docs::contract::{TestCase, TestContract, TestOutcome, TestSummary};
use crate::flows::contract::request::Tested;
use crate::time::UtcTime;

/// The category of a case that is looked up and not run.
const CATEGORY: &str = "checklist";

/// Whether all cases are looked up in a file and none is run.
pub(super) fn is_checklist(contract: &TestContract) -> bool {
    !contract.test_cases.is_empty()
        && contract.test_cases.iter().all(|case| case.category == CATEGORY)
}

/// Cases that no item is about.
pub(super) fn without_item<'c>(file: &[u8], contract: &'c TestContract) -> Vec<&'c TestCase> {
    let text = String::from_utf8_lossy(file);
    let items = items(&text);
    let cases = contract.test_cases.iter();
    cases.filter(|case| about(&items, case, contract).is_empty()).collect()
}

/// The checklist as the run of a suite: a case passes if it has an item and each of them is ticked.
pub(super) fn ticked(file: &[u8], contract: &TestContract, at: UtcTime) -> Tested {
    let text = String::from_utf8_lossy(file);
    let items = items(&text);
    let passes = |case: &TestCase| {
        let own = about(&items, case, contract);
        !own.is_empty() && own.iter().all(|item| item.state == State::Ticked)
    };
    let cases = contract.test_cases.iter();
    let failed: Vec<String> =
        cases.filter(|case| !passes(case)).map(|case| case.id.clone()).collect();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (total, failures) = (number(contract.test_cases.len()), number(failed.len()));
    Tested {
        command: format!("checklist {}", contract.test_file_path),
        at,
        result: if failed.is_empty() { TestOutcome::Pass } else { TestOutcome::Fail },
        summary: TestSummary {
            total,
            passed: total.saturating_sub(failures),
            failed: failures,
            skipped: 0,
        },
        failed_tests: failed,
        unread: Vec::new(),
        missing: Vec::new(),
        unbuilt: Vec::new(),
        tail: String::new(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Ticked,
}

/// A line `- [x] text`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item<'t> {
    state: State,
    text: &'t str,
}

fn items(text: &str) -> Vec<Item<'_>> {
    text.lines().filter_map(item).collect()
}

fn item(line: &str) -> Option<Item<'_>> {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match numbered.len() == line.len() {
        true => line.strip_prefix(['-', '*', '+'])?,
        false => numbered.strip_prefix(['.', ')'])?,
    };
    let boxed = rest.trim_start().strip_prefix('[').filter(|_| rest.starts_with([' ', '\t']))?;
    let (mark, text) = boxed.split_once(']')?;
    let state = match mark {
        "x" | "X" => State::Ticked,
        // Whatever else people write into a box is not done.
        _ if mark.chars().count() <= 1 => State::Open,
        _ => return None,
    };
    Some(Item { state, text })
}

/// The items of a case: those with its id, or, where none has it, those with its name and nobody's id.
fn about<'t>(items: &[Item<'t>], case: &TestCase, contract: &TestContract) -> Vec<Item<'t>> {
    let by_id: Vec<Item<'t>> =
        items.iter().filter(|item| names(item.text, &case.id)).copied().collect();
    if !by_id.is_empty() {
        return by_id;
    }
    let nobodys =
        |item: &&Item<'t>| !contract.test_cases.iter().any(|other| names(item.text, &other.id));
    let named = items.iter().filter(|item| names(item.text, &case.name)).filter(nobodys);
    named.copied().collect()
}

/// Whether a text has a name as a word of its own: `TC-1` is not in `TC-10`.
fn names(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            !before.ends_with(part) && !after.starts_with(part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_list_item_with_a_box_is_an_item() {
        for line in ["- [x] a", "  * [X] a", "+ [x] a", "1. [x] a", "12) [x] a"] {
            assert_eq!(item(line).map(|item| item.state), Some(State::Ticked), "{line}");
        }
        for line in ["- [ ] a", "- [] a", "- [-] a", "- [?] a"] {
            assert_eq!(item(line).map(|item| item.state), Some(State::Open), "{line}");
        }
        for line in
            ["# TC-1", "TC-1 [x]", "- TC-1", "[x] TC-1", "-[x] a", "- [xx](link)", "1 [x] a"]
        {
            assert_eq!(item(line), None, "{line}");
        }
    }

    #[test]
    fn an_id_is_a_word_of_its_own() {
        assert!(
            names("TC-1: seen", "TC-1") && names("(TC-1)", "TC-1") && names("한TC-1은", "TC-1")
        );
        assert!(!names("TC-10", "TC-1") && !names("XTC-1", "TC-1") && !names("x", ""));
    }
}
