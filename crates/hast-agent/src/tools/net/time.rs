//! Time for whoever has to wait: the machine's, or one that tests turn by hand.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// The tool is not wanted any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

pub trait Time: Debug + Send + Sync {
    /// The wall clock, for what is written down.
    fn now(&self) -> Timestamp;

    /// Time since some beginning, which never goes back.
    fn elapsed(&self) -> Duration;

    fn sleep(&self, duration: Duration) -> Result<(), Cancelled>;

    fn check(&self) -> Result<(), Cancelled> {
        self.sleep(Duration::ZERO)
    }
}

/// The machine's time. Setting the flag ends every sleep.
#[derive(Debug)]
pub struct Machine {
    begin: Instant,
    cancel: Arc<AtomicBool>,
}

impl Machine {
    pub fn new(cancel: Arc<AtomicBool>) -> Self {
        Self { begin: Instant::now(), cancel }
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

/// How long a sleep may hide that it is not wanted any more.
const SLICE: Duration = Duration::from_millis(50);

impl Time for Machine {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    fn sleep(&self, duration: Duration) -> Result<(), Cancelled> {
        let mut left = duration;
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Cancelled);
            }
            if left.is_zero() {
                return Ok(());
            }
            let slice = left.min(SLICE);
            std::thread::sleep(slice);
            left -= slice;
        }
    }
}
