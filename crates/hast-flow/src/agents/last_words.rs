//! The line of an agent's complaints that says what went wrong. A crash prints positions, stacks and the
//! version of its runtime around it.

/// The message in a text of the error stream; empty where there is no text. Colours are left out.
pub fn message_line(text: &str) -> String {
    let text = without_colours(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let ranked = lines.iter().enumerate().map(|(at, line)| (rank(line), at));
    let Some((_, at)) = ranked.max() else { return String::new() };
    match (lines[at].contains("panicked at") && lines[at].ends_with(':'), lines.get(at + 1)) {
        // A position, with the message on the line after it.
        (true, Some(message)) => format!("panicked: {message}"),
        _ => lines[at].to_owned(),
    }
}

/// How much a line is worth; of several the last counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A part of a stack, a position, a closing bracket.
    Around,
    Plain,
    /// It names what the system refused.
    Cause,
    /// It has the form of a message.
    Message,
    MessageWithCause,
}

fn rank(line: &str) -> Rank {
    match (is_message(line), has_cause(line), is_around(line)) {
        (true, true, _) => Rank::MessageWithCause,
        (true, false, _) => Rank::Message,
        (false, _, true) => Rank::Around,
        (false, true, false) => Rank::Cause,
        (false, false, false) => Rank::Plain,
    }
}

/// `Error: ...`, `PermissionError: ...`, `Error [ERR_X]: ...`, `fatal: ...`, a panic.
fn is_message(line: &str) -> bool {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let line = line.strip_prefix("[cause]: ").unwrap_or(line);
    let Some((head, rest)) = line.split_once(':') else { return false };
    let name = head.split_once(" [").map_or(head, |(name, _)| name);
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
    let ends = ["error", "exception", "fatal", "panic"];
    let names_a_failure = ends.iter().any(|end| name.to_lowercase().ends_with(end));
    (is_name && names_a_failure && rest.starts_with(' ')) || line.contains("panicked at")
}

const CAUSES: &[&str] = &[
    "eacces",
    "eperm",
    "erofs",
    "enoent",
    "enotdir",
    "eexist",
    "enospc",
    "denied",
    "read-only file system",
    "no space left",
    "no such file",
    "not permitted",
    "command not found",
];

fn has_cause(line: &str) -> bool {
    let lower = line.to_lowercase();
    CAUSES.iter().any(|cause| lower.contains(cause))
}

/// How lines begin that stand around a message.
const AROUND: &[&str] = &[
    "at ",
    "File \"",
    "node:",
    "file://",
    "Node.js v",
    "note: ",
    "Traceback",
    "stack backtrace",
    "errno:",
    "code:",
    "syscall:",
    "path:",
    "dest:",
    "throw ",
    "Bun v",
];

fn is_around(line: &str) -> bool {
    let is_marks = !line.chars().any(char::is_alphanumeric);
    is_marks || AROUND.iter().any(|start| line.starts_with(start)) || is_position(line)
}

/// `/usr/lib/agent/cli.js:12:5` or `agent.js:350`: a path and numbers, and no blank.
fn is_position(line: &str) -> bool {
    let last = line.rsplit(':').next().unwrap_or_default();
    let is_number = !last.is_empty() && last.chars().all(|c| c.is_ascii_digit());
    is_number && line.contains(':') && !line.contains(char::is_whitespace)
}

/// Terminal sequences out, so that a coloured message begins with its first letter.
fn without_colours(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        clean += before;
        let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
        rest = if after.starts_with('[') { &after[end..] } else { after };
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_told_and_not_a_position_or_the_last_line_of_a_stack() {
        for (text, message) in [
            (
                "node:internal/fs/utils:350\n    throw err;\n    ^\n\nError: EACCES: permission denied, mkdir '/h/.qwen'\n    at mkdirSync (node:fs:1349:26)\n  errno: -13,\n  code: 'EACCES',\n  path: '/h/.qwen'\n}\n\nNode.js v22.1.0\n",
                "Error: EACCES: permission denied, mkdir '/h/.qwen'",
            ),
            (
                "Traceback (most recent call last):\n  File \"/a/b.py\", line 3, in <module>\n    main()\nPermissionError: [Errno 13] Permission denied: '/h'\n",
                "PermissionError: [Errno 13] Permission denied: '/h'",
            ),
            (
                "thread 'main' panicked at src/main.rs:12:5:\ncannot open the store\nnote: run with `RUST_BACKTRACE=1`\n",
                "panicked: cannot open the store",
            ),
            (
                "\u{1b}[91m\u{1b}[1mError: \u{1b}[0mUnexpected server error\n  hint\n",
                "Error: Unexpected server error",
            ),
            ("Error: EACCES: x\n    at a\nError: something went wrong\n", "Error: EACCES: x"),
            (
                "mkdir: cannot create directory 'x': Permission denied\nbye\n",
                "mkdir: cannot create directory 'x': Permission denied",
            ),
            ("starting\nno such model\n  \n", "no such model"),
            ("/usr/lib/agent.js:12\n}\n", "}"),
            ("", ""),
        ] {
            assert_eq!(message_line(text), message, "{text}");
        }
    }
}
