//! Tests of misleading output of agents: false endings, floods, cumulative numbers and unknown
//! lines. hast's reader must not be misled by any of them.

#![cfg(test)]

use hast_flow::agents::events::AgentEvent;
use hast_flow::agents::limit::{LimitCause, Moment};
use hast_flow::agents::outbox::Word;
use hast_flow::agents::outcome::{Documents, Evidence, FailureClass, Outcome, classify};
use hast_flow::agents::provider::Provider;
use hast_flow::agents::reply::{AgentReply, MAX_LINE_BYTES, MAX_TEXT_BYTES};
use hast_flow::agents::usage::{Earlier, Tokens, Usage, Usd};
use hast_flow::process::Stream;
use hast_flow::process::exit::{Exit, NotStarted};
use jiff::tz::Offset;
use proptest::prelude::*;

fn read(agent: &str, out: &str) -> AgentReply {
    let mut reader = Provider::parse(agent).unwrap().reader();
    reader.push(Stream::Out, out.as_bytes());
    reader.finish()
}

fn judge(agent: &str, exit: &Exit, out: &str, documents: Documents) -> Outcome {
    judge_word(agent, exit, out, documents, None)
}

fn judge_word(
    agent: &str,
    exit: &Exit,
    out: &str,
    documents: Documents,
    word: Option<&Word>,
) -> Outcome {
    let provider = Provider::parse(agent).unwrap();
    let moment = Moment { now: "2026-11-16T00:00:00Z".parse().unwrap(), offset: Offset::UTC };
    let reply = read(agent, out);
    classify(Evidence { provider: &provider, exit, reply: &reply, documents, word }, moment)
}

fn class(outcome: Outcome) -> FailureClass {
    match outcome {
        Outcome::Failed { class, .. } => class,
        other => panic!("{other:?}"),
    }
}

const CLAUDE_OK: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":5}}"#;

#[test]
fn claudes_cost_of_a_resumed_session_is_cut_to_the_call_and_its_tokens_are_not() {
    let reply = read("claude", CLAUDE_OK);
    let tokens = Some(Tokens { input: 10, output: 5, cached: 0 });
    let before =
        Usage { tokens: Some(Tokens { input: 8, output: 1, cached: 0 }), cost: Some(Usd(200_000)) };
    assert_eq!(reply.usage(Earlier::Known(before)), Usage { tokens, cost: Some(Usd(300_000)) });
    assert_eq!(reply.usage(Earlier::Unknown), Usage { tokens, cost: None });
    assert_eq!(reply.reported(), Usage { tokens, cost: Some(Usd(500_000)) });
}

#[test]
fn codexs_tokens_of_a_resumed_session_are_cut_to_the_call() {
    let line = r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":9}}"#;
    let reply = read("codex", line);
    let before = Usage { tokens: Some(Tokens { input: 60, output: 4, cached: 40 }), cost: None };
    let call = Tokens { input: 40, output: 5, cached: 0 };
    assert_eq!(reply.usage(Earlier::Known(before)), Usage { tokens: Some(call), cost: None });
    assert_eq!(reply.usage(Earlier::Unknown), Usage::default());
}

#[test]
fn an_error_item_of_codex_is_a_warning_and_a_retry_is_no_failure() {
    let lines = r#"{"type":"item.completed","item":{"type":"error","message":"Model metadata not found. 401"}}
{"type":"error","message":"Reconnecting... 1/5 (unexpected status 503)"}
{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
    assert_eq!(
        judge("codex", &Exit::Exited(0), lines, Documents::NoneExpected),
        Outcome::Completed
    );
}

#[test]
fn geminis_exit_code_is_the_status_where_its_words_are_not() {
    let line = r#"{"type":"result","status":"error","error":{"message":"[API Error: no]"}}"#;
    let judged = |code| judge("gemini", &Exit::Exited(code), line, Documents::NoneExpected);
    assert!(matches!(judged(145), Outcome::LoginNeeded { .. }));
    assert!(matches!(judged(173), Outcome::Limited(limit) if limit.cause == LimitCause::Rate));
    assert!(matches!(judged(17), Outcome::Limited(limit) if limit.cause == LimitCause::Overloaded));
    assert_eq!(class(judged(1)), FailureClass::Api);
}

#[test]
fn goose_says_complete_after_a_failure_too() {
    let lines = r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"Ran into this error: Server error 500."}]}}
{"type":"complete","total_tokens":null}"#;
    assert_eq!(
        class(judge("goose", &Exit::Exited(0), lines, Documents::NoneExpected)),
        FailureClass::Api
    );
}

#[test]
fn copilot_says_exit_code_0_after_an_abort_too() {
    let lines = "{\"type\":\"abort\",\"data\":{}}\n{\"type\":\"result\",\"exitCode\":0}";
    assert_eq!(
        class(judge("copilot", &Exit::Exited(0), lines, Documents::NoneExpected)),
        FailureClass::AgentSaid
    );
}

#[test]
fn opencodes_price_of_nothing_is_not_a_price() {
    let step = |cost: f64| {
        format!(
            r#"{{"type":"step_finish","part":{{"reason":"stop","tokens":{{"input":5,"output":2,"reasoning":1,"cache":{{"read":3,"write":1}}}},"cost":{cost}}}}}"#
        )
    };
    let tokens = Tokens { input: 9, output: 3, cached: 3 };
    let free = read("opencode", &step(0.0)).usage(Earlier::Nothing);
    assert_eq!(free, Usage { tokens: Some(tokens), cost: None });
    let two_steps = format!("{}\n{}", step(0.25), step(0.5));
    assert_eq!(read("opencode", &two_steps).usage(Earlier::Nothing).cost, Some(Usd(750_000)));
}

#[test]
fn aiders_rounded_numbers_are_read() {
    let line =
        "Tokens: 12k sent, 1,024 cache hit, 1.5k received. Cost: $0.03 message, $0.10 session.";
    let usage = read("aider", line).usage(Earlier::Nothing);
    assert_eq!(usage.tokens, Some(Tokens { input: 12_000, output: 1_500, cached: 1_024 }));
    assert_eq!(usage.cost, Some(Usd(30_000)));
}

#[test]
fn an_agent_that_ends_with_0_and_no_ending_was_cut_off() {
    for agent in ["claude", "codex", "gemini", "qwen", "opencode", "goose", "copilot"] {
        let outcome =
            judge(agent, &Exit::Exited(0), "{\"type\":\"new\"}\n", Documents::NoneExpected);
        assert_eq!(class(outcome), FailureClass::NoEnding, "{agent}");
    }
}

#[test]
fn the_exit_code_alone_decides_nothing() {
    let none = Documents::NoneExpected;
    assert_eq!(judge("claude", &Exit::Exited(1), CLAUDE_OK, none), Outcome::Completed);
    assert_eq!(
        judge("mytool {prompt}", &Exit::Exited(1), "done", Documents::Complete),
        Outcome::Completed
    );
    let failed = judge("mytool {prompt}", &Exit::Exited(3), "oops", Documents::Missing);
    assert_eq!(class(failed), FailureClass::ExitCode(3));
    assert_eq!(judge("mytool {prompt}", &Exit::Exited(0), "done", none), Outcome::Completed);
}

#[test]
fn plain_words_about_limits_count_only_where_work_is_missing() {
    let limit = "Claude AI usage limit reached|1794790800";
    let judged =
        |code, documents| judge("claude -p {prompt}", &Exit::Exited(code), limit, documents);
    assert_eq!(judged(0, Documents::Complete), Outcome::Completed);
    for (code, documents) in [(1, Documents::NoneExpected), (0, Documents::Missing)] {
        let Outcome::Limited(limit) = judged(code, documents) else { panic!("{code}") };
        assert_eq!(
            limit.resume_at.map(|at| at.to_string()).as_deref(),
            Some("2026-11-16T01:00:00Z")
        );
    }
    let login = judge(
        "claude -p {prompt}",
        &Exit::Exited(1),
        "Not logged in · Please run /login",
        Documents::NoneExpected,
    );
    assert!(matches!(login, Outcome::LoginNeeded { .. }));
}

#[test]
fn what_the_supervisor_knows_wins_over_a_good_ending() {
    for (exit, expected) in [
        (Exit::TimedOut, FailureClass::TimedOut),
        (Exit::Stalled, FailureClass::Stalled),
        (Exit::Flooded, FailureClass::Flooded),
        (Exit::Leaked(2), FailureClass::Supervision),
        (Exit::Lost, FailureClass::Supervision),
    ] {
        assert_eq!(class(judge("claude", &exit, CLAUDE_OK, Documents::Complete)), expected);
    }
    let killed = judge("claude", &Exit::Signalled(9), "", Documents::NoneExpected);
    assert_eq!(class(killed), FailureClass::Signal(9));
    assert_eq!(
        judge("claude", &Exit::Cancelled, CLAUDE_OK, Documents::Complete),
        Outcome::Cancelled
    );
    let missing = Exit::NotStarted(NotStarted::NoProgram);
    assert_eq!(
        judge("claude", &missing, "", Documents::Missing),
        Outcome::NotStarted(NotStarted::NoProgram)
    );
}

#[test]
fn a_call_that_we_ended_while_it_waited_for_the_service_is_limited() {
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":3,"error_status":429,"error":"rate_limit"}"#;
    let outcome = judge("claude", &Exit::TimedOut, retry, Documents::Missing);
    assert!(matches!(outcome, Outcome::Limited(_)), "{outcome:?}");
}

#[test]
fn the_agents_own_word_wins_over_how_it_ended() {
    let blocked = Word::Blocked { reason: "which database?".to_owned() };
    let outcome = judge_word("claude", &Exit::Exited(1), "", Documents::Missing, Some(&blocked));
    assert_eq!(outcome, Outcome::Blocked { reason: "which database?".to_owned() });
    let failed = Word::Failed { error: "no".to_owned() };
    let outcome =
        judge_word("claude", &Exit::Exited(0), CLAUDE_OK, Documents::Missing, Some(&failed));
    assert_eq!(class(outcome), FailureClass::AgentSaid);
}

#[test]
fn unknown_lines_are_kept_as_they_are_and_are_no_error() {
    let lines = format!(
        "Warning: new version\n{{\"type\":\"from_the_future\",\"x\":1}}\n{{torn\n{CLAUDE_OK}\n"
    );
    let reply = read("claude", &lines);
    assert_eq!(reply.raw.first.len(), 3);
    assert_eq!(reply.raw.first[1], "{\"type\":\"from_the_future\",\"x\":1}");
    assert_eq!(reply.final_text(), "ok");
}

#[test]
fn a_flood_does_not_grow_the_memory() {
    let mut reader = Provider::parse("mytool {prompt}").unwrap().reader();
    let megabyte = vec![b'x'; 1 << 20];
    for _ in 0..(MAX_LINE_BYTES >> 20) + 4 {
        assert!(reader.push(Stream::Out, &megabyte).is_empty());
    }
    reader.push(Stream::Out, b"\nafter\n");
    for _ in 0..100_000 {
        reader.push(Stream::Out, b"a line of text that is repeated without end\n");
        reader.push(Stream::Err, b"noise\n");
    }
    let reply = reader.finish();
    assert_eq!(reply.raw.too_long, 1);
    assert!(reply.final_text().len() <= 2 * MAX_TEXT_BYTES);
    assert_eq!((reply.raw.first.len(), reply.raw.more), (64, 99_936));
}

#[test]
fn whoever_watches_sees_progress_as_it_comes() {
    let mut reader = Provider::parse("claude").unwrap().reader();
    let line = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"on it"},{"type":"tool_use","name":"Bash"}]}}"#;
    assert!(reader.push(Stream::Out, line.as_bytes()).is_empty(), "the line is not over");
    let events = reader.push(Stream::Out, b"\n");
    assert_eq!(events, [AgentEvent::Said("on it".to_owned()), AgentEvent::Tool("Bash".into())]);
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), agent in 0_usize..9) {
        let agents = ["claude", "codex", "gemini", "qwen", "opencode", "goose", "copilot", "aider", "t {prompt}"];
        let mut reader = Provider::parse(agents[agent]).unwrap().reader();
        reader.push(Stream::Out, &bytes);
        reader.push(Stream::Err, &bytes);
        reader.finish();
    }

    #[test]
    fn no_json_makes_a_reader_panic(kind in "[a-z._]{1,12}|result|error|message|assistant|step_finish", value in "null|-1|1e400|\"x\"|\\[\\]|\\{\\}|true", agent in 0_usize..8) {
        let agents = ["claude", "codex", "gemini", "qwen", "opencode", "goose", "copilot", "aider"];
        let keys = ["usage", "message", "part", "data", "error", "stats", "result", "item", "content"];
        let fields: Vec<String> = keys.iter().map(|key| format!("\"{key}\":{value}")).collect();
        let line = format!("{{\"type\":\"{kind}\",{}}}\n", fields.join(","));
        let mut reader = Provider::parse(agents[agent]).unwrap().reader();
        reader.push(Stream::Out, line.as_bytes());
        reader.finish();
    }
}
