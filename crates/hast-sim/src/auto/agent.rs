//! Agents of every kind. What one does follows from the seed, the goal and how often the goal was
//! judged before; its work is many operations, and death may find it half done.

use std::collections::BTreeMap;

use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::perform;
use hast_flow::leases::LeaseResult;
use hast_flow::steps::{Answer, Call, CallResult, Effect, EffectResult};

use crate::git::{Machine, Object, SimWorkspace};
use crate::rng::Rng;

/// What an agent and the tests do to one work tree.
pub(super) struct Hands<'h> {
    pub(super) workspace: SimWorkspace,
    pub(super) seed: u64,
    /// How often a goal was judged, and whether a person has given it back since.
    pub(super) judged: &'h dyn Fn(&str) -> (u64, bool),
    /// What agents that ended have left, by path: none of it may be lost.
    pub(super) left: &'h mut Vec<BTreeMap<String, Vec<u8>>>,
}

enum Act {
    Write(String, String),
    Remove(&'static str),
    CommitAll,
    /// The history begins anew.
    Rewrite,
    Tag,
    Switch,
    EditConfig,
}

/// The path of a goal's code; the tests look for the word `bug` in any.
fn code(goal: &str) -> String {
    format!("src/{goal}.py")
}

/// What an agent does, and whether it says that it is blocked.
fn acts(seed: u64, call: &Call, judged: u64, given_back: bool) -> (Vec<Act>, bool) {
    use Act::{CommitAll, EditConfig, Remove, Rewrite, Switch, Tag, Write};
    let goal = call.unit.as_str();
    let spread = goal.bytes().map(u64::from).sum::<u64>();
    // Whoever is asked again by a person gets it right, and so does a third agent. A person gives a goal
    // all its attempts back over what a death left, and goes on with kept work only once: how often it
    // was judged before differs then, and nothing else may.
    let right = given_back || judged >= 2;
    let rng = Rng::new(seed ^ (spread << 8));
    let kind = if right { rng.fork(99).below(3) } else { rng.fork(judged).below(10) };
    let number = if right { String::new() } else { judged.to_string() };
    let handoff = |word: &str| {
        let text = format!(
            "---\ntimestamp: \"2026-02-09T05:30:00+00:00\"\nstatus: {word}\ngoal_id: {goal}\n---\n\n## Done\n- it\n"
        );
        Write(call.handoff_path.clone().unwrap_or_default(), text)
    };
    let work = |text: &str| {
        let own = Write(code(goal), format!("{text} {number}"));
        vec![own, Write(format!("src/new-{goal}"), "new".to_owned()), handoff("complete")]
    };
    let and = |more: Vec<Act>| work("fine").into_iter().chain(more).collect();
    match kind {
        0 => (work("fine"), false),
        1 => (and(vec![CommitAll]), false),
        2 => (and(vec![Remove("src/gone")]), false),
        3 => (vec![Write(code(goal), "half".to_owned()), handoff("blocked")], true),
        4 => (work("bug"), false),
        5 => (and(vec![Write("other/file".to_owned(), "outside".to_owned()), CommitAll]), false),
        6 => (and(vec![Rewrite]), false),
        7 => (and(vec![Tag, EditConfig]), false),
        8 => (and(vec![Switch, CommitAll]), false),
        _ => (and(vec![Write(".ai/goals.yaml".to_owned(), "goals: []".to_owned())]), false),
    }
}

fn act(machine: &mut Machine, act: &Act) {
    match act {
        Act::Write(path, text) => {
            machine.files.insert(path.clone(), text.as_bytes().to_vec());
        }
        Act::Remove(path) => {
            machine.files.remove(*path);
        }
        // Where a power cut takes the commit and leaves the ref, git itself refuses to go on.
        Act::CommitAll => {
            machine.commit_all("the agent's");
            machine.sync();
        }
        Act::Rewrite => {
            let head = machine.head.clone();
            machine.refs.remove(&head);
            machine.commit_all("a new beginning");
            machine.sync();
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

impl Hands<'_> {
    pub(super) fn perform(&mut self, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Git(step) => EffectResult::Git(perform(&mut self.workspace, step)),
            Effect::Call(call) => EffectResult::Call(match self.work(call) {
                Ok(true) => CallResult::Blocked { reason: "no key".to_owned() },
                Ok(false) => CallResult::Completed(Answer::default()),
                Err(_) => CallResult::Cancelled,
            }),
            Effect::Check(_) => {
                let machine = self.workspace.machine.borrow();
                let mut code = machine.files.iter().filter(|(path, _)| path.starts_with("src/"));
                let red = code.any(|(_, bytes)| bytes.starts_with(b"bug"));
                let end = if red { TestEnd::Red { code: 1 } } else { TestEnd::Green };
                let (tail, counted) = ("E   bug".to_owned(), Default::default());
                EffectResult::Check(TestRun { end, tail, counted })
            }
            Effect::Lease(_) => {
                let held = self.workspace.operate(|_| LeaseResult::Held { fence: 1 });
                let dead = |problem: GitProblem| LeaseResult::Failed { why: problem.to_string() };
                EffectResult::Lease(held.unwrap_or_else(dead))
            }
            Effect::Tools(_) | Effect::Scan(_) | Effect::Worktree(_) | Effect::Within { .. } => {
                EffectResult::Tools(Vec::new())
            }
        }
    }

    fn work(&mut self, call: &Call) -> Result<bool, GitProblem> {
        let (judged, given_back) = (self.judged)(&call.unit);
        let (all, blocked) = acts(self.seed, call, judged, given_back);
        let mut wrote = Vec::new();
        for step in &all {
            self.workspace.operate(|machine| act(machine, step))?;
            if let Act::Write(path, _) = step {
                wrote.push(path.clone());
            }
        }
        let machine = self.workspace.machine.borrow();
        let ours = wrote.into_iter().filter(|path| path != ".ai/goals.yaml");
        let left = ours.filter_map(|path| Some((path.clone(), machine.files.get(&path)?.clone())));
        self.left.push(left.collect());
        Ok(blocked)
    }
}
