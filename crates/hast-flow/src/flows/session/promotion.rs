//! Only what passed becomes knowledge, and what no longer holds is marked: the gate between a review
//! and the index.

use std::collections::BTreeSet;

use serde_json::json;

use crate::docs::session::{
    CritiqueReport, KnowledgeEntry, PlanTask, SessionEventKind as Kind, Verdict,
};
use crate::driver::Facts;
use crate::flows::session::execution::base_name;
use crate::flows::session::index;
use crate::flows::session::policy::CRITIC;
use crate::flows::session::view::{IndexFile, View};
use crate::flows::session::write::Draft;
use crate::gates::{Evidence, Outcome};
use crate::ids::KnowledgeId;
use crate::knowledge::{Made, Piece};
use crate::steps::Step;
use crate::time::UtcTime;

/// What the last attempt of a task made.
pub(super) fn made(view: &View, task: &PlanTask) -> Vec<Made> {
    let artifacts = view.made.get(&task.id).into_iter().flatten();
    let made = artifacts.map(|artifact| Made {
        source: task.id.to_string(),
        artifact: artifact.artifact.clone(),
        sha256: artifact.sha256.clone(),
    });
    made.collect()
}

/// Mechanical checks first, then the critic's word. A critic cannot pass what has open fixes,
/// an acceptance line not met, an output missing, or a citation of what is not known.
pub(super) fn evidence(
    view: &View,
    task: &PlanTask,
    made: &[Made],
    report: &CritiqueReport,
) -> Evidence {
    let missing: Vec<&str> = task
        .outputs
        .iter()
        .map(|output| base_name(&output.path))
        .filter(|name| !made.iter().any(|made| base_name(&made.artifact) == *name))
        .collect();
    let unknown = view.knowledge.cited_by(task.id.as_str()).filter(|id| {
        let piece = view.knowledge.get(id);
        !piece.is_some_and(Piece::is_active)
    });
    let unknown: Vec<&str> = unknown.map(KnowledgeId::as_str).collect();
    let unmet = report.checks.iter().flatten().filter(|check| !check.met).count();
    let passes = report.verdict == Verdict::Pass;
    let fixes = &report.required_fixes;
    Evidence::default()
        .with(
            "outputs",
            Outcome::of(missing.is_empty(), || format!("missing {}", missing.join(", "))),
        )
        .with(
            "citations",
            Outcome::of(unknown.is_empty(), || format!("not known: {}", unknown.join(", "))),
        )
        .with("verdict", Outcome::of(passes, || "the critic says FAIL".to_owned()))
        .with("required fixes", Outcome::of(fixes.is_empty(), || fixes.join("; ")))
        .with("acceptance", Outcome::of(unmet == 0, || format!("{unmet} lines are not met")))
}

/// The index with new pieces at its end.
pub(super) fn index_with(view: &View, pieces: &[Piece], now: UtcTime) -> String {
    let entries: Vec<KnowledgeEntry> =
        pieces.iter().filter_map(|piece| index::entry(piece, now)).collect();
    match &view.index {
        IndexFile::Read(known) => known.with(&entries),
        IndexFile::Absent | IndexFile::Unreadable => index::first(&entries),
    }
}

/// Marks what was found not to hold any more, and names what cited it for another look.
pub(super) fn invalidate(view: &View, facts: &Facts<'_>) -> Option<Step> {
    let doubts: Vec<_> = view.knowledge.doubts().collect();
    let IndexFile::Read(index) = &view.index else { return None };
    if doubts.is_empty() {
        return None;
    }
    let mut draft = Draft::new(view, facts, CRITIC, "knowledge that does not hold any more");
    let ids: Vec<KnowledgeId> = doubts.iter().map(|(piece, _)| piece.id.clone()).collect();
    let text = index.without(&ids, draft.next_event().as_str())?;
    draft = draft.index(text);
    let review: BTreeSet<&str> = ids.iter().flat_map(|id| view.knowledge.to_review(id)).collect();
    let why: serde_json::Map<_, _> =
        doubts.iter().map(|(piece, cause)| (piece.id.to_string(), json!(cause.code()))).collect();
    let detail = [("knowledge", json!(ids)), ("why", json!(why)), ("review", json!(review))];
    Some(draft.event(CRITIC, Kind::KnowledgeInvalidated, &detail).step())
}
