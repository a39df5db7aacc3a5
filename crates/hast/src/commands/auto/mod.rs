//! `hast auto` and `hast retry`: goals worked through unattended, each judged by a gate that its agent
//! does not control.

mod beside;
mod bounds;
pub(crate) mod effects;
pub(crate) mod eyes;
mod gc;
mod lanes;
pub(crate) mod leases;
mod leftovers;
mod planned;
mod refs;
mod refusals;
pub(crate) mod summary;
pub(crate) mod take;

use std::collections::BTreeSet;

use hast_flow::agents::choice::{Chosen, Wishes, choose};
use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::recovery::{Owner, StartFrom};
use hast_flow::attempt::settle::Commits;
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::{AutoLock, OnRedBase, PacketLease};
use hast_flow::flows::goals::auto::lanes::Delivery;
use hast_flow::flows::goals::auto::retry::{Attempts, RetryFlow};
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, RunBounds, Settings};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::runnable::{Asked, Choice, Depth, choose as choose_goal, in_reach};
use hast_flow::flows::goals::selection::placed;
use hast_flow::flows::goals::status_edit::not_to_be_set;
use hast_flow::steps::{Ending, Notice};
use hast_flow::time::{OffsetTime, UtcTime};
use hast_flow::trust::Trusted;
use hast_flow::words::shell_word;
use hast_world::auto_lock;
use hast_world::calls::{installed, variable};
use hast_world::programs::missing;
use hast_world::root_path::RootPath;
use hast_world::{git, roots};
use serde_json::json;

use super::calling::{self, Project};
use super::driving::{self, Driven, Unit};
use super::goals_files::{
    GoalsFiles, keep_ignored, newest_handoff, repository_root, show, text_of,
};
use super::goals_log;
use crate::app::App;
use crate::auto_cli::{AutoArgs, RetryArgs};
use crate::auto_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};
use eyes::{GoalEyes, Judgement};

/// The lock of whoever drives the goals of a work tree.
pub(crate) const UNIT: &str = "auto";
/// What a saved attempt may hold: one file, and all of them.
pub(crate) const SAVED_FILE_BYTES: u64 = 64 << 20;
pub(crate) const SAVED_BYTES: u64 = 1 << 30;

pub(crate) fn run(app: &mut App, args: &AutoArgs) -> Result<Exit, Problem> {
    let root = repository_root(app)?;
    let files = GoalsFiles::read(app, &root)?;
    show(app, &files.warnings);
    let asked = asked(args, &files);
    let mut project = calling::project_at(app, root)?;
    if let Some(name) = &args.undo {
        return refs::undo(app, &project, name.as_deref());
    }
    if args.gc {
        return gc::run(app, &project);
    }
    calling::warn_of_variable(app, &project);
    let bounds = bounds::of(app, args, &mut project)?;
    if args.dry_run || args.dry_run_full {
        return planned::run(app, &project, &files, &asked, args);
    }
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    if args.isolate && !app.quiet {
        app.output.message(&format!("{}\n", say::always_isolated(app.lang)));
    }
    let width = args.parallel.map_or(1, usize::from);
    let from = from(args.go_on, args.fewer_tests);
    let (tool, explain) = (args.tool.clone(), args.explain);
    let wish = AutoWish { asked, tool, explain, from, width, delivery: None, bounds };
    let mut eyes = GoalEyes::new(app.lang, wish.explain);
    if args.now {
        bounds::forget_limits(app, &project)?;
    }
    let driven = go(app, &project, wish, trusted, &mut eyes)?;
    summary::report(app, &driven, &eyes)
}

/// Without a goal everything that can run; with `--continue` the work that was handed over last.
fn asked(args: &AutoArgs, files: &GoalsFiles) -> Asked {
    let all_of_it = args.goal.is_none() && !args.one && !args.go_on;
    let depth = if args.recursive || all_of_it { Depth::Leaves } else { Depth::One };
    Asked { goal: args.goal.clone(), depth }.typed(&placed(&files.goals))
}

pub(crate) fn retry(app: &mut App, args: &RetryArgs) -> Result<Exit, Problem> {
    let root = repository_root(app)?;
    let files = GoalsFiles::read(app, &root)?;
    show(app, &files.warnings);
    let project = calling::project_at(app, root)?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    let attempts = if args.keep_attempts { Attempts::Keep } else { Attempts::Archive };
    let committing = goals_log::commits(&project.config).then(|| tree_rules(&project));
    let asked = Asked { goal: Some(args.goal.clone()), depth: Depth::Leaves };
    let asked = asked.typed(&placed(&files.goals));
    let goal = asked.goal.clone().unwrap_or_default();
    let text = args.text.clone();
    let options = options(args);
    let flow = RetryFlow { goal: goal.clone(), attempts, committing, text, options };
    let unit = unit(app, &project, None, trusted);
    let lock = driving::lock(app.lang, &unit)?;
    let (ending, ()) = goals_log::drive_git(app, &project, &flow, |_| ())?;
    drop(lock);
    if let Some(problem) = driving::meaning(app.lang, &ending) {
        return Err(problem);
    }
    if args.no_run {
        if let Ending::Done(Notice { what, next }) = &ending {
            if app.json {
                let told =
                    json!({ "goal_id": goal, "status": "active", "what": what, "next": next });
                app.print_json(&told)?;
            } else {
                app.print(&format!("{what}\n{}: {next}\n", common::next(app.lang)))?;
            }
        }
        return Ok(Exit::Done);
    }
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    let (width, from) = (1, from(args.go_on, args.fewer_tests));
    let (tool, explain) = (args.tool.clone(), args.explain);
    let bounds = RunBounds::default();
    let wish = AutoWish { asked, tool, explain, from, width, delivery: None, bounds };
    let mut eyes = GoalEyes::new(app.lang, wish.explain);
    let driven = go(app, &project, wish, trusted, &mut eyes)?;
    summary::report(app, &driven, &eyes)
}

/// What was typed that `hast auto` takes too.
fn options(args: &RetryArgs) -> String {
    let tool = args.tool.as_deref().map(|tool| format!(" --tool {}", shell_word(tool)));
    let flags = [(args.go_on, " --continue"), (args.fewer_tests, " --fewer-tests")];
    let flags = flags.into_iter().filter(|(is_typed, _)| *is_typed).map(|(_, flag)| flag);
    flags.map(str::to_owned).chain(tool).collect()
}

fn from(go_on: bool, fewer_tests: bool) -> StartFrom {
    match (go_on, fewer_tests) {
        (true, true) => StartFrom::KeptWorkAsItIs,
        (true, false) => StartFrom::KeptWork,
        (false, _) => StartFrom::Base,
    }
}

/// What was asked of `auto`.
pub(crate) struct AutoWish {
    pub(crate) asked: Asked,
    pub(crate) tool: Option<String>,
    pub(crate) explain: bool,
    pub(crate) from: StartFrom,
    /// How many goals are worked on at once.
    pub(crate) width: usize,
    /// What a worker elsewhere made, in the place of an agent.
    pub(crate) delivery: Option<(Delivery, PacketLease)>,
    pub(crate) bounds: RunBounds,
}

/// Works through the goals. What the agents write into settings and goals meanwhile never counts:
/// everything is read before the first one starts.
pub(crate) fn go(
    app: &mut App,
    project: &Project,
    wish: AutoWish,
    trusted: Trusted,
    eyes: &mut GoalEyes,
) -> Result<Driven<()>, Problem> {
    let lang = app.lang;
    let needed = can_be_told(app, project, &wish.asked)?;
    if let (AgentIs::Needed, None) = (needed, &wish.delivery) {
        agent_is_there(app, project, wish.tool.as_deref())?;
    }
    keep_ignored(lang, &project.root)?;
    let settings = settings(app, project)?;
    let state = project.root.join(layout::DIRECTORY);
    let found = auto_lock::find(&state)
        .map_err(|error| Problem::cannot_read(lang, &error.path, &error.source))?;
    let place = git::Place::find(&project.root)
        .map_err(|problem| Problem::new(problem.what(lang), problem.next(lang)))?;
    let moved = git::moved_submodules(&project.root);
    if !moved.is_empty() && !app.quiet {
        let moved: Vec<_> = moved.iter().map(|path| shell_word(path).into_owned()).collect();
        app.output.message(&format!("{}\n", say::submodules_moved(lang, moved.join(" "))));
    }
    eyes.is_detached = auto_lock::is_detached(&place.git_dir);
    if eyes.is_detached && !app.quiet {
        app.output.message(&format!("{}\n", say::on_no_branch(lang)));
    }
    let run = UtcTime::new(app.clock.now()).to_string();
    let alive = found.filter(|found| found.owner == Owner::Alive);
    let flow = AutoFlow {
        run: format!("{run}-{}", std::process::id()),
        cut_off: CutOff::Interruption,
        asked: wish.asked,
        settings,
        running: alive.map(|found| found.lock.pid),
        not_ready: None,
        from: wish.from,
        bounds: wish.bounds,
    };
    eyes.lock_in(state.clone(), own_lock(app, &place));
    let mut unit = unit(app, project, wish.tool, trusted);
    if wish.delivery.is_some() {
        unit.held = Exit::Locked;
    }
    lanes::drive(app, unit, flow, wish.width, wish.delivery, eyes)
}

/// Whether there is anything to ask an agent for.
enum AgentIs {
    Needed,
    NotNeeded,
}

/// What comes of a goal has to be written down: whether that can be done is known before anybody works.
fn can_be_told(app: &mut App, project: &Project, asked: &Asked) -> Result<AgentIs, Problem> {
    let Some(text) = text_of(app, &project.root, layout::GOALS)? else {
        return Ok(AgentIs::NotNeeded);
    };
    let files = GoalsFiles::read(app, &project.root)?;
    let newest = newest_handoff(app, &project.root)?.session;
    let last = newest.map(|(_, session)| session.front.goal_id);
    let all = placed(&files.goals);
    let reached = in_reach(&all, asked, last.as_deref());
    let findings = not_to_be_set(&text, &reached);
    if findings.is_empty() {
        return Ok(match choose_goal(&all, asked, last.as_deref(), &BTreeSet::new()) {
            Choice::Run(_) => AgentIs::Needed,
            Choice::Refused(_) | Choice::Nothing(_) => AgentIs::NotNeeded,
        });
    }
    show(app, &findings);
    let what = say::not_to_be_set(app.lang, findings.len());
    Err(Problem::new(what, say::not_to_be_set_next(app.lang)))
}

/// Who drives, for whoever finds the file.
fn own_lock(app: &App, place: &git::Place) -> AutoLock {
    let (branch, commit) = auto_lock::head(&place.git_dir, &place.common_dir).unzip();
    let now = app.clock.now();
    AutoLock {
        pid: std::process::id(),
        started_at: OffsetTime::new(now, app.clock.local_offset(now)),
        base_commit: commit.unwrap_or_default(),
        process_start: auto_lock::own_start(),
        branch,
        goal: Some(String::new()),
        attempt: None,
    }
}

pub(crate) fn unit<'p>(
    app: &App,
    project: &'p Project,
    tool: Option<String>,
    trusted: Trusted,
) -> Unit<'p> {
    Unit {
        flow: FlowName::Goals,
        project,
        documents: project.root.join(layout::DIRECTORY),
        name: UNIT.to_owned(),
        title: say::title(app.lang),
        tool,
        trusted,
        // The seed knows only 0 and 1.
        held: Exit::Failed,
    }
}

pub(crate) fn settings(app: &App, project: &Project) -> Result<Settings, Problem> {
    let (lang, config) = (app.lang, &project.config);
    let Some(test_command) = config.test_command.clone() else {
        return Err(Problem::new(say::no_test_command(lang), say::no_test_command_next(lang)));
    };
    let now = app.clock.now();
    Ok(Settings {
        test_command,
        timeout_minutes: config.timeout(),
        max_retries: config.max_retries.map_or(3, u32::from),
        max_context_bytes: config
            .max_context_bytes
            .map_or(120_000, |bytes| usize::try_from(u32::from(bytes)).unwrap_or(usize::MAX)),
        commits: if goals_log::commits(config) { Commits::Auto } else { Commits::Off },
        on_red_base: config.on_red_base.unwrap_or(OnRedBase::Warn),
        protect: config.protect.clone(),
        other_roots: other_roots(project),
        max_saved_file_bytes: SAVED_FILE_BYTES,
        max_saved_bytes: SAVED_BYTES,
        setup: config.setup().cloned(),
        keep: config.room_keep.clone(),
        offset: app.clock.local_offset(now),
    })
}

/// What belongs to an attempt here, for whoever needs no other setting.
pub(crate) fn tree_rules(project: &Project) -> TreeRules {
    hast_flow::flows::goals::auto::tree_rules(&project.config.protect, &other_roots(project))
}

fn other_roots(project: &Project) -> Vec<String> {
    let others = FlowName::ALL.into_iter().filter(|flow| *flow != FlowName::Goals);
    let others = others.filter(|flow| is_there(&project.root, *flow));
    others.flat_map(FlowName::directories).map(|directory| (*directory).to_owned()).collect()
}

fn is_there(root: &RootPath, flow: FlowName) -> bool {
    roots::find_root(root, Some(root), flow.marker()).is_some()
}

/// The agent that works on a goal; `unit` is the goal's own `tool`.
pub(crate) fn chosen(
    app: &App,
    project: &Project,
    flag: Option<&str>,
    unit: Option<&str>,
) -> Result<Chosen, Problem> {
    let lang = app.lang;
    let installed = installed(&project.variables);
    let named = variable(&project.variables, "HAST_AI_TOOL").and_then(|value| value.to_str());
    let wishes = Wishes {
        flag,
        unit,
        role: "worker",
        variable: named,
        config: &project.config,
        installed: &installed,
    };
    choose(wishes).map_err(|problem| Problem::new(problem.what(lang), problem.next(lang)))
}

/// A missing agent is told before anything is written.
pub(crate) fn agent_is_there(
    app: &App,
    project: &Project,
    flag: Option<&str>,
) -> Result<(), Problem> {
    let (lang, chosen) = (app.lang, chosen(app, project, flag, None)?);
    let path = variable(&project.variables, "PATH").unwrap_or_default();
    match missing(&chosen.provider, &project.root, path) {
        Some(missing) if project.config.fallback.is_empty() => {
            let (what, next) = calling::told_missing(lang, &missing);
            Err(Problem::new(what, next))
        }
        Some(_) | None => Ok(()),
    }
}

/// What a judgement is about, for whoever narrates.
pub(crate) fn shown(judgement: &Judgement) -> String {
    let Judgement { goal, attempt, class, text, .. } = judgement;
    format!("[{goal}] attempt={attempt} {class}: {text}")
}
