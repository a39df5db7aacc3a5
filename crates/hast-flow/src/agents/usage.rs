//! Usage is the tokens and the money of a call, as far as the agent reported them. Numbers of a
//! resumed session are reduced to the call alone. Nothing is estimated here.

use std::collections::VecDeque;
use std::fmt;

/// Tokens and money of one call; `None` where the agent reported nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub tokens: Option<Tokens>,
    pub cost: Option<Usd>,
}

/// Tokens of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Everything that went in, what came from a cache included.
    pub input: u64,
    pub output: u64,
    /// The part of `input` that was read from a cache.
    pub cached: u64,
}

/// Money in millionths of a US dollar, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd(pub u64);

/// What a reported number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// One request to the model: the numbers of a call add up.
    Step,
    /// The call so far: the last number counts.
    Call,
    /// The agent's own session, earlier calls included: the last number counts, minus theirs.
    Session,
}

/// What the agent's own session had used before this call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// The session began with this call.
    #[default]
    Nothing,
    Known(Usage),
    /// It was resumed, and nobody wrote down what it had cost: the difference is not known.
    Unknown,
}

/// Numbers of one kind as they come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter<N> {
    total: Option<(N, Span)>,
}

/// Numbers that can be added and taken apart.
pub trait Count: Copy {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

impl<N> Default for Meter<N> {
    fn default() -> Self {
        Self { total: None }
    }
}

impl<N: Count> Meter<N> {
    /// A number over a wider span replaces narrower ones and is not replaced by them.
    pub fn report(&mut self, number: N, span: Span) {
        self.total = match (self.total, span) {
            (Some((sum, Span::Step)), Span::Step) => Some((sum.plus(number), Span::Step)),
            (Some(kept @ (_, Span::Call | Span::Session)), Span::Step) => Some(kept),
            _ => Some((number, span)),
        };
    }

    /// What the agent said last, in its own span.
    pub fn reported(&self) -> Option<N> {
        self.total.map(|(number, _)| number)
    }

    /// What this call used, given what the session had used before it.
    pub fn of_call(&self, earlier: impl Fn() -> Result<Option<N>, NotKnown>) -> Option<N> {
        match self.total? {
            (number, Span::Step | Span::Call) => Some(number),
            (number, Span::Session) => match earlier() {
                Ok(Some(before)) => Some(number.minus(before)),
                Ok(None) => Some(number),
                Err(NotKnown) => None,
            },
        }
    }
}

/// So many messages may be told by turns: those of the agents that an agent starts itself.
const MAX_MESSAGES: usize = 32;

/// The tokens of messages, told again with each part of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    recent: VecDeque<(String, Tokens)>,
}

impl Messages {
    /// What a report says beyond the earlier reports on the same message.
    pub fn beyond(&mut self, id: &str, tokens: Tokens) -> Tokens {
        if let Some((_, known)) = self.recent.iter_mut().find(|(known, _)| known == id) {
            let most = tokens.most(*known);
            return most.minus(std::mem::replace(known, most));
        }
        if self.recent.len() >= MAX_MESSAGES {
            self.recent.pop_front();
        }
        self.recent.push_back((id.to_owned(), tokens));
        tokens
    }
}

/// Earlier use that nobody recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotKnown;

impl Earlier {
    pub fn tokens(self) -> Result<Option<Tokens>, NotKnown> {
        match self {
            Self::Nothing => Ok(None),
            Self::Known(usage) => usage.tokens.map(Some).ok_or(NotKnown),
            Self::Unknown => Err(NotKnown),
        }
    }

    pub fn cost(self) -> Result<Option<Usd>, NotKnown> {
        match self {
            Self::Nothing => Ok(None),
            Self::Known(usage) => usage.cost.map(Some).ok_or(NotKnown),
            Self::Unknown => Err(NotKnown),
        }
    }
}

impl Count for Tokens {
    fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_sub(other.input),
            output: self.output.saturating_sub(other.output),
            cached: self.cached.saturating_sub(other.cached),
        }
    }
}

impl Count for Usd {
    fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Tokens {
    /// The larger of each number: they only grow.
    fn most(self, other: Self) -> Self {
        Self {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            cached: self.cached.max(other.cached),
        }
    }

    /// Everything that a budget counts.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Usd {
    /// Dollars as JSON has them; what is no amount of money is `None`.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let millionths = (dollars * 1e6).round();
        // 2^53: beyond it a float has no millionths left.
        if !(0.0..9_007_199_254_740_992.0).contains(&millionths) {
            return None;
        }
        format!("{millionths:.0}").parse().ok().map(Self)
    }
}

impl Usd {
    /// As JSON has it.
    pub fn dollars(self) -> f64 {
        // Through text: a conversion of integers to floats could lose without a word.
        let Self(millionths) = self;
        let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
        text.parse().unwrap_or(0.0)
    }
}

/// As people read it: dollars and cents. What programs read keeps its millionths.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1..10_000 => f.write_str("<$0.01"),
            millionths => {
                let cents = millionths.saturating_add(5_000) / 10_000;
                write!(f, "${}.{:02}", cents / 100, cents % 100)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up_and_totals_replace() {
        let mut meter = Meter::default();
        meter.report(Usd(5), Span::Step);
        meter.report(Usd(7), Span::Step);
        assert_eq!(meter.reported(), Some(Usd(12)));
        meter.report(Usd(11), Span::Call);
        meter.report(Usd(1), Span::Step);
        assert_eq!(meter.reported(), Some(Usd(11)));
    }

    #[test]
    fn a_number_of_the_session_is_cut_to_the_call() {
        let mut meter = Meter::default();
        meter.report(Usd(30), Span::Session);
        let known = Usage { cost: Some(Usd(20)), tokens: None };
        assert_eq!(meter.of_call(|| Earlier::Nothing.cost()), Some(Usd(30)));
        assert_eq!(meter.of_call(|| Earlier::Known(known).cost()), Some(Usd(10)));
        assert_eq!(meter.of_call(|| Earlier::Unknown.cost()), None);
        assert_eq!(meter.of_call(|| Earlier::Known(Usage::default()).cost()), None);
    }

    #[test]
    fn a_message_that_is_told_part_by_part_counts_once() {
        let mut messages = Messages::default();
        let tokens = |input, output| Tokens { input, output, cached: 0 };
        assert_eq!(messages.beyond("a", tokens(100, 3)), tokens(100, 3));
        assert_eq!(messages.beyond("b", tokens(40, 1)), tokens(40, 1));
        assert_eq!(messages.beyond("a", tokens(100, 9)), tokens(0, 6));
        assert_eq!(messages.beyond("a", tokens(100, 3)), tokens(0, 0));
        for other in 0..MAX_MESSAGES {
            messages.beyond(&format!("m{other}"), tokens(1, 1));
        }
        assert_eq!(messages.recent.len(), MAX_MESSAGES, "memory does not grow with the output");
    }

    #[test]
    fn people_read_dollars_and_cents() {
        for (millionths, shown) in [
            (0, "$0.00"),
            (1, "<$0.01"),
            (9_999, "<$0.01"),
            (10_000, "$0.01"),
            (12_300, "$0.01"),
            (123_400, "$0.12"),
            (995_000, "$1.00"),
            (12_500_000, "$12.50"),
        ] {
            assert_eq!(Usd(millionths).to_string(), shown, "{millionths}");
        }
    }

    #[test]
    fn dollars_are_exact_to_the_millionth_and_nonsense_is_no_money() {
        assert_eq!(Usd::from_dollars(0.00944), Some(Usd(9_440)));
        for nonsense in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(Usd::from_dollars(nonsense), None, "{nonsense}");
        }
    }
}
