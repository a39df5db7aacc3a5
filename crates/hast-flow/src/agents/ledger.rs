//! The ledger is a log of the amounts that calls used and of the agents that refuse, with the fold
//! of that log. A line is appended before the result of a call counts. The process after a killed
//! one therefore knows everything that the killed one knew.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::agents::limit::{Again, Limit, again};
use crate::agents::resume_time::{KnownLimit, ResetSource};
use crate::time::UtcTime;

/// One line of `.hast/ledger.ndjson`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LedgerLine {
    /// Written before anything is started. `call` is the directory of its record.
    Began {
        call: String,
        at: UtcTime,
        agent: String,
        unit: String,
        reserved: Amount,
    },
    Ended {
        call: String,
        at: UtcTime,
        agent: String,
        unit: String,
        used: Amount,
        how: Ended,
    },
    /// The agent refuses until then.
    Limited {
        at: UtcTime,
        agent: String,
        until: UtcTime,
        /// The agent gave no time.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        guess: bool,
    },
    /// A person says that the agent may be asked again.
    Cleared {
        at: UtcTime,
        agent: String,
    },
}

/// How a call ended, as far as budgets and limits are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The agent did what it was asked, or said itself that it cannot.
    Answered,
    Failed,
    Refused,
}

/// Tokens, money (millionths of a US dollar) and time; nothing where nobody said how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Amount {
    pub tokens: Option<u64>,
    pub micro_usd: Option<u64>,
    pub seconds: Option<u64>,
}

/// What budgets count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Tokens,
    Usd,
    Seconds,
}

impl Measure {
    pub const ALL: [Self; 3] = [Self::Tokens, Self::Usd, Self::Seconds];
}

impl Amount {
    pub fn get(&self, measure: Measure) -> Option<u64> {
        match measure {
            Measure::Tokens => self.tokens,
            Measure::Usd => self.micro_usd,
            Measure::Seconds => self.seconds,
        }
    }

    pub fn set(&mut self, measure: Measure, amount: Option<u64>) {
        match measure {
            Measure::Tokens => self.tokens = amount,
            Measure::Usd => self.micro_usd = amount,
            Measure::Seconds => self.seconds = amount,
        }
    }

    fn add(&mut self, more: &Self) {
        for measure in Measure::ALL {
            if let Some(amount) = more.get(measure) {
                let sum = self.get(measure).unwrap_or(0).saturating_add(amount);
                self.set(measure, Some(sum));
            }
        }
    }

    fn raise(&mut self, other: &Self) {
        for measure in Measure::ALL {
            self.set(measure, self.get(measure).max(other.get(measure)));
        }
    }
}

/// The fold of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    agents: BTreeMap<String, AgentState>,
    open: BTreeMap<String, OpenCall>,
    units: BTreeMap<String, Amount>,
    /// Units whose last call was refused.
    refused: BTreeSet<String>,
    /// What ended lately: enough for any day, wherever it begins.
    recent: VecDeque<(UtcTime, Amount)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct AgentState {
    refusal: Option<Refusal>,
    dearest: Amount,
    /// What the last call that was answered reported.
    last_answer: Option<Amount>,
}

/// Refusals in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refusal {
    since: UtcTime,
    hits: u32,
    limit: KnownLimit,
}

/// An agent that refuses, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limited {
    pub agent: String,
    pub since: UtcTime,
    pub limit: KnownLimit,
}

/// A call that began and has no end in the log: it runs, or its process was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    pub unit: String,
    pub at: UtcTime,
    pub reserved: Amount,
}

/// Two days hold any day of any time zone.
const RECENT: SignedDuration = SignedDuration::from_hours(48);

const SHORTEST_WAIT: SignedDuration = SignedDuration::from_mins(1);

impl Ledger {
    pub fn add(&mut self, line: LedgerLine) {
        match line {
            LedgerLine::Began { call, at, unit, reserved, .. } => {
                self.open.insert(call, OpenCall { unit, at, reserved });
            }
            LedgerLine::Ended { call, at, agent, unit, used, how } => {
                self.open.remove(&call);
                match how {
                    Ended::Refused => self.refused.insert(unit.clone()),
                    Ended::Answered | Ended::Failed => self.refused.remove(&unit),
                };
                self.units.entry(unit).or_default().add(&used);
                self.recent.push_back((at, used));
                while self.recent.front().is_some_and(|(then, _)| is_old(*then, at)) {
                    self.recent.pop_front();
                }
                let state = self.agents.entry(agent).or_default();
                state.dearest.raise(&used);
                if how == Ended::Answered {
                    state.refusal = None;
                    state.last_answer = Some(used);
                }
            }
            LedgerLine::Cleared { agent, .. } => {
                if let Some(state) = self.agents.get_mut(&agent) {
                    state.refusal = None;
                }
            }
            LedgerLine::Limited { at, agent, until, guess } => {
                let state = self.agents.entry(agent).or_default();
                let (since, hits) = state.refusal.map_or((at, 0), |old| (old.since, old.hits));
                let hits = hits.saturating_add(1);
                // A time that is not ahead means that waiting was given up: the next one begins anew.
                let source = if guess { ResetSource::Guess } else { ResetSource::Agent };
                let limit = KnownLimit { until, source };
                state.refusal = (until > at).then_some(Refusal { since, hits, limit });
            }
        }
    }

    /// Until when an agent is not to be called.
    pub fn refuses_until(&self, agent: &str, now: Timestamp) -> Option<KnownLimit> {
        let limit = self.agents.get(agent)?.refusal?.limit;
        (limit.until.instant() > now).then_some(limit)
    }

    /// The agents that are not to be called now, by name.
    pub fn limited(&self, now: Timestamp) -> Vec<Limited> {
        let refusing = self.agents.iter().filter_map(|(agent, state)| {
            let Refusal { since, limit, .. } = state.refusal?;
            let agent = agent.clone();
            (limit.until.instant() > now).then_some(Limited { agent, since, limit })
        });
        refusing.collect()
    }

    /// When to try an agent again that has just refused.
    pub fn again(&self, agent: &str, limit: &Limit, now: Timestamp) -> Again {
        let before = self.agents.get(agent).and_then(|state| state.refusal);
        let (since, hits) = before.map_or((now, 0), |old| (old.since.instant(), old.hits));
        match again(limit, now, since, hits.saturating_add(1)) {
            // A reset that is already there would be asked for again and again.
            Again::At(at) => Again::At(at.max(now.saturating_add(SHORTEST_WAIT).unwrap_or(at))),
            Again::GiveUp => Again::GiveUp,
        }
    }

    /// Whether the last call of a unit was refused, so that nothing was tried.
    pub fn was_refused(&self, unit: &str) -> bool {
        self.refused.contains(unit)
    }

    /// What the calls of a unit used.
    pub fn of_unit(&self, unit: &str) -> Amount {
        self.units.get(unit).copied().unwrap_or_default()
    }

    /// What all calls used that ended since then; not further back than two days.
    pub fn since(&self, start: Timestamp) -> Amount {
        let mut sum = Amount::default();
        for (_, used) in self.recent.iter().filter(|(at, _)| at.instant() >= start) {
            sum.add(used);
        }
        sum
    }

    /// The most that a call of this agent used so far.
    pub fn dearest(&self, agent: &str) -> Amount {
        self.agents.get(agent).map(|state| state.dearest).unwrap_or_default()
    }

    /// What the last answered call of this agent reported; nothing before the first.
    pub fn last_answer(&self, agent: &str) -> Option<Amount> {
        self.agents.get(agent)?.last_answer
    }

    pub fn open(&self) -> impl Iterator<Item = (&str, &OpenCall)> {
        self.open.iter().map(|(call, open)| (call.as_str(), open))
    }
}

fn is_old(then: UtcTime, newest: UtcTime) -> bool {
    newest.instant().duration_since(then.instant()) > RECENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::limit::LimitCause;

    fn at(minutes: i64) -> UtcTime {
        let start: UtcTime = "2026-01-12T00:00:00Z".parse().unwrap();
        UtcTime::new(start.instant() + SignedDuration::from_mins(minutes))
    }

    fn limited(from: i64, until: i64) -> LedgerLine {
        let agent = "codex".into();
        LedgerLine::Limited { at: at(from), agent, until: at(until), guess: false }
    }

    fn until(minute: i64) -> KnownLimit {
        KnownLimit { until: at(minute), source: ResetSource::Agent }
    }

    fn ended(minute: i64, how: Ended, tokens: Option<u64>) -> LedgerLine {
        let used = Amount { tokens, ..Amount::default() };
        let (call, agent, unit) = ("c".into(), "codex".into(), "u".into());
        LedgerLine::Ended { call, at: at(minute), agent, unit, used, how }
    }

    fn no_reset() -> Limit {
        Limit { cause: LimitCause::Rate, resume_at: None, text: String::new() }
    }

    #[test]
    fn without_a_reset_time_waiting_doubles_from_5_minutes_to_1_hour_for_12_hours() {
        let mut ledger = Ledger::default();
        let (mut now, mut waits) = (0, Vec::new());
        while let Again::At(until) = ledger.again("codex", &no_reset(), at(now).instant()) {
            let wait = until.duration_since(at(now).instant()).as_mins();
            ledger.add(limited(now, now + wait));
            now += wait;
            waits.push(wait);
        }
        assert_eq!(waits[..6], [5, 10, 20, 40, 60, 60]);
        assert_eq!(waits.iter().sum::<i64>(), 12 * 60 + 15);
        // Given up: the next refusal is the first of a new row.
        ledger.add(limited(now, now));
        let Again::At(until) = ledger.again("codex", &no_reset(), at(now).instant()) else {
            panic!("given up for ever");
        };
        assert_eq!(until, at(now + 5).instant());
    }

    #[test]
    fn an_answer_clears_a_limit_and_a_failure_does_not() {
        let mut ledger = Ledger::default();
        ledger.add(limited(0, 60));
        assert_eq!(ledger.refuses_until("codex", at(59).instant()), Some(until(60)));
        assert_eq!(ledger.refuses_until("codex", at(60).instant()), None);
        assert_eq!(ledger.refuses_until("claude", at(1).instant()), None);
        ledger.add(ended(2, Ended::Failed, None));
        assert!(ledger.refuses_until("codex", at(3).instant()).is_some());
        ledger.add(ended(4, Ended::Answered, None));
        assert_eq!(ledger.refuses_until("codex", at(5).instant()), None);
    }

    #[test]
    fn a_person_clears_a_limit_and_the_next_refusal_is_the_first_of_a_row() {
        let mut ledger = Ledger::default();
        let line =
            |at, until| LedgerLine::Limited { at, agent: "codex".into(), until, guess: true };
        ledger.add(line(at(0), at(5)));
        ledger.add(line(at(5), at(15)));
        let limit = KnownLimit { until: at(15), source: ResetSource::Guess };
        let known = Limited { agent: "codex".to_owned(), since: at(0), limit };
        assert_eq!(ledger.limited(at(6).instant()), [known]);
        for agent in ["claude", "codex"] {
            ledger.add(LedgerLine::Cleared { at: at(6), agent: agent.to_owned() });
        }
        assert_eq!(ledger.limited(at(6).instant()), []);
        let Again::At(again) = ledger.again("codex", &no_reset(), at(7).instant()) else {
            panic!()
        };
        assert_eq!(again, at(12).instant());
    }

    #[test]
    fn sums_are_of_what_was_reported_and_unknown_is_not_nought() {
        let mut ledger = Ledger::default();
        ledger.add(ended(0, Ended::Answered, None));
        assert_eq!(ledger.of_unit("u").tokens, None);
        ledger.add(ended(1, Ended::Answered, Some(5)));
        ledger.add(ended(2, Ended::Failed, Some(7)));
        assert_eq!(ledger.of_unit("u").tokens, Some(12));
        assert_eq!(ledger.since(at(2).instant()).tokens, Some(7));
        assert_eq!(ledger.dearest("codex").tokens, Some(7));
        assert_eq!(ledger.last_answer("codex").unwrap().tokens, Some(5));
    }

    #[test]
    fn the_fold_keeps_two_days_of_calls_and_what_is_open() {
        let mut ledger = Ledger::default();
        for minute in 0..10_000 {
            ledger.add(ended(minute, Ended::Answered, Some(1)));
        }
        assert_eq!(ledger.recent.len(), 48 * 60 + 1);
        assert_eq!(ledger.open().count(), 0);
    }

    #[test]
    fn a_line_is_plain_json() {
        let line = serde_json::to_string(&limited(0, 5)).unwrap();
        let written = r#"{"kind":"limited","at":"2026-01-12T00:00:00Z","agent":"codex","until":"2026-01-12T00:05:00Z"}"#;
        assert_eq!(line, written);
        assert_eq!(serde_json::from_str::<LedgerLine>(&line).unwrap(), limited(0, 5));
    }
}
