//! The queue: which worker may work on which goal until when. Pure decisions over the fold of a log;
//! [`desk`] takes them under the lock of the log, so that two workers never share a goal.

pub mod desk;
pub mod refusal;

use std::collections::BTreeMap;

use jiff::SignedDuration;
use sha2::{Digest, Sha256};

use crate::docs::goals::{
    Claim, ClaimStatus, GoalStatus, QueueDetail, QueueEvent, QueueEventKind as Kind, QueueLane,
};
use crate::flows::goals::runnable::ready;
use crate::flows::goals::selection::Placed;
use crate::leases::{Lease, LeaseEvent, Leases};
use crate::time::UtcTime;

pub use refusal::{Code, Refused};

/// The claims of a queue, as its log tells them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    leases: Leases,
    /// Active ones, and those that ended since the file of the log began.
    claims: BTreeMap<String, Claim>,
    /// The number of the last event.
    events: u64,
}

/// What a queue allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Active claims of one worker.
    pub per_worker: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { per_worker: 1 }
    }
}

/// A goal that a worker could get, in the order of the selection policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub goal_id: String,
    pub lane: QueueLane,
}

/// The goals that can be claimed, first choice first.
pub fn candidates(all: &[Placed<'_>]) -> Vec<Candidate> {
    let of = |placed: &&Placed<'_>| Candidate {
        goal_id: placed.goal.id.clone(),
        lane: QueueLane::of(placed.goal.phase),
    };
    ready(all).iter().map(of).collect()
}

/// What a worker asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub worker: String,
    pub role: Option<QueueLane>,
    /// This goal and no other.
    pub goal: Option<String>,
    pub time: SignedDuration,
    pub idempotency_key: Option<String>,
}

/// What a call comes to: an answer, and what it adds to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Decided {
    pub answer: Result<Claim, Refused>,
    pub news: Vec<News>,
}

/// A line of the log that has no number yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    pub actor: String,
    pub kind: Kind,
    pub detail: QueueDetail,
}

impl News {
    fn of(kind: Kind, claim: &Claim) -> Self {
        let detail = QueueDetail { claims: vec![claim.clone()], ..QueueDetail::default() };
        Self { actor: claim.worker_id.clone(), kind, detail }
    }
}

impl Queue {
    pub fn apply(&mut self, event: &QueueEvent) {
        self.events = self.events.max(event.event_id.number());
        if event.kind == Kind::Carried {
            *self = self.without_claims();
            self.leases.continue_after(event.detail.last_fence.unwrap_or(0));
        }
        for claim in &event.detail.claims {
            self.take(claim);
        }
    }

    /// Counts on where this queue ends.
    fn without_claims(&self) -> Self {
        let mut queue = Self { events: self.events, ..Self::default() };
        queue.leases.continue_after(self.leases.last_fence());
        queue
    }

    fn take(&mut self, claim: &Claim) {
        let event = match claim.status {
            ClaimStatus::Active => LeaseEvent::Claimed(lease_of(claim)),
            ClaimStatus::Released => LeaseEvent::Released { fence: claim.fence },
            ClaimStatus::Expired => LeaseEvent::Expired { fence: claim.fence },
        };
        self.leases.apply(&event);
        self.claims.insert(claim.claim_id.clone(), claim.clone());
    }

    pub fn get(&self, claim_id: &str) -> Option<&Claim> {
        self.claims.get(claim_id)
    }

    /// Every claim that is known, in the order in which they were given.
    pub fn claims(&self) -> Vec<&Claim> {
        let mut all: Vec<&Claim> = self.claims.values().collect();
        all.sort_by_key(|claim| claim.fence);
        all
    }

    pub fn active(&self) -> impl Iterator<Item = &Claim> {
        self.claims.values().filter(|claim| claim.status == ClaimStatus::Active)
    }

    /// Whether a result that was made under a claim may still be merged.
    pub fn counts(&self, goal_id: &str, fence: u64, now: UtcTime) -> bool {
        self.leases.counts(goal_id, fence, now.instant())
    }

    /// Ends what is over. Every call begins with it.
    pub fn sweep(&self, now: UtcTime) -> Vec<News> {
        let over = self.leases.sweep(now.instant());
        let fences = over.iter().filter_map(|event| match event {
            LeaseEvent::Expired { fence } => Some(*fence),
            _ => None,
        });
        let claims = fences.filter_map(|fence| self.of_fence(fence));
        claims
            .map(|claim| {
                let claim = Claim { status: ClaimStatus::Expired, ..claim.clone() };
                News { actor: SWEEPER.to_owned(), ..News::of(Kind::Expired, &claim) }
            })
            .collect()
    }

    /// A goal for a worker: the one it names, else the first that is free in its lane.
    pub fn claim(
        &self,
        ask: &Ask,
        candidates: &[Candidate],
        limits: Limits,
        now: UtcTime,
    ) -> Decided {
        match self.grant(ask, candidates, limits, now) {
            Ok(Granted::Again(claim)) => Decided { answer: Ok(claim), news: Vec::new() },
            Ok(Granted::New(claim)) => {
                let news = vec![News::of(Kind::Claimed, &claim)];
                Decided { answer: Ok(claim), news }
            }
            Err(refused) => {
                // Two workers at one goal is what a fleet is tuned by; the other refusals are none.
                let collision = refused.code() == Code::GoalAlreadyClaimed;
                let news = collision.then(|| refusal_news(ask, &refused)).into_iter().collect();
                Decided { answer: Err(refused), news }
            }
        }
    }

    fn grant(
        &self,
        ask: &Ask,
        candidates: &[Candidate],
        limits: Limits,
        now: UtcTime,
    ) -> Result<Granted, Refused> {
        let own: Vec<&Claim> =
            self.active().filter(|claim| claim.worker_id == ask.worker).collect();
        if let Some(key) = &ask.idempotency_key {
            let same = |claim: &&&Claim| {
                claim.idempotency_key.as_ref() == Some(key)
                    && ask.role.is_none_or(|role| role == claim.role)
            };
            if let Some(claim) = own.iter().find(same) {
                return Ok(Granted::Again((*claim).clone()));
            }
        }
        if own.len() >= limits.per_worker {
            let held = own.iter().map(|claim| claim.claim_id.clone()).collect();
            return Err(Refused::MaxActiveClaims { most: limits.per_worker, held });
        }
        let candidate = match &ask.goal {
            Some(goal) => self.named(goal, ask.role, candidates)?,
            None => self.first_free(ask.role, candidates)?,
        };
        let goal = candidate.goal_id.as_str();
        let event = self.leases.claim(goal, &ask.worker, now.instant(), ask.time);
        match event {
            Ok(LeaseEvent::Claimed(lease)) => Ok(Granted::New(Claim {
                claim_id: claim_id(&lease, now),
                goal_id: goal.to_owned(),
                worker_id: ask.worker.clone(),
                role: ask.role.unwrap_or(candidate.lane),
                status: ClaimStatus::Active,
                created_at: now,
                expires_at: UtcTime::new(lease.expires),
                idempotency_key: ask.idempotency_key.clone(),
                fence: lease.fence,
            })),
            Ok(_) => Err(Refused::no_goals(ask.role)),
            Err(refused) => Err(Refused::of_lease(goal, refused)),
        }
    }

    fn named<'c>(
        &self,
        goal: &str,
        role: Option<QueueLane>,
        candidates: &'c [Candidate],
    ) -> Result<&'c Candidate, Refused> {
        let candidate = candidates.iter().find(|candidate| candidate.goal_id == goal);
        let candidate =
            candidate.ok_or_else(|| Refused::GoalNotClaimable { goal: goal.to_owned() })?;
        if role.is_some_and(|role| role != candidate.lane) {
            let (goal, lane) = (goal.to_owned(), candidate.lane);
            return Err(Refused::RolePhaseMismatch { goal, lane });
        }
        match self.leases.held(goal) {
            None => Ok(candidate),
            Some(lease) => Err(Refused::GoalAlreadyClaimed {
                goal: goal.to_owned(),
                by: lease.worker.clone(),
                until: UtcTime::new(lease.expires),
            }),
        }
    }

    fn first_free<'c>(
        &self,
        role: Option<QueueLane>,
        candidates: &'c [Candidate],
    ) -> Result<&'c Candidate, Refused> {
        let free = |candidate: &&Candidate| {
            role.is_none_or(|role| role == candidate.lane)
                && self.leases.held(&candidate.goal_id).is_none()
        };
        candidates.iter().find(free).ok_or_else(|| Refused::no_goals(role))
    }

    /// More time, for the owner, while the claim is active.
    pub fn renew(
        &self,
        claim_id: &str,
        worker: &str,
        time: SignedDuration,
        now: UtcTime,
    ) -> Decided {
        let renewed = self.owned(claim_id, worker).and_then(|claim| {
            let event = self.leases.renew(claim.fence, worker, now.instant(), time);
            match event.map_err(|refused| Refused::of_claim(claim, refused))? {
                LeaseEvent::Renewed { expires, .. } => {
                    Ok(Claim { expires_at: UtcTime::new(expires), ..claim.clone() })
                }
                _ => Ok(claim.clone()),
            }
        });
        told(Kind::Renewed, renewed, None)
    }

    /// Gives a goal back, with the status that it is to have.
    pub fn release(
        &self,
        claim_id: &str,
        worker: &str,
        goal_status: Option<GoalStatus>,
        now: UtcTime,
    ) -> Decided {
        let released = self.owned(claim_id, worker).and_then(|claim| {
            let event = self.leases.release(claim.fence, worker, now.instant());
            event.map_err(|refused| Refused::of_claim(claim, refused))?;
            Ok(Claim { status: ClaimStatus::Released, ..claim.clone() })
        });
        told(Kind::Released, released, goal_status)
    }

    fn owned(&self, claim_id: &str, worker: &str) -> Result<&Claim, Refused> {
        let claim = self.claims.get(claim_id);
        let claim = claim.ok_or_else(|| Refused::ClaimNotFound { claim: claim_id.to_owned() })?;
        if claim.worker_id != worker {
            let (claim, owner) = (claim_id.to_owned(), claim.worker_id.clone());
            return Err(Refused::NotClaimOwner { claim, owner });
        }
        match claim.status {
            ClaimStatus::Active => Ok(claim),
            status => Err(Refused::ClaimNotActive { claim: claim_id.to_owned(), status }),
        }
    }

    fn of_fence(&self, fence: u64) -> Option<&Claim> {
        self.claims.values().find(|claim| claim.fence == fence)
    }

    /// What a new file of the log begins with.
    fn carried(&self) -> News {
        let mut claims: Vec<Claim> = self.active().cloned().collect();
        claims.sort_by_key(|claim| claim.fence);
        let last_fence = Some(self.leases.last_fence());
        let detail = QueueDetail { claims, last_fence, ..QueueDetail::default() };
        News { actor: SWEEPER.to_owned(), kind: Kind::Carried, detail }
    }
}

enum Granted {
    /// The same call was answered before.
    Again(Claim),
    New(Claim),
}

/// Whoever comes next ends what is over.
const SWEEPER: &str = "queue";

fn told(kind: Kind, claim: Result<Claim, Refused>, goal_status: Option<GoalStatus>) -> Decided {
    let news = claim.as_ref().ok().map(|claim| {
        let mut news = News::of(kind, claim);
        news.detail.goal_status = goal_status;
        news
    });
    Decided { answer: claim, news: news.into_iter().collect() }
}

fn refusal_news(ask: &Ask, refused: &Refused) -> News {
    let (goal_id, code) = (ask.goal.clone(), Some(refused.code().as_str().to_owned()));
    let detail = QueueDetail { goal_id, code, ..QueueDetail::default() };
    News { actor: ask.worker.clone(), kind: Kind::Refused, detail }
}

fn lease_of(claim: &Claim) -> Lease {
    Lease {
        unit: claim.goal_id.clone(),
        worker: claim.worker_id.clone(),
        fence: claim.fence,
        expires: claim.expires_at.instant(),
    }
}

/// No other claim has it: the fence is part of it.
fn claim_id(lease: &Lease, now: UtcTime) -> String {
    let text = format!("{}\0{}\0{}\0{now}", lease.fence, lease.unit, lease.worker);
    let hash = Sha256::digest(text.as_bytes());
    let hex: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("QCLM_{hex}")
}
