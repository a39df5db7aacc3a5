//! 2.2.3 of the seed: fail fast. A failure in every possible place leaves exactly the statuses that
//! the seed asks for, in one commit, with a report.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::steps::{Effect, Ending, Step, StepKey};

use crate::actors::{Actors, ERROR, Trouble};
use crate::scene::{RUN, Run};

/// A place where something can fail: the step, who is asked, and which units it is inside of.
#[derive(Clone, Debug)]
struct Spot {
    key: String,
    kind: &'static str,
    units: BTreeSet<String>,
    troubles: &'static [Trouble],
}

const CALLS: &[Trouble] = &[Trouble::Failed, Trouble::Blocked, Trouble::Broken];
const WORK: &[Trouble] = &[Trouble::Failed, Trouble::Blocked, Trouble::Broken, Trouble::Said];
const ONE: &[Trouble] = &[Trouble::Failed];

/// What the seed asks for, written down apart from the code: a plan belongs to what it is a plan
/// of, a tool task to its task, a task to its stage, a stage to its phase, all to the run.
fn spot(run: &Run, key: &str, effect: &Effect) -> Option<Spot> {
    let [phase, stage, task] = run.pointers();
    let units = |ids: &[&str]| -> BTreeSet<String> {
        ids.iter().chain(&[RUN]).filter(|id| !id.is_empty()).map(|id| (*id).to_owned()).collect()
    };
    let unit = key.split('/').nth(1).unwrap_or_default();
    let (kind, units, troubles) = match effect {
        Effect::Call(call) => match call.step {
            "propose" => ("planner", units(&[&phase, &stage]), CALLS),
            "stages" => ("planner", units(&[&phase]), CALLS),
            "tasks" => ("planner", units(&[&phase, &stage]), CALLS),
            "pre_tools" | "post_tools" => ("planner", units(&[&phase, &stage, &task]), CALLS),
            "task" => ("task", units(&[&phase, &stage, &task]), WORK),
            "tool_task" => ("tool", units(&[&phase, &stage, &task, unit]), WORK),
            other => panic!("{other}"),
        },
        Effect::Tools(_) if key.ends_with("/fetch") => return None,
        Effect::Tools(_) => ("tool", units(&[&phase, &stage, &task, unit]), ONE),
        Effect::Scan(_) if key.ends_with("/data") => {
            ("tool", units(&[&phase, &stage, &task, unit]), ONE)
        }
        Effect::Scan(_) if unit == "T03" => ("task", units(&[&phase, &stage, &task]), ONE),
        // What a plan rests on could not be looked at: that is the plan's fault, told again.
        Effect::Scan(_) => return None,
        other => panic!("{other:?}"),
    };
    Some(Spot { key: key.to_owned(), kind, units, troubles })
}

/// Every place of an honest run, in order.
fn spots() -> Vec<Spot> {
    let (mut run, actors, mut spots) = (Run::started(), Actors::honest(), Vec::new());
    loop {
        let step = run.next();
        if let Step::Effect { key, effect } = &step
            && !key.as_str().ends_with("/classify")
        {
            spots.extend(spot(&run, key.as_str(), effect));
        }
        if run.turn(&actors).is_some() {
            return spots;
        }
    }
}

/// Drives until that place fails. The statuses before, the run after, and its ending.
fn failed_at(spot: &Spot, trouble: Trouble) -> (BTreeMap<String, String>, Run, Ending, usize) {
    let mut run = Run::started();
    let actors = Actors::failing(&spot.key, trouble);
    let (mut before, mut commits) = (BTreeMap::new(), 0);
    loop {
        if let Step::Effect { key, .. } = run.next()
            && key.as_str() == spot.key
        {
            (before, commits) = (run.statuses(), run.commits.len());
        }
        if let Some(ending) = run.turn(&actors) {
            return (before, run, ending, commits);
        }
    }
}

#[test]
fn a_failure_in_every_place_marks_exactly_its_units_in_one_commit_and_tells_why() {
    let spots = spots();
    let kinds: BTreeSet<&str> = spots.iter().map(|spot| spot.kind).collect();
    assert_eq!(kinds, BTreeSet::from(["planner", "task", "tool"]));
    assert!(spots.len() >= 24, "{}", spots.len());
    for spot in &spots {
        for trouble in spot.troubles {
            let (before, run, ending, commits) = failed_at(spot, *trouble);
            let place = format!("{} {trouble:?}", spot.key);
            let mut expected = before;
            for unit in &spot.units {
                expected.insert(unit.clone(), "FAILED".to_owned());
            }
            assert_eq!(run.statuses(), expected, "{place}");
            assert_eq!(run.commits.len(), commits + 1, "{place}: one commit");
            told(&run, &ending, spot, &place);
        }
    }
}

/// An agent refused a tool task for want of a login. The next process failed before it asked again.
#[test]
fn a_run_that_is_over_ends_what_an_earlier_process_left_open() {
    let spots = spots();
    let spot = spots.iter().find(|spot| spot.kind == "tool").unwrap();
    let mut run = Run::started();
    let left = [RUN, "TT99", "tool_task"];
    run.leaves_open(&left);
    let actors = Actors::failing(&spot.key, Trouble::Failed);
    while run.turn(&actors).is_none() {}
    let last = run.commits.last().unwrap();
    assert!(last.finishes.contains(&StepKey::new(&left)), "{:?}", last.finishes);
}

/// The report names run, place, purpose and the original error; nothing further is attempted.
fn told(run: &Run, ending: &Ending, spot: &Spot, place: &str) {
    let failure = run.failure();
    assert!(failure.error.contains(ERROR), "{place}: {}", failure.error);
    assert!(!failure.purpose.is_empty(), "{place}");
    let ids = [
        failure.place.phase_id.map(|id| id.to_string()),
        failure.place.stage_id.map(|id| id.to_string()),
        failure.place.task_id.map(|id| id.to_string()),
        failure.place.tool_task_id.map(|id| id.to_string()),
    ];
    let told: BTreeSet<String> = ids.into_iter().flatten().chain([RUN.to_owned()]).collect();
    assert_eq!(told, spot.units, "{place}");
    let Ending::Failed(notice) = ending else { panic!("{place}: {ending:?}") };
    for part in [RUN, failure.purpose.as_str(), "the original error", "with a second line"] {
        assert!(notice.what.contains(part), "{place}: {part} is not in\n{}", notice.what);
    }
    assert!(spot.units.iter().all(|unit| notice.what.contains(unit)), "{place}\n{}", notice.what);
    assert!(matches!(run.next(), Step::Finish(Ending::Failed(_))), "{place}");
}

#[test]
fn a_failed_run_is_final_and_says_how_to_learn_from_it() {
    let spot = &spots()[0];
    let (_, mut run, _, _) = failed_at(spot, Trouble::Failed);
    let files = run.files.clone();
    let Ending::Failed(notice) = run.drive(&Actors::honest()) else { panic!() };
    assert!(notice.next.contains("continuous"));
    assert_eq!(run.files, files);
}

#[test]
fn a_reply_that_breaks_its_contract_is_asked_for_again_because_no_work_was_done() {
    let mut run = Run::started();
    run.until(&Actors::honest(), "stages");
    let (key, _) = run.effect();
    run.turn(&Actors::failing(key.as_str(), Trouble::Broken));
    let call = run.call();
    assert_eq!((call.step, call.regeneration, call.findings.len()), ("stages", 1, 1));
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
}

#[test]
fn a_page_that_cannot_be_read_is_told_in_the_report_and_fails_nothing() {
    let mut run = Run::started();
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
    let report = run.text(&format!("runs/{RUN}/workspace/ANALYZING/TT01_시장_조사.md"));
    assert!(report.contains("(could not be read: 404)"), "{report}");
}
