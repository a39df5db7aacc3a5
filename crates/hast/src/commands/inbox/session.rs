//! The session flow: its questions. The text of a decision is the answer, written as `hast session
//! answer` writes it; putting off writes nothing.

use hast_flow::docs::files::FlowName;
use hast_flow::inbox::{Action, Deed, Item, ItemId, ItemKind, ItemState, Refused};
use hast_flow::words::Lang;
use hast_world::root_path::RootPath;

use super::{Decision, Source, refusal};
use crate::app::App;
use crate::commands::session::answering::{self, Given};
use crate::commands::session::questions::{Asked, Fate, all_asked, asked};
use crate::commands::session::there;
use crate::ops_messages::say;
use crate::problem::{LINK_IN_THE_WAY, Problem};

/// How much of a long question is shown: one screen.
const LINES: usize = 12;

pub(super) struct Session;

impl Source for Session {
    fn flow(&self) -> FlowName {
        FlowName::Session
    }

    fn root(&self, app: &App) -> Result<Option<RootPath>, Problem> {
        match there(app) {
            Err(problem) if problem.code != Some(LINK_IN_THE_WAY) => Ok(None),
            root => root.map(Some),
        }
    }

    fn items(&self, app: &App, root: &RootPath) -> Result<Vec<Item>, Problem> {
        Ok(all_asked(root).iter().map(|asked| item(app.lang, root, asked)).collect())
    }

    fn act(&self, app: &mut App, decision: &Decision<'_>) -> Result<String, Problem> {
        let lang = app.lang;
        let Decision { root, item, deed, .. } = decision;
        let look = || {
            let all = asked(root, &item.unit.parse().ok()?);
            all.into_iter().find(|asked| id(asked) == item.id)
        };
        let Some(open) = look() else {
            return Err(refusal(app, item.id.as_str(), &Refused::Unknown));
        };
        let question = open.question.id.clone();
        let text = match (deed.action, &deed.text) {
            (Action::Defer, _) => return Ok(say::stays_open(lang, &question)),
            (Action::Approve | Action::Reject, Some(text)) => text.clone(),
            (Action::Approve | Action::Reject, None) => {
                return Err(refusal(app, item.id.as_str(), &Refused::NeedsText));
            }
        };
        let session = open.session.clone();
        let operator = Some(deed.operator.clone());
        let given = Given { question: question.clone(), text, operator };
        match answering::give(app, root, &session, given) {
            Ok(_) => Ok(say::question_answered(lang, &question, &session)),
            // Whoever was faster is named.
            Err(problem) => Err(match look().map(|asked| state(lang, &asked)) {
                Some(ItemState::Acted(deed)) => {
                    refusal(app, item.id.as_str(), &Refused::AlreadyActed(deed))
                }
                Some(ItemState::Resolved { why, .. }) => {
                    refusal(app, item.id.as_str(), &Refused::AlreadyResolved { why })
                }
                _ => problem,
            }),
        }
    }
}

fn id(asked: &Asked) -> ItemId {
    let (session, question) = (asked.session.as_str(), asked.question.id.as_str());
    ItemId::of(FlowName::Session, session, ItemKind::Question, question)
}

fn item(lang: Lang, root: &RootPath, asked: &Asked) -> Item {
    let question = &asked.question;
    let first = question.question.lines().next().unwrap_or_default();
    Item {
        id: id(asked),
        flow: FlowName::Session,
        unit: asked.session.to_string(),
        kind: ItemKind::Question,
        title: format!("{}: {first}", question.id),
        evidence: if asked.waits() { evidence(root, asked) } else { Vec::new() },
        opened_at: question.ts,
        state: state(lang, asked),
    }
}

fn evidence(root: &RootPath, asked: &Asked) -> Vec<String> {
    let Asked { session, question, .. } = asked;
    let mut lines = vec![format!("{session}: {}", asked.query(root))];
    lines.extend(asked.task(root));
    lines.extend(question.file.clone());
    let text: Vec<&str> = question.question.lines().collect();
    lines.extend(text.iter().take(LINES).map(|line| format!("| {line}")));
    if text.len() > LINES {
        lines.push(format!("| (+{})", text.len() - LINES));
    }
    lines.push(format!("$ hast session show {session}"));
    lines.push(format!("$ hast session answer {} \"...\" --session {session}", question.id));
    lines
}

fn state(lang: Lang, asked: &Asked) -> ItemState {
    match &asked.fate {
        Fate::Waits => ItemState::Open,
        Fate::Answered(answer) => match &answer.operator {
            Some(operator) => ItemState::Acted(Deed {
                action: Action::Approve,
                operator: operator.clone(),
                text: Some(answer.answer.clone()),
                at: answer.ts,
            }),
            None => ItemState::Resolved { at: answer.ts, why: say::was_answered(lang) },
        },
        Fate::Overtaken { at } => ItemState::Resolved { at: *at, why: say::was_overtaken(lang) },
    }
}
