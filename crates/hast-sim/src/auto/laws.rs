//! Consistency checks for simulated runs of `auto`, however a run got to its end. The module also
//! takes from each end what must be equal in two of them.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::worktrees::LANES;
use hast_flow::docs::goals::{GoalsEvent, GoalsEventKind as Kind};
use serde_json::Value;

use crate::flows::holding::{log, numbers_grow, steps_end_once};
use crate::flows::subject::Files;
use crate::git::{Machine, Object};

/// The goals, as git sees them.
const GOALS: &str = ".ai/goals.yaml";
pub(super) const EVENTS: &str = "events/events.ndjson";

/// Files of the user that git ignores.
pub(super) const USERS: &[(&str, &str)] = &[("notes.log", "mine"), ("target/user", "mine")];

/// At every moment the user's files are theirs.
pub(super) fn users_files(machine: &Machine) -> Result<(), String> {
    for (path, text) in USERS {
        if machine.files.get(*path).is_none_or(|now| now != text.as_bytes()) {
            return Err(format!("the user's {path} is lost"));
        }
    }
    Ok(())
}

/// Whenever a process has ended by itself: the log counts on, no step ended twice, the tests ran on no
/// base twice, no goal passed twice or without a verdict.
pub(super) fn documents_hold(documents: &Files) -> Result<(), String> {
    let (events, bad) = log::<GoalsEvent>(documents, EVENTS);
    numbers_grow(&events.iter().map(|event| event.event_id.number()).collect::<Vec<_>>(), bad)?;
    // The tests on the base are a step of the attempt that would begin; on another tree they run anew.
    let may_again = |step: &str| step.starts_with("retry/") || step.ends_with("/base-tests");
    steps_end_once(documents, may_again)?;
    let (mut passed, mut done) = (BTreeSet::new(), BTreeSet::new());
    let mut tested = BTreeSet::new();
    for event in &events {
        let text = |key: &str| event.detail.get(key).and_then(Value::as_str).unwrap_or_default();
        let goal = text("goal_id").to_owned();
        match event.kind {
            Kind::BaseTested if !tested.insert((text("tree"), text("command"))) => {
                return Err(format!("the tests ran twice on the base of {goal}"));
            }
            Kind::AttemptJudged if text("class").starts_with("complete") => {
                passed.insert(goal);
            }
            Kind::GoalDone if !passed.contains(&goal) => {
                return Err(format!("{goal} is done and no gate has passed it"));
            }
            Kind::GoalDone if !done.insert(goal.clone()) => {
                return Err(format!("{goal} is done twice"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whatever an agent had left when it ended is in a tree that a ref leads to.
pub(super) fn nothing_is_lost(
    machine: &Machine,
    left: &[BTreeMap<String, Vec<u8>>],
) -> Result<(), String> {
    let mut kept: BTreeSet<(String, Vec<u8>)> = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for id in machine.refs.values() {
        for commit in machine.ancestry(id) {
            if !seen.insert(commit.clone()) {
                continue;
            }
            for (path, blob) in machine.tree(&commit) {
                if let Some(Object::Blob(bytes)) = machine.get(&blob) {
                    kept.insert((path, bytes.clone()));
                }
            }
        }
    }
    for (path, bytes) in left.iter().flatten() {
        if !kept.contains(&(path.clone(), bytes.clone())) {
            return Err(format!("{path} of an agent is on no ref"));
        }
    }
    Ok(())
}

/// Rooms and their refs go with their goals.
pub(super) fn nothing_is_open(machine: &Machine) -> Result<(), String> {
    let refs = machine.refs.keys().find(|name| name.starts_with(LANES));
    match machine.rooms.keys().next().or(refs) {
        Some(left) => Err(format!("{left} is left")),
        None => Ok(()),
    }
}

/// Each status change ends up in a commit, whoever was killed over it.
pub(super) fn status_is_committed(machine: &Machine) -> Result<(), String> {
    let committed = machine.refs.get(&machine.head).map(|head| machine.tree(head));
    let blob = committed.and_then(|tree| tree.get(GOALS).cloned());
    match (blob.and_then(|id| machine.get(&id).cloned()), machine.files.get(GOALS)) {
        (Some(Object::Blob(committed)), Some(now)) if committed == *now => Ok(()),
        _ => Err("the status of a goal is in no commit".to_owned()),
    }
}

/// What two ends must agree on: goals, files, and what was committed. Not its order, for a person
/// gives goals back when they are told; not the numbers of attempts, for one that was cut off has a
/// number too; not the commits of the status, for nothing stops where one cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Essence {
    goals: String,
    files: BTreeMap<String, Vec<u8>>,
    commits: Vec<String>,
    /// Goals and classes, sorted: no attempt is judged for what cut it off.
    verdicts: Vec<String>,
    foreign: BTreeSet<String>,
}

pub(super) fn essence(documents: &Files, machine: &Machine) -> Essence {
    let goals = documents.get("goals.yaml").map(|text| String::from_utf8_lossy(text).into_owned());
    let unnumbered = |message: &String| {
        let kept = message.lines().filter(|line| !line.starts_with("Hast-Attempt"));
        kept.collect::<Vec<_>>().join("\n")
    };
    let ours = |name: &&String| !name.starts_with("refs/hast/") && !name.contains("/hast/kept/");
    let work = |message: &&String| !message.starts_with("chore(");
    let mut commits: Vec<String> = machine.history().iter().filter(work).map(unnumbered).collect();
    commits.sort();
    let (events, _) = log::<GoalsEvent>(documents, EVENTS);
    let judged = events.iter().filter(|event| event.kind == Kind::AttemptJudged);
    let mut verdicts: Vec<String> = judged
        .map(|event| {
            let text = |key: &str| event.detail.get(key).and_then(Value::as_str);
            [text("goal_id"), text("class")].into_iter().flatten().collect::<Vec<_>>().join(" ")
        })
        .collect();
    verdicts.sort();
    // Names of handoffs tell in which order goals were done.
    let mut files = machine.files.clone();
    files.retain(|path, _| !path.starts_with(".ai/handoffs/"));
    Essence {
        goals: goals.unwrap_or_default(),
        files,
        commits,
        verdicts,
        foreign: machine.refs.keys().filter(ours).cloned().collect(),
    }
}

impl Essence {
    pub(super) fn same(&self, other: &Self) -> Result<(), String> {
        let differs = |what: &str, one: String, two: String| {
            if one == two { Ok(()) } else { Err(format!("{what}: {one} and not {two}")) }
        };
        differs("goals", other.goals.clone(), self.goals.clone())?;
        differs("commits", format!("{:?}", other.commits), format!("{:?}", self.commits))?;
        differs("verdicts", format!("{:?}", other.verdicts), format!("{:?}", self.verdicts))?;
        differs("refs", format!("{:?}", other.foreign), format!("{:?}", self.foreign))?;
        let named = |end: &Self| {
            let text = |(path, bytes): (&String, &Vec<u8>)| {
                format!("{path}={}", String::from_utf8_lossy(bytes))
            };
            end.files.iter().map(text).collect::<Vec<_>>().join(";")
        };
        differs("files", named(other), named(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: u32, kind: &str, detail: &str) -> String {
        format!(
            "{{\"event_id\":\"EV-20260209T053000Z-{number:04}\",\"ts\":\"2026-02-09T05:30:00Z\",\"actor\":\"controller\",\"type\":\"{kind}\",\"detail\":{detail}}}\n"
        )
    }

    fn machine() -> Machine {
        let mut machine = Machine::new(&[("src/a", "1")]);
        for (path, text) in USERS {
            machine.files.insert((*path).to_owned(), text.as_bytes().to_vec());
        }
        machine
    }

    /// The laws are worth nothing if they cannot be broken.
    #[test]
    fn a_goal_that_no_gate_passed_or_that_passed_twice_is_found() {
        let judged = event(1, "ATTEMPT_JUDGED", r#"{"goal_id":"M1","class":"complete"}"#);
        let done = |number| event(number, "GOAL_DONE", r#"{"goal_id":"M1"}"#);
        let held = |text: String| {
            documents_hold(&BTreeMap::from([(EVENTS.to_owned(), text.into_bytes())]))
        };
        assert_eq!(held(judged.clone() + &done(2)), Ok(()));
        assert!(held(done(1)).is_err());
        assert!(held(judged + &done(2) + &done(3)).is_err());
    }

    #[test]
    fn a_commit_of_an_agent_that_is_lost_is_found() {
        let ended = |message: &str| {
            let mut machine = machine();
            machine.files.insert("src/b".to_owned(), b"2".to_vec());
            machine.commit_all(message);
            essence(&Files::new(), &machine)
        };
        let (calm, hit) = (ended("the agent's"), ended("feat(M1): Login"));
        assert_eq!(calm.same(&calm), Ok(()));
        let why = calm.same(&hit).unwrap_err();
        assert!(why.starts_with("commits: "), "{why}");
    }

    #[test]
    fn lost_work_lost_files_of_the_user_and_an_uncommitted_status_are_found() {
        let mut machine = machine();
        let left = vec![BTreeMap::from([("src/b".to_owned(), b"2".to_vec())])];
        assert!(nothing_is_lost(&machine, &left).is_err());
        machine.files.insert("src/b".to_owned(), b"2".to_vec());
        machine.commit_all("kept");
        assert_eq!(nothing_is_lost(&machine, &left), Ok(()));
        machine.files.insert(GOALS.to_owned(), b"one".to_vec());
        machine.commit_all("status");
        assert_eq!(status_is_committed(&machine), Ok(()));
        machine.files.insert(GOALS.to_owned(), b"two".to_vec());
        assert!(status_is_committed(&machine).is_err());
        machine.files.remove("notes.log");
        assert!(users_files(&machine).is_err());
    }
}
