//! The morning after: `show`, `log`, `diff`, `try` and `take` of any attempt.

use crate::scene::{Scene, WORK, always, json};

/// The first attempt breaks the tests, the second changes a file outside of its scope.
const TRIES: &str = "  - when: {attempt: 1}\n    do:\n      - write: {path: src/b.txt, text: \"wrong 하나\\n\"}\n      - handoff: {status: complete}\n      - print: I am done with it.\n  - do:\n      - write: {path: src/b.txt, text: \"b\\n\"}\n      - append: {path: README, text: \"me too\\n\"}\n      - handoff: {status: complete}\n      - print: The README is updated as well.\n";

fn blocked() -> Scene {
    let scene = Scene::new(TRIES);
    scene.config(TRIES, "max_retries: 2\n");
    scene.write("check.sh", "echo checked; ! grep -rn wrong src\n");
    scene.git(&["commit", "-qam", "check"]);
    let ran =
        scene.hast(&["goal", "add", "Reject empty passwords", "--allow", "src/", "--id", "M3"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status_of("M3").as_str()), (1, "blocked"), "{ran:?}");
    scene
}

#[test]
fn show_tells_of_a_blocked_goal_on_one_screen_and_its_commands_work_as_printed() {
    let scene = blocked();
    for lang in ["en", "ko"] {
        let shown = scene.hast(&["show", "m3", "--lang", lang]);
        assert_eq!(shown.code, 0, "{shown:?}");
        let lines: Vec<&str> = shown.out.lines().collect();
        assert!(lines.len() < 24, "{}", shown.out);
        for part in ["Reject empty passwords", "README", "failed", "hast/kept/M3", "hast retry M3"]
        {
            assert!(shown.out.contains(part), "{part}: {}", shown.out);
        }
        assert!(shown.out.contains("The README is updated as well."), "{}", shown.out);
    }
    let told = json(&scene.hast(&["show", "M3", "--json"]));
    let attempts = told["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2, "{told}");
    assert_eq!(
        (&attempts[0]["code"], &attempts[1]["code"]),
        (&"tests_red".into(), &"outside_scope".into())
    );
    assert_eq!((&attempts[0]["files"], &attempts[0]["added"]), (&1.into(), &1.into()));
    assert_eq!(attempts[1]["ref"], "refs/hast/attempts/M3/2");
    let commands: Vec<String> = told["next"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(commands.len(), 5, "{commands:?}");
    for command in &commands {
        let ran = scene.as_printed(command);
        // The goal is tried once more, and blocked again: that is no usage error.
        let wanted = i32::from(command.starts_with("hast retry"));
        assert_eq!(ran.code, wanted, "{command}: {ran:?}");
        scene.git(&["checkout", "-q", "--", "README"]);
        scene.shell("rm -f src/b.txt");
    }
}

#[test]
fn one_attempt_has_its_own_tests_words_and_work() {
    let scene = blocked();
    let shown = scene.hast(&["show", "M3@1"]);
    for part in ["attempt 1: failed", "wrong 하나", "I am done with it.", "refs/hast/attempts/M3/1"]
    {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    assert!(!shown.out.contains("attempt 2"), "{}", shown.out);
    let diff = scene.hast(&["diff", "M3@1"]);
    assert!(diff.out.contains("+wrong 하나") && !diff.out.contains("handoffs"), "{}", diff.out);
    let diff = scene.hast(&["diff", "M3"]);
    assert!(diff.out.contains("+me too") && diff.out.contains("README"), "{}", diff.out);
    assert!(
        !diff.out.contains('\u{1b}')
            && scene.hast(&["diff", "M3", "--color", "always"]).out.contains('\u{1b}')
    );
    assert!(
        json(&scene.hast(&["diff", "M3@1", "--json"]))["patch"]
            .as_str()
            .unwrap()
            .contains("+wrong")
    );
    // Any attempt's work, not only the last one's.
    let taken = scene.hast(&["take", "M3@1"]);
    assert_eq!((taken.code, scene.read("src/b.txt").as_str()), (0, "wrong 하나\n"), "{taken:?}");
    assert_eq!(scene.git(&["status", "--porcelain", "src", "README"]), "?? src/b.txt");
}

#[test]
fn the_log_has_the_prompt_what_the_agent_said_and_the_events() {
    let scene = blocked();
    let log = scene.hast(&["log", "M3@1"]);
    for part in [
        "Reject empty passwords",
        "I am done with it.",
        "ATTEMPT_JUDGED",
        "agent rehearse",
        "failed",
    ] {
        assert!(log.out.contains(part), "{part}: {}", log.out);
    }
    let told = json(&scene.hast(&["log", "M3", "--json"]));
    assert!(told["calls"][0]["prompt"].as_str().unwrap().contains("Reject empty passwords"));
    assert_eq!(told["calls"][0]["last_words"], "The README is updated as well.");
    assert!(
        told["events"].as_array().unwrap().iter().any(|event| event["type"] == "ATTEMPT_SETTLED")
    );
    assert_eq!(scene.hast(&["log", "M3", "--follow"]).code, 0, "what is over is not waited for");
}

#[test]
fn any_attempt_can_be_looked_at_and_run_in_a_directory() {
    let scene = blocked();
    let tried = scene.hast(&["try", "M3@1"]);
    assert_eq!(tried.code, 0, "{tried:?}");
    let next = crate::scene::next(&tried);
    let ran = scene.as_printed(&next);
    assert!(ran.code == 1 && ran.out.contains("wrong 하나"), "{next}: {ran:?}");
    let told = json(&scene.hast(&["try", "M3", "--json"]));
    let directory = std::path::PathBuf::from(told["directory"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(directory.join("README")).unwrap(), "read me\nme too\n");
    assert_eq!(scene.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(scene.git(&["status", "--porcelain", "src", "README"]), "");
    let there = scene.hast(&["try", "M3", "--dir", "src"]);
    assert!(there.code == 2 && there.err.contains("there already"), "{there:?}");
    assert_eq!(scene.hast(&["try", "M3", "--dir", "../look"]).code, 0);
    assert!(scene.shell("test -f ../look/src/a.txt").code == 0);
}

#[test]
fn what_cannot_be_looked_at_is_said_with_what_to_do() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:active\nM2:active");
    for command in ["show", "log", "diff", "try", "take"] {
        let ran = scene.hast(&[command, "X"]);
        assert!(ran.code == 1 && ran.err.contains("no goal X"), "{command} {ran:?}");
    }
    let shown = scene.hast(&["show", "M1"]);
    assert!(shown.code == 0 && shown.out.contains("hast auto M1"), "{shown:?}");
    for command in ["log", "diff", "try"] {
        let ran = scene.hast(&[command, "M1"]);
        assert!(ran.code == 1 && ran.err.contains("hast auto M1"), "{command} {ran:?}");
    }
    assert_eq!(scene.as_printed("hast auto M1").code, 0);
    let ran = scene.hast(&["show", "M1@7"]);
    assert!(
        ran.code == 1 && ran.err.contains("no attempt 7") && ran.err.contains("hast show M1"),
        "{ran:?}"
    );
    let shown = scene.hast(&["show", "M1"]);
    assert!(
        shown.out.contains("(done)") && shown.out.contains("attempt 1: complete"),
        "{}",
        shown.out
    );
    assert!(scene.hast(&["diff", "M1"]).out.contains("+1"), "what passed can be looked at too");
}
