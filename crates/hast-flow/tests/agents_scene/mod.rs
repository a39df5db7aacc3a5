//! A call for tests of agents.

use hast_flow::agents::command::{AgentCall, NativeSession};
use hast_flow::docs::call::{Call, CallLimits};
use hast_flow::docs::document::Version;
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::Language;

pub(crate) fn with_prompt(prompt: &str) -> AgentCall {
    AgentCall {
        call: Call {
            version: Version,
            flow: FlowName::Session,
            role: "critic".to_owned(),
            step: "review".to_owned(),
            unit: "T-0001".to_owned(),
            attempt: 1,
            regeneration: 0,
            root: "/project".to_owned(),
            workdir: "/project".to_owned(),
            outbox: "/calls/1/outbox".to_owned(),
            prompt_file: "/calls/1/prompt.md".to_owned(),
            handoff_path: None,
            language: Language::En,
            inputs: Vec::new(),
            expected: Vec::new(),
            limits: CallLimits {
                timeout_seconds: 60,
                output_bytes: 1 << 20,
                tokens: None,
                usd: None,
            },
            grants: None,
            findings: Vec::new(),
            goal_id: None,
            session_id: None,
            task_id: None,
            run_id: None,
            phase: None,
            stage_id: None,
            tool_task_id: None,
            request_id: None,
            subtask_id: None,
        },
        call_file: "/calls/1/call.json".to_owned(),
        prompt: prompt.to_owned(),
        session: NativeSession::Fresh,
    }
}
