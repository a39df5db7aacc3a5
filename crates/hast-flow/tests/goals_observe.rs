//! The baseline of a project: each rate as its page defines it, and the guards.
#![cfg(test)]

use hast_flow::flows::goals::observe::{Baseline, Observation};
use hast_flow::flows::goals::replay::told::Told;
use serde_json::{Value, json};

struct Log {
    lines: Vec<String>,
}

impl Log {
    fn event(&mut self, minute: u32, kind: &str, detail: Value) -> &mut Self {
        let number = self.lines.len() + 1;
        let (day, hour, minute) = (1 + minute / 1440, minute / 60 % 24, minute % 60);
        let ts = format!("2026-02-{day:02}T{hour:02}:{minute:02}:00Z");
        let id = format!("EV-20260201T000000Z-{number:04}");
        let mut line = json!({"event_id": id, "ts": ts, "actor": "a", "type": kind});
        line["detail"] = detail;
        self.lines.push(line.to_string());
        self
    }

    /// An attempt of ten minutes.
    fn attempt(&mut self, minute: u32, goal: &str, rule: u8) -> &mut Self {
        self.event(minute, "ATTEMPT_STARTED", json!({"goal_id": goal}));
        self.event(
            minute + 10,
            "ATTEMPT_JUDGED",
            json!({"goal_id": goal, "rule": rule, "class": "x"}),
        )
    }

    fn end(&mut self, minute: u32, goal: &str, kind: &str) -> &mut Self {
        self.event(minute, kind, json!({"goal_id": goal}))
    }

    fn baseline(&self, to: &str, days: u32) -> Baseline {
        let mut observation = Observation::new(to.parse().unwrap(), days);
        for line in &self.lines {
            observation.event(&serde_json::from_str::<Told<'_>>(line).unwrap());
        }
        observation.used("A", "2026-02-01T02:00:00Z".parse().unwrap(), 1_000);
        observation.used("A", "2026-01-01T02:00:00Z".parse().unwrap(), 7);
        observation.baseline()
    }
}

fn busy() -> Log {
    let mut log = Log { lines: Vec::new() };
    log.attempt(0, "A", 12).end(11, "A", "GOAL_DONE");
    log.attempt(20, "B", 6).attempt(40, "B", 12).end(51, "B", "GOAL_DONE");
    log.attempt(60, "C", 3).end(71, "C", "GOAL_BLOCKED").end(80, "C", "RETRIED");
    log.attempt(90, "C", 12).end(101, "C", "GOAL_DONE");
    log
}

#[test]
fn every_rate_is_as_the_page_says() {
    let baseline = busy().baseline("2026-02-02T00:00:00Z", 14);
    assert_eq!((baseline.runs, baseline.attempts), (4, 5));
    assert_eq!(baseline.success_rate, Some(0.75));
    assert_eq!(baseline.first_pass_rate, Some(0.25), "C came through only after a person helped");
    assert_eq!(baseline.retry_rate, Some(0.25));
    assert_eq!(baseline.block_rate, Some(0.25));
    assert_eq!(baseline.scope_violation_rate, Some(0.2));
    assert_eq!(baseline.security_rate, Some(0.2));
    assert_eq!(baseline.mean_attempts, Some(1.25));
    assert_eq!(baseline.mttr_minutes, Some(30.0));
    assert_eq!(baseline.minutes_per_goal, Some(16.6667));
    assert_eq!(baseline.goals["A"].tokens, 1_000, "what was before the window does not count");
    assert_eq!(baseline.days["2026-02-01"].attempts, 5);
}

#[test]
fn a_project_is_ready_when_every_guard_holds_and_else_the_failing_are_named() {
    let failing = |baseline: &Baseline| -> Vec<&str> {
        baseline.guards.iter().filter(|guard| !guard.holds).map(|guard| guard.name).collect()
    };
    let baseline = busy().baseline("2026-02-02T00:00:00Z", 14);
    assert_eq!((baseline.ready, failing(&baseline)), (false, vec!["runs", "first_pass_rate"]));
    let mut log = busy();
    for goal in 0..4 {
        let goal = format!("G{goal}");
        log.attempt(200, &goal, 12).end(211, &goal, "GOAL_DONE");
    }
    let baseline = log.baseline("2026-02-02T00:00:00Z", 14);
    assert_eq!((baseline.ready, failing(&baseline)), (true, vec![]));
    let old = log.baseline("2026-06-01T00:00:00Z", 14);
    assert_eq!((old.runs, old.success_rate, old.ready), (0, None, false));
}

#[test]
fn an_event_that_is_told_twice_is_measured_once() {
    let mut log = busy();
    let again = log.lines.clone();
    log.lines.extend(again);
    assert_eq!(
        log.baseline("2026-02-02T00:00:00Z", 14),
        busy().baseline("2026-02-02T00:00:00Z", 14)
    );
}
