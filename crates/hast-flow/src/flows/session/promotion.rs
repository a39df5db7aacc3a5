//! Only what passed becomes knowledge, and what no longer holds is marked: the gate between a review
//! and the index.

use std::collections::BTreeSet;

use serde_json::json;

use crate::docs::session::{
    CritiqueReport, KnowledgeEntry, PlanTask, SessionEventKind as Kind, Verdict,
};
use crate::driver::Facts;
use crate::flows::session::execution::base_name;
use crate::flows::session::policy::CRITIC;
use crate::flows::session::step_keys::task_key;
use crate::flows::session::view::{IndexFile, Stage, View};
use crate::flows::session::write::Draft;
use crate::flows::session::{index, layout, prompts};
use crate::gates::{Evidence, Outcome};
use crate::ids::{KnowledgeId, TaskId};
use crate::knowledge::{Made, Piece};
use crate::steps::{Step, StepKey};
use crate::store::Put;
use crate::time::UtcTime;
use crate::words::Lang;

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
/// an acceptance line not met, an output missing or not as it was made, or a citation of what is not
/// known.
pub(super) fn evidence(
    view: &View,
    lang: Lang,
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
    let unfit = objections(view, lang, task);
    let unmet = report.checks.iter().flatten().filter(|check| !check.met).count();
    let passes = report.verdict == Verdict::Pass;
    let fixes = &report.required_fixes;
    Evidence::default()
        .with(
            prompts::gate_outputs(lang),
            Outcome::of(missing.is_empty(), || prompts::gate_missing(lang, missing.join(", "))),
        )
        .with(prompts::gate_artifacts(lang), Outcome::of(unfit.is_empty(), || unfit.join("; ")))
        .with(prompts::gate_verdict(lang), Outcome::of(passes, || prompts::gate_fail(lang)))
        .with(prompts::gate_fixes(lang), Outcome::of(fixes.is_empty(), || fixes.join("; ")))
        .with(
            prompts::gate_acceptance(lang),
            Outcome::of(unmet == 0, || prompts::gate_unmet(lang, unmet)),
        )
}

/// What is wrong with a task's outputs whoever reviews them: they are not there as they were made,
/// are not what their names say, or cite what is not known.
pub(super) fn objections(view: &View, lang: Lang, task: &PlanTask) -> Vec<String> {
    let astray = astray(view, task);
    let unknown: Vec<&str> =
        unknown(view, view.knowledge.cited_by(task.id.as_str())).map(KnowledgeId::as_str).collect();
    let mut objections = Vec::new();
    if !astray.is_empty() {
        objections.push(prompts::not_as_made(lang, astray.join(", ")));
    }
    objections.extend(view.unfit.get(&task.id).into_iter().flatten().cloned());
    if !unknown.is_empty() {
        objections.push(prompts::not_known(lang, unknown.join(", ")));
    }
    objections
}

/// Citations of what is not known, or does not hold any more.
pub(super) fn unknown<'k>(
    view: &'k View,
    cited: impl Iterator<Item = &'k KnowledgeId>,
) -> impl Iterator<Item = &'k KnowledgeId> {
    cited.filter(|id| !view.knowledge.get(id).is_some_and(Piece::is_active))
}

/// What passed, for people who consume it: under its own name, or where others have that too under
/// the name of its task.
pub(super) fn copies<'v>(view: &'v View, pieces: &[Piece]) -> Vec<(String, &'v [u8])> {
    let mut taken = BTreeSet::new();
    let copies = pieces.iter().filter_map(|piece| {
        let bytes = view.contents.get(&piece.artifact)?;
        let name = base_name(&piece.artifact);
        let own = view.plan.as_ref().is_some_and(|plan| plan.has_one(name));
        let names = [
            own.then(|| name.to_owned()),
            Some(format!("{}_{name}", piece.source)),
            Some(format!("{}_{name}", piece.id)),
        ];
        let free = |name: &String| !view.copies.contains(name) && taken.insert(name.clone());
        Some((names.into_iter().flatten().find(free)?, bytes.as_slice()))
    });
    copies.collect()
}

/// What a task made and what is not there any more as it was made, with the reason.
fn astray(view: &View, task: &PlanTask) -> Vec<String> {
    let made = view.made.get(&task.id).into_iter().flatten();
    let astray = made.filter_map(|made| {
        let cause = view.astray.get(&made.artifact)?;
        Some(format!("{} ({})", made.artifact, cause.code()))
    });
    astray.collect()
}

/// Where more than this changes, the document is written anew.
const LONGEST_END: usize = 32 << 10;

/// New pieces at the end of the index: what stands there is neither read nor written again.
pub(super) fn index_put(view: &View, pieces: &[Piece], now: UtcTime) -> Option<Put> {
    let session = view.id(now);
    let entries: Vec<KnowledgeEntry> =
        pieces.iter().filter_map(|piece| index::entry(piece, &session, now)).collect();
    let path = layout::path(layout::INDEX)?;
    match &view.index {
        IndexFile::Read(known) => {
            let (old, new) = known.longer_end(&entries);
            let before = known.identity?;
            if new.len() > LONGEST_END || old.is_empty() {
                let bytes = known.with_end(&new).into_bytes();
                return Some(Put::Replace { path, before, bytes });
            }
            Some(Put::tail(path, before, old.as_bytes(), new.into_bytes()))
        }
        IndexFile::Absent | IndexFile::Unreadable => {
            Some(Put::Create { path, bytes: index::first(&entries).into_bytes() })
        }
    }
}

/// Marks what was found not to hold any more, and names what cited it for another look. The pass of its task is
/// taken away, and of each task that is made from it: they run again.
pub(super) fn invalidate(view: &View, facts: &Facts<'_>) -> Option<Step> {
    let doubts: Vec<_> = view.knowledge.doubts().collect();
    let IndexFile::Read(index) = &view.index else { return None };
    if doubts.is_empty() {
        return None;
    }
    let mut draft = Draft::new(view, facts, CRITIC, "knowledge that does not hold any more");
    let (again, unbegun) = again(view, facts, doubts.iter().map(|(piece, _)| *piece));
    let rested = again.iter().flat_map(|task| view.knowledge.active_of(task.as_str()));
    let ids: BTreeSet<KnowledgeId> = doubts
        .iter()
        .map(|(piece, _)| *piece)
        .chain(rested)
        .map(|piece| piece.id.clone())
        .collect();
    let ids: Vec<KnowledgeId> = ids.into_iter().collect();
    let bytes = index.without(&ids, draft.next_event().as_str())?.into_bytes();
    let (path, before) = (layout::path(layout::INDEX)?, index.identity?);
    draft = draft.put(Put::Replace { path, before, bytes });
    let review: BTreeSet<&str> = ids.iter().flat_map(|id| view.knowledge.to_review(id)).collect();
    let why: serde_json::Map<_, _> =
        doubts.iter().map(|(piece, cause)| (piece.id.to_string(), json!(cause.code()))).collect();
    let mut detail =
        vec![("knowledge", json!(ids)), ("why", json!(why)), ("review", json!(review))];
    if !again.is_empty() {
        detail.push(("again", json!(again)));
    }
    let draft = draft.event(CRITIC, Kind::KnowledgeInvalidated, &detail);
    Some(draft.finishes(unbegun.into_iter().filter(|key| facts.steps.is_open(key))).step())
}

/// Tasks that run again: those of the plan whose knowledge is in doubt, and what is made from them, as far as
/// nobody works on it right now; with the steps that were noted and not begun.
fn again<'p>(
    view: &View,
    facts: &Facts<'_>,
    doubted: impl Iterator<Item = &'p Piece>,
) -> (BTreeSet<TaskId>, Vec<StepKey>) {
    let Some(plan) = &view.plan else { return (BTreeSet::new(), Vec::new()) };
    let of_plan = |id: &TaskId| plan.task(id).is_some();
    let sources: BTreeSet<TaskId> =
        doubted.filter_map(|piece| piece.source.parse().ok()).filter(of_plan).collect();
    let mut steps = Vec::new();
    let rests = plan.made_from(&sources);
    let all = sources.into_iter().chain(rests).filter(|id| {
        let Some(progress) = view.progress.get(id) else { return false };
        match progress.stage {
            Stage::Passed | Stage::Failed => true,
            Stage::Waiting | Stage::Executed => false,
            Stage::Started => {
                let key = task_key(id, "execute", progress.attempt);
                let begun = facts.running.contains(&key)
                    || view.results.keys().any(|known| known.as_str().starts_with(key.as_str()));
                if !begun {
                    steps.push(key);
                }
                !begun
            }
        }
    });
    (all.collect(), steps)
}
