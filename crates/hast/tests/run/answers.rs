//! Answers of people to a proposal of a run, and their edits meanwhile.

use crate::scene::Scene;

const START: &[&str] = &["run", "start", "--mode", "initial", "report the sales"];

#[test]
fn modify_makes_a_new_proposal_and_confirm_goes_on_to_the_end() {
    let scene = Scene::new();
    scene.hast(START);
    let run = scene.run();
    let modified = scene.hast(&["run", "modify", "shorter please"]);
    assert_eq!(modified.code, 3, "{modified:?}");
    assert!(scene.has(&format!("runs/{run}/feedback_for_user.1.md")));
    assert!(scene.read(&format!("runs/{run}/decisions.ndjson")).contains("shorter please"));
    let confirmed = scene.hast(&["run", "confirm", &run]);
    assert_eq!(confirmed.code, 0, "{confirmed:?}");
    assert_eq!(scene.status(), "COMPLETED");
}

#[test]
fn cancel_ends_the_run_with_the_reason() {
    let scene = Scene::new();
    scene.hast(START);
    let cancelled = scene.hast(&["run", "cancel", "--reason", "not now"]);
    assert_eq!(cancelled.code, 1, "{cancelled:?}");
    assert!(cancelled.err.contains("not now"), "{}", cancelled.err);
    assert_eq!(scene.status(), "FAILED");
    let again = scene.hast(&["run", "confirm"]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("no run waits"), "{}", again.err);
}

#[test]
fn a_run_that_was_left_is_mentioned_and_the_new_one_starts() {
    let scene = Scene::new();
    scene.hast(START);
    let first = scene.run();
    let second = scene.hast(&["run", "start", "--mode", "continuous", "again"]);
    assert_eq!(second.code, 3, "{second:?}");
    assert!(second.err.contains(&format!("hast run resume {first}")), "{}", second.err);
    assert_eq!(scene.names("runs").len(), 2);
}

#[test]
fn tables_that_a_person_rearranged_keep_working_and_keep_their_bytes() {
    let scene = Scene::new();
    scene.hast(START);
    let run = scene.run();
    let request = "report the sales";
    let edited = format!(
        "# My runs\n\n| note | status | run_id | user_request | current_task_id | current_stage_id | current_phase_id |\n|---|:-:|---|---|---|---|---|\n| a\\|b<br>c | AWAITING_CONFIRMATION | {run} |   {request}   | T00 | S00 | P0 |\n\nprose below\n"
    );
    scene.write("db/process_runs.md", &edited);
    assert_eq!(scene.hast(&["run", "confirm"]).code, 0);
    let after = scene.read("db/process_runs.md");
    assert!(after.starts_with("# My runs\n\n| note | status |"), "{after}");
    assert!(
        after.contains("| a\\|b<br>c | COMPLETED") && after.ends_with("\n\nprose below\n"),
        "{after}"
    );
    assert!(after.contains(&format!("|   {request}   |")), "{after}");
    let again = scene.hast(&["run", "start", "--mode", "continuous", "--yes", "more"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(scene.read("db/process_runs.md").ends_with("\n\nprose below\n"));
}

#[test]
fn a_change_that_says_nothing_is_refused_and_spends_no_proposal() {
    let scene = Scene::new();
    assert_eq!(scene.hast(&["run", "start", "--mode", "initial", "report the sales"]).code, 3);
    for text in ["", " \n"] {
        let ran = scene.hast(&["run", "modify", text]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("hast run modify"), "{}", ran.err);
    }
    let told = Scene::json(&scene.hast(&["run", "show", "--json"]));
    assert_eq!(told["proposal"], 1, "{told}");
}
