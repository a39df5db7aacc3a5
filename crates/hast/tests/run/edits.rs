//! A person edits the tables while a run is driven. They keep working, and keep their bytes.

use crate::scene::Scene;

const YES: &[&str] = &["run", "start", "--mode", "initial", "--yes", "report | the sales"];

/// A run whose second task waits until somebody lets it go on.
fn held(scene: &Scene) -> std::process::Child {
    let go = scene.home().join("go");
    let script = scene.read("x.rehearsal.yaml");
    let task = "  - when: {step: task, unit: T06}\n    do:\n";
    let (go, began) = (go.display(), scene.home().join("began"));
    let waits = format!(
        "{task}      - write: {{path: {}, text: x}}\n      - wait_for: {{path: {go}, seconds: 60}}\n",
        began.display()
    );
    scene.write("x.rehearsal.yaml", script.replace(task, &waits));
    let child = scene.start(YES);
    scene.wait_until("the second task is executed", |stage| stage.has("../home/began"));
    child
}

/// The cells of a table's rows, by the names of its columns.
fn cells(text: &str) -> Vec<Vec<String>> {
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let inner = line.trim_matches('|').replace("\\|", "\u{1}");
        inner.split('|').map(|cell| cell.trim().replace('\u{1}', "\\|")).collect()
    };
    rows.map(cells).collect()
}

/// The same table as a person might leave it: columns the other way round, one of their own with a
/// pipe and a line break, uneven spaces, prose around it.
fn rearranged(text: &str) -> String {
    let mut table = cells(text);
    for (number, row) in table.iter_mut().enumerate() {
        row.reverse();
        row.insert(
            1,
            match number {
                0 => "my note".to_owned(),
                1 => "---".to_owned(),
                _ => "a\\|b<br>c".to_owned(),
            },
        );
    }
    let lines = table.iter().map(|row| format!("|   {} |\n", row.join("  |   ")));
    format!("# Mine\r\n\nprose | with a pipe\n\n{}\nprose below\n", lines.collect::<String>())
}

#[test]
fn every_table_rearranged_in_the_middle_keeps_working_and_keeps_its_bytes() {
    let scene = Scene::new();
    let mut child = held(&scene);
    let run = scene.run();
    let own = ["phases", "major_stages", "tasks", "tool_tasks"]
        .map(|name| format!("runs/{run}/db/{name}.md"));
    let shared = ["process_runs", "user_instructions", "knowledge_base_catalog"]
        .map(|name| format!("db/{name}.md"));
    let tables: Vec<(String, String)> = own
        .into_iter()
        .chain(shared)
        .map(|path| {
            let edited = rearranged(&scene.read(&path));
            scene.write(&path, &edited);
            (path, edited)
        })
        .collect();
    scene.write("../home/go", "");
    assert!(child.wait().unwrap().success());
    for (path, edited) in &tables {
        let after = scene.read(path);
        assert!(after.starts_with("# Mine\r\n\nprose | with a pipe\n\n|   "), "{path}: {after}");
        assert!(after.ends_with("\nprose below\n"), "{path}: {after}");
        let mut lines = after.lines();
        for line in edited.lines().filter(|line| line.contains("a\\|b<br>c")) {
            // Only statuses and pointers change, each in its own cell.
            let rest: Vec<&str> = line.split("  |   ").filter(|cell| cell.len() > 21).collect();
            let kept = lines.find(|after| rest.iter().all(|cell| after.contains(cell)));
            assert!(kept.is_some(), "{path}: {line}\n{after}");
        }
        assert!(!after.contains("PENDING"), "{path}: {after}");
    }
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
    let shown = scene.hast(&["run", "list"]).out;
    assert!(shown.contains("COMPLETED") && shown.contains("report | the sales"), "{shown}");
}

#[test]
fn a_table_that_was_broken_in_the_middle_stops_the_run_which_goes_on_once_it_is_mended() {
    let scene = Scene::new();
    let child = held(&scene);
    let path = format!("runs/{}/db/tasks.md", scene.run());
    let whole = scene.read(&path);
    scene.write(&path, whole.replace("| T06", "| T06 | too | many"));
    scene.write("../home/go", "");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
    let again = scene.hast(&["run", "resume"]);
    assert!(again.code == 1 && again.err.contains("tasks.md"), "{again:?}");
    scene.write(&path, &whole);
    assert_eq!(scene.hast(&["run", "resume"]).code, 0);
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
}

#[test]
fn evidence_that_is_gone_when_its_task_begins_stops_the_run_and_fails_nothing() {
    let scene = Scene::new();
    let script = scene.read("x.rehearsal.yaml");
    let later = "replies:\n  - when: {step: task, unit: T06}\n    do: [{login: later}]\n";
    scene.write("x.rehearsal.yaml", script.replace("replies:\n", later));
    assert_eq!(scene.hast(YES).code, 1);
    scene.write("x.rehearsal.yaml", script);
    let path = format!("runs/{}/workspace/LOOK/facts.md", scene.run());
    let facts = scene.read(&path);
    scene.remove(&path);
    let ran = scene.hast(&["run", "resume"]);
    assert!(ran.code == 1 && ran.err.contains(&path), "{ran:?}");
    assert!(!scene.read("db/process_runs.md").contains("FAILED"));
    scene.write(&path, facts);
    assert_eq!(scene.hast(&["run", "resume"]).code, 0);
}
