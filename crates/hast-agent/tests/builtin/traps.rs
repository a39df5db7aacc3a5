//! Everything that services do besides answering well, for each format: one row a trap.

use hast_flow::docs::builtin::LineKind;
use serde_json::{Value, json};

use crate::scene::{May, Scene, Talked};
use crate::server::{Pages, Reply, Server, events};

/// A format, and how it says the common things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Chat,
    Messages,
}

const BOTH: [Format; 2] = [Format::Chat, Format::Messages];

impl Format {
    fn agent(self) -> &'static str {
        match self {
            Self::Chat => "builtin:openai-chat/m",
            Self::Messages => "builtin:anthropic/m",
        }
    }

    fn event(self, value: &Value) -> String {
        match self {
            Self::Chat => format!("data: {value}\n\n"),
            Self::Messages => {
                format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap())
            }
        }
    }

    /// The pieces of an answer: words, calls with the text of their arguments, the reason of the end.
    fn pieces(self, words: &str, calls: &[(&str, &str)], reason: &str) -> Vec<String> {
        let mut all = Vec::new();
        match self {
            Self::Chat => {
                all.push(json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": words}}]}));
                for (index, (tool, arguments)) in calls.iter().enumerate() {
                    let (left, right) = arguments.split_at(arguments.len() / 2);
                    let call = json!({"index": index, "id": format!("c{index}"), "type": "function", "function": {"name": tool, "arguments": left}});
                    all.push(json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}));
                    let more = json!({"index": index, "function": {"arguments": right}});
                    all.push(json!({"choices": [{"index": 0, "delta": {"tool_calls": [more]}}]}));
                }
                all.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
                all.push(json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 40}}}));
            }
            Self::Messages => {
                all.push(json!({"type": "message_start", "message": {"usage": {"input_tokens": 50, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 40, "output_tokens": 1}}}));
                all.push(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}));
                all.push(json!({"type": "ping"}));
                all.push(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}));
                all.push(json!({"type": "content_block_stop", "index": 0}));
                for (index, (tool, arguments)) in calls.iter().enumerate() {
                    let block = json!({"type": "tool_use", "id": format!("c{index}"), "name": tool, "input": {}});
                    all.push(json!({"type": "content_block_start", "index": index + 1, "content_block": block}));
                    let (left, right) = arguments.split_at(arguments.len() / 2);
                    for piece in [left, right].into_iter().filter(|piece| !piece.is_empty()) {
                        let delta = json!({"type": "input_json_delta", "partial_json": piece});
                        all.push(json!({"type": "content_block_delta", "index": index + 1, "delta": delta}));
                    }
                }
                all.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}}));
                all.push(json!({"type": "message_stop"}));
            }
        }
        let mut all: Vec<String> = all.iter().map(|value| self.event(value)).collect();
        if self == Self::Chat {
            all.push("data: [DONE]\n\n".to_owned());
        }
        all
    }

    fn done(self) -> String {
        let reason = if self == Self::Chat { "stop" } else { "end_turn" };
        self.pieces("done", &[], reason).concat()
    }

    fn calling(self, calls: &[(&str, &str)]) -> String {
        let reason = if self == Self::Chat { "tool_calls" } else { "tool_use" };
        self.pieces("", calls, reason).concat()
    }

    fn cut_call(self) -> String {
        let reason = if self == Self::Chat { "length" } else { "max_tokens" };
        self.pieces("", &[("write_file", "{\"file_path\": \"a\", \"content\": \"half")], reason)
            .concat()
    }

    fn refusal(self) -> String {
        let reason = if self == Self::Chat { "content_filter" } else { "refusal" };
        self.pieces("", &[], reason).concat()
    }

    /// An error as the format has it inside of a stream.
    fn error(self, status: u16, kind: &str) -> String {
        let error =
            json!({"type": "error", "error": {"type": kind, "message": kind, "code": status}});
        self.event(&error)
    }
}

fn talked(format: Format, replies: Vec<Reply>) -> (Talked, Server) {
    let (scene, server) = (Scene::new(May::Write), Server::playing(replies));
    let settings = json!({"silence_seconds": 1});
    (scene.talk(format.agent(), &server, &settings), server)
}

/// One reply that is bad and one that is good: the second counts, after a wait.
fn mended(format: Format, trap: &str, bad: Reply) -> Talked {
    let (talked, server) = talked(format, vec![bad, events(&format.done())]);
    assert_eq!(talked.end().0, "completed", "{format:?} {trap}: {talked:?}");
    assert_eq!(talked.of(LineKind::Retry).count(), 1, "{format:?} {trap}");
    assert_eq!(talked.slept, [1], "{format:?} {trap}");
    let requests = server.requests();
    assert_eq!(requests[0].body, requests[1].body, "{format:?} {trap}: asked the same again");
    talked
}

#[test]
fn what_is_no_answer_is_asked_for_again() {
    for format in BOTH {
        let pieces = format.pieces("half", &[], "stop");
        let traps: Vec<(&str, Reply)> = vec![
            (
                "200 with a page",
                Reply::Whole(200, "text/html", "", "<html>hotel login</html>".into()),
            ),
            ("200 with nothing", Reply::Whole(200, "text/event-stream", "", String::new())),
            ("closed half-way", Reply::Cut(pieces[..1].concat())),
            ("ended half-way", events(&pieces[..1].concat())),
            ("a piece that is no JSON", events("data: {\"half\n\n")),
            (
                "an error inside of the stream",
                events(&(pieces[0].clone() + &format.error(529, "overloaded_error"))),
            ),
            (
                "an error of no kind inside of the stream",
                events(&format.event(&json!({"type": "error", "error": {"message": "oh"}}))),
            ),
            (
                "an error with status 200",
                Reply::Whole(
                    200,
                    "application/json",
                    "",
                    json!({"type": "error", "error": {"message": "busy", "code": 503}}).to_string(),
                ),
            ),
            ("silence", Reply::Silent),
            ("408", Reply::Whole(408, "text/plain", "", String::new())),
            ("409", Reply::Whole(409, "text/plain", "", String::new())),
            ("425", Reply::Whole(425, "text/plain", "", String::new())),
            ("429", Reply::Whole(429, "application/json", "retry-after: 1\r\n", "{}".into())),
            ("500", Reply::Whole(500, "text/plain", "", "oops".into())),
            ("529", Reply::Whole(529, "application/json", "", "{}".into())),
        ];
        for (trap, bad) in traps {
            mended(format, trap, bad);
        }
    }
}

#[test]
fn what_only_looks_odd_is_an_answer() {
    for format in BOTH {
        let whole = format.done();
        let windows = whole.replace('\n', "\r\n");
        let comments = format!(": keep-alive\n\n{}", whole.replace("\n\n", "\n\n: still here\n\n"));
        let korean = format
            .pieces(
                "한글이 잘려도 된다",
                &[],
                if format == Format::Chat { "stop" } else { "end_turn" },
            )
            .concat();
        let bytes: Vec<Vec<u8>> = korean.bytes().map(|byte| vec![byte]).collect();
        for (trap, reply, words) in [
            ("CRLF", events(&windows), "done"),
            ("comments", events(&comments), "done"),
            ("characters cut between reads", Reply::Pieces(bytes), "한글이 잘려도 된다"),
        ] {
            let (talked, _) = talked(format, vec![reply]);
            assert_eq!(talked.end().0, "completed", "{format:?} {trap}");
            let said: Vec<_> =
                talked.of(LineKind::Text).map(|line| line.text.clone().unwrap()).collect();
            assert_eq!(said, [words], "{format:?} {trap}");
        }
    }
    let whole = Format::Chat.done();
    let (talked, _) =
        talked(Format::Chat, vec![events(whole.strip_suffix("data: [DONE]\n\n").unwrap())]);
    assert_eq!((talked.end().0.as_str(), talked.slept.len()), ("completed", 0), "no [DONE]");
}

#[test]
fn a_good_answer_is_needed_within_four_retries_of_a_turn() {
    for format in BOTH {
        let busy = || Reply::Whole(503, "text/plain", "", "busy".into());
        let (gave_up, server) = talked(format, (0..5).map(|_| busy()).collect());
        assert_eq!(gave_up.end(), ("limited".into(), "busy".into(), Some(503)), "{format:?}");
        assert_eq!((server.requests().len(), gave_up.slept.len()), (5, 4), "{format:?}");
        for (waited, (least, most)) in
            gave_up.slept.iter().zip([(1, 1), (4, 5), (16, 20), (30, 30)])
        {
            assert!((least..=most).contains(waited), "{format:?} {:?}", gave_up.slept);
        }
        let broken = || Reply::Whole(502, "text/html", "", "<html>bad gateway</html>".into());
        let (broken, _) = talked(format, (0..5).map(|_| broken()).collect());
        assert_eq!((broken.end().0.as_str(), broken.code), ("transport", 1), "{format:?}");
    }
}

#[test]
fn ends_that_another_request_would_not_change() {
    let quota = json!({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}});
    let credit = json!({"error": {"message": "Your credit balance is too low"}});
    let long = json!({"error": {"message": "This model's maximum context length is 8192 tokens"}});
    let prompt =
        json!({"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}});
    let rows: [(&str, u16, &str, &Value, &str); 8] = [
        ("no key", 401, "", &json!({"error": {"message": "invalid x-api-key"}}), "login"),
        ("not allowed", 403, "", &json!({"error": {"message": "no"}}), "login"),
        ("no money", 402, "", &json!({"error": {"message": "pay"}}), "login"),
        ("quota", 429, "retry-after: 1\r\n", &quota, "login"),
        ("credit", 400, "", &credit, "login"),
        ("too long", 400, "", &long, "context_full"),
        ("too long, other words", 400, "", &prompt, "context_full"),
        ("no such model", 404, "", &json!({"error": {"message": "no such model"}}), "transport"),
    ];
    for format in BOTH {
        for (trap, status, headers, body, reason) in rows {
            let reply = Reply::Whole(status, "application/json", headers, body.to_string());
            let (talked, server) = talked(format, vec![reply]);
            let (ended, text, told) = talked.end();
            assert_eq!((ended.as_str(), told), (reason, Some(status)), "{format:?} {trap}: {text}");
            assert_eq!((server.requests().len(), talked.code), (1, 1), "{format:?} {trap}");
        }
        let patient = Reply::Whole(429, "application/json", "retry-after: 3600\r\n", "{}".into());
        let (talked, _) = talked(format, vec![patient]);
        let end = talked.lines.last().unwrap();
        assert_eq!(talked.end().0, "limited", "{format:?}");
        assert_eq!(end.resume_at.unwrap().to_string(), "2026-01-12T15:30:00Z", "{format:?}");
    }
}

#[test]
fn refusals_and_cut_answers_are_what_they_are() {
    for format in BOTH {
        let (refused, _) = talked(format, vec![events(&format.refusal())]);
        assert_eq!((refused.end().0.as_str(), refused.slept.len()), ("refused", 0), "{format:?}");
        let scene = Scene::new(May::Write);
        let server = Server::playing(vec![events(&format.cut_call()), events(&format.done())]);
        let talked = scene.talk(format.agent(), &server, &json!({}));
        assert_eq!(talked.end().0, "completed", "{format:?}");
        assert!(!scene.path("tree/a").exists(), "{format:?}: half a file is not written");
        let result = talked.of(LineKind::Result).next().unwrap();
        assert_eq!(result.ok, Some(false), "{format:?}");
        let again = server.requests()[1].body.to_string();
        assert!(again.contains("cut at the limit of output tokens"), "{format:?}: {again}");
    }
    let text = Format::Chat.pieces("half a sen", &[], "length").concat();
    let (talked, server) = talked(Format::Chat, vec![events(&text), events(&Format::Chat.done())]);
    assert_eq!(talked.end().0, "completed");
    assert!(server.requests()[1].body.to_string().contains("Go on"));
}

#[test]
fn arguments_of_every_shape_are_read_or_go_back_as_a_finding() {
    for format in BOTH {
        let rows: [(&str, &str, bool); 6] = [
            ("{\"dir_path\": \".\"}", "list_directory", true),
            ("", "list_directory", false),
            ("null", "list_directory", false),
            ("{\"dir_path\": ", "list_directory", false),
            ("[1]", "list_directory", false),
            ("{\"dir_path\": \".\", \"wild\": 1}", "list_directory", false),
        ];
        for (arguments, tool, ok) in rows {
            let (talked, server) = talked(
                format,
                vec![events(&format.calling(&[(tool, arguments)])), events(&format.done())],
            );
            assert_eq!(talked.end().0, "completed", "{format:?} {arguments}");
            let result = talked.of(LineKind::Result).next().unwrap();
            assert_eq!(result.ok, Some(ok), "{format:?} {arguments}");
            // What went back is JSON again, whatever came.
            let back = &server.requests()[1].body["messages"];
            let said =
                back.as_array().unwrap().iter().find(|message| message["role"] == "assistant");
            let said = said.unwrap();
            match format {
                Format::Chat => {
                    let text = said["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
                    assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
                }
                Format::Messages => {
                    let block = said["content"].as_array().unwrap().last().unwrap();
                    assert!(block["input"].is_object(), "{block}");
                }
            }
        }
    }
}

#[test]
fn chat_calls_without_index_or_id_are_told_apart() {
    let event = |delta: Value| Format::Chat.event(&json!({"choices": [{"delta": delta}]}));
    let end =
        Format::Chat.event(&json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}));
    let call = |id: Value, name: &str, arguments: Value| json!({"tool_calls": [{"id": id, "function": {"name": name, "arguments": arguments}}]});
    let list = "{\"dir_path\": \".\"}";
    let rows = [
        event(call(json!("a"), "list_directory", json!(list)))
            + &event(call(json!("b"), "list_directory", json!(list))),
        event(call(Value::Null, "list_directory", json!(list)))
            + &event(call(Value::Null, "list_directory", json!(list))),
        event(call(json!("a"), "list_directory", json!({"dir_path": "."})))
            + &event(call(json!("b"), "list_directory", Value::Null))
            + &event(json!({"tool_calls": [{"function": {"arguments": list}}]})),
    ];
    for stream in rows {
        let (talked, server) = talked(
            Format::Chat,
            vec![events(&(stream.clone() + &end)), events(&Format::Chat.done())],
        );
        let results: Vec<_> = talked.of(LineKind::Result).map(|line| line.ok).collect();
        assert_eq!(results, [Some(true), Some(true)], "{stream}");
        let messages = server.requests()[1].body["messages"].clone();
        let ids: Vec<&Value> = messages
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| &message["tool_call_id"])
            .collect();
        assert!(ids.len() == 2 && ids[0] != ids[1] && ids[0].as_str().unwrap() != "", "{ids:?}");
    }
}

#[test]
fn tokens_are_what_the_service_counted_over_retries_too() {
    for format in BOTH {
        let (one, _) = talked(format, vec![events(&format.done())]);
        assert_eq!(one.usage(), [(100, 7, 40)], "{format:?}");
    }
    // The first try was cut after the service had counted.
    let cut = Format::Messages.pieces("half", &[], "end_turn");
    let (two, _) = talked(
        Format::Messages,
        vec![Reply::Cut(cut[..4].concat()), events(&Format::Messages.done())],
    );
    assert_eq!(two.usage(), [(100, 1, 40), (100, 7, 40)]);
    // Some repeat the count in each piece.
    let repeated = Format::Chat.done();
    let usage = repeated.split("\n\n").find(|event| event.contains("usage")).unwrap();
    let (three, _) =
        talked(Format::Chat, vec![events(&format!("{usage}\n\n{usage}\n\n{repeated}"))]);
    assert_eq!(three.usage(), [(100, 7, 40)]);
}

#[test]
fn a_price_makes_a_cost_and_without_one_there_is_none() {
    let (scene, done) = (Scene::new(May::Read), Format::Chat.done());
    let priced = json!({"price": {"in": 3.0, "out": 15.0, "cached": 0.5}});
    for (settings, cost) in [(json!({}), None), (priced, Some(180 + 20 + 105))] {
        let server = Server::playing(vec![events(&done)]);
        let talked = scene.talk(Format::Chat.agent(), &server, &settings);
        assert_eq!(talked.of(LineKind::Usage).next().unwrap().micro_usd, cost);
    }
}

#[test]
fn the_key_is_in_a_header_and_the_models_own_content_goes_back_untouched() {
    let thinking = json!({"type": "thinking", "thinking": "", "signature": ""});
    let redacted = json!({"type": "redacted_thinking", "data": "b3BhcXVl"});
    let all = [
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": thinking}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "I look."}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}}),
        json!({"type": "content_block_start", "index": 1, "content_block": redacted}),
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t1", "name": "glob", "input": {}}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{\"pattern\": \"*\"}"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}}),
        json!({"type": "message_stop"}),
    ];
    let stream: String = all.iter().map(|event| Format::Messages.event(event)).collect();
    let (talked, server) =
        talked(Format::Messages, vec![events(&stream), events(&Format::Messages.done())]);
    assert_eq!(talked.end().0, "completed");
    let requests = server.requests();
    assert!(requests[0].line.starts_with("POST /v1/messages "), "{}", requests[0].line);
    let headers = requests[0].headers.to_ascii_lowercase();
    assert!(
        headers.contains("x-api-key: test-key")
            && headers.contains("anthropic-version: 2023-06-01")
    );
    let messages = &requests[1].body["messages"];
    let expected = json!([
        {"type": "thinking", "thinking": "I look.", "signature": "c2ln"},
        redacted,
        {"type": "tool_use", "id": "t1", "name": "glob", "input": {"pattern": "*"}},
    ]);
    assert_eq!(messages[1], json!({"role": "assistant", "content": expected}));
    let result = &messages[2]["content"][0];
    assert_eq!((&result["type"], &result["tool_use_id"]), (&json!("tool_result"), &json!("t1")));
    assert_eq!(result["cache_control"], json!({"type": "ephemeral"}), "the mark is on the tail");
    assert_eq!(messages[0]["content"][0].get("cache_control"), None, "and nowhere else");
    assert_eq!(requests[0].body["tools"], requests[1].body["tools"], "byte-stable");
    assert_eq!(requests[0].body["system"], requests[1].body["system"]);
    let (_, chat) = self::talked(Format::Chat, vec![events(&Format::Chat.done())]);
    let request = &chat.requests()[0];
    assert!(request.line.starts_with("POST /v1/chat/completions "), "{}", request.line);
    assert!(request.headers.to_ascii_lowercase().contains("authorization: bearer test-key"));
    assert_eq!(request.body["stream_options"]["include_usage"], json!(true));
}

#[test]
fn a_local_server_that_would_cut_the_prompt_is_refused_with_the_cause() {
    let show = |parameters: &str| {
        (
            "/api/show",
            json!({"model_info": {}, "parameters": parameters, "capabilities": ["completion", "tools"]}),
        )
    };
    let ps = |models: Value| ("/api/ps", json!({"models": models}));
    let loaded = |window: u64| json!([{"model": "m:latest", "context_length": window}]);
    let props = |window: u64| ("/props", json!({"default_generation_settings": {"n_ctx": window}}));
    let load = ("/api/generate", json!({"done": true}));
    let rows: [(&str, Pages, Value, Option<&str>); 7] = [
        ("num_ctx", vec![show("temperature 1\nnum_ctx 4096")], json!({}), Some("Ollama")),
        ("num_ctx that is enough", vec![show("num_ctx 16384")], json!({}), None),
        ("loaded with little", vec![show(""), ps(loaded(4096))], json!({}), Some("Ollama")),
        (
            "loaded only now",
            vec![show(""), ps(json!([])), load, ps(loaded(32768))],
            json!({}),
            None,
        ),
        ("never told", vec![show(""), ps(json!([]))], json!({}), Some("4096")),
        ("never told but by the settings", vec![show("")], json!({"context_tokens": 20000}), None),
        ("llama.cpp", vec![props(2048)], json!({}), Some("llama.cpp")),
    ];
    for (trap, pages, settings, refused) in rows {
        let server = Server::local(pages, vec![events(&Format::Chat.done())]);
        let talked = Scene::new(May::Read).talk(Format::Chat.agent(), &server, &settings);
        let (reason, text, _) = talked.end();
        match refused {
            None => assert_eq!(reason, "completed", "{trap}: {text}"),
            Some(words) => {
                assert!(
                    reason == "context_full" && text.contains(words),
                    "{trap}: {reason} {text}"
                );
                assert_eq!(server.requests().len(), 0, "{trap}: nothing was sent to be cut");
            }
        }
    }
}
