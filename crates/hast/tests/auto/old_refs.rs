//! `--gc`: what is old goes, what is nowhere else only after a yes, and what somebody works on never.

use crate::scene::{Scene, WORK};
use crate::terminal::on_terminal;

/// A branch of kept work that is years old.
fn old_work(scene: &Scene) {
    scene.git(&["checkout", "-q", "-b", "hast/kept/M1"]);
    scene.write("src/b.txt", "b\n");
    scene.git(&["add", "-A"]);
    let mut commit = scene.other_command("git", &["commit", "-qm", "attempt 1"]);
    commit.env("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z");
    assert!(commit.status().unwrap().success());
}

const KEPT: &str = "refs/heads/hast/kept/M1";

#[test]
fn the_branch_that_the_user_stands_on_is_not_deleted() {
    let scene = Scene::new(WORK);
    old_work(&scene);
    let ran = scene.hast(&["auto", "--gc"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains(KEPT) && ran.out.contains("checked out"), "{}", ran.out);
    assert_eq!(scene.git(&["symbolic-ref", "HEAD"]), KEPT);
    assert_eq!(scene.git(&["log", "-1", "--format=%s"]), "attempt 1");
    let json: serde_json::Value =
        serde_json::from_str(&scene.hast(&["auto", "--gc", "--json"]).out).unwrap();
    assert_eq!((&json["checked_out"][0], &json["kept"]), (&KEPT.into(), &1.into()));
    // Elsewhere its work is nowhere else, and nobody is there to be asked.
    scene.git(&["checkout", "-q", "main"]);
    let ran = scene.hast(&["auto", "--gc"]);
    assert!(ran.out.contains(&format!("  {KEPT}\n")), "it is named: {}", ran.out);
    assert_eq!(scene.git(&["log", "-1", "--format=%s", "hast/kept/M1"]), "attempt 1");
}

#[test]
fn what_a_branch_of_the_user_contains_goes_and_the_rest_after_a_yes() {
    let scene = Scene::new(WORK);
    old_work(&scene);
    scene.git(&["checkout", "-q", "main"]);
    let (code, shown) = on_terminal(&scene, &["auto", "--gc"], "n\n");
    assert!(code == 0 && shown.contains(KEPT), "{shown}");
    assert_eq!(scene.git(&["log", "-1", "--format=%s", "hast/kept/M1"]), "attempt 1");
    let (_, shown) = on_terminal(&scene, &["auto", "--gc"], "y\n");
    assert_eq!(scene.git(&["for-each-ref", KEPT]), "", "{shown}");
    old_work(&scene);
    scene.git(&["checkout", "-q", "main"]);
    scene.git(&["branch", "theirs", "hast/kept/M1"]);
    let ran = scene.hast(&["auto", "--gc"]);
    assert!(ran.out.contains(KEPT), "{}", ran.out);
    assert_eq!(scene.git(&["for-each-ref", KEPT]), "");
}

#[test]
fn what_lies_aside_is_listed_with_size_and_age_and_goes_only_after_a_yes() {
    let scene = Scene::new(WORK);
    let (old, young) = (".git/hast/aside/refs%2Fhast%2Fa%2F1", ".git/hast/aside/M2%2F1");
    scene.write(&format!("{old}/0-src%2Fbig.bin"), &"x".repeat(100_000));
    scene.write(&format!("{young}/0-config"), "x");
    scene.shell(&format!("touch -d '40 days ago' {old}"));
    let ran = scene.hast(&["auto", "--gc"]);
    for part in [&format!("{old}/0-src%2Fbig.bin"), "refs/hast/a/1", "40 days", "KiB", young] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let json: serde_json::Value =
        serde_json::from_str(&scene.hast(&["auto", "--gc", "--json"]).out).unwrap();
    let told: Vec<(&str, i64)> = json["aside"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["path"].as_str().unwrap(), one["days"].as_i64().unwrap()))
        .collect();
    assert_eq!(told, [("config", 0), ("src/big.bin", 40)]);
    let (code, shown) = on_terminal(&scene, &["auto", "--gc"], "n\n");
    assert!(code == 0 && shown.contains(old) && scene.has(old), "{shown}");
    let (code, shown) = on_terminal(&scene, &["auto", "--gc"], "y\n");
    assert!(code == 0 && !scene.has(old) && scene.has(young), "{shown}");
}

#[test]
fn numbers_that_begin_anew_lose_no_work_and_the_ref_has_what_is_told() {
    let goals = "goals:\n  - {id: M1, title: a, status: active}\n";
    let scene =
        Scene::with(goals, "  - do:\n      - print: no\n", "sandbox: off\nmax_retries: 2\n");
    for night in ["one", "two", "three"] {
        scene.agent(&format!("      - write: {{path: src/only.txt, text: {night}}}\n"));
        let ran = scene.hast(if night == "one" { &["auto"] } else { &["retry", "M1"] });
        assert_eq!(ran.code, 1, "{ran:?}");
        for number in [1, 2] {
            let name = format!("refs/hast/attempts/M1/{number}");
            assert_eq!(scene.git(&["show", &format!("{name}:src/only.txt")]), night, "{name}");
        }
        // Events and attempts are ignored files, and a clean tree takes them.
        scene.git(&["checkout", "-q", "."]);
        scene.git(&["clean", "-qfdx"]);
    }
    assert_eq!(scene.git(&["for-each-ref", "refs/hast/displaced"]), "");
    let kept = scene.git(&["log", "--format=%H", "refs/hast/attempts/M1/1"]);
    let of = |commit: &str| scene.shell_out(&format!("git show {commit}:src/only.txt"));
    let nights: Vec<String> = kept.lines().map(of).filter(|night| !night.is_empty()).collect();
    assert_eq!(nights, ["three", "two", "one"]);
}
