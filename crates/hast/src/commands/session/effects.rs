//! Effects of a session other than agent calls: the tools of its data tasks.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hast_agent::tools::net::time::{Cancelled, Time};
use hast_agent::tools::recorded::Recorded;
use hast_agent::tools::{self, Cache, Settings};
use hast_flow::ports::Clock;
use hast_flow::steps::{
    CallResult, Effect, EffectResult, StepKey, ToolAnswer, ToolSource, ToolUse,
};
use hast_flow::tools::{FailureClass, FailureRecord, ToolFailure};
use hast_flow::words::Lang;
use hast_world::calls::OtherEffects;
use hast_world::supervisor::Guarded;
use jiff::Timestamp;

use super::source_waits::SourceWaits;
use crate::app::shared_clock;
use crate::commands::auto::effects::Nothing;
use crate::problem::Problem;

/// Where data comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sources {
    Real,
    /// Bundled answers of an invented company.
    Bundled,
    /// This drive gathers nothing.
    None,
}

impl Sources {
    pub(crate) fn settings(
        self,
        variables: &[(OsString, OsString)],
        user_agent: Option<String>,
        supervisor: &Arc<Guarded>,
        lang: Lang,
    ) -> Result<Option<Settings>, Problem> {
        let (begin, clock) = (Instant::now(), shared_clock(lang)?);
        let time = Arc::new(Interruptible { begin, clock, supervisor: Arc::clone(supervisor) });
        let variable = |name: &str| {
            let mut values = variables.iter().filter(|(known, _)| known == OsStr::new(name));
            values.next().and_then(|(_, value)| value.to_str().map(str::to_owned))
        };
        let problem = |failure: ToolFailure| Problem::new(failure.what(lang), failure.next(lang));
        match self {
            Self::None => Ok(None),
            Self::Real => Settings::from_variables(variable, user_agent, time).map(Some),
            Self::Bundled => {
                let user_agent = Some("hast demo demo@localhost".to_owned());
                let search = |name: &str| {
                    (name == "HAST_SEARXNG_URL").then(|| "https://search.example/".to_owned())
                };
                let settings = Settings::from_variables(search, user_agent, time);
                settings.map(|all| Some(all.through(Arc::new(Recorded::sample()))))
            }
        }
        .map_err(problem)
    }
}

/// Tools of one session or run.
pub(crate) struct Tools {
    pub(crate) settings: Option<Settings>,
    pub(crate) cache: PathBuf,
    pub(crate) lang: Lang,
    /// A source that refuses or is down is waited for; without this it is a failure.
    pub(crate) waits: Option<SourceWaits>,
}

impl OtherEffects for Tools {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult {
        match (effect, &self.settings) {
            (Effect::Tools(uses), Some(settings)) => self.all(uses, settings),
            _ => Nothing.perform(key, effect),
        }
    }
}

impl Tools {
    /// In their order. An interruption and a missing setting are no results: nothing is spent.
    fn all(&self, uses: &[ToolUse], settings: &Settings) -> EffectResult {
        let mut answers = Vec::new();
        for one in uses {
            if let Some(later) = self.waits.as_ref().and_then(|waits| waits.known(one, self.lang)) {
                return EffectResult::Later(later);
            }
            match self.one(one, settings) {
                Ok(answer) => {
                    if let Some(waits) = &self.waits {
                        waits.answered(one);
                    }
                    answers.push(Ok(answer));
                }
                Err(failure) => match (failure.class(), &self.waits) {
                    (FailureClass::Cancelled, _) => {
                        return EffectResult::Call(CallResult::Cancelled);
                    }
                    (FailureClass::Configuration, _) => {
                        let FailureRecord { cause: reason, next, .. } = failure.record(self.lang);
                        return EffectResult::Call(CallResult::NotStarted { reason, next });
                    }
                    (FailureClass::Limited | FailureClass::Unreachable, Some(waits)) => {
                        match waits.refused(one, &failure, self.lang) {
                            Some(later) => return EffectResult::Later(later),
                            None => answers.push(Err(failure.record(self.lang))),
                        }
                    }
                    _ => answers.push(Err(failure.record(self.lang))),
                },
            }
        }
        EffectResult::Tools(answers)
    }

    fn one(&self, one: &ToolUse, settings: &Settings) -> Result<ToolAnswer, ToolFailure> {
        let settings = settings.clone().with_state(one.state.clone());
        let mut cache = Cache::at(&self.cache);
        let answer = tools::perform(one, &settings, &mut cache)?;
        let sources = answer.sources.into_iter().map(|raw| ToolSource {
            url: raw.url,
            fetched_at: raw.fetched_at,
            media: raw.media,
            bytes: raw.bytes,
        });
        Ok(ToolAnswer { bytes: answer.bytes, sources: sources.collect() })
    }
}

/// The time of this process, until hast is interrupted.
struct Interruptible {
    begin: Instant,
    clock: Arc<dyn Clock + Send + Sync>,
    supervisor: Arc<Guarded>,
}

impl std::fmt::Debug for Interruptible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interruptible").field("begin", &self.begin).finish_non_exhaustive()
    }
}

/// How long a sleep may hide that it is not wanted any more.
const SLICE: Duration = Duration::from_millis(50);

impl Time for Interruptible {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    fn sleep(&self, duration: Duration) -> Result<(), Cancelled> {
        let end = Instant::now() + duration;
        loop {
            if self.supervisor.is_cancelled() || self.supervisor.is_interrupted() {
                return Err(Cancelled);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(SLICE));
        }
    }
}
