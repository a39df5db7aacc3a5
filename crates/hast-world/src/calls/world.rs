//! The world of a driver: a thread an effect. Calls are made here; other effects are somebody else's.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;

use hast_flow::driver::World;
use hast_flow::steps::{Effect, EffectResult, StepKey};

use super::Calls;
use crate::supervisor::Guarded;

/// Whoever performs effects that are no calls: git, checks, tools.
pub trait OtherEffects: Send + Sync {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult;
}

/// Performs effects side by side.
pub struct RealWorld {
    calls: Arc<Calls>,
    others: Arc<dyn OtherEffects>,
    supervisor: Arc<Guarded>,
    results: Receiver<(StepKey, Option<EffectResult>)>,
    sender: Sender<(StepKey, Option<EffectResult>)>,
    running: usize,
}

impl std::fmt::Debug for RealWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RealWorld").field("running", &self.running).finish_non_exhaustive()
    }
}

impl RealWorld {
    pub fn new(calls: Arc<Calls>, others: Arc<dyn OtherEffects>) -> Self {
        let (sender, results) = channel();
        let supervisor = Arc::clone(&calls.supervisor);
        Self { calls, others, supervisor, results, sender, running: 0 }
    }
}

impl World for RealWorld {
    fn begin(&mut self, key: &StepKey, effect: &Effect) {
        if self.running == 0 {
            // An earlier drive ended what was left of it; this one may begin.
            self.supervisor.renew();
        }
        self.running += 1;
        let mut promise = Promise { key: key.clone(), result: None, sender: self.sender.clone() };
        let (calls, others) = (Arc::clone(&self.calls), Arc::clone(&self.others));
        let effect = effect.clone();
        let work = move || {
            let result = match &effect {
                Effect::Call(call) => EffectResult::Call(calls.perform(&promise.key, call).result),
                other => others.perform(&promise.key, other),
            };
            promise.result = Some(result);
        };
        // Without a thread the promise is dropped, and says so itself.
        let _ = Builder::new().name("effect".to_owned()).spawn(work);
    }

    fn next(&mut self) -> Option<(StepKey, EffectResult)> {
        self.running = self.running.checked_sub(1)?;
        let (key, result) = self.results.recv().ok()?;
        if result.is_none() {
            // A thread of ours died. The driver stops; nothing may go on behind its back.
            self.supervisor.cancel();
        }
        Some((key, result?))
    }

    fn cancel(&mut self) {
        self.supervisor.cancel();
    }
}

/// Something that is sent whatever becomes of the thread: somebody waits for it.
struct Promise {
    key: StepKey,
    result: Option<EffectResult>,
    sender: Sender<(StepKey, Option<EffectResult>)>,
}

impl Drop for Promise {
    fn drop(&mut self) {
        // Nobody listens when the world itself is gone.
        let _ = self.sender.send((self.key.clone(), self.result.take()));
    }
}
