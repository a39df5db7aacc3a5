//! Killed while alternatives are tried: run again, each is tried and kept, and nothing is left.

use std::time::Duration;

use crate::scene::{FILE, Scene, THREE, ranking};

#[test]
fn a_death_while_an_agent_works_is_gone_on_from() {
    let waits = "      - write: {path: src/half.txt, text: \"half\\n\"}\n      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n      - run: \"rm src/half.txt\"\n      - write: {path: src/b.txt, text: \"b\\n\"}\n";
    let scene = Scene::new(&[("A", THREE[0].1), ("B", waits)]);
    let mut child = scene.start(&["decision", "spike", FILE]);
    scene.wait_until("A was tried and B is at work", |stage| {
        stage.room_has("spike-D1-B", "src/half.txt")
            && stage.read(".ai/events/events.ndjson").contains("SPIKE_TRIED")
    });
    let second = scene.hast(&["decision", "spike", FILE]);
    assert_eq!(second.code, 4, "{second:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    scene.write("go.log", "");
    let (code, answer) = scene.spike(&[]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(ranking(&answer), [("B".to_owned(), 1, 1), ("A".to_owned(), 3, 1)]);
    assert_eq!((scene.events("SPIKE_STARTED"), scene.events("SPIKE_TRIED")), (1, 2));
    // What the first try of B had written is nowhere in its result, and not lost either.
    let kept = scene.git(&["ls-tree", "-r", "--name-only", "refs/hast/spikes/D1/1/B"]);
    assert!(!kept.contains("half.txt"), "{kept}");
    let saved = scene.git(&["for-each-ref", "--format=%(refname)", "refs/hast/recovered"]);
    assert_eq!(scene.git(&["show", &format!("{saved}:src/half.txt")]), "half");
    scene.nothing_is_left();
}

#[test]
fn deaths_at_any_moment_end_with_one_merge() {
    for step in 0..4_u64 {
        let scene = Scene::new(&THREE);
        for round in 0..5_u64 {
            let mut child = scene.start(&["decision", "spike", FILE, "--accept"]);
            // Any instant will do: what is shown holds for all of them.
            std::thread::sleep(Duration::from_millis(30 + 70 * step + 90 * round));
            let _ = child.kill();
            child.wait().unwrap();
            scene.nothing_runs();
        }
        let (code, answer) = scene.spike(&["--accept"]);
        assert_eq!((code, &answer["winner"]), (0, &serde_json::json!("C")), "{answer}");
        let merged = scene.git(&["log", "--format=%s", "--grep=feat(D1)"]);
        assert_eq!(merged.lines().count(), 1, "{merged}");
        for id in ["A", "B", "C"] {
            scene.git(&["rev-parse", "--verify", &format!("refs/hast/spikes/D1/1/{id}")]);
        }
        scene.nothing_is_left();
    }
}

#[test]
fn gc_removes_what_a_dead_spike_left_and_the_spike_can_still_go_on() {
    let scene = Scene::new(&[
        ("A", THREE[0].1),
        (
            "B",
            "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n      - write: {path: src/b.txt, text: \"b\\n\"}\n",
        ),
    ]);
    let mut child = scene.start(&["decision", "spike", FILE]);
    scene.wait_until("B is at work", |stage| {
        let log = stage.read(".ai/events/events.ndjson");
        log.contains("SPIKE_TRIED") && log.matches("SPIKE_BEGUN").count() == 2
    });
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    let gc = scene.hast(&["auto", "--gc"]);
    assert_eq!(gc.code, 0, "{gc:?}");
    assert!(gc.out.contains("spike-D1-B"), "{gc:?}");
    scene.nothing_is_left();
    scene.write("go.log", "");
    let (code, answer) = scene.spike(&[]);
    assert_eq!(code, 0, "{answer}");
    scene.nothing_is_left();
}
