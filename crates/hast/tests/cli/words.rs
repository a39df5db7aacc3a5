//! Messages to a newcomer: they are in the user's language, true of the files that are there, and
//! give advice that works.

use serde_json::Value;

use crate::world::World;

const GOALS: &str = "goals:\n  - id: M1\n    title: \"x\"\n    status: active\n";

#[test]
fn wrong_usage_is_told_in_the_language_of_the_settings() {
    let world = World::new().file(".ai/config.yaml", "ai_tool: claude\nlanguage: ko\n");
    let wrong = world.run(&["auto", "--bogus"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("여기에는 `--bogus`가 없습니다"), "{}", wrong.err);
    let help = world.run(&["auto", "--help"]);
    assert!(help.out.contains("어디서나: --root"), "{}", help.out);
    let asked = world.run(&["--lang", "en", "auto", "--bogus"]);
    assert!(asked.err.contains("there is no `--bogus` here"), "{}", asked.err);
    let elsewhere = World::new().run(&["--root", "..", "auto", "--bogus"]);
    assert!(elsewhere.err.contains("there is no `--bogus` here"), "{}", elsewhere.err);
}

#[test]
fn a_flow_without_an_agent_begins_nothing_and_names_the_file_for_one() {
    for command in
        [&["session", "start", "x"][..], &["run", "start", "x"], &["kernel", "start", "x"]]
    {
        let world = World::new();
        let ran = world.run(command);
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(
            ran.err.contains(".ai/config.yaml") && ran.err.contains("agent list"),
            "{}",
            ran.err
        );
        for made in ["sessions", "db", ".brain"] {
            assert!(!world.root().join(made).exists(), "{command:?}: {made}");
        }
    }
    let world = World::new().file(".ai/config.yaml", "ai_tool: claude\n");
    let ran = world.run(&["session", "start", "x", "--tool", "nope"]);
    assert!(ran.err.contains("an agent of `ai_tools`"), "{}", ran.err);
}

#[test]
fn a_test_command_is_missing_only_where_there_are_goals() {
    let config = "ai_tool: \"rehearsal:x.yaml\"\nsec:\n  user_agent: \"Kim kim@example.com\"\n";
    let world = World::new().file(".ai/config.yaml", config);
    assert_eq!(world.run(&["verify"]).code, 0);
    let status = world.run(&["status"]);
    assert!(status.out.contains("settings only: there is no .ai/goals.yaml"), "{}", status.out);
    let ran = world.file(".ai/goals.yaml", GOALS).run(&["verify"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("the field `test_command` is missing"), "{}", ran.out);
}

#[test]
fn a_bad_result_is_told_with_its_place_and_advice_that_can_be_typed() {
    let config = "test_command: \"true\"\nai_tool: claude\n";
    let world = World::new()
        .file(".ai/config.yaml", config)
        .file(".ai/goals.yaml", GOALS)
        .file("result.json", "{\n\"status\": \"complete\"}\n");
    let ran = world.run(&["protocol", "ingest", "result.json", "--json"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let problem = &told["problem"];
    assert_eq!((ran.code, problem["code"].as_str()), (1, Some("bad_result")), "{}", ran.out);
    assert_eq!(problem["where"], "result.json:2");
    assert!(problem["why"].as_str().unwrap().contains("packet_id"), "{problem}");
    let advice = "hast verify --as protocol-result result.json";
    assert!(problem["next"].as_str().unwrap().contains(advice), "{problem}");
    let again = world.run(&["verify", "--as", "protocol-result", "result.json"]);
    assert_eq!(again.code, 1);
    assert!(again.out.contains("`\"schema\": \"protocol_result.v1\"`"), "{}", again.out);
}

#[test]
fn nothing_is_asked_for_by_zero_results() {
    assert_eq!(World::new().run(&["search", "x", "--limit", "0"]).code, 2);
    let world = World::new().file(".ai/goals.yaml", GOALS).file(
        ".ai/events/events.ndjson",
        "{\"event_id\":\"1\",\"ts\":\"2026-02-09T05:30:00Z\",\"actor\":\"hast\",\"type\":\"X\",\"detail\":{}}\n",
    );
    let tail = world.run(&["events", "tail", "-n", "0"]);
    assert_eq!((tail.code, tail.out.as_str()), (0, ""), "{}", tail.err);
}

#[test]
fn a_person_who_asks_about_rehearsals_is_answered() {
    let help = World::new().run(&["agent", "rehearse", "--help"]);
    assert_eq!(help.code, 0, "{}", help.err);
    assert!(help.out.contains("--raw"), "{}", help.out);
    let json = World::new().run(&["agent", "rehearse", "x.yaml", "--json"]);
    let told: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((json.code, told["exit"].as_u64()), (2, Some(2)), "{}", json.out);
}
