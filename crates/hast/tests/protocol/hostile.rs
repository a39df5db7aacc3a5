//! Results of workers who lie, and packets that are none.

use serde_json::{Value, json};

use crate::scene::Scene;

/// A patch with a new file of this mode, path and only line.
fn adds(path: &str, mode: &str, line: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nnew file mode {mode}\nindex 0000000..1111111\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n"
    )
}

fn link(path: &str, target: &str) -> String {
    adds(path, "120000", target) + "\\ No newline at end of file\n"
}

/// The answer to a patch for M1, which may change `src/`, and what is there afterwards.
fn judged(scene: &Scene, patch: &str) -> Value {
    let task = scene.export("M1");
    let (head, files) = (scene.git(&["rev-parse", "HEAD"]), scene.git(&["status", "--porcelain"]));
    let (code, answer) = scene.answer(&scene.result(&task, patch));
    assert_eq!((code, &answer["outcome"]), (1, &json!("failed")), "{patch}: {answer}");
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head, "{patch}");
    assert_eq!(scene.git(&["status", "--porcelain"]), files, "{patch}");
    assert_eq!(scene.status_of("M1"), "active");
    scene.nothing_is_left();
    answer
}

#[test]
fn a_patch_outside_its_scope_fails_whole() {
    let scene = Scene::with("max_retries: 9\n", "true\n");
    let patch = scene.patch(&[("src/b.txt", "b\n"), ("other/c.txt", "c\n")]);
    let answer = judged(&scene, &patch);
    assert_eq!(answer["code"], "outside_scope", "{answer}");
    assert!(!scene.has("src/b.txt") && !scene.has("other"));
    let inbox = scene.hast(&["inbox", "list"]);
    assert!(inbox.out.contains("scope_violation"), "{inbox:?}");
}

#[test]
fn a_patch_to_what_is_protected_fails_whatever_is_allowed() {
    let scene = Scene::with("max_retries: 9\nprotect: [\"src/keep.txt\"]\n", "true\n");
    for path in [".ai/config.yaml", ".ai/goals.yaml", ".ai/rules.md", "src/keep.txt"] {
        let before = scene.read(path);
        let answer = judged(&scene, &scene.patch(&[(path, "evil\n"), ("src/b.txt", "b\n")]));
        assert_eq!(answer["code"], "protected_path", "{path}: {answer}");
        assert_eq!(scene.read(path), before, "{path}");
    }
}

#[test]
fn a_patch_cannot_leave_the_tree() {
    let scene = Scene::with("max_retries: 99\n", "true\n");
    let hooks = scene.names(".git/hooks");
    let config = scene.read(".git/config");
    let beyond = link("src/out", "../..") + &adds("src/out/x.txt", "100644", "evil");
    for patch in [
        adds("../evil.txt", "100644", "evil"),
        adds("src/../../evil.txt", "100644", "evil"),
        adds("/tmp/hast-evil.txt", "100644", "evil"),
        adds(".git/hooks/pre-commit", "100755", "evil"),
        adds("src/.git/config", "100644", "evil"),
        adds(".GIT/config", "100644", "evil"),
        adds("src/git~1/config", "100644", "evil"),
        link("src/link", "/etc/passwd"),
        link("src/link", "../../../home"),
        beyond,
        adds("src/module", "160000", &format!("Subproject commit {}", "a".repeat(40))),
    ] {
        let answer = judged(&scene, &patch);
        let code = answer["code"].as_str().unwrap();
        let codes = ["agent_failed", "symlink_leaves"];
        assert!(codes.contains(&code), "{answer}");
    }
    assert!(!scene.exists("../evil.txt") && !scene.exists("/tmp/hast-evil.txt"));
    assert_eq!((scene.names(".git/hooks"), scene.read(".git/config")), (hooks, config));
}

#[test]
fn a_patch_that_does_not_apply_changes_nothing() {
    let scene = Scene::with("max_retries: 9\n", "true\n");
    let patch = scene.patch(&[("src/a.txt", "x\nb\nc\n"), ("src/b.txt", "b\n")]);
    let answer = judged(&scene, &patch.replace("-a\n", "-something else\n"));
    assert_eq!(answer["code"], "agent_failed", "{answer}");
    assert!(answer["reason"].as_str().unwrap().contains("src/a.txt"), "{answer}");
    assert!(!scene.has("src/b.txt"));
}

#[test]
fn binary_files_come_whole_or_not_at_all() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let patch = scene.patch(&[("src/picture.bin", "\0\u{1}\u{2}binary\0")]);
    assert!(patch.contains("GIT binary patch"), "{patch}");
    let result = scene.result(&task, &patch);
    let delta = scene.result(&task, &patch.replacen("literal ", "delta ", 1));
    assert_eq!(scene.refused(&delta), "bad_patch");
    let (_, answer) = scene.answer(&delta);
    let next = answer["problem"]["next"].as_str().unwrap();
    assert!(next.contains("`branch`") && !next.contains("git diff"), "{next}");
    // Git reads a number as far as it is one.
    for size in ["delta 19x", "delta +19", "literal 19x", "literal -1"] {
        let odd = patch.replacen("literal 10", size, 1);
        assert_ne!(odd, patch);
        assert_eq!(scene.refused(&scene.result(&task, &odd)), "bad_patch", "{size}");
    }
    let bomb = "diff --git a/src/x b/src/x\nGIT binary patch\nliteral 99999999999\n";
    assert_eq!(scene.refused(&scene.result(&task, bomb)), "bad_patch");
    let ran = scene.ingest(&result);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.read("src/picture.bin"), "\0\u{1}\u{2}binary\0");
}

#[test]
fn a_patch_that_is_too_much_is_refused_before_it_is_read() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let huge = adds("src/b.txt", "100644", &"x".repeat(17 << 20));
    assert_eq!(scene.refused(&scene.result(&task, &huge)), "bad_patch");
    assert_eq!(scene.refused(&scene.result(&task, "no patch at all\n")), "bad_patch");
}

#[test]
fn a_branch_that_is_not_what_it_says_does_not_pass() {
    let scene = Scene::with("max_retries: 99\n", "true\n");
    let branch = scene.branch("worker/M1", &[("src/b.txt", "b\n")]);
    let other = scene.git(&["rev-parse", "HEAD"]);
    scene.git(&["checkout", "-q", "--orphan", "alone"]);
    scene.git(&["commit", "-q", "-m", "no history"]);
    let alone = scene.git(&["rev-parse", "HEAD"]);
    scene.git(&["checkout", "-q", "main"]);
    for wrong in [
        json!({"name": "worker/M1", "commit": other}),
        json!({"name": "nobody", "commit": branch["commit"]}),
        json!({"name": "alone", "commit": alone}),
        json!({"name": "HEAD", "commit": other}),
        json!({"name": "../../x", "commit": other}),
    ] {
        let task = scene.export("M1");
        let mut result = scene.result(&task, "");
        result.as_object_mut().unwrap().remove("patch");
        result["branch"] = wrong.clone();
        let (code, answer) = scene.answer(&result);
        assert_eq!((code, &answer["code"]), (1, &json!("agent_failed")), "{wrong}: {answer}");
        scene.nothing_is_left();
    }
}

#[test]
fn a_packet_that_breaks_its_schema_is_shown_with_its_line() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let mut result = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")]));
    result["goal_status"] = json!("done");
    let before = scene.state();
    scene.write("../result.json", serde_json::to_string_pretty(&result).unwrap());
    let ran = scene.hast(&["protocol", "ingest", "../result.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("goal_status") && ran.err.contains("result.json:9:3"), "{}", ran.err);
    for text in ["", "{", "[]", "null", "\u{0}"] {
        scene.write("../result.json", text);
        let ran = scene.hast(&["protocol", "ingest", "../result.json"]);
        assert_eq!(ran.code, 1, "{text:?}: {ran:?}");
    }
    let ran = scene.hast(&["protocol", "ingest", "../nowhere.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.state(), before);
}

#[test]
fn tests_of_a_repository_that_nobody_approved_are_not_run() {
    let scene = Scene::with("", "touch ../ran\n");
    let task = scene.export("M1");
    scene.deliver(&scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")])));
    let mut command = scene.hast_command(&["protocol", "ingest", "../result.json"]);
    let output = command.env_remove("HAST_TRUST").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(scene.events("PACKET_RECEIVED"), 0);
    assert!(!scene.exists("../ran"));
}
