//! Each event of the log is folded into the view here. It moves the progress of the session and its
//! tasks, opens or answers questions to people, or uses up results.

use crate::docs::session::{
    KnowledgeEntry, KnowledgeStatus, SessionEventKind as Kind, SummaryUsage, SystemStatus, Verdict,
};
use crate::flows::session::events::{self, About, Detail, Happened};
use crate::flows::session::lanes::Plan;
use crate::flows::session::step_keys::task_key;
use crate::flows::session::told::ToldByPerson;
use crate::flows::session::view::{Life, Pending, Progress, Stage, View, Wanted, Whose};
use crate::flows::session::{layout, status};
use crate::ids::TaskId;
use crate::replies;

impl View {
    pub(super) fn take_events(&mut self, bytes: &[u8]) {
        for event in events::read(bytes) {
            self.take_event(event);
        }
        if let Some(link) = events::last_link(bytes) {
            self.link = Some(link);
        }
    }

    fn take_event(&mut self, event: Happened) {
        self.events = self.events.max(event.event_id.number());
        self.usage = sum(self.usage, event.detail.usage.unwrap_or_default());
        let planned = self.plan_key();
        status::take(&mut self.pointer, &event);
        self.take_wish(&event);
        match event.kind {
            Kind::SessionCreated => {
                self.started = Some(event.ts);
                self.session = event.detail.session_id;
                self.life = Life::Planning;
            }
            Kind::PlanCreated | Kind::PlanRevisionBump | Kind::PlanMajorBump => {
                replies::forget(&mut self.results, &planned);
                self.take_plan(event.detail);
            }
            Kind::TaskExecuted if event.detail.task_id.is_none() => self.answered += 1,
            Kind::TaskReviewed if event.detail.task_id.is_none() => {
                let key = self.verdict_key();
                replies::forget(&mut self.results, &key);
                self.refused.push(event.detail.reasons.join("\n"));
            }
            Kind::TaskStarted | Kind::TaskExecuted | Kind::TaskFailed | Kind::TaskReviewed => {
                self.take_task_event(event);
            }
            Kind::KnowledgePromoted => self.take_promoted(event),
            Kind::KnowledgeInvalidated => self.take_invalidated(&event),
            Kind::QuestionOpened => self.take_opened(event.detail),
            Kind::QuestionAnswered => {
                let asked = event.detail.question_id.and_then(|id| self.pending.get_mut(&id));
                if let Some(asked) = asked {
                    asked.answer = Some(event.detail.answer.unwrap_or_default());
                }
            }
            Kind::SystemResumed => self.resume(),
            Kind::SessionCompleted => self.life = Life::Completed,
            Kind::SessionFailed => {
                self.life = Life::Failed;
                self.failed_because = event.detail.reason.unwrap_or_default();
            }
            Kind::SystemBlocked => {}
        }
    }

    /// From here on another plan is wanted.
    fn take_wish(&mut self, event: &Happened) {
        if event.detail.status != Some(SystemStatus::Replanning) {
            return;
        }
        let reason = event.detail.reason.clone().unwrap_or_default();
        let by = match (event.kind, reason.is_empty()) {
            // Taken up again where it was.
            (Kind::SystemResumed, true) => return,
            (Kind::SystemResumed, false) => {
                self.wished = event.event_id.number();
                Whose::Person
            }
            _ => Whose::Failures,
        };
        let is_personal = self.wanted.as_ref().is_some_and(|wanted| wanted.by == Whose::Person);
        if by == Whose::Failures && is_personal {
            // What fails meanwhile does not make a person's word a smaller one.
            return;
        }
        self.wanted = Some(Wanted { reason, by });
    }

    /// A plan begins: what has not passed under the old one begins anew, in directories of its own.
    fn take_plan(&mut self, detail: Detail) {
        self.life = Life::Working;
        self.wanted = None;
        self.again.remove("plan");
        self.plan_files.said = detail.sha256.or(self.plan_files.said.take());
        self.plan_files.snapshots.extend(detail.snapshot);
        for (task, progress) in &mut self.progress {
            if progress.stage != Stage::Passed || detail.dropped.contains(task) {
                (progress.stage, progress.failures) = (Stage::Waiting, 0);
            }
        }
        for task in detail.dropped {
            self.faults.remove(&task);
        }
        let documents: Vec<String> =
            self.made.values().flatten().map(|a| a.artifact.clone()).collect();
        self.made.clear();
        self.unfit.clear();
        for artifact in documents {
            self.contents.remove(&artifact);
            self.astray.remove(&artifact);
        }
        if let Some(plan) = self.plan.take() {
            self.plan = Some(Plan::new(plan.document, &self.progress));
        }
    }

    fn take_task_event(&mut self, event: Happened) {
        let Some(task) = event.detail.task_id.clone() else { return };
        let attempt = event.detail.attempt.unwrap_or(1);
        let before = self.progress.get(&task).copied();
        let (failures, asked) = before.map_or((0, 0), |before| (before.failures, before.asked));
        let passed = event.detail.verdict == Some(Verdict::Pass);
        let (stage, failures, asked) = match event.kind {
            Kind::TaskExecuted => (Stage::Executed, failures, 0),
            Kind::TaskFailed => (Stage::Failed, failures + 1, 0),
            Kind::TaskReviewed if passed => (Stage::Passed, failures, asked),
            Kind::TaskReviewed => (Stage::Failed, failures + 1, asked),
            _ => (Stage::Started, failures, 0),
        };
        self.forget_used(&event, &task, attempt);
        let Detail { artifacts, cites, faults, error, reasons, .. } = event.detail;
        if event.kind == Kind::TaskExecuted {
            self.made.insert(task.clone(), artifacts);
            self.knowledge.cite(task.as_str(), cites);
            if !faults.is_empty() {
                self.unfit.insert(task.clone(), faults);
            }
        } else if stage != Stage::Started {
            if stage == Stage::Passed {
                self.passing = self.made.get(&task).cloned().unwrap_or_default();
            }
            self.put_away(&task);
            self.faults.insert(task.clone(), error.into_iter().chain(reasons).collect());
        }
        if stage == Stage::Passed {
            self.faults.remove(&task);
            self.drafts.remove(&task);
        }
        if let Some(plan) = &mut self.plan {
            plan.take(&task, stage);
        }
        self.progress.insert(task, Progress { attempt, failures, asked, stage });
    }

    fn take_promoted(&mut self, event: Happened) {
        let session = self.id(event.ts);
        let passed = std::mem::take(&mut self.passing);
        self.copies.extend(event.detail.copies);
        let Some(task) = event.detail.task_id else { return };
        for id in &event.detail.knowledge {
            self.knowledge.gave(id);
        }
        for (id, made) in event.detail.knowledge.into_iter().zip(passed) {
            self.promoted.push(KnowledgeEntry {
                id,
                source_task_id: task.clone(),
                artifact_path: layout::from_project(&session, &made.artifact),
                status: KnowledgeStatus::Active,
                created_at: event.ts,
                invalidated_by: None,
                sha256: Some(made.sha256),
            });
        }
    }

    fn take_invalidated(&mut self, event: &Happened) {
        for entry in &mut self.promoted {
            if event.detail.knowledge.contains(&entry.id) {
                entry.status = KnowledgeStatus::Invalidated;
                entry.invalidated_by = Some(event.event_id.to_string());
            }
        }
        if event.detail.again.is_empty() {
            return;
        }
        for task in &event.detail.again {
            if let Some(progress) = self.progress.get_mut(task) {
                (progress.stage, progress.failures) = (Stage::Waiting, 0);
            }
            self.put_away(task);
        }
        if let Some(plan) = self.plan.take() {
            self.plan = Some(Plan::new(plan.document, &self.progress));
        }
        // An answer that rests on what does not hold any more is written anew.
        if self.answered > self.refused.len() {
            self.answered = self.refused.len();
            self.take_up("answer");
            self.take_up("verdict");
        }
    }

    /// What a task made is not in hand any more.
    fn put_away(&mut self, task: &TaskId) {
        self.unfit.remove(task);
        let made = self.made.remove(task).unwrap_or_default();
        if !made.is_empty() {
            let places = made.iter().map(|made| made.artifact.clone()).collect();
            self.drafts.insert(task.clone(), places);
        }
        for made in made {
            self.astray.remove(&made.artifact);
            self.contents.remove(&made.artifact);
        }
    }

    /// A result whose meaning is in the log is used up.
    fn forget_used(&mut self, event: &Happened, task: &TaskId, attempt: u32) {
        let key = match event.kind {
            Kind::TaskExecuted | Kind::TaskFailed => task_key(task, "execute", attempt),
            Kind::TaskReviewed => self.review_key(task, attempt),
            _ => return,
        };
        replies::forget(&mut self.results, &key);
    }

    fn take_opened(&mut self, detail: Detail) {
        let (Some(id), Some(about)) = (detail.question_id, detail.about) else { return };
        self.asked = self.asked.max(id.number());
        let Detail { task_id: task, file, .. } = detail;
        let used = match (about, &task) {
            (About::Plan, _) => Some(self.plan_key()),
            (About::Answer, _) => Some(self.finalize_key()),
            (About::Verdict, _) => Some(self.verdict_key()),
            (About::Execution, Some(task)) => {
                let attempt = self.progress.get(task).map_or(1, |progress| progress.attempt);
                Some(task_key(task, "execute", attempt))
            }
            (About::Review, Some(task)) => {
                let attempt = self.progress.get(task).map_or(1, |progress| progress.attempt);
                Some(self.review_key(task, attempt))
            }
            (About::File | About::Execution | About::Review, _) => None,
        };
        if let Some(key) = used {
            replies::forget(&mut self.results, &key);
        }
        self.pending.insert(id, Pending { about, task, file, answer: None });
    }

    /// The session goes on: what a person was asked about is taken up again, with what they said.
    fn resume(&mut self) {
        for (id, pending) in std::mem::take(&mut self.pending) {
            // Without an answer something else came first, and there is nothing to tell.
            let told = pending
                .answer
                .filter(|_| pending.about != About::File)
                .map(|answer| ToldByPerson { question: id, task: pending.task.clone(), answer });
            self.told.extend(told);
            match (pending.about, pending.task) {
                (About::File, _) => {}
                (About::Plan, _) => self.take_up("plan"),
                (About::Answer, _) => self.take_up("answer"),
                (About::Verdict, _) => self.take_up("verdict"),
                (About::Execution, Some(task)) => {
                    if let Some(progress) = self.progress.get_mut(&task) {
                        progress.stage = Stage::Waiting;
                    }
                    if let Some(plan) = self.plan.take() {
                        self.plan = Some(Plan::new(plan.document, &self.progress));
                    }
                }
                (About::Review, Some(task)) => {
                    if let Some(progress) = self.progress.get_mut(&task) {
                        progress.asked += 1;
                    }
                }
                (About::Execution | About::Review, None) => {}
            }
        }
    }

    fn take_up(&mut self, what: &'static str) {
        *self.again.entry(what).or_default() += 1;
    }
}

/// What was reported together; nothing where nobody said anything.
pub(super) fn sum(one: SummaryUsage, other: SummaryUsage) -> SummaryUsage {
    let both = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    SummaryUsage {
        input_tokens: both(one.input_tokens, other.input_tokens),
        output_tokens: both(one.output_tokens, other.output_tokens),
    }
}
