//! Whole conversations: how they go on, and each way in which they end.

use hast_agent::builtin::stand_in::{Play, StandIn};
use hast_flow::docs::builtin::LineKind;
use hast_flow::docs::call::ExpectedDocument;
use serde_json::{Value, json};

use crate::scene::{May, Scene, Talked};

/// Talks with a model that is a function of the request.
fn talk(
    scene: &Scene,
    settings: Value,
    model: impl Fn(&Value) -> Play + Send + Sync + 'static,
) -> Talked {
    let server = StandIn::start(model).unwrap();
    scene.talk_with("builtin:openai-chat/m", &server.address, settings)
}

/// How often the model has answered, by its request.
fn turn(request: &Value) -> usize {
    let messages = request["messages"].as_array().unwrap();
    messages.iter().filter(|message| message["role"] == "assistant").count()
}

fn last(request: &Value) -> String {
    request["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
}

fn list() -> Play {
    Play::Calls(vec![("list_directory", json!({"dir_path": "."}))])
}

#[test]
fn a_conversation_writes_its_file_and_tells_each_step() {
    let scene = Scene::new(May::Write);
    let talked = talk(&scene, json!({}), |request| match turn(request) {
        0 => Play::Calls(vec![
            ("write_file", json!({"file_path": "a.txt", "content": "a\n"})),
            ("read_file", json!({"file_path": "a.txt"})),
        ]),
        _ => Play::Text("It is there.".to_owned()),
    });
    assert_eq!((talked.code, scene.read("tree/a.txt").as_str()), (0, "a\n"));
    let kinds: Vec<LineKind> = talked.lines.iter().map(|line| line.kind).collect();
    use LineKind::{Call, End, Result, Start, Text, Usage};
    assert_eq!(kinds, [Start, Usage, Call, Result, Call, Result, Usage, Text, End]);
    assert!(talked.lines[0].tools.contains(&"write_file".to_owned()));
}

#[test]
fn a_model_that_ends_without_its_documents_is_told_twice_and_then_believed() {
    let mut scene = Scene::new(May::Read);
    let name = "report.json".to_owned();
    scene.call.expected = vec![ExpectedDocument { name, schema: None, required: true }];
    let report = format!("{}/report.json", scene.call.outbox);
    let talked = talk(&scene, json!({}), move |request| match turn(request) {
        0 => Play::Text("Done.".to_owned()),
        1 if last(request).contains("still missing") => {
            Play::Calls(vec![("write_file", json!({"file_path": report, "content": "{}"}))])
        }
        _ => Play::Text("Now it is.".to_owned()),
    });
    assert_eq!(
        (talked.end().0.as_str(), scene.read("calls/1/outbox/report.json").as_str()),
        ("completed", "{}")
    );
    std::fs::remove_file(scene.path("calls/1/outbox/report.json")).unwrap();
    let lazy = talk(&scene, json!({}), |_| Play::Text("Done.".to_owned()));
    assert_eq!((lazy.end().0.as_str(), lazy.usage().len()), ("completed", 3));
}

#[test]
fn a_model_that_needs_a_person_is_blocked() {
    let scene = Scene::new(May::Read);
    let blocked = format!("{}/blocked.json", scene.call.outbox);
    let talked = talk(&scene, json!({}), move |request| match turn(request) {
        0 => Play::Calls(vec![(
            "write_file",
            json!({"file_path": blocked, "content": "{\"reason\": \"which?\"}"}),
        )]),
        _ => Play::Text("I cannot decide.".to_owned()),
    });
    assert_eq!((talked.end().0.as_str(), talked.code), ("blocked", 0));
}

#[test]
fn going_in_a_circle_is_a_warning_and_then_the_end() {
    let scene = Scene::new(May::Write);
    let talked = talk(&scene, json!({}), |_| list());
    assert_eq!((talked.end().0.as_str(), talked.of(LineKind::Call).count()), ("loop", 4));
    let warned = talk(&scene, json!({}), |request| match last(request).contains("same call") {
        true => Play::Text("You are right.".to_owned()),
        false => list(),
    });
    assert_eq!((warned.end().0.as_str(), warned.of(LineKind::Call).count()), ("completed", 3));
}

#[test]
fn eighty_turns_are_the_end() {
    let scene = Scene::new(May::Write);
    let talked = talk(&scene, json!({}), |request| {
        let name = format!("{}.txt", turn(request));
        Play::Calls(vec![("write_file", json!({"file_path": name, "content": name}))])
    });
    assert_eq!((talked.end().0.as_str(), talked.usage().len(), talked.code), ("max_turns", 80, 1));
}

#[test]
fn three_answers_in_a_row_that_cannot_be_read_are_the_end() {
    let scene = Scene::new(May::Write);
    let wild = |request: &Value| Play::Calls(vec![("fly", json!({"to": turn(request)}))]);
    let talked = talk(&scene, json!({}), wild);
    let (reason, text, _) = talked.end();
    assert_eq!((reason.as_str(), talked.usage().len()), ("format_errors", 3));
    assert!(text.contains("no tool `fly`"), "{text}");
    let empty = talk(&scene, json!({}), |_| Play::Text(String::new()));
    assert_eq!((empty.end().0.as_str(), empty.usage().len()), ("format_errors", 3));
    let mended = talk(&scene, json!({}), move |request| match turn(request) {
        0 | 1 | 3 | 4 => wild(request),
        2 => list(),
        _ => Play::Text("Done.".to_owned()),
    });
    assert_eq!(mended.end().0, "completed", "a good answer begins the count anew");
}

#[test]
fn the_window_is_kept_by_taking_old_results_out_and_then_by_ending() {
    let scene = Scene::new(May::Write);
    scene.write("tree/big.txt", "0123456789abcdef\n".repeat(400));
    let reading = |request: &Value| {
        let offset = turn(request);
        Play::Calls(vec![("read_file", json!({"file_path": "big.txt", "offset": offset}))])
    };
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = std::sync::Arc::clone(&seen);
    let talked = talk(&scene, json!({"context_tokens": 12_000}), move |request| {
        let text = request.to_string();
        told.lock().unwrap().push((text.len() / 4, text.contains("taken out to make room")));
        match turn(request) {
            0..20 => reading(request),
            _ => Play::Text("Done.".to_owned()),
        }
    });
    assert_eq!(talked.end().0, "completed");
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|(tokens, _)| *tokens < 11_400), "{seen:?}");
    let first = seen.iter().position(|(_, shortened)| *shortened).unwrap();
    assert!(first > 2 && seen[first].0 < seen[first - 1].0, "{seen:?}");
    // One answer that fills everything.
    scene.write("tree/huge.txt", "0123456789abcdef\n".repeat(2_000));
    let full = talk(&scene, json!({"context_tokens": 9_000}), |_| {
        Play::Calls(vec![("read_file", json!({"file_path": "huge.txt"}))])
    });
    assert_eq!((full.end().0.as_str(), full.usage().len(), full.code), ("context_full", 1, 1));
}

#[test]
fn a_nearly_full_window_is_told_once() {
    let scene = Scene::new(May::Write);
    scene.write("tree/a.txt", "0123456789abcdef\n".repeat(1_500));
    let told = std::sync::Arc::new(std::sync::Mutex::new(0));
    let count = std::sync::Arc::clone(&told);
    talk(&scene, json!({"context_tokens": 9_000}), move |request| {
        *count.lock().unwrap() = request.to_string().matches("window is nearly full").count();
        match turn(request) {
            0 => Play::Calls(vec![("read_file", json!({"file_path": "a.txt"}))]),
            1 | 2 => Play::Calls(vec![(
                "list_directory",
                json!({"dir_path": if turn(request) == 1 { "." } else { "src" }}),
            )]),
            _ => Play::Text("Done.".to_owned()),
        }
    });
    assert_eq!(*told.lock().unwrap(), 1);
}

#[test]
fn without_a_key_the_vendor_is_not_asked() {
    use hast_agent::builtin::service;
    use hast_flow::agents::presets::builtin::Builtin;
    use hast_flow::words::Lang;
    let asked = |line: &str, settings: &str, set: &'static [(&str, &str)]| {
        let builtin = Builtin::parse(line).unwrap().with_settings(settings.to_owned());
        let variable = move |name: &str| {
            set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        let found = service(&builtin, &variable, Lang::En);
        found
            .map(|(service, _)| (service.base.to_string(), service.key.is_some()))
            .map_err(|end| (end.reason, end.text))
    };
    for (line, variable) in
        [("builtin:anthropic/m", "ANTHROPIC_API_KEY"), ("builtin:openai-chat/m", "OPENAI_API_KEY")]
    {
        let (reason, text) = asked(line, "{}", &[]).unwrap_err();
        assert_eq!(serde_json::to_value(reason).unwrap(), "login");
        assert!(text.contains(variable) && text.contains("key_env"), "{text}");
    }
    let local = r#"{"base_url": "http://127.0.0.1:1"}"#;
    assert_eq!(
        asked("builtin:openai-chat/m", local, &[]).unwrap(),
        ("http://127.0.0.1:1/".to_owned(), false)
    );
    let named = r#"{"key_env": "OTHER"}"#;
    assert_eq!(
        asked("builtin:openai-chat/m", named, &[("OTHER", "k")]).unwrap(),
        ("https://api.openai.com/".to_owned(), true)
    );
    let moved = asked(
        "builtin:anthropic/m",
        "{}",
        &[("ANTHROPIC_BASE_URL", "https://h/p"), ("ANTHROPIC_API_KEY", "k")],
    );
    assert_eq!(moved.unwrap(), ("https://h/p".to_owned(), true));
}
