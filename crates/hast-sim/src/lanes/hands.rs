//! Simulated workers of lanes: agents, the user and tests, and the code that performs the flow's
//! effects. Effects of several lanes may come in any order.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, perform};
use hast_flow::attempt::worktrees::{self, TreeName};
use hast_flow::driver;
use hast_flow::leases::{LeaseResult, LeaseStep};
use hast_flow::steps::{
    Answer, Call, CallResult, Effect, EffectResult, Place, Scan, Scanned, StepKey,
};
use hast_flow::store::DocPath;

use crate::disk::World;
use crate::git::{Machine, Object, RoomFault, SimRoom, SimWorkspace, SimWorktrees};
use crate::rng::Rng;

/// What is claimed, for as long as the machine lasts.
pub(crate) type Claims = Rc<RefCell<BTreeMap<String, u64>>>;

pub(super) const GOALS: [&str; 3] = ["A", "B", "C"];

/// The message of an agent that commits by itself.
pub(crate) const AGENTS_COMMIT: &str = "the agent's";

/// Files that every run of the tests writes: a report, a cache that git ignores, and one that git knows.
const WRITTEN_BY_TESTS: [&str; 3] = ["report.xml", "target/cache", "src/gone"];
const LEFT_BY_TESTS: &[u8] = b"left by the tests";

/// Nothing that the tests wrote gets onto the branch or into the user's checkout.
pub(crate) fn tests_left_nothing(machine: &Machine) -> Result<(), String> {
    let tip = machine.refs.get(&machine.head);
    let commits = tip.map(|tip| machine.ancestry(tip)).unwrap_or_default();
    let is_left =
        |id: &_| matches!(machine.get(id), Some(Object::Blob(text)) if text == LEFT_BY_TESTS);
    for commit in &commits {
        let tree = machine.tree(commit);
        if let (Some((path, _)), Some(Object::Commit { message, .. })) =
            (tree.iter().find(|(_, id)| is_left(id)), machine.get(commit))
        {
            return Err(format!("{path} was left by the tests, and is in {message:?}"));
        }
    }
    match machine.files.iter().find(|(_, text)| *text == LEFT_BY_TESTS) {
        Some((path, _)) => Err(format!("{path} was left by the tests, and is in the checkout")),
        None => Ok(()),
    }
}

/// How an agent goes about a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// It commits by itself.
    Commits,
    /// Its first attempt fails the tests.
    WrongAtFirst,
    /// It changes a file that others change too.
    Shares,
    /// The user commits something while it works.
    Beside,
}

/// The kinds of all goals of a seed. Two of them share a file in every third seed, and never three:
/// the third would meet two conflicts, and a second conflict is for a person and not done.
pub(super) fn kinds(seed: u64) -> [Kind; 3] {
    let all = [Kind::Plain, Kind::Commits, Kind::WrongAtFirst, Kind::Shares, Kind::Beside];
    let drawn = |number: usize| all[Rng::new(seed).fork(number as u64).below(all.len())];
    let first = |number| if seed.is_multiple_of(3) { Kind::Shares } else { drawn(number) };
    let (a, b, c) = (first(0), first(1), drawn(2));
    let three = [a, b, c].iter().all(|kind| *kind == Kind::Shares);
    [a, b, if three { Kind::Plain } else { c }]
}

pub(super) fn kind(seed: u64, goal: &str) -> Kind {
    let number = GOALS.iter().position(|known| *known == goal).unwrap_or(0);
    kinds(seed)[number]
}

/// Whoever is called: works in the room that the call names.
pub(crate) type Agent = Rc<dyn Fn(&SimWorkspace, &Call) -> Result<CallResult, GitProblem>>;

pub(crate) struct Hands {
    pub(crate) workspace: SimWorkspace,
    pub(crate) world: Rc<RefCell<World>>,
    pub(crate) claims: Claims,
    pub(crate) agent: Agent,
    pub(crate) fault: RoomFault,
}

impl Hands {
    pub(crate) fn perform(&mut self, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Git(step) => {
                self.goals_are_here_too();
                EffectResult::Git(perform(&mut self.workspace, step))
            }
            Effect::Worktree(step) => {
                let mut trees = SimWorktrees::new(self.workspace.clone(), self.fault);
                EffectResult::Worktree(worktrees::perform(&mut trees, step))
            }
            Effect::Within { tree, effect } => self.within(last_part(tree), effect),
            Effect::Lease(step) => EffectResult::Lease(self.lease(step)),
            Effect::Call(call) => {
                let answer = (self.agent)(&self.workspace, call);
                EffectResult::Call(answer.unwrap_or(CallResult::Cancelled))
            }
            Effect::Scan(scan) => EffectResult::Scan(Ok(self.scanned(scan))),
            Effect::Check(_) | Effect::Tools(_) => EffectResult::Tools(Vec::new()),
        }
    }

    /// Documents and the user's checkout are two places here and one in the world.
    fn goals_are_here_too(&self) {
        let path = DocPath::new("goals.yaml").ok();
        let goals = path.and_then(|path| self.world.borrow().content(&path).map(<[u8]>::to_vec));
        if let Some(goals) = goals {
            self.workspace.machine.borrow_mut().files.insert(".ai/goals.yaml".to_owned(), goals);
        }
    }

    fn scanned(&self, scan: &Scan) -> Vec<Scanned> {
        let world = self.world.borrow();
        let file = |path: &DocPath| {
            let head = world.content(path)?.to_vec();
            Some(Scanned { path: path.clone(), size: head.len() as u64, head })
        };
        scan.paths.iter().filter_map(file).collect()
    }

    fn within(&self, tree: &str, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Git(step) => EffectResult::Git(match self.room(tree) {
                Ok(mut room) => perform(&mut room, step),
                Err(problem) => GitResult::Refused(problem),
            }),
            Effect::Check(_) => {
                self.leave_files(tree);
                let machine = self.workspace.machine.borrow();
                let red = is_red(machine.files_in(Some(tree)).values());
                let end = if red { TestEnd::Red { code: 1 } } else { TestEnd::Green };
                EffectResult::Check(TestRun {
                    end,
                    tail: String::new(),
                    counted: Default::default(),
                })
            }
            _ => EffectResult::Tools(Vec::new()),
        }
    }

    /// Tests write files. Nobody asks them whether they could.
    fn leave_files(&self, tree: &str) {
        for path in WRITTEN_BY_TESTS {
            let _: Result<_, GitProblem> = self.workspace.inside(tree).operate(|machine| {
                let files = machine.files_in_mut(Some(tree));
                files.insert(path.to_owned(), LEFT_BY_TESTS.to_vec())
            });
        }
    }

    fn room(&self, tree: &str) -> Result<SimRoom, GitProblem> {
        let trees = SimWorktrees::new(self.workspace.clone(), self.fault);
        let lost = || GitProblem::Lost { what: tree.to_owned() };
        trees.workspace(&TreeName::read(tree).ok_or_else(lost)?)
    }

    fn lease(&self, step: &LeaseStep) -> LeaseResult {
        let claims = Rc::clone(&self.claims);
        let done = self.workspace.operate(|_| match step {
            LeaseStep::Claim { unit } | LeaseStep::Keep { unit } => {
                let mut claims = claims.borrow_mut();
                let next = claims.values().max().map_or(1, |fence| fence + 1);
                LeaseResult::Held { fence: *claims.entry(unit.clone()).or_insert(next) }
            }
            LeaseStep::Release { unit } => {
                claims.borrow_mut().remove(unit);
                LeaseResult::Released
            }
        });
        done.unwrap_or_else(|problem| LeaseResult::Failed { why: problem.to_string() })
    }
}

/// An agent's work is many operations: death may find it half done.
pub(super) fn work(
    seed: u64,
    workspace: &SimWorkspace,
    call: &Call,
) -> Result<CallResult, GitProblem> {
    let done = Ok(CallResult::Completed(Answer::default()));
    let Place::Worktree(path) = &call.place else { return done };
    let (tree, goal) = (last_part(path), call.unit.as_str());
    let inside = workspace.inside(tree);
    let write = |path: &str, text: String| {
        let (path, tree) = (path.to_owned(), tree.to_owned());
        inside.operate(move |machine: &mut Machine| {
            machine.files_in_mut(Some(&tree)).insert(path, text.into_bytes());
        })
    };
    let kind = kind(seed, goal);
    let wrong = kind == Kind::WrongAtFirst && call.attempt == 1;
    let code = if wrong { "bug" } else { "fine" };
    write(&format!("src/{goal}"), format!("{goal} {code}\n"))?;
    if let Some(path) = grows(kind, goal) {
        let before = inside.machine.borrow().files_in(Some(tree)).get(&path).cloned();
        let before = String::from_utf8_lossy(&before.unwrap_or_default()).into_owned();
        write(&path, format!("{before}{goal}\n"))?;
    }
    if kind == Kind::Beside {
        inside.operate(|machine| {
            let path = format!("theirs-{goal}");
            if !machine.files.contains_key(&path) {
                machine.commit_file(&path, "theirs\n", &format!("theirs {goal}"));
            }
        })?;
    }
    let handoff = format!(
        "---\ntimestamp: \"2026-01-12T14:30:00+00:00\"\nstatus: complete\ngoal_id: {goal}\n---\n\n## Done\n- it\n"
    );
    write(call.handoff_path.as_deref().unwrap_or("handoff.md"), handoff)?;
    if kind == Kind::Commits {
        inside.operate(|machine| machine.commit_all_in(tree, AGENTS_COMMIT))?;
    }
    inside.operate(Machine::sync_rooms)?;
    done
}

/// The file to which an agent of a kind adds a line: what an attempt before it had added is gone.
pub(super) fn grows(kind: Kind, goal: &str) -> Option<String> {
    match kind {
        Kind::Shares => Some("src/shared".to_owned()),
        Kind::WrongAtFirst => Some(format!("src/lines-{goal}")),
        Kind::Plain | Kind::Commits | Kind::Beside => None,
    }
}

pub(crate) fn last_part(path: &DocPath) -> &str {
    path.as_str().rsplit('/').next().unwrap_or_default()
}

/// What the tests say about some files.
pub(super) fn is_red<'f>(mut files: impl Iterator<Item = &'f Vec<u8>>) -> bool {
    files.any(|bytes| bytes.windows(3).any(|part| part == b"bug"))
}

/// Does some things as soon as they are asked for, others when somebody waits, in the order of a seed.
pub(super) struct AnyOrder<'e> {
    pub(super) hands: Hands,
    pub(super) chance: Rng,
    pub(super) effects: &'e mut u64,
    pub(super) asked: Vec<(StepKey, Effect)>,
    pub(super) done: Vec<(StepKey, EffectResult)>,
}

impl driver::World for AnyOrder<'_> {
    fn begin(&mut self, key: &StepKey, effect: &Effect) {
        *self.effects += 1;
        if self.chance.percent(40) {
            let result = self.hands.perform(effect);
            self.done.push((key.clone(), result));
        } else {
            self.asked.push((key.clone(), effect.clone()));
        }
    }

    fn next(&mut self) -> Option<(StepKey, EffectResult)> {
        let all = self.asked.len() + self.done.len();
        if all == 0 {
            return None;
        }
        let chosen = self.chance.below(all);
        if chosen < self.asked.len() {
            let (key, effect) = self.asked.remove(chosen);
            let result = self.hands.perform(&effect);
            return Some((key, result));
        }
        Some(self.done.remove(chosen - self.asked.len()))
    }

    fn cancel(&mut self) {
        self.asked.clear();
    }
}
