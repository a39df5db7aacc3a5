//! The checklist: what is missing is asked about once, and rebuilt when a person says so.

use crate::scene::{Session, report, revised, task, version};
use hast_flow::docs::session::SystemStatus;
use hast_flow::driver::{Delta, Flow};
use hast_flow::flows::session::{View, Wish, layout};
use hast_flow::steps::{Effect, Ending, Step};
use hast_flow::store::{DocPath, Identity, Seen};
use serde_json::json;

/// Another process starts: everything is read afresh, with these files gone.
fn booted(mut session: Session, gone: &[&str]) -> Session {
    session.view = View::default();
    for path in gone {
        session.files.remove(*path).unwrap();
    }
    for (path, bytes) in session.files.clone() {
        let path = DocPath::new(&path).unwrap();
        if path.ancestors().all(|dir| session.flow.reads(&dir, true)) {
            let seen = Seen::File(Identity::of(&bytes, None));
            session
                .flow
                .fold(&mut session.view, &Delta::Document { path: &path, bytes: &bytes, seen });
        }
    }
    session.look();
    session
}

fn asks_about(session: &mut Session, file: &str) {
    let commit = session.commit();
    let question = session.document("execution/questions/Q-20260112-0001.json");
    assert_eq!((&question["file"], &question["status"]), (&json!(file), &json!("OPEN")));
    assert_eq!(session.event("SYSTEM_BLOCKED")["detail"]["question_id"], "Q-20260112-0001");
    assert_eq!(session.view.pointer.blocked_count, 1);
    assert!(commit.puts.len() >= 2);
    let Step::Finish(Ending::Waiting { notice, .. }) = session.next() else {
        panic!("no second question: {:?}", session.next())
    };
    assert!(notice.what.contains(file), "{notice:?}");
}

fn working() -> Session {
    let tasks = [task("T-0001", "SYNTHESIS", &[]), task("T-0002", "SYNTHESIS", &["T-0001"])];
    let mut session = Session::planned(&tasks);
    session.pass("fact");
    session
}

#[test]
fn a_missing_pointer_is_built_again_from_the_log_when_a_person_says_so() {
    let before = working().status();
    let mut session = booted(working(), &[layout::STATUS]);
    asks_about(&mut session, layout::STATUS);
    assert!(!session.files.contains_key(layout::STATUS), "that is for a person to say");
    session.says("restore");
    session.commit();
    session.commit();
    let status = session.status();
    assert_eq!(status.system_status, SystemStatus::Executing);
    assert_eq!(status.plan_revision, before.plan_revision);
    session.agrees();
    session.commit();
    assert_eq!(session.events().last().unwrap(), "TASK_STARTED");
}

#[test]
fn an_answer_without_the_file_asks_again_and_a_file_that_came_back_goes_on() {
    let mut session = booted(working(), &[layout::METADATA]);
    asks_about(&mut session, layout::METADATA);
    session.says("it is there");
    session.commit();
    session.commit();
    session.commit();
    assert!(session.files.contains_key("execution/questions/Q-20260112-0002.json"));
    let path = DocPath::new(layout::METADATA).unwrap();
    session.saved(&path, Some("{}"));
    session.says("now it is");
    session.commit();
    session.commit();
    session.commit();
    assert_eq!(session.events().last().unwrap(), "TASK_STARTED");
}

#[test]
fn metadata_is_built_again_from_the_plan() {
    let mut session = booted(working(), &[layout::METADATA]);
    asks_about(&mut session, layout::METADATA);
    session.says("restore");
    session.commit();
    session.commit();
    let metadata = session.document(layout::METADATA);
    assert_eq!(
        (&metadata["revision"], &metadata["modification_type"]),
        (&json!(1), &json!("INITIAL"))
    );
}

#[test]
fn a_lost_index_is_built_again_from_the_log_and_no_id_is_given_twice() {
    let before = working().files[layout::INDEX].clone();
    let mut session = booted(working(), &[layout::INDEX]);
    asks_about(&mut session, layout::INDEX);
    session.says("restore");
    session.commit();
    let commit = session.commit();
    assert_eq!(commit.role, "Critic");
    assert_eq!(session.files[layout::INDEX], before, "byte for byte");
    session.agrees();
    session.pass("see [K-0001]");
    assert_eq!(session.document(layout::INDEX)["knowledge"][1]["id"], "K-0002");
    session.agrees();
}

#[test]
fn a_lost_plan_comes_back_from_the_archive_as_another_revision() {
    let mut session = Session::planned(&[task("T-0001", "WEB", &[])]);
    session.commit();
    session.fetched("page");
    session.commit();
    session.reply(&[("report.json", report("FAIL", &["no"]))]);
    session.commit();
    session.reply(&revised("MINOR", version(1, 2, &[task("T-0002", "WEB", &[])])));
    session.commit();
    let mut session = booted(session, &[layout::DECOMPOSITION]);
    asks_about(&mut session, layout::DECOMPOSITION);
    session.says("restore");
    session.commit();
    session.commit();
    let plan = session.document(layout::DECOMPOSITION);
    assert_eq!((&plan["revision"], &plan["tasks"][0]["id"]), (&json!(3), &json!("T-0001")));
    assert_eq!(session.event("PLAN_REVISION_BUMP")["detail"]["to"], 3);
    assert_eq!(session.status().plan_revision, 3);
    session.agrees();
    session.commit();
    assert_eq!(session.view.progress[&"T-0001".parse().unwrap()].attempt, 2);
}

#[test]
fn a_lost_plan_without_an_archive_can_be_planned_anew() {
    let mut session = booted(working(), &[layout::DECOMPOSITION]);
    asks_about(&mut session, layout::DECOMPOSITION);
    session.says("replan");
    session.commit();
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Replanning);
    let Step::Effect { effect: Effect::Call(call), .. } = session.next() else {
        panic!("{:?}", session.next())
    };
    assert_eq!(call.step, "replan");
    session.reply(&revised("MAJOR", version(2, 1, &[task("T-0001", "SYNTHESIS", &[])])));
    session.commit();
    session.agrees();
    session.pass("another fact");
    assert_eq!(session.files["execution/outputs/T-0001/attempt-2/a.md"], b"another fact");
}

#[test]
fn a_person_who_wants_another_plan_is_asked_about_a_missing_pointer_first() {
    let mut session = booted(working(), &[layout::STATUS]);
    let known = session.view.events;
    session.flow.wish = Some(Wish::Replan { reason: "wrong company".to_owned(), known });
    asks_about(&mut session, layout::STATUS);
    assert!(!session.files.contains_key(layout::STATUS), "nothing is rebuilt unasked");
    session.says("restore");
    session.commit();
    session.commit();
    assert!(session.files.contains_key(layout::STATUS));
    session.commit();
    assert_eq!(session.event("SYSTEM_RESUMED")["detail"]["reason"], "wrong company");
    let mut session = booted(working(), &[layout::DECOMPOSITION]);
    let known = session.view.events;
    session.flow.wish = Some(Wish::Replan { reason: "wrong company".to_owned(), known });
    session.commit();
    assert!(session.begin().starts_with("replan/"), "a plan that is to be replaced is not missed");
}

#[test]
fn a_lost_log_counts_on_from_the_pointer_and_begins_with_what_the_documents_prove() {
    let last = working().status().last_event_id.unwrap().number();
    let mut session = booted(working(), &[layout::LOG]);
    asks_about(&mut session, layout::LOG);
    assert_eq!(session.status().last_event_id.unwrap().number(), last + 2);
    session.says("restore");
    session.commit();
    session.commit();
    session.agrees();
    let events = session.events();
    assert_eq!(events[3..6], ["SESSION_CREATED", "PLAN_CREATED", "TASK_REVIEWED"]);
    session.commit();
    assert_eq!(session.status().current_task_id.unwrap().as_str(), "T-0002", "T-0001 stays done");
    session.reply(&[("a.md", json!("x"))]);
    session.commit();
    session.agrees();
}

#[test]
fn a_status_file_of_a_person_proves_no_session_and_keeps_its_fields() {
    let mut session = Session::new();
    let path = DocPath::new(layout::STATUS).unwrap();
    session.saved(&path, Some("{\"mine\": true}"));
    session.commit();
    assert_eq!(session.events(), ["SESSION_CREATED"]);
    assert_eq!(session.document(layout::STATUS)["mine"], json!(true));
    assert_eq!(session.status().system_status, SystemStatus::Planning);
    let mut session = Session::new();
    session.saved(&path, Some("{\"last_event_id\": \"EV-20260112T143000Z-0009\"}"));
    asks_about(&mut session, layout::LOG);
}
