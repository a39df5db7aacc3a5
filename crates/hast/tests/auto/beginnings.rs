//! Agents that never begin, agents that may not write, and lines that give them no right to.

use crate::scene::{Scene, WORK};

/// A project whose agent is a shell script.
fn with_agent(script: &str) -> Scene {
    let scene = Scene::new(WORK);
    let config = scene.read(".ai/config.yaml");
    let agent = format!("sh -c '{script}' {{prompt_file}}");
    scene.write(".ai/config.yaml", &config.replace("rehearsal:.ai/rehearsals/a.yaml", &agent));
    scene.git(&["commit", "-qam", "another agent"]);
    scene
}

#[test]
fn an_agent_that_ends_before_it_began_spends_no_attempt_and_the_second_time_stops_the_run() {
    let crash = "echo Error: no such model >&2; echo at main.js:1:2 >&2; exit 3";
    let scene = with_agent(crash);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "active"), "{ran:?}");
    assert_eq!(scene.verdicts(), Vec::<String>::new());
    assert_eq!(scene.shell_out("ls -x .ai/.hast/calls/auto+M1+1+call+0"), "1  2");
    let told = "`sh` ended before its first answer: the program ended with exit code 3: Error: no such model (its record: .ai/.hast/calls/auto+M1+1+call+0/";
    assert!(ran.err.contains(told) && ran.err.contains("started once more"), "{}", ran.err);
    assert!(scene.hast(&["inbox", "list"]).out.contains(told));
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_agent_that_fails_after_it_changed_something_is_judged_and_its_words_are_told() {
    let scene = with_agent("echo half >src/b.txt; echo first >&2; echo no such model >&2; exit 3");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts()), (1, vec!["failed no_handoff".into()]), "{ran:?}");
    let told = "the agent ended badly: the program ended with exit code 3: no such model (its record: .ai/.hast/calls/";
    let blocked = scene.read(".ai/goals.yaml");
    for text in [&ran.out, &blocked, &scene.hast(&["inbox", "list"]).out] {
        assert!(text.contains(told), "{text}");
    }
    let (_, at) = blocked.split_once("its record: ").unwrap();
    let at = at.split_once(')').unwrap().0;
    assert!(scene.read(&format!("{at}/stderr.txt")).contains("first"), "{at}");
}

/// A project whose agent is this script under the name of a known program.
fn with_claude(script: &str, flags: &str) -> Scene {
    let scene = Scene::new(WORK);
    scene.write("../bin/claude", &format!("#!/bin/sh\ncat >/dev/null\n{script}\n"));
    scene.shell("chmod +x ../bin/claude");
    let program = scene.root().join("../bin/claude");
    let line = format!("{} -p {flags}", program.display());
    let config = scene.read(".ai/config.yaml");
    scene.write(".ai/config.yaml", &config.replace("rehearsal:.ai/rehearsals/a.yaml", &line));
    scene.git(&["commit", "-qam", "another agent"]);
    scene
}

const STREAM: &str = "--dangerously-skip-permissions --output-format stream-json {stdin}";

#[test]
fn what_an_agent_was_not_allowed_to_do_is_part_of_the_reason() {
    let denied = r#"{"type":"result","subtype":"success","is_error":false,"result":"no","permission_denials":[{"tool_name":"Write"}]}"#;
    let scene = with_claude(&format!("echo '{denied}'"), STREAM);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts()), (1, vec!["no-progress nothing_changed".into()]));
    assert!(
        ran.out.contains("no file was changed; claude was not allowed to write (Write)"),
        "{ran:?}"
    );
}

#[test]
fn an_agent_with_a_stream_that_answered_has_begun_and_one_that_did_not_has_not() {
    let said = r#"{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"I look."}]}}"#;
    let scene = with_claude(&format!("echo '{said}'; exit 1"), STREAM);
    assert_eq!((scene.hast(&["auto"]).code, scene.verdicts().len()), (1, 1));
    let scene = with_claude("exit 1", STREAM);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts().len()), (1, 0), "{ran:?}");
    assert!(ran.err.contains("`claude` ended before its first answer"), "{}", ran.err);
}

#[test]
fn a_bare_line_of_a_known_program_is_warned_about_with_what_to_write() {
    for (flags, warned) in [("{stdin}", true), (STREAM, false)] {
        let scene = with_claude("exit 1", flags);
        for args in [&["auto", "--dry-run"][..], &["auto"], &["agent", "doctor"], &["verify"]] {
            let ran = scene.hast(args);
            let all = format!("{}{}", ran.out, ran.err);
            assert_eq!(all.contains("write `claude` alone"), warned, "{args:?}: {all}");
        }
    }
    let scene = with_claude("exit 1", STREAM);
    let mut command = scene.hast_command(&["auto", "--dry-run"]);
    let ran = command.env("HAST_AI_TOOL", "/nowhere/codex exec {prompt}").output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(told.contains("HAST_AI_TOOL") && told.contains("write `codex` alone"), "{told}");
}
