//! A fleet of workers that share the goals of one project through `hast queue`: they claim, renew,
//! release, are killed in the middle of a call, go away for good, and come back late. What the log
//! tells in the end is judged by rules that are written here once more.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::dice::Dice;
use crate::stage::{Ran, Stage};

/// Minutes of a claim, and calls of the whole fleet a minute.
const MINUTES: &str = "5";
const CALLS_A_MINUTE: u64 = 48;
/// How many others a worker leaves lying before it comes back to the first.
const LATE_AFTER: usize = 1;

/// What a fleet came to.
#[derive(Debug, Default)]
pub struct Tally {
    pub calls: u64,
    pub kills: u64,
    pub claims: usize,
    pub released: usize,
    pub expired: usize,
    /// Calls of workers that came too late, refused.
    pub late: u64,
    /// Most claims that were active at the same time.
    pub most_at_once: usize,
}

impl Tally {
    /// Takes another fleet's figures in.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.kills += other.kills;
        self.claims += other.claims;
        self.released += other.released;
        self.expired += other.expired;
        self.late += other.late;
        self.most_at_once = self.most_at_once.max(other.most_at_once);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, kills, claims, released, expired, late, most_at_once } = self;
        write!(
            f,
            "{calls} calls ({kills} killed), {claims} claims: {released} released, {expired} ran out; {most_at_once} at once; {late} late calls refused; no goal held twice, none lost"
        )
    }
}

struct Fleet<'f> {
    stage: &'f Stage,
    calls: AtomicU64,
    kills: AtomicU64,
    late: AtomicU64,
    /// Claims that a worker was told of.
    told: Mutex<BTreeSet<String>>,
}

/// Lets so many workers get through so many goals.
pub fn run(hast: &Path, goals: usize, workers: u64, seed: u64) -> Tally {
    let stage = Stage::new(hast);
    let list = |id: usize| format!("  - {{id: G{id:04}, title: t, status: active}}\n");
    let text: String = (0..goals).map(list).collect();
    stage.write(".ai/goals.yaml", format!("goals:\n{text}"));
    let fleet = Fleet {
        stage: &stage,
        calls: AtomicU64::new(0),
        kills: AtomicU64::new(0),
        late: AtomicU64::new(0),
        told: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let fleet = &fleet;
            scope.spawn(move || fleet.work(worker, Dice::of(seed, worker)));
        }
    });
    let open = stage.read(".ai/goals.yaml").matches("status: active").count();
    assert_eq!(open, 0, "every goal was worked on");
    let mut tally = judge(&log(&stage));
    tally.calls = fleet.calls.into_inner();
    tally.kills = fleet.kills.into_inner();
    tally.late = fleet.late.into_inner();
    let told = fleet.told.into_inner().unwrap();
    let known = known_claims(&log(&stage));
    assert!(told.is_subset(&known), "a claim that a worker was told of is not in the log");
    for (goal, claims) in status_setters(&stage) {
        assert_eq!(claims.len(), 1, "{goal} was given back by several claims: {claims:?}");
    }
    tally
}

impl Fleet<'_> {
    /// One worker after the other: a name that died for good is followed by another.
    fn work(&self, number: u64, mut dice: Dice) {
        let mut life = 0;
        let mut late: VecDeque<(String, String)> = VecDeque::new();
        loop {
            let name = format!("w{number}-{life}");
            let key = format!("k{}", dice.throw());
            let args =
                ["queue", "claim", "--worker", &name, "--idempotency-key", &key, "--ttl", MINUTES];
            let claim = match self.answered(&args, &mut dice) {
                Ok(claim) => claim,
                Err(code) if code == "no_claimable_goals" => {
                    if !self.stage.read(".ai/goals.yaml").contains("status: active") {
                        return;
                    }
                    continue;
                }
                // Its claim ran out between two of its calls.
                Err(code) => panic!("{name}: {code}"),
            };
            self.told.lock().unwrap().insert(claim.clone());
            if late.len() > LATE_AFTER
                && let Some((name, claim)) = late.pop_front()
            {
                let released = self.release(&name, &claim, &mut dice);
                self.late.fetch_add(u64::from(released.is_err()), Ordering::Relaxed);
            }
            match dice.below(12) {
                0 => life += 1,
                1 | 2 => {
                    late.push_back((name, claim));
                    life += 1;
                }
                3..6 => {
                    let args = ["queue", "renew", &claim, "--worker", &name, "--ttl", MINUTES];
                    let _ = self.answered(&args, &mut dice);
                    let _ = self.release(&name, &claim, &mut dice);
                }
                _ => drop(self.release(&name, &claim, &mut dice)),
            }
        }
    }

    fn release(&self, name: &str, claim: &str, dice: &mut Dice) -> Result<String, String> {
        let args = ["queue", "release", claim, "--worker", name, "--goal-status", "pending"];
        self.answered(&args, dice)
    }

    /// Calls until there is an answer: a call that is killed is made again. The claim, or the code
    /// of the refusal.
    fn answered(&self, args: &[&str], dice: &mut Dice) -> Result<String, String> {
        let mut command = args.to_vec();
        command.push("--json");
        loop {
            let call = self.calls.fetch_add(1, Ordering::Relaxed);
            let (hour, minute) = (call / CALLS_A_MINUTE / 60, call / CALLS_A_MINUTE % 60);
            let (day, hour) = (1 + hour / 24, hour % 24);
            let clock = format!("2026-03-{day:02}T{hour:02}:{minute:02}:00Z#1");
            let mut process = self.stage.hast_command(&command);
            process.env("HAST_TEST_WORLD", clock);
            if dice.below(4) == 0 {
                let mut child = process
                    .stdout(std::process::Stdio::null())
                    .stderr(std::process::Stdio::null())
                    .spawn()
                    .unwrap();
                std::thread::sleep(Duration::from_micros(dice.below(30_000)));
                child.kill().unwrap();
                child.wait().unwrap();
                self.kills.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let output = process.output().unwrap();
            let ran = Ran {
                code: output.status.code().unwrap_or(-1),
                out: String::from_utf8_lossy(&output.stdout).into_owned(),
                err: String::from_utf8_lossy(&output.stderr).into_owned(),
            };
            let json: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
            return match (ran.code, json["claim_id"].as_str(), json["problem"]["code"].as_str()) {
                (0, Some(claim), _) => Ok(claim.to_owned()),
                (1, _, Some(code)) => Err(code.to_owned()),
                _ => panic!("{ran:?}"),
            };
        }
    }
}

/// Every line of the queue, archived ones first.
pub fn log(stage: &Stage) -> Vec<Value> {
    let mut files = stage.names(".ai/queue/archive");
    files.iter_mut().for_each(|file| *file = format!(".ai/queue/archive/{file}"));
    files.push(".ai/queue/queue.ndjson".to_owned());
    let text: String = files.iter().map(|file| stage.read(file)).collect();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn known_claims(log: &[Value]) -> BTreeSet<String> {
    let claims = log.iter().flat_map(|event| event["detail"]["claims"].as_array()).flatten();
    claims.filter_map(|claim| Some(claim["claim_id"].as_str()?.to_owned())).collect()
}

/// Which claims gave a goal back.
fn status_setters(stage: &Stage) -> BTreeMap<String, BTreeSet<String>> {
    let mut setters: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in stage.read(".ai/events/events.ndjson").lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let detail = &event["detail"];
        let (goal, claim) = (detail["goal_id"].as_str(), detail["claim_id"].as_str());
        setters.entry(goal.unwrap().to_owned()).or_default().insert(claim.unwrap().to_owned());
    }
    setters
}

/// A goal has one holder at a time, fences grow, a claim ends once, and none before its time unless
/// its owner gave it back.
pub fn judge(log: &[Value]) -> Tally {
    let mut tally = Tally::default();
    let mut active: BTreeMap<String, Value> = BTreeMap::new();
    let (mut last_fence, mut last_number) = (0, 0);
    for event in log {
        let id = event["event_id"].as_str().unwrap();
        let number: u64 = id.rsplit('-').next().unwrap().parse().unwrap();
        assert!(number > last_number, "{id} comes after {last_number}");
        last_number = number;
        let kind = event["type"].as_str().unwrap();
        let claims = event["detail"]["claims"].as_array().cloned().unwrap_or_default();
        if kind == "CARRIED" {
            assert_eq!(claims.len(), active.len(), "{id} carries what is active");
        }
        for claim in claims {
            let goal = claim["goal_id"].as_str().unwrap().to_owned();
            let held = active.get(&goal).map(|held| held["claim_id"].clone());
            let own = held.as_ref() == Some(&claim["claim_id"]);
            match kind {
                "CLAIMED" => {
                    assert_eq!(held, None, "{id}: {goal} is held");
                    let fence = claim["fence"].as_u64().unwrap();
                    assert!(fence > last_fence, "{id}: the fence does not grow");
                    last_fence = fence;
                    tally.claims += 1;
                    active.insert(goal, claim);
                }
                "RENEWED" | "CARRIED" => {
                    assert!(own, "{id}: {goal} is not held by it");
                    active.insert(goal, claim);
                }
                "RELEASED" => {
                    assert!(own, "{id}: {goal} is not held by it");
                    tally.released += 1;
                    active.remove(&goal);
                }
                "EXPIRED" => {
                    assert!(own, "{id}: {goal} is not held by it");
                    let over = active[&goal]["expires_at"].as_str().unwrap();
                    assert!(event["ts"].as_str().unwrap() >= over, "{id}: ended before its time");
                    tally.expired += 1;
                    active.remove(&goal);
                }
                other => panic!("{id}: {other}"),
            }
        }
        tally.most_at_once = tally.most_at_once.max(active.len());
    }
    tally
}
