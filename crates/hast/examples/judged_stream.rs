//! The outcome that hast reads from what an agent printed, in a word or two. For `tests/real-agents/run`.
//! Arguments: PRESET STDOUT STDERR EXIT_CODE; 124 and 137 are the ends that `timeout` makes.

use std::error::Error;
use std::fs;

use hast_flow::agents::limit::{LimitCause, Moment};
use hast_flow::agents::outcome::{Documents, Evidence, FailureClass, Outcome, classify};
use hast_flow::agents::presets::Preset;
use hast_flow::agents::provider::Provider;
use hast_flow::ports::Clock;
use hast_flow::process::Stream;
use hast_flow::process::exit::Exit;
use hast_world::clock::Machine;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [preset, out, err, exit] = args.as_slice() else {
        return Err("PRESET STDOUT STDERR EXIT_CODE".into());
    };
    let provider = Provider::Preset(Preset::named(preset).ok_or("no such preset")?);
    let mut reader = provider.reader();
    reader.push(Stream::Out, &fs::read(out)?);
    reader.push(Stream::Err, &fs::read(err)?);
    let exit = match exit.parse()? {
        124 | 137 => Exit::TimedOut,
        code => Exit::Exited(code),
    };
    let now = Machine.now();
    let evidence = Evidence {
        provider: &provider,
        exit: &exit,
        reply: &reader.finish(),
        documents: Documents::NoneExpected,
        word: None,
    };
    let moment = Moment { now, offset: Machine.local_offset(now) };
    println!("{}", in_a_word(&classify(evidence, moment)));
    Ok(())
}

/// As `crates/hast-flow/tests/agents_streams.rs` has it for the recorded streams.
fn in_a_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Blocked { .. } => "blocked",
        Outcome::Limited(limit) => match limit.cause {
            LimitCause::Usage => "usage limit",
            LimitCause::Rate => "rate limit",
            LimitCause::Overloaded => "overloaded",
        },
        Outcome::LoginNeeded { .. } => "login",
        Outcome::Denied { .. } => "denied",
        Outcome::Failed { class: FailureClass::Connection, .. } => "connection",
        Outcome::Failed { class: FailureClass::TimedOut, .. } => "timed out",
        Outcome::Failed { .. } => "failed",
        Outcome::NotStarted(_) | Outcome::NeverBegan { .. } => "not started",
        Outcome::Cancelled => "cancelled",
    }
}
