//! A flow meets the world through three things: changes that its view learns about, facts that its
//! decision may use, and the [`World`] that performs effects. [`InTurn`] is a world that performs
//! one effect after the other.

use std::collections::{BTreeSet, VecDeque};

use crate::step_log::StepLog;
use crate::steps::{Effect, EffectResult, StepKey};
use crate::store::{DocPath, Seen};
use crate::time::UtcTime;
use crate::words::Lang;

/// One change that a view learns about.
#[derive(Clone, Copy, Debug)]
pub enum Delta<'a> {
    /// A document is there with this content.
    Document {
        path: &'a DocPath,
        bytes: &'a [u8],
        seen: Seen,
    },
    /// From this place on a document has these bytes, and no more: a log that grew, or a growing
    /// document with another end.
    Appended {
        path: &'a DocPath,
        at: u64,
        bytes: &'a [u8],
        seen: Seen,
    },
    Gone {
        path: &'a DocPath,
    },
    /// An effect came back; it counts once a commit says what it means.
    Result {
        key: &'a StepKey,
        result: &'a EffectResult,
    },
}

/// As many other bytes in the middle of a large document.
#[derive(Clone, Copy, Debug)]
pub struct Patched<'a> {
    pub path: &'a DocPath,
    pub at: u64,
    pub bytes: &'a [u8],
    pub seen: Seen,
}

/// Whether a view took a patch in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Yes,
    No,
}

/// What a decision may know besides its view.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub now: UtcTime,
    pub lang: Lang,
    /// Effects that are on their way. Lanes are nothing but several of them.
    pub running: &'a BTreeSet<StepKey>,
    pub steps: &'a StepLog,
    /// Steps that this life of the driver has noted as begun.
    pub noted: &'a BTreeSet<StepKey>,
}

impl Facts<'_> {
    /// Whether a step was begun earlier and cut off: by a death, an interruption, a limit. What it
    /// did to the world is unknown.
    pub fn left_open(&self, key: &StepKey) -> bool {
        self.steps.is_open(key) && !self.noted.contains(key)
    }
}

/// Whoever performs effects, several at once if it can.
pub trait World {
    /// Begins an effect. Its result comes from [`Self::next`], in any order.
    fn begin(&mut self, key: &StepKey, effect: &Effect);

    /// Waits for the next result of what was begun; nothing if nothing is on its way.
    fn next(&mut self) -> Option<(StepKey, EffectResult)>;

    /// Ends everything that is on its way; results still come from [`Self::next`].
    fn cancel(&mut self);
}

/// A world that does one thing after the other, as soon as it is asked.
#[derive(Debug)]
pub struct InTurn<P> {
    perform: P,
    results: VecDeque<(StepKey, EffectResult)>,
}

impl<P: FnMut(&StepKey, &Effect) -> EffectResult> InTurn<P> {
    pub fn new(perform: P) -> Self {
        Self { perform, results: VecDeque::new() }
    }
}

impl<P: FnMut(&StepKey, &Effect) -> EffectResult> World for InTurn<P> {
    fn begin(&mut self, key: &StepKey, effect: &Effect) {
        let result = (self.perform)(key, effect);
        self.results.push_back((key.clone(), result));
    }

    fn next(&mut self) -> Option<(StepKey, EffectResult)> {
        self.results.pop_front()
    }

    fn cancel(&mut self) {}
}
