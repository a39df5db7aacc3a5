//! `hast protocol`: goals for workers elsewhere. A task goes out, a result comes back, and what it brings
//! is judged here as any attempt is.

mod export;
mod ingest;

use hast_flow::attempt::rooms::RoomKind;
use hast_flow::attempt::settle::Commits;
use hast_flow::driver::{Bounds, Driver, Flow, InTurn};
use hast_flow::flows::goals::auto::Settings;
use hast_flow::steps::{Effect, EffectResult, Ending, StepKey};
use hast_flow::store::StoreError;
use hast_world::calls::OtherEffects;
use hast_world::root_path::RootPath;

use super::auto::effects::{Nothing, open_rooms};
use super::auto::leases::Leases;
use super::calling::Project;
use super::opening::store_problem;
use super::{auto, goals_log};
use crate::app::App;
use crate::auto_messages::say as auto_say;
use crate::problem::{Exit, Problem};
use crate::protocol_cli::ProtocolCommands;

pub(crate) fn run(app: &mut App, command: &ProtocolCommands) -> Result<Exit, Problem> {
    match command {
        ProtocolCommands::Export(args) => export::run(app, args),
        ProtocolCommands::Ingest(args) => ingest::run(app, args),
    }
}

/// What the configuration says; results are merged as commits, or not at all.
fn settings(app: &App, project: &Project) -> Result<Settings, Problem> {
    let settings = auto::settings(app, project)?;
    if settings.commits == Commits::Off {
        let what = auto_say::needs_commits(app.lang);
        return Err(Problem::new(what, auto_say::needs_commits_next(app.lang)));
    }
    Ok(settings)
}

/// Drives a flow that calls nobody: it asks git and the queue, and writes.
fn drive<F: Flow, T>(
    app: &App,
    root: &RootPath,
    flow: &F,
    leases: Option<&Leases>,
    look: impl FnOnce(&F::View) -> T,
) -> Result<(Ending, T), Problem> {
    let lang = app.lang;
    let store = goals_log::open(app, root)?;
    let trees = open_rooms(root, &std::env::vars_os().collect::<Vec<_>>(), RoomKind::SamePath)
        .map_err(|problem| Problem::new(problem.what(lang), problem.next(lang)))?;
    let mut world = InTurn::new(|key: &StepKey, effect: &Effect| match (effect, leases) {
        (Effect::Worktree(step), _) => EffectResult::Worktree(trees.perform(step)),
        (Effect::Lease(step), Some(leases)) => EffectResult::Lease(leases.perform(step)),
        _ => Nothing.perform(key, effect),
    });
    let failed = |error: StoreError| store_problem(lang, &error);
    let mut driver =
        Driver::new(flow, store, &*app.clock, lang, Bounds::default()).map_err(failed)?;
    let ending = driver.drive(&mut world).map_err(failed)?;
    Ok((ending, look(driver.view())))
}
