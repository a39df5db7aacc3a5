//! Work trees for many threads: one thread makes, merges and removes them, and each tree has one of
//! its own that works in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use hast_flow::agents::redact::Redactor;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use hast_flow::attempt::workspace::{GitResult, GitStep};
use hast_flow::attempt::worktrees::{TreeName, WorktreeResult, WorktreeStep, perform};
use hast_flow::steps;
use hast_flow::store::DocPath;

use crate::checks::Checks;
use crate::git::{GitEnvironment, Hooking, RealWorktrees};
use crate::git_thread::GitThread;

/// The work trees of a repository, for any thread.
#[derive(Debug)]
pub struct WorktreeThreads {
    asked: Mutex<Sender<Question>>,
    inside: Mutex<BTreeMap<TreeName, Arc<GitThread>>>,
    /// The top of the user's checkout, and the directory of its rooms.
    top: PathBuf,
    directory: PathBuf,
    /// Who runs hooks, and where the trees are among the documents.
    hooks: Option<(Arc<Checks>, String)>,
}

#[derive(Debug)]
enum Question {
    Step(Box<WorktreeStep>, Sender<WorktreeResult>),
    Hold(TreeName, Sender<Result<(), GitProblem>>),
    Secrets(Redactor),
    FreeRooms(Sender<Result<(usize, u64), GitProblem>>),
}

impl WorktreeThreads {
    /// The rooms in `directory`, of the repository whose work tree has its top at `top`. New ones are of
    /// this kind.
    pub fn open(top: &Path, directory: &Path, kind: RoomKind) -> Result<Self, GitProblem> {
        let environment = GitEnvironment::of_this_process()?;
        let (top, directory) = (top.to_owned(), directory.to_owned());
        let (of_top, of_directory) = (top.clone(), directory.clone());
        let (asked, questions) = channel();
        let (opened, result) = channel();
        let serve = move || match RealWorktrees::open(&of_top, &of_directory, environment, kind) {
            Ok(trees) => {
                let _ = opened.send(Ok(()));
                serve(trees, &questions);
            }
            Err(problem) => {
                let _ = opened.send(Err(problem));
            }
        };
        Builder::new().name("worktrees".to_owned()).spawn(serve).map_err(|_| lost())?;
        result.recv().map_err(|_| lost())??;
        let (asked, inside) = (Mutex::new(asked), Mutex::default());
        Ok(Self { asked, inside, top, directory, hooks: None })
    }

    /// The same, and hooks run as the tests do. `documents` is where the trees are among them, with a
    /// `/` at its end.
    #[must_use]
    pub fn with_hooks(mut self, checks: Arc<Checks>, documents: &str) -> Self {
        // The thread that makes rooms anew saves what was in them.
        let _ = self.ask(Question::Secrets(checks.agents_secrets()));
        self.hooks = Some((checks, documents.to_owned()));
        self
    }

    /// Performs a step and waits for it.
    pub fn perform(&self, step: &WorktreeStep) -> WorktreeResult {
        // Whoever works in a tree remembers how it was.
        if let WorktreeStep::Remove { tree, .. } | WorktreeStep::Bring { tree, .. } = step {
            self.inside().remove(tree);
        }
        if let WorktreeStep::Deliver(plan) = step {
            self.inside().remove(&plan.tree);
        }
        if let WorktreeStep::Add(plan) | WorktreeStep::Rescue(plan) = step {
            self.inside().remove(&plan.tree);
        }
        let (answer, answered) = channel();
        let sent = self.ask(Question::Step(Box::new(step.clone()), answer));
        sent.and_then(|()| answered.recv().map_err(|_| lost()))
            .unwrap_or_else(WorktreeResult::Refused)
    }

    /// Performs a step of git inside of a tree.
    pub fn perform_in(&self, tree: &TreeName, step: &GitStep) -> GitResult {
        match self.thread(tree) {
            Ok(thread) => thread.perform(step),
            Err(problem) => GitResult::Refused(problem),
        }
    }

    /// Deletes the rooms that no unit has; counts them and their bytes.
    pub fn free_rooms(&self) -> Result<(usize, u64), GitProblem> {
        let (answer, answered) = channel();
        self.ask(Question::FreeRooms(answer))?;
        answered.recv().map_err(|_| lost())?
    }

    fn thread(&self, tree: &TreeName) -> Result<Arc<GitThread>, GitProblem> {
        if let Some(thread) = self.inside().get(tree) {
            return Ok(Arc::clone(thread));
        }
        let (answer, answered) = channel();
        self.ask(Question::Hold(tree.clone(), answer))?;
        answered.recv().map_err(|_| lost())??;
        let hooking = self.hooks.as_ref().and_then(|(checks, documents)| {
            let path = DocPath::new(&format!("{documents}{}", tree.as_str())).ok()?;
            Some(Hooking { checks: Arc::clone(checks), place: steps::Place::Worktree(path) })
        });
        let (top, directory) = (self.top.clone(), self.directory.clone());
        let thread = Arc::new(GitThread::open_room(top, directory, tree.clone(), hooking)?);
        self.inside().insert(tree.clone(), Arc::clone(&thread));
        Ok(thread)
    }

    fn ask(&self, question: Question) -> Result<(), GitProblem> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.send(question).map_err(|_| lost())
    }

    fn inside(&self) -> MutexGuard<'_, BTreeMap<TreeName, Arc<GitThread>>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lost() -> GitProblem {
    GitProblem::NoGit { why: "its thread ended".to_owned() }
}

fn serve(mut trees: RealWorktrees, questions: &Receiver<Question>) {
    while let Ok(question) = questions.recv() {
        match question {
            Question::Step(step, answer) => {
                let _ = answer.send(perform(&mut trees, &step));
            }
            Question::Hold(tree, answer) => {
                let _ = answer.send(trees.hold_room(&tree));
            }
            Question::Secrets(secrets) => trees.guard_secrets(secrets),
            Question::FreeRooms(answer) => {
                let _ = answer.send(trees.free_rooms());
            }
        }
    }
}
