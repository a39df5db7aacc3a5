//! Results that come twice, late, in another order, or for something that is no longer there.

use serde_json::json;

use crate::scene::Scene;

#[test]
fn the_same_result_again_gets_the_same_answer_and_changes_nothing() {
    for file in ["src/b.txt", "src/bug.txt"] {
        let scene = Scene::new();
        let task = scene.export("M1");
        let result = scene.result(&task, &scene.patch(&[(file, "x\n")]));
        let first = scene.answer(&result);
        let state = scene.state();
        assert_eq!(scene.answer(&result), first);
        // Its words count, not how they are written.
        let spaced = serde_json::to_string_pretty(&result).unwrap();
        scene.write("../result.json", spaced);
        let ran = scene.hast(&["protocol", "ingest", "../result.json"]);
        assert_eq!(ran.code, first.0, "{ran:?}");
        assert_eq!(scene.state(), state);
        assert_eq!((scene.events("PACKET_RECEIVED"), scene.events("ATTEMPT_STARTED")), (1, 1));
    }
}

#[test]
fn a_packet_takes_no_second_result() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let result = scene.result(&task, &scene.patch(&[("src/bug.txt", "bug\n")]));
    assert_eq!(scene.ingest(&result).code, 1);
    let better = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")]));
    assert_eq!(scene.refused(&better), "other_result");
}

#[test]
fn packets_of_one_base_are_merged_in_whatever_order_they_come() {
    let scene = Scene::new();
    let (one, two) = (scene.export("M1"), scene.export("M2"));
    assert_eq!(one["base"], two["base"]);
    let of_two = scene.result(&two, &scene.patch(&[("docs/b.md", "b\n")]));
    let of_one = scene.result(&one, &scene.patch(&[("src/b.txt", "b\n")]));
    for result in [&of_two, &of_one] {
        let ran = scene.ingest(result);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert_eq!((scene.read("docs/b.md"), scene.read("src/b.txt")), ("b\n".into(), "b\n".into()));
    assert_eq!((scene.status_of("M1"), scene.status_of("M2")), ("done".into(), "done".into()));
    scene.nothing_is_left();
}

#[test]
fn what_passes_alone_is_tested_again_on_top_of_what_came_before() {
    let check = "test ! -f src/b.txt || test ! -f docs/b.md || { echo FAIL together; exit 1; }\n";
    let scene = Scene::with("", check);
    let (one, two) = (scene.export("M1"), scene.export("M2"));
    let of_two = scene.result(&two, &scene.patch(&[("docs/b.md", "b\n")]));
    let of_one = scene.result(&one, &scene.patch(&[("src/b.txt", "b\n")]));
    assert_eq!(scene.ingest(&of_two).code, 0);
    let (code, answer) = scene.answer(&of_one);
    assert_eq!((code, &answer["code"]), (1, &json!("red_after_merge")), "{answer}");
    assert!(!scene.has("src/b.txt"));
    assert_eq!(scene.status_of("M1"), "active");
    scene.nothing_is_left();
}

#[test]
fn a_conflict_with_what_came_before_is_refused_whole() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let patch = scene.patch(&[("src/a.txt", "theirs\n"), ("src/new.txt", "new\n")]);
    let result = scene.result(&task, &patch);
    scene.write("src/a.txt", "ours\n");
    scene.git(&["commit", "-q", "-am", "meanwhile"]);
    let (code, answer) = scene.answer(&result);
    assert_eq!((code, &answer["code"]), (1, &json!("merge_conflict")), "{answer}");
    assert_eq!(scene.read("src/a.txt"), "ours\n");
    assert!(!scene.has("src/new.txt"));
    scene.nothing_is_left();
}

#[test]
fn a_result_from_another_base_is_stale() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let mut result = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")]));
    result["base_commit"] = json!("a".repeat(40));
    assert_eq!(scene.refused(&result), "stale_base");
}

#[test]
fn a_base_that_is_no_longer_part_of_the_branch_is_stale() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let result = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")]));
    scene.git(&["commit", "-q", "--amend", "-m", "another first"]);
    assert_eq!(scene.refused(&result), "stale_base");
}

#[test]
fn a_result_for_what_is_not_there_is_refused() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let patch = scene.patch(&[("src/b.txt", "b\n")]);
    let result = scene.result(&task, &patch);
    let mut unknown = result.clone();
    unknown["packet_id"] = json!("PKT_0123456789ab");
    assert_eq!(scene.refused(&unknown), "unknown_packet");
    let mut other = result.clone();
    other["goal_id"] = json!("M2");
    assert_eq!(scene.refused(&other), "wrong_goal");
    let goals = scene.read(".ai/goals.yaml");
    let (_, second) = goals.split_once("  - id: M2").unwrap();
    scene.write(".ai/goals.yaml", format!("goals:\n  - id: M2{second}"));
    assert_eq!(scene.refused(&result), "unknown_goal");
    scene.write(".ai/goals.yaml", goals.replacen("status: active", "status: dropped", 1));
    assert_eq!(scene.refused(&result), "goal_not_open");
}

#[test]
fn a_late_workers_result_does_not_count() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let result = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")]));
    let (claim, worker) = (&task["lease"]["claim_id"], &task["lease"]["worker_id"]);
    let (claim, worker) = (claim.as_str().unwrap(), worker.as_str().unwrap());
    let released = scene.hast(&["queue", "release", claim, "--worker", worker]);
    assert_eq!(released.code, 0, "{released:?}");
    assert_eq!(scene.refused(&result), "lost_lease");
    // Nor when the goal was given to somebody else.
    let next = scene.export("M1");
    assert_eq!(scene.refused(&result), "lost_lease");
    assert_eq!(scene.ingest(&scene.result(&next, &scene.patch(&[("src/c.txt", "c\n")]))).code, 0);
    assert_eq!(scene.refused(&result), "goal_not_open");
}

/// A result whose process dies at a moment when tests run.
fn cut_off(scene: &Scene, moment: &str) -> serde_json::Value {
    let task = scene.export("M1");
    let result = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")]));
    scene.deliver(&result);
    let mut child = scene.start(&["protocol", "ingest", "../result.json"]);
    scene.wait_until("it is judged", |stage| {
        stage.read(".ai/events/events.ndjson").contains(moment)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    scene.write("go.log", "");
    result
}

const WAITS: &str =
    "test ! -f src/b.txt || test -f ../../../../../../../project/go.log || sleep 60\n";

#[test]
fn work_that_passed_and_cannot_be_merged_is_answered_with_the_reason_and_its_branch() {
    let scene = Scene::with("", WAITS);
    let result = cut_off(&scene, "ATTEMPT_ENDED");
    scene.git(&["branch", "-m", "trunk"]);
    let (code, answer) = scene.answer(&result);
    assert_eq!((code, &answer["outcome"], &answer["code"]), (1, &json!("blocked"), &json!("lane")));
    assert_eq!(answer["reason"], "the branch main is gone", "{answer}");
    let holds = answer["ref"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(scene.git(&["show", &format!("{holds}:src/b.txt")]), "b");
    assert!(answer["problem"]["next"].as_str().unwrap().contains(holds), "{answer}");
    assert!(scene.read(".ai/goals.yaml").contains("the branch main is gone"));
}

#[test]
fn a_result_whose_goal_went_away_before_a_verdict_is_answered_with_that() {
    let scene = Scene::with("", "test -f ../../../../../../../project/go.log || sleep 60\n");
    let result = cut_off(&scene, "LANE_OPENED");
    let goals = scene.read(".ai/goals.yaml").replace("id: M1", "id: M9");
    scene.write(".ai/goals.yaml", goals);
    let (code, answer) = scene.answer(&result);
    assert_eq!((code, &answer["outcome"]), (1, &json!("withdrawn")), "{answer}");
    let what = answer["problem"]["what"].as_str().unwrap();
    assert!(what.contains("M1") && !what.trim_end().ends_with(':'), "{answer}");
}

#[test]
fn a_result_whose_goal_was_dropped_while_it_was_judged_is_kept_and_not_merged() {
    let scene = Scene::with("", WAITS);
    let result = cut_off(&scene, "ATTEMPT_ENDED");
    let dropped = scene.read(".ai/goals.yaml").replacen("status: active", "status: dropped", 1);
    scene.write(".ai/goals.yaml", &dropped);
    let head = scene.git(&["rev-parse", "main"]);
    let (code, answer) = scene.answer(&result);
    assert_eq!((code, &answer["outcome"]), (1, &json!("withdrawn")), "{answer}");
    assert_eq!((scene.git(&["rev-parse", "main"]), scene.read(".ai/goals.yaml")), (head, dropped));
    let holds = answer["ref"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(scene.git(&["show", &format!("{holds}:src/b.txt")]), "b");
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
}

#[test]
fn a_lost_claim_names_the_branch_that_has_the_work() {
    let scene = Scene::with("", WAITS);
    let result = cut_off(&scene, "ATTEMPT_ENDED");
    // The branch of that name is somebody's.
    scene.git(&["branch", "hast/kept/M1", "main"]);
    scene.git(&["switch", "-q", "hast/kept/M1"]);
    scene.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    scene.git(&["switch", "-q", "main"]);
    let list: serde_json::Value =
        serde_json::from_str(&scene.hast(&["queue", "list", "--json"]).out).unwrap();
    let claim = |key: &str| list["claims"][0][key].as_str().unwrap().to_owned();
    let (id, worker) = (claim("claim_id"), claim("worker_id"));
    assert_eq!(scene.hast(&["queue", "release", &id, "--worker", &worker]).code, 0);
    let (code, answer) = scene.answer(&result);
    assert_eq!((code, &answer["outcome"]), (1, &json!("lease_lost")), "{answer}");
    assert_eq!(answer["branch"], "refs/heads/hast/kept/M1@2", "{answer}");
    assert!(answer["problem"]["next"].as_str().unwrap().contains("hast/kept/M1@2"), "{answer}");
    assert_eq!(scene.git(&["show", "hast/kept/M1@2:src/b.txt"]), "b");
}
