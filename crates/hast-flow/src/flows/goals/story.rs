//! The story of one goal, attempt by attempt, as the log of events tells it, for people who look the morning
//! after. A fold; what a later version writes and this one does not know passes by.

use serde_json::Value;

use crate::attempt::base::ObjectId;
use crate::docs::goals::{GoalsEvent, GoalsEventKind as Kind};
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::view::detail;
use crate::time::UtcTime;

/// One goal's attempts, oldest first, and what people said meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    pub goal: String,
    pub attempts: Vec<Tried>,
    /// How often a person gave it back after it was blocked.
    pub retries: u32,
    /// Why it was handed to a person last, while nobody has given it back.
    pub handed: Option<Handed>,
    /// A limit, a login or a budget stopped the last run at it.
    pub stopped: Option<String>,
}

/// One attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// Its number on refs and in `GOAL@N`: it never starts again.
    pub number: u32,
    /// The retry that it came after; 0 before the first.
    pub round: u32,
    pub started_at: Option<UtcTime>,
    /// When it was judged.
    pub judged_at: Option<UtcTime>,
    /// As the log has it: `complete`, `failed`, ... None while it is under way.
    pub class: Option<String>,
    pub code: Option<String>,
    pub reason: String,
    pub test_tail: String,
    pub changed: Vec<String>,
    pub changed_tests: Vec<String>,
    /// Its outcome: `done`, `try_again`, `blocked`, ...
    pub then: Option<String>,
    pub work: Option<Work>,
    /// The branch that keeps it.
    pub branch: Option<String>,
    /// How often its call was cut off.
    pub cuts: u32,
    /// The move of the user's branch that brought it: from, to.
    pub merged: Option<(ObjectId, ObjectId)>,
}

/// Where the work of an attempt is, and what it began from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The ref that has it; none for what passed.
    pub name: Option<String>,
    pub commit: ObjectId,
    /// A commit or a tree.
    pub base: ObjectId,
}

/// A goal in the hands of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handed {
    pub reason: String,
    pub at: UtcTime,
}

impl Story {
    pub fn new(goal: &str) -> Self {
        Self { goal: goal.to_owned(), ..Self::default() }
    }

    /// The attempt of that number, or the last one.
    pub fn attempt(&self, number: Option<u32>) -> Option<&Tried> {
        match number {
            Some(number) => self.attempts.iter().rfind(|one| one.number == number),
            None => self.attempts.last(),
        }
    }

    /// The last attempt that passed and is on the user's branch.
    pub fn passed(&self) -> Option<&Tried> {
        self.attempts.iter().rfind(|one| one.merged.is_some() && one.is_done())
    }

    /// Takes in an event; those of other goals are passed over.
    pub fn take(&mut self, event: &GoalsEvent) {
        let text = |key: &str| event.detail.get(key).and_then(Value::as_str);
        if text("goal_id") != Some(self.goal.as_str()) {
            return;
        }
        let number = event.detail.get("attempt").and_then(Value::as_u64);
        let number = number.and_then(|number| u32::try_from(number).ok());
        match event.kind {
            Kind::AttemptStarted => {
                self.stopped = None;
                let (number, round) = (number.unwrap_or_default(), self.retries);
                let started_at = Some(event.ts);
                self.attempts.push(Tried { number, round, started_at, ..Tried::default() });
            }
            Kind::AttemptInterrupted | Kind::LimitReached => {
                self.with(number, |tried| tried.cuts += 1);
            }
            Kind::AttemptJudged => self.with(number, |tried| tried.judge(event)),
            Kind::MergeStarted => {
                let merged = detail(event, "from").zip(detail(event, "to"));
                self.with(number, |tried| tried.merged = merged);
            }
            Kind::MergeMoved => self.with(number, |tried| tried.merged = None),
            Kind::AttemptSettled => self.with(number, |tried| tried.settle(event)),
            Kind::GoalBlocked => {
                let reason = text("reason").unwrap_or_default().to_owned();
                self.handed = Some(Handed { reason, at: event.ts });
            }
            Kind::GoalDone => self.handed = None,
            Kind::Retried => {
                self.retries += 1;
                self.handed = None;
            }
            Kind::Stopped => self.stopped = text("what").map(str::to_owned),
            _ => {}
        }
    }

    /// The attempt of a number; where none is told, the one under way.
    fn with(&mut self, number: Option<u32>, change: impl FnOnce(&mut Tried)) {
        let fits = |tried: &&mut Tried| number.is_none_or(|number| tried.number == number);
        if let Some(tried) = self.attempts.iter_mut().rev().find(fits) {
            change(tried);
        }
    }
}

impl Tried {
    pub fn is_done(&self) -> bool {
        self.then.as_deref().is_some_and(|then| then.starts_with("done"))
    }

    /// The two sides of what it changed, where both are known.
    pub fn sides(&self) -> Option<(&ObjectId, &ObjectId)> {
        match (&self.merged, &self.work) {
            (Some((from, to)), _) if self.is_done() => Some((from, to)),
            (_, Some(work)) => Some((&work.base, &work.commit)),
            _ => None,
        }
    }

    fn judge(&mut self, event: &GoalsEvent) {
        let text = |key: &str| event.detail.get(key).and_then(Value::as_str).map(str::to_owned);
        self.judged_at = Some(event.ts);
        self.class = text("class");
        self.code = text("code");
        self.reason = text("reason").unwrap_or_default();
        self.test_tail = text("test_tail").unwrap_or_default();
        self.changed = detail(event, "changed").unwrap_or_default();
        self.changed_tests = detail(event, layout::CHANGED_TESTS).unwrap_or_default();
    }

    fn settle(&mut self, event: &GoalsEvent) {
        let text = |key: &str| event.detail.get(key).and_then(Value::as_str).map(str::to_owned);
        self.then = text("then");
        self.branch = text("branch");
        let saved = event.detail.get("saved");
        let of_saved = |key: &str| saved?.get(key)?.as_str().map(str::to_owned);
        let commit = of_saved("commit").and_then(|id| id.parse().ok());
        let base = text("base").and_then(|id| id.parse().ok());
        if let (Some(commit), Some(base)) = (commit, base) {
            self.work = Some(Work { name: of_saved("name"), commit, base });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TREE: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const COMMIT: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn story(lines: &[(&str, Value)]) -> Story {
        let mut story = Story::new("M1");
        for (at, (kind, detail)) in lines.iter().enumerate() {
            let event = json!({
                "event_id": format!("EV-20260209T053000Z-{:04}", at + 1),
                "ts": format!("2026-02-09T05:30:{at:02}Z"),
                "actor": "hast",
                "type": kind,
                "detail": detail,
            });
            story.take(&serde_json::from_value(event).unwrap());
        }
        story
    }

    #[test]
    fn attempts_are_told_with_their_verdict_and_where_their_work_is() {
        let saved = json!({"name": "refs/hast/attempts/M1/1", "commit": COMMIT, "tree": TREE});
        let told = story(&[
            ("ATTEMPT_STARTED", json!({"goal_id": "M1", "attempt": 1})),
            ("ATTEMPT_INTERRUPTED", json!({"goal_id": "M1", "attempt": 1})),
            (
                "ATTEMPT_JUDGED",
                json!({"goal_id": "M1", "attempt": 1, "class": "failed", "code": "tests_red", "reason": "red", "test_tail": "FAIL"}),
            ),
            (
                "ATTEMPT_SETTLED",
                json!({"goal_id": "M1", "attempt": 1, "then": "blocked", "saved": saved, "base": TREE, "branch": "refs/heads/hast/kept/M1"}),
            ),
            ("GOAL_BLOCKED", json!({"goal_id": "M1", "reason": "red"})),
            ("ATTEMPT_STARTED", json!({"goal_id": "M2", "attempt": 7})),
        ]);
        let [tried] = &told.attempts[..] else { panic!("{told:?}") };
        assert_eq!((tried.number, tried.cuts, tried.round), (1, 1, 0));
        assert_eq!((tried.class.as_deref(), tried.test_tail.as_str()), (Some("failed"), "FAIL"));
        let (from, to) = tried.sides().unwrap();
        assert_eq!((from.as_str(), to.as_str()), (TREE, COMMIT));
        assert_eq!(told.handed.as_ref().map(|handed| handed.reason.as_str()), Some("red"));
        assert_eq!(told.attempt(Some(2)), None);
    }

    #[test]
    fn a_retry_begins_a_new_round_and_what_passed_is_what_was_merged() {
        let told = story(&[
            ("ATTEMPT_STARTED", json!({"goal_id": "M1", "attempt": 1})),
            ("ATTEMPT_JUDGED", json!({"goal_id": "M1", "attempt": 1, "class": "failed"})),
            ("ATTEMPT_SETTLED", json!({"goal_id": "M1", "attempt": 1, "then": "blocked"})),
            ("GOAL_BLOCKED", json!({"goal_id": "M1", "reason": "red"})),
            ("RETRIED", json!({"goal_id": "M1"})),
            ("ATTEMPT_STARTED", json!({"goal_id": "M1", "attempt": 2})),
            ("MERGE_STARTED", json!({"goal_id": "M1", "from": TREE, "to": COMMIT})),
            ("ATTEMPT_SETTLED", json!({"goal_id": "M1", "attempt": 2, "then": "done"})),
            ("GOAL_DONE", json!({"goal_id": "M1"})),
        ]);
        assert_eq!((told.attempts.len(), told.attempts[1].round), (2, 1));
        assert_eq!(told.handed, None);
        let passed = told.passed().unwrap();
        assert_eq!(passed.number, 2);
        assert_eq!(
            passed.sides().map(|(from, to)| (from.as_str(), to.as_str())),
            Some((TREE, COMMIT))
        );
    }
}
