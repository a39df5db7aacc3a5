//! Agents of every kind. What one does follows from the seed, the goal and how often the goal was
//! judged before; its work is many operations, and death may find it half done.

use std::collections::BTreeMap;

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::steps::{Answer, Call, CallResult, Place};

use crate::git::{Machine, SimWorkspace};
use crate::lanes::hands::{AGENTS_COMMIT, last_part};
use crate::rng::Rng;

enum Act {
    Write(String, String),
    Remove(&'static str),
    CommitAll,
    /// The history begins anew.
    Rewrite,
}

/// The path of a goal's code; the tests look for the word `bug` in any.
fn code(goal: &str) -> String {
    format!("src/{goal}.py")
}

/// What an agent does, and whether it says that it is blocked.
fn acts(seed: u64, call: &Call, judged: u64, given_back: bool) -> (Vec<Act>, bool) {
    use Act::{CommitAll, Remove, Rewrite, Write};
    let goal = call.unit.as_str();
    let spread = goal.bytes().map(u64::from).sum::<u64>();
    // Whoever is asked again by a person gets it right, and so does a third agent. A person gives a goal
    // all its attempts back over what a death left: how often it was judged before differs then, and
    // nothing else may.
    let right = given_back || judged >= 2;
    let rng = Rng::new(seed ^ (spread << 8));
    let kind = if right { rng.fork(99).below(3) } else { rng.fork(judged).below(8) };
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
        _ => (and(vec![Write(".ai/goals.yaml".to_owned(), "goals: []".to_owned())]), false),
    }
}

fn act(machine: &mut Machine, room: &str, act: &Act) {
    match act {
        Act::Write(path, text) => {
            machine.files_in_mut(Some(room)).insert(path.clone(), text.as_bytes().to_vec());
        }
        Act::Remove(path) => {
            machine.files_in_mut(Some(room)).remove(*path);
        }
        Act::CommitAll => {
            machine.commit_all_in(room, AGENTS_COMMIT);
        }
        Act::Rewrite => {
            machine.rooms.entry(room.to_owned()).or_default().own_head = None;
            machine.commit_all_in(room, "a new beginning");
        }
    }
}

/// Files by their paths.
pub(super) type Left = BTreeMap<String, Vec<u8>>;

/// Works on a goal that was judged so often and perhaps given back by a person; tells what it left.
pub(super) fn work(
    workspace: &SimWorkspace,
    call: &Call,
    seed: u64,
    (judged, given_back): (u64, bool),
) -> Result<(CallResult, Left), GitProblem> {
    let completed = CallResult::Completed(Answer::default());
    let Place::Worktree(path) = &call.place else { return Ok((completed, Left::new())) };
    let room = last_part(path);
    let inside = workspace.inside(room);
    let (all, blocked) = acts(seed, call, judged, given_back);
    let mut wrote = Vec::new();
    for step in &all {
        inside.operate(|machine| act(machine, room, step))?;
        if let Act::Write(path, _) = step {
            wrote.push(path.clone());
        }
    }
    inside.operate(Machine::sync_rooms)?;
    let machine = inside.machine.borrow();
    let files = machine.files_in(Some(room));
    let ours = wrote.into_iter().filter(|path| path != ".ai/goals.yaml");
    let left = ours.filter_map(|path| Some((path.clone(), files.get(&path)?.clone()))).collect();
    let blocks = CallResult::Blocked { reason: "no key".to_owned() };
    Ok((if blocked { blocks } else { completed }, left))
}
