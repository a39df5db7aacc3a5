//! Planted disagreements between a kernel's documents: `verify` finds each, with file and next action.

use crate::edits::cut_off;
use crate::gaps::every_line_is_missed;
use crate::scene::{GROWING, Ran, Scene};

fn answered() -> Scene {
    let scene = Scene::new(GROWING);
    assert_eq!(scene.hast(&["kernel", "start", "write something"]).code, 0);
    let good = scene.hast(&["kernel", "verify", "--json"]);
    assert!(good.code == 0 && good.out.contains("\"errors\": 0"), "{good:?}");
    scene
}

fn finds(scene: &Scene, code: &str, file: &str) -> Ran {
    let ran = scene.hast(&["kernel", "verify", "--json"]);
    assert_eq!(ran.code, 1, "{code}: {ran:?}");
    assert!(ran.out.contains("\"errors\": 1"), "{code}: {}", ran.out);
    assert!(ran.out.contains(&format!("\"code\": \"{code}\"")), "{code}: {}", ran.out);
    assert!(ran.out.contains(file), "{code}: {}", ran.out);
    ran
}

#[test]
fn a_missing_response_and_a_missing_output() {
    let scene = answered();
    let request = format!(".brain/requests/{}", scene.request());
    scene.remove(&format!("{request}/response.json"));
    finds(&scene, "missing_file", "events.ndjson");
    let scene = answered();
    let request = format!(".brain/requests/{}", scene.request());
    scene.remove(&format!("{request}/outputs/a/output.json"));
    finds(&scene, "missing_file", "outputs/a/output.json");
}

#[test]
fn what_was_written_once_is_there_and_is_what_it_was() {
    let scene = answered();
    let request = format!(".brain/requests/{}", scene.request());
    for name in [
        "request.json",
        "report.md",
        "response.json",
        "outputs/a/output.json",
        "outputs/a/notes.md",
        "transcript/0001_KernelToEngineRequest.json",
    ] {
        let path = format!("{request}/{name}");
        let before = scene.read(&path);
        scene.remove(&path);
        finds(&scene, "missing_file", name);
        scene.write(&path, format!("{before} "));
        finds(&scene, "contradicts", name);
        scene.write(&path, before);
    }
    for name in ["kernel_status.json", "activeContext.md"] {
        let path = format!(".brain/{name}");
        let before = scene.read(&path);
        scene.remove(&path);
        finds(&scene, "missing_file", name);
        scene.write(&path, before);
    }
    assert_eq!(scene.hast(&["kernel", "verify"]).code, 0);
}

#[test]
fn a_lost_log_and_an_event_that_was_taken_out() {
    let scene = cut_off();
    let log = scene.read(".brain/events.ndjson");
    scene.remove(".brain/events.ndjson");
    finds(&scene, "contradicts", "REQUEST_RECEIVED");
    let without = log.lines().enumerate().filter(|(at, _)| *at != 1);
    let without: String = without.map(|(_, line)| format!("{line}\n")).collect();
    scene.write(".brain/events.ndjson", without);
    finds(&scene, "not_growing", "events.ndjson");
}

#[test]
fn a_response_that_the_log_does_not_know() {
    let scene = cut_off();
    let id = scene.request();
    let response = format!("{{\"request_id\": \"{id}\", \"status\": \"completed\"}}\n");
    scene.write(&format!(".brain/requests/{id}/response.json"), &response);
    finds(&scene, "contradicts", "response.json");
}

#[test]
fn an_edited_mirror() {
    let scene = cut_off();
    let mirror = scene.read(".brain/activeContext.md").replace("- [ ] `b`", "- [x] `b`");
    scene.write(".brain/activeContext.md", &mirror);
    finds(&scene, "contradicts", "activeContext.md");
}

#[test]
fn a_line_that_was_put_in_between_and_an_item_answered_twice() {
    let scene = answered();
    let log = scene.read(".brain/events.ndjson");
    let mut lines: Vec<&str> = log.lines().collect();
    lines.insert(2, lines[0]);
    scene.write(".brain/events.ndjson", &(lines.join("\n") + "\n"));
    let ran = finds(&scene, "not_growing", "events.ndjson");
    assert!(ran.out.contains("\"line\": 3"), "{}", ran.out);

    let answer = log.lines().find(|line| line.contains("TASK_ANSWERED")).unwrap();
    let last = log.lines().count();
    let (_, rest) = answer.split_once("\"event_id\":\"").unwrap();
    let id = rest.split_once('"').unwrap().0;
    let (time, _) = id.rsplit_once('-').unwrap();
    let again = answer.replace(id, &format!("{time}-{:04}", last + 1));
    scene.write(".brain/events.ndjson", format!("{log}{again}\n"));
    finds(&scene, "answered_twice", "events.ndjson");
}

#[test]
fn whichever_line_of_the_log_is_gone_is_missed() {
    every_line_is_missed(&answered(), ".brain/events.ndjson", &["kernel", "verify"]);
    every_line_is_missed(&cut_off(), ".brain/events.ndjson", &["kernel", "verify"]);
    let booted = Scene::new("");
    assert_eq!(booted.hast(&["kernel", "boot"]).code, 0);
    every_line_is_missed(&booted, ".brain/events.ndjson", &["kernel", "verify"]);
}
