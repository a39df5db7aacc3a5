//! Runs one case to its end, life after life, and compares it with the undisturbed run.

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::driver::{Bounds, Driver, Flow};
use hast_flow::steps::{Ending, WaitsFor};
use hast_flow::store::disk::Disk as _;
use hast_flow::store::{DocPath, Options, Store, StoreError};
use hast_flow::words::Lang;

use super::Name;
use super::case::{Blow, Case, Report};
use super::effects::{Disturbance, Effects, Ledger, SimClock};
use super::subject::{Files, PersonsEdit, Subject, history_is_kept, same};
use super::watched::Watched;
use crate::disk::{Edit, EditStyle, Event, Fault, SimDisk, World};
use crate::rng::Rng;

/// How often a run may be taken up again before we call it stuck.
const MOST_LIVES: u32 = 60;

/// How a run ended, and what it took.
pub(super) struct End {
    essence: Files,
    operations: u64,
    effects: u64,
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
    let calm = match run(calm_case, &new(seed), report) {
        Ok(calm) => calm,
        Err(why) => return report.diverged.push((calm_case, why)),
    };
    for (number, blow) in Blow::ALL.into_iter().enumerate() {
        let (most, every) = if blow.at_effect() {
            (calm.effects, (every / 48).max(1))
        } else {
            (calm.operations, every)
        };
        let first = 1 + (seed + number as u64 * 7) % every;
        for at in (first..=most).step_by(usize::try_from(every).unwrap_or(1)) {
            compare(Case { flow, seed, blow: Some(blow), at }, &new(seed), &calm, report);
        }
    }
}

/// Runs one case again.
pub fn replay<S: Subject>(case: Case, new: impl Fn(u64) -> S, report: &mut Report) {
    let calm = Case { blow: None, at: 0, ..case };
    match run(calm, &new(case.seed), report) {
        Ok(calm) => compare(case, &new(case.seed), &calm, report),
        Err(why) => report.diverged.push((calm, why)),
    }
}

fn compare<S: Subject>(case: Case, subject: &S, calm: &End, report: &mut Report) {
    let edit = planned_edit(case, subject);
    let ended = run(case, subject, report).and_then(|hit| match &edit {
        Some(edit) if !edit.harmless => Ok(()),
        edit => {
            let but = edit.as_ref().map(|edit| edit.path.as_str());
            same(&calm.essence, &hit.essence, but)
        }
    });
    if let Err(why) = ended {
        report.diverged.push((case, why));
    }
}

fn planned_edit<S: Subject>(case: Case, subject: &S) -> Option<PersonsEdit> {
    (case.blow == Some(Blow::Edit))
        .then(|| subject.edit(&mut Rng::new(case.seed).fork(case.at)))
        .flatten()
}

fn run<S: Subject>(case: Case, subject: &S, report: &mut Report) -> Result<End, String> {
    report.runs += 1;
    if let Some(blow) = case.blow {
        *report.blows.entry(blow.as_str()).or_default() += 1;
    }
    let run = Run {
        case,
        subject,
        flow: Watched::new(subject.flow()),
        second: Watched::new(subject.second()),
        machine: Rc::new(RefCell::new(World::new(case.seed))),
        ledger: Ledger::default(),
        edit: planned_edit(case, subject),
    };
    run.plan();
    let ended = run.lives();
    if let Some(lives) = &mut report.lives {
        let edit = run.edit.as_ref().map_or("", |edit| edit.path.as_str());
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

struct Run<'s, S: Subject> {
    case: Case,
    subject: &'s S,
    flow: Watched<S::Flow>,
    second: Watched<S::Flow>,
    machine: Rc<RefCell<World>>,
    ledger: Ledger,
    edit: Option<PersonsEdit>,
}

impl<S: Subject> Run<'_, S> {
    fn plan(&self) {
        let mut machine = self.machine.borrow_mut();
        let Case { blow, at, .. } = self.case;
        if let Some(kind) = blow.and_then(Blow::fault) {
            machine.plan_fault(Fault { at, kind });
        }
        if let Some(PersonsEdit { path, bytes, .. }) = self.edit.clone() {
            let style = if at % 2 == 0 { EditStyle::Rename } else { EditStyle::InPlace };
            machine.plan_edit(Edit { at, path, bytes, style });
        }
    }

    fn lives(&self) -> Result<End, String> {
        for life in 0..MOST_LIVES {
            let ending = self.live(life)?;
            // What a reader could see when the process ended must still be there after the repair.
            let seen = self.files();
            if let Some(ending) = ending {
                self.subject.documents_hold(&seen, self.edited())?;
                let essence = self.subject.essence(&seen, ending);
                let operations = self.machine.borrow().operations;
                return Ok(End { essence, operations, effects: self.ledger.effects.get() });
            }
            if self.case.blow.is_some_and(Blow::cuts_power) {
                self.machine.borrow_mut().cut_power();
            }
            if let Some(repaired) = self.repaired()? {
                history_is_kept(self.subject.logs(), &seen, &repaired)?;
                self.subject.documents_hold(&repaired, self.edited())?;
            }
        }
        Err("it never ends".to_owned())
    }

    /// One process: it ends with an ending, or dies, or waits for something to pass.
    fn live(&self, life: u32) -> Result<Option<&'static str>, String> {
        let disk = SimDisk::start(&self.machine);
        let process = disk.process();
        let disturbance = match self.case.blow {
            Some(Blow::Second) => Disturbance::Second { at: self.case.at },
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
                self.judge(ending)
            }
            // A dead or refused process says nothing that counts; the next one finds out.
            Err(_) => Ok(None),
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

    fn judge(&self, ending: Ending) -> Result<Option<&'static str>, String> {
        match ending {
            Ending::Done(_) => Ok(Some("done")),
            Ending::Failed(_) => Ok(Some("failed")),
            Ending::Waiting { on: WaitsFor::Person, .. } => {
                self.ledger.mood("asked");
                self.answer();
                Ok(None)
            }
            Ending::Waiting { .. } | Ending::Interrupted(_) => Ok(None),
            // A login, a missing program: a person sees to it.
            Ending::Blocked(notice) if notice.what.contains("actor") => Ok(None),
            Ending::Blocked(notice) if notice.what.contains("no such program") => Ok(None),
            Ending::Blocked(notice) => match &self.edit {
                Some(edit) if notice.what.contains(edit.file_name()) => {
                    self.ledger.mood("edit conflict");
                    self.put_right(edit);
                    Ok(None)
                }
                _ => Err(notice.what),
            },
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

    /// The person moves their file out of the way; what was there comes back.
    fn put_right(&self, edit: &PersonsEdit) {
        let path = &edit.path;
        let disk = SimDisk::start(&self.machine);
        let process = disk.process();
        let kept = edit.puts_back.then(|| self.kept_aside(path)).flatten();
        let ours = kept.or_else(|| {
            let machine = self.machine.borrow();
            machine.events.iter().find_map(|event| match event {
                Event::Edited { path: edited, over, .. } if edited == path => over.clone(),
                _ => None,
            })
        });
        // Where nothing was there before their edit, all of ours lies aside.
        let ours = ours.or_else(|| self.kept_aside(path));
        let unlinked = disk.unlink(path);
        self.machine.borrow_mut().exit(process);
        if let (Some(bytes), Ok(())) = (ours, unlinked) {
            let at = self.machine.borrow().operations;
            let style = EditStyle::Rename;
            self.machine.borrow_mut().plan_edit(Edit { at, path: path.clone(), bytes, style });
        }
    }

    /// What hast kept aside of ours when theirs stood, from the last time.
    fn kept_aside(&self, path: &DocPath) -> Option<Vec<u8>> {
        let files = self.files();
        let kept = files.iter().filter_map(|(name, bytes)| {
            let (number, of) = name.strip_prefix(".hast/conflicts/")?.split_once('/')?;
            (of == path.as_str()).then_some((number.parse::<u64>().ok()?, bytes))
        });
        kept.max_by_key(|(number, _)| *number).map(|(_, bytes)| bytes.clone())
    }

    fn drive(
        &self,
        flow: &Watched<S::Flow>,
        disk: SimDisk,
        bounds: Bounds,
        disturbance: Disturbance,
        life: u32,
    ) -> Result<(Ending, <S::Flow as Flow>::View), StoreError> {
        let clock =
            SimClock { machine: Rc::clone(&self.machine), moves: self.subject.clock_moves() };
        let (store, _) = Store::open(disk, small())?;
        let mut driver = Driver::new(flow, store, &clock, Lang::Ko, bounds)?;
        let second = |chance: &mut Rng| self.second(chance, life);
        let mut effects = Effects {
            subject: self.subject,
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
        if self.edit.is_some() || !matches!(ending, Ending::Done(_) | Ending::Failed(_)) {
            // A person may have saved something since the last look.
            return Ok(());
        }
        let planned = self.machine.borrow().faults_left();
        let disk = SimDisk::start(&self.machine);
        let process = disk.process();
        let clock = SimClock { machine: Rc::clone(&self.machine), moves: false };
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

    fn edited(&self) -> Option<&str> {
        self.edit.as_ref().map(|edit| edit.path.as_str())
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

    fn end() -> (Session, Files, Files) {
        let subject = Session::one_by_one(3);
        let case = Case { flow: Name::Session, seed: 3, blow: None, at: 0 };
        let machine = Rc::new(RefCell::new(World::new(3)));
        let (flow, second) = (Watched::new(subject.flow()), Watched::new(subject.second()));
        let (tested, ledger) = (&subject, Ledger::default());
        let run = Run { case, subject: tested, flow, second, machine, ledger, edit: None };
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
