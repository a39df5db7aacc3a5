//! Plans that are revised: what is archived, what stays, what is dropped, and the limits.

use crate::scene::{Session, paths, report, revised, task, version};
use hast_flow::docs::session::{KnowledgeIndex, SystemStatus};
use hast_flow::flows::session::{Wish, layout};
use hast_flow::steps::{Effect, Ending, Step};
use hast_flow::store::DocPath;
use serde_json::{Value, json};

/// A data task that does not pass: another plan is wanted.
fn rejected(session: &mut Session) {
    session.commit();
    session.fetched("page");
    session.commit();
    session.reply(&[("report.json", report("FAIL", &["no"]))]);
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Replanning);
}

fn data(id: &str) -> Value {
    task(id, "WEB", &[])
}

#[test]
fn a_revision_archives_the_plan_counts_on_and_tells_it_as_the_seed_does() {
    let mut session = Session::planned(&[data("T-0001")]);
    let before = session.files[layout::DECOMPOSITION].clone();
    rejected(&mut session);
    session.reply(&revised("MINOR", version(1, 2, &[data("T-0002")])));
    let commit = session.commit();
    assert_eq!(commit.role, "Planner");
    let snapshot = "plan/archive/snapshot_20260112T143000Z_t-0001-did-not-pass-its-review";
    assert_eq!(session.files[&format!("{snapshot}/decomposition.json")], before);
    assert!(session.files.contains_key(&format!("{snapshot}/metadata.json")));
    let metadata = session.document(layout::METADATA);
    assert_eq!(
        (&metadata["modification_type"], &metadata["revision"]),
        (&json!("MINOR"), &json!(2))
    );
    assert_eq!(metadata["trigger"], "T-0001 did not pass its review");
    let event = session.event("PLAN_REVISION_BUMP");
    assert_eq!((&event["detail"]["from"], &event["detail"]["to"]), (&json!(1), &json!(2)));
    assert_eq!(event["actor"], "Planner");
    let log = String::from_utf8(session.files[layout::CHANGE_LOG].clone()).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(log.contains("1.2 MINOR T-0001 did not pass its review"), "{log}");
    let status = session.status();
    assert_eq!((status.plan_major_version, status.plan_revision), (1, 2));
    assert_eq!(status.system_status, SystemStatus::Executing);
    session.agrees();
    session.commit();
    assert_eq!(session.status().current_task_id.unwrap().as_str(), "T-0002");
}

#[test]
fn a_task_that_stays_is_tried_again_three_times_and_never_in_an_old_directory() {
    let mut session = Session::planned(&[data("T-0001")]);
    rejected(&mut session);
    session.reply(&revised("MINOR", version(1, 2, &[data("T-0001")])));
    session.commit();
    session.commit();
    session.fetched("again");
    let commit = session.commit();
    assert!(paths(&commit).contains(&"execution/outputs/T-0001/attempt-2/a.md"));
    session.agrees();
}

#[test]
fn what_has_passed_stays_as_it_is_or_is_dropped() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[]), data("T-0002")]);
    session.pass("fact");
    rejected(&mut session);
    let mut changed = task("T-0001", "SYNTHESIS", &[]);
    changed["acceptance"] = json!(["something else"]);
    session.reply(&revised("MINOR", version(1, 2, &[changed, data("T-0003")])));
    let kept = [task("T-0001", "SYNTHESIS", &[]), data("T-0003")];
    let (key, effect) = session.reply(&revised("MINOR", version(1, 2, &kept)));
    assert_eq!(key.as_str(), "replan/1.1/again-1");
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.findings[0].problem.contains("T-0001: the task has passed"), "{call:?}");
    session.commit();
    let index: KnowledgeIndex = serde_json::from_slice(&session.files[layout::INDEX]).unwrap();
    assert_eq!(json!(index.knowledge[0].status), "ACTIVE");
    session.commit();
    assert_eq!(session.status().current_task_id.unwrap().as_str(), "T-0003", "T-0001 stays done");
    session.agrees();
}

#[test]
fn a_task_that_was_dropped_and_comes_back_is_done_again() {
    let first = task("T-0001", "SYNTHESIS", &[]);
    let mut session = Session::planned(&[first.clone(), data("T-0002")]);
    session.pass("fact");
    rejected(&mut session);
    session.reply(&revised("MINOR", version(1, 2, &[data("T-0003")])));
    session.commit();
    session.commit();
    assert_eq!(session.events().last().unwrap(), "KNOWLEDGE_INVALIDATED");
    rejected(&mut session);
    session.reply(&revised("MINOR", version(1, 3, &[first])));
    session.commit();
    session.agrees();
    session.pass("fact again");
    assert_eq!(session.files["execution/outputs/T-0001/attempt-2/a.md"], b"fact again");
    session.agrees();
}

#[test]
fn a_revised_plan_keeps_all_rules_and_has_the_next_version() {
    let mut session = Session::planned(&[data("T-0001")]);
    rejected(&mut session);
    let bad = version(1, 1, &[task("T-0002", "SYNTHESIS", &["T-0009"])]);
    session.reply(&revised("MINOR", bad));
    let Step::Effect { effect: Effect::Call(call), .. } = session.next() else { panic!() };
    let told: Vec<&str> = call.findings.iter().map(|one| one.problem.as_str()).collect();
    assert!(told[0].contains("T-0009 does not exist"), "{told:?}");
    assert!(told[1].contains("major_version 1 and revision 2"), "{told:?}");
    assert_eq!(call.attempt, 2);
}

/// What the examples of the next call say.
fn shown(session: &Session) -> [String; 3] {
    let Step::Effect { effect: Effect::Call(call), .. } = session.next() else { panic!() };
    ["kind", "major_version", "revision"].map(|name| call.shown[name].clone())
}

#[test]
fn the_examples_of_a_revision_have_the_version_that_is_wanted() {
    let mut session = Session::planned(&[data("T-0001")]);
    for (revision, number) in [(2, 2), (3, 3), (4, 4)] {
        rejected(&mut session);
        let wanted = ["MINOR".to_owned(), "1".to_owned(), revision.to_string()];
        assert_eq!(shown(&session), wanted);
        let plan = version(1, revision, &[data(&format!("T-{number:04}"))]);
        session.reply(&revised("MINOR", plan));
        session.commit();
    }
    rejected(&mut session);
    assert_eq!(shown(&session), ["MAJOR", "2", "1"]);
    session.reply(&revised("MAJOR", version(2, 1, &[data("T-0005")])));
    session.commit();
    assert_eq!(session.status().plan_major_version, 2);
}

#[test]
fn three_minor_revisions_then_only_a_major_one_and_after_three_majors_it_fails() {
    let mut session = Session::planned(&[data("T-0001")]);
    let mut number = 1;
    for major in 1..=3 {
        for revision in 2..=4 {
            rejected(&mut session);
            number += 1;
            let plan = version(major, revision, &[data(&format!("T-{number:04}"))]);
            session.reply(&revised("MINOR", plan));
            session.commit();
        }
        rejected(&mut session);
        if major == 3 {
            break;
        }
        number += 1;
        let task = [data(&format!("T-{number:04}"))];
        session.reply(&revised("MINOR", version(major, 5, &task)));
        let Step::Effect { effect: Effect::Call(call), .. } = session.next() else { panic!() };
        assert!(call.findings.iter().any(|one| one.problem.contains("MAJOR")), "{call:?}");
        session.reply(&revised("MAJOR", version(major + 1, 1, &task)));
        session.commit();
        assert_eq!(session.status().plan_major_version, major + 1);
        assert_eq!(session.document(layout::METADATA)["modification_type"], "MAJOR");
    }
    session.commit();
    assert_eq!(session.events().last().unwrap(), "SESSION_FAILED");
    let Step::Finish(Ending::Failed(notice)) = session.next() else { panic!() };
    assert!(notice.what.contains("3 plans did not work"), "{notice:?}");
    let summary = session.document(layout::SUMMARY);
    assert_eq!((&summary["status"], &summary["tasks"]["failed"]), (&json!("FAILED"), &json!(1)));
    session.agrees();
}

#[test]
fn the_planner_may_say_that_the_plan_was_impossible() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[]), data("T-0002")]);
    session.pass("fact");
    rejected(&mut session);
    session.reply(&revised("MAJOR", version(2, 1, &[data("T-0003")])));
    session.commit();
    assert_eq!(session.event("PLAN_MAJOR_BUMP")["detail"]["to"], 2);
    session.commit();
    let event = session.event("KNOWLEDGE_INVALIDATED");
    assert_eq!(event["detail"]["why"]["K-0001"], "source_dropped");
}

#[test]
fn a_person_may_say_so_and_it_is_in_the_log_before_anybody_is_asked() {
    let mut session = Session::planned(&[data("T-0001")]);
    session.flow.wish = Some(Wish::Replan { reason: "wrong company".to_owned(), known: 2 });
    session.commit();
    let event = session.event("SYSTEM_RESUMED");
    assert_eq!(event["detail"]["reason"], "wrong company");
    // The next process has no wish of its own.
    session.flow.wish = None;
    session.agrees();
    let Step::Effect { effect: Effect::Call(call), .. } = session.next() else { panic!() };
    assert!(call.prompt.contains("wrong company") && call.prompt.contains("MAJOR one"), "{call:?}");
    session.reply(&revised("MAJOR", version(2, 1, &[data("T-0001")])));
    session.commit();
    assert_eq!(session.document(layout::METADATA)["trigger"], "wrong company");
}

#[test]
fn a_plan_that_was_changed_without_a_revision_is_not_worked_on() {
    let mut session = Session::planned(&[data("T-0001")]);
    let path = DocPath::new(layout::DECOMPOSITION).unwrap();
    assert!(hast_flow::driver::Flow::rests_on(&session.flow, &session.view).contains(&path));
    session.saved(&path, Some(&version(1, 1, &[data("T-0009")]).to_string()));
    let Step::Finish(Ending::Blocked(notice)) = session.next() else { panic!() };
    assert!(notice.what.contains("without a revision"), "{notice:?}");
}

/// Two pages in two lanes, both fetched.
fn both_fetched() -> Session {
    let mut session = Session::planned(&[data("T-0001"), data("T-0002")]);
    session.flow.parallel = 2;
    session.commit();
    session.commit();
    session.begin();
    session.begin();
    for task in ["T-0001", "T-0002"] {
        session.fetched_home(&format!("{task}/execute/1"), task);
        session.commit();
    }
    session
}

#[test]
fn what_was_fetched_is_reviewed_before_the_plan_changes_and_is_not_fetched_again() {
    let mut session = both_fetched();
    session.reply(&[("report.json", report("FAIL", &["no date"]))]);
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Replanning);
    let (key, _) = session.reply(&[("report.json", report("PASS", &[]))]);
    assert_eq!(key.as_str(), "T-0002/review/1");
    session.commit();
    assert_eq!(session.events().last().unwrap(), "KNOWLEDGE_PROMOTED");
    let (key, _) =
        session.reply(&revised("MINOR", version(1, 2, &[data("T-0002"), data("T-0003")])));
    assert_eq!(key.as_str(), "replan/1.1");
    session.commit();
    let commit = session.commit();
    let started: Vec<&str> = commit.starts.iter().map(|key| key.as_str()).collect();
    assert_eq!(started, ["T-0003/execute/1"], "T-0002 has passed");
    session.agrees();
}

#[test]
fn what_was_started_when_a_task_failed_is_finished_whether_or_not_the_process_died() {
    let mut session = Session::planned(&[data("T-0001"), data("T-0002")]);
    session.flow.parallel = 2;
    session.commit();
    session.commit();
    session.fetched("one");
    session.commit();
    let (key, _) = session.reply(&[("report.json", report("FAIL", &["no date"]))]);
    assert_eq!(key.as_str(), "T-0001/review/1");
    session.commit();
    // Nothing is on its way here, as after a kill.
    let (key, _) = session.fetched("two");
    assert_eq!(key.as_str(), "T-0002/execute/1");
    session.commit();
    let (key, _) = session.reply(&[("report.json", report("PASS", &[]))]);
    assert_eq!(key.as_str(), "T-0002/review/1");
    session.commit();
    assert!(session.begin().starts_with("replan/"));
    session.agrees();
}

#[test]
fn a_person_who_calls_the_plan_impossible_waits_for_reviews_only_and_keeps_the_last_word() {
    let mut session = both_fetched();
    session.flow.parallel = 3;
    let known = session.view.events;
    session.flow.wish = Some(Wish::Replan { reason: "wrong company".to_owned(), known });
    session.commit();
    session.reply(&[("report.json", report("FAIL", &["no date"]))]);
    session.commit();
    session.reply(&[("report.json", report("PASS", &[]))]);
    session.commit();
    let Step::Effect { effect: Effect::Call(call), .. } = session.next() else { panic!() };
    assert!(call.prompt.contains("wrong company") && call.prompt.contains("MAJOR one"), "{call:?}");
    let mut session = Session::planned(&[data("T-0001")]);
    session.commit();
    let known = session.view.events;
    session.flow.wish = Some(Wish::Replan { reason: "wrong company".to_owned(), known });
    session.commit();
    assert!(session.begin().starts_with("replan/"), "nothing more of it is fetched");
}
