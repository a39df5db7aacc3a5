//! A lane whose agent was elsewhere: what it delivered is put into the tree in the place of a call.
//! From there on it is an attempt like any other, and the same judge looks at it.

use serde_json::json;

use crate::attempt::base::attempt_ref;
use crate::attempt::evidence::CallEnd;
use crate::attempt::worktrees::{DeliverPlan, Delivered, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::driver::Facts;
use crate::flows::goals::auto::lanes::decide::worktree;
use crate::flows::goals::auto::lanes::view::{Lane, LanesView};
use crate::flows::goals::auto::lanes::{Delivery, LanesFlow};
use crate::flows::goals::auto::view::{Current, Documents, View};
use crate::flows::goals::auto::working::key;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{layout, words};
use crate::steps::{Ending, Notice, Step};
use crate::words::Lang;

impl LanesFlow {
    /// Whether a lane is this run's to go on with: one for a packet is finished by its packet.
    fn drives(&self, lane: &Lane) -> bool {
        self.delivery.as_ref().map(|delivery| &delivery.packet) == lane.packet.as_ref()
    }
}

/// Lanes of others stand in the way; and once its packet is answered, nothing is left for a run.
pub(super) fn nothing_to_drive(flow: &LanesFlow, view: &LanesView, lang: Lang) -> Option<Step> {
    if let Some(other) = view.lanes.values().find(|lane| !flow.drives(lane)) {
        return Some(of_others(other, lang));
    }
    let packet = &flow.delivery.as_ref()?.packet;
    let is_over = view.answered.contains(packet) && view.lanes.is_empty();
    let notice = || Notice {
        what: words::packet_answered(lang, packet),
        next: words::packet_answered_next(lang),
    };
    is_over.then(|| Step::Finish(Ending::Done(notice())))
}

/// A lane that another command has to finish first.
fn of_others(lane: &Lane, lang: Lang) -> Step {
    match &lane.packet {
        Some(packet) => {
            let what = words::open_packet(lang, &lane.goal, packet);
            blocked(what, words::open_packet_next(lang, packet))
        }
        None => blocked(words::open_lane(lang, &lane.goal), words::open_lane_next(lang)),
    }
}

/// Puts the work into the tree. Doing it again puts the same there.
pub(super) fn step(
    flow: &LanesFlow,
    seen: &View,
    facts: &Facts<'_>,
    (lane, current): (&Lane, &Current),
) -> Step {
    let deliver_key = key(&current.goal, current.number, &["deliver"]);
    let Some(delivery) = &flow.delivery else { return unexpected(&deliver_key, facts.lang) };
    let end = match &delivery.work {
        None => delivery.end.clone(),
        Some(work) => {
            let step = || WorktreeStep::Deliver(plan(flow, lane, delivery, work));
            match worktree(seen, facts, deliver_key.clone(), step) {
                Err(step) => return step,
                Ok(WorktreeResult::Delivered) => delivery.end.clone(),
                Ok(WorktreeResult::Unfit { why }) => {
                    CallEnd::SaidFailed { error: words::does_not_fit(facts.lang, why) }
                }
                Ok(WorktreeResult::Refused(refused)) => return problem(refused, facts.lang),
                Ok(_) => return unexpected(&deliver_key, facts.lang),
            }
        }
    };
    let detail = json!({
        "goal_id": current.goal,
        "attempt": current.number,
        "end": end,
        "packet": delivery.packet,
    });
    Draft::new(seen, facts, "what was delivered is in the tree")
        .event(Kind::AttemptEnded, detail)
        .starts(key(&current.goal, current.number, &["inspect", &current.cuts.to_string()]))
        .step()
}

fn plan(flow: &LanesFlow, lane: &Lane, delivery: &Delivery, work: &Delivered) -> DeliverPlan {
    DeliverPlan {
        tree: lane.place.clone(),
        base: delivery.base.clone(),
        work: work.clone(),
        file: delivery.handoff.clone(),
        max_file_bytes: flow.auto.settings.max_saved_file_bytes,
        max_total_bytes: flow.auto.settings.max_saved_bytes,
    }
}

/// With the end of its lane a packet is answered, once and for all.
pub(super) fn settled<'v>(
    draft: Draft<'v>,
    seen: &View,
    lane: &Lane,
    stuck: Option<&str>,
) -> Draft<'v> {
    let Some(packet) = &lane.packet else { return draft };
    let number = seen.ledger(&lane.goal).last_number();
    let documents = seen.documents_of(&lane.goal, number);
    let verdict = documents.and_then(Documents::last_verdict);
    let outcome = match lane.then.as_deref() {
        Some("done" | "done_and_stop") => "merged",
        Some("try_again") => "failed",
        Some("lease_lost") => "lease_lost",
        Some(layout::WITHDRAWN) => layout::WITHDRAWN,
        _ => "blocked",
    };
    let failed = verdict.filter(|verdict| !verdict.verdict.class.is_success());
    let holds = match (stuck, failed, &lane.passed) {
        // What passed, and cannot go on, stays on the branch of its tree.
        (Some(_), None, Some(_)) => Some(lane.place.branch()),
        // Another one has the goal, and what passed is on no ref but this.
        (None, None, _) => lane.kept.clone(),
        (_, failed, _) => failed.map(|_| attempt_ref(&lane.goal, number)),
    };
    let (code, reason) = match stuck {
        Some(what) => (Some("lane"), Some(what)),
        None => verdict.map(|one| (one.verdict.reason.code(), one.text.as_str())).unzip(),
    };
    draft.event(
        Kind::PacketSettled,
        json!({
            "packet_id": packet,
            "goal_id": lane.goal,
            "attempt": number,
            "outcome": outcome,
            "class": verdict.map(|verdict| verdict.verdict.class),
            "code": code,
            "reason": reason,
            "commit": lane.over.as_ref().filter(|_| outcome == "merged"),
            "ref": holds,
            "branch": lane.kept,
        }),
    )
}
