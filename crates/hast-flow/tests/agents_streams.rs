//! Streams of real agents, read and judged: see `streams/README.md` for where they come from.

#![cfg(test)]

use std::path::PathBuf;

use hast_flow::agents::limit::{LimitCause, Moment};
use hast_flow::agents::outcome::{Documents, Evidence, FailureClass, Outcome, classify};
use hast_flow::agents::provider::Provider;
use hast_flow::agents::reply::AgentReply;
use hast_flow::agents::usage::{Earlier, Tokens, Usage, Usd};
use hast_flow::process::Stream;
use hast_flow::process::exit::Exit;
use jiff::tz::Offset;

struct Recorded {
    out: Vec<u8>,
    err: Vec<u8>,
    exit: Exit,
}

#[expect(clippy::disallowed_methods, reason = "recorded streams are files beside this test")]
fn recorded(agent: &str, case: &str) -> Recorded {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let file = |ending: &str| root.join(format!("tests/streams/{agent}/{case}.{ending}"));
    let code = std::fs::read_to_string(file("exit")).unwrap();
    Recorded {
        out: std::fs::read(file("ndjson")).unwrap(),
        err: std::fs::read(file("stderr")).unwrap_or_default(),
        exit: match code.trim().parse().unwrap() {
            124 => Exit::TimedOut,
            code => Exit::Exited(code),
        },
    }
}

fn reply(agent: &str, recorded: &Recorded, chunk: usize) -> AgentReply {
    let mut reader = Provider::parse(agent).unwrap().reader();
    for piece in recorded.out.chunks(chunk) {
        reader.push(Stream::Out, piece);
    }
    for piece in recorded.err.chunks(chunk) {
        reader.push(Stream::Err, piece);
    }
    reader.finish()
}

/// Monday, 2026-11-16, 12:00 in Seoul.
fn moment() -> Moment {
    Moment { now: "2026-11-16T03:00:00Z".parse().unwrap(), offset: Offset::constant(9) }
}

fn outcome(agent: &str, case: &str) -> Outcome {
    let recorded = recorded(agent, case);
    let provider = Provider::parse(agent).unwrap();
    let evidence = Evidence {
        provider: &provider,
        exit: &recorded.exit,
        reply: &reply(agent, &recorded, usize::MAX),
        documents: Documents::NoneExpected,
        word: None,
    };
    classify(evidence, moment())
}

fn in_a_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Blocked { .. } => "blocked",
        Outcome::Limited(limit) => match limit.cause {
            LimitCause::Usage => "usage limit",
            LimitCause::Rate => "rate limit",
            LimitCause::Overloaded => "overloaded",
        },
        Outcome::LoginNeeded { .. } => "login",
        Outcome::Denied { .. } => "denied",
        Outcome::Failed { class: FailureClass::Connection, .. } => "connection",
        Outcome::Failed { class: FailureClass::TimedOut, .. } => "timed out",
        Outcome::Failed { .. } => "failed",
        Outcome::NotStarted(_) | Outcome::NeverBegan { .. } => "not started",
        Outcome::Cancelled => "cancelled",
    }
}

/// The cases in the order of the columns below.
const CASES: [&str; 9] =
    ["write", "401", "429", "429-soon", "usage", "529", "cut", "silence", "refused"];

/// An agent that waits an hour without a word for the reset of a 429 can only be timed out; aider
/// breaks its lines in the middle of the words that tell one limit from another.
#[rustfmt::skip]
const TABLE: &[(&str, [&str; 9])] = &[
    ("claude",   ["completed", "login", "rate limit", "rate limit", "usage limit", "overloaded", "completed",  "timed out", "connection"]),
    ("codex",    ["completed", "login", "rate limit", "rate limit", "usage limit", "overloaded", "connection", "timed out", "connection"]),
    ("gemini",   ["completed", "login", "rate limit", "rate limit", "usage limit", "overloaded", "connection", "timed out", "connection"]),
    ("qwen",     ["completed", "login", "timed out",  "rate limit", "timed out",   "timed out",  "connection", "timed out", "connection"]),
    ("opencode", ["completed", "login", "timed out",  "rate limit", "timed out",   "timed out",  "connection", "timed out", "timed out"]),
    ("goose",    ["completed", "login", "timed out",  "rate limit", "timed out",   "overloaded", "connection", "timed out", "connection"]),
    ("copilot",  ["completed", "login", "rate limit", "rate limit", "usage limit", "overloaded", "connection", "timed out", "timed out"]),
    ("aider",    ["completed", "login", "rate limit", "rate limit", "rate limit",  "overloaded", "connection", "timed out", "timed out"]),
];

#[test]
fn every_recorded_call_is_judged_right() {
    let mut wrong = Vec::new();
    for (agent, expected) in TABLE {
        for (case, expected) in CASES.iter().zip(expected) {
            let outcome = outcome(agent, case);
            if in_a_word(&outcome) != *expected {
                wrong.push(format!("{agent} {case}: expected {expected}, found {outcome:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tokens_are_those_that_were_reported_and_cost_is_never_invented() {
    // What the server counted; aider counts by itself.
    let counted = Tokens { input: 2400, output: 68, cached: 400 };
    for (agent, tokens, cost) in [
        ("claude", Some(counted), Some(Usd(9440))),
        ("codex", Some(counted), None),
        ("gemini", Some(counted), None),
        ("qwen", Some(counted), None),
        ("opencode", Some(counted), None),
        ("goose", Some(Tokens { cached: 0, ..counted }), None),
        ("copilot", None, None),
        ("aider", Some(Tokens { input: 623, output: 9, cached: 0 }), None),
    ] {
        let reply = reply(agent, &recorded(agent, "write"), usize::MAX);
        assert_eq!(reply.usage(Earlier::Nothing), Usage { tokens, cost }, "{agent}");
    }
}

#[test]
fn these_agents_tell_what_they_used_while_they_work_and_the_others_only_at_their_end() {
    for (agent, before_its_end) in [
        ("claude", Some((1234, 2468))),
        ("qwen", Some((1234, 2468))),
        ("opencode", Some((1234, 1234))),
        ("codex", None),
        ("gemini", None),
        ("goose", None),
        ("copilot", None),
        ("aider", Some((632, 632))),
    ] {
        let recorded = recorded(agent, "write");
        let mut reader = Provider::parse(agent).unwrap().reader();
        let mut told = Vec::new();
        for line in recorded.out.split_inclusive(|byte| *byte == b'\n') {
            reader.push(Stream::Out, line);
            if !reader.has_ended() {
                told.extend(reader.used().tokens.map(Tokens::total));
            }
        }
        let told = told.first().copied().zip(told.last().copied());
        assert_eq!(told, before_its_end, "{agent}");
    }
}

#[test]
fn every_agent_but_two_tells_its_session_and_all_say_their_last_words() {
    for (agent, _) in TABLE {
        let reply = reply(agent, &recorded(agent, "write"), usize::MAX);
        assert_eq!(reply.session.is_some(), !["aider", "goose"].contains(agent), "{agent}");
        let said = if *agent == "aider" { "hello" } else { "The file is written." };
        assert!(reply.final_text().contains(said), "{agent}: {}", reply.final_text());
    }
}

#[test]
fn how_the_bytes_are_cut_changes_nothing() {
    for (agent, _) in TABLE {
        for case in CASES {
            let recorded = recorded(agent, case);
            let whole = reply(agent, &recorded, usize::MAX);
            for chunk in [1, 7, 1000] {
                assert_eq!(reply(agent, &recorded, chunk), whole, "{agent} {case} {chunk}");
            }
        }
    }
}

#[test]
fn a_reset_time_that_is_printed_is_found() {
    let resume_at = |agent: &str, case: &str| match outcome(agent, case) {
        Outcome::Limited(limit) => limit.resume_at.map(|at| at.to_string()),
        other => panic!("{agent} {case}: {other:?}"),
    };
    assert_eq!(resume_at("gemini", "429").as_deref(), Some("2026-11-16T04:00:00Z"));
    assert_eq!(resume_at("opencode", "429-soon").as_deref(), Some("2026-11-16T03:00:01Z"));
    assert_eq!(
        resume_at("claude", "by-hand-subscription").as_deref(),
        Some("2026-11-16T06:00:00Z")
    );
    assert_eq!(resume_at("claude", "429"), None);
    let codex = resume_at("codex", "usage").unwrap();
    assert!(codex.ends_with(":00Z"), "a time on a clock: {codex}");
}

#[test]
fn codex_may_go_on_after_it_says_that_its_retry_limit_is_exceeded() {
    // The same line as where it waits for an hour: no reason to end a call.
    let line = "exceeded retry limit, last status: 429";
    for (case, ended) in [("429", "rate limit"), ("by-hand-429-once", "completed")] {
        let said = String::from_utf8(recorded("codex", case).out).unwrap();
        assert!(said.contains(line), "{case}: {said}");
        assert_eq!(in_a_word(&outcome("codex", case)), ended);
    }
}

#[test]
fn these_agents_print_when_to_come_back_and_no_others_do() {
    let mut found = Vec::new();
    for (agent, _) in TABLE {
        for case in CASES {
            if matches!(outcome(agent, case), Outcome::Limited(limit) if limit.resume_at.is_some())
            {
                found.push((*agent, case));
            }
        }
    }
    let expected = [
        ("codex", "usage"),
        ("gemini", "429"),
        ("gemini", "429-soon"),
        ("gemini", "usage"),
        ("opencode", "429-soon"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_denied_permission_counts_only_where_documents_are_missing() {
    let recorded = recorded("claude", "by-hand-denied");
    let provider = Provider::parse("claude").unwrap();
    let reply = reply("claude", &recorded, usize::MAX);
    assert_eq!(reply.denials, ["Write"]);
    let judge = |documents| {
        let evidence = Evidence {
            provider: &provider,
            exit: &recorded.exit,
            reply: &reply,
            documents,
            word: None,
        };
        classify(evidence, moment())
    };
    assert_eq!(judge(Documents::Missing), Outcome::Denied { tools: vec!["Write".to_owned()] });
    assert_eq!(judge(Documents::Complete), Outcome::Completed);
    assert_eq!(judge(Documents::NoneExpected), Outcome::Completed);
}

#[test]
fn an_interrupted_claude_ends_with_0_and_is_still_a_failure() {
    let outcome = outcome("claude", "by-hand-interrupted");
    assert_eq!(in_a_word(&outcome), "failed", "{outcome:?}");
}
