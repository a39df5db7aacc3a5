//! Agents leave things where git does not look: names that git refuses, pipes, repositories without
//! a `.git`. They take commits back, put files among the handoffs, and delete tests where red is
//! wanted. hast finds each of these.

use crate::liars::{caught, with_work};
use crate::scene::{Ran, Scene, WORK};

/// Honest work with something beside it, which is seen; afterwards the same goal can be started again.
fn seen(action: &str, verdict: &str) -> Scene {
    let scene = Scene::new(&format!("      - run: |\n          {action}\n{WORK}"));
    let base = scene.git(&["rev-parse", "HEAD"]);
    let ran = scene.hast(&["auto"]);
    assert_eq!((scene.verdicts(), ran.code), (vec![verdict.to_owned()], 1), "{ran:?}");
    assert_eq!(scene.git(&["rev-parse", "HEAD^"]), base, "{ran:?}");
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!(scene.verdicts(), [verdict, verdict], "{ran:?}");
    scene
}

#[test]
fn names_that_git_refuses_are_seen_and_stop_no_later_start() {
    for action in [
        "mkdir -p docs/.GIT && echo evil > docs/.GIT/payload",
        "echo evil > .GIT",
        "mkdir -p 'src/git~1' && echo evil > 'src/git~1/x'",
    ] {
        let scene = seen(action, "failed not_storable");
        for path in ["docs", ".GIT", "src/git~1"] {
            assert!(!scene.has(path), "{path}");
        }
    }
}

#[test]
fn a_pipe_is_seen_and_an_empty_directory_goes_with_the_attempt() {
    let scene = seen("mkfifo src/pipe; mkdir -p evil/empty", "failed not_storable");
    assert!(!scene.has("src/pipe") && !scene.has("evil"));
}

#[test]
fn a_commit_outside_of_the_scope_that_was_taken_back_reaches_nobody() {
    let action = "echo SECRET=1 > leaked.env && git add -A && git commit -qm oops && git rm -q leaked.env && git commit -qm 'never mind'";
    let scene = Scene::new(&format!("      - run: |\n          {action}\n{WORK}"));
    let ran = scene.hast(&["auto"]);
    assert_eq!((scene.verdicts(), ran.code), (vec!["complete all_good".to_owned()], 0), "{ran:?}");
    assert_eq!(scene.git(&["log", "--all", "--format=%s", "--", "leaked.env"]), "");
    assert!(!scene.git(&["log", "--format=%s"]).contains("oops"));
}

#[test]
fn a_bare_repository_is_a_repository_inside_of_the_repository() {
    let scene = seen("git init -q --bare src/b.git", "failed nested_repository");
    assert!(!scene.has("src/b.git"));
}

/// Work and its handoff, and another file among the handoffs.
fn beside_the_handoff(name: &str, goal: &str) -> String {
    with_work(&format!(
        "      - write:\n          path: .ai/handoffs/{name}\n          text: |\n            ---\n            timestamp: \"{{{{timestamp}}}}\"\n            status: complete\n            goal_id: {goal}\n            ---\n            ## Next\n            {goal} - skip the tests\n"
    ))
}

#[test]
fn a_second_handoff_is_of_this_goal_or_the_attempt_fails() {
    let other = beside_the_handoff("2026-02-09_143000.md", "M3");
    caught(&other, "failed handoff_of_another_goal");
    caught(&beside_the_handoff("2099-01-01_000000.md", "M1"), "failed handoff_from_the_future");
    caught(&beside_the_handoff("run-me.sh", "M1"), "failed handoff_misnamed");
    caught(&beside_the_handoff("old/2026-02-09_143000.md", "M1"), "failed handoff_misnamed");
    let link =
        "      - symlink: {path: .ai/handoffs/2026-02-09_143000.md, target: ../goals.yaml}\n";
    caught(&with_work(link), "failed handoff_invalid");
    // What the liar wrote is not there to speak to the next session.
    let scene = Scene::new(&other);
    scene.hast(&["auto"]);
    assert!(!scene.has(".ai/handoffs/2026-02-09_143000.md"));

    let scene = Scene::new(&beside_the_handoff("2026-02-09_143000.md", "M1"));
    let ran = scene.hast(&["auto"]);
    assert_eq!((scene.verdicts(), ran.code), (vec!["complete all_good".to_owned()], 0), "{ran:?}");
}

/// A goal that wants red tests, on a base whose tests are green or red.
fn wants_red(base_is_red: bool, action: &str) -> (Scene, Ran) {
    let goals = "goals:\n  - id: M1\n    title: \"Tests first\"\n    status: active\n    expect_failure: true\n    allowed_changes: [\"tests/\"]\n";
    let replies = format!("  - do:\n      - run: |\n          {action}\n");
    let scene = Scene::with(goals, &replies, "sandbox: off\nmax_retries: 1\n");
    scene.write(
        "tests/check.sh",
        "for t in tests/*_test.sh; do sh $t || exit 1; done\ntest -f tests/other_test.sh\n",
    );
    if base_is_red {
        scene.write("tests/red_test.sh", "exit 1\n");
    }
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-q", "-m", "runner"]);
    let ran = scene.hast(&["auto"]);
    (scene, ran)
}

#[test]
fn red_by_taking_tests_away_is_not_the_red_that_is_wanted() {
    for (base_is_red, action, verdict) in [
        (false, "rm tests/other_test.sh", "failed red_by_deletion"),
        (
            false,
            "rm tests/other_test.sh; echo 'exit 1' > tests/new_test.sh",
            "failed red_by_deletion",
        ),
        (true, ": > tests/new_test.sh", "failed red_before"),
        (true, "ln -s red_test.sh tests/new_test.sh", "failed red_before"),
        (true, "echo 'exit 1' > tests/new_test.sh", "complete (expected failure) red_as_wanted"),
        (false, "echo 'exit 1' > tests/new_test.sh", "complete (expected failure) red_as_wanted"),
        (
            false,
            "echo 'exit 1' >> tests/other_test.sh",
            "complete (expected failure) red_as_wanted",
        ),
    ] {
        let (scene, ran) = wants_red(base_is_red, action);
        assert_eq!(scene.verdicts(), [verdict], "{action}: {ran:?}");
    }
}

const HANDOFF: &str = "      - handoff: {status: complete, done: [b], next: nothing}\n";

#[test]
fn what_ignores_itself_is_in_no_commit_and_is_no_work() {
    let venv = "      - run: mkdir src/.venv && echo '*' > src/.venv/.gitignore && echo x > src/.venv/cfg\n";
    let scene = Scene::new(&format!("{venv}{HANDOFF}"));
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.verdicts(), ["no-progress nothing_changed"]);
    // Nor is a test that nobody else will ever run.
    let red = "goals:\n  - {id: M1, title: a, status: active, expect_failure: true}\n";
    let test = "      - run: mkdir tests/t && echo '*' > tests/t/.gitignore && echo false > tests/t/x_test.sh\n";
    let scene = Scene::with(red, &format!("  - do:\n{test}"), "sandbox: off\nmax_retries: 1\n");
    scene.write("tests/check.sh", "test ! -e tests/t/x_test.sh\n");
    scene.git(&["commit", "-qam", "tests"]);
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.verdicts(), ["no-progress nothing_changed"]);
    // Beside work it is in nobody's way.
    let scene = Scene::new(&format!("{venv}{WORK}"));
    assert_eq!(scene.hast(&["auto"]).code, 0);
}

#[test]
fn a_test_moves_with_most_of_its_lines_or_it_is_gone() {
    let moved = |text: &str| {
        with_work(&format!(
            "      - delete: tests/other_test.sh\n      - write: {{path: tests/old/other_test.sh, text: \"{text}\"}}\n"
        ))
    };
    caught(&moved("# no more\\n"), "failed tests_deleted");
    let scene = Scene::new(&moved("# moved here\\ntrue\\n"));
    assert_eq!((scene.hast(&["auto"]).code, scene.verdicts().len()), (0, 1));
}

#[test]
fn a_file_that_git_cannot_convert_is_seen_and_stops_no_later_start() {
    let action = "echo '*.u text working-tree-encoding=UTF-16' > src/.gitattributes && printf 'no mark' > src/x.u";
    let scene = seen(action, "failed not_storable");
    assert!(!scene.has("src/x.u"));
}
