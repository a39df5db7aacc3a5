//! An agent of a session without a sandbox that writes what is not its own: its work does not count, and
//! what its session, or another one, writes meanwhile is not taken for its doing.

use crate::scene::{Scene, fetch, planned, write};

/// The writer of the note does this besides its work, the first time.
fn scene(command: &str) -> Scene {
    let scene = Scene::new(&format!(
        "  - when: {{step: synthesize, attempt: 1}}\n    do:\n      - run: \"cd '$ROOT' && S=$(echo sessions/*) && {command}\"\n      - outbox: {{note.md: \"as [K-0001] says\\n\"}}\n"
    ));
    placed(&scene);
    scene
}

/// Agents of a session work beside copies, so places are named from the top.
fn placed(scene: &Scene) {
    let named = |path: std::path::PathBuf| path.display().to_string();
    let text = scene.read("x.rehearsal.yaml");
    let text = text.replace("$ROOT", &named(scene.root())).replace("$HOME", &named(scene.home()));
    scene.write("x.rehearsal.yaml", text);
}

const LOG: &str = "plan/active/status_log.ndjson";

#[test]
fn a_task_that_changed_what_is_not_its_own_failed_with_the_path() {
    for (command, path) in [
        ("echo x >> $S/execution/outputs/T-0001/page.md", "outputs/T-0001/page.md"),
        ("echo x > notes.txt", "notes.txt"),
        ("echo '# x' >> .ai/config.yaml", ".ai/config.yaml"),
        ("mkdir -p .ai/queue && echo x > .ai/queue/x.json", ".ai/queue/x.json"),
        ("rm $S/critique/reports/T-0001.json", "critique/reports/T-0001.json"),
        ("echo x >> $S/input/user_input.md", "input/user_input.md"),
    ] {
        let scene = scene(command);
        let ran = scene.ask();
        let log = scene.of(LOG);
        let told = log.lines().find(|line| line.contains("TASK_FAILED")).unwrap_or_default();
        assert!(told.contains("it changed what it may not"), "{command}: {ran:?}\n{log}");
        assert!(told.contains(path), "{command}: {told}");
        assert!(!scene.has(&format!("{}/execution/outputs/T-0002/note.md", scene.session())));
    }
}

#[test]
fn a_session_whose_own_state_an_agent_rewrote_does_not_go_on_as_if_nothing_were() {
    for (command, path) in [
        ("sed -i s/EXECUTING/COMPLETED/ $S/status.json", "status.json"),
        ("sed -i 1d $S/plan/active/status_log.ndjson", "status_log.ndjson"),
        (
            "tail -n 1 $S/plan/active/status_log.ndjson >> $S/plan/active/status_log.ndjson",
            "status_log.ndjson",
        ),
        ("sed -i s/note/lie/ $S/plan/active/decomposition.json", "decomposition.json"),
    ] {
        let scene = scene(command);
        let ran = scene.ask();
        let log = scene.of(LOG);
        let told = log.contains("it changed what it may not") && log.contains(path);
        assert!(told || (ran.code == 1 && ran.err.contains(path)), "{command}: {ran:?}\n{log}");
    }
}

#[test]
fn a_planner_that_changed_what_is_not_its_own_has_made_no_plan() {
    let scene = Scene::new("");
    let plan = planned("plan", 1, 1, &[write("T-0001", &[])]);
    let lies = "    do:\n      - run: \"echo x > $ROOT/mine.txt\"\n";
    scene.rehearse(&plan.replacen("    do:\n", lies, 1));
    placed(&scene);
    let ran = scene.ask();
    assert!(ran.code == 3 && ran.err.contains("it changed what it may not: mine.txt"), "{ran:?}");
    assert!(!scene.has(&format!("{}/plan/active/decomposition.json", scene.session())));
}

/// A page and a note at once; the note waits for a word while the page is fetched and reviewed.
fn beside(lie: &str) -> Scene {
    let held = format!(
        "  - when: {{step: synthesize, unit: T-0002, attempt: 1}}\n    do:\n      - write: {{path: $HOME/began, text: x}}\n      - wait_for: {{path: $HOME/go, seconds: 60}}\n{lie}      - outbox: {{note.md: \"x\\n\"}}\n"
    );
    let scene = Scene::new("");
    let plan = planned("plan", 1, 1, &[fetch("T-0001", "a"), write("T-0002", &[])]);
    scene.rehearse(&format!("{plan}{held}"));
    placed(&scene);
    scene
}

/// Lets the note go on once the page has passed, and waits for the end.
fn together(scene: &Scene) -> bool {
    let mut driven = scene.start(&["session", "start", "is it so?", "--parallel", "2"]);
    scene.wait_until("the note waits and the page has passed", |stage| {
        stage.has("../home/began") && scene.of(LOG).contains("KNOWLEDGE_PROMOTED")
    });
    scene.write("../home/go", "");
    driven.wait().unwrap().success()
}

#[test]
fn what_the_session_itself_commits_meanwhile_is_no_stray() {
    let scene = beside("");
    assert!(together(&scene), "{}", scene.of(LOG));
    assert!(!scene.of(LOG).contains("TASK_FAILED"), "{}", scene.of(LOG));
}

#[test]
fn a_lane_that_rewrites_what_another_lane_has_made_is_seen_among_the_sessions_own_commits() {
    let lie =
        "      - run: \"cd '$ROOT'/sessions/* && echo x >> execution/outputs/T-0001/page.md\"\n";
    let scene = beside(lie);
    together(&scene);
    let log = scene.of(LOG);
    let told = log.lines().find(|line| line.contains("TASK_FAILED")).unwrap_or_default();
    assert!(told.contains("T-0002") && told.contains("outputs/T-0001/page.md"), "{log}");
}

#[test]
fn what_another_session_commits_meanwhile_is_no_stray() {
    let scene = Scene::new(
        "  - when: {step: synthesize, missing: $HOME/other}\n    do:\n      - write: {path: $HOME/began, text: x}\n      - wait_for: {path: $HOME/go, seconds: 60}\n      - outbox: {note.md: \"as [K-0001] says\\n\"}\n",
    );
    placed(&scene);
    let mut first = scene.start(&["session", "start", "is it so?"]);
    scene.wait_until("the note waits", |stage| stage.has("../home/began"));
    let session = scene.session();
    scene.write("../home/other", "");
    let second = scene.hast(&["session", "start", "and this?"]);
    scene.write("../home/go", "");
    assert!(first.wait().unwrap().success());
    assert_eq!(second.code, 0, "{second:?}");
    let log = scene.read(&format!("{session}/{LOG}"));
    assert!(!log.contains("TASK_FAILED"), "{log}");
}
