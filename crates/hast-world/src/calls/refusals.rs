//! Agents that cannot be asked now: limits are written down before anything else, waited for or ended with,
//! and a missing login is told before the first call.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use hast_flow::agents::choice::Chosen;
use hast_flow::agents::inspection::{Login, denied, denied_next};
use hast_flow::agents::ledger::LedgerLine;
use hast_flow::agents::limit::{Again, Limit};
use hast_flow::agents::resume_time::{KnownLimit, ResetSource, ResumeTime};
use hast_flow::calling::candidates::say;
use hast_flow::calling::request::Asked;
use hast_flow::docs::goals::OnLimit;
use hast_flow::steps::{Call, CallResult, StepKey};
use hast_flow::time::{OffsetTime, UtcTime};

use super::{Calls, LOOK, What};
use crate::agents::login_of;

/// A limit further away than this is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(12 * 60 * 60);

impl Calls {
    /// Says before a program's first call that it knows of no login. Only a hint: the call is made.
    pub(super) fn tell_of_login(&self, key: &StepKey, call: &Call, agent: &Chosen) {
        let Some(preset) = agent.provider.known() else { return };
        let mut asked = self.logins_asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.contains(&preset) {
            return;
        }
        asked.push(preset);
        if login_of(&self.supervisor, &self.settings.variables, preset) == Login::Denied {
            let lang = self.settings.lang;
            let notice = format!("{}; {}", denied(preset, lang), denied_next(preset, lang));
            self.tell(key, call, &agent.name, What::Notice(&notice));
        }
    }

    /// Writes a limit down before anything else happens. Says so if there is no use in waiting.
    pub(super) fn refused(
        &self,
        key: &StepKey,
        asked: Asked<'_>,
        agent: &Chosen,
        limit: &Limit,
    ) -> Option<CallResult> {
        let (name, lang) = (agent.name.as_str(), self.settings.lang);
        let now = self.settings.clock.now();
        let at = UtcTime::new(now);
        let written = self.ledger.with(|ledger| {
            let until = match ledger.again(name, limit, now) {
                Again::At(until) => Some(UtcTime::new(until)),
                Again::GiveUp => None,
            };
            let (agent, guess) = (name.to_owned(), limit.resume_at.is_none());
            let line = LedgerLine::Limited { at, agent, until: until.unwrap_or(at), guess };
            (vec![line], until)
        });
        match written {
            Ok(Some(until)) => {
                let source = match limit.resume_at {
                    Some(_) => ResetSource::Agent,
                    None => ResetSource::Guess,
                };
                let until = self.resume_time(KnownLimit { until, source });
                self.tell(key, asked.call, name, What::Limited { until });
                None
            }
            Ok(None) => Some(CallResult::NotStarted {
                reason: say::gave_up(lang, name),
                next: say::gave_up_next(lang, name),
            }),
            Err(error) => Some(self.no_disk(&error)),
        }
    }

    pub(super) fn resume_time(&self, limit: KnownLimit) -> ResumeTime {
        let clock = &self.settings.clock;
        let now = clock.now();
        ResumeTime { limit, now: OffsetTime::new(now, clock.local_offset(now)) }
    }

    /// Waits for a limit to pass, if that is wanted. False if it is not.
    pub(super) fn waits_for(
        &self,
        key: &StepKey,
        call: &Call,
        agent: &str,
        until: ResumeTime,
    ) -> bool {
        let wait = until.at().instant().duration_since(self.settings.clock.now());
        let wait = Duration::try_from(wait).unwrap_or_default();
        let wanted = self.settings.config.on_limit == Some(OnLimit::Wait);
        if !wanted || wait > LONGEST_WAIT {
            return false;
        }
        self.tell(key, call, agent, What::Waiting { until });
        let started = Instant::now();
        while started.elapsed() < wait && !self.supervisor.is_cancelled() {
            // The clock may have been set, or the machine have slept.
            if self.settings.clock.now() >= until.at().instant() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        true
    }
}
