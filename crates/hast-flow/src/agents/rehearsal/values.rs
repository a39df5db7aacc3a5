//! A rehearsal has placeholders in its texts. This module gives their values in one call, from
//! `call.json` and the time. A name without a value in this call yields none.

use crate::agents::limit::Moment;
use crate::docs::call::Call;
use crate::docs::goals::Language;
use crate::time::{OffsetTime, UtcTime};

/// The value of a placeholder, where the call has one.
pub fn value(name: &str, call: &Call, call_file: &str, moment: Moment) -> Option<String> {
    let now = OffsetTime::new(moment.now, moment.offset);
    match name {
        "attempt" => Some(call.attempt.to_string()),
        "call" => Some(call_file.to_owned()),
        "date" => Some(now.local().date().to_string()),
        "flow" => Some(call.flow.as_str().to_owned()),
        "goal_id" => call.goal_id.clone(),
        "handoff_path" => call.handoff_path.clone(),
        "language" => Some(language(call.language).to_owned()),
        "outbox" => Some(call.outbox.clone()),
        "phase" => call.phase.clone(),
        "prompt_file" => Some(call.prompt_file.clone()),
        "regeneration" => Some(call.regeneration.to_string()),
        "request_id" => call.request_id.clone(),
        "role" => Some(call.role.clone()),
        "root" => Some(call.root.clone()),
        "run_id" => call.run_id.clone(),
        "session_id" => call.session_id.clone(),
        "stage_id" => call.stage_id.clone(),
        "step" => Some(call.step.clone()),
        "subtask_id" => call.subtask_id.clone(),
        "task_id" => call.task_id.clone(),
        "timestamp" => Some(now.to_string()),
        "tool_task_id" => call.tool_task_id.clone(),
        "unit" => Some(call.unit.clone()),
        "utc" => Some(UtcTime::new(moment.now).to_string()),
        "workdir" => Some(call.workdir.clone()),
        _ => None,
    }
}

fn language(language: Language) -> &'static str {
    match language {
        Language::Ko => "ko",
        Language::En => "en",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::document::read;
    use crate::docs::rehearsal::KNOWN;
    use crate::formats::source::Source;
    use jiff::Timestamp;
    use jiff::tz::Offset;

    /// A call with everything in it.
    const CALL: &str = r#"{"version": 1, "flow": "run", "role": "r", "step": "s", "unit": "u",
        "attempt": 2, "regeneration": 1, "root": "/r", "workdir": "/w", "outbox": "/o",
        "prompt_file": "/p", "handoff_path": "/h", "language": "ko", "inputs": [], "expected": [],
        "limits": {"timeout_seconds": 1, "output_bytes": 1, "tokens": null, "usd": null},
        "findings": [], "goal_id": "g", "session_id": "x", "task_id": "t", "run_id": "n",
        "phase": "f", "stage_id": "i", "tool_task_id": "l", "request_id": "q", "subtask_id": "b"}"#;

    #[test]
    fn every_name_that_is_known_has_a_value_and_no_other_has() {
        let call = read::<Call>(&Source::new("call.json", CALL)).unwrap().value;
        let now = Timestamp::from_second(1_770_615_000).unwrap();
        let moment = Moment { now, offset: Offset::constant(9) };
        for name in KNOWN {
            assert!(value(name, &call, "/c", moment).is_some(), "{name}");
        }
        assert_eq!(value("nothing", &call, "/c", moment), None);
        assert_eq!(value("timestamp", &call, "/c", moment).unwrap(), "2026-02-09T14:30:00+09:00");
        assert_eq!(value("utc", &call, "/c", moment).unwrap(), "2026-02-09T05:30:00Z");
    }
}
