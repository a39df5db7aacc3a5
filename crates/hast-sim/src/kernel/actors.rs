//! A planner and experts that plan, expand, fail, answer for others and break their schemas. What
//! they say follows from the seed and the step alone.

use std::collections::BTreeMap;

use hast_flow::steps::{Call, CallResult, Effect, EffectResult, StepKey};
use serde_json::{Value, json};

use crate::flows::effects::spread;
use crate::flows::outbox::{Left, judged};
use crate::flows::subject::Performed;
use crate::rng::Rng;

#[derive(Debug)]
pub(super) struct Actors {
    seed: u64,
}

impl Actors {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }

    pub(super) fn perform(&self, key: &StepKey, effect: &Effect) -> Performed {
        let (result, mood) = match effect {
            Effect::Call(call) => judged(call, self.left(key, call)),
            // The kernel asks for nothing else.
            Effect::Tools(_)
            | Effect::Git(_)
            | Effect::Check(_)
            | Effect::Scan(_)
            | Effect::Worktree(_)
            | Effect::Lease(_)
            | Effect::Within { .. } => {
                (CallResult::Blocked { reason: "this is no call".to_owned() }, "none")
            }
        };
        Performed { result: EffectResult::Call(result), mood }
    }

    fn left(&self, key: &StepKey, call: &Call) -> Left {
        let mut chance = spread(self.seed, key);
        // Whoever is asked for the last time mostly gets it right, or nothing would ever complete.
        let honest = call.regeneration == 2 || chance.percent(60);
        let documents = match call.step {
            "plan" => ("plan.json", plan(self.seed, if honest { 0 } else { 1 + chance.below(5) })),
            "replace" => {
                let stand_in = item("instead", "pending", &[], 1);
                let items = if honest { json!([stand_in]) } else { json!([]) };
                ("plan.json", json!({ "todo_list": items }))
            }
            "judge" => {
                let answers = chance.percent(75);
                let judgement = json!({"answers": answers, "reason": "because"});
                ("judgement.json", if honest { judgement } else { json!({"answers": "well"}) })
            }
            "report" => ("report.md", if honest { json!("# 보고서\n") } else { json!(" \n") }),
            step => return expert(&mut chance, call, step == "expand", honest),
        };
        let (name, value) = documents;
        Ok(([(name.to_owned(), text(&value))].into(), "answered"))
    }
}

/// One to four items; the second may be too complex for one call. With a fault: one way to be wrong.
fn plan(seed: u64, fault: usize) -> Value {
    let mut chance = Rng::new(seed);
    let count = 1 + chance.below(4);
    let names = ["a", "b", "조사", "c.d"];
    let mut items: Vec<Value> = Vec::new();
    for (index, name) in names.iter().take(count).enumerate() {
        let status = if index == 0 { "in_progress" } else { "pending" };
        let before: Vec<&str> = names[..index].iter().copied().skip(1).collect();
        items.push(item(name, status, &before, 1 + u32::from(chance.percent(40)) * 5));
    }
    match fault {
        0 => {}
        1 => items[0]["expert"] = json!("NobodyExpert"),
        2 => items[0]["status"] = json!("completed"),
        3 => items[0]["dependencies"] = json!(["nowhere"]),
        4 => items.push(items[0].clone()),
        _ => return json!("later"),
    }
    json!({ "todo_list": items })
}

fn item(id: &str, status: &str, dependencies: &[&str], steps: u32) -> Value {
    json!({
        "id": id, "title": format!("항목 {id}"), "description": format!("do {id}"),
        "expert": "ResearchExpert", "status": status, "dependencies": dependencies,
        "estimated_steps": steps,
    })
}

/// An expert does its item, grows it, fails, or answers for somebody else.
fn expert(chance: &mut Rng, call: &Call, expands: bool, honest: bool) -> Left {
    if chance.percent(5) {
        return Err("the agent crashed".to_owned());
    }
    let id = call.unit.as_str();
    let (output, mood) = match chance.below(4) {
        0 if !honest => (json!({"task_id": "another", "status": "completed", "result": 1}), "lied"),
        1 if !honest => (json!({"task_id": id, "status": "great"}), "answered"),
        2 if !honest => {
            (json!({"task_id": id, "status": "failed", "error_details": "no data"}), "gave up")
        }
        _ if expands => {
            let count = 1 + chance.below(3);
            let ids: Vec<String> = (1..=count).map(|number| format!("s{number}")).collect();
            let items: Vec<Value> = ids.iter().map(|id| item(id, "pending", &[], 1)).collect();
            (json!({"task_id": id, "status": "needs_sub_plan", "plan": items}), "grew")
        }
        _ => (json!({"task_id": id, "status": "completed", "result": {"of": id}}), "answered"),
    };
    let mut documents = BTreeMap::from([("output.json".to_owned(), text(&output))]);
    if chance.percent(20) {
        documents.insert("../../kernel_status.json".to_owned(), b"{}".to_vec());
        return Ok((documents, "lied"));
    }
    Ok((documents, mood))
}

fn text(value: &Value) -> Vec<u8> {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes()
}
