//! Hooks of the user's, which often run what is in the tree, and an agent was there: they run as the
//! tests do, in the sandbox and with nothing left running, and can write to two files of ours.

use std::fs::{self, DirBuilder};
use std::ops::ControlFlow;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::process::exit::Exit;
use hast_flow::process::{CommandSpec, Limits, Supervisor};
use hast_flow::steps::Place;

use super::index::{ScratchFile, disk};
use super::run::Call;
use crate::checks::Checks;

const LONGEST_HOOK: Duration = Duration::from_secs(600);
/// How much of a hook's words is kept.
const HOOK_WORDS: usize = 4_000;

/// By whom hooks are run, and where.
#[derive(Clone, Debug)]
pub struct Hooking {
    pub checks: Arc<Checks>,
    pub place: Place,
}

/// What hooks read and write: the index of what is to be committed, and the message. Gone with its
/// handle.
#[derive(Debug)]
pub(super) struct HookFiles {
    directory: PathBuf,
    pub(super) index: ScratchFile,
    pub(super) message: ScratchFile,
}

impl HookFiles {
    pub(super) fn new(directory: PathBuf) -> Result<Self, GitProblem> {
        let made = DirBuilder::new().mode(0o700).create(&directory);
        made.map_err(|error| disk(&directory, error))?;
        let index = ScratchFile { path: directory.join("index") };
        let message = ScratchFile { path: directory.join("COMMIT_EDITMSG") };
        Ok(Self { directory, index, message })
    }
}

/// What a hook reaches besides what the tests do.
#[derive(Debug, Default)]
pub(super) struct HookReach {
    pub(super) writable: Vec<PathBuf>,
    pub(super) readable: Vec<PathBuf>,
}

impl HookFiles {
    pub(super) fn reach(&self) -> HookReach {
        HookReach { writable: vec![self.directory.clone()], readable: Vec::new() }
    }
}

impl Drop for HookFiles {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

impl Hooking {
    /// Runs a hook, in the sandbox where there is one to run it. What it says when it refuses.
    pub(super) fn ask(
        hooking: Option<&Self>,
        call: Call<'_>,
        reach: &HookReach,
    ) -> Result<Option<String>, GitProblem> {
        let said = match hooking {
            Some(hooking) => hooking.refusal(call, reach)?,
            None => {
                let output = call.longest(LONGEST_HOOK).output()?;
                let said = [output.stdout, output.stderr].concat();
                (output.code != Some(0)).then(|| String::from_utf8_lossy(&said).into_owned())
            }
        };
        Ok(said.map(|text| text.trim().chars().take(HOOK_WORDS).collect()))
    }

    fn refusal(&self, call: Call<'_>, reach: &HookReach) -> Result<Option<String>, GitProblem> {
        let (program, args, env) = call.parts();
        let home = env.get(std::ffi::OsStr::new("HOME")).map(PathBuf::from);
        let spec = CommandSpec::new(program, &self.checks.root).args(args);
        let mut spec = self.checks.confined(&self.place, home, CommandSpec { env, ..spec });
        spec.cwd = self.checks.tree(&self.place).top;
        spec.sandbox.writable.extend(reach.writable.iter().cloned());
        spec.sandbox.closed.extend(reach.readable.iter().cloned());
        let limits = Limits {
            timeout: LONGEST_HOOK,
            stall: None,
            head: HOOK_WORDS,
            tail: 4 * HOOK_WORDS,
            ..Limits::default()
        };
        let run = self.checks.supervisor.run(&spec, &limits, &mut |_, _| ControlFlow::Continue(()));
        let said = [run.stdout.text(), run.stderr.text()].concat();
        match run.exit {
            Exit::Exited(0) => Ok(None),
            Exit::Exited(_) => Ok(Some(self.checks.without_secrets(&said))),
            Exit::Cancelled => {
                let command = "hook run".to_owned();
                Err(GitProblem::Refused { command, said: run.exit.what(self.checks.lang) })
            }
            other => {
                let why = other.what(self.checks.lang);
                Ok(Some(format!("{why}\n{}", self.checks.without_secrets(&said))))
            }
        }
    }
}
