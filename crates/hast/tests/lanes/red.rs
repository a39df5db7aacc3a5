//! Goals that are to fail: their tests are red, also where the branch has moved meanwhile.

use crate::scene::{Scene, work};

const WAITING: &str =
    "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n";
const RED: &str = "      - write: {path: tests/red.sh, text: \"test -f src/made.txt\\n\"}\n";
const CHECK: &str = "echo run >> ../../../../../../../project/runs.log; test ! -f tests/red.sh || sh tests/red.sh\n";

/// A red goal whose agent waits while somebody commits a file.
fn while_somebody_commits(path: &str, config: &str) -> Scene {
    let actions = format!("{WAITING}{RED}");
    let config = format!("sandbox: off\n{config}");
    let goal = ("R", "    expect_failure: true\n", actions.as_str());
    let scene = Scene::with(&[goal], &config, CHECK);
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the tree is there", |scene| scene.room_has("R", "src/a.txt"));
    scene.write(path, "theirs\n");
    scene.git(&["add", path]);
    scene.git(&["commit", "-q", "-m", "theirs"]);
    scene.write("go.log", "");
    child.wait().unwrap();
    scene
}

#[test]
fn a_red_goal_whose_branch_moved_is_tested_again_and_merged_while_it_is_red() {
    let scene = while_somebody_commits("theirs.txt", "");
    assert_eq!(scene.status_of("R"), "done");
    assert_eq!(scene.verdicts("R"), ["red_as_wanted"]);
    let subjects = scene.git(&["log", "--format=%s"]);
    let subjects: Vec<&str> = subjects.lines().collect();
    assert_eq!(subjects, ["chore(R): goal status", "test(R): Goal R", "theirs", "first"]);
    // On the base, after the work, and once more on top of what came.
    assert_eq!(scene.read("runs.log").lines().count(), 3);
    scene.nothing_is_left();
}

#[test]
fn a_red_goal_that_is_green_on_the_moved_branch_is_not_merged() {
    let scene = while_somebody_commits("src/made.txt", "max_retries: 1\n");
    assert_eq!(scene.status_of("R"), "blocked");
    assert_eq!(scene.verdicts("R")[..2], ["red_as_wanted", "red_after_merge"]);
    assert!(!scene.git(&["ls-tree", "-r", "--name-only", "main"]).contains("tests/red.sh"));
    assert!(scene.git(&["show", "hast/kept/R:tests/red.sh"]).contains("made.txt"));
    let log = scene.read(".ai/events/events.ndjson");
    let refused = log.lines().find(|line| line.contains("red_after_merge")).unwrap();
    assert!(refused.contains("green"), "{refused}");
    scene.nothing_is_left();
}

#[test]
fn a_red_goal_is_begun_before_later_siblings_and_beside_nothing() {
    let made = work("src/made.txt", "made");
    let (red, other) = (RED.to_owned(), work("src/other.txt", "other"));
    let scene = Scene::with(
        &[("R", "    expect_failure: true\n", &red), ("B", "", &made), ("C", "", &other)],
        "",
        "test ! -f tests/red.sh || sh tests/red.sh\n",
    );
    // The last session was about B: without the rule it would be first.
    scene.write(
        ".ai/handoffs/2026-02-09_143000.md",
        "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: B\n---\n\n## Done\n- half\n",
    );
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "3"]);
    let log = scene.read(".ai/events/events.ndjson");
    let lanes: Vec<String> = log
        .lines()
        .filter(|line| line.contains("LANE_OPENED") || line.contains("LANE_CLOSED"))
        .map(|line| {
            let goal = line.split_once("\"goal_id\":\"").unwrap().1;
            let open = if line.contains("LANE_OPENED") { "+" } else { "-" };
            format!("{open}{}", goal.split_once('"').unwrap().0)
        })
        .collect();
    assert_eq!(lanes[..3], ["+R", "-R", "+B"], "{lanes:?}");
    // While the branch is red C could only fail there.
    let at = |words: [&str; 2]| {
        log.lines().position(|line| words.iter().all(|word| line.contains(word))).unwrap()
    };
    let of = |goal: &str| format!("\"goal_id\":\"{goal}\"");
    assert!(at(["GOAL_DONE", &of("B")]) < at(["LANE_OPENED", &of("C")]), "{lanes:?}");
    assert_eq!((ran.code, scene.status_of("B").as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.verdicts("C"), ["all_good"]);
    scene.nothing_is_left();
}

#[test]
fn a_goal_that_is_named_runs_although_an_earlier_sibling_is_to_be_red() {
    let scene = Scene::new(&[
        ("R", "    expect_failure: true\n", RED),
        ("B", "", &work("src/made.txt", "made")),
    ]);
    let ran = scene.hast(&["auto", "B", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("B").as_str()), (0, "done"), "{ran:?}");
    scene.nothing_is_left();
}
