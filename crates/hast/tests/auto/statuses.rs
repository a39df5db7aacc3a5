//! With `commit: auto` each change of a goal's status is a commit of `goals.yaml` alone, whoever made it.

use crate::scene::{GO, Scene, WORK};

const GOALS: &str = "goals:
  - id: P
    title: \"The parent\"
    status: active
    children:
      - id: M1
        title: \"The work\"
        status: active
";

/// An agent that does nothing until somebody lets it.
fn blocked(config: &str) -> Scene {
    let replies =
        format!("  - when: {{missing: go.log}}\n    do:\n      - print: no\n  - do:\n{WORK}");
    let scene = Scene::with(GOALS, &replies, &format!("max_retries: 1\n{config}"));
    assert_eq!(scene.hast(&["auto", "M1"]).code, 1);
    scene
}

/// The subjects of the commits that changed the goals, newest first, each of that file alone.
fn commits_of_goals(scene: &Scene) -> Vec<String> {
    let all = scene.git(&["log", "--format=%H %s", "first..", "--", ".ai/goals.yaml"]);
    let subject = |line: &str| {
        let (commit, subject) = line.split_once(' ').unwrap();
        let files = scene.git(&["diff-tree", "--no-commit-id", "--name-only", "-r", commit]);
        assert_eq!(files, ".ai/goals.yaml", "{subject}");
        subject.to_owned()
    };
    all.lines().map(subject).collect()
}

fn is_committed(scene: &Scene) -> bool {
    scene.git(&["status", "--porcelain", "--", ".ai/goals.yaml"]).is_empty()
}

/// The one thing that waits in the inbox.
fn waiting(scene: &Scene) -> String {
    let listed = scene.hast(&["inbox", "list", "--json"]).out;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["waiting"], 1, "{listed}");
    listed["items"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn each_status_change_is_a_commit_of_the_goals_alone() {
    let scene = blocked("");
    scene.git(&["tag", "first", "HEAD~1"]);
    let mut expected = 1;
    let mut counted = |what: &str| {
        let commits = commits_of_goals(&scene);
        assert_eq!(commits.len(), expected, "{what}: {commits:?}");
        assert!(commits.iter().all(|subject| subject == "chore(M1): goal status"), "{commits:?}");
        assert!(is_committed(&scene), "{what}");
        expected += 1;
    };
    counted("auto blocks it");
    let retried = scene.hast(&["retry", "M1", "--no-run"]);
    assert_eq!(retried.code, 0, "{retried:?}");
    counted("retry");
    assert_eq!(scene.hast(&["auto", "M1"]).code, 1);
    counted("auto blocks it again");
    let item = waiting(&scene);
    let acted = scene.hast(&["inbox", "act", &item, "--action", "approve", "--operator", "me"]);
    assert_eq!(acted.code, 0, "{acted:?}");
    assert!(scene.read(".ai/goals.yaml").matches("status: active").count() == 2);
    counted("a person approves");
    let claimed = scene.hast(&["queue", "claim", "--worker", "w", "--goal", "M1", "--json"]);
    let claimed: serde_json::Value = serde_json::from_str(&claimed.out).unwrap();
    let claim = claimed["claim_id"].as_str().unwrap();
    let to = ["--worker", "w", "--goal-status", "blocked"];
    let released = scene.hast(&[&["queue", "release", claim], &to[..]].concat());
    assert_eq!(released.code, 0, "{released:?}");
    counted("a worker gives it back");
    scene.agent(WORK);
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.read(".ai/goals.yaml").matches("status: done").count(), 2, "the parent too");
    let commits = commits_of_goals(&scene);
    assert_eq!(commits.len(), 7, "{commits:?}");
    assert!(is_committed(&scene));
}

#[test]
fn work_that_was_handed_over_is_in_no_commit_of_the_status() {
    let replies = "  - do:\n      - write: {path: src/half.txt, text: half}\n      - handoff: {status: blocked, done: [half], next: a person}\n";
    let scene = Scene::with(GOALS, replies, "");
    assert_eq!(scene.hast(&["auto", "M1"]).code, 1);
    scene.git(&["tag", "first", "HEAD~1"]);
    assert_eq!(scene.hast(&["retry", "M1", "--no-run"]).code, 0);
    assert_eq!(commits_of_goals(&scene).len(), 2);
    assert_eq!(scene.git(&["status", "--porcelain", "--", "src"]), "");
    assert!(is_committed(&scene));
}

#[test]
fn with_commit_off_nobody_commits_the_goals() {
    let scene = blocked("commit: off\n");
    let before = scene.git(&["rev-parse", "HEAD"]);
    assert_eq!(scene.hast(&["retry", "M1", "--no-run"]).code, 0);
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), before);
    assert!(!is_committed(&scene) || scene.status() == "active");
}

#[test]
fn a_rebase_of_the_user_is_not_committed_into() {
    let scene = blocked("");
    scene.write(".git/MERGE_HEAD", &scene.git(&["rev-parse", "HEAD"]));
    let before = scene.git(&["rev-parse", "HEAD"]);
    let retried = scene.hast(&["retry", "M1", "--no-run"]);
    assert_eq!(retried.code, 0, "{retried:?}");
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), before);
    assert!(scene.read(".ai/goals.yaml").contains("status: active"));
}

#[test]
fn a_decision_is_taken_while_an_attempt_is_under_way() {
    let goals = "goals:\n  - id: M1\n    title: One\n    status: active\n  - id: M2\n    title: Two\n    status: active\n";
    let replies = format!(
        "  - when: {{unit: M1}}\n    do:\n      - print: no\n  - do:\n      - write: {{path: here.log, text: now}}\n      - wait_for: {{path: {GO}, seconds: 60}}\n{WORK}"
    );
    let scene = Scene::with(goals, &replies, "sandbox: off\nmax_retries: 1\n");
    assert_eq!(scene.hast(&["auto", "M1"]).code, 1);
    let item = waiting(&scene);
    let mut child = scene.start(&["auto", "M2"]);
    scene.wait_for("here.log");
    let acted = scene.hast(&["inbox", "act", &item, "--action", "approve", "--operator", "me"]);
    assert_eq!(acted.code, 0, "{acted:?}");
    scene.write("go.log", "");
    assert_eq!(child.wait().unwrap().code(), Some(0), "{:?}", scene.verdicts());
    assert!(is_committed(&scene) && scene.status() == "active");
}
