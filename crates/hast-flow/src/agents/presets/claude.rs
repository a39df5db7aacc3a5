//! Claude Code.

use super::message_stream::{Cache, read};
use super::{Description, EndingIs, Home, PromptWay, Resume, no_status, plain};
use crate::agents::events::Line;
use crate::process::Stream;

pub(super) const DESCRIPTION: Description = Description {
    name: "claude",
    program: "claude",
    flags: &["-p", "--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose"],
    stream_words: &["stream-json"],
    prompt: PromptWay::Stdin(&[]),
    resume: Resume::After("--resume"),
    // As root it refuses to skip permissions unless it is told that a sandbox is around it.
    env: &[
        ("IS_SANDBOX", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ],
    inherit: &["ANTHROPIC_*", "CLAUDE_*"],
    homes: &[
        Home::directory(&[("CLAUDE_CONFIG_DIR", "")], ".claude"),
        Home::file(&[("CLAUDE_CONFIG_DIR", ".claude.json")], ".claude.json"),
    ],
    workspace: None,
    read_line,
    ending: EndingIs::Announced,
    status_of_exit: no_status,
};

fn read_line(stream: Stream, line: &str) -> Line {
    match stream {
        Stream::Out => read(line, Cache::Beside),
        Stream::Err => plain::read_error_stream(line),
    }
}
