//! A planner, an executor and tools that do what they are asked, and one place where they do not.

use std::collections::BTreeMap;

use hast_flow::agents::outcome::FailureClass;
use hast_flow::agents::usage::Usage;
use hast_flow::docs::call::CallFinding;
use hast_flow::steps::{
    Answer, Call, CallResult, Effect, EffectResult, Scan, Scanned, StepKey, ToolAnswer, ToolUse,
};
use hast_flow::store::DocPath;
use hast_flow::tools::{self, FailureRecord};
use serde_json::{Value, json};

use crate::scene::RUN;

/// How something goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Failed,
    Blocked,
    Broken,
    /// The executor says so in `result.json`.
    Said,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Actors {
    /// The step that goes wrong, and how.
    pub(crate) trouble: Option<(String, Option<Trouble>)>,
    pub(crate) instructions: Option<Value>,
    pub(crate) mode: Option<&'static str>,
}

pub(crate) const ERROR: &str = "the original error\nwith a second line";

impl Actors {
    pub(crate) fn honest() -> Self {
        Self::default()
    }

    pub(crate) fn failing(step: &str, trouble: Trouble) -> Self {
        Self { trouble: Some((step.to_owned(), Some(trouble))), ..Self::default() }
    }

    fn trouble_at(&self, key: &StepKey) -> Option<Trouble> {
        let (step, trouble) = self.trouble.as_ref()?;
        let first = key.as_str().split("/again-").next().unwrap_or_default();
        trouble.filter(|_| first == step)
    }

    pub(crate) fn perform(
        &self,
        files: &BTreeMap<String, Vec<u8>>,
        key: &StepKey,
        effect: &Effect,
    ) -> EffectResult {
        let trouble = self.trouble_at(key);
        match effect {
            Effect::Call(call) => EffectResult::Call(self.call(call, trouble)),
            Effect::Tools(uses) => EffectResult::Tools(
                uses.iter()
                    .map(|one| if trouble.is_some() { Err(ERROR.to_owned()) } else { tool(one) })
                    .map(|answer| answer.map(ToolAnswer::of).map_err(refused))
                    .collect(),
            ),
            Effect::Scan(scan) => EffectResult::Scan(match trouble {
                Some(_) => Err(ERROR.to_owned()),
                None => Ok(scanned(files, scan)),
            }),
            other => panic!("{other:?}"),
        }
    }

    fn call(&self, call: &Call, trouble: Option<Trouble>) -> CallResult {
        match trouble {
            Some(Trouble::Failed) => {
                CallResult::Failed { class: FailureClass::Signal(6), reason: ERROR.to_owned() }
            }
            Some(Trouble::Blocked) => CallResult::Blocked { reason: ERROR.to_owned() },
            Some(Trouble::Broken) => CallResult::Broken {
                findings: vec![CallFinding {
                    file: "x.json".to_owned(),
                    line: None,
                    problem: ERROR.to_owned(),
                    next: "mend it".to_owned(),
                }],
                left: BTreeMap::new(),
                usage: Usage::default(),
            },
            Some(Trouble::Said) => answered(&[("result.json", json!({"error": ERROR}))]),
            None => self.honest_call(call),
        }
    }

    pub(crate) fn honest_call(&self, call: &Call) -> CallResult {
        let phase = call.ids.get("phase").map_or("", String::as_str);
        match call.step {
            "classify" => {
                answered(&[("mode.json", json!({"mode": self.mode.unwrap_or("STRUCTURED")}))])
            }
            "propose" => {
                let first = json!([{"instruction_type": "GOAL", "content": "매출 보고서를 쓴다"}]);
                let instructions = self.instructions.clone().unwrap_or(first);
                answered(&[
                    ("feedback_for_user.md", json!("# 제안\n이렇게 하겠습니다.\n")),
                    ("instructions.json", instructions),
                ])
            }
            "stages" if phase == "ANALYZING" => answered(&[(
                "stages.json",
                json!([
                    {"stage_name": "수집", "stage_goal": "사실 자산을 모은다"},
                    {"stage_name": "정리", "stage_goal": "사실 자산을 정리한다"},
                ]),
            )]),
            "stages" => answered(&[(
                "stages.json",
                json!([{"stage_name": "하나", "stage_goal": "만든다"}]),
            )]),
            "tasks" => answered(&[("tasks.json", tasks(call, phase))]),
            "pre_tools" => answered(&[(
                "tool_tasks.json",
                json!([
                    {"tool_type": "Web Search", "tool_task_name": "시장 조사", "tool_task_purpose": "시장을 찾는다"},
                    {"tool_type": "Fact Check", "tool_task_name": "검증.csv", "tool_task_purpose": "검증한다"},
                ]),
            )]),
            "post_tools" => answered(&[(
                "tool_tasks.json",
                json!([{"tool_type": "Data Visualization", "tool_task_name": "매출 차트", "tool_task_purpose": "그린다"}]),
            )]),
            "task" | "tool_task" => {
                let output = call.expected.iter().find(|one| one.name != "result.json").unwrap();
                let text = "| 분기 | 매출 |\n| :- | :- |\n| 1분기 | 10 |\n| 2분기 | 12 |\n";
                answered(&[
                    ("result.json", json!({"summary": format!("{} 요약", call.unit)})),
                    (&output.name, json!(text)),
                ])
            }
            "simple" => CallResult::Completed(Answer {
                text: "네 개입니다".to_owned(),
                ..Answer::default()
            }),
            other => panic!("{other}"),
        }
    }
}

fn tasks(call: &Call, phase: &str) -> Value {
    let stage = &call.ids["stage_id"];
    let file = |name: &str| format!("runs/{RUN}/workspace/{phase}/{stage}_{name}.md");
    let row = |name: &str, references: &[&str], output: String| {
        json!({
            "task_name": name, "task_purpose": format!("{name} 목적"),
            "related_references": references, "output_path": output,
            "pre_tool_purpose": null, "post_tool_purpose": "",
        })
    };
    match (phase, stage.as_str()) {
        ("ANALYZING", "S01") => {
            let mut first = row("사실", &["assets/sales.csv"], file("facts"));
            first["pre_tool_purpose"] = json!("최신 정보를 찾는다");
            let mut second = row("표", &[&file("facts")], file("table"));
            second["post_tool_purpose"] = json!("시각화한다");
            json!([first, second])
        }
        ("GENERATING_OUTPUT", _) => {
            json!([row("발행", &["assets/sales.csv"], format!("outputs/{RUN}/report.md"))])
        }
        _ => json!([row("하나", &["assets/sales.csv"], file("one"))]),
    }
}

pub(crate) fn answered(documents: &[(&str, Value)]) -> CallResult {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let documents =
        documents.iter().map(|(name, value)| ((*name).to_owned(), text(value).into_bytes()));
    CallResult::Completed(Answer { documents: documents.collect(), ..Answer::default() })
}

fn refused(cause: String) -> FailureRecord {
    FailureRecord { class: tools::FailureClass::Unreachable, cause, next: String::new() }
}

fn tool(tool: &ToolUse) -> Result<Vec<u8>, String> {
    match tool.name.as_str() {
        "web_search" => Ok(json!({
            "query": tool.args["query"], "provider": "searxng", "summary": null,
            "results": [
                {"title": "하나", "url": "https://one.example", "excerpt": "첫째"},
                {"title": "둘", "url": "https://two.example", "excerpt": null},
            ],
        })
        .to_string()
        .into_bytes()),
        "web_fetch" if tool.args["url"] == "https://two.example" => Err("404".to_owned()),
        "web_fetch" => Ok(b"# One\nA page.".to_vec()),
        "chart" => Ok(format!("<html>{}</html>", tool.args["kind"]).into_bytes()),
        other => Err(format!("no tool {other}")),
    }
}

pub(crate) fn scanned(files: &BTreeMap<String, Vec<u8>>, scan: &Scan) -> Vec<Scanned> {
    let wanted = |path: &DocPath| scan.paths.iter().any(|dir| path.is_within(dir));
    let all = files.iter().map(|(path, bytes)| (DocPath::new(path).unwrap(), bytes));
    let found = all.filter(|(path, _)| wanted(path)).map(|(path, bytes)| Scanned {
        path,
        size: bytes.len() as u64,
        head: bytes[..bytes.len().min(scan.head)].to_vec(),
    });
    found.collect()
}
