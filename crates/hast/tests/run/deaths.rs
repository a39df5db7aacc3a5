//! hast is killed in the middle, or two runs are driven at once. Nothing is done twice, and the
//! tables stay whole.

use hast_stage::dice::random_seed;
use hast_stage::plays::run::{Published, pair};
use hast_stage::rounds;

use crate::scene::{Scene, binary};
use crate::torn::cut_off;

#[test]
fn killed_at_any_moment_each_task_is_executed_once() {
    let tally = rounds::play(&Published, binary(), 4, random_seed(), 2);
    assert!(tally.diverged.is_empty(), "{:#?}", tally.diverged);
    assert!(tally.ended_before < tally.kills, "no kill came in time: {tally}");
}

#[test]
fn a_run_that_was_started_with_yes_needs_no_person_after_a_kill() {
    let hangs = "  - when: {missing: go}\n    do:\n      - hang\n";
    let scene = Scene::with(hangs);
    let mut child =
        scene.start(&["run", "start", "--mode", "initial", "--yes", "report the sales"]);
    scene.wait_until("the run is there", |stage| {
        stage.names("runs").iter().any(|run| stage.has(&format!("runs/{run}/run.json")))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    scene.write("go", "");
    let ran = scene.hast(&["run", "resume"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "COMPLETED"), "{ran:?}");
}

#[test]
fn two_runs_of_one_root_killed_in_turn_finish_both_and_leave_the_tables_whole() {
    let in_time = pair(binary(), 8, random_seed());
    assert!(in_time > 0, "no kill came in time");
}

#[test]
fn two_runs_driven_at_the_same_time_in_one_root_finish_both() {
    let scene = Scene::new();
    let words = ["run", "start", "--mode", "continuous", "--yes", "report the sales"];
    let mut first = scene.start(&words);
    let mut second = scene.start(&words);
    let ends = [first.wait().unwrap(), second.wait().unwrap()];
    assert!(ends.iter().all(std::process::ExitStatus::success), "{ends:?}");
    let runs = scene.names("runs");
    assert_eq!(runs.len(), 2, "{runs:?}");
    let table = scene.read("db/process_runs.md");
    assert_eq!(table.matches("COMPLETED").count(), 2, "{table}");
    for run in &runs {
        assert!(scene.has(&format!("outputs/{run}/report.md")));
    }
    let instructions = scene.read("db/user_instructions.md");
    assert!(instructions.contains("I-0001") && instructions.contains("I-0002"), "{instructions}");
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
}

#[test]
fn a_run_whose_row_was_cut_off_is_found_by_resume_and_by_confirm() {
    for (words, code) in [(["run", "resume"], 3), (["run", "confirm"], 0)] {
        let scene = Scene::new();
        let asked = ["run", "start", "--mode", "initial", "report the sales"];
        assert_eq!(scene.hast(&asked).code, 3);
        let table = scene.read("db/process_runs.md");
        let lines: Vec<&str> = table.lines().filter(|line| !line.contains("run-")).collect();
        let before = lines.join("\n") + "\n";
        cut_off(&scene, ".", &[("db/process_runs.md", Some(&before), &table)]);
        let ran = scene.hast(&words);
        assert_eq!(ran.code, code, "{ran:?}");
    }
}

/// The first commit of all makes the tables by which a root of runs is known.
#[test]
fn a_first_run_that_was_cut_off_before_its_tables_were_there_is_found_by_each_command() {
    let begun = Scene::new();
    assert_eq!(begun.hast(&["run", "start", "--mode", "initial", "report the sales"]).code, 3);
    let id = begun.names("runs").remove(0);
    let made = ["db/process_runs.md", &format!("runs/{id}/run.json"), "db/events.ndjson"];
    let mut made = made.map(|path| (begun.read(path), path.to_owned()));
    made[2].0 = made[2].0.split_inclusive('\n').take(1).collect();
    for (later, first) in
        [("AWAITING_CONFIRMATION", "PENDING"), ("| P0 ", "| "), ("| S00 ", "| "), ("| T00 ", "| ")]
    {
        made[0].0 = made[0].0.replace(later, first);
    }
    for words in [["run", "resume"], ["run", "list"], ["run", "verify"]] {
        let scene = Scene::new();
        let torn = made.each_ref().map(|(text, path)| (path.as_str(), None, text.as_str()));
        cut_off(&scene, ".", &torn);
        assert!(!scene.has("db/process_runs.md"));
        let ran = scene.hast(&words);
        assert_ne!(ran.code, 1, "{words:?}: {ran:?}");
        assert!(scene.read("db/process_runs.md").contains(&id), "{words:?}");
    }
}
