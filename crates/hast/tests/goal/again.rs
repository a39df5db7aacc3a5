//! The way back: `retry "text"`, decisions in the inbox by goal, and `undo`.

use crate::scene::{Scene, WORK, always, json, next};

/// Asks a person, and works only if the prompt has the answer and the question.
const ASKS: &str = "  - when: {attempt: 1}\n    do:\n      - handoff: {status: blocked, done: [nothing]}\n      - append: {path: \"{{handoff_path}}\", text: \"\\n## Blocked\\nHow many characters?\\n\"}\n";

fn asks() -> Scene {
    let answered = format!(
        "{ASKS}  - do:\n      - expect: {{prompt: [\"eight, and one digit\", \"How many characters?\"]}}\n{WORK}"
    );
    let scene = Scene::new(&answered);
    scene.config(&answered, "max_retries: 1\n");
    scene.set_goals("M3:active\nM4:pending");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status_of("M3").as_str()), (1, "blocked"), "{ran:?}");
    assert!(ran.err.contains("hast show M3") && ran.err.contains("hast retry M3"), "{}", ran.err);
    assert!(ran.err.contains("How many characters?"), "{}", ran.err);
    scene
}

#[test]
fn the_agent_is_told_why_it_failed_before_and_what_the_person_says() {
    let scene = asks();
    let ran = scene.hast(&["retry", "m3", "eight, and one digit"]);
    assert_eq!((ran.code, scene.status_of("M3").as_str()), (0, "done"), "{ran:?}");
}

#[test]
fn with_no_run_the_words_are_kept_for_the_next_attempt() {
    let scene = asks();
    let ran = scene.hast(&["retry", "M3", "eight, and one digit", "--no-run"]);
    assert_eq!((ran.code, next(&ran).as_str()), (0, "hast auto M3"), "{ran:?}");
    let planned = scene.hast(&["auto", "M3", "--dry-run-full"]);
    assert!(planned.out.contains("eight, and one digit"), "{}", planned.out);
    assert!(planned.out.contains("How many characters?"), "{}", planned.out);
    let ran = scene.as_printed(&next(&ran));
    assert_eq!((ran.code, scene.status_of("M3").as_str()), (0, "done"), "{ran:?}");
    // They were for that goal, and it is done.
    scene.set_goals("M3:active");
    let planned = scene.hast(&["auto", "M3", "--dry-run-full"]);
    assert!(!planned.out.contains("eight, and one digit"), "{}", planned.out);
}

#[test]
fn an_answer_in_the_inbox_reaches_the_next_prompt_and_a_goal_stands_for_its_newest_item() {
    let scene = asks();
    let shown = scene.hast(&["inbox", "show", "m3"]);
    assert!(shown.code == 0 && shown.out.contains("How many characters?"), "{shown:?}");
    let answer = ["inbox", "act", "m3", "--action", "approve", "--text", "eight, and one digit"];
    let acted = scene.hast(&answer);
    assert_eq!(acted.code, 0, "{acted:?}");
    assert!(acted.out.contains("M3 is active again; run hast auto M3"), "{}", acted.out);
    // Nobody said who decides: git knows.
    assert!(scene.read(".ai/events/events.ndjson").contains("\"operator\":\"User\""));
    let ran = scene.as_printed("hast auto M3");
    assert_eq!((ran.code, scene.status_of("M3").as_str()), (0, "done"), "{ran:?}");
    let again = scene.hast(&answer);
    assert!(again.code == 1, "there is no open item about it any more: {again:?}");
}

#[test]
fn only_a_blocked_goal_is_retried_and_an_empty_text_is_none() {
    let scene = asks();
    let ran = scene.hast(&["retry", "M4", "go"]);
    assert!(ran.code == 1 && ran.err.contains("pending"), "{ran:?}");
    assert_eq!(scene.hast(&["retry", "M3", ""]).code, 2);
    assert_eq!(scene.status_of("M3"), "blocked");
}

#[test]
fn what_a_passed_goal_brought_is_taken_back_and_it_is_active_again_with_its_done_parents() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("P:active\n  P.1:active\nM2:active");
    assert_eq!(scene.hast(&["auto"]).code, 0);
    assert!(scene.has("src/P.1.txt") && scene.has("src/M2.txt"));
    scene.write("src/mine.txt", "mine\n");
    let ran = scene.hast(&["undo", "p.1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("active again: P.1, P"), "{}", ran.out);
    assert!(!scene.has("src/P.1.txt") && scene.has("src/M2.txt") && scene.has("src/mine.txt"));
    assert!(scene.git(&["log", "--format=%s"]).contains("revert(P.1): title of P.1"));
    assert_eq!((scene.status_of("P.1"), scene.status_of("P")), ("active".into(), "active".into()));
    assert_eq!(scene.git(&["status", "--porcelain", "src"]), "?? src/mine.txt");
    let again = scene.as_printed(&next(&ran));
    assert_eq!((again.code, scene.status_of("P").as_str()), (0, "done"), "{again:?}");
    assert!(scene.has("src/P.1.txt"));
    let told = json(&scene.hast(&["undo", "P.1", "--json"]));
    assert_eq!(told["active"], serde_json::json!(["P.1", "P"]));
}

#[test]
fn what_later_commits_or_the_user_changed_is_not_taken_back() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:active\nM2:pending");
    let ran = scene.hast(&["undo", "M1"]);
    assert!(ran.code == 1 && ran.err.contains("hast show M1"), "{ran:?}");
    assert_eq!(scene.hast(&["auto"]).code, 0);
    scene.write("src/M1.txt", "dirty\n");
    let ran = scene.hast(&["undo", "M1"]);
    assert!(ran.code == 1 && ran.err.contains("src/M1.txt"), "{ran:?}");
    assert_eq!(
        (scene.read("src/M1.txt").as_str(), scene.status_of("M1").as_str()),
        ("dirty\n", "done")
    );
    scene.git(&["commit", "-qam", "later"]);
    let head = scene.git(&["rev-parse", "HEAD"]);
    let ran = scene.hast(&["undo", "M1"]);
    assert!(ran.code == 1 && ran.err.contains("src/M1.txt"), "{ran:?}");
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head);
    let line = ran.err.lines().find(|line| line.contains("git revert --no-commit")).unwrap();
    let command = line.split("next: ").nth(1).unwrap().split(" begins").next().unwrap();
    let begun = scene.as_printed(command);
    assert!(
        begun.err.contains("conflict") || begun.out.contains("CONFLICT"),
        "{command}: {begun:?}"
    );
}
