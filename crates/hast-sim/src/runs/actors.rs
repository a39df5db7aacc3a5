//! A planner, an executor and tools of a run that plan, work, fail, lie and break their schemas.
//! What they say follows from the seed and the step alone.

use std::collections::BTreeMap;

use hast_flow::steps::{
    Call, CallResult, Effect, EffectResult, Scan, Scanned, StepKey, ToolAnswer, ToolUse,
};
use hast_flow::store::DocPath;
use hast_flow::tools::{FailureClass, FailureRecord};
use serde_json::{Value, json};

use crate::flows::effects::spread;
use crate::flows::outbox::{Left, judged};
use crate::flows::subject::Performed;
use crate::rng::Rng;

const BROUGHT: [(&str, &str); 3] = [
    ("assets/sales.csv", "분기,매출\n1분기,10\n2분기,12\n"),
    ("guidelines/mcp_list.md", "# 시장 조사\n찾고, 검증한다\n"),
    ("guidelines/style.md", "# 짧게 쓴다\n"),
];
const TABLE: &str = "| 분기 | 매출 |\n| :- | :- |\n| 1분기 | 10 |\n| 2분기 | 12 |\n";

#[derive(Debug)]
pub(super) struct Actors {
    seed: u64,
}

impl Actors {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }

    pub(super) fn perform(&self, key: &StepKey, effect: &Effect) -> Performed {
        let mut chance = spread(self.seed, key);
        let (result, mood) = match effect {
            Effect::Call(call) => {
                let (result, mood) = judged(call, left(&mut chance, key, call));
                (EffectResult::Call(result), mood)
            }
            Effect::Tools(uses) => {
                let answers = uses.iter().map(|one| tool(&mut chance, one)).collect();
                (EffectResult::Tools(answers), "tools")
            }
            Effect::Scan(_) if chance.percent(1) => {
                (EffectResult::Scan(Err("the directory cannot be read".to_owned())), "failed")
            }
            Effect::Scan(scan) => (EffectResult::Scan(Ok(scanned(scan))), "looked"),
            // A run changes no code.
            Effect::Git(_)
            | Effect::Check(_)
            | Effect::Worktree(_)
            | Effect::Lease(_)
            | Effect::Within { .. } => {
                let reason = "there is no work tree here".to_owned();
                (EffectResult::Call(CallResult::Blocked { reason }), "none")
            }
        };
        Performed { result, mood }
    }
}

fn left(chance: &mut Rng, key: &StepKey, call: &Call) -> Left {
    // Whoever is asked for the last time mostly gets it right, or nothing would ever complete.
    let honest = call.regeneration == 2 || chance.percent(70);
    if chance.percent(2) {
        return Err("the agent crashed".to_owned());
    }
    let one = |name: &str, value: Value| Ok((documents(&[(name, value)]), "answered"));
    match call.step {
        "classify" if !honest => one("mode.json", json!({"mode": "PERHAPS"})),
        "classify" => one("mode.json", json!({"mode": "STRUCTURED"})),
        "propose" => Ok((proposal(honest), "answered")),
        "stages" => one("stages.json", stages(chance, honest)),
        "tasks" => one("tasks.json", tasks(chance, call, honest)),
        "pre_tools" | "post_tools" => one("tool_tasks.json", tools(chance, call, honest)),
        _ => Ok(executed(chance, key, call, honest)),
    }
}

fn proposal(honest: bool) -> BTreeMap<String, Vec<u8>> {
    let supersedes = if honest { json!([]) } else { json!(["I-0404"]) };
    let instruction = json!({
        "instruction_type": "GOAL", "content": "매출 | 보고서를\n쓴다", "supersedes": supersedes,
    });
    documents(&[
        ("feedback_for_user.md", json!("# 제안\n이렇게 하겠습니다.\n")),
        ("instructions.json", json!([instruction])),
    ])
}

fn stages(chance: &mut Rng, honest: bool) -> Value {
    let count = if honest { 1 + chance.below(2) } else { 0 };
    let stage = |number| json!({"stage_name": format!("단계 {number}"), "stage_goal": "만든다"});
    json!((0..count).map(stage).collect::<Vec<_>>())
}

/// One or two tasks, the second on the first; with a fault: one way to be wrong.
fn tasks(chance: &mut Rng, call: &Call, honest: bool) -> Value {
    let id = |name: &str| call.ids.get(name).map_or("", String::as_str);
    let (run, phase, stage) = (id("run_id"), id("phase"), id("stage_id"));
    let place = format!("runs/{run}/workspace/{phase}/{stage}");
    let row = |name: &str, reference: &str, output: String| {
        json!({
            "task_name": name, "task_purpose": format!("{name} | 목적"),
            "related_references": [reference], "output_path": output,
        })
    };
    let mut all = vec![row("사실", "assets/sales.csv", format!("{place}_facts.md"))];
    if chance.percent(25) {
        all[0]["pre_tool_purpose"] = json!("먼저 찾는다");
    }
    if chance.percent(40) {
        all.push(row("표", &format!("{place}_facts.md"), format!("{place}_table.md")));
    }
    if chance.percent(25) {
        let last = all.len() - 1;
        all[last]["post_tool_purpose"] = json!("그린다");
    }
    if phase == "GENERATING_OUTPUT" && chance.percent(60) {
        let report = format!("outputs/{run}/{stage}_report.md");
        all.push(row("발행", "assets/sales.csv", report));
    }
    match chance.below(6) {
        _ if honest => {}
        0 => all[0]["related_references"] = json!([]),
        1 => all[0]["related_references"] = json!(["assets/invented.csv"]),
        2 => all[0]["output_path"] = json!("db/process_runs.md"),
        3 => all[0]["output_path"] = json!(format!("runs/{run}/workspace/../../../x.md")),
        4 => all.push(all[0].clone()),
        _ => all[0]["related_references"] = json!(["guidelines/mcp_list.md"]),
    }
    json!(all)
}

fn tools(chance: &mut Rng, call: &Call, honest: bool) -> Value {
    if !honest {
        return json!({"later": true});
    }
    let tool = |kind: &str, name: &str| json!({"tool_type": kind, "tool_task_name": name, "tool_task_purpose": "알아본다"});
    let mut all = match call.step {
        "pre_tools" => vec![tool("Web Search", "시장 조사")],
        _ => vec![tool("Data Visualization", "매출 차트")],
    };
    if chance.percent(40) {
        all.push(tool("Fact Check", "../검증.csv"));
    }
    json!(all)
}

/// The file that was asked for and a word about it; or neither, or more than was asked for.
fn executed(
    chance: &mut Rng,
    key: &StepKey,
    call: &Call,
    honest: bool,
) -> (BTreeMap<String, Vec<u8>>, &'static str) {
    let name =
        call.expected.iter().map(|one| one.name.as_str()).find(|name| *name != "result.json");
    let name = name.unwrap_or("output.md");
    if chance.percent(3) {
        return (documents(&[("result.json", json!({"error": "no such numbers"}))]), "gave up");
    }
    let result = json!({"summary": format!("{} | 요약\n둘째 줄", call.unit)});
    let text = json!(format!("{TABLE}\n{key}\n"));
    let mut left = documents(&[("result.json", result), (name, text)]);
    if honest {
        return (left, "answered");
    }
    match chance.below(3) {
        0 => drop(left.remove(name)),
        1 => drop(left.insert("result.json".to_owned(), b"{\"summary\": 7}".to_vec())),
        _ => drop(left.insert("../../db/process_runs.md".to_owned(), b"mine".to_vec())),
    }
    (left, "lied")
}

fn documents(all: &[(&str, Value)]) -> BTreeMap<String, Vec<u8>> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    all.iter().map(|(name, value)| ((*name).to_owned(), text(value).into_bytes())).collect()
}

fn tool(chance: &mut Rng, one: &ToolUse) -> Result<ToolAnswer, FailureRecord> {
    if chance.percent(4) {
        let (class, cause) = (FailureClass::Unreachable, "no route".to_owned());
        return Err(FailureRecord { class, cause, next: "try later".to_owned() });
    }
    let hit = |url: &str| json!({"title": "하나", "url": url, "excerpt": "첫째"});
    Ok(ToolAnswer::of(match one.name.as_str() {
        "web_search" => {
            let results = [hit("https://one.example"), hit("https://two.example")];
            json!({"query": "q", "provider": "x", "summary": null, "results": results})
                .to_string()
                .into_bytes()
        }
        "chart" => b"<html>chart</html>".to_vec(),
        _ => b"# A page\n".to_vec(),
    }))
}

/// What people brought, and for every other file that is asked for: one with numbers.
fn scanned(scan: &Scan) -> Vec<Scanned> {
    let mut found = Vec::new();
    for wanted in &scan.paths {
        let brought =
            BROUGHT.iter().filter_map(|(path, text)| Some((DocPath::new(path).ok()?, text)));
        let within: Vec<_> = brought.filter(|(path, _)| path.is_within(wanted)).collect();
        if within.is_empty() {
            // A directory of a run, or a file in one.
            let file = if wanted.name().contains('.') {
                Some(wanted.clone())
            } else {
                wanted.join("part.md").ok()
            };
            found.extend(file.map(|path| seen(path, TABLE, scan.head)));
        }
        found.extend(within.into_iter().map(|(path, text)| seen(path, text, scan.head)));
    }
    found
}

fn seen(path: DocPath, text: &str, head: usize) -> Scanned {
    let head = text.as_bytes()[..text.len().min(head)].to_vec();
    Scanned { path, size: text.len() as u64, head }
}
