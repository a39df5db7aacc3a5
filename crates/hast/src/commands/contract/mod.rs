//! `hast contract`: features built test-first, held against contracts by gates that no agent controls.

pub(crate) mod deciding;
mod effects;
pub(crate) mod eyes;
mod known;
pub(crate) mod listing;
mod memory;
mod reading;

use std::path::Path;
use std::sync::{Arc, Mutex};

use hast_flow::attempt::base::{TreeRules, fills_submodules};
use hast_flow::attempt::worktrees::TreeName;
use hast_flow::docs::contract::{Manifest, Project as ProjectName, RequestStatus};
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::Memory;
use hast_flow::flows::contract::{Asked, ContractFlow, Settings, laws, layout};
use hast_flow::flows::goals::layout as goals;
use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::ids::{ProjectHash, RequestId};
use hast_flow::trust::Trusted;
use hast_flow::words::{Lang, visible};
use hast_world::root_path::RootPath;
use hast_world::roots;
use serde_json::json;

use super::auto::effects::Nothing;
use super::auto::{SAVED_BYTES, SAVED_FILE_BYTES};
use super::calling::{self, Project};
use super::driving::{self, Driven, Unit};
use super::opening;
use super::{flow_root, verify};
use crate::app::App;
use crate::contract_cli::{ContractCommands, ResumeArgs, StartArgs};
use crate::contract_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};
use effects::ContractEffects;
use eyes::ContractEyes;

/// The lock of whoever drives the requests of a project.
const UNIT: &str = "contract";

pub(crate) fn run(app: &mut App, command: &ContractCommands) -> Result<Exit, Problem> {
    match command {
        ContractCommands::Start(args) => start(app, args),
        ContractCommands::Resume(args) => resume(app, args),
        ContractCommands::Stop => stop(app),
        ContractCommands::List => listing::list(app),
        ContractCommands::Show(args) => listing::show(app, args.id.as_deref()),
        ContractCommands::Verify(args) => check(app, args.id.as_deref()),
        ContractCommands::Knowledge(command) => known::run(app, command),
    }
}

/// The whole tree, or what lies in the directory of one request.
fn check(app: &mut App, id: Option<&str>) -> Result<Exit, Problem> {
    let root = there(app)?;
    let mut report = verify::Report::default();
    let Some(id) = id else {
        verify::check_flow(app, FlowName::Contract, &root, &mut report);
        return verify::show(app, &report);
    };
    let project = hash(&root);
    let known = id.parse::<RequestId>().ok();
    let known = known.filter(|id| reading::requests(&root, &project).contains(id));
    let Some(known) = known else {
        let next = say::unknown_request_next(app.lang);
        return Err(Problem::usage(say::unknown_request(app.lang, visible(id)), next));
    };
    let directory =
        store(&root).join(layout::of_request(&project, &known, "").trim_end_matches('/'));
    if directory.is_dir() {
        verify::check_part(app, &directory, breaches(app, &root), &mut report);
    }
    verify::show(app, &report)
}

/// What the documents do not agree on. What cannot be read is told by who checks files.
pub(crate) fn breaches(app: &App, root: &RootPath) -> Vec<Diagnostic> {
    let documents = reading::documents(root);
    let named = |finding: Diagnostic| {
        let file = verify::shown_path(app, &store(root).join(&finding.file));
        Diagnostic { file, ..finding }
    };
    laws::breaches(&documents).into_iter().map(named).collect()
}

fn start(app: &mut App, args: &StartArgs) -> Result<Exit, Problem> {
    let text = args.request.trim();
    if text.is_empty() {
        let next = say::empty_request_next(app.lang);
        return Err(Problem::usage(say::empty_request(app.lang), next));
    }
    let root = flow_root::there_or_here(app, FlowName::Contract)?;
    let project = calling::project_at(app, root)?;
    calling::agent_to_begin(app, &project, args.tool.as_deref())?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    opening::recover(app, &store(&project.root))?;
    let own = hash(&project.root);
    let id = reading::next_id(&project.root, &own)
        .map_err(|error| Problem::cannot_read(app.lang, &error.path, &error.source))?;
    if let Some(note) = elsewhere(app.lang, &project.root).filter(|_| !app.quiet) {
        app.output.message(&format!("{note}\n"));
    }
    let asked = Asked::Start { id, text: text.to_owned() };
    let mut eyes = ContractEyes::new(app.lang);
    let driven = go(app, &project, asked, args.tool.clone(), trusted, &mut eyes)?;
    report(app, &driven, true)
}

/// An agent that commits everything must not commit these: the first request of a repository says so to
/// git. Where there are requests already, people have decided what is in git.
fn keep_ignored(app: &App, store: &RootPath) -> Result<(), Problem> {
    if store.join("sessions").exists() {
        return Ok(());
    }
    let made = store.join(layout::IGNORE).create(layout::IGNORE_TEXT.as_bytes());
    made.map(drop).map_err(|error| Problem::cannot_write(app.lang, &error.path, &error.source))
}

fn resume(app: &mut App, args: &ResumeArgs) -> Result<Exit, Problem> {
    let root = there(app)?;
    let project = calling::project_at(app, root)?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    let id = current(app, &project.root, args.id.as_deref())?;
    let mut eyes = ContractEyes::new(app.lang);
    let driven = go(app, &project, Asked::Resume { id }, args.tool.clone(), trusted, &mut eyes)?;
    report(app, &driven, true)
}

fn stop(app: &mut App) -> Result<Exit, Problem> {
    let root = there(app)?;
    let project = calling::project_at(app, root)?;
    let id = current(app, &project.root, None)?;
    // Stopping starts nobody, so there is nothing to approve.
    let trusted = calling::trusted(app, &project, &hast_flow::trust::Commands::default())?;
    let mut eyes = ContractEyes::new(app.lang);
    let driven = go(app, &project, Asked::Stop { id }, None, trusted, &mut eyes)?;
    report(app, &driven, false)
}

/// The id of the current request; another one is over and stays so.
fn current(app: &App, root: &RootPath, wanted: Option<&str>) -> Result<RequestId, Problem> {
    let lang = app.lang;
    opening::recover(app, &store(root))?;
    let state = reading::state(root, &hash(root));
    let current = state.map(|state| state.request.id);
    let Some(current) = current else {
        return Err(no_requests(lang, root));
    };
    match wanted {
        None => Ok(current),
        Some(wanted) if wanted == current.as_str() => Ok(current),
        Some(wanted) => {
            let known = wanted.parse::<RequestId>().is_ok_and(|id| id < current);
            let (what, next) = match known {
                true => (
                    say::past_request(lang, wanted, &current),
                    say::past_request_next(lang, &current),
                ),
                false => {
                    (say::unknown_request(lang, visible(wanted)), say::unknown_request_next(lang))
                }
            };
            Err(Problem::usage(what, next))
        }
    }
}

/// Where a project has no request: whose are those that lie here.
fn elsewhere(lang: Lang, root: &RootPath) -> Option<String> {
    let own = hash(root);
    let paths = reading::other_paths(root, &own);
    let none = reading::requests(root, &own).is_empty();
    (none && !paths.is_empty()).then(|| {
        let paths = paths.iter().map(|path| visible(path).into_owned()).collect::<Vec<_>>();
        say::other_path(lang, paths.join(", "))
    })
}

fn no_requests(lang: Lang, root: &RootPath) -> Problem {
    let problem = Problem::new(say::no_requests(lang), say::no_requests_next(lang));
    match elsewhere(lang, root) {
        Some(note) => problem.because(note),
        None => problem,
    }
}

/// How a drive ended, for people and for programs.
fn report(app: &mut App, driven: &Driven<Outcome>, shows: bool) -> Result<Exit, Problem> {
    let problem = driving::meaning(app.lang, &driven.ending);
    if app.json {
        let told = problem.as_ref().map(|one| json!({ "what": one.what, "next": one.next }));
        app.print_json(&json!({
            "ending": driving::word(&driven.ending),
            "request": driven.seen.state,
            "problem": told,
        }))?;
        if let Some(problem) = &problem {
            app.output.message(&problem.text(app.lang, &app.output.message_renderer()));
        }
        return Ok(problem.map_or(Exit::Done, |problem| problem.exit));
    }
    if let (Some(state), true) = (&driven.seen.state, shows) {
        app.print(&listing::matrix(app.lang, state))?;
    }
    match (problem, &driven.ending) {
        (Some(problem), _) => Err(problem),
        (None, hast_flow::steps::Ending::Done(notice)) => {
            let next = common::next(app.lang);
            app.print(&format!("{}\n{next}: {}\n", notice.what, notice.next))?;
            Ok(Exit::Done)
        }
        (None, _) => Ok(Exit::Done),
    }
}

/// What is looked at when a drive is over.
pub(crate) struct Outcome {
    pub(crate) state: Option<hast_flow::docs::contract::ContractState>,
}

/// Drives a request until there is nothing more to do now.
pub(crate) fn go(
    app: &mut App,
    project: &Project,
    asked: Asked,
    tool: Option<String>,
    trusted: Trusted,
    eyes: &mut ContractEyes,
) -> Result<Driven<Outcome>, Problem> {
    let lang = app.lang;
    let request = asked.request().cloned();
    eyes.watch(request.clone());
    let flow = ContractFlow { settings: settings(app, project, &asked)?, asked };
    if let Asked::Start { .. } = &flow.asked {
        keep_ignored(app, &store(&project.root))?;
    }
    let unit = Unit {
        flow: FlowName::Contract,
        project,
        documents: store(&project.root),
        name: UNIT.to_owned(),
        title: say::title(lang),
        tool,
        trusted,
        held: Exit::Locked,
    };
    let notices: Arc<Mutex<Vec<String>>> = Arc::default();
    eyes.notices = Arc::clone(&notices);
    let only_words = matches!(flow.asked, Asked::Learn(_) | Asked::Decide { .. });
    let others = |guarded: &Arc<_>| {
        if only_words {
            // A person's word needs neither git nor tests.
            return Ok(Arc::new(Nothing) as Arc<_>);
        }
        let effects = ContractEffects::open(project, Arc::clone(guarded), lang, notices);
        effects
            .map(|effects| Arc::new(effects) as Arc<_>)
            .map_err(|problem| Problem::new(problem.what(lang), problem.next(lang)))
    };
    driving::drive(app, unit, &flow, others, eyes, |view| {
        let known = request.as_ref().and_then(|id| view.requests.get(id));
        Outcome { state: known.map(hast_flow::flows::contract::request::Request::state) }
    })
}

/// What is read once before any agent starts.
pub(crate) fn settings(app: &App, project: &Project, asked: &Asked) -> Result<Settings, Problem> {
    let (lang, config, root) = (app.lang, &project.config, &project.root);
    let runs = matches!(asked, Asked::Start { .. } | Asked::Resume { .. });
    let test_command = match config.test_command.clone() {
        Some(command) => command,
        None if !runs => String::new(),
        None => {
            return Err(Problem::new(say::no_test_command(lang), say::no_test_command_next(lang)));
        }
    };
    let top = roots::git_top(root).unwrap_or_else(|| root.to_path_buf());
    let prefix = root.strip_prefix(&top).ok().and_then(Path::to_str).unwrap_or_default();
    let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
    let manifest = |name: &str| {
        let path = root.join(name);
        path.is_file().then(|| path.to_string_lossy().into_owned())
    };
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Settings {
        project: ProjectName {
            path: root.to_string_lossy().into_owned(),
            name: name.unwrap_or_default(),
            hash: hash(root),
        },
        manifest: Manifest { claude_md: manifest("CLAUDE.md"), agents_md: manifest("AGENTS.md") },
        test_command,
        timeout_minutes: config.timeout(),
        max_regenerations: config.max_regenerations.unwrap_or(2),
        memory: config.memory.unwrap_or(Memory::Builtin),
        rules: TreeRules {
            fills_submodules: fills_submodules(config.setup()),
            ..rules(root, &prefix, &config.protect)
        },
        copy: config.copy().to_vec(),
        setup: config.setup().cloned(),
        prefix,
        max_saved_file_bytes: SAVED_FILE_BYTES,
        max_saved_bytes: SAVED_BYTES,
    })
}

/// What no attempt is about, and what no attempt may change.
fn rules(root: &RootPath, prefix: &str, protect: &[String]) -> TreeRules {
    let here = |path: &str| format!("{prefix}{path}");
    let machine =
        goals::MACHINE_FILES.iter().map(|name| here(&format!("{}/{name}", goals::DIRECTORY)));
    let others = FlowName::ALL.into_iter().filter(|flow| {
        let ours = matches!(flow, FlowName::Goals | FlowName::Contract);
        !ours && roots::find_root(root, Some(root), flow.marker()).is_some()
    });
    let others = others.flat_map(FlowName::directories).map(|path| here(&format!("{path}/")));
    let own = [here(".claude/orchestrator/"), here(".hast/")];
    let protected = [goals::CONFIG, goals::GOALS, goals::RULES, goals::IGNORE];
    TreeRules {
        leave_out: machine.chain(others).chain(own).collect(),
        protected: protected.map(here).to_vec(),
        protect: protect.to_vec(),
        handoffs: None,
        ..TreeRules::default()
    }
}

/// Whether a request may still go on in a room: one that is not complete, or of another project.
pub(crate) fn needs_room(root: &RootPath, unit: &TreeName) -> bool {
    if !unit.is_of_a_request() {
        return false;
    }
    let own = hash(root);
    let known = reading::requests(root, &own);
    let is_of = |id: &RequestId| {
        TreeName::of_request(&own, id) == *unit || TreeName::of_trial(&own, id) == *unit
    };
    if !known.iter().any(is_of) {
        return true;
    }
    let current = reading::state(root, &own).map(|state| state.request);
    let current = current.filter(|current| current.status != RequestStatus::Completed);
    current.is_some_and(|current| is_of(&current.id))
}

/// The ids of what is known about a project.
pub(crate) fn learned(root: &RootPath) -> Vec<String> {
    let Some(known) = reading::knowledge(root, &hash(root)) else { return Vec::new() };
    let decisions = known.decisions.into_iter().map(|one| one.id);
    let pitfalls = known.pitfalls.into_iter().map(|one| one.id);
    known.patterns.into_keys().chain(decisions).chain(pitfalls).collect()
}

pub(crate) fn hash(root: &RootPath) -> ProjectHash {
    ProjectHash::of(&root.to_string_lossy())
}

fn store(root: &RootPath) -> RootPath {
    root.join(FlowName::Contract.marker())
}

fn there(app: &App) -> Result<RootPath, Problem> {
    flow_root::there(app, FlowName::Contract, || {
        Problem::new(say::no_contract(app.lang), say::no_contract_next(app.lang))
    })
}
