//! The queue as its page describes it: sentences of it, and what any order of calls must keep.
#![cfg(test)]

use std::collections::BTreeMap;

use hast_flow::docs::document::read;
use hast_flow::docs::goals::{Claim, ClaimStatus, Goals, QueueEvent, QueueEventKind, QueueLane};
use hast_flow::flows::goals::queue::{Ask, Candidate, Decided, Limits, Queue, candidates};
use hast_flow::flows::goals::selection::placed;
use hast_flow::formats::source::Source;
use hast_flow::ids::EventId;
use hast_flow::time::UtcTime;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

fn at(minute: i64) -> UtcTime {
    UtcTime::new(Timestamp::from_second(1_770_000_000 + minute * 60).unwrap())
}

fn ask(worker: &str) -> Ask {
    Ask {
        worker: worker.to_owned(),
        role: None,
        goal: None,
        time: SignedDuration::from_mins(30),
        idempotency_key: None,
    }
}

fn free(text: &str) -> Vec<Candidate> {
    let goals = read::<Goals>(&Source::new("goals.yaml", text)).unwrap().value;
    candidates(&placed(&goals))
}

const GOALS: &str = "goals:
  - {id: A, title: t, status: active, phase: implement}
  - {id: B, title: t, status: active, phase: adversarial}
  - {id: C, title: t, status: active, phase: review}
  - {id: D, title: t, status: pending}
  - {id: E, title: t, status: active, depends_on: [D]}
  - {id: F, title: t, status: active, mode: interactive}
  - {id: P, title: t, status: active, children: [{id: P1, title: t, status: active}]}
";

/// A queue with the log that made it.
#[derive(Default)]
struct Room {
    queue: Queue,
    log: Vec<QueueEvent>,
}

impl Room {
    /// What the desk does, without a file.
    fn call(
        &mut self,
        now: UtcTime,
        decide: impl FnOnce(&Queue) -> Decided,
    ) -> Result<Claim, &'static str> {
        for news in self.queue.sweep(now) {
            self.take(now, news);
        }
        let decided = decide(&self.queue);
        for news in decided.news {
            self.take(now, news);
        }
        decided.answer.map_err(|refused| refused.code().as_str())
    }

    fn take(&mut self, now: UtcTime, news: hast_flow::flows::goals::queue::News) {
        let event = QueueEvent {
            event_id: EventId::new(now, self.log.len() as u64 + 1),
            ts: now,
            actor: news.actor,
            kind: news.kind,
            detail: news.detail,
        };
        self.queue.apply(&event);
        self.log.push(event);
    }

    fn claim(&mut self, minute: i64, ask: &Ask) -> Result<Claim, &'static str> {
        self.call(at(minute), |queue| queue.claim(ask, &free(GOALS), Limits::default(), at(minute)))
    }
}

#[test]
fn a_claim_has_the_fields_of_the_page() {
    let mut room = Room::default();
    let ask = Ask { idempotency_key: Some("k1".to_owned()), ..ask("w1") };
    let claim = room.claim(0, &ask).unwrap();
    let hex = claim.claim_id.strip_prefix("QCLM_").unwrap();
    assert!(hex.len() == 12 && hex.chars().all(|c| c.is_ascii_hexdigit()));
    assert_eq!((claim.worker_id.as_str(), claim.fence), ("w1", 1));
    assert_eq!((claim.created_at, claim.expires_at), (at(0), at(30)));
    assert_eq!(claim.status, ClaimStatus::Active);
    let json = serde_json::to_value(&claim).unwrap();
    let fields: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(fields.len(), 9, "{fields:?}");
}

#[test]
fn the_deepest_goal_is_first_and_only_active_leaves_that_wait_for_nothing_are_free() {
    let ids: Vec<String> = free(GOALS).into_iter().map(|one| one.goal_id).collect();
    assert_eq!(ids, ["P1", "A", "B", "C"]);
    let mut room = Room::default();
    for goal in ["D", "E", "F", "P", "nowhere"] {
        let ask = Ask { goal: Some(goal.to_owned()), ..ask("w") };
        assert_eq!(room.claim(0, &ask), Err("goal_not_claimable"), "{goal}");
    }
}

#[test]
fn a_worker_gets_goals_of_its_lane_only() {
    let mut room = Room::default();
    let of = |worker: &str, role| Ask { role: Some(role), ..ask(worker) };
    assert_eq!(room.claim(0, &of("t", QueueLane::Test)).unwrap().goal_id, "B");
    assert_eq!(room.claim(0, &of("v", QueueLane::Verify)).unwrap().goal_id, "C");
    assert_eq!(room.claim(0, &of("v2", QueueLane::Verify)), Err("role_no_claimable_goals"));
    let wrong = Ask { goal: Some("A".to_owned()), ..of("x", QueueLane::Test) };
    assert_eq!(room.claim(0, &wrong), Err("role_phase_mismatch"));
}

#[test]
fn one_active_claim_a_worker_and_one_holder_a_goal() {
    let mut room = Room::default();
    room.claim(0, &ask("w1")).unwrap();
    assert_eq!(room.claim(0, &ask("w1")), Err("max_active_claims"));
    let named = Ask { goal: Some("P1".to_owned()), ..ask("w2") };
    assert_eq!(room.claim(1, &named), Err("goal_already_claimed"));
    let told = room.log.last().unwrap();
    assert_eq!(told.kind, QueueEventKind::Refused, "a collision is counted");
    for worker in ["w2", "w3", "w4"] {
        room.claim(1, &ask(worker)).unwrap();
    }
    assert_eq!(room.claim(1, &ask("w5")), Err("no_claimable_goals"));
}

#[test]
fn the_same_worker_key_and_role_get_the_same_claim_again_while_it_is_active() {
    let mut room = Room::default();
    let ask =
        Ask { idempotency_key: Some("k".to_owned()), role: Some(QueueLane::Implement), ..ask("w") };
    let first = room.claim(0, &ask).unwrap();
    let lines = room.log.len();
    assert_eq!(room.claim(5, &ask), Ok(first.clone()));
    assert_eq!(room.log.len(), lines, "nothing is written for it");
    let other = Ask { role: Some(QueueLane::Test), ..ask.clone() };
    assert_eq!(room.claim(5, &other), Err("max_active_claims"));
    let after = room.claim(40, &ask).unwrap();
    assert_ne!(after.claim_id, first.claim_id);
}

#[test]
fn only_the_owner_renews_or_releases_and_only_while_it_is_active() {
    let mut room = Room::default();
    let claim = room.claim(0, &ask("w1")).unwrap();
    let id = claim.claim_id.as_str();
    let hour = SignedDuration::from_mins(60);
    let renewed = room.call(at(10), |queue| queue.renew(id, "w1", hour, at(10))).unwrap();
    assert_eq!((renewed.expires_at, renewed.fence), (at(70), claim.fence));
    let stolen = room.call(at(11), |queue| queue.renew(id, "w2", hour, at(11)));
    assert_eq!(stolen, Err("not_claim_owner"));
    let stolen = room.call(at(11), |queue| queue.release(id, "w2", None, at(11)));
    assert_eq!(stolen, Err("not_claim_owner"));
    let too_long = SignedDuration::from_mins(241);
    assert_eq!(room.call(at(11), |queue| queue.renew(id, "w1", too_long, at(11))), Err("bad_ttl"));
    let late = room.call(at(70), |queue| queue.renew(id, "w1", hour, at(70)));
    assert_eq!(late, Err("claim_not_active"));
    let unknown = room.call(at(70), |queue| queue.release("QCLM_000000000000", "w1", None, at(70)));
    assert_eq!(unknown, Err("claim_not_found"));
}

#[test]
fn a_late_workers_result_does_not_count() {
    let mut room = Room::default();
    let early = room.claim(0, &ask("w1")).unwrap();
    let late = room.claim(30, &ask("w2")).unwrap();
    assert_eq!(late.goal_id, early.goal_id, "the goal is free again");
    assert!(late.fence > early.fence);
    assert!(!room.queue.counts(&early.goal_id, early.fence, at(31)));
    assert!(room.queue.counts(&late.goal_id, late.fence, at(31)));
}

proptest! {
    /// Whatever workers do in whatever order: one holder a goal, fences that grow, one claim a
    /// worker; and the log tells the same queue to whoever reads it anew.
    #[test]
    fn any_order_of_calls_keeps_the_promises(
        steps in prop::collection::vec((0u8..4, 0u8..5, 0u8..5, 0i64..25), 1..80)
    ) {
        let mut room = Room::default();
        let (mut minute, mut last_fence) = (0, 0);
        let mut known: Vec<Claim> = Vec::new();
        for (action, worker, pick, pause) in steps {
            minute += pause;
            let worker = format!("w{worker}");
            let id = known.get(usize::from(pick)).map_or_else(String::new, |claim| claim.claim_id.clone());
            let now = at(minute);
            let answer = match action {
                0 | 1 => {
                    let goal = (action == 1).then(|| "ABC"[usize::from(pick % 3)..=usize::from(pick % 3)].to_owned());
                    room.claim(minute, &Ask { goal, ..ask(&worker) })
                }
                2 => room.call(now, |queue| queue.renew(&id, &worker, SignedDuration::from_mins(9), now)),
                _ => room.call(now, |queue| queue.release(&id, &worker, None, now)),
            };
            if let (Ok(claim), 0 | 1) = (&answer, action) {
                prop_assert!(claim.fence > last_fence);
                last_fence = claim.fence;
                known.insert(0, claim.clone());
            }
            let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
            let mut workers: BTreeMap<&str, usize> = BTreeMap::new();
            for claim in room.queue.active() {
                prop_assert!(claim.expires_at > now);
                *holders.entry(&claim.goal_id).or_default() += 1;
                *workers.entry(&claim.worker_id).or_default() += 1;
            }
            prop_assert!(holders.values().chain(workers.values()).all(|count| *count == 1));
        }
        let mut fresh = Queue::default();
        for event in &room.log {
            fresh.apply(event);
        }
        prop_assert_eq!(fresh, room.queue);
    }
}
