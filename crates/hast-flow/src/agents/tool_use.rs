//! A tool that an agent uses, and the command or file that it uses it on: the argument of it that a person
//! would ask for. Told while the agent works, and never judged.

use serde_json::Value;

/// So much of a command is told.
const LONGEST: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUse {
    pub name: String,
    pub on: Option<String>,
}

/// Arguments that tell what a tool is used on, by the names that agents give them; the first counts.
const ARGUMENTS: &[&str] = &[
    "command",
    "cmd",
    "file_path",
    "filePath",
    "absolute_path",
    "path",
    "pattern",
    "query",
    "url",
    "prompt",
];

impl ToolUse {
    /// A tool with its arguments, where they are known.
    pub fn new(name: &str, arguments: Option<&Value>) -> Self {
        let on = arguments
            .and_then(|arguments| ARGUMENTS.iter().find_map(|name| words(arguments.get(*name)?)));
        Self { name: name.to_owned(), on }
    }
}

impl From<&str> for ToolUse {
    fn from(name: &str) -> Self {
        Self::new(name, None)
    }
}

/// The first line of a text, or of a command in words. A shell that only passes a command on is left out.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [_, flag, command] if matches!(*flag, "-c" | "-lc") => (*command).to_owned(),
                words => words.join(" "),
            }
        }
        _ => return None,
    };
    let text = SHELLS.iter().find_map(|shell| text.strip_prefix(shell)).unwrap_or(&text);
    let text = text.trim_matches(['"', '\'', ' ']);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(LONGEST).collect())
}

const SHELLS: &[&str] = &["/bin/bash -lc ", "bash -lc ", "/bin/sh -c ", "sh -c "];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_told_with_the_command_or_file_it_is_used_on() {
        for (arguments, on) in [
            (json!({"command": "cargo test\nls", "description": "tests"}), Some("cargo test")),
            (json!({"command": "/bin/bash -lc \"npm test\""}), Some("npm test")),
            (json!({"command": ["bash", "-lc", "npm test"]}), Some("npm test")),
            (json!({"cmd": ["ls", "-l"]}), Some("ls -l")),
            (json!({"content": "x", "filePath": "/tree/a.txt"}), Some("/tree/a.txt")),
            (json!({"pattern": "fn main"}), Some("fn main")),
            (json!({"command": ""}), None),
            (json!({"number": 1}), None),
            (json!("text"), None),
        ] {
            assert_eq!(ToolUse::new("t", Some(&arguments)).on.as_deref(), on, "{arguments}");
        }
        let long = json!({ "command": "가".repeat(1000) });
        assert_eq!(ToolUse::new("t", Some(&long)).on.unwrap().chars().count(), LONGEST);
    }
}
