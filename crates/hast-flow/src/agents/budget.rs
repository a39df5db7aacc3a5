//! The budget decides if a call may begin and how much it may use. It is given the ledger, the
//! configured budget and the calls that are running. Reservations are made one at a time, so that
//! calls of several processes together keep the budget too. It never guesses a number that an agent
//! did not report.

use std::num::NonZeroU32;

use jiff::Timestamp;

use crate::agents::ledger::{Amount, Ledger, Measure};
use crate::agents::usage::{Usage, Usd};
use crate::docs::goals::{Budget, BudgetPeriod};
use crate::words::Lang;

/// A call that wants to begin.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub agent: &'a str,
    pub unit: &'a str,
    /// How long it may take without a budget.
    pub seconds: u64,
    /// When this day began where the user is.
    pub day_start: Timestamp,
}

/// What a call holds of the budget while it runs, and where it is ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reservation {
    pub reserved: Amount,
    pub limit: Amount,
}

/// Why a call may not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Used {
        measure: Measure,
        per: BudgetPeriod,
    },
    /// What is left is held by calls that are running: it may become free.
    Held {
        measure: Measure,
    },
    /// The agent answers without saying what it used, so that this budget cannot be kept.
    NotReported {
        measure: Measure,
    },
    /// The budget of this run (`--budget`) is used up.
    UsedByRun {
        measure: Measure,
    },
}

/// The budget of one run of a command, whatever the configuration allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunBudget {
    pub budget: Budget,
    /// When the run began.
    pub since: Timestamp,
}

impl RunBudget {
    /// `5usd`, `200k` or `1500000tokens`, `90m` or `8h`.
    pub fn parse(text: &str, since: Timestamp) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = &text[..text.len() - unit.len()];
        let whole = |times: u64| number.parse::<u64>().ok()?.checked_mul(times).filter(|n| *n > 0);
        let minutes = |times: u64| NonZeroU32::new(u32::try_from(whole(times)?).ok()?);
        let mut budget = Budget { per: Some(BudgetPeriod::Day), ..Budget::default() };
        match unit.trim() {
            "usd" | "$" => {
                let usd = number.parse::<f64>().ok().filter(|usd| *usd > 0.0)?;
                budget.usd = Usd::from_dollars(usd).map(|_| usd);
                budget.usd?;
            }
            "tokens" => budget.tokens = Some(whole(1)?),
            "k" => budget.tokens = Some(whole(1000)?),
            "m" => budget.minutes = Some(minutes(1)?),
            "h" => budget.minutes = Some(minutes(60)?),
            _ => return None,
        }
        // The ledger counts in whole seconds.
        let since = Timestamp::from_second(since.as_second()).ok()?;
        Some(Self { budget, since })
    }

    /// Reserves for a call of the run, within what the configuration left of its own budget.
    pub fn reserve(
        &self,
        own: Reservation,
        ledger: &Ledger,
        wanted: Wanted<'_>,
        running: &dyn Fn(&str) -> bool,
    ) -> Result<Reservation, Refused> {
        let wanted = Wanted { day_start: self.since, ..wanted };
        let of_run = reserve(ledger, &self.budget, wanted, running).map_err(|why| match why {
            Refused::Used { measure, .. } => Refused::UsedByRun { measure },
            other => other,
        })?;
        Ok(own.and(of_run))
    }
}

impl Reservation {
    /// The limits of both; the larger of the two amounts is held.
    fn and(mut self, other: Self) -> Self {
        for measure in Measure::ALL {
            let limits = [self.limit.get(measure), other.limit.get(measure)];
            self.limit.set(measure, limits.into_iter().flatten().min());
            let held = self.reserved.get(measure).max(other.reserved.get(measure));
            self.reserved.set(measure, held);
        }
        self
    }
}

/// Reserves for a call. `running` tells which calls without an end are not just dead.
pub fn reserve(
    ledger: &Ledger,
    budget: &Budget,
    wanted: Wanted<'_>,
    running: &dyn Fn(&str) -> bool,
) -> Result<Reservation, Refused> {
    let mut reservation = Reservation::default();
    for measure in Measure::ALL {
        let Some(limit) = limit_of(budget, measure) else { continue };
        let reports = |answer: Amount| answer.get(measure).is_some();
        if measure != Measure::Seconds && !ledger.last_answer(wanted.agent).is_none_or(reports) {
            return Err(Refused::NotReported { measure });
        }
        let per = budget.per.unwrap_or(BudgetPeriod::Call);
        let (used, held) = so_far(ledger, per, measure, wanted, running);
        if used >= limit {
            return Err(Refused::Used { measure, per });
        }
        let left = (limit - used).saturating_sub(held);
        let guess = match measure {
            // Time is cut off exactly.
            Measure::Seconds => Some(wanted.seconds),
            Measure::Tokens | Measure::Usd => ledger.dearest(wanted.agent).get(measure),
        };
        // Whoever might not fit runs alone: then one call at most goes beyond.
        if held > 0 && (left == 0 || guess.is_none_or(|guess| guess > left)) {
            return Err(Refused::Held { measure });
        }
        reservation.limit.set(measure, Some(left));
        if per != BudgetPeriod::Call {
            reservation.reserved.set(measure, Some(guess.unwrap_or(left).min(left)));
        }
    }
    Ok(reservation)
}

/// Whether a running call has used all that it may.
pub fn is_used_up(limit: &Amount, usage: Usage) -> bool {
    let over = |limit: Option<u64>, used: Option<u64>| {
        limit.zip(used).is_some_and(|(limit, used)| used > limit)
    };
    over(limit.tokens, usage.tokens.map(|tokens| tokens.total()))
        || over(limit.micro_usd, usage.cost.map(|cost| cost.0))
}

fn limit_of(budget: &Budget, measure: Measure) -> Option<u64> {
    match measure {
        Measure::Tokens => budget.tokens,
        // What is no amount of money is a budget of nothing rather than none.
        Measure::Usd => budget.usd.map(|usd| Usd::from_dollars(usd).unwrap_or_default().0),
        Measure::Seconds => budget.minutes.map(|minutes| u64::from(minutes.get()) * 60),
    }
}

/// What was used in the period, and what running calls of it hold.
fn so_far(
    ledger: &Ledger,
    per: BudgetPeriod,
    measure: Measure,
    wanted: Wanted<'_>,
    running: &dyn Fn(&str) -> bool,
) -> (u64, u64) {
    let used = match per {
        BudgetPeriod::Call => return (0, 0),
        BudgetPeriod::Unit => ledger.of_unit(wanted.unit),
        BudgetPeriod::Day => ledger.since(wanted.day_start),
    };
    let held = ledger
        .open()
        .filter(|(_, open)| per == BudgetPeriod::Day || open.unit == wanted.unit)
        .filter(|(call, _)| running(call))
        .filter_map(|(_, open)| open.reserved.get(measure))
        .fold(0_u64, u64::saturating_add);
    (used.get(measure).unwrap_or(0), held)
}

impl Refused {
    pub fn what(self, agent: &str, lang: Lang) -> String {
        match self {
            Self::Used { measure, per } => say::used(lang, name(measure), period(per)),
            Self::Held { measure } => say::held(lang, name(measure)),
            Self::NotReported { measure } => say::not_reported(lang, agent, name(measure)),
            Self::UsedByRun { measure } => say::used_run(lang, name(measure)),
        }
    }

    pub fn next(self, lang: Lang) -> String {
        match self {
            Self::Used { per: BudgetPeriod::Day, .. } => say::used_day_next(lang),
            Self::Used { .. } => say::used_next(lang),
            Self::Held { .. } => say::held_next(lang),
            Self::NotReported { .. } => say::not_reported_next(lang),
            Self::UsedByRun { .. } => say::used_run_next(lang),
        }
    }
}

/// As the configuration spells it.
fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Tokens => "tokens",
        Measure::Usd => "usd",
        Measure::Seconds => "minutes",
    }
}

fn period(per: BudgetPeriod) -> &'static str {
    match per {
        BudgetPeriod::Call => "call",
        BudgetPeriod::Unit => "unit",
        BudgetPeriod::Day => "day",
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        used(measure, per) { en: "the budget is used up: {measure} per {per}", ko: "예산을 다 썼습니다: {measure} (per: {per})" }
        used_next() { en: "raise `budget` in .ai/config.yaml, then run the same command again", ko: ".ai/config.yaml의 `budget`을 늘린 뒤 같은 명령을 다시 실행하세요" }
        used_day_next() { en: "run the same command tomorrow, or raise `budget` in .ai/config.yaml", ko: "내일 같은 명령을 실행하거나 .ai/config.yaml의 `budget`을 늘리세요" }
        used_run(measure) { en: "what this run may use is used up: {measure} (--budget)", ko: "이번 실행의 예산을 다 썼습니다: {measure} (--budget)" }
        used_run_next() { en: "see what is done with hast status; hast auto goes on without that bound", ko: "hast status로 한 일을 확인하세요. hast auto는 그 제한 없이 이어갑니다" }
        held(measure) { en: "what is left of the budget ({measure}) is reserved by calls that are running", ko: "남은 예산({measure})을 실행 중인 호출이 잡고 있습니다" }
        held_next() { en: "run the same command again when they have ended", ko: "그 호출이 끝난 뒤 같은 명령을 다시 실행하세요" }
        not_reported(agent, measure) { en: "`{agent}` does not report its use, so the budget ({measure}) cannot be kept", ko: "`{agent}`(이)가 사용량을 알려 주지 않아 예산({measure})을 지킬 수 없습니다" }
        not_reported_next() { en: "give the budget in `minutes`, or choose an agent that reports", ko: "예산을 `minutes`로 정하거나 사용량을 알려 주는 에이전트를 쓰세요" }
        reached() { en: "the call used all that the budget allows and was ended", ko: "호출이 예산이 허용하는 만큼을 다 써서 종료했습니다" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::ledger::{Ended, LedgerLine};
    use crate::agents::usage::Tokens;
    use crate::time::UtcTime;

    #[test]
    fn the_budget_of_a_run_is_written_as_money_tokens_or_time() {
        let since = at().instant();
        let parse = |text: &str| RunBudget::parse(text, since).map(|run| run.budget);
        assert_eq!(parse("5usd").and_then(|budget| budget.usd), Some(5.0));
        assert_eq!(parse("0.5 USD").and_then(|budget| budget.usd), Some(0.5));
        assert_eq!(parse("200k").and_then(|budget| budget.tokens), Some(200_000));
        assert_eq!(parse("90m").and_then(|budget| budget.minutes).map(u32::from), Some(90));
        assert_eq!(parse("8h").and_then(|budget| budget.minutes).map(u32::from), Some(480));
        for text in ["", "5", "usd", "-1usd", "0usd", "0k", "1.5k", "5eur", "99999999999999999999k"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_run_counts_what_was_used_since_it_began_and_keeps_the_other_budget_too() {
        let run = RunBudget::parse("100tokens", at().instant()).unwrap();
        let ledger = Ledger::default();
        let own = Reservation::default();
        let reserved = run.reserve(own, &ledger, wanted("u"), &|_| true).unwrap();
        assert_eq!(reserved.limit.tokens, Some(100));
        let mut less = Reservation::default();
        less.limit.tokens = Some(40);
        let reserved = run.reserve(less, &ledger, wanted("u"), &|_| true).unwrap();
        assert_eq!(reserved.limit.tokens, Some(40));
    }

    fn at() -> UtcTime {
        "2026-01-12T10:00:00Z".parse().unwrap()
    }

    fn day(usd: f64) -> Budget {
        Budget { usd: Some(usd), per: Some(BudgetPeriod::Day), ..Budget::default() }
    }

    fn wanted(unit: &str) -> Wanted<'_> {
        let day_start = "2026-01-12T00:00:00Z".parse().unwrap();
        Wanted { agent: "claude", unit, seconds: 1800, day_start }
    }

    fn began(call: &str, reservation: Reservation) -> LedgerLine {
        let (call, agent, unit) = (call.into(), "claude".into(), "u".into());
        LedgerLine::Began { call, at: at(), agent, unit, reserved: reservation.reserved }
    }

    fn ended(call: &str, micro_usd: Option<u64>) -> LedgerLine {
        let used = Amount { micro_usd, seconds: Some(60), tokens: Some(10) };
        let (call, agent, unit) = (call.into(), "claude".into(), "u".into());
        LedgerLine::Ended { call, at: at(), agent, unit, used, how: Ended::Answered }
    }

    #[test]
    fn two_drivers_at_once_do_not_both_take_the_last_of_a_day() {
        let mut ledger = Ledger::default();
        let alive = |_: &str| true;
        // Nobody knows what a call costs: the first takes all, the second waits.
        let first = reserve(&ledger, &day(10.0), wanted("a"), &alive).unwrap();
        assert_eq!(first.reserved.micro_usd, Some(10_000_000));
        ledger.add(began("1", first));
        let held = Refused::Held { measure: Measure::Usd };
        assert_eq!(reserve(&ledger, &day(10.0), wanted("b"), &alive), Err(held));
        // It is known that a call may cost 4: two at once fit into 6 no more than once.
        ledger.add(ended("1", Some(4_000_000)));
        let second = reserve(&ledger, &day(10.0), wanted("b"), &alive).unwrap();
        assert_eq!(second.reserved.micro_usd, Some(4_000_000));
        ledger.add(began("2", second));
        assert_eq!(reserve(&ledger, &day(10.0), wanted("c"), &alive), Err(held));
        // One whose process was killed holds nothing.
        assert!(reserve(&ledger, &day(10.0), wanted("c"), &|_| false).is_ok());
    }

    #[test]
    fn a_budget_that_is_used_up_starts_nothing() {
        let mut ledger = Ledger::default();
        ledger.add(ended("1", Some(10_000_000)));
        let used = Refused::Used { measure: Measure::Usd, per: BudgetPeriod::Day };
        assert_eq!(reserve(&ledger, &day(10.0), wanted("u"), &|_| true), Err(used));
        let unit = Budget { per: Some(BudgetPeriod::Unit), ..day(10.0) };
        assert!(reserve(&ledger, &unit, wanted("other"), &|_| true).is_ok());
        assert!(reserve(&ledger, &unit, wanted("u"), &|_| true).is_err());
    }

    #[test]
    fn an_agent_that_answers_without_its_cost_cannot_be_held_to_one() {
        let mut ledger = Ledger::default();
        assert!(reserve(&ledger, &day(1.0), wanted("u"), &|_| true).is_ok());
        ledger.add(ended("1", None));
        let refused = reserve(&ledger, &day(1.0), wanted("u"), &|_| true);
        assert_eq!(refused, Err(Refused::NotReported { measure: Measure::Usd }));
        let tokens = Budget { tokens: Some(100), ..Budget::default() };
        assert!(reserve(&ledger, &tokens, wanted("u"), &|_| true).is_ok());
    }

    #[test]
    fn time_is_cut_to_what_is_left_and_a_call_to_its_own_budget() {
        let mut ledger = Ledger::default();
        let minutes = |minutes: u32, per| Budget {
            minutes: NonZeroU32::new(minutes),
            per: Some(per),
            ..Budget::default()
        };
        let budget = minutes(10, BudgetPeriod::Unit);
        ledger.add(ended("1", Some(1)));
        let left = reserve(&ledger, &budget, wanted("u"), &|_| true).unwrap();
        assert_eq!(left.limit.seconds, Some(540));
        let call = reserve(&ledger, &minutes(1, BudgetPeriod::Call), wanted("u"), &|_| true);
        assert_eq!(call.unwrap().limit.seconds, Some(60));
    }

    #[test]
    fn a_running_call_is_used_up_when_it_says_so() {
        let limit = Amount { tokens: Some(100), micro_usd: Some(5), seconds: None };
        let usage = |input, cost| Usage {
            tokens: Some(Tokens { input, output: 1, cached: 0 }),
            cost: Some(Usd(cost)),
        };
        assert!(!is_used_up(&limit, usage(99, 5)));
        assert!(is_used_up(&limit, usage(100, 0)) && is_used_up(&limit, usage(1, 6)));
        assert!(!is_used_up(&limit, Usage::default()));
    }

    #[test]
    fn every_refusal_is_said_in_both_languages() {
        for entry in say::CATALOGUE {
            let names = crate::words::placeholders;
            assert_eq!(names(entry.en), names(entry.ko), "{}", entry.key);
        }
    }
}
