//! Runs from start to end, and what is shown of them.

use crate::scene::Scene;

const START: &[&str] = &["run", "start", "--mode", "initial", "report the sales"];
const YES: &[&str] = &["run", "start", "--mode", "initial", "--yes", "report the sales"];

#[test]
fn a_run_that_is_confirmed_unseen_ends_with_published_results() {
    let scene = Scene::new();
    let ran = scene.hast(YES);
    assert_eq!(ran.code, 0, "{ran:?}");
    let run = scene.run();
    assert!(ran.out.contains(&format!("outputs/{run}/")), "{}", ran.out);
    assert_eq!(scene.read(&format!("outputs/{run}/report.md")), "# Report\n");
    assert_eq!(scene.status(), "COMPLETED");
    let chart = scene.read(&format!("runs/{run}/workspace/LOOK/TT02_chart.html"));
    assert!(chart.starts_with("<!doctype html>") && chart.contains("<svg"), "{chart}");
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
}

#[test]
fn without_a_terminal_the_proposal_is_printed_and_the_exit_code_is_3() {
    let scene = Scene::new();
    let ran = scene.hast(START);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.out.contains("# Proposal") && ran.out.contains("report the sales"), "{}", ran.out);
    assert!(ran.err.contains("hast run confirm"), "{}", ran.err);
    assert_eq!(scene.status(), "AWAITING_CONFIRMATION");
}

#[test]
fn json_has_the_ending_and_the_results() {
    let scene = Scene::new();
    let waits = scene.hast(&[START, &["--json"]].concat());
    let told = Scene::json(&waits);
    assert_eq!(
        (waits.code, &told["status"], &told["proposal"]),
        (3, &"AWAITING_CONFIRMATION".into(), &1.into())
    );
    let done = Scene::json(&scene.hast(&["run", "confirm", "--json"]));
    let run = scene.run();
    assert_eq!(done["status"], "COMPLETED");
    assert_eq!(done["outputs"], serde_json::json!([format!("outputs/{run}/report.md")]));
    let list = Scene::json(&scene.hast(&["run", "list", "--json"]));
    assert_eq!(list["runs"][0]["run_id"], run.as_str());
    let show = Scene::json(&scene.hast(&["run", "show", "--json"]));
    assert_eq!(show["tasks"].as_array().map(Vec::len), Some(7));
}

#[test]
fn a_simple_task_leaves_no_files() {
    let scene = Scene::with(
        "  - when: {step: classify}\n    do:\n      - outbox: {mode.json: {mode: SIMPLE_TASK}}\n  - when: {step: simple}\n    do:\n      - print: forty-two\n",
    );
    let ran = scene.hast(&["run", "start", "how many?"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("forty-two"), "{}", ran.out);
    assert!(!scene.has("runs") && !scene.has("outputs") && !scene.has("db/process_runs.md"));
}

#[test]
fn a_failure_tells_run_place_purpose_and_the_original_error() {
    let scene = Scene::with(
        "  - when: {step: task, unit: T06}\n    do:\n      - outbox: {result.json: {error: no such numbers}}\n",
    );
    let ran = scene.hast(YES);
    assert_eq!(ran.code, 1, "{ran:?}");
    let run = scene.run();
    for part in [run.as_str(), "P1 / S01 / T06", "build on them", "no such numbers"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert_eq!(scene.status(), "FAILED");
    let again = scene.hast(&["run", "resume", &run]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("--mode continuous"), "{}", again.err);
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
}

#[test]
fn show_has_every_part_and_the_page_has_the_lineage() {
    let scene = Scene::new();
    scene.hast(YES);
    let run = scene.run();
    let shown = scene.hast(&["run", "show"]);
    for part in ["[x] P1 LOOK", "[x] TT01 check", "[x] T07 report", "COMPLETED"] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    let page = scene.hast(&["run", "show", "--html", "run.html"]);
    assert_eq!(page.code, 0, "{page:?}");
    let page = scene.read("run.html");
    let lineage = page.split("id=\"lineage\"").nth(1).unwrap_or_default();
    let chain = [
        format!("outputs/{run}/report.md"),
        "more.md".into(),
        "facts.md".into(),
        "assets/sales.csv".into(),
    ];
    let places: Vec<_> = chain.iter().map(|part| lineage.find(part.as_str())).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    assert!(
        page.contains("workspace/<wbr>LOOK/<wbr>facts.md</a>"),
        "a long name breaks between its parts"
    );
    assert!(!page.contains("http://") && !page.contains("<script"), "it opens offline");
}

#[test]
fn a_breach_that_a_person_made_is_found_by_verify() {
    let scene = Scene::new();
    scene.hast(YES);
    let path = format!("runs/{}/db/tasks.md", scene.run());
    let edited = scene.read(&path).replacen("COMPLETED", "FAILED   ", 1);
    scene.write(&path, &edited);
    let verified = scene.hast(&["run", "verify"]);
    assert_eq!(verified.code, 1, "{verified:?}");
    assert!(verified.out.contains("S00: T00"), "{}", verified.out);
}

#[test]
fn words_in_korean_and_usage() {
    let scene = Scene::new();
    let empty = scene.hast(&["run", "start", " "]);
    assert_eq!(empty.code, 2);
    let unknown = scene.hast(&["run", "show", "--lang", "ko"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.err.contains("db/process_runs.md가 없습니다"), "{}", unknown.err);
    let ran = scene.hast(&["--lang", "ko", "run", "start", "--mode", "initial", "--yes", "매출"]);
    assert!(ran.out.contains("[작업 완료] 요청하신 작업(Run: "), "{ran:?}");
    assert!(ran.out.contains("궁금한 점이 있으시면 언제든지 질문해주세요."));
}

#[test]
fn the_demo_ends_with_a_chart_two_reports_and_an_amended_instruction() {
    let scene = Scene::new();
    for lang in ["en", "ko"] {
        let ran = scene.hast(&["--lang", lang, "demo", "run", "--dir", lang]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let instructions = scene.read(&format!("{lang}/db/user_instructions.md"));
        assert!(instructions.contains("SUPERSEDED") && instructions.contains("I-0003"));
        let runs = scene.names(&format!("{lang}/runs"));
        assert_eq!(runs.len(), 2, "{runs:?}");
        let learnt = scene.read(&format!("{lang}/runs/{}/run.json", runs[1]));
        assert!(learnt.contains(&runs[0]), "{learnt}");
        for run in &runs {
            assert!(scene.has(&format!("{lang}/outputs/{run}/report.md")));
            let files = scene.names(&format!("{lang}/runs/{run}/workspace/ANALYZING"));
            assert!(files.iter().any(|file| file.ends_with(".html")), "{files:?}");
        }
    }
}

#[test]
fn the_links_of_a_page_lead_from_where_it_lies_and_lists_show_one_line_of_a_request() {
    let scene = Scene::new();
    let long = format!("{}\nmore", "report ".repeat(10_000));
    assert_eq!(scene.hast(&["run", "start", "--mode", "initial", "--yes", &long]).code, 0);
    let run = scene.run();
    for (file, way) in
        [("page.html", ""), ("outputs/page.html", "../"), ("../page.html", "project/")]
    {
        assert_eq!(scene.hast(&["run", "show", "--html", file]).code, 0, "{file}");
        let link = format!("href=\"{way}outputs/{run}/report.md\"");
        assert!(scene.read(file).contains(&link), "{file}: {link}");
    }
    scene.write("notes.txt", "mine\n");
    assert_eq!(scene.hast(&["run", "show", "--html", "notes.txt"]).code, 1);
    assert_eq!(scene.read("notes.txt"), "mine\n");
    for words in [["run", "list"], ["status", "-q"]] {
        let ran = scene.hast(&words);
        assert!(ran.code == 0 && ran.out.len() < 2_000, "{words:?}: {} bytes", ran.out.len());
    }
}
