//! The view of a spike: the spikes of one decision as the log tells them, and the results that no
//! commit has used yet.

use std::collections::BTreeMap;

use crate::attempt::base::{Base, ObjectId};
use crate::attempt::worktrees::Target;
use crate::docs::goals::{GoalsEvent, GoalsEventKind as Kind};
use crate::driver::Delta;
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::spike::SpikeFlow;
use crate::flows::goals::auto::tested::BaseRun;
use crate::flows::goals::auto::view::{View, detail};
use crate::flows::goals::decision::{Measured, rank};
use crate::formats::ndjson;
use crate::steps::{EffectResult, StepKey};
use crate::time::UtcTime;

/// Where the bases of tries are. No goal's directory has such a name.
pub(super) const SPIKES: &str = "attempts/%spikes/";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpikeView {
    pub shared: View,
    pub spikes: BTreeMap<u32, Spike>,
    bases: BTreeMap<String, Base>,
    results: BTreeMap<StepKey, EffectResult>,
}

/// One spike of the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Spike {
    pub content: String,
    pub base: ObjectId,
    pub onto: Target,
    /// The command that said what passed; none in old logs.
    pub test_command: Option<String>,
    /// The tests on the base: how they ended, and the numbers they told. Those of the first try count.
    pub base_run: Option<BaseRun>,
    /// How often each alternative was begun, and when last.
    pub begun: BTreeMap<String, (u32, UtcTime)>,
    pub tried: BTreeMap<String, Measured>,
    /// All were tried: the run that said so, and when.
    pub ranked: Option<(String, UtcTime)>,
    /// From where to where the user's branch goes, once that is under way.
    pub merging: Option<(ObjectId, ObjectId)>,
    /// How often the branch had moved when this run was about to.
    pub moved: u32,
    /// The winner and the commit that it was merged as.
    pub made: Option<(String, String)>,
}

impl Spike {
    /// Best first.
    pub fn ranking(&self) -> Vec<Measured> {
        rank(self.tried.values().cloned())
    }
}

impl SpikeView {
    /// The last spike with its number.
    pub fn last(&self) -> Option<(u32, &Spike)> {
        self.spikes.last_key_value().map(|(number, spike)| (*number, spike))
    }

    pub(super) fn base(&self, path: &str) -> Option<&Base> {
        self.bases.get(path)
    }

    pub(super) fn result(&self, key: &StepKey) -> Option<&EffectResult> {
        self.results.get(key)
    }

    /// What a commit sees that uses the results of some steps.
    pub(super) fn seen(&self, prefix: &str) -> View {
        let own = self.results.iter().filter(|(key, _)| key.as_str().starts_with(prefix));
        View {
            events: self.shared.events,
            log_length: self.shared.log_length,
            results: own.map(|(key, result)| (key.clone(), result.clone())).collect(),
            ..View::default()
        }
    }

    pub(super) fn fold(&mut self, flow: &SpikeFlow, delta: &Delta<'_>) {
        match delta {
            Delta::Result { key, result } => {
                self.results.insert((*key).clone(), (*result).clone());
            }
            Delta::Document { path, bytes, .. } | Delta::Appended { path, bytes, .. }
                if path.as_str() == layout::EVENTS =>
            {
                for event in ndjson::read::<GoalsEvent>(layout::EVENTS, bytes).0 {
                    self.take(flow, &event);
                }
                self.shared.fold(delta);
            }
            Delta::Document { path, bytes, seen } if path.as_str().starts_with(SPIKES) => {
                if let Ok(base) = Base::recorded(bytes, seen) {
                    self.bases.insert(path.as_str().to_owned(), base);
                }
            }
            other => self.shared.fold(other),
        }
    }

    fn take(&mut self, flow: &SpikeFlow, event: &GoalsEvent) {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let number = |key: &str| event.detail.get(key).and_then(serde_json::Value::as_u64);
        if text("decision_id") != Some(flow.ticket.id.as_str()) {
            return;
        }
        let Some(spike) = number("spike").and_then(|spike| u32::try_from(spike).ok()) else {
            return;
        };
        // Whatever it tells has used the results before it.
        let prefix = match text("alternative") {
            Some(id) => flow.key(spike, &[&crate::attempt::base::ref_part(id)]),
            None => flow.key(spike, &[]),
        };
        let prefix = format!("{}/", prefix.as_str().trim_end_matches('/'));
        self.results.retain(|key, _| !key.as_str().starts_with(&prefix));
        if event.kind == Kind::SpikeStarted {
            let Some(base) = text("base").and_then(|base| base.parse().ok()) else { return };
            let onto = text("onto").map_or(Target::Detached, |name| Target::Branch(name.into()));
            let content = text("content").unwrap_or_default().to_owned();
            let test_command = text("test_command").map(str::to_owned);
            let base_run = None;
            let (begun, tried, ranked, merging, moved, made) = Default::default();
            let new = Spike {
                content,
                base,
                onto,
                test_command,
                base_run,
                begun,
                tried,
                ranked,
                merging,
                moved,
                made,
            };
            self.spikes.insert(spike, new);
            return;
        }
        let Some(spike) = self.spikes.get_mut(&spike) else { return };
        let alternative = text("alternative").unwrap_or_default().to_owned();
        match event.kind {
            Kind::SpikeBegun => {
                let tries = number("try").and_then(|tries| u32::try_from(tries).ok());
                spike.base_run = spike.base_run.take().or_else(|| base_run(event));
                spike.begun.insert(alternative, (tries.unwrap_or(1), event.ts));
            }
            Kind::SpikeTried => {
                let measured = event.detail.get("measured").cloned();
                let measured = measured.and_then(|value| serde_json::from_value(value).ok());
                spike.tried.extend(measured.map(|measured| (alternative, measured)));
            }
            Kind::DecisionWaits => {
                spike.ranked = Some((text("run").unwrap_or_default().to_owned(), event.ts));
            }
            Kind::MergeStarted => {
                let id = |key: &str| text(key).and_then(|id| id.parse().ok());
                spike.merging = id("from").zip(id("to"));
            }
            Kind::MergeMoved => {
                spike.merging = None;
                spike.moved += u32::from(text("run") == Some(flow.run.as_str()));
            }
            Kind::DecisionMade => {
                let (winner, commit) = (text("winner"), text("commit"));
                spike.made = winner.zip(commit).map(|(w, c)| (w.to_owned(), c.to_owned()));
            }
            _ => {}
        }
    }
}

/// The tests on the base, as an event tells of them.
fn base_run(event: &GoalsEvent) -> Option<BaseRun> {
    let (end, tally) = (detail(event, "end")?, detail(event, layout::TALLY)?);
    Some(BaseRun { end, tail: String::new(), tally })
}
