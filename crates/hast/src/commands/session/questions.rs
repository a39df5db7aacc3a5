//! Questions that sessions ask people, for the status and the inbox. They are read from small files
//! alone. The log of a session is read only where one of its questions has no answer.

use hast_flow::docs::session::{Answer, Decomposition, Question, SessionStatus, SystemStatus};
use hast_flow::flows::session::{events, layout};
use hast_flow::ids::{QuestionId, SessionId};
use hast_flow::time::UtcTime;
use hast_world::root_path::RootPath;

use super::listing::small;
use super::reading::MAX_BYTES;
use super::{all, directory};

/// A question and what became of it.
pub(crate) struct Asked {
    pub(crate) session: SessionId,
    pub(crate) question: Question,
    pub(crate) fate: Fate,
}

pub(crate) enum Fate {
    Waits,
    Answered(Answer),
    /// The session went on or ended without an answer; when it last did anything.
    Overtaken {
        at: UtcTime,
    },
}

/// All questions of all sessions, the oldest first.
pub(crate) fn all_asked(root: &RootPath) -> Vec<Asked> {
    all(root).into_iter().flat_map(|session| asked(root, &session)).collect()
}

/// The questions of one session.
pub(crate) fn asked(root: &RootPath, session: &SessionId) -> Vec<Asked> {
    let place = directory(root, session);
    let mut files = place.join(layout::QUESTIONS).names().unwrap_or_default();
    files.sort();
    let ids = files.iter().filter_map(|file| file.strip_suffix(".json")?.parse().ok());
    let read = |id: QuestionId| {
        let question: Question = small(&place, &layout::question(&id))?;
        let answer: Option<Answer> = small(&place, &layout::answer(&id));
        (question.id == id).then_some((question, answer))
    };
    let asked: Vec<(Question, Option<Answer>)> = ids.filter_map(read).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let is_open = asked.iter().any(|(_, answer)| answer.is_none());
    let (waited_for, last) = if is_open { now(&place) } else { Default::default() };
    let fate = |question: &Question, answer: Option<Answer>| match answer {
        Some(answer) => Fate::Answered(answer),
        None if waited_for.contains(&question.id) => Fate::Waits,
        None => Fate::Overtaken { at: last.unwrap_or(question.ts) },
    };
    let whole = |(question, answer): (Question, Option<Answer>)| {
        let fate = fate(&question, answer);
        Asked { session: session.clone(), question, fate }
    };
    asked.into_iter().map(whole).collect()
}

/// What a session waits for, and when anything last happened in it.
fn now(place: &RootPath) -> (std::collections::BTreeSet<QuestionId>, Option<UtcTime>) {
    let status: Option<SessionStatus> = small(place, layout::STATUS);
    let last = status.as_ref().and_then(|status| status.last_event_id.as_ref());
    let last = last.and_then(hast_flow::ids::EventId::time);
    let ended = [SystemStatus::Completed, SystemStatus::Failed];
    if status.is_some_and(|status| ended.contains(&status.system_status)) {
        return (Default::default(), last);
    }
    let log = place.join(layout::LOG).read_if_there(MAX_BYTES).ok().flatten().unwrap_or_default();
    (events::waited_for(&log), last)
}

impl Asked {
    pub(crate) fn waits(&self) -> bool {
        matches!(self.fate, Fate::Waits)
    }

    /// The first line of what the session was asked.
    pub(crate) fn query(&self, root: &RootPath) -> String {
        let path = directory(root, &self.session).join(layout::USER_INPUT);
        let bytes = path.read_if_there(MAX_BYTES).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().next().unwrap_or_default().to_owned()
    }

    /// The task that it is about, with its title.
    pub(crate) fn task(&self, root: &RootPath) -> Option<String> {
        let id = self.question.task_id.as_ref()?;
        let plan: Option<Decomposition> =
            small(&directory(root, &self.session), layout::DECOMPOSITION);
        let tasks = plan.map(|plan| plan.tasks).unwrap_or_default();
        let title = tasks.iter().find(|task| task.id == *id).map(|task| task.title.as_str());
        Some(format!("{id} {}", title.unwrap_or_default()).trim_end().to_owned())
    }
}
