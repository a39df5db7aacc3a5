//! `hast goal`: adds goals to `goals.yaml` without YAML by hand, and lists them.

pub(crate) mod add;
mod import;
mod list;

use crate::app::App;
use crate::goal_cli::GoalCommands;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, command: &GoalCommands) -> Result<Exit, Problem> {
    match command {
        GoalCommands::Add(args) => add::run(app, args),
        GoalCommands::List => list::run(app),
        GoalCommands::Import(args) => import::run(app, args),
    }
}
