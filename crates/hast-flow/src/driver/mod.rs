//! The one driver: reads documents into a flow's view, asks for the next step, performs it, and
//! records it. It owns crash repair and bounds; a flow has neither.

pub mod endings;
mod flow;
mod guard;
mod news;
mod reading;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::ndjson;
use crate::ports::Clock;
use crate::step_log::{StepLine, StepLog, StepState};
use crate::steps::{CallResult, Commit, Effect, EffectResult, Ending, Step, StepKey};
use crate::store::change::steps_log;
use crate::store::{ChangeSet, Conflict, Disk, DocPath, Put, Seen, Store, StoreError};
use crate::time::UtcTime;
use crate::words::Lang;

pub use flow::Flow;
use guard::Guard;
pub use guard::Touched;
pub use world::{Delta, Facts, InTurn, Patched, Taken, World};

/// Bounds of one drive. Reaching one is a clear ending, not a hang.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub steps: u64,
    /// How often in a row a commit may find that somebody else was faster.
    pub stale: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { steps: 1_000_000, stale: 16 }
    }
}

/// Drives one unit to an ending.
pub struct Driver<'d, F: Flow, D: Disk> {
    flow: &'d F,
    store: Store<D>,
    clock: &'d dyn Clock,
    lang: Lang,
    bounds: Bounds,
    view: F::View,
    steps: StepLog,
    steps_length: u64,
    /// What each document was when the view learnt of it.
    seen: BTreeMap<DocPath, Seen>,
    /// Results that no commit has used yet. They were paid for: reading again must not lose them.
    unused: BTreeMap<StepKey, EffectResult>,
    running: BTreeSet<StepKey>,
    noted: BTreeSet<StepKey>,
    guard: Guard,
    /// Whether somebody may have touched guarded documents since they were last compared.
    strangers: bool,
    /// Why nothing new may begin. What is on its way still comes home.
    stop: Option<Ending>,
    foreign: u64,
    broken: Option<Rule>,
}

/// A rule that a test breaks on purpose, to see that its absence is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// What other processes committed is read before the next decision.
    ReadNews,
}

impl<'d, F: Flow, D: Disk> Driver<'d, F, D> {
    pub fn new(
        flow: &'d F,
        store: Store<D>,
        clock: &'d dyn Clock,
        lang: Lang,
        bounds: Bounds,
    ) -> Result<Self, StoreError> {
        let foreign = store.foreign_commits();
        let mut driver = Self {
            flow,
            store,
            clock,
            lang,
            bounds,
            view: F::View::default(),
            steps: StepLog::default(),
            steps_length: 0,
            seen: BTreeMap::new(),
            unused: BTreeMap::new(),
            running: BTreeSet::new(),
            noted: BTreeSet::new(),
            guard: Guard::default(),
            strangers: false,
            stop: None,
            foreign,
            broken: None,
        };
        driver.read_all()?;
        Ok(driver)
    }

    /// Leaves a rule out from here on. Only the sweep does that.
    pub fn break_rule(&mut self, rule: Rule) {
        self.broken = Some(rule);
    }

    pub fn view(&self) -> &F::View {
        &self.view
    }

    /// Torn lines that were cut off the ends of logs; they are kept, and people are told.
    pub fn take_torn(&mut self) -> Vec<Conflict> {
        self.store.take_torn()
    }

    /// Goes on until there is nothing more to do now. Whatever is still on its way then is ended.
    pub fn drive(&mut self, world: &mut dyn World) -> Result<Ending, StoreError> {
        self.drive_watched(world, &mut |_| {})
    }

    /// As [`Self::drive`], with somebody who is shown the view before each decision.
    pub fn drive_watched(
        &mut self,
        world: &mut dyn World,
        watch: &mut dyn FnMut(&F::View),
    ) -> Result<Ending, StoreError> {
        self.stop = None;
        let ending = self.turns(world, watch);
        if !self.running.is_empty() {
            world.cancel();
            while world.next().is_some() {}
            self.running.clear();
        }
        if ending.is_ok() {
            // What counts is in the journal. Where this fails, whoever opens the root next does it.
            let _: Result<(), StoreError> = self.store.checkpoint();
        }
        ending
    }

    fn turns(
        &mut self,
        world: &mut dyn World,
        watch: &mut dyn FnMut(&F::View),
    ) -> Result<Ending, StoreError> {
        let mut stale = 0;
        for _ in 0..self.bounds.steps {
            self.look_around()?;
            watch(&self.view);
            let step = self.flow.next_step(&self.view, &self.facts());
            let commits = matches!(step, Step::Commit(_));
            let turned = match step {
                Step::Finish(ending) => return Ok(ending),
                Step::Effect { key, .. } if self.steps.just_finished(&key) => {
                    return Ok(endings::circles(self.lang, &key));
                }
                Step::Effect { key, .. } if self.running.contains(&key) || self.stop.is_some() => {
                    match (self.running.is_empty(), self.stop.take()) {
                        (true, Some(ending)) => return Ok(ending),
                        (_, stop) => self.stop = stop,
                    }
                    // While others work: the commit path is free.
                    if self.store.checkpoint_due() {
                        self.store.checkpoint()?;
                    }
                    self.wait(world)?;
                    continue;
                }
                Step::Effect { key, effect } => self.begin(world, key, &effect),
                Step::Commit(commit) => self.commit(commit),
            };
            match turned {
                // Only a commit is progress: effects whose results never count must not go on and on.
                Ok(conflicts) if conflicts.is_empty() => stale = if commits { 0 } else { stale },
                Ok(conflicts) => return Ok(endings::edited(self.lang, &conflicts)),
                // Somebody was faster: read what is new, or else everything, and decide again.
                Err(StoreError::Stale { .. }) if stale < self.bounds.stale => {
                    stale += 1;
                    if self.broken != Some(Rule::ReadNews) {
                        if stale == 1 { self.read_news()? } else { self.read_all()? }
                    }
                }
                Err(StoreError::Stale { path }) => {
                    let shown = self.store.disk().shown(&path);
                    return Ok(endings::stale(self.lang, &shown));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(endings::bounded(self.lang, self.bounds.steps))
    }

    /// Notes that an effect begins, and lets it begin.
    fn begin(
        &mut self,
        world: &mut dyn World,
        key: StepKey,
        effect: &Effect,
    ) -> Result<Vec<Conflict>, StoreError> {
        let foreign = self.foreign;
        // Where somebody else committed meanwhile, the step may be done: decide again.
        if self.is_noted(&key)
            && self.store.read_together(|store| Ok(store.foreign_commits()))? != foreign
        {
            return Ok(Vec::new());
        }
        let conflicts = self.note_start(&key)?;
        if conflicts.is_empty() && foreign == self.foreign {
            world.begin(&key, effect);
            self.running.insert(key);
        }
        Ok(conflicts)
    }

    /// Shows the next result to the flow; one that does not count stops the drive instead.
    fn wait(&mut self, world: &mut dyn World) -> Result<(), StoreError> {
        let Some((key, result)) = world.next() else {
            self.running.clear();
            self.stop = Some(endings::lost(self.lang));
            return Ok(());
        };
        self.running.remove(&key);
        // Git is ours; whatever else ran may have run anything.
        self.strangers |= !matches!(result, EffectResult::Git(_));
        if result == EffectResult::Call(CallResult::Cancelled) {
            world.cancel();
        }
        if let Some(ending) = endings::stops(&result, self.lang) {
            self.noted.remove(&key);
            self.stop = Some(ending);
            return self.note_stop(&key, &result);
        }
        // Whoever ended the step meanwhile has used a result of its own.
        if self.steps.is_open(&key) {
            self.flow.fold(&mut self.view, &Delta::Result { key: &key, result: &result });
            self.unused.insert(key, result);
        }
        Ok(())
    }

    /// Lets the flow write down why it stops. Where somebody was faster it is not worth a second try.
    fn note_stop(&mut self, key: &StepKey, result: &EffectResult) -> Result<(), StoreError> {
        let EffectResult::Call(result) = result else { return Ok(()) };
        let Some(commit) = self.flow.stopped(&self.view, key, result, &self.facts()) else {
            return Ok(());
        };
        match self.commit(commit) {
            Ok(_) | Err(StoreError::Stale { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            now: UtcTime::new(self.clock.now()),
            lang: self.lang,
            running: &self.running,
            steps: &self.steps,
            noted: &self.noted,
        }
    }

    /// An effect is noted before it begins. Flows let the note ride in the commit before; where one
    /// did not, or another process left it open, the note is a commit of its own: the log then tells
    /// how often the step was begun.
    fn note_start(&mut self, key: &StepKey) -> Result<Vec<Conflict>, StoreError> {
        if self.is_noted(key) {
            return Ok(Vec::new());
        }
        self.commit(Commit {
            role: "driver",
            reason: format!("start {key}"),
            puts: Vec::new(),
            starts: vec![key.clone()],
            finishes: Vec::new(),
        })
    }

    /// Whether this process has noted the start of a step that is not ended.
    fn is_noted(&self, key: &StepKey) -> bool {
        self.noted.contains(key) && self.steps.is_open(key)
    }

    /// Commits, and tells which documents a person edited at the same moment; theirs stand.
    fn commit(&mut self, commit: Commit) -> Result<Vec<Conflict>, StoreError> {
        let mut change = ChangeSet::new(commit.role, &commit.reason);
        change.puts = commit.puts;
        let finishes = self.with_repeats(commit.finishes);
        let (begun, finished) = (commit.starts.clone(), finishes.clone());
        let lines = self.step_lines(finishes, commit.starts);
        if !lines.is_empty() {
            change.puts.push(self.append_steps(&lines));
        }
        let puts = change.puts.clone();
        let committed = self.store.commit(change, self.flow.policy())?;
        self.unused.retain(|key, _| !finished.contains(key));
        self.noted.retain(|key| !finished.contains(key));
        self.noted.extend(begun);
        let foreign = self.store.foreign_commits() != self.foreign;
        let afresh = foreign && self.flow.news() == Taken::No;
        if afresh || !committed.conflicts.is_empty() {
            self.read_all()?;
            return Ok(committed.conflicts);
        }
        let now: BTreeMap<DocPath, Seen> = committed.now.into_iter().collect();
        for put in &puts {
            self.learn(put, &now)?;
        }
        if foreign {
            self.read_news()?;
        }
        Ok(Vec::new())
    }

    /// The steps that a commit ends, and those that asked the same question again and that nobody waits
    /// for: an earlier process was cut off there, or the first answer turned out to be right.
    fn with_repeats(&self, finishes: Vec<StepKey>) -> Vec<StepKey> {
        let again = finishes.iter().flat_map(|key| self.steps.asked_again(key));
        let waits = |key: &StepKey| self.noted.contains(key) && !self.unused.contains_key(key);
        let left = again.filter(|key| !waits(key) && !finishes.contains(*key));
        let left: Vec<StepKey> = left.cloned().collect();
        left.into_iter().chain(finishes).collect()
    }

    fn step_lines(&self, finishes: Vec<StepKey>, starts: Vec<StepKey>) -> Vec<StepLine> {
        let at = self.facts().now;
        let ended =
            finishes.into_iter().map(|step| StepLine { step, state: StepState::Finished, at });
        let begun = starts.into_iter().map(|step| StepLine { step, state: StepState::Started, at });
        ended.chain(begun).collect()
    }

    fn append_steps(&self, lines: &[StepLine]) -> Put {
        let text: String = lines.iter().filter_map(|line| ndjson::to_line(line).ok()).collect();
        let (path, bytes) = (steps_log(), text.into_bytes());
        if self.seen.contains_key(&path) {
            Put::Append { path, at: self.steps_length, bytes }
        } else {
            Put::Create { path, bytes }
        }
    }

    /// Our own commit, taken into the view without reading anything again.
    fn learn(&mut self, put: &Put, now: &BTreeMap<DocPath, Seen>) -> Result<(), StoreError> {
        if !self.is_read(put.path()) {
            // A fresh read would not know of it either; whoever rests on it looks at it.
            return Ok(());
        }
        match put {
            Put::Create { path, bytes } | Put::Replace { path, bytes, .. } => {
                let seen = now.get(path).copied().unwrap_or(Seen::Absent);
                self.take_document(path, bytes, seen);
            }
            Put::Append { path, at, bytes } => {
                let length = at + bytes.len() as u64;
                self.take_appended(path, *at, bytes, Seen::Log { length });
            }
            Put::Archive { from, .. } => {
                let moved: Vec<DocPath> =
                    self.seen.keys().filter(|path| path.is_within(from)).cloned().collect();
                for path in moved {
                    self.seen.remove(&path);
                    self.guard.forget(&path);
                    self.flow.fold(&mut self.view, &Delta::Gone { path: &path });
                }
            }
            Put::Patch { path, before, at, old, new } => {
                let seen = now.get(path).copied().unwrap_or(Seen::Absent);
                if at + old.len() as u64 == before.size {
                    self.take_appended(path, *at, new, seen);
                    return Ok(());
                }
                let patch = Patched { path, at: *at, bytes: new, seen };
                if self.flow.fold_patch(&mut self.view, &patch) == Taken::Yes {
                    self.seen.insert(path.clone(), seen);
                } else {
                    self.seen.remove(path);
                    return self.look_again(path, None);
                }
            }
        }
        Ok(())
    }

    fn is_read(&self, path: &DocPath) -> bool {
        let mut above = path.ancestors();
        *path == steps_log()
            || (above.all(|dir| self.flow.reads(&dir, true)) && self.flow.reads(path, false))
    }

    fn take_document(&mut self, path: &DocPath, bytes: &[u8], seen: Seen) {
        self.seen.insert(path.clone(), seen);
        if *path == steps_log() {
            self.steps = StepLog::default();
            self.steps_length = 0;
            return self.take_steps(bytes);
        }
        if self.flow.guards(path) {
            self.guard.keep(path, bytes, None);
        }
        self.flow.fold(&mut self.view, &Delta::Document { path, bytes, seen });
    }

    fn take_appended(&mut self, path: &DocPath, at: u64, bytes: &[u8], seen: Seen) {
        if *path == steps_log() {
            return self.take_steps(bytes);
        }
        self.seen.insert(path.clone(), seen);
        self.guard.append(path, at, bytes);
        self.flow.fold(&mut self.view, &Delta::Appended { path, at, bytes, seen });
    }

    fn take_steps(&mut self, bytes: &[u8]) {
        self.steps_length += bytes.len() as u64;
        let (lines, _) = ndjson::read::<StepLine>("steps.ndjson", bytes);
        for line in lines {
            self.steps.add(&line);
        }
    }
}

impl<F: Flow, D: Disk> std::fmt::Debug for Driver<'_, F, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver")
            .field("steps", &self.steps)
            .field("seen", &self.seen.len())
            .finish()
    }
}
