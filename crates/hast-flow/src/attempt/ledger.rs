//! The attempts of one goal, counted. Numbers never start again; what counts against the limit does,
//! with each retry.

use crate::attempt::judge::INTERRUPTIONS_PER_ATTEMPT;
use crate::attempt::reason::Class;

/// A fold over what happened to a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The highest number there ever was.
    last_number: u32,
    /// Attempts spent since the last retry, or since the goal was last done or handed over.
    spent: u32,
    /// Interruptions since an attempt was last judged.
    interruptions: u32,
    /// What was spent belongs to an end that was reached.
    ended: bool,
}

impl Ledger {
    pub fn started(&mut self, number: u32) {
        self.last_number = self.last_number.max(number);
        if self.ended {
            self.retried();
        }
    }

    /// Something is there under this number, whatever became of the attempt.
    pub fn is_taken(&mut self, number: u32) {
        self.last_number = self.last_number.max(number);
    }

    pub fn judged(&mut self, class: Class) {
        match class {
            Class::Interrupted => self.interruptions += 1,
            Class::Limited | Class::NotStarted => {}
            spent => {
                self.spent += u32::from(spent.spends_an_attempt());
                self.interruptions = 0;
            }
        }
    }

    /// The goal was done or handed to a person: whoever wants it tried again begins anew.
    pub fn ended(&mut self) {
        self.ended = true;
    }

    /// A person gave the goal back: its limit starts anew, its numbers go on.
    pub fn retried(&mut self) {
        *self = Self { last_number: self.last_number, ..Self::default() };
    }

    /// Whether the next attempt is one more of a row.
    pub fn goes_on(&self) -> bool {
        self.spent > 0 && !self.ended
    }

    pub fn next_number(&self) -> u32 {
        self.last_number.saturating_add(1)
    }

    pub fn last_number(&self) -> u32 {
        self.last_number
    }

    pub fn spent(&self) -> u32 {
        self.spent
    }

    /// Interruptions right before the next one, as the judge counts them.
    pub fn interruptions(&self) -> u32 {
        self.interruptions % INTERRUPTIONS_PER_ATTEMPT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_never_start_again_and_the_limit_counts_since_the_last_retry() {
        let mut ledger = Ledger::default();
        for number in 1..=3 {
            assert_eq!(ledger.next_number(), number);
            ledger.started(number);
            ledger.judged(Class::Failed);
        }
        assert_eq!(ledger.spent(), 3);
        ledger.retried();
        assert_eq!((ledger.spent(), ledger.next_number()), (0, 4));
    }

    #[test]
    fn what_spends_no_attempt_does_not_count() {
        let mut ledger = Ledger::default();
        ledger.started(1);
        for class in [Class::Limited, Class::NotStarted, Class::Interrupted, Class::Interrupted] {
            ledger.judged(class);
        }
        assert_eq!((ledger.spent(), ledger.interruptions()), (0, 2));
        ledger.judged(Class::Failed);
        assert_eq!((ledger.spent(), ledger.interruptions()), (1, 0));
    }

    #[test]
    fn a_limit_between_two_interruptions_does_not_part_them() {
        let mut ledger = Ledger::default();
        for class in [Class::Interrupted, Class::Limited, Class::Interrupted] {
            ledger.judged(class);
        }
        assert_eq!(ledger.interruptions(), 2);
    }
}
