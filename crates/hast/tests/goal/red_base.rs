//! Tests that are red before the first call: said at once, and with `on_red_base: stop` the end of the run.

use crate::scene::{Scene, WORK, always};

fn red(more: &str) -> Scene {
    let scene = Scene::new(&always(WORK));
    scene.config(&always(WORK), more);
    scene.write("src/a.txt", "wrong from the start\n");
    scene.write(
        "check.sh",
        "echo checking; ! grep -rn wrong src && echo all good || { echo FAIL a.txt; exit 3; }\n",
    );
    scene.git(&["commit", "-qam", "red"]);
    scene.set_goals("M1:active\nM2:active");
    scene
}

#[test]
fn a_red_base_is_told_with_its_first_failing_line_and_the_agent_is_asked() {
    for (lang, said) in [("en", "red before any work"), ("ko", "작업 전부터")] {
        let scene = red("max_retries: 1\n");
        let ran = scene.hast(&["auto", "--one", "--lang", lang]);
        assert!(ran.err.contains(said) && ran.err.contains("FAIL a.txt"), "{ran:?}");
        assert!(scene.read(".ai/events/events.ndjson").contains("ATTEMPT_STARTED"));
    }
}

#[test]
fn with_on_red_base_stop_nothing_is_spent_and_no_goal_is_blocked() {
    let scene = red("on_red_base: stop\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("FAIL a.txt") && ran.err.contains("on_red_base: warn"), "{}", ran.err);
    assert!(!scene.read(".ai/events/events.ndjson").contains("ATTEMPT_STARTED"));
    assert_eq!((scene.status_of("M1"), scene.status_of("M2")), ("active".into(), "active".into()));
    // The same command goes on when it is mended.
    scene.write("src/a.txt", "fine\n");
    scene.git(&["commit", "-qam", "mended"]);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status_of("M2").as_str()), (0, "done"), "{ran:?}");
}
