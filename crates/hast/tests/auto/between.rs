//! An attempt or goal leaves nothing unjudged to the next: no report that did not pass, and no file
//! that no gate has judged. A report that says blocked goes on to the next session.

use crate::scene::{Scene, WORK};

const TWO: &str = "goals:
  - {id: M1, title: one, status: active, notes: see README, allowed_changes: [src/]}
  - {id: M2, title: two, status: active, allowed_changes: [src/]}
";
const ONCE: &str = "sandbox: off\nmax_retries: 1\n";
/// Red work with a report that calls it finished. What the agent is asked is kept beside the project.
const LIE: &str = "      - run: cp {{prompt_file}} ../prompt
      - delete: src/a.txt
      - handoff: {status: complete, done: [password check written], next: M1 is finished}
";

fn prompt(scene: &Scene) -> String {
    scene.read_in_room("../prompt")
}

#[test]
fn what_a_rejected_handoff_says_is_told_to_nobody() {
    let scene = Scene::with(TWO, &format!("  - do:\n{LIE}"), ONCE);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.verdicts()), (1, vec!["failed tests_red".to_owned()]), "{ran:?}");
    assert!(scene.has("src/a.txt"), "nothing of it is in the checkout");
    assert_eq!(scene.shell_out("ls .ai/handoffs"), "");
    let kept = scene.git(&["ls-tree", "-r", "--name-only", "refs/hast/attempts/M1/1"]);
    assert!(kept.contains(".ai/handoffs/"), "the ref has the report: {kept}");
    assert!(!scene.hast(&["context"]).out.contains("finished"));
    for args in [&["retry", "M1"][..], &["auto", "M2"]] {
        scene.hast(args);
        let prompt = prompt(&scene);
        assert!(!prompt.contains("finished") && !prompt.contains("written"), "{args:?} {prompt}");
    }
}

#[test]
fn a_handoff_without_work_does_not_speak_for_its_goal() {
    let handoff = "      - handoff: {status: complete, done: [all], next: M1 is finished}\n";
    let scene = Scene::with(TWO, &format!("  - do:\n{handoff}"), ONCE);
    assert_eq!(scene.hast(&["auto", "M1"]).code, 1);
    assert_eq!(scene.verdicts(), ["no-progress nothing_changed"]);
    assert_eq!(scene.shell_out("ls .ai/handoffs"), "");
}

#[test]
fn what_a_blocked_agent_reports_is_there_for_the_person_and_the_next_session() {
    let blocked = "  - when: {missing: ../go}
    do:
      - write: {path: src/half.txt, text: half}
      - handoff: {status: blocked, done: [half], next: which key do you want?}
  - do:
      - run: cp {{prompt_file}} ../prompt
";
    let scene = Scene::with(TWO, &format!("{blocked}{WORK}"), ONCE);
    assert_eq!(scene.hast(&["auto", "M1"]).code, 1);
    assert!(scene.hast(&["context", "--goal", "M1"]).out.contains("which key"));
    scene.agent(&format!("      - run: cp {{{{prompt_file}}}} ../prompt\n{WORK}"));
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(prompt(&scene).contains("which key"), "the next session reads it: {}", prompt(&scene));
}

#[test]
fn what_a_dead_attempt_reported_is_not_the_last_session() {
    let replies = format!(
        "  - when: {{missing: ../go}}
    do:
      - write: {{path: src/half.txt, text: half}}
      - handoff: {{status: complete, done: [all], next: M1 is finished}}
      - write: {{path: ../working, text: x}}
      - hang: {{}}
  - do:
      - run: cp {{{{prompt_file}}}} ../prompt
{WORK}"
    );
    let scene = Scene::with(TWO, &replies, ONCE);
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("../working");
    child.kill().unwrap();
    child.wait().unwrap();
    scene.agent(&format!("      - run: cp {{{{prompt_file}}}} ../prompt\n{WORK}"));
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!prompt(&scene).contains("finished"), "{}", prompt(&scene));
}

#[test]
fn what_tests_write_after_the_judge_looked_does_not_count_for_the_next_goal() {
    // The first goal's program weakens a test when the judge runs it; the second goal breaks what the test
    // is for.
    let replies = "  - when: {unit: M1}
    do:
      - write: {path: src/prog.sh, text: \"echo true > tests/check.sh; echo x > conftest.sh\\n\"}
      - handoff: {status: complete, done: [one], next: nothing}
  - do:
      - delete: src/a.txt
      - handoff: {status: complete, done: [two], next: nothing}
";
    let scene = Scene::with(TWO, replies, ONCE);
    let check = "test -f src/a.txt || exit 1\ntest ! -f src/prog.sh || sh src/prog.sh\n";
    scene.write("tests/check.sh", check);
    scene.git(&["commit", "-qam", "tests"]);
    let ran = scene.hast(&["auto", "--recursive"]);
    assert_eq!(scene.verdicts(), ["complete all_good", "failed tests_red"], "{ran:?}");
    assert_eq!((ran.code, scene.read("tests/check.sh").as_str()), (1, check));
    assert!(!scene.has("conftest.sh"));
}

#[test]
fn the_code_of_a_goal_that_passed_is_not_run_again_before_the_next_start_is_recorded() {
    let replies = "  - do:
      - write: {path: \"src/{{goal_id}}\", text: b}
      - handoff: {status: complete, done: [b], next: nothing}
";
    let scene = Scene::with(TWO, replies, ONCE);
    scene.write("tests/check.sh", "echo run >> runs.log\n");
    scene.git(&["commit", "-qam", "tests"]);
    let ran = scene.hast(&["auto", "--recursive"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // On the base of the first goal; the judged run of the first is the base's of the second.
    assert_eq!(scene.told("BASE_TESTED").len(), 1);
}

#[test]
fn a_goal_with_tests_of_its_own_has_them_run_on_its_base() {
    let goals = TWO.replace("title: two,", "title: two, test_command: sh tests/other_test.sh,");
    let replies = "  - do:
      - write: {path: \"src/{{goal_id}}\", text: b}
      - handoff: {status: complete, done: [b], next: nothing}
";
    let scene = Scene::with(&goals, replies, ONCE);
    assert_eq!(scene.hast(&["auto", "--recursive"]).code, 0);
    assert_eq!(scene.told("BASE_TESTED").len(), 2);
}
