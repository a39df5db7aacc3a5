//! Sessions from a question to an answer, with what can go wrong in between.

use hast_stage::needs::{Ability, skip_without};

use crate::scene::{Scene, fetch, planned, write};

#[test]
fn a_question_becomes_an_answer_with_footnotes_and_every_document_of_the_seed() {
    let scene = Scene::new("");
    let ran = scene.ask();
    assert_eq!(ran.code, 0, "{ran:?}");
    let first = ran.out.lines().next().unwrap_or_default();
    assert_eq!(first, "It is so [1], because of [2].", "{}", ran.out);
    assert!(ran.out.contains("2. K-0001 T-0001 a page: /execution/outputs/T-0001/page.md"));
    assert!(ran.out.contains("/news.example/a ("), "where it came from: {}", ran.out);
    for path in [
        "status.json",
        "plan/goal.md",
        "plan/active/decomposition.json",
        "plan/active/metadata.json",
        "plan/active/status_log.ndjson",
        "plan/change_log.md",
        "context/index.json",
        "context/state.json",
        "critique/review_rules.md",
        "critique/reports/T-0001.json",
        "input/user_input.md",
        "input/system_prompt.md",
        "output/final.md",
        "output/summary.json",
        "output/artifacts/note.md",
        "verdict.md",
        "pointers.json",
        "execution/outputs/T-0001/artifact_manifest.json",
    ] {
        assert!(scene.has(&format!("{}/{path}", scene.session())), "{path}");
    }
    assert_eq!(scene.of("input/user_input.md"), "is it so?\n");
    let entry = &scene.document("context/index.json")["knowledge"][0];
    let path = format!("/{}/execution/outputs/T-0001/page.md", scene.session());
    assert_eq!(entry["artifact_path"], path);
    let pointers = scene.document("pointers.json");
    assert_eq!(pointers["status"], format!("/{}/status.json", scene.session()));
    let verified = scene.hast(&["session", "verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
}

#[test]
fn raw_answers_are_kept_by_hash_and_nothing_is_fetched_twice() {
    let scene = Scene::new(&planned(
        "plan",
        1,
        1,
        &[fetch("T-0001", "a"), fetch("T-0002", "a"), write("T-0003", &["T-0001", "T-0002"])],
    ));
    assert_eq!(scene.ask().code, 0);
    assert_eq!(scene.pages.asked("/news.example/a"), 1, "the second time it is there");
    let names = scene.names(&format!("{}/context/sources", scene.session()));
    assert!(names.len().is_multiple_of(2) && names.len() >= 2, "{names:?}");
    assert!(scene.of(&format!("context/sources/{}", names[0])).contains("<article>"));
    let about = scene.document(&format!("context/sources/{}.json", names[0]));
    assert!(about["url"].as_str().unwrap().contains("news.example/a"), "{about}");
}

#[test]
fn a_page_that_is_not_there_fails_three_times_and_the_plan_is_revised() {
    let bad = [fetch("T-0001", "missing"), write("T-0002", &["T-0001"])];
    let good = [fetch("T-0003", "b"), write("T-0002", &["T-0003"])];
    let replies = planned("plan", 1, 1, &bad) + &planned("replan", 1, 2, &good);
    let scene = Scene::new(&replies);
    let ran = scene.ask();
    assert_eq!(ran.code, 0, "{ran:?}");
    let failed = scene.events().iter().filter(|kind| *kind == "TASK_FAILED").count();
    assert_eq!(failed, 3);
    assert!(scene.events().contains(&"PLAN_REVISION_BUMP".to_owned()));
    let archive = scene.names(&format!("{}/plan/archive", scene.session()));
    assert!(archive[0].ends_with("_t-0001-failed-3-times"), "{archive:?}");
    assert_eq!(scene.document("plan/active/metadata.json")["trigger"], "T-0001 failed 3 times");
    assert_eq!(scene.hast(&["session", "verify"]).code, 0);
}

#[test]
fn a_critic_that_rejects_is_answered_with_another_attempt_in_its_own_directory() {
    let scene = Scene::new(
        "  - when: {step: review, unit: T-0002, attempt: 1}\n    do: [{outbox: {report.json: {verdict: PASS, findings: [], required_fixes: [cite it]}}}]\n  - when: {step: synthesize, attempt: 2}\n    do:\n      - expect: {prompt: cite it}\n      - outbox: {note.md: \"better [K-0001]\\n\"}\n",
    );
    let ran = scene.ask();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.document("critique/reports/T-0002.json")["verdict"], "FAIL");
    assert_eq!(scene.document("critique/reports/T-0002.2.json")["verdict"], "PASS");
    assert_eq!(scene.of("execution/outputs/T-0002/attempt-2/note.md"), "better [K-0001]\n");
    assert_eq!(scene.of("output/artifacts/note.md"), "better [K-0001]\n");
}

#[test]
fn a_question_waits_for_a_person_and_goes_on_with_the_answer() {
    let scene = Scene::new(
        "  - when: {step: synthesize, attempt: 1}\n    do: [{blocked: in which currency?}]\n  - when: {step: synthesize}\n    do:\n      - expect: {prompt: in won}\n      - outbox: {note.md: \"won [K-0001]\\n\"}\n",
    );
    let ran = scene.ask();
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.err.contains("in which currency?") && ran.err.contains("hast session answer"));
    assert_eq!(scene.document("status.json")["system_status"], "BLOCKED");
    let question = scene.names(&format!("{}/execution/questions", scene.session()));
    let id = question[0].trim_end_matches(".json").to_owned();
    assert_eq!(scene.hast(&["session", "resume"]).code, 3, "nobody has answered");
    let shown = scene.hast(&["session", "show"]);
    assert!(shown.out.contains(&format!("hast session answer {id}")), "{}", shown.out);
    assert_eq!(scene.hast(&["session", "answer", "Q-20260101-9999", "x"]).code, 1);
    assert_eq!(scene.hast(&["session", "answer", "nonsense", "x"]).code, 2);
    let answered = scene.hast(&["session", "answer", &id, "in won"]);
    assert_eq!(answered.code, 0, "{answered:?}");
    assert_eq!(
        scene.document(&format!("execution/questions/{id}.answer.json"))["answer"],
        "in won"
    );
    let resumed = scene.hast(&["session", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(scene.hast(&["session", "verify"]).code, 0);
}

#[test]
fn a_missing_file_blocks_with_a_question_and_is_rebuilt_when_a_person_says_so() {
    let scene = Scene::new("  - when: {step: verdict, exists: stop}\n    do: [{blocked: later}]\n");
    scene.write("stop", "");
    assert_eq!(scene.ask().code, 3);
    scene.remove("stop");
    let session = scene.session();
    scene.remove(&format!("{session}/status.json"));
    let ran = scene.hast(&["session", "resume"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.err.contains("status.json") && ran.err.contains("restore"), "{}", ran.err);
    assert!(!scene.has(&format!("{session}/status.json")));
    for question in scene.names(&format!("{session}/execution/questions")) {
        let id = question.trim_end_matches(".json");
        let answered = scene.hast(&["session", "answer", id, "restore"]);
        assert_eq!(answered.code, 0, "{answered:?}");
    }
    let ran = scene.hast(&["session", "resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.document("status.json")["system_status"], "COMPLETED");
    assert_eq!(scene.document("status.json")["blocked_count"], 2);
    assert_eq!(scene.hast(&["session", "verify"]).code, 0);
}

#[test]
fn a_person_may_declare_the_plan_impossible() {
    let again = planned("replan", 2, 1, &[fetch("T-0001", "a"), write("T-0004", &["T-0001"])]);
    let scene = Scene::new(&format!(
        "  - when: {{step: synthesize, unit: T-0002}}\n    do: [{{blocked: not like this}}]\n{again}"
    ));
    assert_eq!(scene.ask().code, 3);
    let ran = scene.hast(&["session", "replan", "--reason", "wrong question"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.document("plan/active/metadata.json")["modification_type"], "MAJOR");
    assert_eq!(scene.document("status.json")["plan_major_version"], 2);
    assert_eq!(scene.pages.asked("/news.example/a"), 1, "what passed stays");
    let verified = scene.hast(&["session", "verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
}

#[test]
fn a_bad_plan_goes_back_with_all_its_findings_and_then_to_a_person() {
    let mut bad = fetch("T-0001", "a");
    bad["tool_calls"][0]["name"] = "web_magic".into();
    bad["acceptance"] = serde_json::json!([]);
    let scene = Scene::new(&planned("plan", 1, 1, &[bad]));
    let ran = scene.ask();
    assert_eq!(ran.code, 3, "{ran:?}");
    let question = scene.names(&format!("{}/execution/questions", scene.session()));
    let text = scene.document(&format!("execution/questions/{}", question[0]));
    let text = text["question"].as_str().unwrap();
    assert!(text.contains("web_magic") && text.contains("acceptance is empty"), "{text}");
}

#[test]
fn a_role_works_among_copies_of_what_it_may_read_and_sees_nothing_else_of_the_session() {
    let look = "  - when: {step: STEP}\n    do:\n      - run: \"find . -type f | sort > {{outbox}}/FILE; cat {{call}} >> {{outbox}}/FILE; ls {{root}}/sessions | sed 's/^/seen: /' >> {{outbox}}/FILE; echo '[K-0002]' >> {{outbox}}/FILE\"\n";
    let look = look.replace("STEP", "finalize").replace("FILE", "final.md");
    let scene = Scene::new(&look);
    scene.write(".ai/config.yaml", "ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: prefer\n");
    let ran = scene.ask();
    assert_eq!(ran.code, 0, "{ran:?}");
    let seen = scene.of("output/final.md");
    let (files, call) = seen.split_once('{').unwrap();
    assert_eq!(
        files,
        "./context/index.json\n./execution/outputs/T-0002/note.md\n./input/user_input.md\n./plan/active/decomposition.json\n",
        "passed, what the answer rests on, and what was asked and planned"
    );
    let copy = "/inputs/execution/outputs/T-0002/note.md\"";
    assert!(call.contains(copy) && !call.contains("/sessions/"), "{call}");
    if ran.err.contains("mount namespace") || ran.err.contains("sandbox") {
        skip_without(Ability::Namespaces, &ran.err);
    } else {
        assert!(!call.contains("seen: "), "{call}");
    }
    let left = scene.names(".ai/.hast/calls");
    assert!(!left.is_empty());
    for step in left {
        let call = format!(".ai/.hast/calls/{step}/1");
        assert!(scene.has(&format!("{call}/call.json")) && !scene.has(&format!("{call}/inputs")));
    }
}

/// The last verdict is a gate: an answer that it refuses goes back once, with the reasons.
#[test]
fn an_answer_that_the_last_verdict_refuses_is_written_once_more() {
    let refused = "  - when: {step: verdict, attempt: 1}\n    do: [{outbox: {verdict.md: \"FAIL: say the year\\n\"}}]\n  - when: {step: finalize, attempt: 2}\n    do: [{expect: {prompt: say the year}}, {outbox: {final.md: \"In 2024 [K-0001].\\n\"}}]\n";
    let scene = Scene::new(refused);
    let ran = scene.ask();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(scene.of("critique/reports/final.1.md").starts_with("It is so [1]"));
    assert_eq!(scene.of("critique/reports/verdict.1.md"), "FAIL: say the year\n");
    assert!(
        scene.of("output/final.md").starts_with("In 2024 [1].\n\n## Sources\n\n1. K-0001 T-0001")
    );
    assert!(scene.of("output/final.md").contains("news.example/a ("));
    assert!(scene.of("verdict.md").starts_with("PASS"));
    let verified = scene.hast(&["session", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");

    let always =
        "  - when: {step: verdict}\n    do: [{outbox: {verdict.md: \"FAIL: say the year\\n\"}}]\n";
    let scene = Scene::new(always);
    let ran = scene.ask();
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("say the year"), "{}", ran.err);
    assert_eq!(scene.document("status.json")["system_status"], "FAILED");
    let verified = scene.hast(&["session", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

/// A source that is limited is no bad plan: nothing is spent, and nobody asks it before its time.
#[test]
fn a_source_that_is_limited_is_waited_for() {
    let scene = Scene::new("");
    let tasks = [fetch("T-0001", "busy"), write("T-0002", &["T-0001"])];
    scene.rehearse(&planned("plan", 1, 1, &tasks));
    let page = "/news.example/busy";
    let ran = scene.ask();
    assert_eq!((ran.code, scene.pages.asked(page)), (3, 1), "{ran:?}");
    assert!(ran.err.contains("notice:") && !ran.err.contains("error:"), "{}", ran.err);
    assert!(ran.err.contains("news.example") && ran.err.contains("--now"), "{}", ran.err);
    let spent = ["TASK_FAILED", "PLAN_REVISION_BUMP"];
    assert!(!scene.events().iter().any(|kind| spent.contains(&kind.as_str())));
    assert!(scene.hast(&["status"]).out.contains("news.example"), "it is told");
    let early = scene.hast(&["session", "resume"]);
    assert_eq!((early.code, scene.pages.asked(page)), (3, 1), "{early:?}");
    let done = scene.hast(&["session", "resume", "--now"]);
    assert_eq!((done.code, scene.pages.asked(page)), (0, 2), "{done:?}");
    assert_eq!(
        scene.hast(&["agent", "limits"]).out.trim(),
        "no agent is limited",
        "it answers again"
    );
}

#[test]
fn an_unknown_citation_in_a_list_fails_its_task_and_the_answer() {
    let replies = "  - when: {step: synthesize, attempt: 1}\n    do: [{outbox: {note.md: \"as [K-0001, K-0888] says\\n\"}}]\n  - when: {step: finalize}\n    do: [{outbox: {final.md: \"It is so [K-0001; K-0999].\\n\"}}]\n";
    let scene = Scene::new(replies);
    let ran = scene.ask();
    assert_eq!(ran.code, 3, "{ran:?}");
    let log = scene.of("plan/active/status_log.ndjson");
    assert!(log.contains("K-0888"), "{log}");
    let question = scene.names(&format!("{}/execution/questions", scene.session()));
    let asked = scene.of(&format!("execution/questions/{}", question[0]));
    assert!(asked.contains("K-0999"), "{asked}");
    assert!(!scene.has(&format!("{}/output/final.md", scene.session())));
}

#[test]
fn a_log_whose_last_line_break_was_stripped_goes_on_on_a_line_of_its_own() {
    let waits = "  - when: {step: verdict, missing: ../home/go}\n    do: [{login: later}]\n";
    let scene = Scene::new(waits);
    assert_eq!(scene.ask().code, 1);
    let log = format!("{}/plan/active/status_log.ndjson", scene.session());
    let text = scene.read(&log);
    scene.write(&log, text.trim_end());
    scene.write("../home/go", "");
    let ran = scene.hast(&["session", "resume"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!scene.read(&log).contains("}{"), "{}", scene.read(&log));
    assert!(scene.read(&log).starts_with(&text));
    assert_eq!(scene.hast(&["session", "verify"]).code, 0);
}

#[test]
fn a_page_takes_the_place_of_a_page_and_of_nothing_else() {
    let scene = Scene::new("");
    assert_eq!(scene.ask().code, 0);
    scene.write("thesis.html", "<!doctype html>\nmine\n");
    let ran = scene.hast(&["session", "show", "--html", "thesis.html"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("no page of hast"), "{}", ran.err);
    assert_eq!(scene.read("thesis.html"), "<!doctype html>\nmine\n");
    for _ in 0..2 {
        assert_eq!(scene.hast(&["session", "show", "--html", "own.html"]).code, 0);
    }
}
