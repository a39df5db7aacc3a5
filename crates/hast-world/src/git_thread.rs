//! Git for many threads: one work tree has one thread of its own, which does one step after the
//! other.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, Workspace, perform};
use hast_flow::attempt::worktrees::TreeName;

use crate::git::{Checkout, GitEnvironment, Hooking, RoomWorkspace};

/// A step, and where its result goes.
type Asked = (GitStep, Sender<GitResult>);

/// A work tree that any thread may ask.
#[derive(Debug)]
pub struct GitThread {
    steps: Mutex<Option<Sender<Asked>>>,
    thread: Option<JoinHandle<()>>,
}

impl GitThread {
    /// The checkout whose top a directory is. It ends with this value.
    pub fn open(top: &Path) -> Result<Self, GitProblem> {
        let (environment, top) = (GitEnvironment::of_this_process()?, top.to_owned());
        Self::serving(move || Checkout::open(&top, environment))
    }

    /// The room of a unit that this process holds.
    pub fn open_room(
        top: PathBuf,
        directory: PathBuf,
        unit: TreeName,
        hooking: Option<Hooking>,
    ) -> Result<Self, GitProblem> {
        let environment = GitEnvironment::of_this_process()?;
        Self::serving(move || {
            let room = RoomWorkspace::open(&top, &directory, environment, &unit)?;
            Ok(room.with_hooks(hooking))
        })
    }

    /// Opens something on a thread of its own, which performs its steps there.
    fn serving<W: Workspace>(
        open: impl FnOnce() -> Result<W, GitProblem> + Send + 'static,
    ) -> Result<Self, GitProblem> {
        let (steps, asked) = channel();
        let (opened, result) = channel();
        let serve = move || match open() {
            Ok(workspace) => {
                let _ = opened.send(Ok(()));
                serve(workspace, &asked);
            }
            Err(problem) => {
                let _ = opened.send(Err(problem));
            }
        };
        let lost = || GitProblem::NoGit { why: "its thread ended".to_owned() };
        let thread = Builder::new().name("git".to_owned()).spawn(serve).map_err(|_| lost())?;
        result.recv().map_err(|_| lost())??;
        Ok(Self { steps: Mutex::new(Some(steps)), thread: Some(thread) })
    }

    /// Performs a step and waits for it.
    pub fn perform(&self, step: &GitStep) -> GitResult {
        self.perform_while(step, || {})
    }

    /// Performs a step, and something else meanwhile.
    pub fn perform_while(&self, step: &GitStep, meanwhile: impl FnOnce()) -> GitResult {
        let (answer, answered) = channel();
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lost = || GitResult::Refused(GitProblem::NoGit { why: "its thread ended".to_owned() });
        if steps.is_none_or(|steps| steps.send((step.clone(), answer)).is_err()) {
            return lost();
        }
        meanwhile();
        answered.recv().unwrap_or_else(|_| lost())
    }
}

/// The work tree lets go of what it holds while an attempt is under way: this is waited for.
impl Drop for GitThread {
    fn drop(&mut self) {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(mut workspace: impl Workspace, asked: &Receiver<Asked>) {
    while let Ok((step, answer)) = asked.recv() {
        let _ = answer.send(perform(&mut workspace, &step));
    }
}
