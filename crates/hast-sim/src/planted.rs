//! Faults that are planted on purpose, one in each part that the sweep is about. A sweep as short as
//! that of `.ci/run` finds each of them; one that does not is worth nothing.

use hast_flow::flows::run::layout as run_layout;
use hast_flow::flows::session::layout as session_layout;
use hast_flow::steps::Commit;
use hast_flow::store::Put;
use hast_flow::store::root::Rule;

use crate::flows::{self, Name};
use crate::leases::{self, Claims};
use crate::round::Subject;
use crate::sweep;

/// A careless change of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// A commit is published before its record is synced.
    Commit,
    /// What was recorded and not published is forgotten.
    Recovery,
    /// A person's edit of the same moment is written over.
    Publish,
    /// The journal is freed before the documents are synced.
    Checkpoint,
    /// The driver does not read what another one committed.
    Driver,
    /// A worker claims what another one holds.
    Leases,
    /// The catalog of a run is left for later.
    RunFlow,
    /// The status of a session is left for later.
    SessionFlow,
    /// A room is not reset between two attempts.
    Rooms,
    /// A merge moves the branch and leaves the files of the checkout.
    Merge,
}

/// The first divergence that a planted fault led to.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The seed in which it came.
    pub seed: u64,
    /// Runs until then, over all seeds.
    pub runs: u64,
    pub why: String,
}

impl Planted {
    pub const ALL: [Self; 10] = [
        Self::Commit,
        Self::Recovery,
        Self::Publish,
        Self::Checkpoint,
        Self::Driver,
        Self::Leases,
        Self::RunFlow,
        Self::SessionFlow,
        Self::Rooms,
        Self::Merge,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Recovery => "recovery",
            Self::Publish => "publish",
            Self::Checkpoint => "checkpoint",
            Self::Driver => "driver",
            Self::Leases => "leases",
            Self::RunFlow => "run flow",
            Self::SessionFlow => "session flow",
            Self::Rooms => "rooms",
            Self::Merge => "merge",
        }
    }

    /// The subject whose sweep meets the fault first.
    pub fn subject(self) -> Subject {
        match self {
            Self::Commit | Self::Recovery | Self::Publish | Self::Checkpoint => Subject::Store,
            Self::Driver => Subject::Flow(Name::Counting),
            Self::Leases => Subject::Leases,
            Self::RunFlow => Subject::Flow(Name::Run),
            Self::SessionFlow => Subject::Flow(Name::Session),
            Self::Rooms | Self::Merge => Subject::Flow(Name::Worktrees),
        }
    }

    /// Sweeps seed after seed with the fault, each at every `every`-th of its usual places, until a
    /// run diverges.
    pub fn find(self, seeds: std::ops::Range<u64>, every: u64) -> Option<Discovery> {
        let every = every * self.subject().stride();
        let mut runs = 0;
        for seed in seeds {
            let (more, why) = self.diverged(seed, every);
            runs += more;
            if let Some(why) = why {
                return Some(Discovery { seed, runs, why });
            }
        }
        None
    }

    fn diverged(self, seed: u64, every: u64) -> (u64, Option<String>) {
        let rule = match self {
            Self::Commit => Rule::SyncBeforePublish,
            Self::Recovery => Rule::RollForward,
            Self::Publish => Rule::KeepPersonsEdit,
            Self::Checkpoint => Rule::SyncBeforeReset,
            Self::Leases => {
                return (1, leases::sweep_with(seed..seed + 1, Claims::Unasked).err());
            }
            Self::Driver | Self::RunFlow | Self::SessionFlow | Self::Rooms | Self::Merge => {
                return self.diverged_in_flow(seed, every);
            }
        };
        let report = sweep::sweep([seed], every, Some(rule));
        let first = report.diverged.into_iter().next();
        (report.runs, first.map(|(case, why)| format!("{case}: {why}")))
    }

    fn diverged_in_flow(self, seed: u64, every: u64) -> (u64, Option<String>) {
        let Subject::Flow(name) = self.subject() else { return (0, None) };
        let mut report = flows::Report { planted: Some(self), ..flows::Report::default() };
        flows::sweep_named(name, seed..seed + 1, every, &mut report);
        let first = report.diverged.into_iter().next();
        (report.runs, first.map(|(case, why)| format!("{case}: {why}")))
    }

    /// Makes a commit of a flow the careless one.
    pub(crate) fn spoil(self, commit: &mut Commit) {
        let later = match self {
            Self::RunFlow => run_layout::CATALOG,
            Self::SessionFlow => session_layout::STATUS,
            _ => return,
        };
        let is_new = |put: &Put| matches!(put, Put::Create { .. });
        commit.puts.retain(|put| put.path().as_str() != later || is_new(put));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many seeds and as few places as in `.ci/run`.
    const SEEDS: std::ops::Range<u64> = 1..9;
    const EVERY: u64 = 4;

    #[test]
    fn every_planted_fault_is_found_by_a_sweep_as_short_as_that_of_every_change() {
        for planted in Planted::ALL {
            let found = planted.find(SEEDS, EVERY);
            assert!(found.is_some(), "the fault in {} is not found", planted.as_str());
        }
    }
}
