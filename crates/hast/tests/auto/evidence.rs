//! Events carry the evidence that a person needs to decide. The inbox is made of these events.

use crate::scene::{Scene, WORK};

#[test]
fn a_blocked_goal_comes_with_what_happened_the_diff_the_tests_and_how_to_look() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = "  - do:\n      - delete: src/a.txt\n      - write: {path: src/new.txt, text: \"1\\n2\\n\"}\n      - handoff: {status: complete}\n";
    let scene = Scene::with(goals, replies, "max_retries: 1\n");
    let base = scene.git(&["rev-parse", "HEAD"]);
    assert_eq!(scene.hast(&["auto"]).code, 1);
    let told = &scene.told("GOAL_BLOCKED")[0];
    assert_eq!(
        (&told["goal_id"], &told["title"], &told["attempt"]),
        (&"M1".into(), &"The work".into(), &1.into())
    );
    assert_eq!(
        (&told["code"], &told["verdict"]),
        (&"max_retries_exceeded".into(), &"tests_red".into())
    );
    assert!(told["reason"].as_str().unwrap().contains("max retries exceeded (1)"));
    assert!(told["test_tail"].as_str().unwrap().contains("FAIL a.txt"));
    let paths = told["diff"]["paths"].to_string();
    assert!(
        paths.contains("D src/a.txt +0 -1") && paths.contains("A src/new.txt +2 -0"),
        "{paths}"
    );
    assert_eq!(told["branch"], "refs/heads/hast/kept/M1");
    let look = told["look"][0].as_str().unwrap();
    assert_eq!(look, format!("git diff --stat {} refs/hast/attempts/M1/1", &base[..12]));
    let shown = scene.git(&look.split(' ').skip(1).collect::<Vec<_>>());
    assert!(shown.contains("src/new.txt"), "{shown}");
}

#[test]
fn a_violation_is_told_with_its_paths_though_the_goal_goes_on() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n    allowed_changes: [\"src/\"]\n";
    let replies = format!(
        "  - when: {{attempt: 1}}\n    do:\n      - write: {{path: README, text: x}}\n{WORK}  - do:\n{WORK}"
    );
    let scene = Scene::with(goals, &replies, "");
    assert_eq!(scene.hast(&["auto"]).code, 0);
    let told = scene.told("ATTEMPT_JUDGED");
    assert_eq!((&told[0]["code"], &told[0]["attempt"]), (&"outside_scope".into(), &1.into()));
    assert!(told[0]["changed"].to_string().contains("README"), "{}", told[0]);
    assert!(told[0]["look"][1].as_str().unwrap().ends_with("refs/hast/attempts/M1/1"));
    assert_eq!(told[1]["look"].as_array().map(Vec::len), Some(0), "what passed needs no look");
}

#[test]
fn a_limit_a_login_and_a_budget_are_told_when_they_stop_the_run() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let one = |action: &str, config: &str| {
        let scene = Scene::with(goals, &format!("  - do:\n      - {action}\n"), config);
        let ran = scene.hast(&["auto"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert_eq!((scene.status().as_str(), scene.verdicts().len()), ("active", 0), "{ran:?}");
        // Nothing was done: there is nothing to keep, and nothing to tell of.
        assert_eq!(scene.git(&["for-each-ref", "refs/hast/recovered"]), "", "{ran:?}");
        scene.told("STOPPED")[0].clone()
    };
    let limit = one("limit: {resets_in: 3600}", "");
    assert_eq!((&limit["cause"], &limit["goal_id"]), (&"limit".into(), &"M1".into()), "{limit}");
    assert!(limit["until"].is_string() && limit["next"].as_str().unwrap().contains("after"));
    let login = one("login: {}", "");
    assert_eq!((&login["cause"], &login["attempt"]), (&"login".into(), &1.into()), "{login}");
    let budget = one("print: hello", "budget: {tokens: 0, per: day}\n");
    assert_eq!(budget["cause"], "budget", "{budget}");
}

#[test]
fn with_on_limit_wait_the_run_goes_on_by_itself_when_the_limit_is_over() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!(
        "  - when: {{missing: asked.log}}\n    do:\n      - limit: {{resets_in: 1}}\n  - do:\n{WORK}"
    );
    let scene = Scene::with(goals, &replies, "on_limit: wait\n");
    let mut child = scene.start(&["auto"]);
    scene.wait_for(".ai/.hast/calls/auto+M1+1+call+0/1");
    scene.write("asked.log", "once");
    assert!(child.wait().unwrap().success());
    assert_eq!(scene.status(), "done");
    assert!(scene.told("STOPPED").is_empty());
    assert_eq!(scene.verdicts(), ["complete all_good"], "no attempt was spent");
}

#[test]
fn no_attempt_is_burnt_on_a_login_however_often_it_is_missing() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = "  - do:\n      - write: {path: src/half.txt, text: half}\n      - login: {}\n";
    let scene = Scene::with(goals, replies, "max_retries: 1\n");
    for _ in 0..4 {
        let ran = scene.hast(&["auto"]);
        assert_eq!((ran.code, scene.status().as_str()), (1, "active"), "{ran:?}");
        assert_eq!(scene.git(&["status", "--porcelain"]), "", "{ran:?}");
        assert!(!scene.has(".ai/auto.lock"), "{ran:?}");
    }
    assert_eq!(scene.told("STOPPED").len(), 4);
    scene.agent(WORK);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.verdicts(), ["complete all_good"]);
}
