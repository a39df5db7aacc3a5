//! Drives one request to its end through a planned disaster, and compares it with the undisturbed run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::attempt::base::TreeRules;
use hast_flow::docs::contract::{Manifest, Project};
use hast_flow::docs::goals::Memory;
use hast_flow::driver::{Bounds, Driver, InTurn};
use hast_flow::flows::contract::{Asked, ContractFlow, Settings};
use hast_flow::ids::{ProjectHash, RequestId};
use hast_flow::ports::Clock;
use hast_flow::steps::Ending;
use hast_flow::store::{Options, Store};
use hast_flow::words::Lang;
use jiff::Timestamp;
use jiff::tz::Offset;

use super::agents::Hands;
use crate::disk::{Fault, SimDisk, World};
use crate::flows::{Blow, Case, Name, Report};
use crate::git::{Machine, SimWorkspace, Syncing};
use crate::rng::Rng;

const MOST_LIVES: u32 = 12;
/// Death and power cut around an operation, and one that is refused.
const BLOWS: [Blow; 5] =
    [Blow::KillBefore, Blow::KillAfter, Blow::PowerBefore, Blow::PowerAfter, Blow::Full];

#[derive(Debug)]
struct End {
    /// Without the log and the bases: an interrupted attempt has another number.
    documents: BTreeMap<String, Vec<u8>>,
    files: BTreeMap<String, Vec<u8>>,
    history: Vec<String>,
    ending: &'static str,
    operations: u64,
}

/// Hits a request at every `every`-th operation of disk and work tree with each kind of blow.
pub fn sweep(seed: u64, every: u64, report: &mut Report) {
    let calm_case = Case { flow: Name::Contract, seed, blow: None, at: 0 };
    let calm = match run(calm_case, report) {
        Ok(end) => end,
        Err(why) => return report.diverged.push((calm_case, why)),
    };
    let places = (1 + seed % every..=calm.operations).step_by(usize::try_from(every).unwrap_or(1));
    for at in places {
        for blow in BLOWS {
            compare(Case { blow: Some(blow), at, ..calm_case }, &calm, report);
        }
    }
}

/// Runs one case again.
pub fn replay(case: Case, report: &mut Report) {
    let calm_case = Case { blow: None, at: 0, ..case };
    match run(calm_case, report) {
        Ok(calm) => compare(case, &calm, report),
        Err(why) => report.diverged.push((calm_case, why)),
    }
}

fn compare(case: Case, calm: &End, report: &mut Report) {
    if let Err(why) = run(case, report).and_then(|end| same(calm, &end)) {
        report.diverged.push((case, why));
    }
}

fn same(calm: &End, hit: &End) -> Result<(), String> {
    let differs = |what: &str, equal: bool| {
        if equal { Ok(()) } else { Err(format!("{what} differ from the undisturbed run")) }
    };
    differs("endings", calm.ending == hit.ending)?;
    differs("commits", calm.history == hit.history)?;
    differs("files", calm.files == hit.files)?;
    for (path, bytes) in &calm.documents {
        let now = hit.documents.get(path).map(Vec::as_slice).unwrap_or_default();
        differs(&format!("{path} ({})", first_difference(bytes, now)), now == bytes)?;
    }
    differs("documents", calm.documents.len() == hit.documents.len())
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
            timeout_minutes: 30,
            max_regenerations: 2,
            memory: Memory::Builtin,
            prefix: String::new(),
            rules: TreeRules {
                leave_out: vec!["state/".to_owned()],
                protected: vec!["goals".to_owned()],
                ..TreeRules::default()
            },
            max_saved_file_bytes: 1 << 20,
            max_saved_bytes: 1 << 20,
        },
    }
}

fn run(case: Case, report: &mut Report) -> Result<End, String> {
    let Case { seed, blow, at, .. } = case;
    report.runs += 1;
    if let Some(blow) = blow {
        *report.blows.entry(blow.as_str()).or_default() += 1;
    }
    let world = Rc::new(RefCell::new(World::new(seed)));
    let machine = Rc::new(RefCell::new(machine()));
    if let Some(kind) = blow.and_then(Blow::fault) {
        world.borrow_mut().plan_fault(Fault { at, kind });
    }
    for life in 0..MOST_LIVES {
        let ended = live(&world, &machine, seed, &mut report.effects);
        for (path, text) in USERS {
            if machine.borrow().files.get(*path).is_none_or(|now| now != text.as_bytes()) {
                return Err(format!("the user's {path} is lost"));
            }
        }
        match ended {
            Life::Ended(ending) => return Ok(end(&world, &machine, ending)),
            Life::Stuck(why) if world.borrow().faults_left() == 0 && life > 2 => return Err(why),
            Life::Stuck(_) => report.crashes += 1,
        }
        if blow.is_some_and(Blow::cuts_power) {
            world.borrow_mut().cut_power();
            let mut rng = Rng::new(seed).fork(at);
            machine.borrow_mut().cut_power(&mut rng);
        }
    }
    Err("it never ends".to_owned())
}

enum Life {
    Ended(&'static str),
    /// Dead, refused, or unable to go on.
    Stuck(String),
}

fn live(
    world: &Rc<RefCell<World>>,
    machine: &Rc<RefCell<Machine>>,
    seed: u64,
    effects: &mut u64,
) -> Life {
    let disk = SimDisk::start(world);
    let process = disk.process();
    let mut hands = Hands { workspace: SimWorkspace::of(machine, world, process), seed };
    let options = Options { journal_area: 64 << 10, ..Options::default() };
    let flow = flow();
    let driven = Store::open(disk, options).and_then(|(store, _)| {
        let bounds = Bounds { steps: 1_000, stale: 4 };
        let mut driver = Driver::new(&flow, store, &Still, Lang::En, bounds)?;
        driver.drive(&mut InTurn::new(|_, effect| {
            *effects += 1;
            hands.perform(effect)
        }))
    });
    world.borrow_mut().exit(process);
    match driven {
        Ok(Ending::Done(_)) => Life::Ended("done"),
        Ok(Ending::Failed(notice)) => Life::Stuck(notice.what),
        Ok(Ending::Blocked(notice)) => Life::Stuck(notice.what),
        Ok(other) => Life::Stuck(format!("{other:?}")),
        Err(error) => Life::Stuck(error.to_string()),
    }
}

fn end(world: &Rc<RefCell<World>>, machine: &Rc<RefCell<Machine>>, ending: &'static str) -> End {
    let (world, machine) = (world.borrow(), machine.borrow());
    let mut documents = world.documents();
    documents.retain(|path, _| path != "events.ndjson" && !path.starts_with("attempts/"));
    // The body of a message names the attempt, and an interrupted one has another number.
    let subject = |message: &String| message.lines().next().unwrap_or_default().to_owned();
    End {
        documents,
        files: machine.files.clone(),
        history: machine.history().iter().map(subject).collect(),
        ending,
        operations: world.operations,
    }
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_768_228_200).unwrap_or_default()
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        Offset::UTC
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
            let end = run(case, &mut report).unwrap();
            assert_eq!(end.history.len(), 3, "{seed}: {:?}", end.history);
        }
    }
}
