//! The events of a session's log as its view and its pointer take them in: what of a line counts.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use crate::docs::session::{Artifact, SessionEvent, SessionEventKind, Verdict};
use crate::flows::session::layout;
use crate::formats::ndjson::LogLines;
use crate::ids::{EventId, KnowledgeId, TaskId};
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

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Detail {
    pub task_id: Option<TaskId>,
    pub attempt: Option<u32>,
    pub verdict: Option<Verdict>,
    pub artifacts: Vec<Artifact>,
    pub cites: BTreeSet<KnowledgeId>,
    pub error: Option<String>,
    pub reasons: Vec<String>,
    pub to: Option<u32>,
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

impl From<SessionEvent> for Happened {
    fn from(event: SessionEvent) -> Self {
        fn field<T: serde::de::DeserializeOwned>(event: &SessionEvent, name: &str) -> Option<T> {
            let value: Value = event.detail.get(name)?.clone();
            serde_json::from_value(value).ok()
        }
        let detail = Detail {
            task_id: field(&event, "task_id"),
            attempt: field(&event, "attempt"),
            verdict: field(&event, "verdict"),
            artifacts: field(&event, "artifacts").unwrap_or_default(),
            cites: field(&event, "cites").unwrap_or_default(),
            error: field(&event, "error"),
            reasons: field(&event, "reasons").unwrap_or_default(),
            to: field(&event, "to"),
        };
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
}
