//! `hast decision spike`: each alternative tried by processes of this machine.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use hast_flow::attempt::settle::Commits;
use hast_flow::docs::goals::DecisionTicket;
use hast_flow::docs::goals::Minutes;
use hast_flow::flows::goals::auto::spike::{SpikeFlow, SpikeView};
use hast_flow::flows::goals::decision::Guards;
use hast_flow::ids::Sha256;
use hast_flow::time::UtcTime;
use hast_flow::trust::Commands;
use hast_flow::words::Lang;
use hast_world::root_path::RootPath;

use super::{report, ticket};
use crate::app::App;
use crate::auto_messages::say as auto_say;
use crate::commands::auto::{self, effects::AutoEffects};
use crate::commands::calling::{self, Project};
use crate::commands::driving::{self, Eyes};
use crate::commands::goals_files::repository_root;
use crate::decision_cli::{Backend, SpikeArgs};
use crate::decision_messages::say;
use crate::problem::{Exit, Problem};
use crate::progress::board::{Row, State};

/// How many are tried at once where nobody says.
const WIDTH: usize = 4;

pub(super) fn run(app: &mut App, args: &SpikeArgs) -> Result<Exit, Problem> {
    if args.backend == Backend::Ray {
        let what = say::no_ray(app.lang);
        return Err(Problem::new(what, say::no_ray_next(app.lang)).coded("no_ray"));
    }
    let root = repository_root(app)?;
    let (ticket, bytes) = ticket(app, &args.file)?;
    let project = calling::project_at(app, root)?;
    let settings = auto::settings(app, &project)?;
    if settings.commits == Commits::Off && args.accept {
        let what = auto_say::needs_commits(app.lang);
        return Err(Problem::new(what, auto_say::needs_commits_next(app.lang)));
    }
    let asks_agents =
        args.command.is_none() && ticket.alternatives.iter().any(|one| one.command.is_none());
    if asks_agents {
        auto::agent_is_there(app, &project, args.tool.as_deref())?;
    }
    let trusted = calling::trusted(app, &project, &commands(&project, &ticket))?;
    let run = format!("{}-{}", UtcTime::new(app.clock.now()), std::process::id());
    let flow = SpikeFlow {
        run,
        file: named(app, &project.root, &args.file),
        content: Sha256::of(&bytes).to_string(),
        timeout_minutes: args.timeout.map_or(settings.timeout_minutes, Minutes::new),
        settings,
        command: args.command.clone(),
        width: args.parallel.map_or(WIDTH, usize::from),
        setup: project.config.setup().cloned(),
        copy: project.config.copy().to_vec(),
        accept: args.accept.then(|| Guards {
            if_reason: args.if_reason.clone(),
            max_diff_lines: args.max_diff_lines,
            max_changed_files: args.max_changed_files,
            require_eligible: args.require_eligible,
        }),
        ticket,
    };
    let mut unit = auto::unit(app, &project, args.tool.clone(), trusted);
    (unit.title, unit.held) = (say::title(app.lang), Exit::Locked);
    let (lang, top, config) = (app.lang, project.root.clone(), project.config.clone());
    let variables = project.variables.clone();
    let others = move |guarded: &Arc<_>| {
        AutoEffects::open(&top, config, variables, Arc::clone(guarded), lang)
            .and_then(|effects| effects.with_trees(&OnceLock::new()))
            .map(|effects| Arc::new(effects) as Arc<_>)
            .map_err(|problem| Problem::new(problem.what(lang), problem.next(lang)))
    };
    let mut eyes = Alternatives { ticket: flow.ticket.clone(), lang };
    let driven = driving::drive(app, unit, &flow, others, &mut eyes, |view: &SpikeView| {
        view.last().map(|(number, spike)| (number, spike.clone()))
    })?;
    report::report(app, &flow, &driven, args.explain)
}

/// The ticket as it can be named at the top of the project, which is where people mostly are.
fn named(app: &App, root: &RootPath, file: &Path) -> String {
    let real = |path: &Path| path.canonicalize().ok();
    let at_top = real(&app.directory) == real(root);
    let file = if at_top { file.to_owned() } else { app.directory.join(file) };
    file.display().to_string()
}

/// What the ticket would have run, besides what the project would.
fn commands(project: &Project, ticket: &DecisionTicket) -> Commands {
    let mut commands = calling::commands(project);
    for one in &ticket.alternatives {
        for (field, line) in [("command", &one.command), ("tool", &one.tool)] {
            if let Some(line) = line {
                let field = format!("decisions.{}.{}.{field}", ticket.id, one.id);
                commands = commands.with(&field, line);
            }
        }
    }
    commands
}

/// A row for each alternative.
struct Alternatives {
    ticket: DecisionTicket,
    lang: Lang,
}

impl Eyes<SpikeView> for Alternatives {
    fn rows(&self, view: &SpikeView) -> Vec<Row> {
        let spike = view.last().map(|(_, spike)| spike);
        let row = |one: &hast_flow::docs::goals::Alternative| {
            let tried = spike.and_then(|spike| spike.tried.get(&one.id));
            let begun = spike.is_some_and(|spike| spike.begun.contains_key(&one.id));
            let (state, detail) = match tried {
                Some(tried) if tried.passed => (State::Done, String::new()),
                Some(tried) => (State::Failed, tried.reason.clone()),
                None if begun => (State::Running, say::trying(self.lang)),
                None => (State::Waiting, String::new()),
            };
            Row { id: one.id.clone(), title: one.title.clone(), state, detail, ..Row::default() }
        };
        self.ticket.alternatives.iter().map(row).collect()
    }
}
