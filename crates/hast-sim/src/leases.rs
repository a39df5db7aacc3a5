//! Workers that share a root through leases: they claim, work too long, die, and come back late. A
//! unit has one holder at a time, and only the holder's result is merged.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::leases::{Lease, LeaseEvent, Leases};
use hast_flow::store::policy::AnyRole;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Options, Put, Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use crate::disk::{Fault, FaultKind, SimDisk, World};
use crate::rng::Rng;

const POLICY: AnyRole = AnyRole(HistoryClass::Pointer);
const LOG: &str = "leases.txt";
const UNITS: u64 = 3;
const TIME: SignedDuration = SignedDuration::from_mins(30);

/// What happened to a unit, one line of the log: `minute claimed unit worker fence`, or `merged`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    minute: i64,
    what: What,
    unit: String,
    worker: String,
    fence: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Claimed,
    Expired,
    Merged,
}

/// Sweeps seeds: several workers, each killed now and then at an operation of the disk.
pub fn sweep(seeds: std::ops::Range<u64>) -> Result<u64, String> {
    sweep_with(seeds, Claims::Asked)
}

/// What a worker goes by when it claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claims {
    Asked,
    /// As if nobody ever held anything. Only to show that the sweep finds it.
    Unasked,
}

pub(crate) fn sweep_with(seeds: std::ops::Range<u64>, claims: Claims) -> Result<u64, String> {
    let mut merged = 0;
    for seed in seeds {
        let lines = run(seed, claims).map_err(|why| format!("seed {seed}: {why}"))?;
        holders_are_unique(&lines).map_err(|why| format!("seed {seed}: {why}"))?;
        merged += lines.iter().filter(|line| line.what == What::Merged).count() as u64;
    }
    Ok(merged)
}

/// A unit has one holder at a time, no fence is given twice, and only the holder merges, once.
fn holders_are_unique(lines: &[Line]) -> Result<(), String> {
    let mut held: BTreeMap<&str, (&Line, i64)> = BTreeMap::new();
    let mut merged: BTreeMap<&str, u64> = BTreeMap::new();
    let mut last_fence = 0;
    for line in lines {
        let holder = held.get(line.unit.as_str()).filter(|(_, until)| line.minute < *until);
        match line.what {
            What::Claimed => {
                if let Some((holder, _)) = holder {
                    return Err(format!(
                        "{} is held by {} and {}",
                        line.unit, holder.worker, line.worker
                    ));
                }
                if line.fence <= last_fence {
                    return Err(format!("the fence {} does not grow", line.fence));
                }
                last_fence = line.fence;
                held.insert(&line.unit, (line, line.minute + TIME.as_mins()));
            }
            What::Expired => drop(held.remove(line.unit.as_str())),
            What::Merged => {
                if holder.is_none_or(|(holder, _)| holder.fence != line.fence) {
                    return Err(format!("{} merged {} without holding it", line.worker, line.unit));
                }
                if merged.insert(&line.unit, line.fence).is_some() {
                    return Err(format!("{} was merged twice", line.unit));
                }
                held.remove(line.unit.as_str());
            }
        }
    }
    Ok(())
}

fn run(seed: u64, claims: Claims) -> Result<Vec<Line>, String> {
    let machine = Rc::new(RefCell::new(World::new(seed)));
    let mut chance = Rng::new(seed);
    let mut minute = 0;
    // What each worker believes to hold.
    let mut beliefs: BTreeMap<String, Lease> = BTreeMap::new();
    for _ in 0..200 {
        minute += chance.below(20) as i64;
        let worker = format!("w{}", chance.below(4));
        let disk = SimDisk::start(&machine);
        let process = disk.process();
        if chance.percent(15) {
            let at = machine.borrow().operations + 1 + chance.below(60) as u64;
            machine.borrow_mut().plan_fault(Fault { at, kind: FaultKind::DieAfter });
        }
        let unit = format!("G{}", chance.below(UNITS as usize));
        let turn = Turn { worker: &worker, unit, minute, claims };
        let turned = Store::open(disk, small())
            .and_then(|(mut store, _)| turn.take(&mut store, &mut beliefs));
        machine.borrow_mut().exit(process);
        // A process that died knows nothing of what it did; its lease runs out.
        if let Ok(true) = turned {
            break;
        }
    }
    let state = machine.borrow();
    let path = DocPath::new(LOG).map_err(|bad| bad.to_string())?;
    parse(state.content(&path).unwrap_or_default())
}

/// One worker's turn in one process.
struct Turn<'w> {
    worker: &'w str,
    unit: String,
    minute: i64,
    claims: Claims,
}

impl Turn<'_> {
    /// Merges what it believes to hold, or claims; true when every unit is merged.
    fn take(
        &self,
        store: &mut Store<SimDisk>,
        beliefs: &mut BTreeMap<String, Lease>,
    ) -> Result<bool, StoreError> {
        let path = DocPath::new(LOG).map_err(|bad| StoreError::Malformed(bad.into()))?;
        let bytes = store.read(&path)?.map(|(bytes, _)| bytes);
        let lines = parse(bytes.as_deref().unwrap_or_default()).unwrap_or_default();
        let done =
            |unit: &str| lines.iter().any(|line| line.what == What::Merged && line.unit == unit);
        if (0..UNITS).all(|unit| done(&format!("G{unit}"))) {
            return Ok(true);
        }
        let (mut leases, now) = (fold(&lines), at(self.minute));
        if self.claims == Claims::Unasked {
            let fence = leases.last_fence();
            leases = Leases::default();
            leases.continue_after(fence);
        }
        let (mut new, mut claimed) = (Vec::new(), None);
        for event in leases.sweep(now) {
            let LeaseEvent::Expired { fence } = event else { continue };
            let over = lines.iter().rfind(|line| line.fence == fence && line.what == What::Claimed);
            new.extend(over.map(|line| Line {
                minute: self.minute,
                what: What::Expired,
                ..line.clone()
            }));
            leases.apply(&event);
        }
        if let Some(lease) = beliefs.remove(self.worker) {
            if leases.counts(&lease.unit, lease.fence, now) && !done(&lease.unit) {
                new.push(self.line(What::Merged, &lease));
            }
        } else if !done(&self.unit)
            // A worker that died over its claim does not know of it, and waits like everybody else.
            && leases.claim(&self.unit, "", now, TIME).is_ok()
            && let Ok(LeaseEvent::Claimed(lease)) = leases.claim(&self.unit, self.worker, now, TIME)
        {
            new.push(self.line(What::Claimed, &lease));
            claimed = Some(lease);
        }
        let text: String = new.iter().map(Line::written).collect();
        if !text.is_empty() {
            let put = match bytes {
                Some(bytes) => {
                    Put::Append { path, at: bytes.len() as u64, bytes: text.into_bytes() }
                }
                None => Put::Create { path, bytes: text.into_bytes() },
            };
            store.commit(ChangeSet::new("worker", "a turn").put(put), &POLICY)?;
        }
        beliefs.extend(claimed.map(|lease| (self.worker.to_owned(), lease)));
        Ok(false)
    }

    fn line(&self, what: What, lease: &Lease) -> Line {
        let (unit, worker) = (lease.unit.clone(), self.worker.to_owned());
        Line { minute: self.minute, what, unit, worker, fence: lease.fence }
    }
}

fn fold(lines: &[Line]) -> Leases {
    let mut leases = Leases::default();
    for line in lines {
        let expires = at(line.minute + TIME.as_mins());
        let Line { unit, worker, fence, .. } = line.clone();
        leases.apply(&match line.what {
            What::Claimed => LeaseEvent::Claimed(Lease { unit, worker, fence, expires }),
            What::Expired => LeaseEvent::Expired { fence },
            What::Merged => LeaseEvent::Released { fence },
        });
    }
    leases
}

impl Line {
    fn written(&self) -> String {
        let Self { minute, what, unit, worker, fence } = self;
        format!("{minute} {what:?} {unit} {worker} {fence}\n")
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Line>, String> {
    let text = String::from_utf8_lossy(bytes);
    let line = |line: &str| {
        let parts: Vec<&str> = line.split(' ').collect();
        let [minute, word, unit, worker, fence] = parts.as_slice() else { return None };
        let known = [What::Claimed, What::Expired, What::Merged];
        let what = known.into_iter().find(|known| format!("{known:?}") == *word)?;
        let (unit, worker) = ((*unit).to_owned(), (*worker).to_owned());
        Some(Line { minute: minute.parse().ok()?, what, unit, worker, fence: fence.parse().ok()? })
    };
    text.lines().map(|text| line(text).ok_or_else(|| format!("a torn line: {text}"))).collect()
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(minute * 60).unwrap_or_default()
}

fn small() -> Options {
    Options { journal_area: 32 << 10, ..Options::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_has_one_holder_whoever_dies_when() {
        assert!(sweep(1..40).unwrap() > 100);
    }

    /// The check is worth nothing if it cannot fail.
    #[test]
    fn two_holders_a_late_result_and_a_second_result_are_found() {
        let lines = |text: &str| parse(text.as_bytes()).unwrap();
        let check = |text: &str| holders_are_unique(&lines(text));
        assert_eq!(check("0 Claimed G0 w0 1\n31 Claimed G0 w1 2\n32 Merged G0 w1 2\n"), Ok(()));
        assert!(check("0 Claimed G0 w0 1\n29 Claimed G0 w1 2\n").is_err());
        assert!(check("0 Claimed G0 w0 1\n31 Claimed G0 w1 2\n32 Merged G0 w0 1\n").is_err());
        assert!(check("0 Claimed G0 w0 1\n31 Merged G0 w0 1\n").is_err());
        assert!(check("0 Claimed G0 w0 2\n31 Claimed G1 w1 2\n").is_err());
    }
}
