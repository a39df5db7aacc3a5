//! Runs one goal to its end through a planned disaster, and compares it with the undisturbed run.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::{ObjectId, attempt_ref};
use hast_flow::steps::{Effect, Ending, StepKey};

use super::agent::Hands;
use super::flow::{ATTEMPTS, Patching};
use crate::disk::World;
use crate::flows::{Case, Name, Report};
use crate::git::lives::BLOWS;
use crate::git::lives::{Life, Place, outlive};
use crate::git::sweeps::{self, End};
use crate::git::{Machine, Object, Syncing};

#[derive(Debug)]
struct Ended {
    documents: BTreeMap<String, Vec<u8>>,
    files: BTreeMap<String, Vec<u8>>,
    history: Vec<String>,
    refs: BTreeMap<String, ObjectId>,
    /// The trees that each failed attempt's ref keeps.
    saved: BTreeMap<u32, BTreeSet<ObjectId>>,
    ending: &'static str,
    operations: u64,
}

/// Hits a goal at every `every`-th operation of disk and work tree with each kind of blow.
pub fn sweep(seed: u64, every: u64, syncing: Syncing, report: &mut Report) {
    let calm = Case { flow: Name::Patch, seed, blow: None, at: 0 };
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
        let differs = |what: &str, equal: bool| {
            if equal { Ok(()) } else { Err(format!("{what} differ from the undisturbed run")) }
        };
        differs("endings", self.ending == hit.ending)?;
        differs("documents", self.documents == hit.documents)?;
        differs("files", self.files == hit.files)?;
        differs("commits", self.history == hit.history)?;
        differs("refs", self.refs == hit.refs)?;
        for (attempt, trees) in &self.saved {
            let kept = hit.saved.get(attempt).is_some_and(|kept| kept.is_superset(trees));
            differs(&format!("what attempt {attempt} saved"), kept)?;
        }
        Ok(())
    }
}

const USERS: &[(&str, &str)] = &[
    ("notes.log", "mine"),
    ("target/user", "mine"),
    ("state/journal", "the machine's"),
    ("rules.md", "edited"),
];

fn machine(syncing: Syncing) -> Machine {
    let mut machine = Machine::new(crate::git::contract::FILES);
    machine.syncing = syncing;
    for (path, text) in USERS {
        machine.files.insert((*path).to_owned(), text.as_bytes().to_vec());
    }
    machine
}

fn run(case: Case, syncing: Syncing, report: &mut Report) -> Result<Ended, String> {
    let live = |place: &Place, effects: &mut u64| live(place, case.seed, effects);
    let (place, ending) = outlive(case, machine(syncing), USERS, report, live)?;
    Ok(end(&place, ending))
}

fn live(place: &Place, seed: u64, effects: &mut u64) -> Life {
    let driven = place.live(&Patching, 500, |workspace| {
        let mut hands = Hands { workspace, seed };
        move |key: &StepKey, effect: &Effect| {
            *effects += 1;
            hands.perform(key, effect)
        }
    });
    match driven {
        Ok(Ending::Done(_)) => Life::Ended("done"),
        Ok(Ending::Failed(_)) => Life::Ended("failed"),
        Ok(Ending::Blocked(notice)) => Life::Stuck(notice.what),
        Ok(other) => Life::Stuck(format!("{other:?}")),
        Err(error) => Life::Stuck(error.to_string()),
    }
}

fn end(place: &Place, ending: &'static str) -> Ended {
    let (world, machine) = (place.world.borrow(), place.machine.borrow());
    let foreign = |(name, _): &(&String, &ObjectId)| !name.starts_with("refs/hast/");
    let refs = machine.refs.iter().filter(foreign);
    let trees = |attempt: u32| -> Option<(u32, BTreeSet<ObjectId>)> {
        let at = machine.refs.get(&attempt_ref("G", attempt))?;
        let commits = machine.ancestry(at).into_iter();
        let tree = |id: ObjectId| match machine.get(&id) {
            Some(Object::Commit { tree, .. }) if machine.get(tree).is_some() => Some(tree.clone()),
            _ => None,
        };
        Some((attempt, commits.filter_map(tree).collect()))
    };
    Ended {
        documents: documents(&world),
        files: machine.files.clone(),
        history: machine.history(),
        refs: refs.map(|(name, id)| (name.clone(), id.clone())).collect(),
        saved: (1..=ATTEMPTS).filter_map(trees).collect(),
        ending,
        operations: world.operations,
    }
}

/// The documents, but for the name of a snapshot: it holds all refs, and a disturbed run has more of
/// those that keep work.
fn documents(world: &World) -> BTreeMap<String, Vec<u8>> {
    let mut documents = world.documents();
    if let Some(base) = documents.get_mut("base.json") {
        let text = String::from_utf8_lossy(base).into_owned();
        let kept = text.lines().filter(|line| !line.contains("\"snapshot\""));
        *base = kept.collect::<Vec<_>>().join("\n").into_bytes();
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::Blow;

    fn told(report: &Report) -> Vec<String> {
        report.diverged.iter().take(5).map(|(case, why)| format!("{case}: {why}")).collect()
    }

    fn swept(seeds: std::ops::Range<u64>, every: u64, syncing: Syncing) -> Report {
        let mut report = Report::default();
        for seed in seeds {
            sweep(seed, every, syncing, &mut report);
        }
        report
    }

    #[test]
    fn a_goal_hit_at_any_operation_of_disk_or_git_ends_like_one_that_was_not() {
        let report = swept(1..5, 61, Syncing::All);
        assert_eq!(told(&report), Vec::<String>::new());
        assert!(report.crashes > 100 && report.blows["power-after"] > 20, "{report:?}");
    }

    #[test]
    fn agents_of_every_kind_take_part() {
        let mut report = Report::default();
        let ends: Vec<Ended> = (0..12)
            .map(|seed| {
                let case = Case { flow: Name::Patch, seed, blow: None, at: 0 };
                run(case, Syncing::All, &mut report).unwrap()
            })
            .collect();
        let verdicts: String = ends
            .iter()
            .map(|end| String::from_utf8_lossy(&end.documents["verdicts.txt"]).into_owned())
            .collect();
        for word in ["passed", "git:", "protected:", "scope:", "work:", "tests:"] {
            assert!(verdicts.contains(word), "{word} is missing in {verdicts}");
        }
        assert!(ends.iter().any(|end| end.ending == "failed"));
        for end in &ends {
            let failed = u32::from(end.ending == "failed");
            assert_eq!(u32::try_from(end.history.len()).unwrap(), 2 - failed, "{:?}", end.history);
        }
    }

    /// A sweep that cannot fail is worth nothing.
    #[test]
    fn without_syncs_a_power_cut_loses_work_and_the_sweep_finds_it() {
        let report = swept(1..3, 29, Syncing::Off);
        let by_power = |(case, _): &(Case, String)| case.blow.is_some_and(Blow::cuts_power);
        assert!(report.diverged.iter().all(by_power), "{:?}", told(&report));
        assert!(!report.diverged.is_empty());
    }
}
