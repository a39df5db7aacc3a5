//! `protocol export`: a claimed goal becomes a task packet, with the commit it begins at.

use jiff::tz::Offset;
use serde_json::json;

use crate::attempt::workspace::Head;
use crate::attempt::worktrees::{WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::document::read;
use crate::docs::goals::{
    Adapter, Claim, ContextOutput, GoalsEventKind as Kind, HandoffName, PacketBase, PacketGoal,
    PacketLease, PacketScope, ProtocolTask, TaskSchema,
};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::goals::auto::kept::last_failure_before;
use crate::flows::goals::auto::packets::envelope::envelope;
use crate::flows::goals::auto::packets::{PacketView, is_read};
use crate::flows::goals::auto::policy::POLICY;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{Settings, layout, words};
use crate::flows::goals::context::{assemble, fit};
use crate::flows::goals::instructions::{Parts, prompt};
use crate::flows::goals::layout as project;
use crate::flows::goals::print::Format;
use crate::flows::goals::selection::{Placed, placed};
use crate::formats::source::Source;
use crate::ids::PacketId;
use crate::roles::PolicyTable;
use crate::steps::{Effect, EffectResult, Ending, Notice, Step, StepKey};
use crate::store::DocPath;
use crate::time::{OffsetTime, UtcTime};

/// One packet to be made.
#[derive(Clone, Debug)]
pub struct ExportFlow {
    pub packet: PacketId,
    pub adapter: Adapter,
    /// The goal, and the right to have it worked on.
    pub claim: Claim,
    pub settings: Settings,
}

impl Flow for ExportFlow {
    type View = PacketView;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, _: bool) -> bool {
        is_read(path, self.packet.as_str())
    }

    fn fold(&self, view: &mut PacketView, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &PacketView, facts: &Facts<'_>) -> Step {
        let lang = facts.lang;
        if view.task.is_some() {
            let what = words::exported(lang, &self.packet, &self.claim.goal_id);
            return Step::Finish(Ending::Done(Notice { what, next: words::exported_next(lang) }));
        }
        let goals = match view.shared.goals.as_ref().map(|file| &file.goals) {
            None => return blocked(words::no_goals(lang), words::no_goals_next(lang)),
            Some(Err(why)) => {
                return blocked(words::bad_goals(lang, why), words::bad_goals_next(lang));
            }
            Some(Ok(goals)) => goals,
        };
        let all = placed(goals);
        let Some(goal) = all.iter().find(|placed| placed.goal.id == self.claim.goal_id) else {
            let what = words::no_such_goal(lang, &self.claim.goal_id);
            return blocked(what, words::no_such_goal_next(lang));
        };
        match self.base(&view.shared, facts) {
            Ok(base) => self.export(view, facts, goal, base),
            Err(step) => step,
        }
    }
}

impl ExportFlow {
    /// Where the user's branch is now.
    fn base(&self, view: &View, facts: &Facts<'_>) -> Result<PacketBase, Step> {
        let key = StepKey::new(&["packet", self.packet.as_str(), "tip"]);
        match view.results.get(&key) {
            None => {
                let effect = Effect::Worktree(Box::new(WorktreeStep::Tip { onto: None }));
                Err(Step::Effect { key, effect })
            }
            Some(EffectResult::Worktree(WorktreeResult::Tip(head))) => match head {
                Head::Branch { name, commit } => {
                    Ok(PacketBase { commit: commit.to_string(), branch: Some(name.clone()) })
                }
                Head::Detached { commit } => {
                    Ok(PacketBase { commit: commit.to_string(), branch: None })
                }
                Head::Unborn { .. } => {
                    Err(blocked(words::no_tip(facts.lang), words::no_tip_next(facts.lang)))
                }
            },
            Some(EffectResult::Worktree(WorktreeResult::Refused(refused))) => {
                Err(problem(refused, facts.lang))
            }
            Some(_) => Err(unexpected(&key, facts.lang)),
        }
    }

    fn export(
        &self,
        view: &PacketView,
        facts: &Facts<'_>,
        placed: &Placed<'_>,
        base: PacketBase,
    ) -> Step {
        let handoff = handoff_name(view, facts.now, self.settings.offset);
        let task = self.task(&view.shared, facts, placed, base, handoff);
        let detail = json!({
            "packet_id": self.packet,
            "goal_id": task.goal.id,
            "adapter": task.adapter,
            "base": task.base.commit,
            "handoff": handoff.to_string(),
            "fence": task.lease.fence,
            "worker": task.lease.worker_id,
        });
        Draft::new(&view.shared, facts, &format!("{} goes out as {}", task.goal.id, self.packet))
            .create_json(&layout::of_packet(self.packet.as_str(), layout::TASK), &task)
            .event(Kind::PacketExported, detail)
            .step()
    }

    fn task(
        &self,
        view: &View,
        facts: &Facts<'_>,
        placed: &Placed<'_>,
        base: PacketBase,
        name: HandoffName,
    ) -> ProtocolTask {
        let (goal, lang, settings) = (placed.goal, facts.lang, &self.settings);
        let context = assemble(Some(placed), view.last_session().as_ref(), &view.rules);
        let fits = |format| fit(&context, format, lang, settings.max_context_bytes);
        let handoff = format!("{}/{name}", project::HANDOFFS);
        let test_command = settings.test_command_of(goal);
        let number = view.ledger(&goal.id).next_number();
        let last = last_failure_before(view, &goal.id, number, lang);
        let plain = fits(Format::Plain).unwrap_or_default();
        let rules = settings.tree_rules();
        let timestamp = OffsetTime::new(facts.now.instant(), settings.offset).to_string();
        let parts = Parts {
            context: &plain,
            test_command,
            base: None,
            handoff_path: &handoff,
            timestamp: &timestamp,
            protect: &rules.protect,
            last,
            said: view.said.get(&goal.id).map(String::as_str),
        };
        let mut task = ProtocolTask {
            schema: TaskSchema::V1,
            packet_id: self.packet.clone(),
            adapter: self.adapter,
            created_at: facts.now,
            goal: PacketGoal {
                id: goal.id.clone(),
                title: goal.title.clone(),
                parent: placed.parent.map(|parent| parent.id.clone()),
                phase: goal.phase,
                expect_failure: goal.expect_failure,
                acceptance: goal.acceptance.clone(),
                notes: goal.notes.clone(),
            },
            role: self.claim.role,
            scope: PacketScope {
                allowed_changes: goal.allowed_changes.clone(),
                protected: rules.protected.iter().chain(&rules.protect).cloned().collect(),
            },
            base,
            test_command: test_command.to_owned(),
            timeout_minutes: settings.timeout_of(goal),
            handoff_path: handoff.clone(),
            context: context_of(&fits(Format::Json).unwrap_or_default()),
            prompt: prompt(goal, &parts, lang),
            lease: PacketLease {
                claim_id: self.claim.claim_id.clone(),
                worker_id: self.claim.worker_id.clone(),
                fence: self.claim.fence,
                expires_at: self.claim.expires_at,
            },
            envelope: None,
        };
        task.envelope = envelope(&task);
        task
    }
}

/// What `hast context --format json` prints, as a value.
fn context_of(text: &str) -> ContextOutput {
    let empty = ContextOutput {
        current_goal: None,
        previous_session: None,
        task: Vec::new(),
        context_files: Vec::new(),
        rules: Vec::new(),
    };
    read::<ContextOutput>(&Source::new("context", text)).map_or(empty, |read| read.value)
}

/// A name that no handoff has, and that nobody was told.
fn handoff_name(view: &PacketView, now: UtcTime, offset: Offset) -> HandoffName {
    let local = OffsetTime::new(now.instant(), offset).local();
    let names = view.shared.handoffs.keys().chain(&view.promised);
    let taken = names.filter(|name| name.local == local).map(|name| name.number);
    HandoffName { local, number: taken.max().map_or(1, |number| number + 1) }
}
