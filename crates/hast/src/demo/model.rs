//! The model of `hast demo --agent builtin`: a server on this machine whose answers come from the
//! prompt alone, as a model's do. It plays the same five goals as the rehearsal, a liar included.

use hast_agent::builtin::stand_in::Play;
use serde_json::{Value, json};

/// One answer to a request of the goals demo.
pub(super) fn play(request: &Value) -> Play {
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let of = |role: &'static str| messages.iter().filter(move |message| message["role"] == role);
    let prompt = of("user").next().and_then(|message| message["content"].as_str());
    let prompt = prompt.unwrap_or_default();
    let goal = after(prompt, "goal_id: ").split_whitespace().next().unwrap_or_default();
    let failed = failure(prompt);
    let (words, work) = work(goal, failed);
    let mut turns: Vec<Vec<(&str, Value)>> = vec![work];
    turns.push(vec![("run_shell_command", json!({ "command": "sh tests/run.sh" }))]);
    turns.push(vec![("write_file", handoff(prompt, words))]);
    turns.retain(|turn| !turn.is_empty());
    match turns.into_iter().nth(of("assistant").count()) {
        Some(calls) => Play::Calls(calls),
        None => Play::Text(words.to_owned()),
    }
}

fn after<'t>(text: &'t str, mark: &str) -> &'t str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// What the prompt says of the attempt before.
fn failure(prompt: &str) -> &str {
    let marks = ["What was found:", "판정 결과:"];
    let found = marks.iter().map(|mark| after(prompt, mark)).find(|found| !found.is_empty());
    found.map_or("", |found| found.split("\n\n").next().unwrap_or(found))
}

/// What it says and does about a goal.
fn work(goal: &str, failed: &str) -> (&'static str, Vec<(&'static str, Value)>) {
    let write = |path: &str, content: &str| {
        ("write_file", json!({ "file_path": path, "content": content }))
    };
    let replace = |old: &str, new: &str| {
        let change = json!({ "file_path": "total.sh", "old_string": old, "new_string": new });
        ("replace", change)
    };
    let negative = "# Nobody buys fewer than no cakes.\n! printf 'cake -1 500\\n' | sh total.sh >/dev/null 2>&1\n";
    let receipt = "#!/bin/sh\necho receipt\n";
    match (goal, failed) {
        ("SHOP.2", _) => (
            "tests/discount.test: red, as it should be",
            vec![write(
                "tests/discount.test",
                "# A tenth off from 1000 on.\n[ \"$(printf 'cake 2 500\\n' | sh total.sh)\" = 900 ]\n",
            )],
        ),
        ("SHOP.3", _) => (
            "total.sh: a tenth off from 1000 on",
            vec![
                ("read_file", json!({ "file_path": "total.sh" })),
                replace(
                    "echo \"$total\"",
                    "[ \"$total\" -ge 1000 ] && total=$((total * 9 / 10))\necho \"$total\"",
                ),
            ],
        ),
        ("SHOP.4", "") => (
            "total.sh: refuses negative quantities",
            vec![write("tests/negative.test", negative), replace("total=0", "exit 1\ntotal=0")],
        ),
        ("SHOP.4", _) => (
            "total.sh: refuses only negative quantities",
            vec![
                write("tests/negative.test", negative),
                replace(
                    "    total=$((total + quantity * price))",
                    "    case $quantity in\n        -*) echo \"negative quantity: $quantity\" >&2; exit 1 ;;\n    esac\n    total=$((total + quantity * price))",
                ),
            ],
        ),
        ("SHOP.5", "") => ("All done! The receipt works and every test is green.", Vec::new()),
        ("SHOP.5", failed) if !failed.contains("tests/run.sh") => (
            "Fixed the tests.",
            vec![write("tests/run.sh", "#!/bin/sh\nexit 0\n"), write("receipt.sh", receipt)],
        ),
        _ => (
            "The goal is done. I wrote it down.",
            vec![
                write("receipt.sh", receipt),
                (
                    "run_shell_command",
                    json!({ "command": "sed -i 's/status: active/status: done/' .ai/goals.yaml" }),
                ),
            ],
        ),
    }
}

/// The handoff as the prompt shows it, with words in the places of the gaps.
fn handoff(prompt: &str, words: &str) -> Value {
    let path = after(prompt, ".ai/handoffs/20").split('`').next().unwrap_or_default();
    let path = if path.starts_with("YY") { "" } else { path };
    let example = after(prompt, "```markdown\n").split("```").next().unwrap_or_default();
    let (mut text, mut rest) = (String::new(), example);
    while let Some((before, gap)) = rest.split_once('<') {
        text += before;
        text += words;
        rest = gap.split_once('>').map_or("", |(_, rest)| rest);
    }
    text += rest;
    json!({ "file_path": format!(".ai/handoffs/20{path}"), "content": text })
}
