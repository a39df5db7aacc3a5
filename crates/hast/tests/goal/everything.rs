//! `hast auto` without a goal works through everything that can run, and says what it could not come to.

use crate::scene::{Scene, WORK, always, json};

#[test]
fn without_a_goal_everything_runs_in_the_order_of_the_selection_policy() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:active\nM2:active\n  M2.1:active\n  M2.2:active\nM3:pending");
    let planned = json(&scene.hast(&["auto", "--dry-run", "--json"]));
    let ids = |told: &serde_json::Value, list: &str| -> Vec<String> {
        let ids = told[list].as_array().unwrap().iter();
        ids.map(|one| one["goal_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&planned, "goals"), ["M2.1", "M2.2", "M1"]);
    let ran = scene.hast(&["auto", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ids(&json(&ran), "attempts"), ["M2.1", "M2.2", "M1"]);
    for goal in ["M1", "M2", "M2.1", "M2.2"] {
        assert_eq!(scene.status_of(goal), "done", "{goal}");
    }
}

#[test]
fn one_takes_the_first_and_no_other() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:active\nM2:active");
    let ran = scene.hast(&["auto", "--one"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!((scene.status_of("M1"), scene.status_of("M2")), ("done".into(), "active".into()));
    for args in [&["auto", "M2", "--one"][..], &["auto", "--one", "--recursive"]] {
        assert_eq!(scene.hast(args).code, 2, "{args:?}");
    }
}

#[test]
fn a_blocked_goal_does_not_keep_the_others_from_running() {
    let liar = "  - when: {unit: M1}\n    do:\n      - print: done\n";
    let scene = Scene::new(&format!("{liar}{}", always(WORK)));
    scene.config(&format!("{liar}{}", always(WORK)), "max_retries: 1\n");
    scene.set_goals("M1:active\nM2:active");
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!((scene.status_of("M1"), scene.status_of("M2")), ("blocked".into(), "done".into()));
}

#[test]
fn a_child_of_a_pending_done_or_dropped_goal_does_not_run_and_a_line_says_why() {
    for status in ["pending", "done", "dropped"] {
        let scene = Scene::new(&always(WORK));
        scene.set_goals(&format!("P:{status}\n  P.1:active\nM2:active"));
        let why = format!("P.1 (P is {status})");
        let dry = scene.hast(&["auto", "--dry-run"]);
        assert!(dry.code == 0 && dry.err.contains(&why), "{dry:?}");
        assert!(!dry.out.contains("P.1"), "{}", dry.out);
        let ran = scene.hast(&["auto"]);
        assert!(ran.code == 0 && ran.out.contains(&why), "{ran:?}");
        assert_eq!(
            (scene.status_of("P.1"), scene.status_of("M2")),
            ("active".into(), "done".into())
        );
        let named = scene.hast(&["auto", "P.1"]);
        assert!(named.code == 1 && named.err.contains("part of P"), "{named:?}");
        assert!(named.err.contains("set `status: active` of P"), "{}", named.err);
        let claim = scene.hast(&["queue", "claim", "--worker", "w", "--goal", "P.1"]);
        assert!(claim.code == 1 && claim.err.contains("part of P"), "{claim:?}");
        assert_eq!(scene.hast(&["queue", "claim", "--worker", "w"]).code, 1);
        let context = json(&scene.hast(&["context", "--format", "json"]));
        assert!(context["current_goal"].is_null(), "{context}");
        let nothing = scene.hast(&["auto", "--lang", "ko"]);
        assert!(nothing.code == 0 && nothing.out.contains("P.1"), "{nothing:?}");
    }
}

#[test]
fn goals_are_named_without_minding_case() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("Fix-Login:active\nM2:active");
    let context = json(&scene.hast(&["context", "--goal", "fix-login", "--format", "json"]));
    assert_eq!(context["current_goal"]["id"], "Fix-Login");
    let claim = json(&scene.hast(&["queue", "claim", "--worker", "w", "--goal", "m2", "--json"]));
    assert_eq!(claim["goal_id"], "M2");
    assert_eq!(
        scene
            .hast(&["queue", "release", claim["claim_id"].as_str().unwrap(), "--worker", "w"])
            .code,
        0
    );
    let ran = scene.hast(&["auto", "FIX-LOGIN"]);
    assert_eq!((ran.code, scene.status_of("Fix-Login").as_str()), (0, "done"), "{ran:?}");
}
