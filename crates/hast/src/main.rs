//! The command line of hast: translates between people, programs and the crates behind it.

mod agent_messages;
mod app;
mod cli;
mod commands;
mod messages;
mod output;
mod problem;

use std::process::ExitCode;

fn main() -> ExitCode {
    app::run(std::env::args_os().collect())
}
