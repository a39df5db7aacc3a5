//! Sessions in a few words, for `hast status`: how many there are, and what waits for a person.

use hast_flow::docs::session::{SessionStatus, SystemStatus};
use hast_flow::flows::session::layout;
use hast_flow::ids::{QuestionId, SessionId, TaskId};
use hast_flow::words::Lang;
use hast_world::root_path::RootPath;
use serde_json::{Value, json};

use super::listing::{code, small};
use super::questions::{Asked, asked};
use super::{all, directory};
use crate::commands::flow_root::headline;
use crate::session_messages::say;

/// What a look at the small files of all sessions tells.
pub(crate) struct Glance {
    sessions: usize,
    unfinished: Vec<(SessionId, SystemStatus, Option<TaskId>)>,
    questions: Vec<(SessionId, QuestionId, String)>,
}

pub(crate) fn glance(root: &RootPath) -> Glance {
    let ids = all(root);
    let mut glance = Glance { sessions: ids.len(), unfinished: Vec::new(), questions: Vec::new() };
    for id in ids {
        let place = directory(root, &id);
        let status = small::<SessionStatus>(&place, layout::STATUS);
        let task = status.as_ref().and_then(|status| status.current_task_id.clone());
        let status = status.map_or(SystemStatus::Blocked, |status| status.system_status);
        if matches!(status, SystemStatus::Completed | SystemStatus::Failed) {
            continue;
        }
        let open = asked(root, &id).into_iter().filter(Asked::waits);
        let open = open.map(|asked| (id.clone(), asked.question.id, asked.question.question));
        glance.questions.extend(open);
        glance.unfinished.push((id, status, task));
    }
    glance
}

impl Glance {
    pub(crate) fn lines(&self, lang: Lang) -> Vec<String> {
        let mut lines = vec![say::glance(lang, self.sessions, self.unfinished.len())];
        lines.extend(self.unfinished.iter().map(|(id, status, task)| {
            let task = task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
            format!("{id} {}{task}", code(*status))
        }));
        for (session, id, text) in &self.questions {
            lines.push(format!("{session}: {}", say::open_question(lang, id, headline(text))));
            lines.push(format!("{session}: {}", say::how_to_answer(lang, id)));
        }
        lines
    }

    pub(crate) fn json(&self) -> Value {
        let unfinished: Vec<Value> = self
            .unfinished
            .iter()
            .map(|(id, status, task)| {
                json!({ "session_id": id, "status": status, "current_task_id": task })
            })
            .collect();
        let questions: Vec<Value> = self
            .questions
            .iter()
            .map(|(session, id, text)| json!({ "session_id": session, "id": id, "question": text }))
            .collect();
        json!({ "sessions": self.sessions, "unfinished": unfinished, "questions": questions })
    }
}
