//! The way back, where something is in it: `undo`, `try`, `diff`, `log`, `take`, `retry` and `status` after a run
//! that went wrong, was killed, or passed where nobody expected it.

use crate::scene::{Scene, WORK, always, json, next};

fn done(goals: &str) -> Scene {
    let scene = Scene::new(&always(WORK));
    scene.set_goals(goals);
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    scene
}

/// The agent does this once and is not asked again.
fn blocked_by(actions: &str) -> Scene {
    let replies = format!("  - do:\n{actions}      - handoff: {{status: complete, done: [it]}}\n");
    let scene = Scene::new(&replies);
    scene.config(&replies, "max_retries: 1\n");
    scene.git(&["commit", "-qam", "settings"]);
    assert_eq!(scene.hast(&["goal", "add", "one", "--allow", "src/", "--id", "M1"]).code, 0);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "blocked"), "{ran:?}");
    scene
}

#[test]
fn undo_commits_the_status_with_the_work() {
    let scene = done("P:active\n  P.1:active\nM2:active");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    let ran = scene.hast(&["undo", "P.1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.git(&["status", "--porcelain"]), "", "{ran:?}");
    let changed = scene.git(&["show", "--format=%s", "--name-only", "HEAD"]);
    for part in ["revert(P.1): title of P.1", ".ai/goals.yaml", "src/P.1.txt"] {
        assert!(changed.contains(part), "{part}: {changed}");
    }
    scene.git(&["checkout", "-q", "."]);
    for (goal, status) in [("P.1", "active"), ("P", "active"), ("M2", "done")] {
        assert_eq!(scene.status_of(goal), status, "{goal}");
    }
    // Once is enough.
    let again = scene.hast(&["undo", "P.1"]);
    assert!(again.code == 1 && again.err.contains("no commit of hast's"), "{again:?}");
}

#[test]
fn undo_leaves_goals_that_the_user_has_edited_uncommitted_and_says_so() {
    let scene = done("M1:active");
    let goals = scene.goals().replace("title: title of M1", "title: \"title\\nof M1\"");
    scene.write(".ai/goals.yaml", goals + "# mine\n");
    let ran = scene.hast(&["undo", "M1"]);
    assert!(ran.code == 0 && ran.out.contains("not committed"), "{ran:?}");
    assert_eq!(scene.status_of("M1"), "active");
    assert!(!scene.git(&["show", "--name-only", "HEAD"]).contains("goals.yaml"));
    assert_eq!(scene.git(&["log", "-1", "--format=%s"]), "revert(M1): title of M1");
    assert!(scene.goals().ends_with("# mine\n") && !scene.has("src/M1.txt"));
}

#[test]
fn on_a_detached_head_the_run_and_undo_say_how_the_commits_are_kept() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:active");
    scene.git(&["commit", "-qam", "goals"]);
    scene.git(&["checkout", "-q", "--detach"]);
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let head = scene.git(&["rev-parse", "--short=12", "HEAD"]);
    assert!(ran.err.contains("HEAD is on no branch"), "{}", ran.err);
    let line = ran.out.lines().find(|line| line.contains("HEAD is on no branch")).unwrap();
    assert!(line.contains("git switch -c NAME"), "{line}");
    assert!(
        head.starts_with(&line.split("branch: ").nth(1).unwrap()[..12])
            || line.contains("is only there")
    );
    let ran = scene.hast(&["undo", "M1"]);
    assert!(ran.code == 0 && ran.out.contains("git switch -c NAME keeps it"), "{ran:?}");
    scene.git(&["switch", "-q", "-c", "NAME"]);
    assert!(scene.git(&["log", "--format=%s"]).contains("revert(M1)"));
}

#[test]
fn try_writes_nothing_beside_its_directory_and_fetches_what_a_partial_clone_lacks() {
    let scene = done("M1:active");
    scene.write("out.index", "mine\n");
    assert_eq!(scene.hast(&["try", "M1", "--dir", "out"]).code, 0);
    assert_eq!(scene.read("out.index"), "mine\n");
    assert!(scene.has("out/src/M1.txt"));
    let there = scene.hast(&["try", "M1", "--dir", "out.index"]);
    assert!(there.code == 2 && there.err.contains("something is there already"), "{there:?}");
    // The contents of a file are only at the place that the clone was made from.
    let lost = "git clone -q --bare . ../origin.git
        git -C ../origin.git config uploadpack.allowFilter true
        git -C ../origin.git config uploadpack.allowAnySHA1InWant true
        git remote add origin \"file://$PWD/../origin.git\"
        git config remote.origin.promisor true
        git config remote.origin.partialclonefilter blob:none
        git config extensions.partialClone origin
        blob=$(git rev-parse HEAD:src/a.txt)
        rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)
        ! GIT_NO_LAZY_FETCH=1 git cat-file -e $blob";
    let ran = scene.shell(lost);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = scene.hast(&["try", "M1", "--dir", "fetched"]);
    assert!(ran.code == 0 && scene.read("fetched/src/a.txt") == "a\n", "{ran:?}");
}

#[test]
fn a_diff_hides_no_line_whatever_a_file_holds() {
    let hide = "      - write: {path: src/b.txt, text: \"\\e[8mrm -rf everything\\n\"}\n      - append: {path: README, text: me}\n";
    let scene = blocked_by(hide);
    let diff = scene.hast(&["diff", "M1", "--color", "always"]);
    assert_eq!(diff.code, 0, "{diff:?}");
    assert!(!diff.out.contains("\u{1b}[8m"), "{:?}", diff.out);
    let line = "\u{1b}[32m+\\u{1b}[8mrm -rf everything\u{1b}[m\n";
    assert!(diff.out.contains(line), "{:?}", diff.out);
    assert!(!diff.out.contains("handoffs"), "{}", diff.out);
}

#[test]
fn a_diff_without_a_kept_file_says_why_the_attempt_failed() {
    let scene = blocked_by("      - append: {path: .ai/config.yaml, text: \"# me\\n\"}\n");
    let diff = scene.hast(&["diff", "M1"]);
    assert!(diff.code == 0 && diff.out.contains(".ai/config.yaml"), "{diff:?}");
    assert!(!diff.out.contains("changed nothing"), "{diff:?}");
}

#[test]
fn the_log_tells_the_end_of_a_stream_once_in_local_time_and_without_valid_settings() {
    let scene = Scene::new(&always(WORK));
    let agent = "printf 'one\\377\\377\\377\\377\\377\\377 HERE\\ntwo without an end'\n";
    scene.write("agent.sh", agent);
    let settings =
        "test_command: \"sh check.sh\"\nai_tool: \"sh agent.sh {prompt}\"\nmax_retries: 1\n";
    scene.write(".ai/config.yaml", settings);
    scene.set_goals("M1:active");
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "agent"]);
    assert_eq!(scene.hast(&["auto"]).code, 1);
    let log = scene.hast(&["log", "M1@1"]);
    assert_eq!(log.code, 0, "{log:?}");
    assert_eq!(log.out.matches("HERE\n").count(), 1, "{}", log.out);
    assert_eq!(log.out.matches("two without an end").count(), 1, "{}", log.out);
    let told = json(&scene.hast(&["log", "M1@1", "--json"]));
    let utc = told["events"][0]["ts"].as_str().unwrap().replace('T', " ").replace('Z', "");
    assert!(log.out.contains("ATTEMPT_JUDGED") && !log.out.contains(&utc), "{utc}: {}", log.out);
    // As after a kill: there is no record, and the settings are broken by now.
    assert_eq!(scene.shell("find . \"$HOME\" -name record.json -exec rm {} +").code, 0);
    scene.write(".ai/config.yaml", "test_command: [\n");
    let log = scene.hast(&["log", "M1@1"]);
    assert!(log.code == 0 && log.out.contains("two without an end"), "{log:?}");
    assert!(log.out.contains("ATTEMPT_JUDGED"), "{}", log.out);
}

#[test]
fn show_proposes_only_what_works() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("P:active\n  P.1:active\nI:active\nW:active");
    let goals =
        scene.goals().replace("title: title of I\n", "title: title of I\n  mode: interactive\n");
    let goals = goals.replace("title: title of W\n", "title: title of W\n  depends_on: [P.1]\n");
    scene.write(".ai/goals.yaml", goals);
    scene.git(&["commit", "-qam", "goals"]);
    let command = |goal: &str| {
        let told = json(&scene.hast(&["show", goal, "--json"]));
        told["next"].as_array().unwrap().last().map(|last| last.as_str().unwrap().to_owned())
    };
    assert_eq!(command("I"), None);
    assert!(scene.hast(&["show", "I"]).out.contains("hast context"));
    assert_eq!(command("W"), None);
    let waits = scene.hast(&["show", "W"]);
    assert!(
        waits.out.contains("waits for P.1") && waits.out.contains("hast auto P.1"),
        "{waits:?}"
    );
    let parent = command("P").unwrap();
    assert_eq!(parent, "hast auto P --recursive");
    assert_eq!(scene.as_printed(&parent).code, 0);
    assert_eq!(command("W").as_deref(), Some("hast auto W"));
    // What is done can be looked at, and taken back.
    let undo = command("P.1").unwrap();
    assert_eq!(undo, "hast undo P.1");
    let told = json(&scene.hast(&["show", "P.1", "--json"]));
    for command in told["next"].as_array().unwrap() {
        let ran = scene.as_printed(command.as_str().unwrap());
        assert_eq!(ran.code, 0, "{command}: {ran:?}");
    }
    assert_eq!(scene.status_of("P.1"), "active");
}

#[test]
fn what_passed_or_left_no_file_is_not_taken() {
    let scene = done("M1:active");
    for typed in ["M1", "M1@1"] {
        let ran = scene.hast(&["take", typed]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("hast diff M1 shows it, hast undo M1"), "{typed}: {}", ran.err);
    }
    let scene = blocked_by("      - print: nothing to do\n");
    let ran = scene.hast(&["take", "M1"]);
    assert!(ran.code == 1 && ran.err.contains("hast show M1"), "{ran:?}");
}

#[test]
fn retry_of_a_goal_that_is_not_blocked_says_what_is_right_for_its_status() {
    let scene = done("M1:active\nM2:pending");
    scene.set_goals("M1:done\nM2:pending\nM3:active");
    let ran = scene.hast(&["retry", "M1"]);
    assert!(ran.code == 1 && ran.err.contains("hast undo M1"), "{ran:?}");
    let ran = scene.hast(&["retry", "M2", "words"]);
    assert!(ran.code == 1 && ran.err.contains("status: active"), "{ran:?}");
    let ran = scene.hast(&["retry", "M3", "--continue", "--fewer-tests"]);
    assert!(ran.code == 1 && ran.err.contains("hast auto M3 --continue --fewer-tests"), "{ran:?}");
    // A person's words are not lost.
    let ran = scene.hast(&["retry", "M3", "use tabs everywhere", "--no-run"]);
    assert!(ran.code == 0 && ran.out.contains("told your words"), "{ran:?}");
    let planned = scene.hast(&["auto", "M3", "--dry-run-full"]);
    assert!(planned.out.contains("use tabs everywhere"), "{}", planned.out);
    let ran = scene.as_printed(&next(&ran));
    assert_eq!((ran.code, scene.status_of("M3").as_str()), (0, "done"), "{ran:?}");
}

#[test]
fn a_goal_that_is_handed_over_is_a_notice_with_its_whole_reason() {
    let wrong =
        "      - write: {path: src/b.txt, text: x}\n      - append: {path: README, text: me}\n";
    let scene = blocked_by(wrong);
    assert_eq!(scene.hast(&["retry", "M1", "--no-run"]).code, 0);
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let said = "notice: M1 is blocked after 1 attempt: it changed files outside src/ (README)";
    assert!(ran.err.contains(said) && !ran.err.contains("error:"), "{}", ran.err);
    assert!(ran.err.contains("See: hast show M1 · Again: hast retry M1"), "{}", ran.err);
    let ran = scene.hast(&["retry", "M1", "--lang", "ko"]);
    let said = "알림: M1(이)가 1번 시도한 뒤 막혔습니다: src/ 밖의 파일을 바꿨습니다 (README)";
    assert!(ran.err.contains("src/ 밖의 파일을 바꿨습니다 (README)"), "{said}: {}", ran.err);
    assert!(ran.err.contains("보기: hast show M1 · 다시: hast retry M1"), "{}", ran.err);
}

/// Prints a line for each case.
const RUNNER: &str =
    "n=0; while read t; do n=$((n + 1)); echo \"ok $n - $t\"; done <tests/cases; echo 1..$n\n";

fn last_attempt(told: &serde_json::Value) -> &serde_json::Value {
    told["attempts"].as_array().unwrap().last().unwrap()
}

#[test]
fn tests_that_are_rightly_gone_are_agreed_to_in_one_step() {
    let replies = "  - do:\n      - run: \"echo one > tests/cases\"\n      - write: {path: src/b.txt, text: b}\n      - handoff: {status: complete, done: [it]}\n";
    let scene = Scene::new(replies);
    scene.config(replies, "max_retries: 1\n");
    scene.write("check.sh", RUNNER);
    scene.write("tests/cases", "one\ntwo\n");
    scene.set_goals("M1:active");
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "two tests"]);
    let ran = scene.hast(&["auto"]);
    assert!(ran.code == 1 && ran.err.contains("hast show M1 shows it"), "{ran:?}");
    let told = json(&scene.hast(&["show", "M1", "--json"]));
    let last = told["next"].as_array().unwrap().last().unwrap();
    assert_eq!(last, "hast retry M1 --continue --fewer-tests", "{told}");
    let item = scene.hast(&["inbox", "show", "M1"]);
    let files = last_attempt(&told)["files"].as_u64().unwrap();
    assert!(item.out.contains(&format!("files {files}, +")), "{told}: {item:?}");
    let line = item.out.lines().find(|line| line.contains("hast inbox act")).unwrap();
    let acted = scene.as_printed(line.split("   (").next().unwrap());
    assert_eq!(acted.code, 0, "{line}: {acted:?}");
    let command = acted.out.split("; ").nth(1).unwrap().split(" judges").next().unwrap();
    let attempts =
        || json(&scene.hast(&["show", "M1", "--json"]))["attempts"].as_array().unwrap().clone();
    let ran = scene.as_printed(command);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{command}: {ran:?}");
    assert_eq!(
        attempts().last().unwrap()["calls"].as_array().unwrap().len(),
        0,
        "no agent was asked"
    );
}

#[test]
fn status_tells_of_a_run_and_of_one_that_was_killed_and_show_of_its_attempt() {
    let scene = Scene::new(&always("      - hang\n"));
    scene.set_goals("M1:active");
    scene.git(&["commit", "-qam", "goals"]);
    let mut child = scene.start(&["auto"]);
    scene.wait_until("the attempt has begun", |scene| {
        scene.has(".ai/auto.lock") && scene.read(".ai/auto.lock").contains("attempt: 1")
    });
    let run = || json(&scene.hast(&["status", "--json"]))["flows"][0]["goals"]["run"].clone();
    assert_eq!((&run()["alive"], &run()["goal_id"]), (&true.into(), &"M1".into()), "{}", run());
    let status = scene.hast(&["status"]);
    assert!(status.out.contains("running: M1 attempt 1"), "{}", status.out);
    let shown = scene.hast(&["show", "M1"]);
    assert!(
        shown.out.contains("under way") && !shown.out.contains("hast auto M1"),
        "{}",
        shown.out
    );
    let diff = scene.hast(&["diff", "M1"]);
    assert!(diff.code == 1 && diff.err.contains("still under way"), "{diff:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    let status = scene.hast(&["status"]);
    assert!(status.out.contains("a run ended without its end, at M1 attempt 1"), "{}", status.out);
    assert_eq!(run()["alive"], false);
    let shown = scene.hast(&["show", "M1"]);
    assert!(shown.out.contains("attempt 1: cut off"), "{}", shown.out);
    assert!(shown.out.contains("again: hast auto M1"), "{}", shown.out);
}

#[test]
fn the_time_between_a_kill_and_the_next_run_counts_for_nobody_and_only_what_was_asked_for_runs() {
    let scene = Scene::new(&always("      - hang\n"));
    scene.set_goals("M1:active\nM2:active");
    scene.git(&["commit", "-qam", "goals"]);
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_until("the attempt has begun", |scene| {
        scene.has(".ai/auto.lock") && scene.read(".ai/auto.lock").contains("attempt: 1")
    });
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    scene.agent(&always(WORK));
    // Years later.
    let later = |line: &str| {
        scene.shell(&format!("HAST_TEST_WORLD=2031-02-09T14:30:00+09:00#1 \"$HAST\" {line}"))
    };
    let ran = later("auto M2");
    assert_eq!(ran.code, 0, "{ran:?}");
    let running =
        ran.err.lines().any(|line| line.contains("title of M1") && line.contains("running"));
    assert!(!running, "{}", ran.err);
    let ran = later("auto M1 --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = json(&ran);
    for seconds in [&told["attempts"][0]["seconds"], &told["seconds"]] {
        assert!(seconds.as_u64().unwrap() < 100, "{told}");
    }
    let told = json(&scene.hast(&["show", "M1", "--json"]));
    let attempts = told["attempts"].as_array().unwrap();
    assert!(
        attempts.iter().all(|one| one["seconds"].as_u64().is_none_or(|all| all < 100)),
        "{told}"
    );
}

#[test]
fn status_names_kept_branches_and_what_to_look_at() {
    let wrong =
        "      - write: {path: src/b.txt, text: x}\n      - append: {path: README, text: me}\n";
    let scene = blocked_by(wrong);
    let status = scene.hast(&["status"]);
    assert!(status.out.contains("kept branches: hast/kept/M1"), "{}", status.out);
    assert!(status.out.contains("next: hast show M1 says why"), "{}", status.out);
    let told = json(&scene.hast(&["status", "--json"]));
    assert_eq!(told["flows"][0]["goals"]["kept_branches"][0], "hast/kept/M1");
    assert_eq!(told["flows"][0]["goals"]["run"], serde_json::Value::Null);
}

#[test]
fn outside_of_any_project_nothing_is_said_to_be_in_order() {
    let scene = Scene::new(&always(WORK));
    assert_eq!(scene.shell("mkdir ../elsewhere").code, 0);
    let ran = scene.shell("cd ../elsewhere && \"$HAST\" trust");
    assert!(ran.code == 1 && ran.err.contains("hast init"), "{ran:?}");
    let ran = scene.shell("cd ../elsewhere && \"$HAST\" inbox list");
    assert!(ran.out.contains("hast init"), "{ran:?}");
}
