//! The crash sweep of the store: the same script of commits, interrupted at every operation in
//! every way, must end as one of the histories that the commits allow.

mod case;
mod check;
mod run;
mod script;

pub use case::{Case, Mode, Report};
pub use run::{replay, sweep};

#[cfg(test)]
mod tests {
    use hast_flow::store::root::Rule;

    use super::*;

    fn told(report: &Report) -> String {
        let first = report.diverged.first();
        first.map_or(String::new(), |(case, why)| {
            format!("{why}\nreplay: cargo run -p hast-sim --release -- --replay {case}")
        })
    }

    #[test]
    fn no_interruption_loses_a_commit_tears_one_or_overwrites_a_person() {
        let report = sweep(1..=4, 17, None);
        assert!(report.diverged.is_empty(), "{}", told(&report));
        assert!(report.crashes > 500 && report.edits > 100, "{report:?}");
    }

    #[test]
    fn each_safety_rule_is_missed_when_it_is_broken() {
        for rule in [
            Rule::LengthCheck,
            Rule::SyncBeforePublish,
            Rule::RollForward,
            Rule::SyncBeforeReset,
            Rule::KeepPersonsEdit,
        ] {
            let misses = |seed| !sweep(seed..=seed, 23, Some(rule)).diverged.is_empty();
            assert!((1..=4).any(misses), "{rule:?} is not missed");
        }
    }

    #[test]
    fn a_case_is_written_so_that_it_can_be_replayed() {
        let case: Case = "7:PowerAfter:120".parse().unwrap();
        assert_eq!(case.to_string(), "7:PowerAfter:120");
        assert!("7:Nonsense:1".parse::<Case>().is_err());
    }
}
