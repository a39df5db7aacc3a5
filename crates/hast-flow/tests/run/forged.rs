//! Tables that say more than what happened: somebody wrote a status who is not the orchestrator.

use hast_flow::docs::run::RunStatus;
use hast_flow::flows::run::layout;
use hast_flow::steps::{Ending, Place, Step};

use crate::actors::Actors;
use crate::scene::{RUN, Run};

/// A run whose executor has just answered for T06.
fn answered() -> Run {
    let actors = Actors::honest();
    let mut run = Run::started();
    run.until_unit(&actors, "task", "T06");
    run.turn(&actors);
    run
}

fn forge(run: &mut Run, path: &str) {
    let text = run.text(path);
    assert!(text.contains("PENDING"), "{text}");
    run.set(path, text.replace("PENDING", "COMPLETED").as_bytes());
}

fn blocked(run: &Run) -> String {
    match run.next() {
        Step::Finish(Ending::Blocked(notice)) => notice.what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_status_that_no_event_tells_of_completes_nothing() {
    for tables in [&["phases"][..], &["phases", "major_stages"], &["tasks"]] {
        let mut run = answered();
        for name in tables {
            forge(&mut run, &format!("runs/{RUN}/db/{name}.md"));
        }
        let what = blocked(&run);
        assert!(what.contains("COMPLETED where no event does"), "{tables:?}: {what}");
        assert_eq!(run.row().status, RunStatus::Pending);
    }
}

#[test]
fn a_run_that_calls_itself_completed_without_an_event_is_not() {
    let mut run = answered();
    forge(&mut run, layout::RUNS);
    assert!(blocked(&run).contains(RUN), "{}", blocked(&run));
}

#[test]
fn a_run_whose_log_was_archived_since_it_began_goes_on() {
    let mut run = answered();
    let log = run.text(layout::LOG);
    let last = log.lines().last().unwrap();
    run.set(layout::LOG, format!("{last}\n").as_bytes());
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
}

#[test]
fn a_run_whose_last_phase_left_no_file_delivers_nothing_and_is_not_completed() {
    let actors = Actors::honest();
    let mut run = Run::started();
    run.until_unit(&actors, "task", "T06");
    loop {
        if run.phases().iter().all(|phase| format!("{:?}", phase.status) == "Completed") {
            break;
        }
        assert!(run.turn(&actors).is_none());
    }
    // No task of it has a file in `outputs/`, and those of the last phase are gone.
    let path = format!("runs/{RUN}/db/tasks.md");
    let moved = run.text(&path).replace(&format!("outputs/{RUN}/"), "elsewhere/");
    run.set(&path, moved.as_bytes());
    let catalog = run.text(layout::CATALOG);
    let others = catalog.lines().filter(|line| !line.contains(&format!("outputs/{RUN}/")));
    let others: String = others.map(|line| format!("{line}\n")).collect();
    run.set(layout::CATALOG, others.as_bytes());
    run.files.retain(|path, _| !path.contains(&format!("workspace/{}", layout::OUTPUT_PHASE)));
    let Ending::Blocked(notice) = run.drive(&actors) else { panic!("{:?}", run.row()) };
    assert!(notice.what.contains("nothing to deliver"), "{}", notice.what);
    assert_eq!(run.row().status, RunStatus::Pending);
}

#[test]
fn every_call_is_watched_but_for_what_people_and_other_runs_write() {
    let mut run = Run::started();
    let call = run.until(&Actors::honest(), "task");
    assert_eq!(call.place, Place::Within(Vec::new()));
    let own = format!("!/runs/{RUN}");
    assert!(call.others.drivers.contains(&own), "{:?}", call.others);
    assert!(call.others.people.contains(&"/db/*.md".to_owned()), "{:?}", call.others);
}
