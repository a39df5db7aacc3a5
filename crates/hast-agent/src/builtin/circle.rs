//! Going in a circle: the same use of a tool with the same result, again and again.

use std::collections::VecDeque;

use serde_json::Value;

use crate::tools::answer::sha256;

/// So far back it looks.
const REMEMBERED: usize = 12;
const SAME: usize = 3;
const LONGEST_BLOCK: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// The first time: the model is told.
    Warn,
    Circle,
}

/// The last uses of tools, as hashes.
#[derive(Debug, Default)]
pub(super) struct Circle {
    last: VecDeque<String>,
    warned: bool,
}

impl Circle {
    pub(super) fn note(&mut self, tool: &str, arguments: &Value, result: &str) -> Verdict {
        let canonical = canonical(arguments);
        self.last.push_back(sha256(format!("{tool}\0{canonical}\0{result}").as_bytes()));
        if self.last.len() > REMEMBERED {
            self.last.pop_front();
        }
        match self.is_circle() {
            false => Verdict::Fine,
            true if std::mem::replace(&mut self.warned, true) => Verdict::Circle,
            true => Verdict::Warn,
        }
    }

    fn is_circle(&self) -> bool {
        let newest = self.last.back();
        let same = self.last.iter().filter(|hash| Some(*hash) == newest).count();
        same >= SAME || (2..=LONGEST_BLOCK).any(|block| self.repeats(block))
    }

    /// Whether the last uses are a block three times.
    fn repeats(&self, block: usize) -> bool {
        let length = block * SAME;
        let Some(start) = self.last.len().checked_sub(length) else { return false };
        (start + block..self.last.len()).all(|at| self.last[at] == self.last[at - block])
    }
}

/// Arguments with their keys in order.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| key.as_str());
            let fields = fields.iter().map(|(key, value)| format!("{key:?}:{}", canonical(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn verdicts(uses: &[(&str, &str)]) -> Vec<Verdict> {
        let mut circle = Circle::default();
        uses.iter().map(|(tool, result)| circle.note(tool, &json!({}), result)).collect()
    }

    #[test]
    fn three_equal_uses_are_a_warning_and_one_more_is_the_end() {
        use Verdict::{Circle, Fine, Warn};
        assert_eq!(verdicts(&[("a", "1"); 4]), [Fine, Fine, Warn, Circle]);
        let results = ["1", "2", "3", "4"].map(|result| ("a", result));
        assert_eq!(verdicts(&results), [Fine; 4], "another result is progress");
    }

    #[test]
    fn a_block_of_up_to_four_three_times_is_a_circle_too() {
        let block = [("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")];
        let uses: Vec<_> = block.iter().copied().cycle().take(12).collect();
        let verdicts = verdicts(&uses);
        assert!(verdicts[..8].iter().all(|verdict| *verdict == Verdict::Fine));
        assert!(verdicts.contains(&Verdict::Warn));
    }

    #[test]
    fn equal_uses_that_are_far_apart_are_none_and_the_order_of_arguments_is_nothing() {
        let mut circle = Circle::default();
        for round in 0..3 {
            assert_eq!(circle.note("a", &json!({}), "same"), Verdict::Fine);
            for step in 0..6 {
                circle.note("b", &json!({ "round": round, "step": step }), "x");
            }
        }
        let (one, two) = (
            json!({"x": 1, "y": [2, {"b": 1, "a": 2}]}),
            json!({"y": [2, {"a": 2, "b": 1}], "x": 1}),
        );
        assert_eq!(canonical(&one), canonical(&two));
    }
}
