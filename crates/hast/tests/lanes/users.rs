//! The user goes on working: on other branches, in the middle of a merge, with an editor open.

use crate::scene::{Scene, work};

const WAITING: &str =
    "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n";

/// One goal, whose work is of no interest.
fn scene(before: &str) -> Scene {
    of(&format!("{before}{}", work("src/b.txt", "b")))
}

fn of(actions: &str) -> Scene {
    Scene::new(&[("M1", "", actions)])
}

/// Does something while the agent is at work, and lets it go on.
fn meanwhile(scene: &Scene, what: impl Fn(&Scene)) {
    let mut child = scene.start(&["auto", "M1", "--isolate"]);
    // A tree that is there is not an attempt yet: that begins at the goals as they are then.
    scene.wait_until("the agent is at work", |scene| scene.has(".ai/attempts/M1/1/attempt.json"));
    what(scene);
    scene.write("go.log", "");
    child.wait().unwrap();
}

/// A branch as it is, before `main` gets another goal.
fn planned_on(scene: Scene) -> Scene {
    scene.git(&["branch", "old"]);
    let goals = scene.read(".ai/goals.yaml");
    let more = "  - id: M2\n    title: \"Planned\"\n    status: pending\n";
    scene.write(".ai/goals.yaml", format!("{goals}{more}"));
    scene.git(&["commit", "-qam", "plan"]);
    scene
}

fn head(scene: &Scene) -> String {
    scene.git(&["rev-parse", "HEAD"])
}

/// Every subject of a branch, newest first.
fn subjects(scene: &Scene, branch: &str) -> Vec<String> {
    scene.git(&["log", "--format=%s", branch]).lines().map(str::to_owned).collect()
}

#[test]
fn a_status_goes_into_the_goals_of_the_branch_that_the_work_went_onto() {
    let scene = planned_on(scene(WAITING));
    let before = scene.read(".ai/goals.yaml");
    meanwhile(&scene, |scene| drop(scene.git(&["switch", "-q", "old"])));
    let after = scene.git(&["show", "main:.ai/goals.yaml"]);
    assert_eq!(after, before.replacen("status: active", "status: done", 1).trim_end());
    assert_eq!(subjects(&scene, "main")[..2], ["chore(M1): goal status", "feat(M1): Goal M1"]);
    // The branch that the user is on has nothing of it.
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert_eq!((scene.status_of("M1").as_str(), scene.has("src/b.txt")), ("active", false));
    assert_eq!(subjects(&scene, "old"), ["first"]);
    scene.nothing_is_left();
}

#[test]
fn a_goal_that_is_handed_over_says_so_on_its_own_branch() {
    let stuck = "      - handoff: {status: blocked, next: a key}\n";
    let scene = planned_on(of(&format!("{WAITING}{stuck}")));
    meanwhile(&scene, |scene| drop(scene.git(&["switch", "-q", "old"])));
    let after = scene.git(&["show", "main:.ai/goals.yaml"]);
    assert!(after.contains("status: blocked") && after.contains("id: M2"), "{after}");
    // But for what the session says to the next one.
    assert_eq!(scene.git(&["status", "--porcelain", "--", ".", ":!.ai/handoffs"]), "");
    scene.nothing_is_left();
}

/// The work waits, and so does the commit of the status: nothing of the user's moves.
fn waits_with_its_status(scene: &Scene, begin: impl Fn(&Scene)) {
    begin(scene);
    let (before, branch) = (head(scene), scene.git(&["rev-parse", "main"]));
    let ran = scene.hast(&["auto", "M1", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "blocked"), "{ran:?}");
    assert_eq!((head(scene), scene.git(&["rev-parse", "main"])), (before, branch));
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
    let told = scene.hast(&["status"]);
    assert!(told.out.contains("in no commit yet: the status of M1"), "{told:?}");
    let told = scene.hast(&["status", "--json"]).out;
    assert!(told.contains("\"not_committed\": [\n          \"M1\"\n"), "{told}");
    scene.nothing_is_left();
}

fn the_status_is_committed_now(scene: &Scene) {
    scene.hast(&["auto", "--isolate"]);
    assert_eq!(subjects(scene, "main")[0], "chore(M1): goal status");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert!(!scene.hast(&["status"]).out.contains("in no commit yet"));
}

#[test]
fn a_status_is_not_committed_into_a_merge_of_the_user() {
    let scene = scene("");
    waits_with_its_status(&scene, |scene| {
        scene.git(&["switch", "-q", "-c", "other"]);
        scene.write("theirs.txt", "theirs\n");
        scene.git(&["add", "theirs.txt"]);
        scene.git(&["commit", "-qm", "theirs"]);
        scene.git(&["switch", "-q", "main"]);
        scene.git(&["merge", "-q", "--no-ff", "--no-commit", "other"]);
    });
    scene.git(&["commit", "-qm", "merged"]);
    assert_eq!(scene.git(&["show", "--format=", "--name-only", "-m", "HEAD"]), "theirs.txt");
    the_status_is_committed_now(&scene);
}

/// Stops a rebase of `main` at its last commit.
fn rebase(scene: &Scene) {
    scene.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let editor = "sequence.editor=sed -i -e s/^pick/edit/";
    scene.git(&["-c", editor, "rebase", "-q", "-i", "--keep-empty", "HEAD~1"]);
}

#[test]
fn a_status_is_not_committed_into_a_rebase_of_the_user() {
    let scene = scene("");
    waits_with_its_status(&scene, rebase);
    scene.git(&["commit", "-qm", "mine", ".ai/goals.yaml"]);
    scene.git(&["rebase", "--continue"]);
    assert_eq!(subjects(&scene, "main"), ["mine", "second", "first"]);
    assert!(!scene.hast(&["status"]).out.contains("in no commit yet"), "somebody did it");
}

#[test]
fn a_branch_that_is_being_rebased_does_not_move() {
    let scene = scene(WAITING);
    meanwhile(&scene, rebase);
    assert_eq!(subjects(&scene, "main"), ["second", "first"]);
    assert_eq!(scene.status_of("M1"), "blocked");
    assert!(scene.read(".ai/goals.yaml").contains("rebase"), "{}", scene.read(".ai/goals.yaml"));
    scene.git(&["stash", "-q"]);
    scene.git(&["rebase", "--continue"]);
    assert_eq!(scene.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    scene.nothing_is_left();
}

#[test]
fn a_status_is_not_committed_while_somebody_has_the_index() {
    let scene = scene("");
    waits_with_its_status(&scene, |scene| scene.write(".git/index.lock", ""));
    scene.remove(".git/index.lock");
    the_status_is_committed_now(&scene);
}

#[test]
fn a_goal_whose_branch_was_deleted_meanwhile_begins_anew_with_the_next_run() {
    let scene = scene(WAITING);
    meanwhile(&scene, |scene| {
        scene.git(&["switch", "-qc", "mine"]);
        scene.git(&["branch", "-qD", "main"]);
    });
    // People may bring it back first: then what passed is merged.
    assert_eq!(scene.status_of("M1"), "active");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
    let recovered = scene.git(&["for-each-ref", "--format=%(refname)", "refs/hast/recovered/M1"]);
    assert!(ran.err.contains(&recovered), "{ran:?}");
    assert_eq!(scene.git(&["show", &format!("{recovered}:src/b.txt")]), "b");
    assert_eq!(scene.git(&["branch", "--format=%(refname:short)"]), "mine");
}

#[test]
fn what_passed_is_merged_when_its_branch_is_brought_back() {
    let scene = scene(WAITING);
    meanwhile(&scene, |scene| drop(scene.git(&["branch", "-m", "main", "trunk"])));
    scene.git(&["branch", "-m", "trunk", "main"]);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
    let log = scene.read(".ai/events/events.ndjson");
    assert_eq!(log.matches("ATTEMPT_STARTED").count(), 1, "{log}");
}
