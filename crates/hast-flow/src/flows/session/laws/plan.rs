//! Plans and questions: nothing is changed without a revision, and what was, is in the archive.

use super::log::Told;
use super::{Documents, contradicts, missing};
use crate::docs::session::{Decomposition, PlanMetadata};
use crate::flows::session::layout;
use crate::formats::diagnostic::Diagnostic;
use crate::ids::Sha256;

pub(super) fn check(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    active(files, told, found);
    if told.events > 0 && !files.paths().contains(layout::REVIEW_RULES) {
        found.push(missing(layout::REVIEW_RULES, layout::LOG, "SESSION_CREATED"));
    }
    change_log(files, told, found);
    for (hash, snapshot) in &told.plans {
        let Some(snapshot) = snapshot else { continue };
        let path = format!("{snapshot}/decomposition.json");
        match files.read(&path) {
            None => found.push(missing(&path, layout::LOG, snapshot)),
            Some(bytes) if hash.as_ref().is_some_and(|hash| *hash != Sha256::of(&bytes)) => {
                let now = format!("sha256 {}", Sha256::of(&bytes));
                found.push(contradicts(&path, layout::LOG, now));
            }
            Some(_) => {}
        }
    }
    for (id, answered) in &told.questions {
        let (question, answer) = (layout::question(id), layout::answer(id));
        if !files.paths().contains(&question) {
            found.push(missing(&question, layout::LOG, &format!("QUESTION_OPENED {id}")));
        }
        if *answered && !files.paths().contains(&answer) {
            found.push(missing(&answer, layout::LOG, &format!("QUESTION_ANSWERED {id}")));
        }
    }
}

/// A line for each plan, in their order.
fn change_log(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    if told.changes.is_empty() || told.is_rebuilt {
        return;
    }
    let Some(bytes) = files.read(layout::CHANGE_LOG) else {
        return found.push(missing(layout::CHANGE_LOG, layout::LOG, "PLAN_CREATED"));
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    for (begins, ends) in &told.changes {
        let same = |line: &str| line.starts_with(begins) && line.ends_with(ends.as_str());
        if !lines.next().is_some_and(same) {
            let detail = format!("{begins}… {ends}");
            return found.push(contradicts(layout::CHANGE_LOG, layout::LOG, detail));
        }
    }
    if let Some(line) = lines.find(|line| !line.trim().is_empty()) {
        let line: String = line.chars().take(80).collect();
        found.push(contradicts(layout::CHANGE_LOG, layout::LOG, format!("-: {line}")));
    }
}

/// The plan that is worked on is the one that the log tells of.
fn active(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    let Some((hash, _)) = told.plans.last() else { return };
    let Some(bytes) = files.read(layout::DECOMPOSITION) else {
        return found.push(missing(layout::DECOMPOSITION, layout::LOG, "PLAN_CREATED"));
    };
    if hash.as_ref().is_some_and(|hash| *hash != Sha256::of(&bytes)) {
        let detail = format!("sha256 {}", Sha256::of(&bytes));
        found.push(contradicts(layout::DECOMPOSITION, layout::LOG, detail));
    }
    if !files.paths().contains(layout::ROUTING) {
        found.push(missing(layout::ROUTING, layout::LOG, "PLAN_CREATED"));
    }
    let version = serde_json::from_slice::<Decomposition>(&bytes);
    let metadata = files.read(layout::METADATA);
    let Some(metadata) = metadata else {
        return found.push(missing(layout::METADATA, layout::LOG, "PLAN_CREATED"));
    };
    let metadata = serde_json::from_slice::<PlanMetadata>(&metadata);
    let said = (told.pointer.plan_major_version, told.pointer.plan_revision);
    if let Ok(plan) = version
        && (plan.major_version, plan.revision) != said
    {
        let detail = format!("{}.{}", said.0, said.1);
        found.push(contradicts(layout::DECOMPOSITION, layout::LOG, detail));
    }
    if let Ok(metadata) = metadata
        && (metadata.major_version, metadata.revision) != said
    {
        let detail = format!("{}.{}", said.0, said.1);
        found.push(contradicts(layout::METADATA, layout::LOG, detail));
    }
}
