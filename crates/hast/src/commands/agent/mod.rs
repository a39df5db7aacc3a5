//! `hast agent`: what is installed, whether it works, what it is told, and one call or tool by hand.

mod builtin;
mod doctor;
mod homes;
pub(crate) mod limits;
mod list;
pub(crate) mod progress;
mod prompt;
mod run;

use crate::app::App;
use crate::cli::AgentCommands;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, command: &AgentCommands) -> Result<Exit, Problem> {
    match command {
        AgentCommands::List => list::run(app),
        AgentCommands::Doctor(args) => doctor::run(app, *args),
        AgentCommands::Limits(args) => limits::run(app, args),
        AgentCommands::Run(args) => run::run(app, args),
        AgentCommands::Record(args) => super::agent_record::run(app, args),
        AgentCommands::Rehearse(args) => Err(super::agent_rehearse::refused(app.lang, args)),
        AgentCommands::Builtin(args) => Err(super::agent_builtin::refused(app.lang, args)),
        AgentCommands::Prompt(args) => prompt::run(app, args),
        AgentCommands::Tool(args) => super::agent_tool::run(app, args),
    }
}
