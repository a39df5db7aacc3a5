//! Agents and tools that answer, fail, lie and hit limits. What they say follows from the seed and
//! the step alone, so that a step done again is answered the same.

use std::collections::BTreeMap;

use hast_flow::driver::World;
use hast_flow::steps::{Call, CallResult, Effect, EffectResult, StepKey, ToolUse, Usage};
use serde_json::{Value, json};

use crate::rng::Rng;

/// All agents of one session.
#[derive(Debug)]
pub(super) struct Actors {
    seed: u64,
    /// How often each step was performed; interrupted ones count too.
    pub(super) performed: BTreeMap<String, u32>,
}

impl Actors {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, performed: BTreeMap::new() }
    }

    fn chance(&self, key: &StepKey) -> Rng {
        let spread = key
            .as_str()
            .bytes()
            .fold(self.seed, |hash, byte| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte));
        Rng::new(spread)
    }

    fn call(&self, key: &StepKey, call: &Call, times: u32) -> CallResult {
        let mut chance = self.chance(key);
        // Drawn whether it counts or not: a step done again must be answered the same.
        let limited = chance.percent(10);
        if limited && times == 1 {
            return CallResult::Limited { until: None };
        }
        let reply = match call.step {
            "plan" => self.plan(&mut chance, call),
            "review" => review(&mut chance, call),
            _ => outputs(&mut chance, call),
        };
        match reply {
            Ok(documents) => CallResult::Completed { documents, usage: Usage::default() },
            Err(reason) => CallResult::Failed { reason },
        }
    }

    fn plan(&self, chance: &mut Rng, call: &Call) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let mut plan = plan(&mut Rng::new(self.seed));
        match chance.below(6) {
            _ if call.regeneration == 2 => {}
            0 => plan["tasks"][0]["deps"] = json!(["T-0099"]),
            1 => plan["tasks"][0]["outputs"][0]["path"] = json!("/etc/passwd"),
            2 => plan = json!({"tasks": "later"}),
            _ => {}
        }
        let mut documents =
            BTreeMap::from([("decomposition.json".to_owned(), plan.to_string().into_bytes())]);
        if chance.percent(90) || call.regeneration == 2 {
            documents.insert("state.json".to_owned(), b"{\"ticker\": \"AVGO\"}".to_vec());
        }
        Ok(documents)
    }
}

impl World for Actors {
    fn perform(&mut self, key: &StepKey, effect: &Effect) -> EffectResult {
        let times = self.performed.entry(key.to_string()).or_default();
        *times += 1;
        let times = *times;
        match effect {
            Effect::Call(call) => EffectResult::Call(self.call(key, call, times)),
            Effect::Tools(uses) => {
                let mut chance = self.chance(key);
                EffectResult::Tools(uses.iter().map(|tool| answer(&mut chance, tool)).collect())
            }
            // The session flow changes no code and asks for neither.
            Effect::Git(_) | Effect::Check(_) => {
                let reason = "there is no work tree here".to_owned();
                EffectResult::Call(CallResult::Failed { reason })
            }
        }
    }
}

/// Three to six tasks: data first, then what is made of it.
fn plan(chance: &mut Rng) -> Value {
    let data = 1 + chance.below(3);
    let mut tasks: Vec<Value> = (1..=data).map(|n| task(n, "WEB", &[])).collect();
    let deps: Vec<String> = (1..=data).map(|n| format!("T-{n:04}")).collect();
    let more = 1 + chance.below(3);
    tasks.extend((data + 1..=data + more).map(|n| task(n, "SYNTHESIS", &deps)));
    json!({"major_version": 1, "revision": 1, "tasks": tasks})
}

fn task(number: usize, source: &str, deps: &[String]) -> Value {
    let id = format!("T-{number:04}");
    let calls = if source == "WEB" {
        json!([{"name": "web_fetch", "args": {"url": id}}])
    } else {
        json!([])
    };
    json!({
        "id": id, "title": format!("작업 {number}"), "level": 1, "parent_id": null,
        "data_sources": [source], "deps": deps,
        "outputs": [{"path": format!("/execution/outputs/{id}/out.md"), "type": "note"}],
        "tool_calls": calls, "acceptance": ["출처가 있다"],
    })
}

fn answer(chance: &mut Rng, tool: &ToolUse) -> Result<Vec<u8>, String> {
    if chance.percent(15) {
        return Err(format!("{} answered 503", tool.name));
    }
    Ok(format!("{}: {}\n", tool.name, Value::Object(tool.args.clone())).into_bytes())
}

/// The files asked for; sometimes one is missing or empty, sometimes there are more than asked.
fn outputs(chance: &mut Rng, call: &Call) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let essential = call.unit == "session";
    if !essential && chance.percent(10) {
        return Err("the agent crashed".to_owned());
    }
    let mut documents = BTreeMap::new();
    for expected in &call.expected {
        let text = format!("{} {} {}\n", call.step, call.unit, call.attempt);
        match chance.below(10) {
            0 if !essential => {}
            1 if !essential => drop(documents.insert(expected.name.clone(), Vec::new())),
            _ => drop(documents.insert(expected.name.clone(), text.into_bytes())),
        }
    }
    if chance.percent(10) {
        documents.insert("../../status.json".to_owned(), b"{}".to_vec());
    }
    Ok(documents)
}

fn review(chance: &mut Rng, call: &Call) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let report = match chance.below(10) {
        0 => json!({"verdict": "FAIL", "findings": [], "required_fixes": ["출처를 달 것"]}),
        1 => json!({"verdict": "PASS", "findings": [], "required_fixes": ["거짓 통과"]}),
        2 => json!("great"),
        _ => {
            json!({"verdict": "PASS", "findings": [{"severity": "LOW", "detail": call.unit}], "required_fixes": []})
        }
    };
    Ok(BTreeMap::from([("report.json".to_owned(), report.to_string().into_bytes())]))
}
