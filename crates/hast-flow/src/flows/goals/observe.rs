//! How well a project runs by itself: rates over a window of days, guards, and what happened each
//! day. A fold of three logs: events, queue, and what agents used.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use serde::Serialize;

use crate::docs::goals::{QueueEvent, QueueEventKind};
use crate::flows::goals::replay::numbers::Numbers;
use crate::flows::goals::replay::told::Told;
use crate::time::UtcTime;

/// What is measured of the days before a moment.
#[derive(Clone, Debug)]
pub struct Observation {
    from: UtcTime,
    to: UtcTime,
    numbers: Numbers,
    /// Goals that are being worked on.
    open: BTreeMap<String, Work>,
    /// Since when a goal is blocked.
    blocked: BTreeMap<String, UtcTime>,
    counts: Counts,
    recoveries: Vec<i64>,
    goals: BTreeMap<String, GoalFigures>,
    days: BTreeMap<String, Day>,
}

#[derive(Clone, Debug, Default)]
struct Work {
    attempts: u32,
    attempt_began: Option<UtcTime>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    done: u64,
    blocked: u64,
    first_pass: u64,
    retried: u64,
    attempts: u64,
    attempts_of_runs: u64,
    out_of_scope: u64,
    security: u64,
    claims: u64,
    collisions: u64,
}

/// One goal in the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GoalFigures {
    pub attempts: u64,
    pub minutes: f64,
    pub tokens: u64,
}

/// One day, by its date in UTC.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Day {
    pub attempts: u64,
    pub done: u64,
    pub blocked: u64,
    pub minutes: f64,
    pub tokens: u64,
}

/// What the window came to. A rate without anything to count is null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Baseline {
    pub from: UtcTime,
    pub to: UtcTime,
    /// Goals that were worked on to an end.
    pub runs: u64,
    pub attempts: u64,
    pub success_rate: Option<f64>,
    pub first_pass_rate: Option<f64>,
    pub retry_rate: Option<f64>,
    pub block_rate: Option<f64>,
    pub scope_violation_rate: Option<f64>,
    pub security_rate: Option<f64>,
    pub mean_attempts: Option<f64>,
    /// Mean minutes from a block to the end of the same goal.
    pub mttr_minutes: Option<f64>,
    pub claims: u64,
    pub collision_rate: Option<f64>,
    pub tokens_per_goal: Option<f64>,
    pub minutes_per_goal: Option<f64>,
    pub ready: bool,
    pub guards: Vec<Guard>,
    pub goals: BTreeMap<String, GoalFigures>,
    pub days: BTreeMap<String, Day>,
}

/// A limit that has to hold before a project is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Guard {
    pub name: &'static str,
    pub limit: f64,
    /// None: there was nothing to measure.
    pub value: Option<f64>,
    pub holds: bool,
}

impl Observation {
    /// The days before a moment.
    pub fn new(to: UtcTime, days: u32) -> Self {
        let window = SignedDuration::from_hours(24 * i64::from(days));
        let from = to.instant().checked_sub(window).map_or(to, UtcTime::new);
        Self {
            from,
            to,
            numbers: Numbers::default(),
            open: BTreeMap::new(),
            blocked: BTreeMap::new(),
            counts: Counts::default(),
            recoveries: Vec::new(),
            goals: BTreeMap::new(),
            days: BTreeMap::new(),
        }
    }

    fn holds(&self, at: UtcTime) -> bool {
        self.from <= at && at <= self.to
    }

    fn day(&mut self, at: UtcTime) -> &mut Day {
        let date = at.instant().strftime("%Y-%m-%d").to_string();
        self.days.entry(date).or_default()
    }

    /// A line of the log of events. What is before the window only tells where goals stand.
    pub fn event(&mut self, told: &Told<'_>) {
        let fresh = told.number().is_some_and(|number| self.numbers.insert(number));
        let Some(goal) = told.goal().filter(|_| fresh) else { return };
        let goal = goal.to_owned();
        match told.kind.as_ref() {
            "ATTEMPT_STARTED" => {
                self.open.entry(goal).or_default().attempt_began = Some(told.ts);
            }
            "ATTEMPT_JUDGED" => self.judged(goal, told),
            "GOAL_DONE" => self.ended(&goal, told, true),
            "GOAL_BLOCKED" => self.ended(&goal, told, false),
            "RETRIED" => drop(self.open.remove(&goal)),
            _ => {}
        }
    }

    fn judged(&mut self, goal: String, told: &Told<'_>) {
        let work = self.open.entry(goal.clone()).or_default();
        work.attempts += 1;
        let began = work.attempt_began.take();
        if !self.holds(told.ts) {
            return;
        }
        let seconds = began.map_or(0, |began| seconds(began, told.ts));
        let minutes = seconds as f64 / 60.0;
        self.counts.attempts += 1;
        match told.detail.rule {
            Some(2 | 3) => self.counts.security += 1,
            Some(6) => self.counts.out_of_scope += 1,
            _ => {}
        }
        let figures = self.goals.entry(goal).or_default();
        figures.attempts += 1;
        figures.minutes += minutes;
        let day = self.day(told.ts);
        day.attempts += 1;
        day.minutes += minutes;
    }

    fn ended(&mut self, goal: &str, told: &Told<'_>, done: bool) {
        let work = self.open.remove(goal).unwrap_or_default();
        let blocked_at = if done {
            self.blocked.remove(goal)
        } else {
            self.blocked.insert(goal.to_owned(), told.ts)
        };
        if !self.holds(told.ts) {
            return;
        }
        let attempts = u64::from(work.attempts.max(1));
        self.counts.attempts_of_runs += attempts;
        self.counts.retried += u64::from(attempts > 1);
        let day = self.day(told.ts);
        if !done {
            day.blocked += 1;
            self.counts.blocked += 1;
            return;
        }
        day.done += 1;
        self.counts.done += 1;
        self.counts.first_pass += u64::from(attempts == 1 && blocked_at.is_none());
        self.recoveries.extend(blocked_at.map(|since| seconds(since, told.ts)));
    }

    /// A line of the queue.
    pub fn queued(&mut self, event: &QueueEvent) {
        if !self.holds(event.ts) {
            return;
        }
        match event.kind {
            QueueEventKind::Claimed => self.counts.claims += 1,
            QueueEventKind::Refused => self.counts.collisions += 1,
            QueueEventKind::Carried
            | QueueEventKind::Renewed
            | QueueEventKind::Released
            | QueueEventKind::Expired => {}
        }
    }

    /// What a call of an agent used.
    pub fn used(&mut self, goal: &str, at: UtcTime, tokens: u64) {
        if self.holds(at) {
            self.goals.entry(goal.to_owned()).or_default().tokens += tokens;
            self.day(at).tokens += tokens;
        }
    }

    pub fn baseline(self) -> Baseline {
        let counts = self.counts;
        let runs = counts.done + counts.blocked;
        let minutes: f64 = self.goals.values().map(|goal| goal.minutes).sum();
        let tokens: u64 = self.goals.values().map(|goal| goal.tokens).sum();
        let goals = self.goals.len() as u64;
        let recovered: i64 = self.recoveries.iter().sum();
        let mut baseline = Baseline {
            from: self.from,
            to: self.to,
            runs,
            attempts: counts.attempts,
            success_rate: rate(counts.done, runs),
            first_pass_rate: rate(counts.first_pass, runs),
            retry_rate: rate(counts.retried, runs),
            block_rate: rate(counts.blocked, runs),
            scope_violation_rate: rate(counts.out_of_scope, counts.attempts),
            security_rate: rate(counts.security, counts.attempts),
            mean_attempts: rate(counts.attempts_of_runs, runs),
            mttr_minutes: mean(recovered as f64 / 60.0, self.recoveries.len() as u64),
            claims: counts.claims,
            collision_rate: rate(counts.collisions, counts.claims + counts.collisions),
            tokens_per_goal: mean(tokens as f64, goals),
            minutes_per_goal: mean(minutes, goals),
            ready: false,
            guards: Vec::new(),
            goals: self.goals,
            days: self.days,
        };
        baseline.guards = guards(&baseline);
        baseline.ready = baseline.guards.iter().all(|guard| guard.holds);
        baseline
    }
}

/// The limits of the page. What could not be measured holds, except that there were runs at all.
fn guards(baseline: &Baseline) -> Vec<Guard> {
    let least = |name, value: Option<f64>, limit| {
        let holds = value.is_none_or(|value| value >= limit);
        Guard { name, limit, value, holds }
    };
    let most = |name, value: Option<f64>, limit| {
        let holds = value.is_none_or(|value| value <= limit);
        Guard { name, limit, value, holds }
    };
    vec![
        least("runs", Some(baseline.runs as f64), 5.0),
        least("first_pass_rate", baseline.first_pass_rate, 0.40),
        most("block_rate", baseline.block_rate, 0.35),
        most("collision_rate", baseline.collision_rate, 0.15),
        most("mttr_minutes", baseline.mttr_minutes, 180.0),
    ]
}

fn rate(part: u64, whole: u64) -> Option<f64> {
    mean(part as f64, whole)
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| rounded(sum / count as f64))
}

/// Four places: what is printed is what is compared.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn seconds(from: UtcTime, to: UtcTime) -> i64 {
    to.instant().duration_since(from.instant()).as_secs().max(0)
}
