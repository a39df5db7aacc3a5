//! The log itself: it counts, each line names the one before it, and everybody writes only what is
//! theirs. What it tells is gathered for the other checks.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Attempt, Documents, unborn};
use crate::docs::session::{
    Artifact, SessionEvent, SessionEventKind as Kind, SessionStatus, Verdict,
};
use crate::flows::session::events::{self, Happened, PREVIOUS};
use crate::flows::session::policy::{CONTROLLER, CRITIC, EXECUTOR, PLANNER};
use crate::flows::session::{layout, status};
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::ndjson::LogLines;
use crate::formats::source::Source;
use crate::ids::{EventId, KnowledgeId, QuestionId, Sha256, TaskId};
use crate::logged::{Counted, Counting};

/// What the log tells.
pub(super) struct Told {
    pub(super) events: usize,
    pub(super) pointer: SessionStatus,
    /// What each attempt made.
    pub(super) made: BTreeMap<Attempt, Vec<Artifact>>,
    /// The verdict of each attempt, and the hash of its report.
    pub(super) reviewed: BTreeMap<Attempt, (Option<Verdict>, Option<Sha256>)>,
    pub(super) promoted: BTreeMap<KnowledgeId, TaskId>,
    pub(super) invalidated: BTreeMap<KnowledgeId, EventId>,
    pub(super) questions: BTreeMap<QuestionId, bool>,
    /// Plans in their order: what each hashes to, and where it was archived to when the next came.
    pub(super) plans: Vec<(Option<Sha256>, Option<String>)>,
    pub(super) answer: Option<Sha256>,
    /// How each plan's line in the change log begins, and ends.
    pub(super) changes: Vec<(String, String)>,
    /// Attempts that were made, and the hash of their lines in the run logs.
    pub(super) ran: BTreeMap<Attempt, Option<Sha256>>,
    /// What was written once, by its path.
    pub(super) files: BTreeMap<String, Sha256>,
    /// A log that was lost tells the rest only.
    pub(super) is_rebuilt: bool,
}

impl Told {
    /// Whether an artifact stands in the directory of an attempt that passed.
    pub(super) fn has_passed(&self, task: &TaskId, artifact: &str) -> bool {
        let passed = self
            .reviewed
            .iter()
            .filter(|((of, _), (verdict, _))| of == task && *verdict == Some(Verdict::Pass));
        let mut attempts = passed.map(|((_, attempt), _)| *attempt);
        attempts.any(|attempt| {
            let directory = layout::outputs(task, attempt);
            let name = artifact.strip_prefix(&directory).and_then(|rest| rest.strip_prefix('/'));
            name.is_some_and(|name| !name.contains('/'))
        })
    }
}

pub(super) fn read(files: &dyn Documents, found: &mut Vec<Diagnostic>) -> Told {
    let mut told = Told {
        events: 0,
        pointer: unborn(),
        made: BTreeMap::new(),
        reviewed: BTreeMap::new(),
        promoted: BTreeMap::new(),
        invalidated: BTreeMap::new(),
        questions: BTreeMap::new(),
        plans: Vec::new(),
        answer: None,
        changes: Vec::new(),
        ran: BTreeMap::new(),
        files: BTreeMap::new(),
        is_rebuilt: false,
    };
    let Some(bytes) = files.read(layout::LOG) else {
        if files.paths().contains(layout::STATUS) {
            let because = layout::STATUS.to_owned();
            let finding = Finding::MissingFile { path: layout::LOG.to_owned(), because };
            found.push(Diagnostic::of_file(layout::STATUS, finding));
        }
        return told;
    };
    let text = String::from_utf8_lossy(&bytes);
    let source = Source::new(layout::LOG, &text);
    let mut counting = Counting::default();
    let mut last: Option<(EventId, String)> = None;
    // A line that is no event was told when the file was checked alone.
    for read in LogLines::whole(layout::LOG, &bytes).typed::<SessionEvent>() {
        let Ok((line, event)) = read else {
            counting.unread();
            continue;
        };
        let mut tell = |finding: Finding| {
            let place = line.number.map(|number| source.line_place(number));
            found.push(Diagnostic { place, ..Diagnostic::of_file(layout::LOG, finding) });
        };
        match counting.take(&event.event_id) {
            Counted::Wrong(finding) => tell(finding),
            Counted::Next => links(&event, last.as_ref(), &mut tell),
            Counted::AfterUnread => {}
        }
        if event.event_id.time() != Some(event.ts) {
            let (other, detail) = (event.event_id.to_string(), format!("ts {}", event.ts));
            tell(Finding::Contradicts { other, detail });
        }
        if !whose(event.kind).contains(&event.actor.as_str()) {
            let detail = format!("{} {}", event.actor, kind_of(&event));
            tell(Finding::Contradicts { other: "section 5".to_owned(), detail });
        }
        last = Some((event.event_id.clone(), events::link(line.text)));
        told.take(event);
    }
    told
}

/// A line names the one before it.
fn links(event: &SessionEvent, last: Option<&(EventId, String)>, tell: &mut dyn FnMut(Finding)) {
    let Some((before, link)) = last else { return };
    let named = event.detail.get(PREVIOUS).and_then(Value::as_str);
    if named.is_some_and(|named| named != link) {
        let detail = format!("{PREVIOUS} {}, {before} {link}", named.unwrap_or_default());
        tell(Finding::Contradicts { other: before.to_string(), detail });
    }
}

/// Who tells what.
fn whose(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::PlanCreated | Kind::PlanRevisionBump | Kind::PlanMajorBump => &[PLANNER, CONTROLLER],
        Kind::TaskExecuted | Kind::TaskFailed => &[EXECUTOR],
        Kind::TaskReviewed => &[CRITIC, CONTROLLER],
        Kind::KnowledgePromoted | Kind::KnowledgeInvalidated => &[CRITIC],
        Kind::QuestionOpened | Kind::QuestionAnswered => &[CONTROLLER, PLANNER, EXECUTOR],
        Kind::SessionCreated
        | Kind::TaskStarted
        | Kind::SystemBlocked
        | Kind::SystemResumed
        | Kind::SessionCompleted
        | Kind::SessionFailed => &[CONTROLLER],
    }
}

fn kind_of(event: &SessionEvent) -> String {
    let kind = serde_json::to_value(event.kind).unwrap_or_default();
    kind.as_str().unwrap_or_default().to_owned()
}

impl Told {
    fn take(&mut self, event: SessionEvent) {
        self.events += 1;
        let text = |name: &str| event.detail.get(name).and_then(Value::as_str).map(str::to_owned);
        let ids = |name: &str| -> Vec<KnowledgeId> {
            let list = event.detail.get(name).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(|id| id.as_str()?.parse().ok()).collect()
        };
        let report = text("report_sha256").and_then(|hash| hash.parse().ok());
        let answer = text("final_sha256").and_then(|hash| hash.parse().ok());
        let ran = text(events::RUN_LINES).and_then(|hash| hash.parse().ok());
        let files = event.detail.get(events::FILES).and_then(Value::as_object);
        let files = files.into_iter().flatten();
        self.files.extend(
            files.filter_map(|(path, hash)| Some((path.clone(), hash.as_str()?.parse().ok()?))),
        );
        self.is_rebuilt |= event.detail.contains_key("rebuilt");
        let (knowledge, question) = (ids("knowledge"), text("question_id"));
        let happened = Happened::from(event);
        status::take(&mut self.pointer, &happened);
        let detail = happened.detail;
        let attempt = detail.task_id.clone().map(|task| (task, detail.attempt.unwrap_or(1)));
        match (happened.kind, attempt) {
            (Kind::TaskExecuted, Some(attempt)) => {
                self.ran.insert(attempt.clone(), ran);
                self.made.insert(attempt, detail.artifacts);
            }
            (Kind::TaskFailed, Some(attempt)) => drop(self.ran.insert(attempt, ran)),
            (Kind::TaskExecuted, None) => self.answer = answer,
            (Kind::TaskReviewed, Some(attempt)) => {
                self.reviewed.insert(attempt, (detail.verdict, report));
            }
            (Kind::KnowledgePromoted, Some((task, _))) => {
                self.promoted.extend(knowledge.into_iter().map(|id| (id, task.clone())));
            }
            (Kind::KnowledgeInvalidated, _) => {
                let by = happened.event_id;
                self.invalidated.extend(knowledge.into_iter().map(|id| (id, by.clone())));
            }
            (Kind::PlanCreated | Kind::PlanRevisionBump | Kind::PlanMajorBump, _) => {
                if let Some(before) = self.plans.last_mut() {
                    before.1 = detail.snapshot;
                }
                self.plans.push((detail.sha256, None));
                let SessionStatus { plan_major_version, plan_revision, .. } = self.pointer;
                let begins = format!("- {} {plan_major_version}.{plan_revision} ", happened.ts);
                let reason = detail.reason.unwrap_or_default();
                let ends = reason.split_whitespace().collect::<Vec<_>>().join(" ");
                self.changes.push((begins, ends));
            }
            (Kind::QuestionOpened, _) => {
                self.questions
                    .extend(question.and_then(|id| id.parse().ok()).map(|id| (id, false)));
            }
            (Kind::QuestionAnswered, _) => {
                self.questions.extend(question.and_then(|id| id.parse().ok()).map(|id| (id, true)));
            }
            _ => {}
        }
    }
}
