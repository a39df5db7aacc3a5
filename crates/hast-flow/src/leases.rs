//! Leases on units of work: who may work on what until when, and whose result still counts.
//!
//! Pure decisions over a fold of events. A lease ends by itself; its fencing number tells a late
//! worker's result from that of whoever came after.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::ids::LAST_NUMBER;

/// A right to work on a unit until a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub unit: String,
    pub worker: String,
    /// Greater than that of every lease before it, on any unit.
    pub fence: u64,
    pub expires: Timestamp,
}

/// What happened to a lease; the fold of these is the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseEvent {
    Claimed(Lease),
    Renewed { fence: u64, expires: Timestamp },
    Released { fence: u64 },
    Expired { fence: u64 },
}

/// Why a worker does not get what it asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Somebody else works on it until then.
    Held {
        by: String,
        until: Timestamp,
    },
    /// There is no such lease any more.
    Gone,
    NotYours {
        owner: String,
    },
    /// The time asked for is outside of the policy.
    BadTime {
        most: SignedDuration,
    },
    /// The last fence there is was given.
    NoFence,
}

/// The leases of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leases {
    by_unit: BTreeMap<String, Lease>,
    last_fence: u64,
}

/// What somebody who works on units asks of whoever keeps the leases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseStep {
    /// The right to begin.
    Claim {
        unit: String,
    },
    /// The right to go on, and to merge what was made.
    Keep {
        unit: String,
    },
    Release {
        unit: String,
    },
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseResult {
    /// From here on it is renewed until it is released.
    Held {
        fence: u64,
    },
    /// It is somebody else's, or nobody's to have.
    Gone {
        why: String,
    },
    /// Whoever keeps the leases could not be asked: whose it is is not known.
    Failed {
        why: String,
    },
    Released,
}

/// The longest time that a lease may be asked for.
pub const MOST: SignedDuration = SignedDuration::from_mins(240);

impl Leases {
    pub fn apply(&mut self, event: &LeaseEvent) {
        match event {
            LeaseEvent::Claimed(lease) => {
                self.last_fence = self.last_fence.max(lease.fence);
                self.by_unit.insert(lease.unit.clone(), lease.clone());
            }
            LeaseEvent::Renewed { fence, expires } => {
                if let Some(lease) = self.by_unit.values_mut().find(|lease| lease.fence == *fence) {
                    lease.expires = *expires;
                }
            }
            LeaseEvent::Released { fence } | LeaseEvent::Expired { fence } => {
                self.by_unit.retain(|_, lease| lease.fence != *fence);
            }
        }
    }

    /// The lease on a unit that was not ended yet.
    pub fn held(&self, unit: &str) -> Option<&Lease> {
        self.by_unit.get(unit)
    }

    /// The greatest fence that was given.
    pub fn last_fence(&self) -> u64 {
        self.last_fence
    }

    /// Gives greater fences from here on.
    pub fn continue_after(&mut self, fence: u64) {
        self.last_fence = self.last_fence.max(fence);
    }

    /// The events that end leases whose time is over. Every call begins with them.
    pub fn sweep(&self, now: Timestamp) -> Vec<LeaseEvent> {
        let over = self.by_unit.values().filter(|lease| lease.expires <= now);
        over.map(|lease| LeaseEvent::Expired { fence: lease.fence }).collect()
    }

    /// A lease on a unit. The same worker asking again gets the lease it has.
    pub fn claim(
        &self,
        unit: &str,
        worker: &str,
        now: Timestamp,
        time: SignedDuration,
    ) -> Result<LeaseEvent, Refused> {
        let expires = end(now, time)?;
        let lease = match self.by_unit.get(unit).filter(|lease| lease.expires > now) {
            Some(lease) if lease.worker == worker => lease.clone(),
            Some(lease) => {
                return Err(Refused::Held { by: lease.worker.clone(), until: lease.expires });
            }
            None => Lease {
                unit: unit.to_owned(),
                worker: worker.to_owned(),
                fence: self.next_fence()?,
                expires,
            },
        };
        Ok(LeaseEvent::Claimed(lease))
    }

    /// More time, for the owner of a lease that is not over.
    pub fn renew(
        &self,
        fence: u64,
        worker: &str,
        now: Timestamp,
        time: SignedDuration,
    ) -> Result<LeaseEvent, Refused> {
        let expires = end(now, time)?;
        self.owned(fence, worker, now)?;
        Ok(LeaseEvent::Renewed { fence, expires })
    }

    pub fn release(&self, fence: u64, worker: &str, now: Timestamp) -> Result<LeaseEvent, Refused> {
        self.owned(fence, worker, now)?;
        Ok(LeaseEvent::Released { fence })
    }

    /// Whether a result made under this lease may still be merged.
    pub fn counts(&self, unit: &str, fence: u64, now: Timestamp) -> bool {
        self.by_unit.get(unit).is_some_and(|lease| lease.fence == fence && lease.expires > now)
    }

    fn next_fence(&self) -> Result<u64, Refused> {
        if self.last_fence < LAST_NUMBER { Ok(self.last_fence + 1) } else { Err(Refused::NoFence) }
    }

    fn owned(&self, fence: u64, worker: &str, now: Timestamp) -> Result<&Lease, Refused> {
        let lease = self.by_unit.values().find(|lease| lease.fence == fence && lease.expires > now);
        match lease {
            None => Err(Refused::Gone),
            Some(lease) if lease.worker != worker => {
                Err(Refused::NotYours { owner: lease.worker.clone() })
            }
            Some(lease) => Ok(lease),
        }
    }
}

fn end(now: Timestamp, time: SignedDuration) -> Result<Timestamp, Refused> {
    let bad = Refused::BadTime { most: MOST };
    if time <= SignedDuration::ZERO || time > MOST {
        return Err(bad);
    }
    now.checked_add(time).map_err(|_| bad)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HALF_HOUR: SignedDuration = SignedDuration::from_mins(30);

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(minute * 60).unwrap()
    }

    fn claimed(
        leases: &mut Leases,
        unit: &str,
        worker: &str,
        minute: i64,
    ) -> Result<Lease, Refused> {
        let event = leases.claim(unit, worker, at(minute), HALF_HOUR)?;
        leases.apply(&event);
        let LeaseEvent::Claimed(lease) = event else { panic!("{event:?}") };
        Ok(lease)
    }

    #[test]
    fn a_held_unit_is_refused_until_its_lease_is_over() {
        let mut leases = Leases::default();
        claimed(&mut leases, "G1", "a", 0).unwrap();
        assert!(matches!(claimed(&mut leases, "G1", "b", 29), Err(Refused::Held { .. })));
        let later = claimed(&mut leases, "G1", "b", 30).unwrap();
        assert_eq!(later.worker, "b");
    }

    #[test]
    fn the_same_worker_gets_the_same_lease_again() {
        let mut leases = Leases::default();
        let first = claimed(&mut leases, "G1", "a", 0).unwrap();
        assert_eq!(claimed(&mut leases, "G1", "a", 5).unwrap(), first);
    }

    #[test]
    fn a_late_workers_result_does_not_count() {
        let mut leases = Leases::default();
        let early = claimed(&mut leases, "G1", "a", 0).unwrap();
        let late = claimed(&mut leases, "G1", "b", 31).unwrap();
        assert!(late.fence > early.fence);
        assert!(!leases.counts("G1", early.fence, at(32)));
        assert!(leases.counts("G1", late.fence, at(32)));
        assert!(!leases.counts("G1", late.fence, at(62)));
    }

    #[test]
    fn only_the_owner_renews_or_releases_and_only_in_time() {
        let mut leases = Leases::default();
        let lease = claimed(&mut leases, "G1", "a", 0).unwrap();
        let renew = |worker, minute, time| leases.renew(lease.fence, worker, at(minute), time);
        assert!(matches!(renew("b", 1, HALF_HOUR), Err(Refused::NotYours { .. })));
        assert_eq!(renew("a", 31, HALF_HOUR), Err(Refused::Gone));
        assert!(matches!(
            renew("a", 1, SignedDuration::from_mins(241)),
            Err(Refused::BadTime { .. })
        ));
        assert!(matches!(renew("a", 1, SignedDuration::ZERO), Err(Refused::BadTime { .. })));
        assert!(renew("a", 1, HALF_HOUR).is_ok());
        assert!(matches!(leases.release(lease.fence, "b", at(1)), Err(Refused::NotYours { .. })));
    }

    #[test]
    fn a_sweep_ends_what_is_over_and_nothing_else() {
        let mut leases = Leases::default();
        let over = claimed(&mut leases, "G1", "a", 0).unwrap();
        claimed(&mut leases, "G2", "a", 10).unwrap();
        assert_eq!(leases.sweep(at(30)), [LeaseEvent::Expired { fence: over.fence }]);
    }

    proptest! {
        /// Whatever workers do, a unit has one holder at a time and no fence is given twice.
        #[test]
        fn a_unit_has_one_holder_at_a_time(steps in prop::collection::vec((0u8..4, 0u8..3, 0u8..3, 0i64..40), 1..60)) {
            let mut leases = Leases::default();
            let mut now = 0;
            let mut given: Vec<Lease> = Vec::new();
            for (action, unit, worker, pause) in steps {
                now += pause;
                let (unit, worker) = (format!("G{unit}"), format!("w{worker}"));
                let fence = given.last().map_or(0, |lease| lease.fence);
                let event = match action {
                    0 | 1 => leases.claim(&unit, &worker, at(now), HALF_HOUR),
                    2 => leases.renew(fence, &worker, at(now), HALF_HOUR),
                    _ => leases.release(fence, &worker, at(now)),
                };
                if let Ok(LeaseEvent::Claimed(lease)) = &event {
                    let known = given.iter().find(|earlier| earlier.fence == lease.fence);
                    prop_assert!(known.is_none_or(|earlier| earlier.unit == lease.unit && earlier.worker == lease.worker));
                    given.push(lease.clone());
                }
                if let Ok(event) = event {
                    leases.apply(&event);
                }
                for unit in ["G0", "G1", "G2"] {
                    let holders = given.iter().filter(|lease| lease.unit == unit && leases.counts(unit, lease.fence, at(now)));
                    let fences: std::collections::BTreeSet<u64> = holders.map(|lease| lease.fence).collect();
                    prop_assert!(fences.len() <= 1);
                }
            }
        }
    }
}
