//! `cargo xtask prompts`: writes `docs/prompts.md`, every prompt as the demos make it. With `--check` it only says
//! whether the page is right, by the program that was built last.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Failure;
use crate::programs::{Profile, build, built};

const PATH: &str = "docs/prompts.md";
/// Clock and ids of the demos, so that the page is the same each time.
const WORLD: &str = "2026-02-09T14:30:00+09:00#1";
/// A contract request's directory is named by the path of the project, which is another one each time.
const BY_PATH: &str = "sessions/";
const BY_PATH_LENGTH: usize = 8;

const HEAD: &str = "# Prompts

Every prompt that hast gives to an agent, as the demo of each flow makes it: `hast agent prompt` lists them,
`hast agent prompt --flow session --role critic --step review` prints one, `--lang ko` in Korean. `/project` is the
demo's directory. Where a step was asked twice, the longer prompt is here: it says what the first try lacked.
This page is written by `cargo xtask prompts`.
";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let check = match arguments {
        [] => false,
        [word] if word == "--check" => true,
        _ => return Err("usage: cargo xtask prompts [--check]".into()),
    };
    let programs = if check { built()? } else { build(Profile::Dev)? };
    let expected = page(&all(&programs)?)?;
    let path = crate::repository_root().join(PATH);
    let same = fs::read_to_string(&path).is_ok_and(|there| there == expected);
    match (same, check) {
        (true, _) => println!("{PATH} is as the prompts are"),
        (false, true) => {
            let why = format!(
                "{PATH} is not as the prompts are -> cargo xtask prompts, and read what changed"
            );
            return Err(why.into());
        }
        (false, false) => {
            fs::write(path, expected)?;
            println!("{PATH} is written");
        }
    }
    Ok(())
}

fn all(programs: &Path) -> Result<Value, Failure> {
    let mut command = Command::new(programs.join("hast"));
    command.args(["agent", "prompt", "--json", "--lang", "en"]).env("HAST_TEST_WORLD", WORLD);
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn page(all: &Value) -> Result<String, Failure> {
    let mut page = HEAD.to_owned();
    let mut flow = "";
    for prompt in all["prompts"].as_array().ok_or("no prompts")? {
        let word = |name: &str| prompt[name].as_str().ok_or_else(|| format!("{name} is no text"));
        if flow != word("flow")? {
            flow = word("flow")?;
            page += &format!("\n## {flow}\n");
        }
        page += &format!("\n### {}: {}\n\n", word("role")?, word("step")?);
        for line in without_names_of_paths(word("text")?).trim_end().lines() {
            page += if line.is_empty() { String::new() } else { format!("    {line}") }.as_str();
            page += "\n";
        }
    }
    Ok(page)
}

fn without_names_of_paths(text: &str) -> String {
    let mut parts = text.split(BY_PATH);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole += BY_PATH;
        let name = part.get(..BY_PATH_LENGTH).unwrap_or_default();
        let is_hash = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        whole += if is_hash { "<project>" } else { name };
        whole += part.get(name.len()..).unwrap_or_default();
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_each_prompt_below_its_flow_with_names_that_stay() {
        let text = "read `.claude/orchestrator/sessions/52bba52f/a.yaml`\n\nand write\n";
        let prompt = |role: &str| serde_json::json!({ "flow": "contract", "role": role, "step": "design", "text": text });
        let page =
            page(&serde_json::json!({ "prompts": [prompt("architect"), prompt("planner")] }))
                .unwrap();
        assert_eq!(page.matches("## contract\n").count(), 1);
        let expected = "### planner: design\n\n    read `.claude/orchestrator/sessions/<project>/a.yaml`\n\n    and write\n";
        assert!(page.ends_with(expected), "{page}");
    }
}
