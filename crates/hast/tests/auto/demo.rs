//! `hast demo` is the first thing that people try: it works with whatever git settings they have, and tells
//! programs one document.

use std::process::Stdio;

use crate::scene::{Scene, WORK};

/// A home in which everything is set that could come in the way.
fn particular_user() -> Scene {
    let scene = Scene::new(WORK);
    let refuses = "#!/bin/sh\necho no ticket in message\nexit 1\n";
    for hook in ["pre-commit", "commit-msg", "reference-transaction"] {
        for place in ["hooks", "template/hooks"] {
            scene.write(&format!("../home/{place}/{hook}"), refuses);
        }
    }
    scene.write("../home/ignore", "*\n");
    scene.write("../home/attributes", "* text eol=crlf filter=gone\n");
    scene.write("../home/.config/git/ignore", "*.sh\n");
    scene.write("../home/more", "[commit]\n\tgpgSign = true\n[core]\n\tautocrlf = true\n");
    scene.write(
        "../home/.gitconfig",
        "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n[tag]\n\tgpgSign = true\n\
         [core]\n\thooksPath = ~/hooks\n\texcludesFile = ~/ignore\n\tattributesFile = ~/attributes\n\
         \tautocrlf = true\n\tsafecrlf = true\n[init]\n\tdefaultBranch = trunk\n\ttemplateDir = ~/template\n\
         [user]\n\tuseConfigOnly = true\n[filter \"gone\"]\n\tclean = false\n\tsmudge = false\n\trequired = true\n\
         [includeIf \"gitdir:**\"]\n\tpath = more\n[index]\n\tversion = 4\n[feature]\n\tmanyFiles = true\n",
    );
    scene.shell("chmod +x ../home/hooks/* ../home/template/hooks/*");
    scene
}

#[test]
fn whatever_git_settings_the_user_has_the_demo_ends_as_it_should() {
    let scene = particular_user();
    for flow in ["goals", "contract"] {
        let ran = scene.hast(&["demo", flow, "--dir", &format!("../{flow}")]);
        assert_eq!(ran.code, 0, "{flow}: {ran:?}");
    }
    let log = scene.git(&["-C", "../goals", "log", "--format=%s", "main"]);
    assert!(log.contains("feat(") && log.contains("chore: a small shop"), "{log}");
}

#[test]
fn every_demo_tells_programs_one_document() {
    let scene = particular_user();
    for (flow, ending) in [
        ("goals", "blocked"),
        ("contract", "done"),
        ("kernel", "done"),
        ("session", "done"),
        ("run", "done"),
    ] {
        let place = format!("../json-{flow}");
        let ran = scene.hast(&["demo", flow, "--dir", &place, "--json"]);
        assert_eq!(ran.code, 0, "{flow}: {ran:?}");
        let told: serde_json::Value =
            serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{flow}: {ran:?}"));
        assert_eq!((&told["flow"], &told["ending"]), (&flow.into(), &ending.into()), "{told}");
        assert!(told["directory"].as_str().unwrap().ends_with(&place[3..]), "{told}");
    }
}

#[test]
fn a_demo_without_git_says_why_in_lines_that_can_be_read() {
    let scene = Scene::new(WORK);
    scene.write(
        "bin/git",
        "#!/bin/sh\necho 'fatal: no disk' >&2\necho 'hint: buy one' >&2\nexit 3\n",
    );
    scene.shell("chmod +x bin/git");
    let mut command = scene.hast_command(&["demo", "--dir", "../no"]);
    let path = format!("{}/bin:{}", scene.root().display(), std::env::var("PATH").unwrap());
    let output = command.env("PATH", path).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("git init: fatal: no disk\n") && err.contains("hint: buy one"), "{err}");
    assert!(!err.contains("\\n"), "{err}");
}

#[test]
fn looking_back_reads_every_line_that_the_demo_wrote() {
    let scene = particular_user();
    let ran = scene.hast(&["demo", "--dir", "../looked-back"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = scene.hast(&["--root", "../looked-back", "events", "replay", "--write", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let lines = scene.read("../looked-back/.ai/events/events.ndjson").lines().count();
    assert_eq!((&told["events"], &told["unreadable"]), (&lines.into(), &0.into()), "{told}");
    let refs = ["-C", "../looked-back", "for-each-ref", "--format=%(refname)"];
    let refs = scene.git(&[&refs[..], &["refs/hast/attempts/SHOP.5"]].concat());
    let views = scene.read("../looked-back/.ai/state/goal_views.json");
    let views: serde_json::Value = serde_json::from_str(&views).unwrap();
    let saved = views["goals"]["SHOP.5"]["saved"].as_str().unwrap();
    assert_eq!(refs.lines().last(), Some(saved), "{refs}");
}

#[test]
fn a_demo_finds_its_place_by_a_relative_directory_and_is_quiet_where_that_is_asked() {
    let scene = Scene::new(WORK);
    scene.write("tmp/there", "");
    let mut command = scene.hast_command(&["demo", "-q"]);
    let output = command.env("TMPDIR", "tmp").output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(!err.contains("only a script"), "{err}");
    assert!(scene.shell_out("ls tmp").contains("hast-demo-"), "it is where it was asked for");
}

#[test]
fn a_demo_that_was_interrupted_says_that_the_next_one_begins_anew() {
    let scene = Scene::new(WORK);
    let mut command = scene.hast_command(&["demo", "--dir", "../cut"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    scene.wait_for("../cut/.ai/events/events.ndjson");
    scene.interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("begins anew") && !err.contains("the same command again"), "{err}");
}

#[test]
fn the_built_in_agent_plays_the_goals_demo_with_a_model_that_knows_only_its_prompt() {
    let scene = particular_user();
    for lang in ["en", "ko"] {
        let place = format!("../builtin-{lang}");
        let ran =
            scene.hast(&["demo", "--agent", "builtin", "--dir", &place, "--json", "--lang", lang]);
        assert_eq!(ran.code, 0, "{lang}: {ran:?}");
        let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let ended: Vec<(&str, &str)> = told["attempts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["goal_id"].as_str().unwrap(), one["code"].as_str().unwrap()))
            .collect();
        // What the rehearsal of the same demo comes to.
        let expected = [
            ("SHOP.2", "red_as_wanted"),
            ("SHOP.3", "all_good"),
            ("SHOP.4", "tests_red"),
            ("SHOP.4", "all_good"),
            ("SHOP.5", "nothing_changed"),
            ("SHOP.5", "outside_scope"),
            ("SHOP.5", "protected_path"),
        ];
        assert_eq!(ended, expected, "{lang}");
        assert!(told["usage"]["SHOP.3"]["input_tokens"].as_u64().unwrap() > 1_000, "{told}");
    }
    let other = scene.hast(&["demo", "kernel", "--agent", "builtin", "--dir", "../no"]);
    assert_eq!(other.code, 2, "{other:?}");
}
