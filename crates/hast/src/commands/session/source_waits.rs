//! Data sources that refuse or are down: until when they are not asked again. Kept in the ledger of the project,
//! beside the limits of agents, where `hast status` and `hast agent limits` see them.

use std::sync::Arc;
use std::time::Duration;

use hast_flow::agents::ledger::LedgerLine;
use hast_flow::agents::limit::{Again, Limit, LimitCause};
use hast_flow::agents::resume_time::{KnownLimit, ResetSource, ResumeTime};
use hast_flow::docs::session::DataSource;
use hast_flow::ports::Clock;
use hast_flow::steps::{Later, ToolUse};
use hast_flow::time::{OffsetTime, UtcTime};
use hast_flow::tools::{Tool, ToolFailure};
use hast_flow::words::Lang;
use hast_world::calls::ledger::LedgerFile;
use hast_world::root_path::RootPath;
use jiff::Timestamp;

use crate::session_messages::say;

pub(crate) struct SourceWaits {
    ledger: LedgerFile,
    clock: Arc<dyn Clock + Send + Sync>,
    /// A person wants to try before the time.
    now: bool,
}

impl SourceWaits {
    pub(crate) fn within(
        machine: &RootPath,
        clock: Arc<dyn Clock + Send + Sync>,
        now: bool,
    ) -> Self {
        Self { ledger: LedgerFile::within(machine), clock, now }
    }

    /// A wait that is not over: the source is not asked.
    pub(super) fn known(&self, one: &ToolUse, lang: Lang) -> Option<Later> {
        if self.now {
            return None;
        }
        let (name, now) = (source(one), self.clock.now());
        let limited = self.ledger.with(|ledger| (Vec::new(), ledger.limited(now))).ok()?;
        let known = limited.into_iter().find(|limited| limited.agent == name)?;
        Some(self.later(name, say::source_waits(lang), known.limit))
    }

    /// A source refused, or did not answer, as often as it was asked. Nothing where it has done so for
    /// longer than anybody waits.
    pub(super) fn refused(
        &self,
        one: &ToolUse,
        failure: &ToolFailure,
        lang: Lang,
    ) -> Option<Later> {
        let (agent, now, cause) = (source(one), self.clock.now(), failure.what(lang));
        let seconds = match failure {
            ToolFailure::Limited { seconds, .. } => *seconds,
            _ => None,
        };
        let resume_at: Option<Timestamp> =
            seconds.and_then(|seconds| now.checked_add(Duration::from_secs(seconds)).ok());
        let limit = Limit { cause: LimitCause::Rate, resume_at, text: cause.clone() };
        let until = self.ledger.with(|ledger| match ledger.again(&agent, &limit, now) {
            Again::At(until) => {
                let (at, until) = (UtcTime::new(now), UtcTime::new(until));
                let guess = resume_at.is_none();
                let line = LedgerLine::Limited { at, agent: agent.clone(), until, guess };
                (vec![line], Some(until))
            }
            Again::GiveUp => (Vec::new(), None),
        });
        let source = if resume_at.is_some() { ResetSource::Agent } else { ResetSource::Guess };
        let until = until.ok().flatten()?;
        Some(self.later(agent, cause, KnownLimit { until, source }))
    }

    /// A source that answers is not waited for any more.
    pub(super) fn answered(&self, one: &ToolUse) {
        let (agent, at) = (source(one), UtcTime::new(self.clock.now()));
        // Where it cannot be written, the next wait is longer than it need be.
        let _ = self.ledger.with(|ledger| {
            let all = ledger.limited(Timestamp::UNIX_EPOCH);
            let line = LedgerLine::Cleared { at, agent: agent.clone() };
            let known = all.iter().any(|limited| limited.agent == agent);
            (known.then_some(line).into_iter().collect(), ())
        });
    }

    fn later(&self, source: String, cause: String, limit: KnownLimit) -> Later {
        let now = self.clock.now();
        let now = OffsetTime::new(now, self.clock.local_offset(now));
        Later { source, cause, until: ResumeTime { limit, now } }
    }
}

/// What refuses together: a provider of data, or one host of the web.
fn source(one: &ToolUse) -> String {
    let web = || {
        let url = one.args.get("url").and_then(|url| url.as_str()).unwrap_or_default();
        let host = url.split("://").nth(1).unwrap_or_default();
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        if host.is_empty() { one.name.clone() } else { host.to_owned() }
    };
    let tool = Tool::ALL.into_iter().find(|tool| tool.name() == one.name);
    match tool.and_then(|tool| tool.source()) {
        Some(DataSource::Sec) => "SEC EDGAR".to_owned(),
        Some(DataSource::Yfinance) => "Yahoo Finance".to_owned(),
        _ => web(),
    }
}
