//! What a failed attempt took with it may be a person's, who worked beside it: every line about it says
//! where it is, the commands that are given bring it back, and somebody is asked to look.

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
    assert!(shown.out.contains("hast auto --undo=REF"), "{}", shown.out);
    // On the line, as it happens.
    assert!(shown.err.contains(&format!("git checkout {REF} -- PATH")), "{}", shown.err);
    assert!(shown.err.contains(&format!("hast auto --undo={REF}")), "{}", shown.err);
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
fn what_was_written_into_a_protected_file_lies_where_the_message_says() {
    let added = "      - run: \"printf '  - {id: M9, title: added, status: pending}\\\\n' >> .ai/goals.yaml\"\n";
    let scene = fails_once(added);
    let shown = ran(&scene, &["auto"]);
    let at = ".git/hast/aside/M1%2F1/0-.ai%2Fgoals.yaml";
    assert!(scene.read(at).contains("M9") && !scene.read(".ai/goals.yaml").contains("M9"));
    for told in [&shown.out, &shown.err] {
        assert!(told.contains(&format!("what was written there is in {at}")), "{told}");
    }
    let [(kind, evidence)] = &inbox(&scene)[..] else { panic!("{:?}", inbox(&scene)) };
    assert!(kind == "protected_path" && evidence.contains(at), "{kind}: {evidence}");
}

#[test]
fn git_settings_are_named_as_what_they_are() {
    let scene = fails_once("      - run: git config alias.x '!true'\n");
    let shown = ran(&scene, &["auto", "--json"]);
    let file = &json(&shown)["attempts"][0]["given_back"]["files"][0];
    assert_eq!(file["path"], ".git/config", "{}", shown.out);
    let at = file["at"].as_str().unwrap();
    assert!(std::fs::read_to_string(at).unwrap().contains("alias"), "{at}");
}

#[test]
fn a_ref_that_was_made_is_said_to_be_deleted_and_can_be_made_again() {
    let scene = fails_once("      - run: git tag t9\n");
    let shown = ran(&scene, &["auto"]);
    let kept = "refs/hast/displaced/M1/1/tags/t9";
    for told in [&shown.out, &shown.err] {
        let line = told.lines().find(|line| line.contains("refs/tags/t9 was made")).unwrap();
        assert!(line.contains("is deleted") && line.contains(kept), "{line}");
        assert!(!line.contains("back"), "{line}");
    }
    assert_eq!(scene.git(&["tag"]), "v0");
    scene.shell(&format!("git update-ref refs/tags/t9 {kept}"));
    assert_eq!(scene.git(&["tag"]), "t9\nv0");
}

#[test]
fn moved_refs_a_left_branch_and_a_stash_are_named_with_where_they_were() {
    let scene = fails_once("      - run: git branch -f other HEAD\n");
    let told = json(&ran(&scene, &["auto", "--json"]));
    let moved = &told["attempts"][0]["given_back"]["refs"][0];
    assert_eq!((&moved["name"], &moved["was"]), (&"refs/heads/other".into(), &"moved".into()));
    let kept = moved["at"].as_str().unwrap();
    assert_ne!(scene.git(&["rev-parse", kept]), scene.git(&["rev-parse", "other"]));

    let scene = fails_once("      - run: git switch -qc feature\n");
    let shown = ran(&scene, &["auto"]).out;
    assert!(shown.contains("refs/hast/displaced/M1/1/HEAD"), "{shown}");
    assert!(shown.contains("refs/hast/displaced/M1/1/heads/feature"), "{shown}");
    assert_eq!(scene.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");

    let scene =
        fails_once("      - run: \"echo hidden > mine.txt && git stash push -q -u -- mine.txt\"\n");
    let shown = ran(&scene, &["auto"]).out;
    let command = "git stash apply refs/hast/displaced/M1/1/stash";
    assert!(shown.contains(command), "{shown}");
    scene.shell(command);
    assert_eq!(scene.read("mine.txt"), "hidden\n");
}

#[test]
fn a_commit_that_was_taken_off_the_branch_is_on_the_ref_that_is_named() {
    let scene = fails_once(
        "      - run: \"echo m > mine.txt && git add mine.txt && git commit -qm users\"\n",
    );
    let told = json(&ran(&scene, &["auto", "--json"]));
    assert_eq!(told["attempts"][0]["ref"], REF);
    assert!(!scene.git(&["log", "--format=%s", "main"]).contains("users"));
    assert!(scene.git(&["log", "--format=%s", REF]).contains("users"));
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
}

/// The tests may take long, and people do not wait for them.
#[test]
fn what_is_written_into_a_protected_file_while_the_tests_run_is_told_too() {
    let scene = Scene::with(GOALS, &format!("  - do:\n{WORK}"), "sandbox: off\n");
    let writes = "test -f src/b.txt || exit 0\necho '# mine' >> .ai/goals.yaml\n";
    scene.write("tests/check.sh", writes);
    scene.git(&["commit", "-qam", "tests"]);
    let shown = ran(&scene, &["auto"]);
    let at = ".git/hast/aside/M1%2F1/0-.ai%2Fgoals.yaml";
    assert!(scene.read(at).contains("# mine"), "{shown:?}");
    for told in [&shown.out, &shown.err] {
        assert!(told.contains(at), "{told}");
    }
}
