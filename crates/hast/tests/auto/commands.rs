//! Commands as users type them, and their results: dry runs, refusals, retry, the demo.

use crate::scene::{Scene, WORK};

#[test]
fn a_dry_run_starts_and_writes_nothing() {
    let scene = Scene::new(WORK);
    let before = scene.git(&["status", "--porcelain", "--ignored"]);
    let ran = scene.hast(&["auto", "--dry-run"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("M1 — The work") && ran.out.contains("scope: src/, tests/"),
        "{}",
        ran.out
    );
    let full = scene.hast(&["auto", "--dry-run-full"]);
    assert!(
        full.out.contains("# Session Context") || full.out.contains("Current Goal"),
        "{}",
        full.out
    );
    assert_eq!(scene.git(&["status", "--porcelain", "--ignored"]), before);
    assert!(!scene.has(".ai/events") && !scene.has(".ai/auto.lock"));
}

#[test]
fn uncommitted_files_of_the_user_are_named_and_stay_and_are_no_part_of_the_work() {
    let scene = Scene::new(WORK);
    scene.write("mine.txt", "unsaved\n");
    scene.write("README", "edited\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert!(ran.err.contains("not part of the work"), "{}", ran.err);
    assert!(ran.err.contains("mine.txt") && ran.err.contains("README"), "{}", ran.err);
    assert_eq!(
        (scene.read("mine.txt"), scene.read("README")),
        ("unsaved\n".into(), "edited\n".into())
    );
    assert_eq!(scene.git(&["status", "--porcelain"]), "M README\n?? mine.txt");
}

#[test]
fn a_detached_head_and_a_merge_of_the_user_refuse_nothing() {
    let scene = Scene::new(WORK);
    scene.git(&["checkout", "-q", "--detach"]);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    let scene = Scene::new(WORK);
    scene.git(&["merge", "-q", "--no-commit", "--no-ff", "other"]);
    scene.write(".git/MERGE_HEAD", &scene.git(&["rev-parse", "other"]));
    let ran = scene.hast(&["auto"]);
    // It passed, and waits for the user to end what they are in the middle of.
    assert_eq!(scene.verdicts(), ["complete all_good", "blocked merge_waits"], "{ran:?}");
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
}

#[test]
fn isolate_and_the_old_names_of_settings_are_warned_about() {
    let scene = Scene::new(WORK);
    let config = scene.read(".ai/config.yaml");
    let old = "isolation: worktree\nworktree_copy: [\".env\"]\nworktree_setup: \"touch set.log\"\n";
    scene.write(".ai/config.yaml", &format!("{config}{old}"));
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in ["--isolate has no effect", "`isolation` has no effect", "room_copy", "room_setup"]
    {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert!(!scene.hast(&["auto", "--help"]).out.contains("--isolate"));
}

#[test]
fn unapproved_commands_are_not_run() {
    let scene = Scene::new(WORK);
    let ran = scene.hast_without_trust(&["auto"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("hast trust"), "{}", ran.err);
    assert!(!scene.has("src/b.txt") && !scene.has(".ai/events"));
    assert_eq!(scene.hast_without_trust(&["trust", "--yes"]).code, 0);
    // A rehearsal is a program: another content is another command.
    let rehearsal = scene.read(".ai/rehearsals/a.yaml");
    scene.write(".ai/rehearsals/a.yaml", &format!("{rehearsal}# changed\n"));
    assert_eq!(scene.hast_without_trust(&["auto"]).code, 1);
    scene.write(".ai/rehearsals/a.yaml", &rehearsal);
    let ran = scene.hast_without_trust(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
}

#[test]
fn a_blocked_goal_is_retried_and_only_a_blocked_one() {
    let replies = format!("  - when: {{attempt: 1}}\n    do:\n      - print: no\n  - do:\n{WORK}");
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let scene = Scene::with(goals, &replies, "max_retries: 1\n");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.status(), "blocked");
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.status(), "done");
    assert!(!scene.read(".ai/goals.yaml").contains("blocked_reason"));
    let again = scene.hast(&["retry", "M1"]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("done, not blocked"), "{}", again.err);
    let unknown = scene.hast(&["auto", "M9"]);
    assert!(unknown.code == 1 && unknown.err.contains("M9"), "{unknown:?}");
}

#[test]
fn the_demo_plays_the_whole_loop() {
    let scene = Scene::new(WORK);
    let ran = scene.hast(&["demo", "--dir", "shop", "--lang", "ko"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("hast init"), "{}", ran.out);
    assert!(ran.err.contains("[SHOP.5] attempt=3 failed"), "{}", ran.err);
    assert!(scene.read("shop/.ai/goals.yaml").contains("status: blocked"));
    assert_eq!(scene.hast(&["demo", "--dir", "shop"]).code, 2, "it overwrites nothing");
}

#[test]
fn the_report_is_one_document_for_programs() {
    let scene = Scene::new(WORK);
    let ran = scene.hast(&["auto", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let start = ran.out.find('{').unwrap();
    assert!(ran.out[start..].contains("\"ending\": \"done\""), "{}", ran.out);
    assert!(ran.out.contains("\"class\": \"complete\""), "{}", ran.out);
}

#[test]
fn what_was_rolled_back_can_be_brought_back() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!(
        "  - when: {{attempt: 1}}\n    do:\n      - write: {{path: src/lost.txt, text: precious}}\n  - do:\n{WORK}"
    );
    let scene = Scene::with(goals, &replies, "");
    assert_eq!(scene.hast(&["auto", "--undo"]).code, 1, "nothing was rolled back yet");
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!scene.has("src/lost.txt"));
    let undone = scene.hast(&["auto", "--undo"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(scene.read("src/lost.txt"), "precious");
    let gc = scene.hast(&["auto", "--gc", "--json"]);
    assert!(gc.code == 0 && gc.out.contains("\"deleted\": []"), "{gc:?}");
    assert!(!scene.git(&["for-each-ref", "refs/hast/attempts"]).is_empty());
}

#[test]
fn an_interruption_ends_the_agent_and_its_work_is_saved_by_the_next_run() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = "  - do:\n      - write: {path: src/half.txt, text: half}\n      - hang\n";
    let scene = Scene::with(goals, replies, "");
    let mut child = scene.start(&["auto"]);
    scene.wait_for("src/half.txt");
    let second = scene.hast(&["auto"]);
    assert!(second.code == 1 && second.err.contains("pid"), "{second:?}");
    scene.interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(scene.left_running().is_empty(), "{:?}", scene.left_running());
    assert!(!scene.has(".ai/auto.lock") && !scene.has("src/half.txt"));
    scene.agent(WORK);
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!scene.has("src/half.txt") && !scene.has(".ai/auto.lock"));
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/half.txt"]), "half");
}

fn json(ran: &crate::scene::Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("not one document: {ran:?}"))
}

#[test]
fn where_nothing_would_run_nothing_is_in_the_way() {
    let scene = Scene::new(WORK);
    assert_eq!(scene.hast(&["auto"]).code, 0);
    scene.write("mine.txt", "unsaved\n");
    let log = scene.read(".ai/events/events.ndjson");
    for args in [&["auto"][..], &["auto", "M1"], &["auto", "--recursive"]] {
        let ran = scene.hast(args);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(!ran.out.is_empty(), "{ran:?}");
    }
    assert_eq!(scene.read(".ai/events/events.ndjson"), log);
    let planned = json(&scene.hast(&["auto", "--dry-run", "--json"]));
    assert!(planned["goals"].as_array().unwrap().is_empty() && planned["next"].is_string());
}

#[test]
fn a_goal_that_is_only_given_back_is_told_to_programs_too() {
    let scene = Scene::new("      - print: no\n");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    let told = json(&scene.hast(&["retry", "M1", "--no-run", "--json"]));
    assert_eq!((&told["goal_id"], &told["status"]), (&"M1".into(), &"active".into()));
    assert_eq!(scene.status(), "active");
}

#[test]
fn machine_files_are_kept_out_of_git_though_somebody_deleted_the_rule() {
    let scene = Scene::new(WORK);
    scene.git(&["rm", "-q", ".ai/.gitignore"]);
    scene.git(&["commit", "-qm", "no rule"]);
    let planned = scene.hast(&["auto", "--dry-run"]);
    assert!(planned.code == 0 && !scene.has(".ai/.gitignore"), "{planned:?}");
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.git(&["status", "--porcelain"]), "?? .ai/.gitignore");
}

#[test]
fn a_dry_run_names_what_waits_for_a_goal_that_would_run_before_it() {
    let goal = |id: &str, more: &str| {
        format!("      - id: {id}\n        title: t\n        status: active\n{more}")
    };
    let goals = format!(
        "goals:\n  - id: P\n    title: t\n    status: active\n    children:\n{}{}{}",
        goal("P.3", "        depends_on: [P.2]\n"),
        goal("P.1", ""),
        goal("P.2", "        depends_on: [P.1]\n"),
    );
    let replies = format!("  - do:\n{WORK}");
    let scene = Scene::with(&goals, &replies, "sandbox: off\n");
    let planned = json(&scene.hast(&["auto", "P", "--recursive", "--dry-run", "--json"]));
    let ids: Vec<_> = planned["goals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|goal| goal["goal_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["P.1", "P.2", "P.3"]);
}

#[test]
fn a_status_that_could_not_be_set_afterwards_is_found_before_anybody_works() {
    let child = "      - {id: M1.1, title: part, status: active}\n";
    for (goals, args, line) in [
        (
            "s: &s active\ngoals:\n  - {id: M1, title: t, status: *s}\n".to_owned(),
            &["auto"][..],
            "3",
        ),
        (
            "goals:\n  - id: M1\n    title: t\n    status: >-\n      active\n".to_owned(),
            &["auto", "--isolate"],
            "5",
        ),
        (
            "goals:\n  - id: M1\n    title: t\n    status: &s active\n".to_owned(),
            &["auto", "M1"],
            "4",
        ),
        (
            format!(
                "goals:\n  - id: M1\n    title: t\n    status: !!str active\n    children:\n{child}"
            ),
            &["auto", "M1", "--recursive"],
            "4",
        ),
    ] {
        let scene = Scene::with(&goals, &format!("  - do:\n{WORK}"), "");
        let ran = scene.hast(args);
        assert_eq!(ran.code, 1, "{goals}{ran:?}");
        let place = format!(".ai/goals.yaml:{line}");
        for part in [place.as_str(), "nothing was started", "`status: active`"] {
            assert!(ran.err.contains(part), "{part}: {goals}{ran:?}");
        }
        assert!(!scene.has("src/b.txt") && scene.read(".ai/events/events.ndjson").is_empty());
        assert_eq!(scene.read(".ai/goals.yaml"), goals);
    }
    // One that does not run does not matter.
    let goals = "goals:\n  - {id: M1, title: t, status: active}\n  - {id: M2, title: t, status: &s active}\n";
    let scene = Scene::with(goals, &format!("  - do:\n{WORK}"), "");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_test_command_that_is_not_installed_calls_no_agent_and_is_named() {
    let config = Scene::new(WORK).read(".ai/config.yaml");
    for args in [&["auto"][..], &["auto", "--isolate"]] {
        let scene = Scene::new(WORK);
        scene.write(".ai/config.yaml", &config.replace("sh tests/check.sh", "pytets -q"));
        let ran = scene.hast(args);
        assert_eq!((ran.code, scene.status().as_str()), (1, "active"), "{ran:?}");
        assert!(ran.err.contains("`pytets -q`") && ran.err.contains("test_command"), "{}", ran.err);
        assert!(scene.told("ATTEMPT_STARTED").is_empty() && scene.told("GOAL_BLOCKED").is_empty());
    }
    // Work on a script that is not there yet is work: it is called, and judged by what it made.
    let scene = Scene::new(WORK);
    scene.write(".ai/config.yaml", &config.replace("sh tests/check.sh", "./tests/run -q"));
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts()), (1, vec!["failed tests_could_not_run".into()]));
    assert!(ran.out.contains("exit code 127 of `./tests/run -q`"), "{}", ran.out);
}

#[test]
fn an_agent_that_is_not_there_starts_nothing_and_the_doctor_knows() {
    let scene = Scene::new(WORK);
    let config = scene.read(".ai/config.yaml");
    for (agent, named) in [
        ("/nowhere/agent {prompt}", "/nowhere/agent"),
        ("./README {prompt}", "chmod +x ./README"),
        ("rehearsal:gone.yaml", "gone.yaml"),
    ] {
        let config = config.replace("rehearsal:.ai/rehearsals/a.yaml", agent);
        scene.write(".ai/config.yaml", &config);
        for args in [&["auto"][..], &["agent", "doctor"]] {
            let ran = scene.hast(args);
            assert_eq!(ran.code, 1, "{ran:?}");
            assert!(ran.err.contains(named), "{}", ran.err);
        }
        let dry = scene.hast(&["auto", "--dry-run"]);
        assert_eq!(dry.code, 0, "{dry:?}");
        assert!(dry.err.contains(named), "{}", dry.err);
        assert!(!scene.has(".ai/events"));
    }
}

#[test]
fn a_dry_run_tells_what_auto_would_refuse_now_and_writes_nothing() {
    let scene = Scene::new(WORK);
    let told = |scene: &Scene| {
        let before = scene.git(&["status", "--porcelain", "--ignored"]);
        let ran = scene.hast(&["auto", "--dry-run"]);
        assert_eq!((ran.code, ran.out.contains("M1 — The work")), (0, true), "{ran:?}");
        assert_eq!(scene.git(&["status", "--porcelain", "--ignored"]), before);
        assert!(!scene.has(".git/hast") && !scene.has(".ai/events"));
        ran.err
    };
    assert_eq!(told(&scene), "");
    let refused = "hast auto would not start now: ";
    let ran = scene.hast_without_trust(&["auto", "--dry-run"]);
    assert!(ran.err.contains(refused) && ran.err.contains("hast trust"), "{}", ran.err);
    scene.write("mine.txt", "unsaved\n");
    assert_eq!(told(&scene), "", "files of the user are in nobody's way");
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "mine"]);
    scene.git(&["checkout", "-q", "--detach"]);
    assert_eq!(told(&scene), "");
    scene.git(&["checkout", "-q", "--orphan", "empty"]);
    assert!(told(&scene).contains("no first commit"));
    scene.git(&["switch", "-q", "-f", "main"]);
    scene.write(".ai/goals.yaml", "x: &a {id: M1, title: The work, status: active}\ngoals: [*a]\n");
    assert!(told(&scene).contains(refused));
}
