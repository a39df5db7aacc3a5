//! A flow with a disk and a work tree, hit by every kind of blow at many places, and each time compared
//! with the run that nobody disturbed.

use crate::flows::{Blow, Case, Report};

/// What a run of a flow has come to.
pub(crate) trait End: Sized {
    /// How many operations of disk and work tree it took: the places where it can be hit.
    fn operations(&self) -> u64;

    /// Whether a run that was hit came to the same.
    fn same(&self, hit: &Self) -> Result<(), String>;
}

/// Hits at every `every`-th operation with each of these blows.
pub(crate) fn sweep<E: End>(
    calm_case: Case,
    every: u64,
    blows: &[Blow],
    report: &mut Report,
    play: impl Fn(Case, &mut Report) -> Result<E, String>,
) {
    let calm = match play(calm_case, report) {
        Ok(end) => end,
        Err(why) => return report.diverged.push((calm_case, why)),
    };
    let first = 1 + calm_case.seed % every;
    for at in (first..=calm.operations()).step_by(usize::try_from(every).unwrap_or(1)) {
        for blow in blows {
            compare(Case { blow: Some(*blow), at, ..calm_case }, &calm, report, &play);
        }
    }
}

/// Runs one case again.
pub(crate) fn replay<E: End>(
    case: Case,
    report: &mut Report,
    play: impl Fn(Case, &mut Report) -> Result<E, String>,
) {
    let calm_case = Case { blow: None, at: 0, ..case };
    match play(calm_case, report) {
        Ok(calm) => compare(case, &calm, report, &play),
        Err(why) => report.diverged.push((calm_case, why)),
    }
}

fn compare<E: End>(
    case: Case,
    calm: &E,
    report: &mut Report,
    play: &impl Fn(Case, &mut Report) -> Result<E, String>,
) {
    if let Err(why) = play(case, report).and_then(|end| calm.same(&end)) {
        report.diverged.push((case, why));
    }
}
