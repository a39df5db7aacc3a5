//! Where the work of attempts is: every line about it names the ref or the commit, the commands that are given
//! bring it back, and somebody is asked to look.

use serde_json::Value;

use crate::scene::{Ran, Scene, WORK};

const GOALS: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n    allowed_changes: [\"src/\"]\n";
const REF: &str = "refs/hast/attempts/M1/1";

/// The first attempt fails over this, the second passes.
fn fails_once(actions: &str) -> Scene {
    let replies = format!("  - when: {{attempt: 1}}\n    do:\n{WORK}{actions}  - do:\n{WORK}");
    Scene::with(GOALS, &replies, "sandbox: off\nmax_retries: 2\n")
}

fn ran(scene: &Scene, args: &[&str]) -> Ran {
    let ran = scene.hast(args);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    ran
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("not one document: {ran:?}"))
}

/// What waits for a person: the kind and the evidence of each item.
fn inbox(scene: &Scene) -> Vec<(String, String)> {
    let told = json(&scene.hast(&["inbox", "list", "--json"]));
    let items = told["items"].as_array().unwrap().iter();
    let one = |item: &Value| {
        let lines = item["evidence"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
        (item["kind"].as_str().unwrap().to_owned(), lines.collect::<Vec<_>>().join("\n"))
    };
    items.map(one).collect()
}

#[test]
fn an_edit_outside_of_the_scope_is_named_with_its_ref_and_comes_back_from_there() {
    let scene = fails_once("      - run: \"echo edited >> README\"\n");
    let shown = ran(&scene, &["auto", "--explain"]);
    let line = shown.out.lines().find(|line| line.contains("- attempt 1: failed")).unwrap();
    assert!(line.contains(REF) && line.contains("README"), "{line}");
    assert!(shown.out.contains("git checkout REF -- PATH"), "{}", shown.out);
    assert!(shown.out.contains("hast take GOAL@N"), "{}", shown.out);
    // On the line, as it happens.
    assert!(shown.err.contains(&format!("git checkout {REF} -- PATH")), "{}", shown.err);
    assert!(shown.err.contains("hast take M1@1"), "{}", shown.err);
    let [(kind, evidence)] = &inbox(&scene)[..] else { panic!("{:?}", inbox(&scene)) };
    let command = format!("git checkout {REF} -- README");
    assert!(kind == "scope_violation" && evidence.contains(&command), "{kind}: {evidence}");
    assert_eq!(scene.read("README"), "read me\n");
    scene.shell(&command);
    assert_eq!(scene.read("README"), "read me\nedited\n");
}

#[test]
fn a_violation_is_looked_at_though_the_goal_has_passed_and_stays_passed() {
    for action in ["approve", "reject"] {
        let scene = fails_once("      - run: \"echo edited >> README\"\n");
        ran(&scene, &["auto"]);
        let told = json(&scene.hast(&["inbox", "list", "--json"]));
        let id = told["items"][0]["id"].as_str().unwrap().to_owned();
        let act = ["inbox", "act", &id, "--action", action, "--operator", "kim"];
        let acted = scene.hast(&act);
        assert_eq!((acted.code, scene.status().as_str()), (0, "done"), "{acted:?}");
        assert!(inbox(&scene).is_empty(), "{:?}", inbox(&scene));
        assert_eq!(scene.hast(&act).code, 1, "once is enough");
    }
}

#[test]
fn what_was_written_into_a_protected_file_is_on_the_ref_and_waits_in_the_inbox() {
    let added = "      - run: \"printf '  - {id: M9, title: added, status: pending}\\\\n' >> .ai/goals.yaml\"\n";
    let scene = fails_once(added);
    ran(&scene, &["auto"]);
    assert!(!scene.read(".ai/goals.yaml").contains("M9"));
    let [(kind, evidence)] = &inbox(&scene)[..] else { panic!("{:?}", inbox(&scene)) };
    assert!(kind == "protected_path" && evidence.contains(REF), "{kind}: {evidence}");
}

#[test]
fn what_an_agent_committed_outside_of_the_scope_is_on_the_ref_that_is_named() {
    let scene = fails_once(
        "      - run: \"echo m > mine.txt && git add mine.txt && git commit -qm users\"\n",
    );
    let told = json(&ran(&scene, &["auto", "--json"]));
    assert_eq!(told["attempts"][0]["ref"], REF);
    assert!(!scene.git(&["log", "--format=%s", "main"]).contains("users"));
    assert_eq!(scene.git(&["show", &format!("{REF}:mine.txt")]), "m");
}

#[test]
fn the_summary_has_the_commit_of_what_passed_and_the_problem_all_its_parts() {
    let scene = fails_once("      - print: no\n      - delete: src/b.txt\n");
    let shown = ran(&scene, &["auto"]);
    let commit = scene.git(&["log", "-1", "--format=%H", "--grep=^feat(M1)"]);
    let line = shown.out.lines().find(|line| line.contains("+ attempt 2: complete")).unwrap();
    assert!(line.contains(&commit[..12]), "{commit}: {line}");

    let scene = Scene::new(WORK);
    let told = json(&ran(&scene, &["auto", "--json"]));
    let commit = scene.git(&["log", "-1", "--format=%H", "--grep=^feat(M1)"]);
    let attempt = &told["attempts"][0];
    assert_eq!((attempt["commit"].as_str(), &attempt["ref"]), (Some(&*commit), &Value::Null));
    assert!(told["problem"].is_null() && told["exit"] == 0, "{told}");

    let scene = Scene::new("      - print: no\n");
    let told = json(&scene.hast(&["auto", "--json"]));
    let attempt = &told["attempts"][0];
    assert_eq!((&attempt["commit"], &attempt["ref"]), (&Value::Null, &REF.into()));
    let problem = told["problem"].as_object().unwrap();
    for part in ["code", "what", "where", "why", "next"] {
        assert!(problem.contains_key(part), "{part}: {told}");
    }
    assert_eq!(told["exit"], 1);
}

#[test]
fn without_commits_of_hast_there_is_no_commit_to_name() {
    let replies = format!("  - do:\n{WORK}");
    let scene = Scene::with(GOALS, &replies, "commit: off\n");
    let told = json(&ran(&scene, &["auto", "--json"]));
    assert!(told["attempts"][0]["commit"].is_null(), "{told}");
    let uncommitted = told["attempts"][0]["uncommitted"].to_string();
    assert!(uncommitted.contains("src/b.txt") && uncommitted.contains("handoffs"), "{told}");
    assert_eq!(scene.read("src/b.txt"), "b\n");
    assert!(!scene.git(&["log", "--format=%s"]).contains("feat("));
    // Nothing goes on before it is committed.
    scene.write(".ai/goals.yaml", GOALS);
    let refused = scene.hast(&["auto"]);
    assert!(refused.code == 1 && refused.err.contains("src/b.txt"), "{refused:?}");
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "taken"]);
    scene.agent("      - write: {path: src/c.txt, text: c}\n      - handoff: {status: complete}\n");
    let again = scene.hast(&["auto"]);
    assert_eq!(again.code, 0, "{again:?}");
}

#[test]
fn without_commits_a_file_of_the_user_in_the_way_blocks_the_goal_and_is_named() {
    let scene = Scene::with(GOALS, &format!("  - do:\n{WORK}"), "commit: off\n");
    scene.write("src/b.txt", "mine\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{ran:?}");
    assert!(scene.read(".ai/goals.yaml").contains("src/b.txt"), "{ran:?}");
    assert_eq!(scene.read("src/b.txt"), "mine\n");
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
}
