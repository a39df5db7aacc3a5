//! `hast search`: what is found, in which order.

use crate::scene::Scene;

const RUNS: &str = "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n|-|-|-|-|-|-|\n| run-20251001-100000-001 | 분기 매출의 보고서를 쓴다 | COMPLETED | | | |\n| run-20251002-100000-001 | Tea report | COMPLETED | | | |\n";
const CATALOG: &str = "| file_path | run_id | asset_type | source_task_id | summary |\n|-|-|-|-|-|\n| assets/a.csv | | ORIGINAL_INPUT | | 매출이 담긴 표 |\n| runs/x/b.md | run-20251002-100000-001 | ANALYSIS_REPORT | T05 | what TEA costs |\n";

fn scene() -> Scene {
    let scene = Scene::new();
    scene.write("db/process_runs.md", RUNS);
    scene.write("db/knowledge_base_catalog.md", CATALOG);
    scene.write(
        ".ai/goals.yaml",
        "version: 1\ngoals:\n  - {id: M1, title: tea shop, status: active}\n",
    );
    scene
}

#[test]
fn a_stem_is_found_with_other_particles_and_the_rarest_words_come_first() {
    let scene = scene();
    let found = Scene::json(&scene.hast(&["search", "매출과 보고서", "--json"]));
    let ids: Vec<&str> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["run-20251001-100000-001", "assets/a.csv"]);
    assert_eq!(found["results"][1]["text"], "매출이 담긴 표");
}

#[test]
fn all_flows_are_searched_in_either_case() {
    let scene = scene();
    let found = Scene::json(&scene.hast(&["search", "tea", "--json"]));
    let all: Vec<(&str, &str)> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["flow"].as_str().unwrap(), one["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(all, [("goals", "text"), ("run", "run"), ("run", "asset")]);
}

#[test]
fn what_is_not_there_is_said_and_the_limit_holds() {
    let scene = scene();
    let none = scene.hast(&["search", "coffee"]);
    assert_eq!((none.code, none.out.trim()), (0, "nothing found"));
    let one = scene.hast(&["search", "--limit", "1", "tea"]);
    assert!(one.err.contains("2 more"), "{one:?}");
    assert_eq!(scene.hast(&["search", "..."]).code, 0);
}
