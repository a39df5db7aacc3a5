//! `protocol ingest`, before anything is judged: whether a result answers a task of ours that still
//! counts. What comes in is written down whole; what does not changes nothing.

use std::collections::BTreeSet;

use serde_json::json;

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::CallEnd;
use crate::attempt::worktrees::{Delivered, Target, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::goals::{GoalsEventKind as Kind, HandoffStatus, ProtocolResult, ProtocolTask};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::goals::auto::asking::lease;
use crate::flows::goals::auto::lanes::Delivery;
use crate::flows::goals::auto::packets::{PacketView, Refused, is_read, patch};
use crate::flows::goals::auto::policy::POLICY;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{layout, words};
use crate::flows::goals::runnable::{Asked, Choice, Depth, Refused as NotToRun, choose};
use crate::flows::goals::selection::placed;
use crate::formats::json;
use crate::ids::Sha256;
use crate::leases::{LeaseResult, LeaseStep};
use crate::roles::PolicyTable;
use crate::steps::{Effect, EffectResult, Ending, Notice, Step, StepKey};
use crate::store::DocPath;
use crate::words::Lang;

/// One result that somebody brings.
#[derive(Clone, Debug)]
pub struct ReceiveFlow {
    pub result: ProtocolResult,
}

/// What is to be done with a result.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    /// It was judged before.
    Answered,
    /// It is written down, and to be judged.
    Received,
    Look,
    Hold,
    Take,
}

impl Flow for ReceiveFlow {
    type View = PacketView;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, _: bool) -> bool {
        is_read(path, self.result.packet_id.as_str())
    }

    fn fold(&self, view: &mut PacketView, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &PacketView, facts: &Facts<'_>) -> Step {
        let lang = facts.lang;
        let packet = &self.result.packet_id;
        match self.judge(view, lang) {
            Err(refused) => Step::Finish(Ending::Failed(Notice {
                what: refused.what(lang),
                next: refused.next(lang),
            })),
            Ok(Next::Answered | Next::Received) => Step::Finish(Ending::Done(Notice {
                what: words::received(lang, packet),
                next: words::packet_answered_next(lang),
            })),
            Ok(Next::Look) => self.look(view, lang),
            Ok(Next::Hold) => {
                let step = LeaseStep::Keep { unit: self.result.goal_id.clone() };
                match lease(&view.shared, facts, &self.key("lease"), step) {
                    Ok(_) => unexpected(&self.key("lease"), lang),
                    Err(step) => step,
                }
            }
            Ok(Next::Take) => self.take(&view.shared, facts),
        }
    }
}

impl ReceiveFlow {
    fn key(&self, part: &str) -> StepKey {
        StepKey::new(&["packet", self.result.packet_id.as_str(), part])
    }

    /// The content as it is written down: the same words are the same result.
    fn text(&self) -> String {
        json::print(&self.result).unwrap_or_default()
    }

    fn content(&self) -> String {
        Sha256::of(self.text().as_bytes()).to_string()
    }

    /// Why it does not come in, if it does not.
    pub fn refused(&self, view: &PacketView, lang: Lang) -> Option<Refused> {
        self.judge(view, lang).err()
    }

    fn judge(&self, view: &PacketView, lang: Lang) -> Result<Next, Refused> {
        let result = &self.result;
        let packet = || result.packet_id.to_string();
        let (Some(task), Some(known)) = (&view.task, view.packets.get(result.packet_id.as_str()))
        else {
            return Err(Refused::UnknownPacket { packet: packet() });
        };
        if task.goal.id != result.goal_id {
            let (found, expected) = (result.goal_id.clone(), task.goal.id.clone());
            return Err(Refused::WrongGoal { found, expected });
        }
        if let Some(before) = &known.received {
            if *before != self.content() {
                return Err(Refused::OtherResult { packet: packet() });
            }
            let answered = known.settled.is_some();
            return Ok(if answered { Next::Answered } else { Next::Received });
        }
        if task.base.commit != result.base_commit {
            return Err(stale(result, task));
        }
        match result.patch.as_deref().and_then(patch::objection) {
            None => {}
            Some(patch::Objection::Delta) => return Err(Refused::BinaryDelta),
            Some(patch::Objection::Other(why)) => return Err(Refused::BadPatch { why }),
        }
        self.is_open(&view.shared, lang)?;
        match view.shared.results.get(&self.key("look")) {
            Some(EffectResult::Worktree(WorktreeResult::Contains(true))) => {}
            Some(EffectResult::Worktree(WorktreeResult::Contains(false))) => {
                return Err(stale(result, task));
            }
            _ => return Ok(Next::Look),
        }
        match view.shared.results.get(&self.key("lease")) {
            Some(EffectResult::Lease(LeaseResult::Held { fence }))
                if *fence == task.lease.fence =>
            {
                Ok(Next::Take)
            }
            Some(EffectResult::Lease(LeaseResult::Gone { why })) => {
                Err(Refused::LostLease { goal: result.goal_id.clone(), why: why.clone() })
            }
            // Whose it is is not known.
            Some(EffectResult::Lease(LeaseResult::Failed { .. })) | None => Ok(Next::Hold),
            Some(_) => {
                let why = task.lease.claim_id.clone();
                Err(Refused::LostLease { goal: result.goal_id.clone(), why })
            }
        }
    }

    /// The goal is there and somebody is to work on it.
    fn is_open(&self, view: &View, lang: Lang) -> Result<(), Refused> {
        let goal = &self.result.goal_id;
        let goals = view.goals.as_ref().and_then(|file| file.goals.as_ref().ok());
        let all = goals.map(placed).unwrap_or_default();
        let asked = Asked { goal: Some(goal.clone()), depth: Depth::One };
        match choose(&all, &asked, None, &BTreeSet::new()) {
            Choice::Run(_) => Ok(()),
            Choice::Refused(NotToRun::Unknown { .. }) => {
                Err(Refused::UnknownGoal { goal: goal.clone() })
            }
            Choice::Refused(why) => {
                Err(Refused::NotOpen { what: why.what(lang), next: why.next(lang) })
            }
            Choice::Nothing(why) => {
                Err(Refused::NotOpen { what: why.what(lang), next: why.next(lang) })
            }
        }
    }

    /// Whether the base is still part of the branch that the packet began on.
    fn look(&self, view: &PacketView, lang: Lang) -> Step {
        let key = self.key("look");
        match view.shared.results.get(&key) {
            Some(EffectResult::Worktree(WorktreeResult::Refused(refused))) => {
                return problem(refused, lang);
            }
            Some(_) => return unexpected(&key, lang),
            None => {}
        }
        let Ok(commit) = self.result.base_commit.parse() else {
            return blocked(words::no_tip(lang), words::no_tip_next(lang));
        };
        let branch = view.task.as_ref().and_then(|task| task.base.branch.clone());
        let onto = branch.map(Target::Branch);
        let step = WorktreeStep::Contains { onto, commit };
        Step::Effect { key, effect: Effect::Worktree(Box::new(step)) }
    }

    fn take(&self, view: &View, facts: &Facts<'_>) -> Step {
        let result = &self.result;
        let detail = json!({
            "packet_id": result.packet_id,
            "goal_id": result.goal_id,
            "status": result.status,
            "content": self.content(),
            "worker": result.worker,
        });
        let path = layout::of_packet(result.packet_id.as_str(), layout::RESULT);
        Draft::new(view, facts, &format!("the result of {} came in", result.packet_id))
            .create(&path, self.text().into_bytes())
            .event(Kind::PacketReceived, detail)
            .step()
    }
}

fn stale(result: &ProtocolResult, task: &ProtocolTask) -> Refused {
    let short = |id: &str| id.get(..12).unwrap_or(id).to_owned();
    Refused::StaleBase { found: short(&result.base_commit), expected: short(&task.base.commit) }
}

/// A result that came in, as the lane takes it.
pub fn delivery(result: &ProtocolResult, task: &ProtocolTask) -> Option<Delivery> {
    let reason = result.reason.clone().unwrap_or_default();
    let end = match result.status {
        HandoffStatus::Complete => CallEnd::Ended,
        HandoffStatus::Failed => CallEnd::SaidFailed { error: reason },
        HandoffStatus::Blocked => CallEnd::SaidBlocked { reason },
    };
    let of_branch = || {
        let branch = result.branch.as_ref()?;
        let commit: ObjectId = branch.commit.parse().ok()?;
        Some(Delivered::Branch { name: branch.name.clone(), commit })
    };
    Some(Delivery {
        packet: result.packet_id.to_string(),
        goal: result.goal_id.clone(),
        base: result.base_commit.parse().ok()?,
        onto: task.base.branch.clone().map(Target::Branch),
        end,
        work: result.patch.clone().map(Delivered::Patch).or_else(of_branch),
        handoff: result.handoff.clone().map(|text| (task.handoff_path.clone(), text)),
    })
}
