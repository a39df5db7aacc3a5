//! Documents that were lost, and a project that is not where it was: what the log knows is not asked for
//! again, and nothing counts for another request.

use crate::gaps::every_line_is_missed;
use crate::scene::{ONE, Scene};

const STORE: &str = ".claude/orchestrator";

fn state(scene: &Scene) -> String {
    format!("{STORE}/sessions/{}/state.json", scene.names(&format!("{STORE}/sessions")).concat())
}

#[test]
fn a_request_whose_state_was_lost_is_shown_resumed_and_not_overtaken() {
    let scene = Scene::killed_during("implement", "");
    let path = state(&scene);
    scene.remove(&path);
    assert!(scene.hast(&["contract", "list"]).out.contains("R1  active"));
    assert!(scene.hast(&["contract", "show", "R1"]).out.contains("T1-S2"));
    assert!(scene.hast(&["status"]).out.contains("R1"));
    let verified = scene.hast(&["contract", "verify"]);
    assert_eq!(verified.code, 1, "{verified:?}");
    let second = scene.hast(&["contract", "start", "another one"]);
    assert_eq!(second.code, 1);
    assert!(second.err.contains("R1 is active"), "{}", second.err);
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(scene.read(&path).contains("\"completed\""));
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}

#[test]
fn a_log_without_its_last_line_is_gone_on_with() {
    for step in ["test_first", "implement", "review", "verify"] {
        let scene = Scene::killed_during(step, "");
        let log = scene.log();
        let mut lines: Vec<&str> = log.lines().collect();
        lines.pop();
        scene.write(&format!("{STORE}/events.ndjson"), lines.join("\n") + "\n");
        let resumed = scene.hast(&["contract", "resume"]);
        assert_eq!(resumed.code, 0, "{step}: {resumed:?}");
        let wanted = ["feat(R1/T1-S2): sum up", "test(R1/T1-S2): sum up", "first"];
        assert_eq!(scene.commits(), wanted, "{step}");
    }
}

#[test]
fn verify_misses_the_log_the_state_and_the_session() {
    let scene = Scene::new(ONE);
    assert_eq!(scene.hast(&["contract", "start", "a total"]).code, 0);
    let state = state(&scene);
    let session = state.replace("state.json", "session.json");
    for path in [format!("{STORE}/events.ndjson"), state, session] {
        let before = scene.read(&path);
        scene.remove(&path);
        let verified = scene.hast(&["contract", "verify"]);
        assert_eq!(verified.code, 1, "{path}: {verified:?}");
        let name = path.rsplit('/').next().unwrap();
        assert!(verified.out.contains(name) || verified.err.contains(name), "{path}: {verified:?}");
        scene.write(&path, before);
        assert_eq!(scene.hast(&["contract", "verify"]).code, 0, "{path}");
    }
}

/// The state is committed with the project, and the project is moved.
#[test]
#[expect(clippy::disallowed_methods, reason = "a person moves it, not hast")]
fn a_new_request_at_another_path_is_not_answered_with_an_old_one() {
    let scene = Scene::new(ONE);
    assert_eq!(scene.hast(&["contract", "start", "first wish"]).code, 0);
    let store = scene.root().join(STORE);
    let hash = scene.names(&format!("{STORE}/sessions")).concat();
    let here = scene.root().canonicalize().unwrap().to_string_lossy().into_owned();
    // As if this were the copy of a project that lies elsewhere.
    std::fs::rename(store.join("sessions").join(&hash), store.join("sessions/0a1b2c3d")).unwrap();
    for name in ["events.ndjson", "sessions/0a1b2c3d/session.json"] {
        let path = format!("{STORE}/{name}");
        let text = scene.read(&path).replace(&hash, "0a1b2c3d");
        scene.write(&path, text.replace(&here, "/elsewhere"));
    }
    let listed = scene.hast(&["contract", "list"]);
    assert!(listed.out.contains("/elsewhere"), "{}", listed.out);
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 1);
    assert!(resumed.err.contains("/elsewhere"), "{}", resumed.err);
    scene.write("tests/total.test", "true\n");
    scene.git(&["rm", "-q", "src/total.sh"]);
    scene.git(&["commit", "-qam", "anew"]);
    let started = scene.hast(&["contract", "start", "second wish"]);
    assert_eq!(started.code, 0, "{started:?}");
    assert!(started.out.contains("R2 is complete"), "{}", started.out);
    assert!(started.err.contains("/elsewhere"), "{}", started.err);
    assert!(scene.commits()[0].starts_with("feat(R2/T1-S2)"), "{:?}", scene.commits());
    let first = scene.read(&format!("{STORE}/sessions/0a1b2c3d/state.json"));
    assert!(first.contains("first wish"), "{first}");
    let verified = scene.hast(&["contract", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn whichever_line_of_the_log_is_gone_is_missed() {
    let log = format!("{STORE}/events.ndjson");
    let scene = Scene::new(ONE);
    assert_eq!(scene.hast(&["contract", "start", "a total"]).code, 0);
    every_line_is_missed(&scene, &log, &["contract", "verify"]);
    // What hast has tested is in the log alone: before the verification nothing would miss it.
    for step in ["test_first", "implement", "review"] {
        let scene = Scene::killed_during(step, "");
        every_line_is_missed(&scene, &log, &["contract", "verify"]);
    }
}
