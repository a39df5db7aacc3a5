//! Calls of agents, made for real: who is asked, when, at what cost, and what is kept of it. The
//! decisions are those of `hast_flow::calling` and `hast_flow::agents`.

mod attempt;
mod doors;
pub mod folder;
pub mod grants;
pub(crate) mod ground;
pub mod homes;
mod inputs;
mod keepsake;
pub mod ledger;
pub mod outbox;
pub(crate) mod outside_servers;
mod refusals;
mod streams;
mod touched;
pub(crate) mod traces;
mod watching;
mod workers;
mod world;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hast_flow::agents::beginning::MOST_STARTS;
use hast_flow::agents::budget::RunBudget;
use hast_flow::agents::choice::{Chosen, Wishes};
use hast_flow::agents::events::AgentEvent;
use hast_flow::agents::presets::Preset;
use hast_flow::agents::provider::Provider;
use hast_flow::agents::redact::{Redactor, is_secret};
use hast_flow::agents::resume_time::ResumeTime;
use hast_flow::agents::usage::Usage;
use hast_flow::calling::candidates::{Readiness, Turn, candidates, nobody, turn};
use hast_flow::calling::request::Asked;
use hast_flow::calling::settle::End;
use hast_flow::calling::settle::say::once_more;
use hast_flow::docs::call_record::CallRecord;
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::Config;
use hast_flow::ports::Clock;
use hast_flow::steps::{Call, CallResult, Place, StepKey};
use hast_flow::store::DocPath;
use hast_flow::time::UtcTime;
use hast_flow::trust::Trusted;
use hast_flow::words::Lang;

use crate::disk::RealDisk;
use crate::files::PathError;
use crate::programs;
use crate::root_path::RootPath;
use crate::supervisor::Guarded;
use ledger::LedgerFile;

pub use world::{OtherEffects, RealWorld};

/// How often somebody who waits looks whether hast is to end.
const LOOK: Duration = Duration::from_millis(100);

/// Everything that calls of one root have in common.
pub struct Settings {
    pub flow: FlowName,
    /// The project: where agents work unless they have a worktree.
    pub root: RootPath,
    /// What the flow's document paths are below.
    pub documents: RootPath,
    /// hast's own directory (`.hast`), for records and the ledger; shared by all units of a project.
    pub machine: RootPath,
    /// Goes before step keys in the names of records, where keys repeat between units; may be empty.
    pub scope: String,
    pub config: Config,
    pub lang: Lang,
    /// `--tool NAME`.
    pub tool: Option<String>,
    /// The user's environment.
    pub variables: Vec<(OsString, OsString)>,
    /// How hast itself is called, for agents that hast plays.
    pub hast: String,
    pub clock: Arc<dyn Clock + Send + Sync>,
    /// Proof that what the repository brings may be run.
    pub trusted: Trusted,
    /// The budget of all calls of this command together, beside the configuration's.
    pub run_budget: Option<RunBudget>,
}

/// Makes calls, from any number of threads.
pub struct Calls {
    settings: Settings,
    supervisor: Arc<Guarded>,
    redactor: Redactor,
    ledger: LedgerFile,
    installed: Vec<Preset>,
    progress: Box<dyn Fn(&Progress<'_>) + Send + Sync>,
    /// Whether what the sandbox cannot do here was said.
    noticed: AtomicBool,
    /// Programs that were asked for their login.
    logins_asked: Mutex<Vec<Preset>>,
    /// What the documents are committed through, if that is done beside calls.
    disk: Option<RealDisk>,
}

/// Something that happened to a call.
#[derive(Debug)]
pub struct Progress<'a> {
    pub key: &'a StepKey,
    pub call: &'a Call,
    pub agent: &'a str,
    pub elapsed: Duration,
    /// What the agent reported so far.
    pub usage: Usage,
    pub what: What<'a>,
}

#[derive(Debug)]
pub enum What<'a> {
    /// The process is about to start; its record is going to be here.
    Started {
        record: &'a Path,
    },
    Event(&'a AgentEvent),
    /// Something that a person should know, once.
    Notice(&'a str),
    /// The agent refuses until then; somebody else is asked, or it is waited for.
    Limited {
        until: ResumeTime,
    },
    Waiting {
        until: ResumeTime,
    },
    /// What is left of the budget is held by other calls.
    Held,
    Ended(&'a Kept),
}

/// What is kept of a call that ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub agent: String,
    /// The directory of its record.
    pub path: PathBuf,
    pub record: CallRecord,
    /// Processes that it left behind, and that were ended.
    pub swept: u32,
}

/// What a call came to, with the last record that was made for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Performed {
    pub result: CallResult,
    pub kept: Option<Kept>,
}

impl std::fmt::Debug for Settings {
    /// Without the environment: it has secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("root", &self.root).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Calls").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Settings {
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        variable(&self.variables, name)
    }
}

/// A variable of an environment.
pub fn variable<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
}

/// Presets whose programs are on the search path.
pub fn installed(variables: &[(OsString, OsString)]) -> Vec<Preset> {
    let path = variable(variables, "PATH").unwrap_or_default();
    let is_there = |preset: &Preset| programs::find(preset.description().program, path).is_some();
    Preset::ALL.into_iter().filter(is_there).collect()
}

impl Calls {
    /// Also removes what killed processes left behind.
    pub fn new(
        settings: Settings,
        supervisor: Arc<Guarded>,
        progress: Box<dyn Fn(&Progress<'_>) + Send + Sync>,
    ) -> Self {
        folder::tidy(&settings.machine);
        let text = |value: &OsString| value.to_str().map(str::to_owned);
        let secrets: Vec<(String, String)> = settings
            .variables
            .iter()
            .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
            .filter(|(name, value)| is_secret(name, value))
            .collect();
        let redactor = Redactor::new(secrets.iter().map(|(name, value)| (&**name, &**value)));
        Self {
            ledger: LedgerFile::within(&settings.machine),
            installed: installed(&settings.variables),
            redactor,
            settings,
            supervisor,
            progress,
            noticed: AtomicBool::new(false),
            logins_asked: Mutex::default(),
            disk: None,
        }
    }

    /// Calls beside which documents are committed through this disk: that is nobody's stray.
    #[must_use]
    pub fn beside(self, disk: RealDisk) -> Self {
        Self { disk: Some(disk), ..self }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Who would be asked by this role, first to last.
    pub fn candidates(
        &self,
        role: &str,
        unit: Option<&str>,
    ) -> Result<Vec<Chosen>, hast_flow::agents::problem::AgentProblem> {
        let Settings { config, tool, root, .. } = &self.settings;
        let found = candidates(Wishes {
            flag: tool.as_deref(),
            unit,
            role,
            variable: self.settings.variable("HAST_AI_TOOL").and_then(OsStr::to_str),
            config,
            installed: &self.installed,
        })?;
        Ok(found.into_iter().map(|chosen| placed(chosen, root)).collect())
    }

    /// Makes a call: asks the chosen agent, and the fallbacks while those before refuse or are
    /// missing. Returns when nothing of it runs any more.
    pub fn perform(&self, key: &StepKey, call: &Call) -> Performed {
        let Settings { flow, config, lang, .. } = &self.settings;
        let at = UtcTime::new(self.settings.clock.now());
        let asked = Asked { flow: *flow, call, config, lang: *lang, at };
        let mut kept = None;
        if let Some(gone) = self.missing_need(call) {
            return Performed { result: gone, kept };
        }
        let result = match self.candidates(&call.role, call.tool.as_deref()) {
            Ok(candidates) => self.ask_in_turn(key, asked, &candidates, &mut kept),
            Err(problem) => {
                CallResult::NotStarted { reason: problem.what(*lang), next: problem.next(*lang) }
            }
        };
        Performed { result: self.made_to_last(call, result), kept }
    }

    /// The work of an agent in a room outlasts a power cut before its end is written down: what is
    /// judged later is what the agent left, and not what the cut has spared of it.
    fn made_to_last(&self, call: &Call, result: CallResult) -> CallResult {
        let counts = matches!(
            result,
            CallResult::Completed(_)
                | CallResult::Broken { .. }
                | CallResult::Failed { .. }
                | CallResult::Blocked { .. }
        );
        if !counts || !matches!(call.place, Place::Worktree(_)) {
            return result;
        }
        let Settings { root, documents, variables, .. } = &self.settings;
        let tree = ground::tree(&call.place, root, documents, variables);
        let room = tree.room.map_or(tree.workdir, |mounts| mounts.tree);
        match sync_disk_of(&room) {
            Ok(()) => result,
            Err(error) => self.no_disk(&error),
        }
    }

    /// Nobody is asked to work on what is not there.
    fn missing_need(&self, call: &Call) -> Option<CallResult> {
        let lang = self.settings.lang;
        let there = |name: &&DocPath| self.settings.documents.join(name.as_str()).is_file();
        let gone = call.needs.iter().find(|name| !there(name))?;
        Some(CallResult::NotStarted {
            reason: attempt::say::need_gone(lang, &call.unit, gone),
            next: attempt::say::need_gone_next(lang, gone),
        })
    }

    fn ask_in_turn(
        &self,
        key: &StepKey,
        asked: Asked<'_>,
        candidates: &[Chosen],
        kept: &mut Option<Kept>,
    ) -> CallResult {
        let lang = self.settings.lang;
        if let Err(error) = folder::prepare(&self.settings.machine) {
            return self.no_disk(&error);
        }
        let mut missing: Vec<bool> =
            candidates.iter().map(|chosen| !self.is_installed(&chosen.provider)).collect();
        let mut starts = 0;
        loop {
            if self.supervisor.is_cancelled() {
                return CallResult::Cancelled;
            }
            let states = match self.readiness(candidates, &missing) {
                Ok(states) => states,
                Err(error) => return self.no_disk(&error),
            };
            match turn(&states) {
                Turn::Ask(number) => {
                    let Some(agent) = candidates.get(number) else { return CallResult::Cancelled };
                    self.tell_of_login(key, asked.call, agent);
                    match self.ask(key, asked, agent, kept) {
                        Ok(End::Result(result)) => return result,
                        Ok(End::Missing(result)) if candidates.len() == 1 => return result,
                        Ok(End::Missing(_)) => missing[number] = true,
                        Ok(End::NeverBegan(result)) => {
                            starts += 1;
                            if starts >= MOST_STARTS {
                                return result;
                            }
                            self.tell_once_more(key, asked.call, &agent.name, &result);
                        }
                        Ok(End::Limited(limit)) => {
                            if let Some(given_up) = self.refused(key, asked, agent, &limit) {
                                return given_up;
                            }
                        }
                        Err(error) => return self.no_disk(&error),
                    }
                }
                Turn::Wait { candidate, until } => {
                    let agent = candidates.get(candidate).map_or("", |chosen| chosen.name.as_str());
                    let until = self.resume_time(until);
                    if !self.waits_for(key, asked.call, agent, until) {
                        return CallResult::Limited { agent: agent.to_owned(), until };
                    }
                }
                Turn::Nobody => {
                    let programs: Vec<&str> = candidates
                        .iter()
                        .map(|chosen| chosen.provider.program(&self.settings.hast))
                        .collect();
                    let (reason, next) = nobody(&programs, lang);
                    return CallResult::NotStarted { reason, next };
                }
            }
        }
    }

    fn tell_once_more(&self, key: &StepKey, call: &Call, agent: &str, result: &CallResult) {
        if let CallResult::NotStarted { reason, .. } = result {
            let notice = once_more(self.settings.lang, reason);
            self.tell(key, call, agent, What::Notice(&notice));
        }
    }

    fn readiness(
        &self,
        candidates: &[Chosen],
        missing: &[bool],
    ) -> Result<Vec<Readiness>, PathError> {
        let now = self.settings.clock.now();
        self.ledger.with(|ledger| {
            let state = |(chosen, missing): (&Chosen, &bool)| match missing {
                true => Readiness::Missing,
                false => ledger
                    .refuses_until(&chosen.name, now)
                    .map_or(Readiness::Ready, Readiness::Limited),
            };
            (Vec::new(), candidates.iter().zip(missing).map(state).collect())
        })
    }

    fn is_installed(&self, provider: &Provider) -> bool {
        let program = provider.program(&self.settings.hast);
        let path = self.settings.variable("PATH").unwrap_or_default();
        program.contains('/') || programs::find(program, path).is_some()
    }

    fn no_disk(&self, error: &PathError) -> CallResult {
        let lang = self.settings.lang;
        CallResult::NotStarted {
            reason: attempt::say::no_record(lang, error.path.display(), &error.source),
            next: attempt::say::no_record_next(lang),
        }
    }

    fn tell(&self, key: &StepKey, call: &Call, agent: &str, what: What<'_>) {
        let (elapsed, usage) = (Duration::ZERO, Usage::default());
        (self.progress)(&Progress { key, call, agent, elapsed, usage, what });
    }
}

/// Syncs the file system that a directory is on. A directory that is gone has nothing to lose.
fn sync_disk_of(directory: &Path) -> Result<(), PathError> {
    let synced = File::open(directory)
        .and_then(|open| rustix::fs::syncfs(open).map_err(std::io::Error::from));
    match synced {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(PathError { path: directory.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// A rehearsal is named from the project, and played wherever the call works.
fn placed(chosen: Chosen, root: &Path) -> Chosen {
    let provider = match chosen.provider {
        Provider::Rehearsal { file } => {
            let file = root.join(file).to_string_lossy().into_owned();
            Provider::Rehearsal { file }
        }
        other => other,
    };
    Chosen { provider, ..chosen }
}
