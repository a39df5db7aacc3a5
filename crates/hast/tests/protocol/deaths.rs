//! Killed while a result is judged: ingested again, it is judged and merged once.

use std::time::Duration;

use crate::scene::Scene;

#[test]
fn a_death_while_the_tests_run_is_gone_on_from() {
    let scene = Scene::with(
        "",
        "test ! -f src/b.txt || test -f ../../../../../../../project/go.log || sleep 60\n",
    );
    let task = scene.export("M1");
    let result = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")]));
    scene.deliver(&result);
    let mut child = scene.start(&["protocol", "ingest", "../result.json"]);
    scene.wait_until("it is judged", |stage| {
        stage.read(".ai/events/events.ndjson").contains("ATTEMPT_ENDED")
    });
    // While it is judged nobody else drives.
    let second = scene.hast(&["protocol", "ingest", "../result.json"]);
    assert_eq!(second.code, 4, "{second:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    assert!(!scene.has("src/b.txt"));
    // Another command says who finishes it, and leaves it alone.
    let auto = scene.hast(&["auto", "--isolate"]);
    assert_eq!(auto.code, 1, "{auto:?}");
    assert!(auto.err.contains("hast protocol ingest .ai/protocols/PKT_"), "{}", auto.err);
    scene.write("go.log", "");
    let ran = scene.ingest(&result);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.read("src/b.txt"), "b\n");
    assert_eq!(scene.events("ATTEMPT_STARTED"), 1);
    scene.nothing_is_left();
}

#[test]
fn deaths_at_any_moment_leave_nothing_half_applied() {
    for step in 0..6_u64 {
        let scene = Scene::new();
        let task = scene.export("M1");
        let result =
            scene.result(&task, &scene.patch(&[("src/b.txt", "b\n"), ("src/a.txt", "x\n")]));
        scene.deliver(&result);
        for round in 0..4_u64 {
            let mut child = scene.start(&["protocol", "ingest", "../result.json"]);
            // Any instant will do: what is shown holds for all of them.
            std::thread::sleep(Duration::from_millis(20 + 45 * step + 23 * round));
            let _ = child.kill();
            child.wait().unwrap();
            scene.nothing_runs();
            let whole = (scene.has("src/b.txt"), scene.read("src/a.txt") == "x\n");
            assert!(whole.0 == whole.1 || scene.git(&["status", "--porcelain"]).is_empty());
        }
        let ran = scene.ingest(&result);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(
            (scene.read("src/b.txt"), scene.read("src/a.txt")),
            ("b\n".into(), "x\n".into())
        );
        let merged = scene.git(&["log", "--format=%s", "--grep=feat(M1)"]);
        assert_eq!(merged.lines().count(), 1, "{merged}");
        assert_eq!(scene.status_of("M1"), "done");
        scene.nothing_is_left();
    }
}
