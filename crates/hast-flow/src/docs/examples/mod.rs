//! One example of each document that agents write. It is a valid document once its placeholders are filled, and
//! it is not part of any schema.

use std::collections::BTreeMap;

use crate::docs::call::Call;
use crate::time::UtcTime;

/// The example of a document, by its schema and the step that asks for it.
fn of(schema: &str, step: &str) -> Option<&'static str> {
    Some(match (schema, step) {
        ("decomposition", _) => include_str!("decomposition.json"),
        ("routing-state", _) => include_str!("routing-state.json"),
        ("replan", _) => include_str!("replan.json"),
        ("critique-draft", _) => include_str!("critique-draft.json"),
        ("run-mode", _) => include_str!("run-mode.json"),
        ("run-instructions", _) => include_str!("run-instructions.json"),
        ("run-stages", _) => include_str!("run-stages.json"),
        ("run-tasks", _) => include_str!("run-tasks.json"),
        ("run-tool-tasks", _) => include_str!("run-tool-tasks.json"),
        ("run-task-result", _) => include_str!("run-task-result.json"),
        ("expert-output", "expand") => include_str!("expert-output.expand.json"),
        ("expert-output", _) => include_str!("expert-output.json"),
        ("kernel-plan", _) => include_str!("kernel-plan.json"),
        ("kernel-judgement", _) => include_str!("kernel-judgement.json"),
        ("explored", _) => include_str!("explored.yaml"),
        ("contract-patterns", _) => include_str!("contract-patterns.yaml"),
        ("task-breakdown", _) => include_str!("task-breakdown.yaml"),
        ("contract-merge", _) => include_str!("contract-merge.json"),
        ("design-contract", _) => include_str!("design-contract.yaml"),
        ("contract-decisions", _) => include_str!("contract-decisions.yaml"),
        ("test-contract", _) => include_str!("test-contract.yaml"),
        ("contract-review", _) => include_str!("contract-review.json"),
        ("contract-recommendation", _) => include_str!("contract-recommendation.json"),
        _ => return None,
    })
}

/// What a flow wants the examples of a call to say, by placeholder: a copied example has to be right.
pub type Values = BTreeMap<&'static str, String>;

/// The example as a call shows it: with the ids and the time of the call, and with what its flow wants.
pub fn filled(schema: &str, call: &Call, at: UtcTime, values: &Values) -> Option<String> {
    let example = of(schema, &call.step)?.trim_end();
    // An id of a kernel's item is free text inside of JSON.
    let inside = |text: &str| {
        let quoted = serde_json::Value::from(text).to_string();
        quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
    };
    let id = |id: &Option<String>, other: &str| inside(id.as_deref().unwrap_or(other));
    let value = |name: &str, other: &'static str| values.get(name).map_or(other, String::as_str);
    Some(
        example
            .replace("{{request_id}}", &id(&call.request_id, "R1"))
            .replace("{{task_id}}", &id(&call.task_id, "T1"))
            .replace("{{subtask_id}}", &id(&call.subtask_id, "T1-S1"))
            .replace("{{run_id}}", &id(&call.run_id, "run-20260112-143000-001"))
            .replace("{{phase}}", &id(&call.phase, "ANALYZING"))
            .replace("{{now}}", &at.to_string())
            .replace("{{major_version}}", value("major_version", "1"))
            .replace("{{revision}}", value("revision", "1"))
            .replace("{{kind}}", value("kind", "MINOR")),
    )
}
