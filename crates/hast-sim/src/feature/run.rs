//! Drives one request to its end through a planned disaster, and compares it with the undisturbed run.

use std::collections::BTreeMap;

use hast_flow::attempt::base::TreeRules;
use hast_flow::docs::contract::{Manifest, Project};
use hast_flow::docs::goals::{Memory, Minutes};
use hast_flow::flows::contract::{Asked, ContractFlow, Settings};
use hast_flow::ids::{ProjectHash, RequestId};
use hast_flow::steps::{Effect, Ending, StepKey};
use hast_flow::store::DocPath;

use super::agents::Hands;
use crate::flows::person::{Person, words_of};
use crate::flows::{Case, Name, Report};
use crate::git::lives::BLOWS;
use crate::git::lives::{Life, Place, outlive};
use crate::git::sweeps::{self, End};
use crate::git::{Machine, Syncing};

#[derive(Debug)]
struct Ended {
    /// Without the log and the bases: an interrupted attempt has another number.
    documents: BTreeMap<String, Vec<u8>>,
    files: BTreeMap<String, Vec<u8>>,
    history: Vec<String>,
    ending: &'static str,
    operations: u64,
    read: Vec<DocPath>,
}

/// Hits a request at every `every`-th operation of disk and work tree with each kind of blow.
pub fn sweep(seed: u64, every: u64, report: &mut Report) {
    let calm = Case { flow: Name::Contract, seed, blow: None, at: 0 };
    sweeps::sweep(calm, every, &BLOWS, report, run);
}

/// Runs one case again.
pub fn replay(case: Case, report: &mut Report) {
    sweeps::replay(case, report, run);
}

impl End for Ended {
    fn operations(&self) -> u64 {
        self.operations
    }

    fn read(&self) -> &[DocPath] {
        &self.read
    }

    fn same(&self, hit: &Self) -> Result<(), String> {
        let differs = |what: &str, equal: bool| {
            if equal { Ok(()) } else { Err(format!("{what} differ from the undisturbed run")) }
        };
        differs("endings", self.ending == hit.ending)?;
        differs("commits", self.history == hit.history)?;
        differs("files", self.files == hit.files)?;
        for (path, bytes) in &self.documents {
            let now = hit.documents.get(path).map(Vec::as_slice).unwrap_or_default();
            differs(&format!("{path} ({})", first_difference(bytes, now)), now == bytes)?;
        }
        differs("documents", self.documents.len() == hit.documents.len())
    }
}

/// The first line of a document that is not as it was.
fn first_difference(calm: &[u8], hit: &[u8]) -> String {
    let [calm, hit] = [calm, hit].map(String::from_utf8_lossy);
    let mut lines = calm.lines().zip(hit.lines()).filter(|(one, other)| one != other);
    let first = lines.next().map(|(one, other)| format!("`{one}`, now `{other}`"));
    first.unwrap_or_else(|| "its length".to_owned())
}

const USERS: &[(&str, &str)] = &[("notes.log", "mine"), ("target/user", "mine")];

fn machine() -> Machine {
    let mut machine = Machine::new(crate::git::contract::FILES);
    machine.syncing = Syncing::All;
    for (path, text) in USERS {
        machine.files.insert((*path).to_owned(), text.as_bytes().to_vec());
    }
    machine
}

fn flow() -> ContractFlow {
    let project =
        Project { path: "/p".to_owned(), name: "p".to_owned(), hash: ProjectHash::of("/p") };
    ContractFlow {
        asked: Asked::Start { id: RequestId::new(1), text: "합계".to_owned() },
        settings: Settings {
            project,
            manifest: Manifest { claude_md: None, agents_md: None },
            test_command: "true".to_owned(),
            timeout_minutes: Minutes::new(30),
            max_regenerations: 2,
            memory: Memory::Builtin,
            prefix: String::new(),
            rules: TreeRules {
                leave_out: vec!["state/".to_owned()],
                protected: vec!["goals".to_owned()],
                ..TreeRules::default()
            },
            copy: Vec::new(),
            setup: None,
            max_saved_file_bytes: 1 << 20,
            max_saved_bytes: 1 << 20,
        },
    }
}

fn run(case: Case, person: Person, report: &mut Report) -> Result<Ended, String> {
    let live = |place: &Place, effects: &mut u64| live(place, case.seed, effects);
    let (place, ending) = outlive(case, machine(), USERS, &[], person, report, live)?;
    Ok(end(&place, ending))
}

fn live(place: &Place, seed: u64, effects: &mut u64) -> Life {
    let driven = place.live(&flow(), 1_000, |workspace| {
        let mut hands = Hands { workspace, seed };
        move |_: &StepKey, effect: &Effect| {
            *effects += 1;
            hands.perform(effect)
        }
    });
    match driven {
        Ok(Ending::Done(_)) => Life::Ended("done"),
        Ok(ending) => Life::Stuck(words_of(&ending)),
        Err(error) => Life::Stuck(error.to_string()),
    }
}

fn end(place: &Place, ending: &'static str) -> Ended {
    let (world, machine) = (place.world.borrow(), place.machine.borrow());
    let mut documents = world.documents();
    documents.retain(|path, _| path != "events.ndjson" && !path.starts_with("attempts/"));
    // The body of a message names the attempt, and an interrupted one has another number.
    let subject = |message: &String| message.lines().next().unwrap_or_default().to_owned();
    Ended {
        documents,
        files: machine.files.clone(),
        history: machine.history().iter().map(subject).collect(),
        ending,
        operations: world.operations,
        read: place.read(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_hit_at_any_operation_of_disk_or_git_ends_like_one_that_was_not() {
        let mut report = Report::default();
        for seed in 1..6 {
            sweep(seed, 211, &mut report);
        }
        let told: Vec<String> =
            report.diverged.iter().take(5).map(|(case, why)| format!("{case}: {why}")).collect();
        assert_eq!(told, Vec::<String>::new());
        assert!(report.crashes > 20 && report.blows["power-after"] > 5, "{report:?}");
    }

    #[test]
    fn each_commit_is_made_once_whatever_the_first_round_was() {
        let mut report = Report::default();
        for seed in 0..14 {
            let case = Case { flow: Name::Contract, seed, blow: None, at: 0 };
            let end = run(case, Person::default(), &mut report).unwrap();
            // Every other request has a subtask more, whose tests find their code there.
            let commits = if seed % 2 == 1 { 4 } else { 3 };
            assert_eq!(end.history.len(), commits, "{seed}: {:?}", end.history);
        }
    }
}
