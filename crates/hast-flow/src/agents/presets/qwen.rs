//! Qwen Code: gemini's flags, claude's stream.

use super::message_stream::{Cache, read};
use super::{Description, EndingIs, Home, PromptWay, Resume, no_status, plain};
use crate::agents::events::Line;
use crate::process::Stream;

pub(super) const DESCRIPTION: Description = Description {
    name: "qwen",
    program: "qwen",
    flags: &["--approval-mode", "yolo", "-o", "stream-json"],
    stream_words: &["stream-json"],
    prompt: PromptWay::Stdin(&[]),
    resume: Resume::Never,
    env: &[],
    inherit: &["QWEN_*", "OPENAI_*", "DASHSCOPE_*"],
    homes: &[Home::directory(&[("QWEN_HOME", "")], ".qwen")],
    workspace: None,
    read_line,
    ending: EndingIs::Announced,
    status_of_exit: no_status,
};

fn read_line(stream: Stream, line: &str) -> Line {
    match stream {
        Stream::Out => read(line, Cache::Inside),
        Stream::Err => plain::read_error_stream(line),
    }
}
