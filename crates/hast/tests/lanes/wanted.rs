//! People decide about a goal while its lane is at work: what they wrote stands.

use hast_stage::Ran;

use crate::scene::{Scene, work};

const WAITING: &str = "      - run: \"echo > ready.log\"\n      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n";

/// One goal, whose agent waits and then does this.
fn scene(actions: &str) -> Scene {
    let actions = format!("{WAITING}{actions}");
    Scene::new(&[("M1", "", &actions)])
}

/// Does something while the agent is at work, and lets it go on.
fn meanwhile(scene: &Scene, what: impl Fn(&Scene)) -> Ran {
    std::thread::scope(|all| {
        let run = all.spawn(|| scene.hast(&["auto", "M1", "--isolate"]));
        scene.wait_until("the agent is at work", |scene| scene.room_has("M1", "ready.log"));
        what(scene);
        scene.write("go.log", "");
        run.join().unwrap()
    })
}

fn set(scene: &Scene, status: &str) {
    let goals = scene.read(".ai/goals.yaml").replacen("status: active", status, 1);
    scene.write(".ai/goals.yaml", goals);
}

/// What the agent did is kept, and on no branch of the user's.
fn is_kept(scene: &Scene) {
    assert_eq!(scene.git(&["log", "--format=%s", "main"]), "first");
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/b.txt"]), "b");
    assert!(!scene.has("src/b.txt"));
    scene.nothing_is_left();
}

#[test]
fn a_goal_that_people_decide_about_meanwhile_is_not_merged_and_their_word_stands() {
    for status in ["dropped", "done", "pending", "blocked\n    blocked_reason: mine"] {
        let scene = scene(&work("src/b.txt", "b"));
        let ran = meanwhile(&scene, |scene| set(scene, &format!("status: {status}")));
        assert_eq!(ran.code, 1, "{ran:?}");
        let word = status.lines().next().unwrap_or_default();
        for part in [&format!("goals.yaml says {word}"), "git merge hast/kept/M1", "git branch -D"]
        {
            assert!(format!("{}{}", ran.out, ran.err).contains(part), "{part}: {ran:?}");
        }
        let goals = scene.read(".ai/goals.yaml");
        assert!(goals.ends_with(&format!("status: {status}\n")), "{goals}");
        is_kept(&scene);
    }
}

#[test]
fn a_goal_that_people_take_away_meanwhile_is_not_merged() {
    let scene = scene(&work("src/b.txt", "b"));
    let ran = meanwhile(&scene, |scene| scene.write(".ai/goals.yaml", "goals: []\n"));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("no longer in goals.yaml"), "{ran:?}");
    assert_eq!(scene.read(".ai/goals.yaml"), "goals: []\n");
    is_kept(&scene);
}

#[test]
fn a_goal_that_is_dropped_meanwhile_is_not_tried_again() {
    let scene = scene("      - append: {path: src/b.txt, text: \"b\\n\"}\n");
    let ran = meanwhile(&scene, |scene| set(scene, "status: dropped"));
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "dropped"), "{ran:?}");
    assert_eq!(scene.verdicts("M1"), ["no_handoff"]);
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/b.txt"]), "b");
    scene.nothing_is_left();
}

#[test]
fn an_agent_that_gives_up_does_not_change_what_people_made_of_the_goal() {
    let scene = scene("      - handoff: {status: blocked, next: a key}\n");
    let ran = meanwhile(&scene, |scene| set(scene, "status: dropped"));
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "dropped"), "{ran:?}");
    assert!(!scene.read(".ai/goals.yaml").contains("blocked_reason"));
    scene.nothing_is_left();
}

#[test]
fn a_lane_that_was_cut_off_does_not_go_on_with_a_goal_that_was_dropped_since() {
    let scene = scene(&work("src/b.txt", "b"));
    let mut child = scene.start(&["auto", "M1", "--isolate"]);
    scene.wait_until("the agent is at work", |scene| scene.room_has("M1", "ready.log"));
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    set(&scene, "status: dropped");
    scene.write("go.log", "");
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "dropped"), "{ran:?}");
    assert_eq!(scene.verdicts("M1"), Vec::<String>::new());
    assert_eq!(scene.git(&["log", "--format=%s", "main"]), "first");
    scene.nothing_is_left();
}

#[test]
fn a_branch_without_the_goal_that_the_user_is_on_by_now_says_nothing_about_it() {
    let scene = scene(&work("src/b.txt", "b"));
    scene.git(&["switch", "-qc", "other"]);
    scene.write(".ai/goals.yaml", "goals: []\n");
    scene.git(&["commit", "-qam", "other goals"]);
    scene.git(&["switch", "-q", "main"]);
    let ran = meanwhile(&scene, |scene| drop(scene.git(&["switch", "-q", "other"])));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(scene.git(&["show", "main:.ai/goals.yaml"]).contains("status: done"));
    assert_eq!(scene.git(&["show", "main:src/b.txt"]), "b");
}

#[test]
fn what_was_committed_about_the_goal_on_its_branch_stands_wherever_the_user_is() {
    let scene = scene(&work("src/b.txt", "b"));
    let ran = meanwhile(&scene, |scene| {
        scene.git(&["branch", "other"]);
        set(scene, "status: dropped");
        scene.git(&["commit", "-qam", "dropped"]);
        scene.git(&["switch", "-q", "other"]);
    });
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.git(&["log", "-1", "--format=%s", "main"]), "dropped");
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
    assert_eq!(scene.status_of("M1"), "active", "the file of another branch");
}

#[test]
fn while_goals_yaml_cannot_be_read_nothing_is_merged_and_the_next_run_goes_on() {
    let scene = scene(&work("src/b.txt", "b"));
    let goals = scene.read(".ai/goals.yaml");
    let ran = meanwhile(&scene, |scene| scene.write(".ai/goals.yaml", "goals: [\n"));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("goals.yaml cannot be read"), "{ran:?}");
    assert_eq!(scene.git(&["log", "--format=%s", "main"]), "first");
    scene.write(".ai/goals.yaml", goals);
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.verdicts("M1"), ["all_good"], "it was not asked for again");
    scene.nothing_is_left();
}
