//! `--parallel N`: several goals at once, and in each other's way.

use std::time::Instant;

use serde_json::Value;

use crate::scene::{Scene, work};

const SLEEP: &str = "      - sleep: 4\n";

/// What `--json` says about an attempt; a commit is named where it passed, a ref where it did not.
fn attempt(told: &Value) -> String {
    let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(told["commit"].is_string(), text("class") == "complete", "{told}");
    assert_eq!(told["ref"].is_string(), text("class") != "complete", "{told}");
    format!("{} {} {} {}", text("goal_id"), told["attempt"], text("class"), text("code"))
}

fn slow(path: &str, text: &str) -> String {
    format!("{SLEEP}{}", work(path, text))
}

#[test]
fn goals_run_at_once_and_are_merged_one_after_the_other() {
    let actions = ["a", "b", "c", "d"].map(|name| slow(&format!("src/{name}1.txt"), name));
    let ids = ["A", "B", "C", "D"];
    let goals: Vec<_> = ids.iter().zip(&actions).map(|(id, act)| (*id, "", act.as_str())).collect();
    let scene = Scene::new(&goals);
    let start = Instant::now();
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "4"]);
    let took = start.elapsed();
    assert_eq!(ran.code, 0, "{ran:?}");
    // One after the other would sleep for sixteen seconds alone.
    assert!(took.as_secs_f64() < 14.0, "{took:?}");
    let subjects = scene.git(&["log", "--format=%s", "--reverse"]);
    let subjects: Vec<&str> = subjects.lines().skip(1).collect();
    assert_eq!(subjects.len(), 8, "{subjects:?}");
    for pair in subjects.chunks(2) {
        assert!(pair[0].starts_with("feat(") && pair[1].starts_with("chore("), "{subjects:?}");
    }
    assert_eq!(scene.git(&["log", "--merges", "--format=%s"]), "");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    scene.nothing_is_left();
}

#[test]
fn the_second_of_a_conflicting_pair_tries_once_more_from_the_new_base() {
    let scene =
        Scene::new(&[("A", "", &slow("src/a.txt", "of A")), ("B", "", &slow("src/a.txt", "of B"))]);
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = scene.read("src/a.txt");
    assert!(text.contains("of A") && text.contains("of B"), "{text}");
    let (a, b) = (scene.verdicts("A"), scene.verdicts("B"));
    let once = vec!["all_good".to_owned()];
    let again = ["all_good", "merge_conflict", "all_good"].map(str::to_owned).to_vec();
    assert!((&a, &b) == (&once, &again) || (&b, &a) == (&once, &again), "{a:?} {b:?}");
    // Each attempt is told once, as what it came to in the end.
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let mut told: Vec<String> = told["attempts"].as_array().unwrap().iter().map(attempt).collect();
    told.sort();
    let second = if b == once { "A" } else { "B" };
    let conflict = format!("{second} 1 failed merge_conflict");
    let again = format!("{second} 2 complete all_good");
    let first = format!("{} 1 complete all_good", if second == "A" { "B" } else { "A" });
    let mut expected = [first, conflict, again];
    expected.sort();
    assert_eq!(told, expected, "{}", ran.out);
    scene.nothing_is_left();
}

#[test]
fn a_pair_that_always_conflicts_ends_with_both_results_kept_and_an_explanation() {
    let write = |text: &str| {
        format!(
            "{SLEEP}      - write: {{path: src/a.txt, text: \"{text}\\n\"}}\n      - handoff: {{status: complete, done: [it]}}\n"
        )
    };
    // While B works, somebody commits to the same file each time.
    let meddle = "      - run: \"cd ../../../../../../../project && date +%s%N > src/a.txt && git -c user.name=u -c user.email=u@l commit -qm theirs src/a.txt\"\n";
    let both = format!("{meddle}{}", write("of B"));
    let scene =
        Scene::with(&[("A", "", &write("of A")), ("B", "", &both)], "sandbox: off\n", "true\n");
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.status_of("B"), "blocked");
    assert_eq!(scene.git(&["show", "hast/kept/B:src/a.txt"]), "of B");
    let goals = scene.read(".ai/goals.yaml");
    assert!(goals.contains("conflicts") && goals.contains("src/a.txt"), "{goals}");
    let inbox = scene.hast(&["inbox", "list", "--json"]).out;
    for part in ["\"merge_conflict\"", "src/a.txt", "git diff"] {
        assert!(inbox.contains(part), "{part}: {inbox}");
    }
    scene.nothing_is_left();
}

#[test]
fn what_is_red_together_is_never_on_the_branch() {
    // Each of them passes alone.
    let check = "test ! -f src/one.txt || test ! -f src/two.txt\n";
    let goals = [("A", "", &*slow("src/one.txt", "1")), ("B", "", &*slow("src/two.txt", "2"))];
    let scene = Scene::with(&goals, "max_retries: 1\n", check);
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for commit in scene.history() {
        let files = scene.git(&["ls-tree", "-r", "--name-only", &commit]);
        assert!(!(files.contains("one.txt") && files.contains("two.txt")), "{commit}: {files}");
    }
    let (a, b) = (scene.status_of("A"), scene.status_of("B"));
    assert!([(&*a, &*b), (&*b, &*a)].contains(&("done", "blocked")), "{a} {b}");
    let (loser, path) = if a == "blocked" { ("A", "one") } else { ("B", "two") };
    assert_eq!(scene.verdicts(loser)[..2], ["all_good", "red_after_merge"]);
    scene.git(&["show", &format!("hast/kept/{loser}:src/{path}.txt")]);
    scene.nothing_is_left();
}

/// How often two goals were under way at the same moment, by the log.
fn most_at_once(scene: &Scene) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    for line in scene.read(".ai/events/events.ndjson").lines() {
        if line.contains("\"LANE_OPENED\"") {
            now += 1;
            most = most.max(now);
        } else if line.contains("\"LANE_CLOSED\"") {
            now -= 1;
        }
    }
    most
}

#[test]
fn goals_whose_scopes_overlap_do_not_run_at_once() {
    let scope = |globs: &str| format!("    allowed_changes: [{globs}]\n");
    let scene = Scene::new(&[
        ("A", &scope("\"src/\""), &work("src/one.txt", "1")),
        ("B", &scope("\"src/two.txt\""), &work("src/two.txt", "2")),
    ]);
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "4"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(most_at_once(&scene), 1);
}

#[test]
fn a_red_goal_runs_alone_and_later_siblings_wait_for_it() {
    let red = "      - write: {path: tests/red.sh, text: \"test -f src/made.txt\\n\"}\n";
    let scene = Scene::with(
        &[("A", "    expect_failure: true\n", red), ("B", "", &work("src/made.txt", "made"))],
        "",
        "test ! -f tests/red.sh || sh tests/red.sh\n",
    );
    // As siblings below one parent.
    let goals = scene.read(".ai/goals.yaml").replace("goals:\n", "").replace("\n  ", "\n      ");
    let goals = format!(
        "goals:\n  - id: P\n    title: parent\n    status: active\n    children:\n    {goals}"
    );
    scene.write(".ai/goals.yaml", &goals);
    let ran = scene.hast(&["auto", "P", "--recursive", "--parallel", "4"]);
    assert_eq!(ran.code, 0, "{ran:?} {goals}");
    assert_eq!(most_at_once(&scene), 1);
    assert_eq!((scene.verdicts("A"), scene.verdicts("B")).0, ["red_as_wanted"]);
    assert_eq!(scene.status_of("P"), "done");
    scene.nothing_is_left();
}

#[test]
fn commits_of_the_user_meanwhile_are_kept_below_the_work() {
    let waiting = "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n";
    let scene = Scene::new(&[("M1", "", &format!("{waiting}{}", work("src/b.txt", "b")))]);
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the tree is there", |scene| scene.room_has("M1", "src/a.txt"));
    scene.write("theirs.txt", "theirs\n");
    scene.git(&["add", "theirs.txt"]);
    scene.git(&["commit", "-q", "-m", "theirs"]);
    scene.write("go.log", "");
    assert!(child.wait().unwrap().success());
    let subjects = scene.git(&["log", "--format=%s"]);
    let subjects: Vec<&str> = subjects.lines().collect();
    assert_eq!(subjects, ["chore(M1): goal status", "feat(M1): Goal M1", "theirs", "first"]);
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    scene.nothing_is_left();
}

#[test]
fn a_goal_that_another_worker_has_is_left_to_them() {
    let scene =
        Scene::new(&[("A", "", &work("src/one.txt", "1")), ("B", "", &work("src/two.txt", "2"))]);
    let claim = scene.hast(&["queue", "claim", "--worker", "other", "--goal", "B"]);
    assert_eq!(claim.code, 0, "{claim:?}");
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("another worker") && ran.out.contains('B'), "{}", ran.out);
    assert_eq!((scene.status_of("A"), scene.status_of("B")), ("done".into(), "active".into()));
    assert_eq!(scene.verdicts("B"), Vec::<String>::new());
    let claims = scene.hast(&["queue", "list", "--active-only"]);
    assert_eq!(claims.out.lines().count(), 1, "{}", claims.out);
    scene.nothing_is_left();
}

#[test]
fn a_claim_that_somebody_else_has_by_now_stops_the_merge() {
    let waiting = "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n";
    let scene = Scene::new(&[("A", "", &format!("{waiting}{}", work("src/one.txt", "1")))]);
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the tree is there", |scene| scene.room_has("A", "src/a.txt"));
    let listed = scene.hast(&["queue", "list", "--active-only", "--json"]).out;
    let field = |name: &str| {
        let (_, rest) = listed.split_once(&format!("\"{name}\": \"")).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    let (claim, worker) = (field("claim_id"), field("worker_id"));
    // As if its time had been over.
    assert_eq!(scene.hast(&["queue", "release", &claim, "--worker", &worker]).code, 0);
    assert_eq!(scene.hast(&["queue", "claim", "--worker", "other", "--goal", "A"]).code, 0);
    scene.write("go.log", "");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(!scene.has("src/one.txt"));
    assert_eq!(scene.status_of("A"), "active");
    assert_eq!(scene.git(&["show", "hast/kept/A:src/one.txt"]), "1");
    scene.nothing_is_left();
}
