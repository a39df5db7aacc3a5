//! `auto` as a worker of the queue: a goal is claimed before it begins, the claim is renewed while it is
//! worked on, and given back at the end. The worker's name stays, so that a later run has its claims.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use hast_flow::docs::goals::{Claim, PacketLease, QueueLane};
use hast_flow::flows::goals::queue::desk::Desk;
use hast_flow::flows::goals::queue::{Ask, Candidate, Decided, Limits, Queue, Refused};
use hast_flow::leases::{LeaseResult, LeaseStep, MOST};
use hast_flow::ports::Clock;
use hast_flow::store::identity::ContentHash;
use hast_flow::time::UtcTime;
use hast_flow::words::Lang;
use hast_world::disk::RealDisk;
use hast_world::driver_lock::this_host;
use hast_world::root_path::RootPath;
use jiff::SignedDuration;

use crate::app::App;
use crate::commands::calling::Project;
use crate::commands::queue;
use crate::problem::Problem;

/// How long a claim holds without being renewed, and how often it is.
const TIME: SignedDuration = SignedDuration::from_mins(30);
const RENEWED: Duration = Duration::from_secs(10 * 60);
/// A claim that holds this long is not worth renewing yet.
const FRESH: SignedDuration = SignedDuration::from_mins(25);

/// The claims of one run.
pub(crate) struct Leases {
    desk: Arc<Mutex<AtDesk>>,
    /// Ends the renewing when it is dropped.
    _renewing: Sender<()>,
}

struct AtDesk {
    desk: Desk<RealDisk>,
    clock: Arc<dyn Clock + Send + Sync>,
    worker: String,
    limits: Limits,
    lang: Lang,
    /// The claims that are renewed, by goal.
    held: BTreeMap<String, String>,
    /// The one claim that counts, for whoever works in another's name. There is no other.
    only: Option<String>,
    at_once: AtOnce,
    /// Nobody but this project's `auto` claims here in the name of an `auto`, and there is one at a time.
    is_ours_alone: bool,
}

/// How many goals a run works on at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AtOnce {
    /// Taking the next goal gives back the one before.
    One,
    /// Each lane gives back its own.
    Lanes(usize),
}

impl Leases {
    pub(super) fn open(app: &mut App, project: &Project, at_once: AtOnce) -> Result<Self, Problem> {
        let desk = queue::open(app, project)?;
        // A claim that was left by a lane before counts as well.
        let per_worker = match at_once {
            AtOnce::One => 64,
            AtOnce::Lanes(width) => width.saturating_mul(4).max(64),
        };
        let (worker, limits) = (worker(&project.root), Limits { per_worker });
        let clock = crate::app::shared_clock(app.lang)?;
        let (lang, held) = (app.lang, BTreeMap::new());
        let (only, is_ours_alone) = (None, project.config.queue_dir.is_none());
        let desk = AtDesk { desk, clock, worker, limits, lang, held, only, at_once, is_ours_alone };
        Ok(Self::at(desk))
    }

    /// The claim under which a packet went out, and none after it.
    pub(crate) fn of_packet(
        app: &mut App,
        project: &Project,
        lease: &PacketLease,
    ) -> Result<Self, Problem> {
        let desk = queue::open(app, project)?;
        let clock = crate::app::shared_clock(app.lang)?;
        let (lang, held) = (app.lang, BTreeMap::new());
        let (worker, only) = (lease.worker_id.clone(), Some(lease.claim_id.clone()));
        let (limits, at_once) = (Limits::default(), AtOnce::Lanes(1));
        let is_ours_alone = false;
        let desk = AtDesk { desk, clock, worker, limits, lang, held, only, at_once, is_ours_alone };
        Ok(Self::at(desk))
    }

    fn at(desk: AtDesk) -> Self {
        let desk = Arc::new(Mutex::new(desk));
        let (renewing, ended) = channel();
        let renewed = Arc::clone(&desk);
        // Without a thread the claims end by themselves, and the merge asks for them again.
        let _ = Builder::new().name("leases".to_owned()).spawn(move || renew(&renewed, &ended));
        Self { desk, _renewing: renewing }
    }

    pub(crate) fn perform(&self, step: &LeaseStep) -> LeaseResult {
        let mut desk = at(&self.desk);
        match step {
            LeaseStep::Claim { unit } | LeaseStep::Keep { unit } => desk.hold(unit),
            LeaseStep::Release { unit } => {
                desk.release(unit);
                LeaseResult::Released
            }
        }
    }
}

impl Leases {
    /// The run is over, whatever it came to.
    pub(super) fn give_back(&self) {
        let mut desk = at(&self.desk);
        let goals: Vec<String> = desk.held.keys().cloned().collect();
        for goal in goals {
            desk.release(&goal);
        }
    }
}

/// Two machines that share a queue may have their projects at the same path.
fn worker(root: &RootPath) -> String {
    let mut name = this_host().into_bytes();
    name.push(0);
    name.extend(root.as_os_str().as_encoded_bytes());
    format!("{WORKER}{:?}", ContentHash::of(&name))
}

/// Every `auto` has a name that begins so.
const WORKER: &str = "auto-";

/// Whether a name is one of an `auto`, on whatever host and in whatever directory.
fn is_an_auto(worker: &str) -> bool {
    let hash = worker.strip_prefix(WORKER).unwrap_or_default();
    let length = format!("{:?}", ContentHash::of(b"")).len();
    hash.len() == length && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn at(desk: &Mutex<AtDesk>) -> MutexGuard<'_, AtDesk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

fn renew(desk: &Mutex<AtDesk>, ended: &Receiver<()>) {
    while ended.recv_timeout(RENEWED) == Err(RecvTimeoutError::Timeout) {
        let mut desk = at(desk);
        let goals: Vec<String> = desk.held.keys().cloned().collect();
        for goal in goals {
            desk.hold(&goal);
        }
    }
}

impl AtDesk {
    /// More time for a claim that there is, or a new one.
    fn hold(&mut self, goal: &str) -> LeaseResult {
        let now = UtcTime::new(self.clock.now());
        if self.is_ours_alone {
            self.inherit(goal, now);
        }
        let (worker, limits) = (self.worker.clone(), self.limits);
        let ask = Ask {
            worker: worker.clone(),
            role: None,
            goal: Some(goal.to_owned()),
            time: TIME,
            idempotency_key: None,
        };
        let candidates = [Candidate { goal_id: goal.to_owned(), lane: QueueLane::Implement }];
        let (only, at_once) = (self.only.clone(), self.at_once);
        let fresh = now.instant().checked_add(FRESH).unwrap_or(jiff::Timestamp::MAX);
        let answer = self.desk.call(now, |queue| match (only, own(queue, &worker, goal)) {
            (Some(only), claim) => {
                // It is never cut short.
                let end = claim.map(|claim| claim.expires_at.instant());
                let left = end.map(|end| end.duration_since(now.instant())).unwrap_or_default();
                queue.renew(&only, &worker, TIME.max(left).min(MOST), now)
            }
            (None, Some(claim)) if claim.expires_at.instant() >= fresh => {
                Decided { answer: Ok(claim.clone()), news: Vec::new() }
            }
            (None, Some(claim)) => queue.renew(&claim.claim_id, &worker, TIME, now),
            (None, None) => {
                let claimed = queue.claim(&ask, &candidates, limits, now);
                if at_once == AtOnce::One { instead(queue, &worker, claimed, now) } else { claimed }
            }
        });
        match answer {
            Ok(Ok(claim)) => {
                if at_once == AtOnce::One {
                    self.held.clear();
                }
                self.held.insert(goal.to_owned(), claim.claim_id);
                LeaseResult::Held { fence: claim.fence }
            }
            Ok(Err(refused)) => {
                self.held.remove(goal);
                LeaseResult::Gone { why: refused.what(self.lang) }
            }
            Err(error) => LeaseResult::Failed { why: error.to_string() },
        }
    }

    /// A project that was moved, or a host with another name: the `auto` that has the goal by its earlier name
    /// is dead, because the driver's lock is ours. Its claim ends; what cannot be ended runs out by itself.
    fn inherit(&mut self, goal: &str, now: UtcTime) {
        let worker = self.worker.clone();
        let _ = self.desk.call(now, |queue| {
            let earlier = |claim: &&Claim| {
                claim.goal_id == goal && claim.worker_id != worker && is_an_auto(&claim.worker_id)
            };
            match queue.active().find(earlier) {
                Some(claim) => queue.release(&claim.claim_id, &claim.worker_id, None, now),
                None => Decided { answer: Err(Refused::NoClaimableGoals), news: Vec::new() },
            }
        });
    }

    /// What cannot be given back ends by itself.
    fn release(&mut self, goal: &str) {
        let now = UtcTime::new(self.clock.now());
        let worker = self.worker.clone();
        self.held.remove(goal);
        let _ = self.desk.call(now, |queue| {
            let id = own(queue, &worker, goal).map(|claim| claim.claim_id.clone());
            queue.release(&id.unwrap_or_default(), &worker, None, now)
        });
    }
}

/// The claim that this worker has on a goal.
fn own<'q>(queue: &'q Queue, worker: &str, goal: &str) -> Option<&'q Claim> {
    queue.active().find(|claim| claim.worker_id == worker && claim.goal_id == goal)
}

/// A claim in the place of every other that this worker has.
fn instead(queue: &Queue, worker: &str, claimed: Decided, now: UtcTime) -> Decided {
    let Decided { answer, news } = claimed;
    if answer.is_err() {
        return Decided { answer, news };
    }
    let others = queue.active().filter(|claim| claim.worker_id == worker);
    let given_back =
        others.flat_map(|claim| queue.release(&claim.claim_id, worker, None, now).news);
    Decided { answer, news: given_back.chain(news).collect() }
}
