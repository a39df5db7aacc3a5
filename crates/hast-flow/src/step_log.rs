//! The log of steps, `.hast/steps.ndjson`: the record that keeps a step from happening twice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::steps::StepKey;
use crate::time::UtcTime;

pub use crate::store::steps::StepState;

/// One line of `.hast/steps.ndjson`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepLine {
    pub step: StepKey,
    pub state: StepState,
    pub at: UtcTime,
}

/// The fold of the step log: what was begun and not ended, and how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepLog {
    open: BTreeMap<StepKey, u32>,
    /// The last step that ended: a flow that asks for it again is going in circles.
    last_finished: Option<StepKey>,
}

/// How the last part of a key begins whose question is asked again.
pub const AGAIN: &str = "again-";

impl StepLog {
    pub fn add(&mut self, line: &StepLine) {
        match line.state {
            StepState::Started => *self.open.entry(line.step.clone()).or_default() += 1,
            StepState::Finished => {
                self.open.remove(&line.step);
                self.last_finished = Some(line.step.clone());
            }
        }
    }

    /// How often a step was begun since it last ended: once is the way of things, more means that
    /// it was interrupted.
    pub fn times_begun(&self, key: &StepKey) -> u32 {
        self.open.get(key).copied().unwrap_or(0)
    }

    /// Whether a step was begun and has no end.
    pub fn is_open(&self, key: &StepKey) -> bool {
        self.open.contains_key(key)
    }

    /// Open steps that asked the question of this step again.
    pub fn asked_again<'l>(&'l self, key: &StepKey) -> impl Iterator<Item = &'l StepKey> {
        let start = format!("{key}/{AGAIN}");
        self.open.keys().filter(move |open| open.as_str().starts_with(&start))
    }

    /// Open steps of a unit: their keys begin with its id.
    pub fn open_of<'l>(&'l self, unit: &str) -> impl Iterator<Item = &'l StepKey> {
        let start = format!("{unit}/");
        self.open.keys().filter(move |open| open.as_str().starts_with(&start))
    }

    /// The log was read, and another process may have ended the last step. Whoever asks for it again is
    /// not going in circles: a person may have taken the documents back to before that, or the other one
    /// left nothing behind.
    pub fn forget_last(&mut self) {
        self.last_finished = None;
    }

    pub fn just_finished(&self, key: &StepKey) -> bool {
        self.last_finished.as_ref() == Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(step: &str, state: StepState) -> StepLine {
        let at = "2026-01-12T14:30:00Z".parse().unwrap();
        StepLine { step: StepKey::new(&[step]), state, at }
    }

    #[test]
    fn a_step_is_open_from_its_start_to_its_end() {
        let mut log = StepLog::default();
        log.add(&line("a", StepState::Started));
        assert!(log.is_open(&StepKey::new(&["a"])));
        log.add(&line("a", StepState::Finished));
        assert!(!log.is_open(&StepKey::new(&["a"])));
        assert!(log.just_finished(&StepKey::new(&["a"])));
    }

    #[test]
    fn the_log_keeps_no_more_than_what_is_open() {
        let mut log = StepLog::default();
        for number in 0..10_000 {
            let name = number.to_string();
            log.add(&line(&name, StepState::Started));
            log.add(&line(&name, StepState::Finished));
        }
        assert_eq!(log.open.len(), 0);
    }

    #[test]
    fn a_question_that_was_asked_again_is_found_by_its_first_key() {
        let mut log = StepLog::default();
        let at = "2026-02-09T05:30:00Z".parse().unwrap();
        for name in ["T/review", "T/review/again-1", "T/review/scan", "T/reviews/again-1"] {
            let step = StepKey::new(&[name]);
            log.add(&StepLine { step, state: StepState::Started, at });
        }
        let again: Vec<&str> =
            log.asked_again(&StepKey::new(&["T/review"])).map(StepKey::as_str).collect();
        assert_eq!(again, ["T/review/again-1"]);
    }
}
