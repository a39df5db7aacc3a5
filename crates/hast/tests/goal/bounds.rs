//! How far a night goes: `--max-goals`, `--until`, `--budget`, and agents that are asked before their limit ends.

use crate::scene::{Scene, WORK, always, json};

#[test]
fn after_so_many_goals_nothing_more_begins_and_the_rest_is_named() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:active\nM2:active\nM3:active");
    let dry = json(&scene.hast(&["auto", "--dry-run", "--max-goals", "2", "--json"]));
    assert_eq!(dry["goals"].as_array().unwrap().len(), 2, "{dry}");
    let ran = scene.hast(&["auto", "--max-goals", "2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("--max-goals") && ran.out.contains("not begun: M3"), "{}", ran.out);
    assert_eq!(scene.status_of("M3"), "active");
    let ran = scene.hast(&["auto", "--max-goals", "2"]);
    assert!(ran.code == 0 && !ran.out.contains("--max-goals"), "{ran:?}");
    assert_eq!(scene.status_of("M3"), "done");
    assert_eq!(scene.hast(&["auto", "--max-goals", "0"]).code, 2);
}

#[test]
fn after_a_time_nothing_more_begins() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:active\nM2:active");
    // It is 14:30 in Seoul, and the clock of the test stands still: 14:31 never comes.
    let at = |args: &[&str], world: &str| {
        let mut command = scene.hast_command(args);
        let output = command.env("HAST_TEST_WORLD", world).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, out) = at(&["auto", "--one", "--until", "14:31"], "2026-02-09T14:30:00+09:00#7");
    assert_eq!((code, scene.status_of("M1").as_str()), (Some(0), "done"), "{out}");
    for (now, said) in [("14:30", Some("until tomorrow 14:30, in 24h 00m")), ("14:29", None)] {
        let mut command = scene.hast_command(&["auto", "--dry-run", "--until", "14:30"]);
        let world = format!("2026-02-09T{now}:00+09:00#7");
        let output = command.env("HAST_TEST_WORLD", world).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(err.lines().find(|line| line.starts_with("until")), said, "{err}");
    }
    for bad in ["25:00", "7", "07:60", "soon", ":"] {
        let ran = scene.hast(&["auto", "--until", bad]);
        assert!(ran.code == 2 && ran.err.contains("--until 07:00"), "{bad} {ran:?}");
    }
}

#[test]
fn what_the_agents_of_a_run_may_use_together_ends_it() {
    let spends = "      - stream: {like: hast, say: [done], usage: {input: 700, output: 300}, end: success}\n";
    let scene = Scene::new(&always(&format!("{WORK}{spends}")));
    scene.set_goals("M1:active\nM2:active\nM3:active");
    let ran = scene.hast(&["auto", "--budget", "2000tokens"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("--budget"), "{}", ran.err);
    assert_eq!((scene.status_of("M2"), scene.status_of("M3")), ("done".into(), "active".into()));
    // The next run begins to count anew.
    let ran = scene.hast(&["auto", "--budget", "90m"]);
    assert_eq!((ran.code, scene.status_of("M3").as_str()), (0, "done"), "{ran:?}");
    for bad in ["5", "5eur", "0usd", "0k", "much"] {
        let ran = scene.hast(&["auto", "--budget", bad]);
        assert!(ran.code == 2 && ran.err.contains("--budget 200k"), "{bad} {ran:?}");
    }
}

#[test]
fn an_agent_whose_limit_is_remembered_is_asked_with_now() {
    let limited = "  - when: {unit: M1}\n    do:\n      - limit: {resets_in: 36000}\n";
    let scene = Scene::new(limited);
    scene.set_goals("M1:active");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    scene.agent(&always(WORK));
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "active"), "{ran:?}");
    let ran = scene.hast(&["auto", "--now"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
}
