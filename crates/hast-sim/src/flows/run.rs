//! Runs one case to its end, life after life, and compares it with the undisturbed run.

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::driver::{Bounds, Driver, Flow, Rule};
use hast_flow::steps::{Ending, WaitsFor};
use hast_flow::store::{DocPath, Options, Store, StoreError};
use hast_flow::words::Lang;

use super::Name;
use super::case::{Blow, Case, Report};
use super::effects::{Disturbance, Effects, Ledger, SimClock};
use super::person::{Person, words_of};
use super::subject::{Files, Promise, Subject, history_is_kept, same};
use super::watched::Watched;
use crate::disk::{Edit, EditStyle, Event, Fault, SimDisk, World};
use crate::planted::Planted;
use crate::rng::Rng;

/// How often a run may be taken up again before we call it stuck.
const MOST_LIVES: u32 = 60;

/// How a run ended, and what it took.
pub(super) struct End {
    essence: Files,
    operations: u64,
    effects: u64,
    /// Looks at the clock: one or more for each decision.
    looks: u64,
    /// Documents that the flow has looked at.
    read: Vec<DocPath>,
}

impl End {
    /// The places at which a blow can come, and every how many-th of them is hit.
    fn places(&self, blow: Blow, every: u64) -> (u64, u64) {
        match blow {
            Blow::Second | Blow::Interrupt => (self.effects, (every / 48).max(1)),
            Blow::SecondMeanwhile => (self.looks, (every / 12).max(1)),
            _ => (self.operations, every),
        }
    }
}

/// Hits a flow with each kind of blow at every `every`-th place.
pub fn sweep<S: Subject>(
    flow: Name,
    seed: u64,
    every: u64,
    new: impl Fn(u64) -> S,
    report: &mut Report,
) {
    let calm_case = Case { flow, seed, blow: None, at: 0 };
    let calm = match run(calm_case, new(seed), Person::default(), report) {
        Ok(calm) => calm,
        Err(why) => return report.diverged.push((calm_case, why)),
    };
    let may_spoil = new(seed).may_be_spoiled();
    if may_spoil {
        report.looked_at(&calm.read);
    }
    for (number, blow) in Blow::ALL.into_iter().enumerate() {
        if blow == Blow::EditAny && !may_spoil || !report.wants(blow) {
            continue;
        }
        let (most, every) = calm.places(blow, every);
        let first = 1 + (seed + number as u64 * 7) % every;
        for at in (first..=most).step_by(usize::try_from(every).unwrap_or(1)) {
            compare(Case { flow, seed, blow: Some(blow), at }, new(seed), &calm, report);
            if report.is_enough() {
                return;
            }
        }
    }
}

/// Runs one case again.
pub fn replay<S: Subject>(case: Case, new: impl Fn(u64) -> S, report: &mut Report) {
    let calm = Case { blow: None, at: 0, ..case };
    match run(calm, new(case.seed), Person::default(), report) {
        Ok(calm) => compare(case, new(case.seed), &calm, report),
        Err(why) => report.diverged.push((calm, why)),
    }
}

fn compare<S: Subject>(case: Case, subject: S, calm: &End, report: &mut Report) {
    let person = Person::of(case, &subject, &calm.read);
    let promise = person.edit.as_ref().map_or(Promise::SameEnd, |edit| edit.promise);
    let but = person.edit.as_ref().map(|edit| edit.path.to_string());
    let ended = run(case, subject, person, report).and_then(|hit| match promise {
        Promise::SameEnd => same(&calm.essence, &hit.essence, but.as_deref()),
        Promise::SomeEnd | Promise::Told => Ok(()),
    });
    if let Err(why) = ended {
        report.diverged.push((case, why));
    }
}

fn run<S: Subject>(
    case: Case,
    subject: S,
    person: Person,
    report: &mut Report,
) -> Result<End, String> {
    report.begins(case, person.edit.as_ref());
    let run = Rc::new(Run {
        case,
        flow: Watched::with(subject.flow(), report.planted),
        second: Watched::with(subject.second(), report.planted),
        subject: Rc::new(subject),
        machine: Rc::new(RefCell::new(World::new(case.seed))),
        ledger: Ledger::default(),
        person,
        broken: (report.planted == Some(Planted::Driver)).then_some(Rule::ReadNews),
    });
    run.plan();
    let ended = run.lives();
    if let Some(lives) = &mut report.lives {
        let edit = run.person.edit.as_ref().map_or("", |edit| edit.path.as_str());
        lives.push(format!("{case}: {edit}"));
        lives.append(&mut run.ledger.lives.borrow_mut());
    }
    let machine = run.machine.borrow();
    let died = machine.events.iter().filter(|event| matches!(event, Event::Died { .. }));
    report.crashes += died.count() as u64;
    report.effects += run.ledger.effects.get();
    for (mood, times) in run.ledger.moods.borrow().iter() {
        *report.moods.entry(mood).or_default() += times;
    }
    ended
}

struct Run<S: Subject> {
    case: Case,
    subject: Rc<S>,
    flow: Watched<S::Flow>,
    second: Watched<S::Flow>,
    machine: Rc<RefCell<World>>,
    ledger: Ledger,
    person: Person,
    /// A rule that the driver leaves out.
    broken: Option<Rule>,
}

impl<S: Subject> Run<S> {
    fn plan(&self) {
        let mut machine = self.machine.borrow_mut();
        let Case { blow, at, .. } = self.case;
        if let Some(kind) = blow.and_then(Blow::fault) {
            machine.plan_fault(Fault { at, kind });
        }
        drop(machine);
        self.person.plan(at, &self.machine);
    }

    fn lives(self: &Rc<Self>) -> Result<End, String> {
        for life in 0..MOST_LIVES {
            let ending = self.live(life)?;
            // What a reader could see when the process ended must still be there after the repair.
            let seen = self.files();
            if let Some(ending) = ending {
                self.documents_hold(&seen)?;
                self.person.edit_is_kept(&self.machine.borrow())?;
                let essence = self.subject.essence(&seen, ending);
                let operations = self.machine.borrow().operations;
                let (effects, looks) = (self.ledger.effects.get(), self.ledger.looks.get());
                let read = self.flow.read.borrow().iter().cloned().collect();
                return Ok(End { essence, operations, effects, looks, read });
            }
            if self.case.blow.is_some_and(Blow::cuts_power) {
                self.machine.borrow_mut().cut_power();
            }
            if let Some(repaired) = self.repaired()? {
                history_is_kept(self.subject.logs(), &seen, &repaired)?;
                self.documents_hold(&repaired)?;
            }
        }
        Err("it never ends".to_owned())
    }

    /// One process: it ends with an ending, or dies, or waits for something to pass.
    fn live(self: &Rc<Self>, life: u32) -> Result<Option<&'static str>, String> {
        let mut disk = SimDisk::start(&self.machine);
        let process = disk.process();
        if self.case.blow == Some(Blow::SecondAnywhere) {
            let (run, at) = (Rc::clone(self), self.case.at);
            disk = disk.visited(Rc::new(move || run.visit(at, life)));
        }
        let disturbance = match self.case.blow {
            Some(Blow::Second) => Disturbance::Second { at: self.case.at },
            Some(Blow::SecondMeanwhile) => Disturbance::Meanwhile { at: self.case.at },
            Some(Blow::Interrupt) => Disturbance::Interrupt { at: self.case.at },
            _ => Disturbance::None,
        };
        let bounds = Bounds { steps: 4_000, stale: 4 };
        let driven = self.drive(&self.flow, disk, bounds, disturbance, life);
        self.machine.borrow_mut().exit(process);
        self.ledger.lived(life, driven.as_ref().map(|(ending, _)| ending));
        let ending = match driven {
            Ok((ending, view)) => {
                self.agrees(&view, &ending)?;
                self.judge(Ok(ending))
            }
            Err(error) => self.judge(Err(error)),
        };
        for flow in [&self.flow, &self.second] {
            for commit in flow.commits.borrow_mut().drain(..) {
                self.subject.role_is_kept(&commit)?;
            }
        }
        match self.ledger.broken.borrow_mut().take() {
            Some(why) => Err(why),
            None => ending,
        }
    }

    /// What the person makes of the end of a process: the ending of the run, or none where they go on.
    fn judge(&self, driven: Result<Ending, StoreError>) -> Result<Option<&'static str>, String> {
        let told = match &driven {
            Ok(ending) => self.person.is_told(&words_of(ending)),
            Err(error) => self.person.is_told(&error.to_string()),
        };
        match driven {
            Ok(Ending::Done(_)) => Ok(Some("done")),
            Ok(Ending::Failed(_)) => Ok(Some("failed")),
            Ok(Ending::Waiting { on: WaitsFor::Person, .. }) => {
                self.ledger.mood("asked");
                self.answer();
                Ok(None)
            }
            Ok(Ending::Waiting { .. } | Ending::Interrupted(_)) => Ok(None),
            // A login, a missing program: a person sees to it.
            Ok(Ending::Blocked(notice)) if notice.what.contains("actor") => Ok(None),
            Ok(Ending::Blocked(notice)) if notice.what.contains("no such program") => Ok(None),
            Ok(Ending::Blocked(_)) | Err(_) if told => {
                self.ledger.mood("edit conflict");
                self.person.put_right(&self.machine);
                Ok(self.person.gives_up().then_some("told"))
            }
            Ok(Ending::Blocked(notice)) if self.person.may_stay(&notice.next) => {
                Ok(Some("blocked"))
            }
            Ok(Ending::Blocked(notice)) => Err(notice.what),
            // A dead or refused process says nothing that counts; the next one finds out.
            Err(_) => Ok(None),
        }
    }

    /// The person answers what was asked.
    fn answer(&self) {
        if let Some((path, bytes)) = self.subject.answer(&self.files()) {
            let at = self.machine.borrow().operations;
            let style = EditStyle::Rename;
            self.machine.borrow_mut().plan_edit(Edit { at, path, bytes, style });
        }
    }

    fn drive(
        &self,
        flow: &Watched<S::Flow>,
        disk: SimDisk,
        bounds: Bounds,
        disturbance: Disturbance,
        life: u32,
    ) -> Result<(Ending, <S::Flow as Flow>::View), StoreError> {
        let second = |chance: &mut Rng| self.second(chance, life);
        let meanwhile = || {
            self.ledger.looks.set(self.ledger.looks.get() + 1);
            if let Disturbance::Meanwhile { at } = disturbance
                && self.ledger.looks.get() >= at
                && !self.ledger.disturbed.replace(true)
            {
                self.ledger.mood("second driver");
                second(&mut Rng::new(self.case.seed).fork(at));
                self.ledger.unread.set(self.ledger.looks.get());
            }
        };
        let (machine, moves) = (Rc::clone(&self.machine), self.subject.clock_moves());
        let clock = SimClock { machine, moves, meanwhile: &meanwhile };
        let (store, _) = Store::open(disk, small())?;
        let mut driver = Driver::new(flow, store, &clock, Lang::Ko, bounds)?;
        if let Some(rule) = self.broken {
            driver.break_rule(rule);
        }
        let mut effects = Effects {
            subject: &*self.subject,
            machine: Rc::clone(&self.machine),
            ledger: &self.ledger,
            seed: self.case.seed,
            chance: Rng::new(self.case.seed).fork(u64::from(life) + 9),
            disturbance,
            second: &second,
            running: Vec::new(),
            cancelled: false,
        };
        let ending = driver.drive(&mut effects)?;
        Ok((ending, driver.view().clone()))
    }

    /// The second driver comes at the first operation from `at` on at which nobody holds a lock: one
    /// who holds it is waited for.
    fn visit(&self, at: u64, life: u32) {
        let due = || {
            let machine = self.machine.borrow();
            machine.operations >= at && !machine.is_locked()
        };
        if !self.ledger.disturbed.get() && due() {
            self.ledger.disturbed.set(true);
            self.ledger.mood("second driver");
            self.second(&mut Rng::new(self.case.seed).fork(at), life);
            // The first may have looked around already for its next decision.
            self.ledger.unread.set(self.ledger.looks.get() + 1);
        }
    }

    /// A second driver works on the same root for some steps, while the first one waits.
    fn second(&self, chance: &mut Rng, life: u32) {
        let disk = SimDisk::start(&self.machine);
        let process = disk.process();
        let steps = 1 + chance.below(30) as u64;
        // However it ends, what it did must be right.
        let _: Result<_, StoreError> = self.drive(
            &self.second,
            disk,
            Bounds { steps, stale: 4 },
            Disturbance::None,
            life + 100,
        );
        self.machine.borrow_mut().exit(process);
    }

    /// Whether the kept view is what a fresh read says.
    fn agrees(&self, kept: &<S::Flow as Flow>::View, ending: &Ending) -> Result<(), String> {
        if self.person.edit.is_some() || !matches!(ending, Ending::Done(_) | Ending::Failed(_)) {
            // A person may have saved something since the last look.
            return Ok(());
        }
        if self.ledger.looks.get() <= self.ledger.unread.get() {
            // So may a second driver: the first ended with the decision that it was at.
            return Ok(());
        }
        let planned = self.machine.borrow().faults_left();
        let disk = SimDisk::start(&self.machine);
        let process = disk.process();
        let machine = Rc::clone(&self.machine);
        let clock = SimClock { machine, moves: false, meanwhile: &|| {} };
        let fresh = Store::open(disk, small()).and_then(|(store, _)| {
            let driver = Driver::new(&self.flow, store, &clock, Lang::Ko, Bounds::default())?;
            Ok(driver.view().clone())
        });
        let hit = self.machine.borrow().faults_left() < planned;
        self.machine.borrow_mut().exit(process);
        match fresh {
            Ok(fresh) => self.subject.views_agree(kept, &fresh),
            Err(_) if hit => Ok(()),
            Err(error) => Err(format!("a fresh read fails: {error}")),
        }
    }

    /// The files after whoever comes next has repaired what the last one left; none if that one was
    /// hit in its turn.
    fn repaired(&self) -> Result<Option<Files>, String> {
        let planned = self.machine.borrow().faults_left();
        let disk = SimDisk::start(&self.machine);
        let process = disk.process();
        let opened = Store::open(disk, small());
        let hit = self.machine.borrow().faults_left() < planned;
        self.machine.borrow_mut().exit(process);
        match opened {
            Ok(_) => Ok(Some(self.files())),
            Err(error) if !hit => Err(format!("the root cannot be opened: {error}")),
            Err(_) => Ok(None),
        }
    }

    fn files(&self) -> Files {
        self.machine.borrow().all_files()
    }

    /// Of what follows from a document that a person spoiled nothing is promised.
    fn documents_hold(&self, files: &Files) -> Result<(), String> {
        if self.person.spoils() {
            return Ok(());
        }
        let edited = self.person.edit.as_ref().map(|edit| edit.path.as_str());
        self.subject.documents_hold(files, edited)
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

#[cfg(test)]
mod tests {
    use super::super::effects::begun_after_its_end;
    use super::*;
    use crate::session::Session;
    use hast_flow::steps::StepKey;

    fn end() -> (Rc<Session>, Files, Files) {
        let subject = Rc::new(Session::one_by_one(3));
        let case = Case { flow: Name::Session, seed: 3, blow: None, at: 0 };
        let machine = Rc::new(RefCell::new(World::new(3)));
        let (flow, second) = (Watched::new(subject.flow()), Watched::new(subject.second()));
        let (tested, ledger) = (Rc::clone(&subject), Ledger::default());
        let (person, broken) = (Person::default(), None);
        let run =
            Rc::new(Run { case, subject: tested, flow, second, machine, ledger, person, broken });
        let essence = run.lives().map(|end| end.essence).unwrap();
        let files = run.files();
        (subject, files, essence)
    }

    /// The checks are worth nothing if they cannot fail.
    #[test]
    fn a_step_begun_after_its_end_and_two_ends_that_differ_are_found() {
        let (_, files, essence) = end();
        let steps = &files[".hast/steps.ndjson"];
        assert!(begun_after_its_end(steps, &StepKey::new(&["T-0001", "execute", "1"])).is_err());
        assert_eq!(begun_after_its_end(steps, &StepKey::new(&["T-0001", "execute", "9"])), Ok(()));
        assert_eq!(same(&essence, &essence, None), Ok(()));
        let mut other = essence.clone();
        other.insert("verdict.md".to_owned(), b"another".to_vec());
        assert!(same(&essence, &other, None).is_err());
        assert_eq!(same(&essence, &other, Some("verdict.md")), Ok(()));
        other = essence.clone();
        other.insert("left-over".to_owned(), Vec::new());
        assert!(same(&essence, &other, None).is_err());
    }

    #[test]
    fn a_log_that_lost_a_line_is_found() {
        let (subject, files, _) = end();
        let mut after = files.clone();
        let log = after.get_mut(hast_flow::flows::session::layout::LOG).unwrap();
        log.pop();
        assert!(history_is_kept(subject.logs(), &files, &after).is_err());
        assert_eq!(history_is_kept(subject.logs(), &after, &files), Ok(()));
    }
}
