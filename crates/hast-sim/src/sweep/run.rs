//! One run of the script, and the sweep over every operation at which it can be interrupted.

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::store::policy::AnyRole;
use hast_flow::store::root::Rule;
use hast_flow::store::{
    Committed, DocPath, HistoryClass, Opened, Options, Seen, Store, StoreError,
};

use super::case::{Case, Mode, Report};
use super::check::{Counts, Move, settle};
use super::script::{Attempt, Author, Documents, EDITABLE, Known, LOG, WHOLE};
use crate::disk::{Edit, EditStyle, Event, Fault, FaultKind, SimDisk, World};
use crate::rng::Rng;

/// Runs the script of each seed once undisturbed, then interrupted at every operation.
pub fn sweep(seeds: impl IntoIterator<Item = u64>, every: u64, broken: Option<Rule>) -> Report {
    let mut report = Report::default();
    for seed in seeds {
        let quiet = Case { seed, mode: Mode::Quiet, at: 0 };
        let operations = replay(quiet, broken, &mut report);
        for mode in Mode::ALL {
            let first = 1 + seed % every;
            for at in (first..=operations).step_by(every as usize) {
                replay(Case { seed, mode, at }, broken, &mut report);
                if broken.is_some() && !report.diverged.is_empty() {
                    // One is all that is wanted of a fault that was planted.
                    return report;
                }
            }
        }
    }
    report
}

/// Runs one case; returns how many operations it took.
pub fn replay(case: Case, broken: Option<Rule>, report: &mut Report) -> u64 {
    let mut run = Run::new(case, broken);
    let result = run.script();
    report.runs += 1;
    report.commits += run.commits;
    let world = run.world.borrow();
    for event in &world.events {
        match event {
            Event::Died { .. } => report.crashes += 1,
            Event::Edited { .. } => report.edits += 1,
        }
    }
    if let Err(why) = result {
        report.diverged.push((case, why));
    }
    world.operations
}

const STEPS: usize = 9;
const TRIES: usize = 8;
const MOST_BLOWS: u32 = 2;
const POLICY: AnyRole = AnyRole(HistoryClass::Pointer);

struct Run {
    case: Case,
    world: Rc<RefCell<World>>,
    options: Options,
    rng: Rng,
    stores: [Option<Store<SimDisk>>; 2],
    documents: Documents,
    /// Everything that was moved, whether or not a power cut undid it.
    moves: Vec<Move>,
    known: Known,
    edited: bool,
    commits: u64,
    blows: u32,
}

impl Run {
    fn new(case: Case, broken: Option<Rule>) -> Self {
        let mut world = World::new(case.seed);
        let rng = Rng::new(case.seed);
        let mut chance = rng.fork(case.at + 1_000);
        let mut at = case.at;
        if case.mode.edits() {
            let names = if chance.percent(30) { WHOLE } else { EDITABLE };
            let name = names[chance.below(names.len())];
            let in_place = WHOLE.contains(&name) && chance.percent(50);
            if let Ok(path) = DocPath::new(name) {
                // An edited log never has the length that a commit expects: only its length tells.
                let longer = if name == LOG { 5_000 } else { 0 };
                let filler = "e".repeat(longer + chance.below(200));
                world.plan_edit(Edit {
                    at,
                    path,
                    bytes: format!("edited by a person {filler}\n").into_bytes(),
                    style: if in_place { EditStyle::InPlace } else { EditStyle::Rename },
                });
            }
            at += chance.below(25) as u64;
        }
        if let Some(kind) = case.mode.fault() {
            world.plan_fault(Fault { at, kind });
        }
        Self {
            case,
            world: Rc::new(RefCell::new(world)),
            options: Options {
                journal_area: 8 << 10,
                checkpoint_commits: 4,
                inline_bytes: 600,
                broken,
            },
            rng,
            stores: [None, None],
            documents: Documents::new(),
            moves: Vec::new(),
            known: Known::new(),
            edited: false,
            commits: 0,
            blows: 0,
        }
    }

    fn script(&mut self) -> Result<(), String> {
        for number in 1..=STEPS {
            let mut chance = self.rng.fork(number as u64);
            let process = usize::from(chance.percent(25));
            if chance.percent(40) {
                self.world.borrow_mut().wait();
            }
            if chance.percent(12) {
                self.stale_step(number, process)?;
            } else {
                self.step(number, process)?;
            }
        }
        self.end()
    }

    fn step(&mut self, number: usize, process: usize) -> Result<(), String> {
        for _ in 0..TRIES {
            let events = self.world.borrow().events.len();
            if self.opened(process, events)?.is_none() {
                continue;
            }
            let events = self.absorb(events)?;
            let rng = self.rng.fork(number as u64 + 500);
            let Some(attempt) = self.decide(process, number, |store, known, documents| {
                Author::new(rng, store, known, number, documents).decide()
            })?
            else {
                self.after_failure(process, None, events)?;
                continue;
            };
            if self.try_commit(process, &attempt, events)? {
                return Ok(());
            }
        }
        Err("the run does not get on".to_owned())
    }

    /// Two processes decide on the same log; the slower one must be told.
    fn stale_step(&mut self, number: usize, process: usize) -> Result<(), String> {
        let events = self.world.borrow().events.len();
        if self.opened(process, events)?.is_none() {
            return Ok(());
        }
        let events = self.absorb(events)?;
        let rng = self.rng.fork(number as u64 + 700);
        let Some(attempt) = self.decide(process, number, |store, _, documents| {
            Author::new(rng, store, &Known::new(), number, documents).decide_line()
        })?
        else {
            return self.after_failure(process, None, events);
        };
        self.step(number + 100, 1 - process)?;
        let length = |documents: &Documents| documents.get(LOG).map(Vec::len);
        if length(&attempt.base) == length(&self.documents) {
            return Ok(());
        }
        let events = self.world.borrow().events.len();
        if self.opened(process, events)?.is_none() {
            return Ok(());
        }
        let events = self.absorb(events)?;
        let Some(store) = self.stores[process].as_mut() else {
            return Ok(());
        };
        let unchanged =
            Attempt { base: self.documents.clone(), next: self.documents.clone(), ..attempt };
        match store.commit(unchanged.change.clone(), &POLICY) {
            Ok(_) => Err("a change set that rested on an old log was accepted".to_owned()),
            Err(StoreError::Stale { .. }) => self.settled(&unchanged, Counts::No, events),
            Err(_) => self.after_failure(process, Some(&unchanged), events).map(|_| ()),
        }
    }

    /// Takes in what people did since, before anything is decided.
    fn absorb(&mut self, events: usize) -> Result<usize, String> {
        self.settled(&self.nothing(), Counts::No, events)?;
        Ok(self.world.borrow().events.len())
    }

    /// Reads and decides; none when the process died over it.
    fn decide(
        &self,
        process: usize,
        number: usize,
        author: impl FnOnce(&Store<SimDisk>, &Known, &Documents) -> Result<Attempt, StoreError>,
    ) -> Result<Option<Attempt>, String> {
        let store = self.stores[process].as_ref();
        let store = store.ok_or_else(|| format!("no store at step {number}"))?;
        self.world.borrow_mut().people_wait = true;
        let attempt = author(store, &self.known, &self.documents);
        self.world.borrow_mut().people_wait = false;
        Ok(attempt.ok())
    }

    fn nothing(&self) -> Attempt {
        Attempt {
            change: hast_flow::store::ChangeSet::new("sim", "nothing"),
            base: self.documents.clone(),
            next: self.documents.clone(),
            ours: std::collections::BTreeMap::new(),
            moves: Vec::new(),
        }
    }

    /// Tries one commit; true when it was acknowledged.
    fn try_commit(
        &mut self,
        process: usize,
        attempt: &Attempt,
        events: usize,
    ) -> Result<bool, String> {
        let Some(store) = self.stores[process].as_mut() else {
            return Ok(false);
        };
        match store.commit(attempt.change.clone(), &POLICY) {
            Ok(committed) => {
                self.commits += 1;
                self.learn(&committed);
                let due = self.stores[process].as_ref().is_some_and(Store::checkpoint_due);
                let alive = !due || self.checkpoint(process);
                if alive {
                    self.settled(attempt, Counts::Yes, events)?;
                } else {
                    self.reopen(process)?;
                    self.settled(attempt, Counts::Yes, events)?;
                }
                Ok(true)
            }
            Err(StoreError::Stale { path }) => {
                self.known.clear();
                let edited = self.world.borrow().events.len() > events;
                if !edited {
                    return Err(format!("{path} was called stale and is not"));
                }
                self.settled(attempt, Counts::No, events)?;
                Ok(false)
            }
            Err(StoreError::Disk(_)) if self.is_alive(process) => {
                self.settled(attempt, Counts::No, events)?;
                Ok(false)
            }
            Err(_) => self.after_failure(process, Some(attempt), events).map(|()| false),
        }
    }

    fn checkpoint(&mut self, process: usize) -> bool {
        let done = self.stores[process].as_mut().map(Store::checkpoint);
        matches!(done, Some(Ok(())))
    }

    fn learn(&mut self, committed: &Committed) {
        for (path, seen) in &committed.now {
            match seen {
                Seen::File(identity) if committed.conflicts.is_empty() => {
                    self.known.insert(path.to_string(), *identity);
                }
                _ => {
                    self.known.clear();
                }
            }
        }
    }

    fn is_alive(&self, process: usize) -> bool {
        let Some(store) = &self.stores[process] else {
            return false;
        };
        self.world.borrow().is_alive(store.disk().process())
    }

    /// The process died or stopped: somebody takes over, and then everything must be right.
    fn after_failure(
        &mut self,
        process: usize,
        attempt: Option<&Attempt>,
        events: usize,
    ) -> Result<(), String> {
        self.reopen(process)?;
        let nothing = self.nothing();
        self.settled(attempt.unwrap_or(&nothing), Counts::Unknown, events)
    }

    fn reopen(&mut self, process: usize) -> Result<(), String> {
        self.known.clear();
        let died = !self.is_alive(process);
        self.stores[process] = None;
        if died && self.case.mode.cuts_power() {
            self.world.borrow_mut().cut_power();
            self.stores = [None, None];
        }
        // A second blow while the first is being repaired.
        let mut chance = self.rng.fork(self.case.at + 77);
        if died && self.blows < MOST_BLOWS && chance.percent(40) {
            self.blows += 1;
            let at = self.world.borrow().operations + 1 + chance.below(60) as u64;
            let kind = FaultKind::DieAfter;
            self.world.borrow_mut().plan_fault(Fault { at, kind });
        }
        let other = 1 - process;
        let survivor = died && chance.percent(50) && self.is_alive(other);
        for _ in 0..TRIES {
            if survivor && self.is_alive(other) {
                let looked = self.stores[other].as_mut().map(|s| s.read_together(|_| Ok(())));
                if matches!(looked, Some(Ok(()))) {
                    return Ok(());
                }
                self.stores[other] = None;
            }
            let disk = SimDisk::start(&self.world);
            let process_id = disk.process();
            match Store::open(disk, self.options) {
                Ok((store, opened)) => {
                    self.world.borrow_mut().recovered();
                    self.check_opened(&opened)?;
                    self.stores[process] = Some(store);
                    return Ok(());
                }
                Err(_) => {
                    let dead = !self.world.borrow().is_alive(process_id);
                    if dead && self.case.mode.cuts_power() {
                        self.world.borrow_mut().cut_power();
                        self.stores = [None, None];
                    }
                    self.world.borrow_mut().exit(process_id);
                }
            }
        }
        Err("the root cannot be opened".to_owned())
    }

    fn check_opened(&self, opened: &Opened) -> Result<(), String> {
        let edits = self.case.mode.edits();
        match opened.conflicts.first() {
            Some(conflict) if !edits => Err(format!("nobody edited {}", conflict.path)),
            _ => Ok(()),
        }
    }

    /// Makes sure that the process has its store; none when opening it was interrupted.
    fn opened(&mut self, process: usize, events: usize) -> Result<Option<()>, String> {
        if !self.is_alive(process) {
            self.stores[process] = None;
        }
        if self.stores[process].is_none() {
            let disk = SimDisk::start(&self.world);
            let process_id = disk.process();
            match Store::open(disk, self.options) {
                Ok((store, opened)) => {
                    self.world.borrow_mut().recovered();
                    self.check_opened(&opened)?;
                    self.stores[process] = Some(store);
                }
                Err(_) => {
                    self.world.borrow_mut().exit(process_id);
                    self.after_failure(process, None, events)?;
                    return Ok(None);
                }
            }
        }
        Ok(Some(()))
    }

    fn settled(&mut self, attempt: &Attempt, counts: Counts, from: usize) -> Result<(), String> {
        let world = self.world.borrow();
        let events = &world.events[from..];
        let documents = settle(&world, attempt, counts, events, &self.moves)?;
        self.moves.extend_from_slice(&attempt.moves);
        for event in events {
            if let Event::Edited { path, .. } = event {
                self.known.remove(path.as_str());
                self.edited = true;
            }
        }
        self.documents = documents;
        Ok(())
    }

    /// Everybody leaves; then nothing may be left to do, and nothing left over.
    fn end(&mut self) -> Result<(), String> {
        let events = self.world.borrow().events.len();
        self.world.borrow_mut().forget_plans();
        self.blows = MOST_BLOWS;
        for process in 0..2 {
            if self.stores[process].is_some() && !self.is_alive(process) {
                self.reopen(process)?;
            }
        }
        let stores = std::mem::take(&mut self.stores);
        for store in stores.into_iter().flatten() {
            match store.close() {
                Ok(()) => {}
                // A process that stopped leaves the closing to the next one.
                Err(StoreError::Stopped) => self.close_anew()?,
                Err(error) => return Err(format!("closing failed: {error}")),
            }
        }
        self.world.borrow_mut().cut_power();
        let disk = SimDisk::start(&self.world);
        let opened = Store::open(disk, self.options);
        let (_, opened) = opened.map_err(|error| format!("the last opening failed: {error}"))?;
        if opened != Opened::default() {
            return Err(format!("work was left after closing: {opened:?}"));
        }
        let nothing = self.nothing();
        self.settled(&nothing, Counts::No, events)?;
        let world = self.world.borrow();
        let left = world.all_files().into_keys().find(|path| {
            path.starts_with(".hast/tmp/") || path.starts_with(".hast/conflicts/") && !self.edited
        });
        left.map_or(Ok(()), |path| Err(format!("{path} was left over")))
    }
}

impl Run {
    fn close_anew(&mut self) -> Result<(), String> {
        let opened = Store::open(SimDisk::start(&self.world), self.options);
        let closed = opened.and_then(|(store, _)| store.close());
        closed.map_err(|error| format!("closing anew failed: {error}"))
    }
}
