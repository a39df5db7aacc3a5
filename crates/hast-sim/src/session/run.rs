//! Runs one session to its end through a planned disaster, and compares it with the undisturbed one.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use hast_flow::driver::{Bounds, Driver, InTurn};
use hast_flow::flows::session::{NewSession, SessionFlow};
use hast_flow::ports::Clock;
use hast_flow::steps::Ending;
use hast_flow::store::{Options, Store};
use hast_flow::words::Lang;
use jiff::Timestamp;
use jiff::tz::Offset;

use super::actors::Actors;
use super::checks;
use crate::disk::{Event, Fault, FaultKind, SimDisk, World};

/// How often a session may be taken up again before we call it stuck.
const MOST_LIVES: u32 = 40;

/// One session and where it is hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub seed: u64,
    pub blow: Blow,
    pub at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    None,
    Kill(FaultKind),
    Power(FaultKind),
}

/// What a sweep found.
#[derive(Debug, Default)]
pub struct Report {
    pub runs: u64,
    /// Processes that died in the middle.
    pub crashes: u64,
    /// Power cuts, also of a machine at rest.
    pub power_cuts: u64,
    pub effects: u64,
    pub diverged: Vec<(Case, String)>,
}

struct End {
    files: BTreeMap<String, Vec<u8>>,
    ending: &'static str,
    operations: u64,
}

/// Hits each session of the seeds at every `every`-th operation, with each kind of blow.
pub fn sweep(seeds: std::ops::Range<u64>, every: u64) -> Report {
    let mut report = Report::default();
    for seed in seeds {
        let calm = Case { seed, blow: Blow::None, at: 0 };
        let undisturbed = match run(calm, &mut report) {
            Ok(end) => end,
            Err(why) => {
                report.diverged.push((calm, why));
                continue;
            }
        };
        for at in
            (1 + seed % every..undisturbed.operations).step_by(usize::try_from(every).unwrap_or(1))
        {
            for blow in blows(at) {
                let case = Case { seed, blow, at };
                if let Err(why) = run(case, &mut report).and_then(|end| same(&undisturbed, &end)) {
                    report.diverged.push((case, why));
                }
            }
        }
    }
    report
}

fn blows(at: u64) -> [Blow; 2] {
    use FaultKind::{Broken, Denied, DieAfter, DieBefore, Full};
    let refused = [Full, Denied, Broken][usize::try_from(at % 3).unwrap_or(0)];
    match at % 3 {
        0 => [Blow::Kill(DieBefore), Blow::Power(DieAfter)],
        1 => [Blow::Kill(DieAfter), Blow::Power(DieBefore)],
        _ => [Blow::Power(DieAfter), Blow::Kill(refused)],
    }
}

fn same(calm: &End, hit: &End) -> Result<(), String> {
    if calm.ending != hit.ending {
        return Err(format!("ended {} instead of {}", hit.ending, calm.ending));
    }
    let ours = |end: &End| -> BTreeMap<String, Vec<u8>> {
        let files = end.files.iter().filter(|(path, _)| !path.starts_with(".hast/"));
        files.map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
    };
    let (calm, hit) = (ours(calm), ours(hit));
    let differs = calm.iter().find(|(path, bytes)| hit.get(*path) != Some(bytes));
    let extra = hit.keys().find(|path| !calm.contains_key(*path));
    match differs.map(|(path, _)| path).or(extra) {
        Some(path) => Err(format!("{path} differs from the undisturbed run")),
        None => Ok(()),
    }
}

fn run(case: Case, report: &mut Report) -> Result<End, String> {
    report.runs += 1;
    let world = Rc::new(RefCell::new(World::new(case.seed)));
    if let Blow::Kill(kind) | Blow::Power(kind) = case.blow {
        world.borrow_mut().plan_fault(Fault { at: case.at, kind });
    }
    let new =
        NewSession { query: "질문".to_owned(), system_prompt: String::new(), review_rules: None };
    let flow = SessionFlow { new: Some(new), max_regenerations: 2 };
    let mut actors = Actors::new(case.seed);
    for _ in 0..MOST_LIVES {
        let life = live(&world, &flow, &mut actors)?;
        // What a reader could see when the process ended must still be there after the repair.
        let seen = world.borrow().all_files();
        if let Some(ending) = life {
            checks::documents_hold(&seen)?;
            let state = world.borrow();
            let died = state.events.iter().filter(|event| matches!(event, Event::Died { .. }));
            report.crashes += died.count() as u64;
            report.effects += actors.performed.values().map(|times| u64::from(*times)).sum::<u64>();
            return Ok(End { files: seen, ending, operations: state.operations });
        }
        if let Blow::Power(_) = case.blow {
            report.power_cuts += 1;
            world.borrow_mut().cut_power();
        }
        if let Some(repaired) = recovered(&world)? {
            checks::history_is_kept(&seen, &repaired)?;
            checks::documents_hold(&repaired)?;
        }
    }
    Err("the session never ends".to_owned())
}

/// One process: it ends with an ending, or dies, or waits for a limit to pass.
fn live(
    world: &Rc<RefCell<World>>,
    flow: &SessionFlow,
    actors: &mut Actors,
) -> Result<Option<&'static str>, String> {
    let disk = SimDisk::start(world);
    let process = disk.process();
    let clock = Still;
    let opened = Store::open(disk, small()).map_err(|error| error.to_string());
    let driven = opened.and_then(|(store, _)| {
        let bounds = Bounds { steps: 2_000, stale: 4 };
        let mut driver = Driver::new(flow, store, &clock, Lang::Ko, bounds)
            .map_err(|error| error.to_string())?;
        let ending = driver
            .drive(&mut InTurn::new(|key: &_, effect: &_| actors.perform(key, effect)))
            .map_err(|error| error.to_string())?;
        let fresh = fresh_view(world, flow, &clock)?;
        checks::views_agree(driver.view(), &fresh).map_err(|why| format!("!{why}"))?;
        Ok(ending)
    });
    world.borrow_mut().exit(process);
    match driven {
        Ok(Ending::Done(_)) => Ok(Some("done")),
        Ok(Ending::Failed(_)) => Ok(Some("failed")),
        Ok(Ending::Waiting { .. } | Ending::Interrupted(_)) => Ok(None),
        Ok(Ending::Blocked(notice)) => Err(notice.what),
        Err(why) if why.starts_with('!') => Err(why),
        // A dead or refused process says nothing that counts; the next one finds out.
        Err(_) => Ok(None),
    }
}

fn fresh_view(
    world: &Rc<RefCell<World>>,
    flow: &SessionFlow,
    clock: &Still,
) -> Result<hast_flow::flows::session::View, String> {
    let disk = SimDisk::start(world);
    let process = disk.process();
    let (store, _) = Store::open(disk, small()).map_err(|error| error.to_string())?;
    let driver = Driver::new(flow, store, clock, Lang::Ko, Bounds::default())
        .map_err(|error| error.to_string())?;
    let view = driver.view().clone();
    world.borrow_mut().exit(process);
    Ok(view)
}

/// The files after whoever comes next has repaired what the last one left; none if that one was
/// hit in its turn.
fn recovered(world: &Rc<RefCell<World>>) -> Result<Option<BTreeMap<String, Vec<u8>>>, String> {
    let disk = SimDisk::start(world);
    let process = disk.process();
    let planned = world.borrow().faults_left();
    let opened = Store::open(disk, small());
    let was_hit = world.borrow().faults_left() < planned;
    world.borrow_mut().exit(process);
    match opened {
        Ok(_) => Ok(Some(world.borrow().all_files())),
        Err(error) if !was_hit => Err(format!("the root cannot be opened: {error}")),
        Err(_) => Ok(None),
    }
}

fn small() -> Options {
    Options {
        journal_area: 64 << 10,
        checkpoint_commits: 5,
        inline_bytes: 2_000,
        ..Options::default()
    }
}

/// A clock that stands still, so that two runs print the same times.
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_768_228_200).unwrap_or_default()
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        Offset::UTC
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {} {:?} at operation {}", self.seed, self.blow, self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hast_flow::flows::session::layout;

    #[test]
    fn a_session_hit_anywhere_ends_like_one_that_was_not() {
        let report = sweep(1..7, 29);
        let told: Vec<String> =
            report.diverged.iter().take(5).map(|(case, why)| format!("{case}: {why}")).collect();
        assert_eq!(told, Vec::<String>::new());
        assert!(report.crashes > 100 && report.power_cuts > 100, "{report:?}");
    }

    /// The checks are worth nothing if they cannot fail.
    #[test]
    fn each_check_finds_what_it_is_for() {
        let mut report = Report::default();
        let end = run(Case { seed: 3, blow: Blow::None, at: 0 }, &mut report).unwrap();
        assert_eq!(checks::documents_hold(&end.files), Ok(()));
        let log = String::from_utf8(end.files[layout::LOG].clone()).unwrap();
        let last = log.lines().last().unwrap().to_owned() + "\n";
        let with = |path: &str, text: String| {
            let mut files = end.files.clone();
            files.insert(path.to_owned(), text.into_bytes());
            files
        };
        let shorter = with(layout::LOG, log.replace(&last, ""));
        assert!(checks::history_is_kept(&end.files, &shorter).is_err());
        assert!(checks::documents_hold(&shorter).is_err(), "the pointer is ahead of the log");
        assert!(checks::documents_hold(&with(layout::LOG, format!("{log}{last}"))).is_err());
        let started = log.lines().find(|line| line.contains("TASK_STARTED")).unwrap();
        let again = started.replace("EV-20260112T143000Z-", "EV-20260112T143000Z-9");
        let twice = log.replacen(started, &format!("{started}\n{again}"), 1);
        assert!(checks::documents_hold(&with(layout::LOG, twice)).is_err(), "a task began twice");
        let steps = String::from_utf8(end.files[".hast/steps.ndjson"].clone()).unwrap();
        assert!(checks::documents_hold(&with(".hast/steps.ndjson", steps.repeat(2))).is_err());
        let report = end.files.keys().find(|path| path.starts_with("critique/reports/")).unwrap();
        let failed = String::from_utf8(end.files[report].clone()).unwrap().replace("PASS", "FAIL");
        assert!(
            checks::documents_hold(&with(report, failed)).is_err(),
            "knowledge that did not pass"
        );
        let other = End { files: shorter, ending: "done", operations: 0 };
        assert!(same(&end, &other).is_err());
    }
}
