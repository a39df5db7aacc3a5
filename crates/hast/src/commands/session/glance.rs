//! Sessions in a few words, for `hast status`: how many there are, and what waits for a person.

use std::path::Path;

use hast_flow::docs::session::{Question, SessionStatus, SystemStatus};
use hast_flow::flows::session::layout;
use hast_flow::ids::{QuestionId, SessionId};
use hast_flow::words::Lang;
use hast_world::files::names;
use serde_json::{Value, json};

use super::listing::{code, small};
use super::{all, directory};
use crate::session_messages::say;

/// What a look at the small files of all sessions tells.
pub(crate) struct Glance {
    sessions: usize,
    unfinished: Vec<(SessionId, SystemStatus)>,
    questions: Vec<(SessionId, QuestionId, String)>,
}

pub(crate) fn glance(root: &Path) -> Glance {
    let ids = all(root);
    let mut glance = Glance { sessions: ids.len(), unfinished: Vec::new(), questions: Vec::new() };
    for id in ids {
        let place = directory(root, &id);
        let status = small::<SessionStatus>(&place, layout::STATUS);
        let status = status.map_or(SystemStatus::Blocked, |status| status.system_status);
        if matches!(status, SystemStatus::Completed | SystemStatus::Failed) {
            continue;
        }
        if status == SystemStatus::Blocked {
            glance
                .questions
                .extend(open(&place).into_iter().map(|(q, text)| (id.clone(), q, text)));
        }
        glance.unfinished.push((id, status));
    }
    glance
}

/// Questions that nobody has answered yet.
fn open(place: &Path) -> Vec<(QuestionId, String)> {
    let mut files = names(&place.join(layout::QUESTIONS)).unwrap_or_default();
    files.sort();
    let asked = files.iter().filter_map(|file| file.strip_suffix(".json")?.parse().ok());
    let open = asked.filter(|id: &QuestionId| !place.join(layout::answer(id)).exists());
    open.filter_map(|id| {
        let question: Question = small(place, &layout::question(&id))?;
        Some((id, question.question))
    })
    .collect()
}

impl Glance {
    pub(crate) fn lines(&self, lang: Lang) -> Vec<String> {
        let mut lines = vec![say::glance(lang, self.sessions, self.unfinished.len())];
        lines.extend(self.unfinished.iter().map(|(id, status)| format!("{id} {}", code(*status))));
        for (session, id, text) in &self.questions {
            lines.push(format!("{session}: {}", say::open_question(lang, id, text)));
            lines.push(format!("{session}: {}", say::how_to_answer(lang, id)));
        }
        lines
    }

    pub(crate) fn json(&self) -> Value {
        let unfinished: Vec<Value> = self
            .unfinished
            .iter()
            .map(|(id, status)| json!({ "session_id": id, "status": status }))
            .collect();
        let questions: Vec<Value> = self
            .questions
            .iter()
            .map(|(session, id, text)| json!({ "session_id": session, "id": id, "question": text }))
            .collect();
        json!({ "sessions": self.sessions, "unfinished": unfinished, "questions": questions })
    }
}
