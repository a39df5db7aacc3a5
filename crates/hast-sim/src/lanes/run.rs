//! Runs goals in lanes to their end through a planned disaster, and looks at what is left.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::attempt::recovery::StartFrom;
use hast_flow::attempt::settle::Commits;
use hast_flow::attempt::worktrees::LANES;
use hast_flow::flows::goals::auto::lanes::LanesFlow;
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, Settings};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::Ending;
use hast_flow::store::DocPath;
use jiff::tz::Offset;

use super::hands::{AnyOrder, Claims, GOALS, Hands, Kind, grows, is_red, kind, work};
use crate::disk::{Edit, EditStyle};
use crate::flows::{Blow, Case, Name, Report};
use crate::git::lives::{Life, Place, outlive};
use crate::git::{Machine, Object, Reset, Syncing};
use crate::rng::Rng;

/// Death and power cut around an operation. A disk that refuses hands the goal to a person.
const BLOWS: [Blow; 4] = [Blow::KillBefore, Blow::KillAfter, Blow::PowerBefore, Blow::PowerAfter];

/// What keeps a run whole, and what a sweep shows by leaving it out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) reset: Reset,
    pub(super) syncing: Syncing,
    /// Whether one case that diverged is all that is wanted.
    pub(super) first_is_enough: bool,
}

const KEPT: Rules = Rules { reset: Reset::Done, syncing: Syncing::All, first_is_enough: false };

/// Hits lanes at every `every`-th operation of disk, repository and work trees with each blow.
pub fn sweep(seed: u64, every: u64, report: &mut Report) {
    sweep_with(seed, every, KEPT, report);
}

fn sweep_with(seed: u64, every: u64, rules: Rules, report: &mut Report) {
    let calm_case = Case { flow: Name::Worktrees, seed, blow: None, at: 0 };
    let operations = match run(calm_case, rules, report) {
        Ok(operations) => operations,
        Err(why) => return report.diverged.push((calm_case, why)),
    };
    let places = (1 + seed % every..=operations).step_by(usize::try_from(every).unwrap_or(1));
    for at in places {
        for blow in BLOWS {
            let case = Case { blow: Some(blow), at, ..calm_case };
            if let Err(why) = run(case, rules, report) {
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
    if let Err(why) = run(case, KEPT, report) {
        report.diverged.push((case, why));
    }
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
            timeout_minutes: 30,
            max_retries: 3,
            max_context_bytes: 120_000,
            commits: Commits::Auto,
            protect: Vec::new(),
            other_roots: Vec::new(),
            max_saved_file_bytes: 1 << 20,
            max_saved_bytes: 1 << 30,
            offset: Offset::UTC,
        },
        running: None,
        not_ready: None,
        from: StartFrom::Base,
        cut_off: CutOff::Interruption,
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

/// How many operations it took.
fn run(case: Case, rules: Rules, report: &mut Report) -> Result<u64, String> {
    let claims = Claims::default();
    let lives = Cell::new(0);
    let live = |place: &Place, effects: &mut u64| {
        lives.set(lives.get() + 1);
        live(place, case.seed, lives.get(), rules, &claims, effects)
    };
    let (place, _) = outlive(case, machine(rules), USERS, report, live)?;
    let holds = nothing_is_left(&place, &claims)
        .and_then(|()| every_goal_is_done_once(&place, case.seed))
        .and_then(|()| the_branch_was_never_red(&place));
    let operations = place.world.borrow().operations;
    holds.map(|()| operations)
}

fn live(
    place: &Place,
    seed: u64,
    life: u64,
    rules: Rules,
    claims: &Claims,
    effects: &mut u64,
) -> Life {
    if life == 1 {
        write(place, "goals.yaml", &goals());
        write(place, "rules.md", "- rules\n");
    }
    let driven = place.live_in(&flow(seed, life), 4_000, |workspace| AnyOrder {
        hands: Hands {
            workspace,
            world: Rc::clone(&place.world),
            claims: Rc::clone(claims),
            agent: Rc::new(move |workspace, call| work(seed, workspace, call)),
            reset: rules.reset,
        },
        chance: Rng::new(seed).fork(1_000),
        effects,
        asked: Vec::new(),
        done: Vec::new(),
    });
    match driven {
        Ok(Ending::Done(_)) => Life::Ended("done"),
        Ok(Ending::Failed(notice) | Ending::Blocked(notice)) => Life::Stuck(notice.what),
        Ok(other) => Life::Stuck(format!("{other:?}")),
        Err(error) => Life::Stuck(error.to_string()),
    }
}

/// A person's file, there before anything else happens.
fn write(place: &Place, name: &str, text: &str) {
    if let Ok(path) = DocPath::new(name) {
        let (bytes, style) = (text.as_bytes().to_vec(), EditStyle::Rename);
        place.world.borrow_mut().plan_edit(Edit { at: 0, path, bytes, style });
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
    let log = text("events/events.ndjson");
    for goal in GOALS {
        let own = format!("feat({goal})");
        let commits = history.iter().filter(|message| message.starts_with(&own)).count();
        // An agent that commits by itself leaves nothing to commit, unless a power cut took its commit
        // and left its files.
        let least = usize::from(kind(seed, goal) != Kind::Commits);
        if commits < least || commits > 1 {
            return Err(format!("{commits} commits of {goal}: {history:?}"));
        }
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
    for (path, _) in USERS {
        users.remove(*path);
    }
    users.retain(|path, _| path != ".ai/goals.yaml");
    let differs = |(path, bytes): (&String, &Vec<u8>)| head.get(path) != Some(bytes);
    match users.iter().find(|file| differs(*file)) {
        Some((path, _)) => Err(format!("{path} in the checkout is not what the branch has")),
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
        let report = swept(1..7, 97, KEPT);
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

    /// A sweep that cannot fail is worth nothing.
    #[test]
    fn a_room_that_is_not_reset_between_attempts_is_found() {
        let reset = Reset::Forgotten;
        let tries_again =
            |seed: &u64| super::super::hands::kinds(*seed).contains(&Kind::WrongAtFirst);
        let seed = (1..).find(tries_again).unwrap();
        let report = swept(seed..seed + 1, 97, Rules { reset, first_is_enough: true, ..KEPT });
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
