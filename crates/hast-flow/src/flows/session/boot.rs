//! The checklist before anything is done: what must be there is there, or a person is asked. What
//! can be rebuilt is offered, and done when they say so.

use serde_json::json;

use crate::docs::session::{
    Decomposition, ModificationType, PlanMetadata, SessionEventKind as Kind,
};
use crate::driver::Facts;
use crate::flows::session::events::About;
use crate::flows::session::policy::CONTROLLER;
use crate::flows::session::view::{IndexFile, Life, View};
use crate::flows::session::write::Draft;
use crate::flows::session::{index, layout, people, prompts};
use crate::formats::json as print;
use crate::ids::Sha256;
use crate::steps::Step;

/// The word that says: build it again.
pub const RESTORE: &str = "restore";
/// The word that says: let the planner make another plan.
pub const REPLAN: &str = "replan";

/// Files without which nothing can be done.
pub(super) fn needed(view: &View) -> impl Iterator<Item = &'static str> {
    // Where another plan is on its way, nobody needs the old one.
    let planned = view.life == Life::Working && view.wanted.is_none();
    let plan = [layout::DECOMPOSITION, layout::METADATA].into_iter().filter(move |_| planned);
    let known = (!view.promoted.is_empty()).then_some(layout::INDEX);
    std::iter::once(layout::STATUS).chain(plan).chain(known)
}

/// Asks about what is missing, once for each file.
pub(super) fn check(view: &View, facts: &Facts<'_>) -> Option<Step> {
    let missing = missing(view)?;
    let known = view.pending.values().any(|pending| pending.file.as_deref() == Some(missing));
    if known {
        return None;
    }
    let lang = facts.lang;
    let offer = match missing {
        layout::LOG => prompts::offer_log(lang, RESTORE),
        layout::STATUS => prompts::offer_status(lang, RESTORE),
        layout::METADATA => prompts::offer_metadata(lang, RESTORE),
        layout::INDEX => prompts::offer_status(lang, RESTORE),
        _ if view.plan_files.archived.is_some() => prompts::offer_archive(lang, RESTORE, REPLAN),
        _ => prompts::offer_replan(lang, REPLAN),
    };
    let question = prompts::missing(lang, missing, offer);
    let mut draft = Draft::new(view, facts, CONTROLLER, &format!("{missing} is missing"));
    if missing == layout::STATUS {
        // Writing the pointer would be rebuilding it, which is for a person to say.
        draft = draft.without_pointer();
    }
    let asked = people::Asking { about: About::File, task: None, file: Some(missing), question };
    Some(people::ask(draft, view, facts, &asked, Vec::new()))
}

/// The first file that is not there and has to be.
pub(super) fn missing(view: &View) -> Option<&'static str> {
    if view.has_lost_its_log() {
        return Some(layout::LOG);
    }
    needed(view).find(|path| match *path {
        layout::STATUS => view.status.is_none(),
        layout::METADATA => !view.plan_files.has_metadata,
        layout::INDEX => view.index == IndexFile::Absent,
        _ => view.plan_files.found.is_none(),
    })
}

/// Builds a missing file again, in the commit that takes the session up.
pub(super) fn rebuild<'v>(
    draft: Draft<'v>,
    view: &View,
    facts: &Facts<'_>,
    file: &str,
) -> Draft<'v> {
    match file {
        layout::LOG if view.has_lost_its_log() => tell_again(draft, view, facts),
        layout::METADATA if !view.plan_files.has_metadata => match &view.plan {
            Some(plan) => {
                let metadata = metadata(view, facts, &plan.document, "restored");
                draft.create_json(layout::METADATA, &metadata)
            }
            None => draft,
        },
        layout::INDEX if view.index == IndexFile::Absent => {
            draft.create(layout::INDEX, index::first(&view.promoted))
        }
        layout::DECOMPOSITION if view.plan_files.found.is_none() => roll_back(draft, view, facts),
        // The pointer is written with every event.
        _ => draft,
    }
}

/// The plan of the archive becomes the next revision; nothing that happened is undone.
fn roll_back<'v>(draft: Draft<'v>, view: &View, facts: &Facts<'_>) -> Draft<'v> {
    let (Some(archived), Some(from)) =
        (&view.plan_files.archived, view.plan_files.snapshots.last())
    else {
        return draft;
    };
    let revision = view.pointer.plan_revision;
    let plan = Decomposition {
        major_version: view.pointer.plan_major_version,
        revision: revision + 1,
        tasks: archived.tasks.clone(),
    };
    let reason = format!("restored from {from}");
    let metadata = metadata(view, facts, &plan, &reason);
    let text = print::print(&plan).unwrap_or_default();
    let hash = Sha256::of(text.as_bytes());
    let mut draft = draft.create(layout::DECOMPOSITION, text);
    let snapshot = draft.free_snapshot(&reason);
    if view.plan_files.has_metadata {
        draft = draft.archive(layout::METADATA, &format!("{snapshot}/metadata.json"));
    }
    let detail = [
        ("from", json!(revision)),
        ("to", json!(revision + 1)),
        ("reason", json!(reason)),
        ("sha256", json!(hash)),
    ];
    draft
        .create_json(layout::METADATA, &metadata)
        .append(
            layout::CHANGE_LOG,
            format!("- {} {}.{} {reason}\n", facts.now, plan.major_version, plan.revision),
        )
        .event(CONTROLLER, Kind::PlanRevisionBump, &detail)
}

fn metadata(view: &View, facts: &Facts<'_>, plan: &Decomposition, trigger: &str) -> PlanMetadata {
    let modification_type = match (view.pointer.plan_major_version, plan.revision) {
        (1, 1) => ModificationType::Initial,
        (_, 1) => ModificationType::Major,
        _ => ModificationType::Minor,
    };
    PlanMetadata {
        major_version: plan.major_version,
        revision: plan.revision,
        modification_type,
        trigger: trigger.to_owned(),
        last_modified: facts.now,
    }
}

/// A log that is lost begins again with what the other documents prove: the plan, and the tasks
/// whose outputs are knowledge. Everything else is done again, in directories of its own.
fn tell_again<'v>(draft: Draft<'v>, view: &View, facts: &Facts<'_>) -> Draft<'v> {
    let id = ("session_id", json!(view.id(facts.now)));
    let mut draft = draft.event(CONTROLLER, Kind::SessionCreated, &[id, ("rebuilt", json!(true))]);
    let Some(plan) = &view.plan else { return draft };
    let detail = [
        ("tasks", json!(plan.document.tasks.len())),
        ("major_version", json!(plan.document.major_version)),
        ("revision", json!(plan.document.revision)),
        ("sha256", json!(view.plan_files.found)),
        ("rebuilt", json!(true)),
    ];
    draft = draft.event(CONTROLLER, Kind::PlanCreated, &detail);
    for task in &plan.document.tasks {
        let known = view.knowledge.active_of(task.id.as_str()).count();
        if task.outputs.is_empty() || known < task.outputs.len() {
            continue;
        }
        let attempt = view.tried.get(&task.id).copied().unwrap_or(1);
        let detail = [
            ("task_id", json!(task.id)),
            ("attempt", json!(attempt)),
            ("verdict", json!("PASS")),
            ("rebuilt", json!(true)),
        ];
        draft = draft.event(CONTROLLER, Kind::TaskReviewed, &detail);
    }
    draft
}
