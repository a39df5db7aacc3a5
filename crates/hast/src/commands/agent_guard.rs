//! `hast agent guard`: what hast starts around every agent. Not for people, so it is in no help;
//! it comes before everything else because each call pays for its start.

use std::ffi::OsString;
use std::process::ExitCode;

use hast_flow::words::Lang;
use hast_world::supervisor::{Stage, guard};

use crate::cli::ColorWhen;
use crate::messages::say;
use crate::output::Output;
use crate::problem::{Exit, Problem};

/// What follows `hast agent guard`, if that is what was asked for.
pub(crate) fn asked(args: &[OsString]) -> Option<&[OsString]> {
    match args {
        [_, agent, guard, rest @ ..] if agent == "agent" && guard == "guard" => Some(rest),
        _ => None,
    }
}

pub(crate) fn run(args: &[OsString], lang: Lang) -> ExitCode {
    let problem = || Problem::usage(say::guard_failed(lang), say::guard_failed_next(lang));
    let result = match Stage::from_args(args) {
        None => Err(problem()),
        Some((stage, rest)) => {
            guard(stage, rest).map_err(|error| problem().because(error.to_string()))
        }
    };
    let exit = result.map_or_else(
        |problem| {
            let mut output = Output::new(ColorWhen::Never, true);
            output.message(&problem.text(lang, &output.message_renderer()));
            problem.exit
        },
        |()| Exit::Done,
    );
    ExitCode::from(exit as u8)
}
