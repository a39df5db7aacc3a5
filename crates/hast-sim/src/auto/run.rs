//! Runs all goals to their end through a planned disaster, with a person who gives back what was
//! handed to them, and compares it with the undisturbed run.

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::docs::document::read;
use hast_flow::docs::goals::{GoalStatus, Goals};
use hast_flow::formats::source::Source;
use hast_flow::steps::Ending;
use hast_flow::store::DocPath;

use super::laws::{
    Essence, USERS, documents_hold, essence, nothing_is_lost, nothing_is_open, status_is_committed,
    users_files,
};
use super::life::{Lived, Project};
use crate::disk::World;
use crate::flows::person::{Person, words_of};
use crate::flows::{Blow, Case, Name, Report};
use crate::git::lives::{BLOWS, Place};
use crate::git::sweeps::{self, End};
use crate::git::{Machine, Syncing};
use crate::lanes::hands::tests_left_nothing;
use crate::rng::Rng;

const MOST_LIVES: u32 = 40;

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

/// What keeps a run whole, and what a sweep shows by leaving it out.
#[derive(Clone, Copy)]
struct Rules {
    syncing: Syncing,
    /// Whether a death takes the commits that an agent made by itself.
    death_takes_commits: bool,
}

const KEPT: Rules = Rules { syncing: Syncing::All, death_takes_commits: false };

struct Ended {
    essence: Essence,
    operations: u64,
    read: Vec<DocPath>,
}

/// Hits a run at every `every`-th operation of disk and work tree with each kind of blow.
pub fn sweep(seed: u64, every: u64, syncing: Syncing, report: &mut Report) {
    sweep_with(seed, every, Rules { syncing, ..KEPT }, report);
}

fn sweep_with(seed: u64, every: u64, rules: Rules, report: &mut Report) {
    let calm = Case { flow: Name::Auto, seed, blow: None, at: 0 };
    let play = |case, person, report: &mut Report| run(case, rules, person, report);
    sweeps::sweep(calm, every, &BLOWS, report, play);
}

/// Runs one case again.
pub fn replay(case: Case, syncing: Syncing, report: &mut Report) {
    let rules = Rules { syncing, ..KEPT };
    sweeps::replay(case, report, |case, person, report| run(case, rules, person, report));
}

impl End for Ended {
    fn operations(&self) -> u64 {
        self.operations
    }

    fn read(&self) -> &[DocPath] {
        &self.read
    }

    fn same(&self, hit: &Self) -> Result<(), String> {
        self.essence.same(&hit.essence)
    }
}

fn project(seed: u64, syncing: Syncing, person: Person) -> Project {
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
    let place = Place::new(world, Rc::new(RefCell::new(machine)), person);
    place.bring(&[("goals.yaml", GOALS), ("rules.md", "- rules\n")]);
    Project::new(place, seed)
}

fn run(case: Case, rules: Rules, person: Person, report: &mut Report) -> Result<Ended, String> {
    let mut project = project(case.seed, rules.syncing, person);
    project.place.plan(case, report);
    let lived = lives(&mut project, case, rules, report);
    report.effects += project.effects;
    lived
}

/// One process after the other. Between them the person gives back what was handed to them.
fn lives(
    project: &mut Project,
    case: Case,
    rules: Rules,
    report: &mut Report,
) -> Result<Ended, String> {
    let mut operator = Operator { continues: case.seed.is_multiple_of(2), wants: None };
    for life in 0..MOST_LIVES {
        let planned = project.place.world.borrow().faults_left();
        let lived = operator.next(project);
        let hit = project.place.world.borrow().faults_left() < planned;
        users_files(&project.place.machine.borrow())?;
        if hit {
            report.crashes += 1;
            if rules.death_takes_commits {
                project.place.machine.borrow_mut().forget_own_commits();
            }
            if case.blow.is_some_and(Blow::cuts_power) {
                project.place.world.borrow_mut().cut_power();
                let mut rng = Rng::new(case.seed).fork(case.at);
                project.place.machine.borrow_mut().cut_power(&mut rng);
            }
            continue;
        }
        let person = &project.place.person;
        if !person.spoils() {
            documents_hold(&project.documents())?;
        }
        let said = match &lived {
            Ok(ending) => words_of(ending),
            Err(error) => error.to_string(),
        };
        let told = person.is_told(&said);
        let content = matches!(lived, Ok(Ending::Done(_))) && operator.is_content(project);
        let stays = life + 1 == MOST_LIVES && person.may_stay(&said);
        if content || told && person.gives_up() || stays {
            return ended(project);
        }
        if told {
            person.put_right(&project.place.world);
        }
        if life + 1 == MOST_LIVES {
            return Err(format!("it never ends: {said}"));
        }
    }
    Err("it never ends".to_owned())
}

/// What holds at the end. Of what follows from a document that a person spoiled only the work of agents
/// is looked for.
fn ended(project: &Project) -> Result<Ended, String> {
    let (place, machine) = (&project.place, project.place.machine.borrow());
    nothing_is_lost(&machine, &project.left.borrow())?;
    tests_left_nothing(&machine)?;
    place.person.edit_is_kept(&place.world.borrow())?;
    if !place.person.spoils() {
        nothing_is_open(&machine)?;
        status_is_committed(&machine)?;
    }
    let essence = essence(&project.documents(), &machine);
    let operations = place.world.borrow().operations;
    Ok(Ended { essence, operations, read: place.read() })
}

/// Who runs the commands.
struct Operator {
    continues: bool,
    /// The goal that is given back, and gone on with.
    wants: Option<String>,
}

impl Operator {
    /// Lets `auto` go on, and gives the first goal back that is blocked once nothing runs any more. A
    /// command that was cut off is said again as it was.
    fn next(&mut self, project: &mut Project) -> Lived {
        let lived = match self.wants.clone() {
            None => project.auto(None),
            Some(goal) => {
                if blocked(project).as_ref() == Some(&goal) {
                    project.retry(&goal)?;
                }
                project.auto(Some(goal.as_str()).filter(|_| self.continues))
            }
        };
        if lived.is_ok() {
            self.wants = None;
        }
        if let Ok(Ending::Blocked(_) | Ending::Done(_)) = &lived {
            self.wants = blocked(project);
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
            sweep(seed, 187, Syncing::All, &mut report);
        }
        assert_eq!(told(&report), Vec::<String>::new());
        assert!(report.crashes > 50 && report.blows["power-after"] > 10, "{report:?}");
    }

    #[test]
    fn a_commit_of_an_agent_that_a_kill_takes_is_found() {
        let mut report = Report::default();
        let rules = Rules { death_takes_commits: true, ..KEPT };
        for seed in 1..5 {
            sweep_with(seed, 61, rules, &mut report);
        }
        let by_kill = |(case, why): &(Case, String)| {
            case.blow == Some(Blow::KillBefore) && why.starts_with("commits: ")
        };
        assert!(report.diverged.iter().any(by_kill), "{:?}", told(&report));
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
