//! The run flow: proposals that wait. Approving confirms, approving with a text asks for another
//! proposal, rejecting cancels with the text as the reason; putting off writes nothing.

use hast_flow::docs::files::FlowName;
use hast_flow::docs::run;
use hast_flow::flows::run::{PersonsAnswer, Said};
use hast_flow::inbox::{Action, Deed, Item, ItemId, ItemKind, ItemState, Refused};
use hast_flow::words::Lang;
use hast_world::root_path::RootPath;

use super::{Decision, Source, refusal};
use crate::app::App;
use crate::commands::run::answering;
use crate::commands::run::proposals::{Proposal, proposals, words};
use crate::ops_messages::say;
use crate::problem::Problem;

/// How much of a long proposal is shown: one screen.
const LINES: usize = 12;

pub(super) struct Run;

impl Source for Run {
    fn flow(&self) -> FlowName {
        FlowName::Run
    }

    fn items(&self, app: &App, root: &RootPath) -> Result<Vec<Item>, Problem> {
        Ok(proposals(root).iter().map(|one| item(app.lang, root, one)).collect())
    }

    fn act(&self, app: &mut App, decision: &Decision<'_>) -> Result<String, Problem> {
        let lang = app.lang;
        let Decision { root, item, deed, .. } = decision;
        let look = || proposals(root).into_iter().find(|one| id(one) == item.id);
        let Some(open) = look() else {
            return Err(refusal(app, item.id.as_str(), &Refused::Unknown));
        };
        let text = deed.text.clone().filter(|text| !text.trim().is_empty());
        let answer = match (deed.action, text) {
            (Action::Defer, _) => return Ok(say::stays_open(lang, &open.run)),
            (Action::Approve, None) => PersonsAnswer::Confirm,
            (Action::Approve, Some(text)) => PersonsAnswer::Modify(text),
            (Action::Reject, reason) => PersonsAnswer::Cancel(reason.unwrap_or_default()),
        };
        let operator = Some(deed.operator.clone());
        let said = Said { proposal: open.number, answer, operator };
        // Whoever was faster is named.
        answering::give(app, root, &open.run, said).map_err(|problem| {
            match look().map(|one| state(lang, &one)) {
                Some(ItemState::Acted(deed)) => {
                    refusal(app, item.id.as_str(), &Refused::AlreadyActed(deed))
                }
                Some(ItemState::Resolved { why, .. }) => {
                    refusal(app, item.id.as_str(), &Refused::AlreadyResolved { why })
                }
                _ => problem,
            }
        })
    }
}

fn id(one: &Proposal) -> ItemId {
    let cause = one.number.to_string();
    ItemId::of(FlowName::Run, one.run.as_str(), ItemKind::Confirmation, &cause)
}

fn item(lang: Lang, root: &RootPath, one: &Proposal) -> Item {
    let first = one.request.lines().next().unwrap_or_default();
    Item {
        id: id(one),
        flow: FlowName::Run,
        unit: one.run.to_string(),
        kind: ItemKind::Confirmation,
        title: say::proposal(lang, one.number, first),
        evidence: if one.decided.is_none() { evidence(root, one) } else { Vec::new() },
        opened_at: one.made_after,
        state: state(lang, one),
    }
}

fn evidence(root: &RootPath, one: &Proposal) -> Vec<String> {
    let run = &one.run;
    let mut lines: Vec<String> = vec![run.to_string()];
    let text = words(root, run);
    let text: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.extend(text.iter().take(LINES).map(|line| format!("| {line}")));
    if text.len() > LINES {
        lines.push(format!("| (+{})", text.len() - LINES));
    }
    lines.push(format!("$ hast run show {run}"));
    lines.push(format!("$ hast run confirm {run}"));
    lines.push(format!("$ hast run modify \"...\" {run}"));
    lines
}

fn state(lang: Lang, one: &Proposal) -> ItemState {
    let Some(line) = &one.decided else { return ItemState::Open };
    let action = match line.decision {
        run::Decision::Confirm | run::Decision::Modify => Action::Approve,
        run::Decision::Cancel => Action::Reject,
        run::Decision::Outdated => {
            return ItemState::Resolved { at: line.ts, why: say::was_outdated(lang) };
        }
    };
    match &line.operator {
        Some(operator) => ItemState::Acted(Deed {
            action,
            operator: operator.clone(),
            text: line.text.clone(),
            at: line.ts,
        }),
        None => ItemState::Resolved { at: line.ts, why: say::was_decided(lang) },
    }
}
