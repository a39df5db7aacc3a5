//! Honest agents of many shapes. All of them end as done.

use crate::scene::{Scene, WORK};

/// The agent does this, in its sandbox; it must be done, with its work committed.
fn done(actions: &str) -> Scene {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n    allowed_changes: [\"src/\", \"tests/\"]\n";
    let scene = Scene::with(goals, &format!("  - do:\n{actions}"), "max_retries: 1\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.status(), "done");
    assert_eq!(scene.git(&["status", "--porcelain"]), "", "everything is committed");
    assert_eq!(scene.read("user.log"), "mine\n");
    assert!(scene.left_running().is_empty(), "{:?}", scene.left_running());
    scene
}

#[test]
fn nothing_committed() {
    let scene = done(WORK);
    let message = scene.git(&["log", "-1", "--format=%B", "HEAD^"]);
    assert_eq!(message, "feat(M1): The work\n\nHast-Goal: M1\nHast-Attempt: 1");
    assert_eq!(scene.git(&["log", "-1", "--format=%an", "HEAD^"]), "User");
}

#[test]
fn one_commit_and_many() {
    for commits in [1, 5] {
        let all: String = (0..commits)
            .map(|n| {
                format!(
                    "      - run: echo {n} > src/{n}.txt && git add -A src && git commit -qm {n}\n"
                )
            })
            .collect();
        let scene = done(&format!("{all}      - handoff: {{status: complete}}\n"));
        assert!(scene.has("src/0.txt"));
    }
}

#[test]
fn korean_and_spaced_names() {
    let scene = done(
        "      - write: {path: \"src/한글 이름 \\\"q\\\".txt\", text: 가}\n      - handoff: {status: complete, done: [가]}\n",
    );
    assert!(scene.has("src/한글 이름 \"q\".txt"));
}

#[test]
fn exit_code_1_after_finished_work() {
    done(&format!("{WORK}      - exit: 1\n"));
}

#[test]
fn very_noisy() {
    done(&format!("      - flood: 3000000\n{WORK}"));
}

#[test]
fn a_background_process_that_would_edit_later_is_gone() {
    let scene = done(&format!(
        "      - spawn: {{ignore_term: true, do: [{{sleep: 30}}, {{write: {{path: src/late.txt, text: late}}}}]}}\n{WORK}"
    ));
    assert!(!scene.has("src/late.txt"));
}

#[test]
fn wrong_at_first_and_told_what_was_red() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!(
        "  - when: {{attempt: 1}}\n    do:\n      - delete: src/a.txt\n{WORK}  - do:\n      - expect: {{prompt: \"FAIL a.txt\", exists: src/a.txt}}\n{WORK}"
    );
    let scene = Scene::with(goals, &replies, "");
    let ran = scene.hast(&["auto", "--explain"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.verdicts(), ["failed tests_red", "complete all_good"]);
    assert!(ran.err.contains("[M1] attempt=1 failed: "), "{ran:?}");
    assert!(scene.has("src/a.txt"));
}

#[test]
fn a_file_that_was_ignored_and_is_part_of_the_work_is_in_the_commit() {
    let check = "test -e src/want || exit 0; test -f src/dist/bundle.js || exit 1\n";
    let goals = "goals:\n  - {id: M1, title: bundle, status: active}\n";
    let unhide = "      - run: sed -i /dist/d .gitignore\n";
    let commit = "      - run: git add -f src .gitignore && git commit -qm bundle\n";
    for (unhide, commit) in [(unhide, ""), (unhide, commit), ("", commit)] {
        let actions = format!(
            "{unhide}      - write: {{path: src/want, text: x}}\n      - write: {{path: src/dist/bundle.js, text: x}}\n{commit}      - handoff: {{status: complete, done: [b], next: nothing}}\n"
        );
        let scene = Scene::with(goals, &format!("  - do:\n{actions}"), "max_retries: 1\n");
        scene.write(".gitignore", "*.log\n/src/dist/\n");
        scene.write("tests/check.sh", check);
        scene.git(&["commit", "-qam", "tests"]);
        let ran = scene.hast(&["auto"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let files = scene.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(files.contains("src/dist/bundle.js"), "{unhide}{commit}{files}");
    }
}

#[test]
fn where_git_ignores_handoffs_they_are_read_all_the_same() {
    for rule in [".ai/", "*.md", "/.ai/handoffs/"] {
        let scene = Scene::new(WORK);
        scene.write(".gitignore", &format!("*.log\n{rule}\n"));
        scene.git(&["commit", "-qam", "ignore"]);
        assert_eq!(scene.hast(&["auto", "--dry-run"]).err, "", "{rule}");
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{rule}: {ran:?}");
        assert_eq!(scene.verdicts(), ["complete all_good"], "{rule}");
        assert!(!scene.git(&["ls-files"]).contains("handoffs/"), "{rule}");
        let handoffs = scene.typed("ls .ai/handoffs").out;
        assert!(handoffs.contains(".md"), "{rule}: the next session reads it: {handoffs}");
    }
}

#[test]
fn a_virtual_environment_that_is_made_and_ignored_at_once() {
    let venv =
        "mkdir -p .venv/bin && ln -s /usr/bin/env .venv/bin/python && echo .venv/ >> .gitignore";
    let goals = "goals:\n  - {id: M1, title: a, status: active}\n";
    let scene = Scene::with(
        goals,
        &format!("  - do:\n      - run: {venv}\n{WORK}"),
        "sandbox: off\nmax_retries: 1\n",
    );
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts()), (0, vec!["complete all_good".to_owned()]), "{ran:?}");
    assert!(!scene.has(".venv"), "it is in the room");
}

#[test]
fn a_name_that_changes_its_case_where_git_was_told_that_case_does_not_count() {
    let goals = "goals:\n  - {id: M1, title: a, status: active}\n";
    let moved = "      - run: git mv README Readme && echo more >> Readme\n";
    let scene =
        Scene::with(goals, &format!("  - do:\n{moved}{WORK}"), "sandbox: off\nmax_retries: 1\n");
    scene.git(&["config", "core.ignorecase", "true"]);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts()), (0, vec!["complete all_good".to_owned()]), "{ran:?}");
    assert_eq!(scene.git(&["show", "HEAD:Readme"]), "read me\nmore");
    assert_eq!(scene.git(&["ls-tree", "--name-only", "HEAD", "README"]), "");
}

#[test]
fn handoffs_below_a_directory_that_git_leaves_out_are_refused_with_lines_that_help() {
    let scene = Scene::new(WORK);
    scene.write(".gitignore", "*.log\n.ai/\n");
    scene.git(&["commit", "-q", "-am", "ignored"]);
    let told = scene.hast(&["init"]).err;
    assert!(told.contains("git ignores .ai/handoffs/"), "{told}");
    // What was advised before: below an excluded directory git takes nothing in again.
    scene.write(".gitignore", "*.log\n.ai/\n!.ai/handoffs/\n");
    scene.git(&["commit", "-q", "-am", "in vain"]);
    let told = scene.hast(&["init"]).err;
    let (_, lines) = told.split_once("each on its own: ").unwrap_or_else(|| panic!("{told}"));
    let lines: Vec<&str> = lines.split('`').skip(1).step_by(2).collect();
    scene.write(".gitignore", &format!("*.log\n.ai/\n{}\n", lines.join("\n")));
    scene.git(&["commit", "-q", "-am", "as advised"]);
    assert_eq!(scene.hast(&["init"]).err, "");
}
