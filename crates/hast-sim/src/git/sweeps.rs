//! A flow with a disk and a work tree, hit by every kind of blow at many places, and each time compared
//! with the run that nobody disturbed.

use hast_flow::store::DocPath;

use crate::flows::person::Person;
use crate::flows::{Blow, Case, Report};

/// What a run of a flow has come to.
pub(crate) trait End: Sized {
    /// How many operations of disk and work tree it took: the places where it can be hit.
    fn operations(&self) -> u64;

    /// Documents that the flow has looked at.
    fn read(&self) -> &[DocPath];

    /// Whether a run that was hit came to the same.
    fn same(&self, hit: &Self) -> Result<(), String>;
}

/// Hits at every `every`-th operation with each of these blows.
pub(crate) fn sweep<E: End>(
    calm_case: Case,
    every: u64,
    blows: &[Blow],
    report: &mut Report,
    play: impl Fn(Case, Person, &mut Report) -> Result<E, String>,
) {
    let calm = match play(calm_case, Person::default(), report) {
        Ok(end) => end,
        Err(why) => return report.diverged.push((calm_case, why)),
    };
    if blows.contains(&Blow::EditAny) {
        report.looked_at(calm.read());
    }
    let wanted: Vec<Blow> = blows.iter().copied().filter(|blow| report.wants(*blow)).collect();
    let first = 1 + calm_case.seed % every;
    for at in (first..=calm.operations()).step_by(usize::try_from(every).unwrap_or(1)) {
        for blow in &wanted {
            compare(Case { blow: Some(*blow), at, ..calm_case }, &calm, report, &play);
            if report.is_enough() {
                return;
            }
        }
    }
}

/// Runs one case again.
pub(crate) fn replay<E: End>(
    case: Case,
    report: &mut Report,
    play: impl Fn(Case, Person, &mut Report) -> Result<E, String>,
) {
    let calm_case = Case { blow: None, at: 0, ..case };
    match play(calm_case, Person::default(), report) {
        Ok(calm) => compare(case, &calm, report, &play),
        Err(why) => report.diverged.push((calm_case, why)),
    }
}

fn compare<E: End>(
    case: Case,
    calm: &E,
    report: &mut Report,
    play: &impl Fn(Case, Person, &mut Report) -> Result<E, String>,
) {
    let person = Person::of_any(case, calm.read());
    let is_spoiled = person.spoils();
    // What comes of a document that a person spoiled is not compared.
    let ended = play(case, person, report);
    if let Err(why) = ended.and_then(|end| if is_spoiled { Ok(()) } else { calm.same(&end) }) {
        report.diverged.push((case, why));
    }
}
