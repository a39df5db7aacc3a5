//! Commands that a repository brings do not run until the user approved exactly these.

use serde_json::json;

use crate::scene::Scene;

fn scene() -> Scene {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "");
    std::fs::create_dir(scene.at("project/.git")).unwrap();
    let line = format!("sh {} {{prompt_file}}", scene.at("agent.sh").display());
    scene.script("agent.sh", "echo x >>\"$HOME/../first\"");
    scene.file("project/.ai/config.yaml", &format!("ai_tool: {line}\nsandbox: off\n"));
    scene
}

#[test]
fn nothing_of_a_repository_runs_before_it_was_approved_and_a_change_asks_again() {
    let scene = scene();
    let ran = scene.call(&[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("next: run `hast trust`"), "{}", ran.err);
    assert_eq!(scene.starts("first"), 0);
    // Without a terminal nobody can say yes.
    assert_eq!(scene.run(&["trust"]).code, 1);
    let ran = scene.run(&["trust", "--yes"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "approved\n"), "{ran:?}");
    assert!(ran.err.contains("ai_tool: sh "), "{}", ran.err);
    assert_eq!(scene.call(&[]).code, 0);
    assert_eq!(scene.run(&["trust"]).out, "already approved\n");
    let goals = "goals:\n  - {id: M1, title: t, status: active, test_command: make evil}\n";
    scene.file("project/.ai/goals.yaml", goals);
    let ran = scene.run(&["trust", "--json"]);
    assert_eq!((ran.code, &ran.json()["approved"]), (1, &json!(false)));
    assert_eq!(ran.json()["commands"]["goals.M1.test_command"], "make evil");
    let shown = scene.run(&["trust"]).err;
    assert!(shown.contains("goals.M1.test_command changed; before: (nothing)"), "{shown}");
    assert_eq!(scene.call(&[]).code, 1);
    assert_eq!(scene.starts("first"), 1);
}

#[test]
fn ci_may_trust_all_and_the_users_own_settings_need_nothing() {
    let ran = scene().env("HAST_TRUST", "all");
    assert_eq!(ran.call(&[]).code, 0);
    let own = Scene::new(":").env("HAST_AI_TOOL", "");
    let line = format!("sh {} {{prompt_file}}", own.at("agent.sh").display());
    own.file("home/.config/hast/config.yaml", &format!("ai_tool: {line}\ntest_command: t\n"));
    let ran = own.call(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn who_trusts_all_can_store_an_approval_too() {
    let all = scene().env("HAST_TRUST", "all");
    let ran = all.run(&["trust", "--yes"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "approved\n"), "{ran:?}");
    let later = all.env("HAST_TRUST", "");
    assert_eq!(later.run(&["trust"]).out, "already approved\n");
    assert_eq!(later.call(&[]).code, 0);
}

#[test]
fn init_trusts_what_it_wrote_and_nothing_that_was_there() {
    let fresh = Scene::new(":");
    std::fs::create_dir(fresh.at("project/.git")).unwrap();
    assert_eq!(fresh.run(&["init"]).code, 0);
    assert_eq!(fresh.run(&["trust"]).out, "already approved\n");
    let brought = scene();
    assert_eq!(brought.run(&["init"]).code, 0);
    assert_eq!(brought.run(&["trust"]).code, 1);
}

#[test]
fn commands_are_shown_without_what_a_terminal_would_obey() {
    let scene = scene();
    scene.file("project/.ai/config.yaml", "ai_tool: \"x {stdin} \\e[2J\"\n");
    let ran = scene.run(&["--lang", "ko", "trust"]);
    assert!(!ran.err.contains('\u{1b}') && ran.err.contains("가져오는 명령"), "{}", ran.err);
}
