//! Flows driven through disasters: the real driver, flow and store, with a simulated disk, clock,
//! agents and people. One seed decides all of it, and the end must be that of an undisturbed run.

pub mod case;
pub mod counting;
pub(crate) mod effects;
pub(crate) mod holding;
pub(crate) mod outbox;
pub(crate) mod person;
mod run;
pub mod subject;
mod watched;

pub use case::{Blow, Case, Report};
pub use run::{replay, sweep};

use crate::auto;
use crate::feature;
use crate::git::Syncing;
use crate::kernel::Kernel;
use crate::lanes;
use crate::runs::OneRun;
use crate::session::Session;
use counting::Counting;

/// Every flow that the sweep knows, by the name that a case has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// One task after the other, under a clock that stands still: the end is equal byte for byte.
    Session,
    /// Three lanes, results in any order, under a clock that moves.
    Lanes,
    /// Four phases from a request to deliverables, in tables.
    Run,
    /// Experts, a plan that grows, and a report.
    Kernel,
    /// Code that is changed: hit at operations of disk and work tree.
    /// Goals worked through by the real flow, hit in the same way.
    Auto,
    /// A feature built test-first, hit in the same way.
    Contract,
    /// Goals in work trees of their own, several at once, in the same way.
    Worktrees,
    Counting,
}

impl Name {
    pub const ALL: [Self; 8] = [
        Self::Session,
        Self::Lanes,
        Self::Run,
        Self::Kernel,
        Self::Auto,
        Self::Contract,
        Self::Worktrees,
        Self::Counting,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Lanes => "lanes",
            Self::Run => "run",
            Self::Kernel => "kernel",
            Self::Auto => "auto",
            Self::Contract => "contract",
            Self::Worktrees => "worktrees",
            Self::Counting => "counting",
        }
    }
}

/// Sweeps one flow over seeds; each is hit at every `every`-th place.
pub fn sweep_named(name: Name, seeds: std::ops::Range<u64>, every: u64, report: &mut Report) {
    for seed in seeds {
        match name {
            Name::Session => sweep(name, seed, every, Session::one_by_one, report),
            Name::Lanes => sweep(name, seed, every, Session::in_lanes, report),
            Name::Run => sweep(name, seed, every, OneRun::new, report),
            Name::Kernel => sweep(name, seed, every, Kernel::new, report),
            Name::Auto => auto::sweep(seed, every, Syncing::All, report),
            Name::Contract => feature::sweep(seed, every, report),
            Name::Worktrees => lanes::sweep(seed, every, report),
            Name::Counting => sweep(name, seed, every, Counting::new, report),
        }
    }
}

/// Runs one case and the undisturbed one that it is compared with.
pub fn replay_named(case: Case, report: &mut Report) {
    match case.flow {
        Name::Session => replay(case, Session::one_by_one, report),
        Name::Lanes => replay(case, Session::in_lanes, report),
        Name::Run => replay(case, OneRun::new, report),
        Name::Kernel => replay(case, Kernel::new, report),
        Name::Auto => auto::replay(case, Syncing::All, report),
        Name::Contract => feature::replay(case, report),
        Name::Worktrees => lanes::replay(case, report),
        Name::Counting => replay(case, Counting::new, report),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_hit_anywhere_ends_like_one_that_was_not() {
        let mut report = Report::default();
        for (name, every) in [
            (Name::Session, 499),
            (Name::Lanes, 499),
            (Name::Run, 997),
            (Name::Kernel, 499),
            (Name::Counting, 29),
        ] {
            sweep_named(name, 1..5, every, &mut report);
        }
        let told: Vec<String> =
            report.diverged.iter().take(5).map(|(case, why)| format!("{case}: {why}")).collect();
        assert_eq!(told, Vec::<String>::new());
        assert!(report.crashes > 100 && report.effects > 1_000, "{report:?}");
        for blow in Blow::ALL.into_iter().filter(|blow| *blow != Blow::EditAny) {
            assert!(report.blows.contains_key(blow.as_str()), "{blow:?} never came: {report:?}");
        }
        for kind in ["limited", "login", "hung", "broken", "failed", "lied", "interrupted"] {
            assert!(report.moods.contains_key(kind), "no agent {kind}: {:?}", report.moods);
        }
    }

    /// The start of a review was noted, and another driver ended it before the first one began.
    #[test]
    fn a_step_that_another_driver_ended_between_a_decision_and_its_start_is_not_begun() {
        let mut report = Report::default();
        replay_named("session:1:second-meanwhile:33".parse().unwrap(), &mut report);
        assert_eq!(report.diverged.iter().map(|(_, why)| why).collect::<Vec<_>>(), [""; 0]);
        assert_eq!(report.moods.get("second driver"), Some(&1));
    }

    /// The plan was from before the second driver's commit and what mirrors it from after it: that looked
    /// like a person's edit.
    #[test]
    fn a_commit_between_two_looks_of_one_decision_is_seen_whole() {
        let mut report = Report::default();
        for at in (1..2_400).step_by(13) {
            let blow = Some(Blow::SecondAnywhere);
            replay_named(Case { flow: Name::Kernel, seed: 31_000, blow, at }, &mut report);
        }
        assert_eq!(report.diverged.iter().map(|(_, why)| why).collect::<Vec<_>>(), [""; 0]);
    }

    /// The second driver made what the decision came to rest on while the first one looked: it was not
    /// read, and the end had no copy of it.
    #[test]
    fn what_a_commit_between_two_looks_adds_to_a_decision_is_read_too() {
        let mut report = Report::default();
        for at in (1_400..1_700).step_by(3) {
            let blow = Some(Blow::SecondAnywhere);
            replay_named(Case { flow: Name::Session, seed: 716_289_657, blow, at }, &mut report);
        }
        assert_eq!(report.diverged.iter().map(|(_, why)| why).collect::<Vec<_>>(), [""; 0]);
    }

    /// Two drivers that start one run: the first start came to nothing and left nothing behind.
    #[test]
    fn a_start_that_another_driver_ended_without_a_run_is_no_circle() {
        let mut report = Report::default();
        for at in 1..24 {
            let blow = Some(Blow::SecondMeanwhile);
            replay_named(Case { flow: Name::Run, seed: 20_261_118_003, blow, at }, &mut report);
        }
        assert_eq!(report.diverged.iter().map(|(_, why)| why).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn a_case_is_written_so_that_it_can_be_replayed() {
        let case: Case = "lanes:7:power-after:120".parse().unwrap();
        assert_eq!(case.to_string(), "lanes:7:power-after:120");
        assert!("lanes:7:nonsense:1".parse::<Case>().is_err());
        let mut report = Report::default();
        replay_named(case, &mut report);
        assert_eq!((report.runs, report.diverged.len()), (2, 0));
    }
}
