//! Agents and tools that answer, fail, lie and break their schemas. What they say follows from the
//! seed and the step alone, so that a step done again is answered the same.

use std::collections::BTreeMap;

use hast_flow::steps::{
    Call, CallResult, Effect, EffectResult, StepKey, ToolAnswer, ToolSource, ToolUse,
};
use hast_flow::tools::{FailureClass, FailureRecord};
use serde_json::{Value, json};

use crate::flows::effects::spread;
use crate::flows::outbox::{Left, judged};
use crate::flows::subject::Performed;
use crate::rng::Rng;

/// All agents of one session.
#[derive(Debug)]
pub(super) struct Actors {
    seed: u64,
}

impl Actors {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }

    pub(super) fn perform(&self, key: &StepKey, effect: &Effect) -> Performed {
        match effect {
            Effect::Call(call) => {
                let (result, mood) = self.call(key, call);
                Performed { result: EffectResult::Call(result), mood }
            }
            Effect::Tools(uses) => {
                let mut chance = spread(self.seed, key);
                let answers = uses.iter().map(|tool| answer(&mut chance, tool)).collect();
                Performed { result: EffectResult::Tools(answers), mood: "tools" }
            }
            // The session flow changes no code and asks for neither.
            Effect::Git(_)
            | Effect::Check(_)
            | Effect::Scan(_)
            | Effect::Worktree(_)
            | Effect::Lease(_)
            | Effect::Within { .. } => {
                let reason = "there is no work tree here".to_owned();
                Performed {
                    result: EffectResult::Call(CallResult::Blocked { reason }),
                    mood: "none",
                }
            }
        }
    }

    fn call(&self, key: &StepKey, call: &Call) -> (CallResult, &'static str) {
        let mut chance = spread(self.seed, key);
        let left = match call.step {
            "plan" => self.plan(&mut chance, call),
            "replan" => self.replan(&mut chance, key, call),
            "review" => review(&mut chance, call),
            _ => outputs(&mut chance, call),
        };
        judged(call, left)
    }

    fn plan(&self, chance: &mut Rng, call: &Call) -> Left {
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
        Ok((documents, "answered"))
    }
}

impl Actors {
    /// The next version with fewer tasks, sometimes with a new one; the version is in the step's key.
    fn replan(&self, chance: &mut Rng, key: &StepKey, call: &Call) -> Left {
        let version = key.as_str().split('/').nth(1).unwrap_or_default();
        let (major, revision) = version.split_once('.').unwrap_or(("1", "1"));
        let (major, revision): (u32, u32) =
            (major.parse().unwrap_or(1), revision.parse().unwrap_or(1));
        let major_one = revision > 3 || call.regeneration > 0 && chance.percent(30);
        let mut plan = plan(&mut Rng::new(self.seed));
        let kind = if major_one { "MAJOR" } else { "MINOR" };
        let (next, first) = if major_one { (major + 1, 1) } else { (major, revision + 1) };
        plan["major_version"] = json!(next);
        plan["revision"] = json!(first);
        if let Some(tasks) = plan["tasks"].as_array_mut() {
            // Whatever failed is left out now and then; the ids of others stay.
            if chance.percent(50)
                && let Some(failing) = first_task(&call.prompt)
            {
                leave_out(tasks, &failing);
            }
            // What cannot be as it was written, because it has passed in another form, is dropped.
            for finding in &call.findings {
                if let Some(named) = first_task(&finding.problem) {
                    leave_out(tasks, &named);
                }
            }
        }
        let replan = json!({"kind": kind, "reason": "it did not work"});
        let documents = BTreeMap::from([
            ("decomposition.json".to_owned(), plan.to_string().into_bytes()),
            ("state.json".to_owned(), b"{\"ticker\": \"AVGO\"}".to_vec()),
            ("replan.json".to_owned(), replan.to_string().into_bytes()),
        ]);
        Ok((documents, "replanned"))
    }
}

/// The first task that a text names.
fn first_task(text: &str) -> Option<String> {
    let number = text.split("T-").nth(1)?.get(..4)?;
    Some(format!("T-{number}"))
}

/// Takes a task out of a plan, which keeps one at least.
fn leave_out(tasks: &mut Vec<Value>, id: &str) {
    if tasks.len() < 2 {
        return;
    }
    tasks.retain(|task| task["id"] != json!(id));
    for task in tasks.iter_mut() {
        if let Some(deps) = task["deps"].as_array_mut() {
            deps.retain(|dep| *dep != json!(id));
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
        json!([{"name": "web_fetch", "args": {"url": format!("https://news.example/{id}")}}])
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

fn answer(chance: &mut Rng, tool: &ToolUse) -> Result<ToolAnswer, FailureRecord> {
    if chance.percent(15) {
        let (cause, next) = (format!("{} answered 503", tool.name), "try again".to_owned());
        return Err(FailureRecord { class: FailureClass::Unreachable, cause, next });
    }
    let text = format!("{}: {}\n", tool.name, Value::Object(tool.args.clone()));
    let mut answer = ToolAnswer::of(text.clone());
    // Some share a source with others, some have one of their own.
    let raw = if chance.percent(50) { text } else { "the same for all\n".to_owned() };
    answer.sources = vec![ToolSource {
        url: "https://news.example/".to_owned(),
        fetched_at: hast_flow::time::UtcTime::new(jiff::Timestamp::UNIX_EPOCH),
        media: "text/html".to_owned(),
        bytes: raw.into_bytes(),
    }];
    Ok(answer)
}

/// The files asked for; sometimes one is missing or empty, sometimes there are more than asked.
fn outputs(chance: &mut Rng, call: &Call) -> Left {
    // The answer of the session is given in the end, or no session would ever complete.
    let essential = call.unit == "session" && call.regeneration > 0;
    if call.unit != "session" && chance.percent(10) {
        return Err("the agent crashed".to_owned());
    }
    let mut documents = BTreeMap::new();
    for expected in &call.expected {
        // What is known stands in a list; the text around it has an example.
        let known = call.prompt.split("\n- [K-").nth(1).and_then(|rest| rest.split(']').next());
        let cited = known.map(|id| format!(" [K-{id}]")).unwrap_or_default();
        let ruling = match (call.step, chance.below(10)) {
            ("verdict", 0 | 1) => "FAIL ",
            ("verdict", 2) if !essential => "",
            ("verdict", _) => "PASS ",
            _ => "",
        };
        let text = format!("{ruling}{} {} {}{cited}\n", call.step, call.unit, call.attempt);
        match chance.below(10) {
            0 if !essential => {}
            1 if !essential => drop(documents.insert(expected.name.clone(), Vec::new())),
            _ => drop(documents.insert(expected.name.clone(), text.into_bytes())),
        }
    }
    if chance.percent(10) {
        documents.insert("../../status.json".to_owned(), b"{}".to_vec());
        return Ok((documents, "lied"));
    }
    if call.unit != "session" && chance.percent(5) {
        documents.insert("blocked.json".to_owned(), b"{\"reason\": \"no idea\"}".to_vec());
    }
    Ok((documents, "answered"))
}

fn review(chance: &mut Rng, call: &Call) -> Left {
    let (report, mood) = match chance.below(10) {
        0 => {
            let fixes = ["출처를 달 것"];
            (json!({"verdict": "FAIL", "findings": [], "required_fixes": fixes}), "answered")
        }
        1 => {
            let fixes = ["거짓 통과"];
            (json!({"verdict": "PASS", "findings": [], "required_fixes": fixes}), "lied")
        }
        2 => (json!("great"), "answered"),
        _ => {
            let findings = [json!({"severity": "LOW", "detail": call.unit})];
            (json!({"verdict": "PASS", "findings": findings, "required_fixes": []}), "answered")
        }
    };
    let documents = BTreeMap::from([("report.json".to_owned(), report.to_string().into_bytes())]);
    Ok((documents, mood))
}
