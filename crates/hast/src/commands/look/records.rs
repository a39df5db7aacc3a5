//! The kept records of the calls of an attempt: the prompt, the streams, and the record with its cost.

use hast_flow::agents::provider::reader_of;
use hast_flow::agents::reply::AgentReply;
use hast_flow::agents::usage::{Tokens, Usage, Usd};
use hast_flow::calling::keeping::step_directory;
use hast_flow::docs::call_record::{CallRecord, RecordedUsage};
use hast_flow::flows::goals::auto::layout;
use hast_flow::flows::goals::story::Tried;
use hast_flow::process::Stream;
use hast_flow::steps::StepKey;
use hast_world::root_path::RootPath;

use crate::commands::auto::UNIT;
use crate::commands::calling::machine_directory;
use crate::commands::driving::sum;

/// More of a kept stream is not read.
const MAX_STREAM_BYTES: usize = 16 << 20;
const MAX_RECORD_BYTES: usize = 4 << 20;
/// More calls of one attempt are not looked for.
const MOST_CALLS: u64 = 1_000;

/// One call, by its directory.
pub(super) struct CallFolder {
    pub(super) path: RootPath,
    /// As the ledger and the lock name it.
    pub(super) name: String,
}

/// The calls of an attempt, oldest first.
pub(super) fn calls(root: &RootPath, goal: &str, tried: &Tried) -> Vec<CallFolder> {
    let above = machine_directory(root).join("calls");
    let mut calls = Vec::new();
    for cut in 0..=tried.cuts {
        let (directory, number) = (layout::goal_directory(goal), tried.number.to_string());
        let key = StepKey::new(&[&directory, &number, "call", &cut.to_string()]);
        let step = step_directory(&StepKey::new(&[UNIT, key.as_str()]));
        let mut numbers: Vec<u64> = above
            .join(&step)
            .names()
            .unwrap_or_default()
            .iter()
            .filter_map(|name| name.parse().ok())
            .filter(|number| *number <= MOST_CALLS)
            .collect();
        numbers.sort_unstable();
        calls.extend(numbers.into_iter().map(|number| CallFolder {
            path: above.join(&step).join(number.to_string()),
            name: format!("{step}/{number}"),
        }));
    }
    calls
}

impl CallFolder {
    pub(super) fn record(&self) -> Option<CallRecord> {
        let bytes = self.path.join("record.json").read_if_there(MAX_RECORD_BYTES).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    pub(super) fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.bytes(name)).into_owned()
    }

    pub(super) fn bytes(&self, name: &str) -> Vec<u8> {
        self.path.join(name).read_if_there(MAX_STREAM_BYTES).ok().flatten().unwrap_or_default()
    }

    /// The agent's words and tools.
    pub(super) fn reply(&self, record: &CallRecord) -> AgentReply {
        let mut reader = reader_of(&record.command);
        reader.push(Stream::Out, self.text("stdout.txt").as_bytes());
        reader.finish()
    }
}

/// The usage that all calls of an attempt reported.
pub(super) fn usage(calls: &[CallFolder]) -> Usage {
    let records = calls.iter().filter_map(CallFolder::record);
    records.map(|record| of_record(record.usage)).fold(Usage::default(), sum)
}

fn of_record(used: RecordedUsage) -> Usage {
    let tokens = used.input_tokens.zip(used.output_tokens).map(|(input, output)| Tokens {
        input,
        output,
        cached: used.cached_tokens.unwrap_or_default(),
    });
    Usage { tokens, cost: used.micro_usd.map(Usd) }
}

/// The last message of the last call that said anything.
pub(super) fn last_words(calls: &[CallFolder]) -> String {
    let said = |call: &CallFolder| {
        let record = call.record()?;
        let reply = call.reply(&record);
        let words = reply.final_text().trim().to_owned();
        (!words.is_empty()).then_some(words)
    };
    calls.iter().rev().find_map(said).unwrap_or_default()
}
