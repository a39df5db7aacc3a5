//! A session asks people questions and takes in their answers or their wish for another plan. It
//! stays blocked until every question has an answer, or a person declares the plan impossible.

use serde_json::{Value, json};

use crate::docs::session::{
    Answer, Question, QuestionStatus, SessionEventKind as Kind, SystemStatus,
};
use crate::driver::Facts;
use crate::flows::session::boot::{self, REPLAN, RESTORE};
use crate::flows::session::decide::{SessionFlow, Wish, blocked as refuse, used};
use crate::flows::session::events::About;
use crate::flows::session::policy::{CONTROLLER, CRITIC, PLANNER};
use crate::flows::session::view::{Life, Pending, View};
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, prompts};
use crate::ids::{QuestionId, TaskId};
use crate::steps::{Ending, Notice, Step, StepKey, WaitsFor};

/// One question, and what its answer takes up again.
pub(super) struct Asking<'q> {
    pub(super) about: About,
    pub(super) task: Option<&'q TaskId>,
    pub(super) file: Option<&'static str>,
    pub(super) question: String,
}

/// Writes a question down and blocks the session.
pub(super) fn ask(
    draft: Draft<'_>,
    view: &View,
    facts: &Facts<'_>,
    asking: &Asking<'_>,
    steps: Vec<StepKey>,
) -> Step {
    let id = QuestionId::new(facts.now, view.asked + 1);
    let question = Question {
        id: id.clone(),
        task_id: asking.task.cloned(),
        ts: facts.now,
        question: asking.question.clone(),
        status: QuestionStatus::Open,
        file: asking.file.map(str::to_owned),
    };
    let mut detail = vec![("question_id", json!(id)), ("about", json!(asking.about))];
    detail.extend(asking.task.map(|task| ("task_id", json!(task))));
    detail.extend(asking.file.map(|file| ("file", json!(file))));
    detail.extend(used(view, &steps));
    draft
        .create_json(&layout::question(&id), &question)
        .event(CONTROLLER, Kind::QuestionOpened, &detail)
        .event(CONTROLLER, Kind::SystemBlocked, &[("question_id", json!(id))])
        .finishes(steps)
        .step()
}

/// The session is blocked: answers are noted, and when there is one for each question it goes on.
pub(super) fn blocked(view: &View, facts: &Facts<'_>) -> Step {
    let mut draft = Draft::new(view, facts, CONTROLLER, "answers");
    let mut noted = false;
    let mut open = Vec::new();
    for (id, pending) in &view.pending {
        let file = view.questions.get(id);
        let answer = file.and_then(|file| Some((file.answer.as_ref()?, &file.operator)));
        match (&pending.answer, answer) {
            (Some(_), _) => {}
            (None, Some((answer, operator))) => {
                let detail = answered(id, answer, operator.as_deref());
                draft = draft.event(CONTROLLER, Kind::QuestionAnswered, &detail);
                noted = true;
            }
            (None, None) => open.push(id),
        }
    }
    match (noted, open.is_empty()) {
        (true, _) => draft.keep_pointer_absent().step(),
        (false, false) => waiting(view, facts, &open),
        (false, true) => resume(view, facts),
    }
}

fn answered(id: &QuestionId, answer: &str, operator: Option<&str>) -> Vec<(&'static str, Value)> {
    let said = [("question_id", json!(id)), ("answer", json!(answer))];
    said.into_iter().chain(operator.map(|operator| ("operator", json!(operator)))).collect()
}

fn waiting(view: &View, facts: &Facts<'_>, open: &[&QuestionId]) -> Step {
    let told = open.iter().map(|id| {
        let question = view.questions.get(*id).map_or("", |file| file.question.as_str());
        prompts::waits(facts.lang, id, question)
    });
    let next = open.iter().map(|id| prompts::waits_next(facts.lang, id));
    let notice = Notice {
        what: told.collect::<Vec<_>>().join("; "),
        next: next.collect::<Vec<_>>().join("; "),
    };
    Step::Finish(Ending::Waiting { notice, on: WaitsFor::Person })
}

/// Every question has its answer: what can be rebuilt is, and the session goes on.
fn resume(view: &View, facts: &Facts<'_>) -> Step {
    let role = view.pending.values().find_map(whose).unwrap_or(CONTROLLER);
    let mut draft = Draft::new(view, facts, role, "taken up again");
    let mut reason = None;
    let mut restored = Vec::new();
    for pending in view.pending.values() {
        let word = pending.answer.as_deref().unwrap_or_default().trim();
        match &pending.file {
            Some(file) if word.eq_ignore_ascii_case(RESTORE) => {
                draft = boot::rebuild(draft, view, facts, file);
                restored.push(file.as_str());
            }
            _ if word.eq_ignore_ascii_case(REPLAN) => {
                reason = Some(prompts::a_person_said(facts.lang));
            }
            _ => {}
        }
    }
    let working = view.life == Life::Working || view.has_lost_its_log() && view.plan.is_some();
    let status = match (&reason, working) {
        (Some(_), true) => SystemStatus::Replanning,
        _ if view.wanted.is_some() => SystemStatus::Replanning,
        (_, true) => SystemStatus::Executing,
        (_, false) => SystemStatus::Planning,
    };
    let mut detail = vec![("status", json!(status))];
    detail.extend(reason.filter(|_| working).map(|reason| ("reason", json!(reason))));
    draft = draft.event(CONTROLLER, Kind::SystemResumed, &detail);
    match restored.contains(&layout::STATUS) {
        true => draft.step(),
        false => draft.keep_pointer_absent().step(),
    }
}

/// Plans are the planner's and the index is the critic's, also when they come back.
fn whose(pending: &Pending) -> Option<&'static str> {
    match pending.file.as_deref()? {
        layout::DECOMPOSITION | layout::METADATA => Some(PLANNER),
        layout::INDEX => Some(CRITIC),
        _ => None,
    }
}

/// Whether something is missing that another plan does not replace.
fn lacks_more_than_its_plan(view: &View) -> bool {
    let missing = boot::missing(view);
    missing.is_some_and(|path| ![layout::DECOMPOSITION, layout::METADATA].contains(&path))
}

/// What a person asked for with this command, where it is not done yet.
pub(super) fn wish(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Option<Step> {
    match flow.wish.as_ref()? {
        Wish::Answer { question, text, operator } => {
            Some(answer(view, facts, question, text, operator.as_deref()))
        }
        // It is in the log: from here on the session goes its way.
        Wish::Replan { known, .. } if view.wished > *known => None,
        Wish::Replan { .. } if lacks_more_than_its_plan(view) => {
            Some(boot::check(view, facts).unwrap_or_else(|| blocked(view, facts)))
        }
        Wish::Replan { reason, .. } => Some(replan(view, facts, reason)),
    }
}

fn answer(
    view: &View,
    facts: &Facts<'_>,
    id: &QuestionId,
    text: &str,
    operator: Option<&str>,
) -> Step {
    let lang = facts.lang;
    let Some(file) = view.questions.get(id) else {
        return refuse(prompts::no_question(lang, id), prompts::no_question_next(lang));
    };
    // The same words of somebody else are not this person's answer.
    let is_theirs = operator.is_none() || file.operator.as_deref() == operator;
    match &file.answer {
        Some(there) if there == text && is_theirs => {
            let (what, next) = (prompts::answered(lang, id), prompts::answered_next(lang));
            return Step::Finish(Ending::Done(Notice { what, next }));
        }
        Some(_) => {
            return refuse(prompts::has_answer(lang, id), prompts::has_answer_next(lang));
        }
        None if !view.pending.contains_key(id) => {
            return refuse(prompts::not_waited(lang, id), prompts::no_question_next(lang));
        }
        None => {}
    }
    let document = Answer {
        id: id.clone(),
        ts: facts.now,
        answer: text.to_owned(),
        status: QuestionStatus::Answered,
        operator: operator.map(str::to_owned),
    };
    Draft::new(view, facts, CONTROLLER, "an answer")
        .create_json(&layout::answer(id), &document)
        .event(CONTROLLER, Kind::QuestionAnswered, &answered(id, text, operator))
        .keep_pointer_absent()
        .step()
}

/// A person declares the plan impossible. That takes a blocked session up again, too.
fn replan(view: &View, facts: &Facts<'_>, reason: &str) -> Step {
    let lang = facts.lang;
    if view.life != Life::Working {
        return refuse(prompts::no_replan(lang), prompts::no_replan_next(lang));
    }
    let detail = [("status", json!(SystemStatus::Replanning)), ("reason", json!(reason))];
    Draft::new(view, facts, CONTROLLER, "a person wants another plan")
        .event(CONTROLLER, Kind::SystemResumed, &detail)
        .step()
}
