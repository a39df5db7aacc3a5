//! Green means that tests ran, by the real binary: a runner of the repository, in the shell, that prints TAP.

use crate::scene::{Ran, Scene};

/// Runs every test that it finds, a line each.
const RUNNER: &str = "n=0; bad=0
for t in tests/*_test.sh; do
  n=$((n + 1))
  if sh $t; then echo \"ok $n - $t\"; else echo \"not ok $n - $t\"; bad=1; fi
done
echo 1..$n
exit $bad
";
const GOAL: &str = "goals:
  - id: M1
    title: \"The work\"
    status: active
    allowed_changes: [\"src/\", \"tests/\"]
";
const HANDOFF: &str = "      - handoff: {status: complete, done: [b], next: nothing}\n";
const WRITE: &str = "      - write: {path: src/b.txt, text: \"b\\n\"}\n";

/// A repository with three tests, and an agent that does this before it leaves its handoff.
fn scene_of(goals: &str, actions: &str, config: &str) -> Scene {
    let replies = format!("  - do:\n{WRITE}{actions}{HANDOFF}");
    let scene = Scene::with(goals, &replies, &format!("max_retries: 1\n{config}"));
    scene.write("tests/check.sh", RUNNER);
    scene.write("tests/a_test.sh", "test -f src/a.txt\n");
    scene.write("tests/b_test.sh", "test -d src\n");
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "three tests"]);
    scene
}

fn run(scene: &Scene, args: &[&str]) -> Ran {
    scene.hast(args)
}

fn judged(actions: &str, verdict: &str, reason: &str) {
    let scene = scene_of(GOAL, actions, "");
    let ran = run(&scene, &["auto"]);
    assert_eq!(scene.verdicts(), [verdict], "{actions}: {ran:?}");
    assert!(ran.out.contains(reason), "{actions}: {ran:?}");
}

/// An action of the agent: a command.
fn does(command: &str) -> String {
    format!("      - run: {}\n", serde_json::to_string(command).unwrap())
}

/// The runner is another one by now.
fn runs(runner: &str) -> String {
    let text = serde_json::to_string(runner).unwrap();
    format!("      - write: {{path: tests/check.sh, text: {text}}}\n")
}

#[test]
fn ways_to_be_green_without_passing_fail() {
    let skips = RUNNER
        .replace("  if sh", "  case $t in *b_*) echo \"ok $n # SKIP\"; continue;; esac\n  if sh");
    let quiet = RUNNER.replace("exit $bad", "exit 0");
    for (actions, verdict, reason) in [
        (
            does("git mv tests/a_test.sh tests/a.sh"),
            "failed fewer_tests",
            "fewer tests ran (3 -> 2)",
        ),
        (runs(&skips), "failed fewer_tests", "fewer tests ran (3 -> 2)"),
        (runs("exit 0\n"), "failed tests_without_result", "the test run ended without its result"),
        (
            runs(&quiet) + &does("rm src/a.txt"),
            "failed tests_failed_quietly",
            "1 tests failed although the test command ended with exit code 0",
        ),
        (
            runs(&format!("trap 'exit 0' TERM\n{RUNNER}"))
                + &does("echo 'kill $PPID; sleep 1' >> tests/b_test.sh"),
            "failed fewer_tests",
            "fewer tests ran (3 -> 1)",
        ),
    ] {
        judged(&actions, verdict, reason);
    }
}

/// Tells nothing on the screen and everything in a JUnit report, as the runners of Java do.
const REPORTING: &str = "cases=
for t in tests/*_test.sh; do
  if sh $t; then end=/; else end='><failure/></testcase'; fi
  cases=\"$cases<testcase name='$t'$end>\"
done
mkdir -p out
echo \"<testsuite>$cases</testsuite>\" > out/report.xml
echo BUILD DONE
";

#[test]
fn a_junit_report_counts_for_more_than_the_screen_and_the_exit_code() {
    let more = "      - write: {path: tests/c_test.sh, text: \"true\\n\"}\n".to_owned();
    let printed = "echo 'OK (3 tests, 3 assertions)'\n";
    for (actions, verdict, reason) in [
        (more, "complete all_good", "tests/c_test.sh +1 -0"),
        (does("git mv tests/a_test.sh tests/d_test.sh"), "complete all_good", "tests"),
        (does("rm src/a.txt"), "failed tests_failed_quietly", "1 tests failed although"),
        (runs(&REPORTING.replace("/*_", "/a_")), "failed fewer_tests", "fewer tests ran (3 -> 1)"),
        (
            runs(&REPORTING.replace("sh $t", "true").replace("/*_", "/[ab]_")),
            "failed fewer_tests",
            "fewer tests ran (3 -> 2)",
        ),
        (
            runs(&format!("{}{printed}", REPORTING.replace("echo \"<", "true \"<"))),
            "failed tests_without_result",
            "the test run ended without its result",
        ),
        (
            runs(&format!("{REPORTING}{printed}")) + &does("rm src/a.txt"),
            "failed tests_failed_quietly",
            "1 tests failed although",
        ),
    ] {
        let scene = scene_of(GOAL, &actions, "");
        scene.write("tests/check.sh", REPORTING);
        scene.git(&["commit", "-qam", "tests that report"]);
        let ran = run(&scene, &["auto"]);
        assert_eq!(scene.verdicts(), [verdict], "{actions}: {ran:?}");
        assert!(ran.out.contains(reason), "{actions}: {ran:?}");
    }
}

#[test]
fn honest_changes_of_tests_pass_and_are_named() {
    for (actions, told) in [
        (
            &"      - write: {path: tests/c_test.sh, text: \"true\\n\"}\n".to_owned(),
            "changed tests: tests/c_test.sh +1 -0",
        ),
        (&does("git mv tests/a_test.sh tests/z_test.sh"), "changed tests: "),
        (&does("echo 'test -d tests' >> tests/a_test.sh"), "changed tests: tests/a_test.sh +1 -0"),
    ] {
        let scene = scene_of(GOAL, actions, "");
        let ran = run(&scene, &["auto"]);
        assert_eq!(scene.verdicts(), ["complete all_good"], "{actions}: {ran:?}");
        assert!(ran.out.contains(told), "{actions}: {ran:?}");
    }
}

#[test]
fn tests_go_where_the_goal_says_so() {
    let gone = "      - delete: tests/b_test.sh\n";
    let noted = format!("{GOAL}    notes: \"tests/b_test.sh goes with it\"\n");
    let allowed = format!("{GOAL}    fewer_tests: true\n");
    for goals in [&noted, &allowed] {
        let scene = scene_of(goals, gone, "");
        let ran = run(&scene, &["auto"]);
        assert_eq!(scene.verdicts(), ["complete all_good"], "{goals}: {ran:?}");
    }
    judged(gone, "failed tests_deleted", "a test file is gone");
}

#[test]
fn removed_tests_that_are_listed_wait_for_a_persons_word_and_are_only_judged_again() {
    let list = does("printf '\\n## Removed Tests\\n- tests/b_test.sh\\n' >> {{handoff_path}}");
    let gone = "      - delete: tests/b_test.sh\n";
    let replies = format!("  - when: {{attempt: 1}}\n    do:\n{WRITE}{gone}{HANDOFF}{list}");
    let scene = Scene::with(GOAL, &replies, "max_retries: 3\n");
    scene.write("tests/check.sh", RUNNER);
    scene.write("tests/b_test.sh", "test -d src\n");
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "two tests"]);
    let ran = run(&scene, &["auto"]);
    assert_eq!(scene.verdicts(), ["blocked tests_removed"], "{ran:?}");
    assert_eq!(scene.status(), "blocked");
    let next = "hast retry M1 --continue --fewer-tests";
    assert!(ran.err.contains(next), "{ran:?}");
    let inbox = run(&scene, &["inbox", "list"]);
    assert!(inbox.out.contains("tests/b_test.sh"), "{inbox:?}");
    // The rehearsal has nothing to say to a second call.
    let ran = run(&scene, &["retry", "M1", "--continue", "--fewer-tests"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.verdicts().last().unwrap(), "complete all_good");
    assert!(!scene.has("tests/b_test.sh") && scene.has("src/b.txt"));
    assert_eq!(scene.told("ATTEMPT_STARTED").len(), 2);
    let usage = run(&scene, &["retry", "M1", "--fewer-tests"]);
    assert_eq!(usage.code, 2, "{usage:?}");
}

#[test]
fn a_secret_in_a_file_fails_the_attempt_and_is_in_nothing_that_is_kept() {
    const VALUE: &str = "hunter2-hunter2-hunter2";
    let actions =
        does("echo \"key = $DEMO_TOKEN\" > src/key.txt; git add -A src; git commit -qm key");
    let scene = scene_of(GOAL, &actions, "env: [DEMO_TOKEN]\n");
    let mut command = scene.hast_command(&["auto"]);
    let ran = command.env("DEMO_TOKEN", VALUE).output().unwrap();
    let out = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(scene.verdicts(), ["failed secret_written"], "{ran:?}");
    assert!(out.contains("the value of DEMO_TOKEN stands in src/key.txt"), "{out}");
    let kept = scene.git(&["show", "refs/hast/attempts/M1/1:src/key.txt"]);
    assert_eq!(kept, "key = [DEMO_TOKEN redacted]");
    let on_refs = scene.shell_out("git log --all -p --text | grep -c hunter2 || true");
    assert_eq!(on_refs.trim(), "0");
    let in_files = scene.shell_out("grep -rl hunter2 .ai || true");
    assert_eq!(in_files.trim(), "");
}
