//! Session commands as users type them, and their results, for people in two languages and for
//! programs.

use crate::scene::Scene;
use serde_json::Value;

#[test]
fn programs_get_one_document_from_every_command() {
    let scene = Scene::new("");
    let started = scene.hast(&["session", "start", "is it so?", "--json"]);
    assert_eq!(started.code, 0, "{started:?}");
    let started: Value = serde_json::from_str(&started.out).unwrap();
    assert_eq!((&started["status"], &started["ending"]), (&"COMPLETED".into(), &"done".into()));
    assert_eq!(started["tasks"][1]["state"], "passed");
    let list: Value =
        serde_json::from_str(&scene.hast(&["session", "list", "--json"]).out).unwrap();
    assert_eq!(list["sessions"][0]["tasks"]["passed"], 2);
    let show: Value =
        serde_json::from_str(&scene.hast(&["session", "show", "--json"]).out).unwrap();
    assert_eq!(show["knowledge"][0]["id"], "K-0001");
    let nothing = scene.hast(&["session", "resume"]);
    assert!(nothing.code == 1 && nothing.err.contains("no session is unfinished"), "{nothing:?}");
}

#[test]
fn wrong_usage_is_said_before_anything_is_made() {
    let scene = Scene::new("");
    assert_eq!(scene.hast(&["session", "start", "  "]).code, 2);
    assert_eq!(scene.hast(&["session", "start", "x", "--parallel", "0"]).code, 2);
    assert_eq!(scene.hast(&["session", "start", "x", "--rules", "nowhere.md"]).code, 1);
    assert_eq!(scene.hast(&["session", "replan", "--reason", " "]).code, 2);
    assert_eq!(scene.hast(&["session", "list"]).code, 1);
    assert!(scene.names("sessions").is_empty());
}

#[test]
fn rules_and_system_prompt_reach_the_agents() {
    let scene = Scene::new(
        "  - when: {step: review}\n    do:\n      - expect: {prompt: [be kind, mode of operation]}\n      - outbox: {report.json: {verdict: PASS, findings: [], required_fixes: []}}\n",
    );
    scene.write("rules.md", "# Rules\n- be kind\n");
    scene.write("mode.md", "mode of operation\n");
    let ran = scene.hast(&[
        "session",
        "start",
        "is it so?",
        "--rules",
        "rules.md",
        "--system-prompt",
        "mode.md",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.of("critique/review_rules.md"), "# Rules\n- be kind\n");
}

#[test]
fn a_report_opens_offline_and_says_everything() {
    let scene = Scene::new("");
    assert_eq!(scene.ask().code, 0);
    let ran = scene.hast(&["session", "show", "--html", "report.html"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = scene.read("report.html");
    assert!(page.contains("<title>is it so?</title>"), "the question, and no id");
    for part in ["COMPLETED", "T-0001 a page", "news.example/a", "PASS", "It is so"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script") && !page.contains("src=\"http"), "it needs nothing else");
    assert_eq!(scene.hast(&["session", "show", "--html", "report.html"]).code, 0, "once more");
    let korean = scene.hast(&["session", "show", "--html", "--lang", "ko"]);
    assert!(korean.out.contains("시간순") && korean.out.contains("lang=\"ko\""));
}

#[test]
fn the_demo_plays_without_a_network_in_both_languages() {
    let scene = Scene::new("");
    for (lang, word) in [("en", "Yes. Revenue grew"), ("ko", "그렇습니다")] {
        let ran = scene.hast(&["demo", "session", "--dir", lang, "--lang", lang]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.starts_with(word) && ran.out.contains("1. K-0002"), "{}", ran.out);
        for change in ["T-0005", "1.2", "T-0007"] {
            assert!(ran.err.contains(change), "{change}: {}", ran.err);
        }
        let root = format!("--root={lang}");
        let verified = scene.hast(&["session", "verify", &root]);
        assert_eq!(verified.code, 0, "{}", verified.out);
        let page = scene.hast(&["session", "show", "--html", &root, "--lang", lang]);
        assert!(page.out.matches("<svg").count() >= 4, "prices, two facts, the timeline");
    }
}

#[test]
fn a_session_is_told_in_korean_too() {
    let scene = Scene::new("  - when: {step: plan}\n    do: [{blocked: 어느 회사입니까}]\n");
    let ran = scene.hast(&["session", "start", "싼가?", "--lang", "ko"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.err.contains("답을 기다립니다") && ran.err.contains("어느 회사입니까"),
        "{}",
        ran.err
    );
    let none = scene.hast(&["session", "show", "S-20200101-000000Z", "--lang", "ko"]);
    assert!(none.code == 2 && none.err.contains("세션 S-20200101-000000Z"), "{none:?}");
}

#[test]
fn status_tells_the_state_of_every_flow_and_leaves_checking_to_verify() {
    let scene = Scene::new("");
    for (demo, name, state, count) in [
        ("session", "sessions", "sessions", 1),
        ("run", "runs", "runs", 2),
        ("kernel", "units", "completed", 1),
        ("contract", "units", "completed", 1),
    ] {
        let ran = scene.hast(&["demo", demo, "--dir", demo, "-q"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let ran = scene.hast(&["status", "--json", "--root", demo]);
        let status: Value = serde_json::from_str(&ran.out).unwrap();
        let flows = status["flows"].as_array().unwrap();
        let seen = flows.iter().find(|flow| flow["flow"] == demo).unwrap();
        assert_eq!(seen[name][state], count, "{demo}: {status}");
        let text = scene.hast(&["status", "--root", demo]).out;
        assert!(text.contains(demo) && text.lines().count() >= 2, "{text}");
    }
    let session = scene.names("session/sessions").remove(0);
    let report = format!("session/sessions/{session}/critique/reports/T-0001.json");
    scene.write(&report, scene.read(&report).replace("PASS", "FAIL"));
    assert_eq!(scene.hast(&["session", "verify", "--root", "session"]).code, 1);
    let ran = scene.hast(&["status", "--root", "session"]);
    assert!(ran.code == 0 && !ran.out.contains("verify"), "{ran:?}");
}
