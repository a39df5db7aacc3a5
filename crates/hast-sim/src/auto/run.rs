//! Runs all goals to their end through a planned disaster, with a person who gives back what was
//! handed to them, and compares it with the undisturbed run.

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::docs::document::read;
use hast_flow::docs::goals::{GoalStatus, Goals};
use hast_flow::formats::source::Source;
use hast_flow::steps::Ending;
use hast_flow::store::disk::Open;
use hast_flow::store::{Disk, DocPath};

use super::laws::{
    Essence, USERS, documents_hold, essence, nothing_is_lost, nothing_is_open, status_is_committed,
    users_files,
};
use super::life::{Lived, Project};
use crate::disk::{Fault, SimDisk, World};
use crate::flows::{Blow, Case, Name, Report};
use crate::git::lives::Place;
use crate::git::sweeps::{self, End};
use crate::git::{Machine, Syncing};
use crate::rng::Rng;

const MOST_LIVES: u32 = 40;

/// Death and power cut around an operation. A disk that refuses hands the goal to a person, as in lanes.
const BLOWS: [Blow; 4] = [Blow::KillBefore, Blow::KillAfter, Blow::PowerBefore, Blow::PowerAfter];

const GOALS: &str = "goals:
  - id: M1
    title: Login
    status: active
    allowed_changes: [\"src/\"]
  - id: M2
    title: Logout
    status: active
    allowed_changes: [\"src/\"]
";

struct Ended {
    essence: Essence,
    operations: u64,
}

/// Hits a run at every `every`-th operation of disk and work tree with each kind of blow.
pub fn sweep(seed: u64, every: u64, syncing: Syncing, report: &mut Report) {
    let calm = Case { flow: Name::Auto, seed, blow: None, at: 0 };
    let play = |case, report: &mut Report| run(case, syncing, report);
    sweeps::sweep(calm, every, &BLOWS, report, play);
}

/// Runs one case again.
pub fn replay(case: Case, syncing: Syncing, report: &mut Report) {
    sweeps::replay(case, report, |case, report| run(case, syncing, report));
}

impl End for Ended {
    fn operations(&self) -> u64 {
        self.operations
    }

    fn same(&self, hit: &Self) -> Result<(), String> {
        self.essence.same(&hit.essence)
    }
}

fn project(seed: u64, syncing: Syncing) -> Project {
    let mut machine = Machine::new(&[
        (".ai/goals.yaml", GOALS),
        (".ai/config.yaml", "test_command: \"true\"\n"),
        (".ai/rules.md", "- rules\n"),
        (".ai/.gitignore", "/events/\n"),
        ("src/gone", "two"),
        ("src/old.py", "one"),
    ]);
    machine.syncing = syncing;
    for (path, text) in USERS {
        machine.files.insert((*path).to_owned(), text.as_bytes().to_vec());
    }
    let world = Rc::new(RefCell::new(World::new(seed)));
    let disk = SimDisk::start(&world);
    let process = disk.process();
    for (name, text) in [("goals.yaml", GOALS), ("rules.md", "- rules\n")] {
        let Ok(path) = DocPath::new(name) else { continue };
        if let Ok(file) = disk.open(&path, Open::CreateNew) {
            let _ = disk.write_at(&file, 0, text.as_bytes());
        }
    }
    let _ = disk.sync_all();
    world.borrow_mut().exit(process);
    Project::new(Place { world, machine: Rc::new(RefCell::new(machine)) }, seed)
}

fn run(case: Case, syncing: Syncing, report: &mut Report) -> Result<Ended, String> {
    let Case { seed, blow, at, .. } = case;
    report.runs += 1;
    if let Some(blow) = blow {
        *report.blows.entry(blow.as_str()).or_default() += 1;
    }
    let mut project = project(seed, syncing);
    if let Some(kind) = blow.and_then(Blow::fault) {
        project.place.world.borrow_mut().plan_fault(Fault { at, kind });
    }
    let ended = lives(&mut project, case, report);
    report.effects += project.effects;
    ended
}

/// One process after the other. Between them the person gives back what was handed to them.
fn lives(project: &mut Project, case: Case, report: &mut Report) -> Result<Ended, String> {
    let mut person = Person { continues: case.seed.is_multiple_of(2), wants: None };
    for life in 0..MOST_LIVES {
        let planned = project.place.world.borrow().faults_left();
        let lived = person.next(project);
        let hit = project.place.world.borrow().faults_left() < planned;
        users_files(&project.place.machine.borrow())?;
        if hit {
            report.crashes += 1;
            if case.blow.is_some_and(Blow::cuts_power) {
                project.place.world.borrow_mut().cut_power();
                let mut rng = Rng::new(case.seed).fork(case.at);
                project.place.machine.borrow_mut().cut_power(&mut rng);
            }
            continue;
        }
        documents_hold(&project.documents())?;
        let said = match lived {
            Ok(Ending::Done(_)) if person.is_content(project) => {
                let machine = project.place.machine.borrow();
                nothing_is_lost(&machine, &project.left.borrow())?;
                nothing_is_open(&machine)?;
                status_is_committed(&machine)?;
                let essence = essence(&project.documents(), &machine);
                let operations = project.place.world.borrow().operations;
                return Ok(Ended { essence, operations });
            }
            Ok(ending) => format!("{ending:?}"),
            Err(error) => error.to_string(),
        };
        if life + 1 == MOST_LIVES {
            return Err(format!("it never ends: {said}"));
        }
    }
    Err("it never ends".to_owned())
}

/// Whoever sits before the screen.
struct Person {
    continues: bool,
    /// The goal that was given back and is gone on with.
    wants: Option<String>,
}

impl Person {
    /// Gives back the first goal that is blocked once nothing runs any more; else lets `auto` go on.
    fn next(&mut self, project: &mut Project) -> Lived {
        if let Some(goal) = self.wants.take() {
            let went_on = project.auto(Some(&goal));
            if went_on.is_ok() {
                return went_on;
            }
            return project.auto(None);
        }
        let lived = project.auto(None);
        if let (Ok(Ending::Blocked(_) | Ending::Done(_)), Some(goal)) = (&lived, blocked(project)) {
            project.retry(&goal)?;
            self.wants = self.continues.then_some(goal);
        }
        lived
    }

    fn is_content(&self, project: &Project) -> bool {
        self.wants.is_none() && blocked(project).is_none() && active(project).is_none()
    }
}

fn blocked(project: &Project) -> Option<String> {
    with_status(project, GoalStatus::Blocked)
}

fn active(project: &Project) -> Option<String> {
    with_status(project, GoalStatus::Active)
}

fn with_status(project: &Project, status: GoalStatus) -> Option<String> {
    let documents = project.documents();
    let source = Source::from_bytes("goals.yaml", documents.get("goals.yaml")?).ok()?;
    let goals = read::<Goals>(&source).ok()?.value;
    goals.goals.iter().find(|goal| goal.status == status).map(|goal| goal.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(report: &Report) -> Vec<String> {
        report.diverged.iter().take(5).map(|(case, why)| format!("{case}: {why}")).collect()
    }

    #[test]
    fn auto_hit_at_any_operation_of_disk_or_git_ends_like_one_that_was_not() {
        let mut report = Report::default();
        for seed in 1..6 {
            sweep(seed, 149, Syncing::All, &mut report);
        }
        assert_eq!(told(&report), Vec::<String>::new());
        assert!(report.crashes > 50 && report.blows["power-after"] > 10, "{report:?}");
    }

    /// A sweep that cannot fail is worth nothing.
    #[test]
    fn without_syncs_a_power_cut_loses_work_and_the_sweep_finds_it() {
        let mut report = Report::default();
        for seed in 1..3 {
            sweep(seed, 61, Syncing::Off, &mut report);
        }
        let by_power = |(case, _): &(Case, String)| case.blow.is_some_and(Blow::cuts_power);
        assert!(report.diverged.iter().any(by_power));
        report.diverged.retain(|diverged| !by_power(diverged));
        assert_eq!(told(&report), Vec::<String>::new());
    }
}
