//! The command line of hast: translates between people, programs and the crates behind it.

mod agent_messages;
mod app;
mod auto_cli;
mod auto_messages;
mod cli;
mod commands;
mod contract_cli;
mod contract_messages;
mod decision_cli;
mod decision_messages;
mod demo;
mod examples;
mod exit_help;
mod explore_messages;
mod flow_messages;
mod goal_cli;
mod goal_messages;
mod help_pages;
mod kernel_cli;
mod kernel_messages;
mod look_cli;
mod look_messages;
mod messages;
mod observe_messages;
mod ops_cli;
mod ops_messages;
mod output;
mod problem;
mod progress;
mod protocol_cli;
mod protocol_messages;
mod queue_cli;
mod queue_messages;
mod run_cli;
mod run_messages;
mod session_cli;
mod session_messages;
mod synonyms;

use std::process::ExitCode;

fn main() -> ExitCode {
    app::run(&std::env::args_os().collect::<Vec<_>>())
}
