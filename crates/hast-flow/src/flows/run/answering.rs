//! A person's answer that is only written down: the run goes on when somebody resumes it.

use crate::docs::run::{Decision, DecisionLine, ProcessRun, RunStatus};
use crate::flows::run::decide::{PersonsAnswer, Said, Scene};
use crate::flows::run::{phase_zero, prompts};
use crate::steps::{Ending, Notice, Step};

/// Each proposal is answered once; whoever comes second is told.
pub(super) fn step(scene: &Scene<'_>, row: &ProcessRun, said: &Said) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    let own = &scene.view.own;
    let decided = own.decisions.iter().find(|line| line.proposal == said.proposal);
    match decided {
        Some(line) if is_theirs(line, said) => {
            let what = prompts::answered(lang, run, said.proposal);
            Step::Finish(Ending::Done(Notice { what, next: prompts::answered_next(lang, run) }))
        }
        Some(line) if line.decision == Decision::Outdated => {
            let why = line.text.clone().unwrap_or_default();
            refuse(
                prompts::answered_too_late(lang, run, said.proposal, why),
                prompts::answered_next(lang, run),
            )
        }
        Some(_) => refuse(
            prompts::decided_already(lang, run, said.proposal),
            prompts::decided_already_next(lang, run),
        ),
        None if row.status == RunStatus::AwaitingConfirmation
            && own.proposal() == Some(said.proposal) =>
        {
            phase_zero::confirmation(scene)
        }
        None => refuse(
            prompts::not_awaiting(lang, run, said.proposal),
            prompts::decided_already_next(lang, run),
        ),
    }
}

/// The same words of somebody else are not this person's answer.
fn is_theirs(line: &DecisionLine, said: &Said) -> bool {
    let (decision, text) = match &said.answer {
        PersonsAnswer::Confirm => (Decision::Confirm, None),
        PersonsAnswer::Modify(text) => (Decision::Modify, Some(text.as_str())),
        PersonsAnswer::Cancel(reason) => {
            let reason = Some(reason.as_str()).filter(|text| !text.trim().is_empty());
            (Decision::Cancel, reason)
        }
    };
    line.decision == decision && line.text.as_deref() == text && line.operator == said.operator
}

fn refuse(what: String, next: String) -> Step {
    Step::Finish(Ending::Blocked(Notice { what, next }))
}
