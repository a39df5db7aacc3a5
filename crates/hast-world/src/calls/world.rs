//! The world of a driver: effects side by side, each by a thread. Calls are made here; other effects are somebody else's. Once
//! hast is to end, what only looks or asks is not waited for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use hast_flow::attempt::workspace::GitStep;
use hast_flow::driver::World;
use hast_flow::steps::{CallResult, Effect, EffectResult, StepKey};

use super::workers::Workers;
use super::{Calls, LOOK};
use crate::supervisor::Guarded;

/// What is ended in an orderly way gets so long before it is left behind.
const GRACE: Duration = Duration::from_millis(300);

/// Whether an effect may be left behind when hast is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// It looks, or asks somebody, or waits for a lock: nothing is half done if it goes with the process.
    Loose,
    /// It ends agents and tests, or changes a repository: it is waited for.
    Fast,
}

/// Whoever performs effects that are no calls: git, checks, tools.
pub trait OtherEffects: Send + Sync {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult;
}

/// Performs effects side by side.
pub struct RealWorld {
    calls: Arc<Calls>,
    others: Arc<dyn OtherEffects>,
    supervisor: Arc<Guarded>,
    workers: Workers,
    results: Receiver<(StepKey, Option<EffectResult>)>,
    sender: Sender<(StepKey, Option<EffectResult>)>,
    running: BTreeMap<StepKey, Hold>,
    /// Since when it is known that hast is to end.
    ending: Option<Instant>,
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
        let (workers, running, ending) = (Workers::default(), BTreeMap::new(), None);
        Self { calls, others, supervisor, workers, results, sender, running, ending }
    }

    /// The next effect that is not waited for any longer.
    fn leave_behind(&mut self) -> Option<StepKey> {
        if !self.supervisor.is_interrupted() {
            return None;
        }
        let since = *self.ending.get_or_insert_with(Instant::now);
        let loose = |(key, hold): (&StepKey, &Hold)| (*hold == Hold::Loose).then(|| key.clone());
        let key = self.running.iter().find_map(loose).filter(|_| since.elapsed() >= GRACE)?;
        self.running.remove(&key);
        Some(key)
    }
}

fn hold(effect: &Effect) -> Hold {
    match effect {
        Effect::Tools(_) | Effect::Scan(_) | Effect::Lease(_) => Hold::Loose,
        Effect::Git(step) => match **step {
            GitStep::Look { .. }
            | GitStep::Compare { .. }
            | GitStep::Read { .. }
            | GitStep::ListRefs => Hold::Loose,
            GitStep::Record { .. }
            | GitStep::Inspect { .. }
            | GitStep::Save(_)
            | GitStep::RollBack { .. }
            | GitStep::RunHooks { .. }
            | GitStep::Build { .. }
            | GitStep::Advance { .. }
            | GitStep::AdvanceHere { .. }
            | GitStep::Keep { .. }
            | GitStep::Restore { .. }
            | GitStep::DeleteRefs { .. } => Hold::Fast,
        },
        Effect::Within { effect, .. } => hold(effect),
        Effect::Call(_) | Effect::Check(_) | Effect::Worktree(_) => Hold::Fast,
    }
}

impl World for RealWorld {
    fn begin(&mut self, key: &StepKey, effect: &Effect) {
        if self.running.is_empty() {
            // An earlier drive ended what was left of it; this one may begin.
            self.supervisor.renew();
        }
        self.running.insert(key.clone(), hold(effect));
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
        self.workers.give(work);
    }

    fn next(&mut self) -> Option<(StepKey, EffectResult)> {
        while !self.running.is_empty() {
            match self.results.recv_timeout(LOOK) {
                // Nobody waits for what was left behind.
                Ok((key, _)) if self.running.remove(&key).is_none() => {}
                Ok((key, Some(result))) => return Some((key, result)),
                Ok((_, None)) => {
                    // A thread of ours died. The driver stops; nothing may go on behind its back.
                    self.supervisor.cancel();
                    return None;
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(key) = self.leave_behind() {
                        return Some((key, EffectResult::Call(CallResult::Cancelled)));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
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
