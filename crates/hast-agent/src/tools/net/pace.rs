//! No more than so many requests in any window of time, over all threads that share the pace.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::tools::net::time::{Cancelled, Time};

/// Grants turns. A turn that was granted is taken, also if its request fails.
#[derive(Debug)]
pub struct Pace {
    requests: usize,
    window: Duration,
    /// When the last turns were or will be, oldest first.
    turns: Mutex<VecDeque<Duration>>,
}

impl Pace {
    pub fn new(requests: usize, window: Duration) -> Self {
        Self { requests: requests.max(1), window, turns: Mutex::default() }
    }

    /// When the next turn is, for somebody who asks now.
    pub fn reserve(&self, now: Duration) -> Duration {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let mut turn = now.max(turns.back().copied().unwrap_or_default());
        if turns.len() >= self.requests
            && let Some(oldest) = turns.pop_front()
        {
            turn = turn.max(oldest + self.window);
        }
        turns.push_back(turn);
        turn
    }

    /// Waits for its turn.
    pub fn wait(&self, time: &dyn Time) -> Result<(), Cancelled> {
        let now = time.elapsed();
        time.sleep(self.reserve(now).saturating_sub(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_requests_go_at_once_and_the_next_waits_for_the_window() {
        let pace = Pace::new(10, Duration::from_secs(1));
        let turns: Vec<_> = (0..21).map(|_| pace.reserve(Duration::ZERO)).collect();
        assert!(turns[..10].iter().all(Duration::is_zero));
        assert!(turns[10..20].iter().all(|turn| *turn == Duration::from_secs(1)));
        assert_eq!(turns[20], Duration::from_secs(2));
    }

    proptest! {
        #[test]
        fn no_window_ever_holds_more_than_its_requests(
            gaps in proptest::collection::vec(0_u64..400, 1..200),
            requests in 1_usize..12,
        ) {
            let window = Duration::from_millis(1000);
            let pace = Pace::new(requests, window);
            let mut now = Duration::ZERO;
            let mut turns = Vec::new();
            for gap in gaps {
                now += Duration::from_millis(gap);
                let turn = pace.reserve(now);
                prop_assert!(turn >= now);
                turns.push(turn);
            }
            for pair in turns.windows(requests + 1) {
                prop_assert!(pair[requests] - pair[0] >= window);
            }
        }
    }
}
