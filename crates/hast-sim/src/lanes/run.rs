//! Runs goals in lanes to their end through a planned disaster, and looks at what is left.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::attempt::recovery::StartFrom;
use hast_flow::attempt::settle::Commits;
use hast_flow::attempt::worktrees::LANES;
use hast_flow::docs::goals::{Minutes, OnRedBase};
use hast_flow::flows::goals::auto::lanes::LanesFlow;
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, RunBounds, Settings};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::Ending;
use hast_flow::store::DocPath;
use jiff::tz::Offset;

use super::hands::{
    AGENTS_COMMIT, AnyOrder, Claims, GOALS, Hands, Kind, grows, is_red, kind, tests_left_nothing,
    work,
};
use crate::flows::person::{Person, words_of};
use crate::flows::{Blow, Case, Name, Report};
use crate::git::lives::{BLOWS, Life, Place, outlive};
use crate::git::{Machine, Object, RoomFault, Syncing};
use crate::planted::Planted;
use crate::rng::Rng;

/// What keeps a run whole, and what a sweep shows by leaving it out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) fault: RoomFault,
    pub(super) syncing: Syncing,
    /// Whether one case that diverged is all that is wanted.
    pub(super) first_is_enough: bool,
}

const KEPT: Rules = Rules { fault: RoomFault::None, syncing: Syncing::All, first_is_enough: false };

impl Rules {
    fn of(planted: Option<Planted>) -> Self {
        let fault = match planted {
            Some(Planted::Rooms) => RoomFault::NoReset,
            Some(Planted::Merge) => RoomFault::BranchOnly,
            _ => RoomFault::None,
        };
        Self { fault, first_is_enough: planted.is_some(), ..KEPT }
    }
}

/// Hits lanes at every `every`-th operation of disk, repository and work trees with each blow.
pub fn sweep(seed: u64, every: u64, report: &mut Report) {
    sweep_with(seed, every, Rules::of(report.planted), report);
}

fn sweep_with(seed: u64, every: u64, rules: Rules, report: &mut Report) {
    let calm_case = Case { flow: Name::Worktrees, seed, blow: None, at: 0 };
    let calm = match run(calm_case, rules, Person::default(), report) {
        Ok(calm) => calm,
        Err(why) => return report.diverged.push((calm_case, why)),
    };
    report.looked_at(&calm.read);
    let wanted: Vec<Blow> = BLOWS.into_iter().filter(|blow| report.wants(*blow)).collect();
    let places = (1 + seed % every..=calm.operations).step_by(usize::try_from(every).unwrap_or(1));
    for at in places {
        for blow in &wanted {
            let case = Case { blow: Some(*blow), at, ..calm_case };
            let person = Person::of_any(case, &calm.read);
            if let Err(why) = run(case, rules, person, report) {
                report.diverged.push((case, why));
            }
        }
        if rules.first_is_enough && !report.diverged.is_empty() {
            return;
        }
    }
}

/// Runs one case again.
pub fn replay(case: Case, report: &mut Report) {
    let calm = Case { blow: None, at: 0, ..case };
    let ended = run(calm, KEPT, Person::default(), report).map_err(|why| (calm, why));
    let hit = ended.and_then(|calm| {
        let person = Person::of_any(case, &calm.read);
        run(case, KEPT, person, report).map_err(|why| (case, why))
    });
    report.diverged.extend(hit.err());
}

/// What a run took.
struct Ended {
    operations: u64,
    /// Documents that the flow has looked at.
    read: Vec<DocPath>,
}

const USERS: &[(&str, &str)] =
    &[("notes.log", "mine"), ("target/user", "mine"), ("rules.md", "edited, not committed")];

fn goals() -> String {
    let row = |goal: &&str| format!("  - id: {goal}\n    title: Goal {goal}\n    status: active\n");
    format!("goals:\n{}", GOALS.iter().map(row).collect::<String>())
}

fn machine(rules: Rules) -> Machine {
    let mut files = crate::git::contract::FILES.to_vec();
    let goals = goals();
    files.push((".ai/goals.yaml", &goals));
    let mut machine = Machine::new(&files);
    machine.syncing = rules.syncing;
    for (path, text) in USERS {
        machine.files.insert((*path).to_owned(), text.as_bytes().to_vec());
    }
    machine
}

fn flow(seed: u64, life: u64) -> LanesFlow {
    let auto = AutoFlow {
        run: format!("run-{life}"),
        asked: Asked { goal: None, depth: Depth::Leaves },
        settings: Settings {
            test_command: "true".into(),
            timeout_minutes: Minutes::new(30),
            max_retries: 3,
            max_context_bytes: 120_000,
            commits: Commits::Auto,
            on_red_base: OnRedBase::Warn,
            protect: Vec::new(),
            other_roots: Vec::new(),
            max_saved_file_bytes: 1 << 20,
            max_saved_bytes: 1 << 30,
            setup: None,
            keep: Vec::new(),
            offset: Offset::UTC,
        },
        running: None,
        not_ready: None,
        from: StartFrom::Base,
        cut_off: CutOff::Interruption,
        bounds: RunBounds::default(),
    };
    LanesFlow {
        auto,
        width: if seed.is_multiple_of(2) { 2 } else { 3 },
        setup: None,
        copy: Vec::new(),
        limited: Vec::new(),
        delivery: None,
    }
}

fn run(case: Case, rules: Rules, person: Person, report: &mut Report) -> Result<Ended, String> {
    let claims = Claims::default();
    let lives = Cell::new(0);
    let live = |place: &Place, effects: &mut u64| {
        lives.set(lives.get() + 1);
        live(place, case.seed, lives.get(), rules, &claims, effects)
    };
    let goals = goals();
    let documents = [("goals.yaml", goals.as_str()), ("rules.md", "- rules\n")];
    let (place, _) = outlive(case, machine(rules), USERS, &documents, person, report, live)?;
    // What comes of goals that a person spoiled is theirs.
    if !place.person.spoils() {
        nothing_is_left(&place, &claims)?;
        every_goal_is_done_once(&place, case.seed)?;
    }
    the_branch_was_never_red(&place)?;
    tests_left_nothing(&place.machine.borrow())?;
    let operations = place.world.borrow().operations;
    Ok(Ended { operations, read: place.read() })
}

fn live(
    place: &Place,
    seed: u64,
    life: u64,
    rules: Rules,
    claims: &Claims,
    effects: &mut u64,
) -> Life {
    let driven = place.live_in(&flow(seed, life), 4_000, |workspace| AnyOrder {
        hands: Hands {
            workspace,
            world: Rc::clone(&place.world),
            claims: Rc::clone(claims),
            agent: Rc::new(move |workspace, call| work(seed, workspace, call)),
            fault: rules.fault,
        },
        chance: Rng::new(seed).fork(1_000),
        effects,
        asked: Vec::new(),
        done: Vec::new(),
    });
    match driven {
        Ok(Ending::Done(_)) => Life::Ended("done"),
        Ok(ending) => Life::Stuck(words_of(&ending)),
        Err(error) => Life::Stuck(error.to_string()),
    }
}

fn nothing_is_left(place: &Place, claims: &Claims) -> Result<(), String> {
    let machine = place.machine.borrow();
    if let Some(tree) = machine.rooms.keys().next() {
        return Err(format!("the room of {tree} is left"));
    }
    if let Some(name) = machine.refs.keys().find(|name| name.starts_with(LANES)) {
        return Err(format!("{name} is left"));
    }
    match claims.borrow().keys().next() {
        Some(goal) => Err(format!("{goal} is still claimed")),
        None => Ok(()),
    }
}

/// A commit of hast for each goal, but where the agent has committed by itself and left nothing to
/// commit: then it is the agent's, whatever hit the run.
fn commits_are_right(history: &[String], seed: u64) -> Result<(), String> {
    let mut agents = 0;
    for goal in GOALS {
        let prefix = format!("feat({goal})");
        let commits = history.iter().filter(|message| message.starts_with(&prefix)).count();
        let by_agent = kind(seed, goal) == Kind::Commits;
        if commits != usize::from(!by_agent) {
            return Err(format!("{commits} commits of {goal}: {history:?}"));
        }
        agents += usize::from(by_agent);
    }
    let there = history.iter().filter(|message| *message == AGENTS_COMMIT).count();
    if there == agents { Ok(()) } else { Err(format!("commits of agents: {history:?}")) }
}

fn every_goal_is_done_once(place: &Place, seed: u64) -> Result<(), String> {
    let documents = place.world.borrow().documents();
    let text = |path: &str| {
        String::from_utf8_lossy(documents.get(path).map(Vec::as_slice).unwrap_or_default())
            .into_owned()
    };
    let wanted = goals().replace("active", "done");
    if text("goals.yaml") != wanted {
        return Err(format!("goals.yaml: {}", text("goals.yaml")));
    }
    let machine = place.machine.borrow();
    let history = machine.history();
    commits_are_right(&history, seed)?;
    let log = text("events/events.ndjson");
    for goal in GOALS {
        let about = format!("\"goal_id\":\"{goal}\"");
        let told = log.lines().filter(|line| line.contains("GOAL_DONE") && line.contains(&about));
        if told.count() != 1 {
            return Err(format!("{goal} is not done once"));
        }
    }
    let mut users = machine.files.clone();
    let head: BTreeMap<String, Vec<u8>> = {
        let tip = machine.refs.get(&machine.head).cloned();
        let tree = tip.map(|tip| machine.tree(&tip)).unwrap_or_default();
        let blob = |(path, id): (String, _)| match machine.get(&id) {
            Some(Object::Blob(bytes)) => Some((path, bytes.clone())),
            _ => None,
        };
        tree.into_iter().filter_map(blob).collect()
    };
    for goal in GOALS {
        if head.get(&format!("src/{goal}")) != Some(&format!("{goal} fine\n").into_bytes()) {
            return Err(format!("the work of {goal} is not on the branch"));
        }
    }
    for goal in GOALS {
        let Some(path) = grows(kind(seed, goal), goal) else { continue };
        let text = String::from_utf8_lossy(head.get(&path).map_or(&[][..], |text| text));
        let lines = text.lines().filter(|line| *line == goal).count();
        if lines != 1 {
            return Err(format!("{path} has the line of {goal} {lines} times"));
        }
    }
    for (path, _) in crate::git::contract::FILES {
        if !head.contains_key(*path) {
            return Err(format!("{path} went from the branch"));
        }
    }
    let mut committed = head;
    for path in USERS.iter().map(|(path, _)| *path).chain([".ai/goals.yaml"]) {
        users.remove(path);
        committed.remove(path);
    }
    let mut paths = users.keys().chain(committed.keys());
    match paths.find(|path| users.get(*path) != committed.get(*path)) {
        Some(path) => Err(format!("{path} in the checkout is not what the branch has")),
        None => Ok(()),
    }
}

fn the_branch_was_never_red(place: &Place) -> Result<(), String> {
    let machine = place.machine.borrow();
    let Some(tip) = machine.refs.get(&machine.head) else { return Err("no branch".to_owned()) };
    for commit in machine.ancestry(tip) {
        let files: Vec<Vec<u8>> = machine
            .tree(&commit)
            .values()
            .filter_map(|id| match machine.get(id) {
                Some(Object::Blob(bytes)) => Some(bytes.clone()),
                _ => None,
            })
            .collect();
        if is_red(files.iter()) {
            return Err(format!("{commit} is on the branch and its tests are red"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(report: &Report) -> Vec<String> {
        report.diverged.iter().take(5).map(|(case, why)| format!("{case}: {why}")).collect()
    }

    fn swept(seeds: std::ops::Range<u64>, every: u64, rules: Rules) -> Report {
        let mut report = Report::default();
        for seed in seeds {
            sweep_with(seed, every, rules, &mut report);
        }
        report
    }

    #[test]
    fn lanes_hit_at_any_operation_end_with_every_goal_done_once_and_nothing_left() {
        let report = swept(1..7, 121, KEPT);
        assert_eq!(told(&report), Vec::<String>::new());
        assert!(report.crashes > 100, "{report:?}");
    }

    #[test]
    fn agents_and_users_of_every_kind_take_part() {
        let kinds: Vec<Kind> = (1..7).flat_map(super::super::hands::kinds).collect();
        for wanted in [Kind::Plain, Kind::Commits, Kind::WrongAtFirst, Kind::Shares, Kind::Beside] {
            assert!(kinds.contains(&wanted), "{wanted:?} is missing in {kinds:?}");
        }
        let sharing = |seed| {
            super::super::hands::kinds(seed).iter().filter(|kind| **kind == Kind::Shares).count()
        };
        assert_eq!((1..1_000).map(sharing).max(), Some(2));
    }

    #[test]
    fn a_commit_of_an_agent_that_is_lost_is_found() {
        let seed = (1..).find(|seed| kind(*seed, "A") == Kind::Commits).unwrap();
        let others: Vec<String> = GOALS
            .iter()
            .filter(|goal| **goal != "A")
            .map(|goal| match kind(seed, goal) {
                Kind::Commits => AGENTS_COMMIT.to_owned(),
                _ => format!("feat({goal}): x"),
            })
            .collect();
        let with = |message: &str| [others.clone(), vec![message.to_owned()]].concat();
        assert_eq!(commits_are_right(&with(AGENTS_COMMIT), seed), Ok(()));
        assert!(commits_are_right(&with("feat(A): x"), seed).is_err());
        assert!(commits_are_right(&others, seed).is_err());
    }

    /// A sweep that cannot fail is worth nothing.
    #[test]
    fn a_room_that_is_not_reset_between_attempts_is_found() {
        let fault = RoomFault::NoReset;
        let tries_again =
            |seed: &u64| super::super::hands::kinds(*seed).contains(&Kind::WrongAtFirst);
        let seed = (1..).find(tries_again).unwrap();
        let report = swept(seed..seed + 1, 97, Rules { fault, first_is_enough: true, ..KEPT });
        let (_, why) = report.diverged.first().unwrap();
        assert!(why.starts_with("src/lines-") && why.ends_with(" 2 times"), "{why}");
    }

    #[test]
    fn without_syncs_a_power_cut_loses_work_and_the_sweep_finds_it() {
        let syncing = Syncing::Off;
        let report = swept(1..2, 11, Rules { syncing, first_is_enough: true, ..KEPT });
        let by_power = |(case, _): &(Case, String)| case.blow.is_some_and(Blow::cuts_power);
        assert!(report.diverged.iter().all(by_power), "{:?}", told(&report));
        assert!(!report.diverged.is_empty());
    }
}
