//! The events of a session's log as its view and its pointer take them in: what of a line counts,
//! and the hash by which the next line names it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::docs::session::{
    Artifact, SessionEvent, SessionEventKind, SummaryUsage, SystemStatus, Verdict,
};
use crate::flows::session::layout;
use crate::formats::ndjson::LogLines;
use crate::ids::{EventId, KnowledgeId, QuestionId, SessionId, Sha256, TaskId};
use crate::time::UtcTime;

/// One event, as far as it counts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Happened {
    pub event_id: EventId,
    pub ts: UtcTime,
    #[serde(rename = "type")]
    pub kind: SessionEventKind,
    pub detail: Detail,
}

macro_rules! detail {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// What an event says besides its kind.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
        #[serde(default)]
        pub struct Detail {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl Detail {
            /// Field by field, so that one of another form does not hide the others.
            fn lenient(event: &SessionEvent) -> Self {
                Self { $($name: field(event, stringify!($name)),)* }
            }
        }
    };
}

detail! {
    task_id: Option<TaskId>,
    attempt: Option<u32>,
    verdict: Option<Verdict>,
    artifacts: Vec<Artifact>,
    cites: BTreeSet<KnowledgeId>,
    /// What is wrong with the outputs before anybody reviews them.
    faults: Vec<String>,
    error: Option<String>,
    reasons: Vec<String>,
    reason: Option<String>,
    /// The number that a revision or a major version moves to.
    to: Option<u32>,
    major_version: Option<u32>,
    revision: Option<u32>,
    /// What the session does from here on.
    status: Option<SystemStatus>,
    session_id: Option<SessionId>,
    question_id: Option<QuestionId>,
    about: Option<About>,
    file: Option<String>,
    answer: Option<String>,
    usage: Option<SummaryUsage>,
    /// Of the plan that the event is about.
    sha256: Option<Sha256>,
    snapshot: Option<String>,
    dropped: Vec<TaskId>,
    knowledge: Vec<KnowledgeId>,
    /// Tasks whose pass was taken away.
    again: Vec<TaskId>,
    /// Names in `output/artifacts/`.
    copies: Vec<String>,
}

/// What a question is about, which is what its answer takes up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    File,
    Plan,
    Execution,
    Review,
    Answer,
    Verdict,
}

fn field<T: serde::de::DeserializeOwned + Default>(event: &SessionEvent, name: &str) -> T {
    let value: Option<Value> = event.detail.get(name).cloned();
    value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

/// The events of a piece of the log. A bad line is skipped here and told by `verify`; a torn one is
/// cut off by recovery.
pub fn read(bytes: &[u8]) -> impl Iterator<Item = Happened> {
    let lines = LogLines::whole(layout::LOG, bytes).flatten();
    lines.filter_map(|line| {
        // A detail of another form than ours does not make the event unheard.
        let lenient = || serde_json::from_str::<SessionEvent>(line.text).ok().map(Happened::from);
        serde_json::from_str(line.text).ok().or_else(lenient)
    })
}

/// The questions that a session with this log still waits for, answered or not: those since it was
/// last taken up. Read from the end, so that a long history costs little.
pub fn waited_for(log: &[u8]) -> BTreeSet<QuestionId> {
    let mut waited_for = BTreeSet::new();
    for line in log.rsplit(|byte| *byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        let counts = |kind: &&str| line.contains(*kind);
        if !["QUESTION_OPENED", "SYSTEM_RESUMED", "SESSION_"].iter().any(counts) {
            continue;
        }
        let Some(event) = read(format!("{line}\n").as_bytes()).next() else { continue };
        match event.kind {
            SessionEventKind::QuestionOpened => waited_for.extend(event.detail.question_id),
            SessionEventKind::SystemResumed
            | SessionEventKind::SessionCompleted
            | SessionEventKind::SessionFailed => break,
            _ => {}
        }
    }
    waited_for
}

/// How the next event names a line: the beginning of its hash.
pub fn link(line: &str) -> String {
    let hash = Sha256::of(line.trim_end().as_bytes());
    hash.as_str().get(..LINK).unwrap_or_default().to_owned()
}

/// The name of the last line of a piece of the log.
pub fn last_link(bytes: &[u8]) -> Option<String> {
    LogLines::whole(layout::LOG, bytes).flatten().last().map(|line| link(line.text))
}

/// The field of an event's detail that names the line before it.
pub const PREVIOUS: &str = "prev";
const LINK: usize = 16;
/// The field of an event's detail that has the hashes of what was written once with it.
pub const FILES: &str = "files";
/// The field that has the hash of the lines in the run log.
pub const RUN_LINES: &str = "run_sha256";

impl From<SessionEvent> for Happened {
    fn from(event: SessionEvent) -> Self {
        let detail = Detail::lenient(&event);
        Self { event_id: event.event_id, ts: event.ts, kind: event.kind, detail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_of_another_form_does_not_make_the_event_unheard() {
        let line = |attempt: &str| {
            format!(
                "{{\"event_id\":\"EV-20260112T143000Z-0009\",\"ts\":\"2026-01-12T14:30:00Z\",\"actor\":\"x\",\"type\":\"TASK_STARTED\",\"detail\":{{\"task_id\":\"T-0007\",\"attempt\":{attempt},\"more\":[1]}}}}\n"
            )
        };
        let text = line("2") + "nonsense\n" + &line("\"two\"");
        let heard: Vec<Happened> = read(text.as_bytes()).collect();
        let attempts: Vec<Option<u32>> = heard.iter().map(|event| event.detail.attempt).collect();
        assert_eq!(attempts, [Some(2), None]);
        assert!(heard.iter().all(|event| event.detail.task_id.is_some()));
    }

    #[test]
    fn a_session_waits_for_what_was_asked_since_it_was_last_taken_up() {
        let line = |kind: &str, detail: &str| {
            format!(
                "{{\"event_id\":\"EV-20260112T143000Z-0009\",\"ts\":\"2026-01-12T14:30:00Z\",\"actor\":\"x\",\"type\":\"{kind}\",\"detail\":{detail}}}\n"
            )
        };
        let asked = |number: u32| {
            line("QUESTION_OPENED", &format!("{{\"question_id\":\"Q-20260112-000{number}\"}}"))
        };
        let waits = |log: &str| waited_for(log.as_bytes()).len();
        let log = asked(1) + &line("SYSTEM_RESUMED", "{}") + &asked(2) + &asked(3);
        assert_eq!(waits(&log), 2);
        let quoted = line("QUESTION_ANSWERED", "{\"answer\":\"SYSTEM_RESUMED\"}");
        assert_eq!(
            waits(&(log.clone() + &quoted + "{\"torn\": \"SYSTEM_RESUMED")),
            2,
            "words only"
        );
        assert_eq!(waits(&(log + &line("SESSION_FAILED", "{}"))), 0);
        assert_eq!(waits(""), 0);
    }

    #[test]
    fn a_line_is_named_by_its_text_and_not_by_what_follows_it() {
        assert_eq!(link("{\"a\":1}\n"), link("{\"a\":1}"));
        assert_ne!(link("{\"a\":1}"), link("{\"a\":2}"));
        assert_eq!(last_link(b"{\"a\":1}\n{\"a\":2}\n"), Some(link("{\"a\":2}")));
        assert_eq!(last_link(b""), None);
    }
}
