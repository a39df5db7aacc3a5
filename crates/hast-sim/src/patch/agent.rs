//! Agents of every kind, and the world that performs a flow's effects. An agent's work is many
//! operations: death may find it half done.

use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::perform;
use hast_flow::steps::{CallResult, Effect, EffectResult, StepKey};

use crate::git::{Machine, Object, SimWorkspace};
use crate::rng::Rng;

#[derive(Debug)]
pub(super) struct Hands {
    pub(super) workspace: SimWorkspace,
    pub(super) seed: u64,
}

/// One thing that an agent does.
enum Act {
    Write(&'static str, &'static str),
    Remove(&'static str),
    CommitAll,
    /// The history begins anew.
    Rewrite,
    Tag,
    Switch,
    EditConfig,
}

/// What an agent does in an attempt, as the seed has it. The last attempt of most seeds is honest.
fn acts(seed: u64, attempt: u32) -> Vec<Act> {
    use Act::{CommitAll, EditConfig, Remove, Rewrite, Switch, Tag, Write};
    const HANDOFF: Act = Write("handoffs/2026-02-09_143000.md", "done");
    let kind = Rng::new(seed).fork(u64::from(attempt)).below(9);
    let honest = attempt >= 3 && !seed.is_multiple_of(5);
    let work =
        || vec![Write("src/code", "good"), Write("src/new", "new"), Remove("src/gone"), HANDOFF];
    let and = |more: Vec<Act>| work().into_iter().chain(more).collect();
    match if honest { kind % 2 } else { kind } {
        0 => work(),
        1 => and(vec![CommitAll]),
        2 => vec![HANDOFF, Write("goals", "done")],
        3 => and(vec![Write("other/file", "outside"), CommitAll]),
        4 => vec![Write("src/code", "bad"), HANDOFF],
        5 => and(vec![Rewrite]),
        6 => and(vec![Tag, EditConfig]),
        7 => and(vec![Switch, CommitAll]),
        _ => vec![],
    }
}

fn act(machine: &mut Machine, act: &Act) {
    match act {
        Act::Write(path, text) => {
            machine.files.insert((*path).to_owned(), text.as_bytes().to_vec());
        }
        Act::Remove(path) => {
            machine.files.remove(*path);
        }
        Act::CommitAll => {
            machine.commit_all("the agent's");
        }
        Act::Rewrite => {
            let head = machine.head.clone();
            machine.refs.remove(&head);
            machine.commit_all("a new beginning");
        }
        Act::Tag => {
            let blob = machine.add(Object::Blob(b"tagged".to_vec()));
            machine.refs.insert("refs/tags/v1".to_owned(), blob);
        }
        Act::Switch => {
            let at = machine.refs.get(&machine.head).cloned();
            machine.head = "refs/heads/other".to_owned();
            machine.refs.extend(at.map(|at| ("refs/heads/other".to_owned(), at)));
        }
        Act::EditConfig => machine.config = b"[core]\n\tfsmonitor = evil\n".to_vec(),
    }
}

impl Hands {
    pub(super) fn perform(&mut self, _: &StepKey, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Git(step) => EffectResult::Git(perform(&mut self.workspace, step)),
            Effect::Call(call) => {
                let done = self.work(call.attempt);
                EffectResult::Call(match done {
                    Ok(()) => CallResult::Blocked { reason: "it says that it is done".to_owned() },
                    Err(_) => CallResult::Cancelled,
                })
            }
            Effect::Check(_) => {
                let machine = self.workspace.machine.borrow();
                let good = machine.files.get("src/code").is_some_and(|text| text == b"good");
                let end = if good { TestEnd::Green } else { TestEnd::Red { code: 1 } };
                EffectResult::Check(TestRun {
                    end,
                    tail: String::new(),
                    counted: Default::default(),
                })
            }
            Effect::Tools(_)
            | Effect::Scan(_)
            | Effect::Worktree(_)
            | Effect::Lease(_)
            | Effect::Within { .. } => EffectResult::Tools(Vec::new()),
        }
    }

    fn work(&self, attempt: u32) -> Result<(), GitProblem> {
        for step in acts(self.seed, attempt) {
            self.workspace.operate(|machine| act(machine, &step))?;
        }
        Ok(())
    }
}
