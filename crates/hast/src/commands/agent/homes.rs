//! The directories of installed agents, for the doctor: whether an agent can write there, and made on request.

use std::path::PathBuf;

use hast_flow::agents::presets::Preset;
use hast_flow::words::Lang;
use hast_world::agents::{Seen, homes_of, make_homes};
use hast_world::calls::homes::{Access, HomeState};
use serde_json::{Value, json};

use super::doctor::{ROLES, Report};
use super::list::who;
use crate::agent_messages::say;
use crate::commands::calling::Project;

/// Makes what is not there for every agent that is installed.
pub(super) fn make(report: &mut Report, project: &Project, seen: &[Seen], lang: Lang) {
    let mut is_idle = true;
    for preset in installed(seen) {
        let name = preset.description().name;
        match make_homes(preset, &project.variables) {
            Ok(made) if made.is_empty() => {}
            Ok(made) => {
                is_idle = false;
                report.lines.push(say::homes_made(lang, name, shown(&made)));
            }
            Err(error) => {
                is_idle = false;
                let (path, why) = (error.path.display(), &error.source);
                let what = say::home_not_made(lang, name, path, why);
                report.problem(what, say::home_closed_next(lang, error.path.display()));
            }
        }
    }
    if is_idle {
        report.lines.push(say::nothing_to_fix(lang));
    }
}

/// Says what is missing. What is closed is a problem of an agent that would be asked.
pub(super) fn look(report: &mut Report, project: &Project, seen: &[Seen], lang: Lang) {
    let asked = asked(project, seen);
    for preset in installed(seen) {
        let name = preset.description().name;
        let (mut missing, mut closed) = (Vec::new(), Vec::new());
        for HomeState { path, state } in homes_of(preset, &project.variables) {
            match state {
                Access::Writable => {}
                Access::NotThere => missing.push(path),
                Access::Closed => closed.push(path),
            }
        }
        if !missing.is_empty() {
            report.lines.push(say::homes_to_make(lang, name, shown(&missing)));
        }
        for path in closed {
            let what = say::home_closed(lang, name, path.display());
            match asked.contains(&preset) {
                true => report.problem(what, say::home_closed_next(lang, path.display())),
                false => report.lines.push(what),
            }
        }
    }
}

pub(super) fn json(project: &Project, preset: Preset) -> Value {
    let home = |HomeState { path, state }: HomeState| {
        let state = match state {
            Access::Writable => "writable",
            Access::NotThere => "not_there",
            Access::Closed => "closed",
        };
        json!({ "path": path.display().to_string(), "state": state })
    };
    homes_of(preset, &project.variables).into_iter().map(home).collect()
}

fn installed(seen: &[Seen]) -> impl Iterator<Item = Preset> + '_ {
    seen.iter().filter(|seen| seen.program.is_some()).map(|seen| seen.preset)
}

/// The known programs that the settings would have called.
pub(super) fn asked(project: &Project, seen: &[Seen]) -> Vec<Preset> {
    let roles = ROLES.iter().copied().chain(project.config.roles.keys().map(String::as_str));
    let chains = roles.filter_map(|role| who(project, seen, role, None).ok());
    chains.flatten().filter_map(|chosen| chosen.provider.known()).collect()
}

fn shown(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    shown.join(", ")
}
