//! Cost of a call on the queue, compared with flock + append + fdatasync of a line as long. Both
//! are measured by turns in one run. The same calls are measured on a queue that has answered many
//! calls before.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use hast_benches::{Failure, Row, Size, median, table};
use hast_flow::docs::goals::QueueLane;
use hast_flow::flows::goals::queue::desk::{Desk, LOG};
use hast_flow::flows::goals::queue::{Ask, Candidate, Limits};
use hast_flow::store::{Options, Store};
use hast_flow::time::UtcTime;
use hast_world::disk::RealDisk;
use jiff::{SignedDuration, Timestamp};

const GOALS: usize = 500;
const TIME: SignedDuration = SignedDuration::from_mins(30);

fn main() -> Result<(), Failure> {
    let (size, arguments) = Size::of_arguments();
    let number = |at: usize, otherwise: usize| {
        arguments.get(at).map_or(Ok(otherwise), |text| text.parse::<usize>())
    };
    let (rounds, history) = (number(0, size.pick(300, 10))?, number(1, size.pick(20_000, 60))?);
    fs::create_dir_all("target")?;
    let scratch = tempfile::tempdir_in("target")?;
    let mut young = Worker::new(&scratch.path().join("young"))?;
    let mut old = Worker::new(&scratch.path().join("old"))?;
    for _ in 0..history / 3 {
        old.turn()?;
    }
    let mut floor = Floor::new(&scratch.path().join("floor"))?;
    let mut times = [const { Vec::new() }; 7];
    for round in 0..rounds + rounds / 10 {
        let start = Instant::now();
        floor.append()?;
        let mut taken = vec![start.elapsed()];
        for worker in [&mut young, &mut old] {
            taken.extend(worker.turn()?);
        }
        // The first tenth warms up.
        if round >= rounds / 10 {
            times.iter_mut().zip(taken).for_each(|(all, one)| all.push(one));
        }
    }
    let [floor, claim, renew, release, old_claim, old_renew, old_release] = times.map(median);
    let row = |name: &str, ours, peer, goal: &str| Row {
        name: name.to_owned(),
        ours,
        peer,
        goal: goal.to_owned(),
    };
    println!(
        "calls on the queue beside flock + append + fdatasync ({rounds} rounds, {GOALS} goals)"
    );
    print!(
        "{}",
        table(&[
            row("claim", claim, floor, "1.3"),
            row("renew", renew, floor, "1.3"),
            row("release", release, floor, "1.3"),
            row(&format!("claim after {history} calls"), old_claim, claim, "1.1 of a young queue"),
            row("renew", old_renew, renew, "1.1"),
            row("release", old_release, release, "1.1"),
        ])
    );
    Ok(())
}

/// A worker that claims, renews and gives back.
struct Worker {
    desk: Desk<RealDisk>,
    free: Vec<Candidate>,
    now: i64,
}

impl Worker {
    fn new(directory: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(directory)?;
        let (store, _) = Store::open(RealDisk::open(directory)?, Options::default())?;
        let goal = |id| Candidate { goal_id: format!("G{id:04}"), lane: QueueLane::Implement };
        Ok(Self {
            desk: Desk::open(store)?,
            free: (0..GOALS).map(goal).collect(),
            now: 1_770_000_000,
        })
    }

    fn turn(&mut self) -> Result<[std::time::Duration; 3], Failure> {
        self.now += 1;
        let now = UtcTime::new(Timestamp::from_second(self.now)?);
        let ask = Ask {
            worker: "worker-1".to_owned(),
            role: None,
            goal: None,
            time: TIME,
            idempotency_key: None,
        };
        let free = &self.free;
        let limits = Limits::default();
        let refused = || Failure::from("refused");
        let start = Instant::now();
        let claim = self.desk.call(now, |queue| queue.claim(&ask, free, limits, now))?;
        let claimed = start.elapsed();
        let id = claim.map_err(|_| refused())?.claim_id;
        let start = Instant::now();
        let renewed = self.desk.call(now, |queue| queue.renew(&id, "worker-1", TIME, now))?;
        let renewing = start.elapsed();
        renewed.map_err(|_| refused())?;
        let start = Instant::now();
        let released = self.desk.call(now, |queue| queue.release(&id, "worker-1", None, now))?;
        let releasing = start.elapsed();
        released.map_err(|_| refused())?;
        Ok([claimed, renewing, releasing])
    }
}

/// The calls that no durable lease can avoid.
struct Floor {
    file: File,
    length: u64,
}

impl Floor {
    fn new(directory: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(directory)?;
        Ok(Self { file: File::create(directory.join(LOG))?, length: 0 })
    }

    fn append(&mut self) -> Result<(), Failure> {
        let line = [b'e'; 400];
        self.file.lock()?;
        self.file.write_all_at(&line, self.length)?;
        self.length += line.len() as u64;
        rustix::fs::fdatasync(&self.file)?;
        self.file.unlock()?;
        Ok(())
    }
}
