//! The constitution: a proposal is made, checked against what is ACTIVE, and enacted once a person
//! has confirmed it.

use std::collections::BTreeSet;

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::run::{
    CatalogRow, Decision, InstructionStatus, ProposedInstruction, ProposedInstructions,
    RunEventKind as Kind, RunStatus, UserInstruction, WorkStatus,
};
use crate::flows::run::decide::{Here, Scene};
use crate::flows::run::policy::{EXECUTOR, PLANNER};
use crate::flows::run::write::{printed, word};
use crate::flows::run::{ending, layout, learning, phase_zero, plan_rules, prompts};
use crate::ids::InstructionId;
use crate::replies::{Asked, document, file};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};
use crate::store::Put;

/// The question for the proposal that comes next.
pub(super) fn key(scene: &Scene<'_>) -> StepKey {
    let number = scene.view.own.proposals() + 1;
    scene.key(phase_zero::STAGE, &format!("propose-{number}"))
}

/// What a planner proposes: words for the person, and the instructions they stand for.
struct Proposal {
    feedback: Vec<u8>,
    instructions: Vec<ProposedInstruction>,
}

/// Step 4: the planner compares the request with what is in force and writes a proposal.
pub(super) fn propose(scene: &Scene<'_>, here: &Here<'_>) -> Step {
    let call = || Call {
        inputs: layout::path(layout::INSTRUCTIONS).into_iter().collect(),
        expected: vec![
            Expected::required(layout::FEEDBACK),
            Expected::required(layout::PROPOSED).of("run-instructions"),
        ],
        ids: [
            ("run_id", scene.flow.run.to_string()),
            ("phase", here.phase.phase_name.clone()),
            ("stage_id", here.stage.stage_id.to_string()),
        ]
        .into(),
        ..Call::new(PLANNER, "propose", scene.flow.run.as_str(), prompt(scene))
    };
    match scene.ask(key(scene), call, |answer| read(scene, answer)) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => proposed(scene, &value, steps),
        Asked::Unanswered { why, steps, .. } => {
            let purpose = prompts::proposal_purpose(scene.facts.lang);
            let failure = ending::Failure::planning("propose", &purpose, &why.reason());
            ending::fail(scene, &failure.at(here.phase).in_stage(here.stage), steps)
        }
    }
}

fn prompt(scene: &Scene<'_>) -> String {
    let (view, lang) = (scene.view, scene.facts.lang);
    let request = view.own.request.as_ref();
    let text = request.map(|request| request.user_request.clone()).unwrap_or_default();
    let past = request.map_or(&[][..], |request| &request.learning_context);
    let past: String = past.iter().map(|run| learning::told(view, run)).collect();
    let mut prompt = prompts::propose(lang, &text, &active_text(scene), &past);
    if let (Some(line), Some(feedback)) = (view.own.decision(), &view.own.feedback) {
        let before = String::from_utf8_lossy(&feedback.value);
        let said = line.text.as_deref().unwrap_or_default();
        prompt.push_str("\n\n");
        prompt.push_str(&match line.decision {
            Decision::Outdated => prompts::outdated(lang, said, before),
            _ => prompts::modified(lang, said, before),
        });
    }
    prompt
}

/// The instructions in force, a line each.
pub(super) fn active_text(scene: &Scene<'_>) -> String {
    active(scene)
        .iter()
        .map(|one| {
            format!("- {} [{}]: {}\n", one.instruction_id, one.instruction_type, one.content)
        })
        .collect()
}

fn active(scene: &Scene<'_>) -> Vec<UserInstruction> {
    let Some(table) = scene.view.instructions() else { return Vec::new() };
    let word = word(&InstructionStatus::Active);
    let rows =
        (0..table.len()).filter(|row| table.row(*row).is_some_and(|row| *row.text(4) == word));
    rows.filter_map(|row| table.typed(row)?.ok()).collect()
}

fn read(scene: &Scene<'_>, answer: &Answer) -> Result<Proposal, Vec<CallFinding>> {
    let lang = scene.facts.lang;
    let feedback = file(answer, layout::FEEDBACK, lang)?.to_vec();
    let (_, read) = document::<ProposedInstructions>(answer, layout::PROPOSED, lang)?;
    let instructions = plan_rules::within(read.value.0, layout::PROPOSED, lang)?;
    let findings = not_in_force(scene, &instructions);
    if findings.is_empty() { Ok(Proposal { feedback, instructions }) } else { Err(findings) }
}

/// Only what is in force can be superseded, and each of it once.
fn not_in_force(scene: &Scene<'_>, proposed: &[ProposedInstruction]) -> Vec<CallFinding> {
    let active: BTreeSet<InstructionId> =
        active(scene).into_iter().map(|one| one.instruction_id).collect();
    let mut taken = BTreeSet::new();
    let mut findings = Vec::new();
    for id in proposed.iter().flat_map(|one| &one.supersedes) {
        let lang = scene.facts.lang;
        let problem = if !active.contains(id) {
            prompts::not_active(lang, id)
        } else if !taken.insert(id) {
            prompts::superseded_twice(lang, id)
        } else {
            continue;
        };
        let next = prompts::not_active_next(lang);
        findings.push(CallFinding { file: layout::PROPOSED.to_owned(), line: None, problem, next });
    }
    findings
}

/// The proposal is on the table, the one before it is kept, and the run waits. What a person had put
/// under its name before the first one is kept as number 0.
fn proposed(scene: &Scene<'_>, proposal: &Proposal, steps: Vec<StepKey>) -> Step {
    let own = &scene.view.own;
    let number = own.proposals();
    let mut draft = scene.draft(PLANNER, "a proposal");
    if let Some(before) = &own.feedback {
        let kept = layout::earlier(layout::FEEDBACK, number);
        draft = draft.create_here(&kept, before.value.clone());
    }
    if own.proposed.is_some() {
        let kept = layout::earlier(layout::PROPOSED, number);
        draft = draft.create_here(&kept, own.proposed_bytes.clone());
    }
    let rendered = rendered(scene, proposal);
    let whole = |name: &str, before, bytes: Vec<u8>| {
        let path = layout::path(&layout::of_run(&scene.flow.run, name));
        path.map(|path| Put::whole(path, before, bytes))
    };
    let before = own.feedback.as_ref().and_then(|known| known.identity);
    let listed = super::view::readable(own.proposed.as_ref()).and_then(|known| known.identity);
    let instructions = ProposedInstructions(proposal.instructions.clone());
    draft
        .put(whole(layout::FEEDBACK, before, rendered))
        .put(whole(layout::PROPOSED, listed, printed(&instructions).into_bytes()))
        .status(RunStatus::AwaitingConfirmation)
        .event(PLANNER, Kind::ProposalMade, &[("proposal", json!(number + 1))])
        .finishes(steps)
        .step()
}

/// What the person confirms is what will be enacted: the planner's words, then the list itself.
fn rendered(scene: &Scene<'_>, proposal: &Proposal) -> Vec<u8> {
    let lang = scene.facts.lang;
    let mut text = String::from_utf8_lossy(&proposal.feedback).trim_end().to_owned();
    text += &format!("\n\n## {}\n\n", prompts::to_be_enacted(lang));
    for one in &proposal.instructions {
        text += &format!("- **{}**: {}\n", one.instruction_type, one.content.replace('\n', " "));
        for id in &one.supersedes {
            let row = scene.view.instructions().and_then(|table| table.get(id.as_str()));
            let content = row.and_then(Result::ok).map(|row| row.content).unwrap_or_default();
            text += &format!("  - {}\n", prompts::supersedes(lang, id, content.replace('\n', " ")));
        }
        if let Some(why) = &one.justification {
            text += &format!("  - {}\n", prompts::because(lang, why.replace('\n', " ")));
        }
    }
    text.into_bytes()
}

/// Why the proposal on the table can no longer be enacted as it was confirmed.
pub(super) fn outdated(scene: &Scene<'_>) -> Option<String> {
    let proposed = super::view::readable(scene.view.own.proposed.as_ref());
    let Some(proposed) = proposed else {
        return Some(prompts::proposal_missing(scene.facts.lang));
    };
    let findings = not_in_force(scene, &proposed.value);
    findings.first().map(|finding| finding.problem.clone())
}

/// T02: what was confirmed becomes law. Superseded rows stay, and say by what.
pub(super) fn enact(scene: &Scene<'_>, here: &Here<'_>) -> Step {
    if let (Some(why), Some(number)) = (outdated(scene), scene.view.own.proposal()) {
        return phase_zero::outdated(scene, number, &why);
    }
    let run = &scene.flow.run;
    let proposed = super::view::readable(scene.view.own.proposed.as_ref());
    let proposed = proposed.map_or(&[][..], |known| &known.value);
    let Some(table) = scene.view.instructions() else { return ending::table_missing(scene) };
    let last = table.rows().filter_map(|row| row.text(0).parse::<InstructionId>().ok());
    let last = last.map(|id| id.number()).max().unwrap_or(0);
    let mut change = table.change();
    let mut enacted = Vec::new();
    for (number, one) in (last + 1..).zip(proposed) {
        let id = InstructionId::new(number);
        for old in &one.supersedes {
            change = change.set(old.as_str(), "status", &word(&InstructionStatus::Superseded)).set(
                old.as_str(),
                "superseded_by_id",
                id.as_str(),
            );
        }
        change = change.with_row(&UserInstruction {
            instruction_id: id.clone(),
            run_id: run.clone(),
            instruction_type: one.instruction_type.clone(),
            content: one.content.clone(),
            status: InstructionStatus::Active,
            superseded_by_id: None,
            justification: one.justification.clone(),
        });
        enacted.push(id);
    }
    let row = CatalogRow {
        file_path: layout::of_run(run, layout::FEEDBACK),
        run_id: Some(run.clone()),
        asset_type: "USER_INSTRUCTIONS".to_owned(),
        source_task_id: Some(here.task.task_id.to_string()),
        summary: Some(
            proposed.iter().map(|one| one.content.as_str()).collect::<Vec<_>>().join("; "),
        ),
    };
    let detail = [("task_id", json!(here.task.task_id)), ("instructions", json!(enacted))];
    scene
        .draft(EXECUTOR, "the constitution")
        .put(change.put())
        .catalog(row)
        .task(&here.task.task_id, WorkStatus::Completed)
        .event(EXECUTOR, Kind::TaskCompleted, &detail)
        .step()
}
