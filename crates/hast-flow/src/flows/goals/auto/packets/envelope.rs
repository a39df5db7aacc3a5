//! One task as the requests of four kinds of orchestrators. Only the wrapping differs: each holds the
//! prompt where that orchestrator looks for it, and the packet where it carries data along.

use serde_json::{Map, Value, json};

use crate::docs::goals::{Adapter, ProtocolTask};

/// The adapter's own request; none where the packet itself is the request.
pub fn envelope(task: &ProtocolTask) -> Option<Map<String, Value>> {
    let value = match task.adapter {
        Adapter::Generic => return None,
        Adapter::Langgraph => json!({
            "input": {"messages": [{"role": "user", "content": task.prompt}]},
            "config": {"configurable": {"thread_id": task.packet_id}},
            "metadata": reference(task),
        }),
        Adapter::Openhands => json!({
            "initial_user_msg": task.prompt,
            "selected_branch": task.base.branch.as_deref().map(short),
            "conversation_instructions": answer(task),
        }),
        Adapter::A2a => json!({
            "jsonrpc": "2.0",
            "id": task.packet_id,
            "method": "message/send",
            "params": {"message": {
                "kind": "message",
                "role": "user",
                "messageId": task.packet_id,
                "parts": [
                    {"kind": "text", "text": task.prompt},
                    {"kind": "data", "data": reference(task)},
                ],
            }},
        }),
    };
    match value {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

/// What a result has to repeat, and what the work is held to.
fn reference(task: &ProtocolTask) -> Value {
    json!({
        "schema": task.schema,
        "packet_id": task.packet_id,
        "goal_id": task.goal.id,
        "base_commit": task.base.commit,
        "scope": task.scope,
        "test_command": task.test_command,
        "handoff_path": task.handoff_path,
        "lease": task.lease,
    })
}

/// The same in words, for whoever passes on nothing but words.
fn answer(task: &ProtocolTask) -> String {
    let (packet, goal, base) = (&task.packet_id, &task.goal.id, &task.base.commit);
    format!(
        "Start from commit {base}. When you are done, answer with one JSON object: \
         {{\"schema\": \"protocol_result.v1\", \"packet_id\": {packet:?}, \"goal_id\": {goal:?}, \
         \"base_commit\": {base:?}, \"status\": \"complete\" | \"failed\" | \"blocked\", \
         \"reason\": why not, \"patch\": the output of `git diff --binary {base}`}}."
    )
}

fn short(branch: &str) -> &str {
    branch.strip_prefix("refs/heads/").unwrap_or(branch)
}
