//! Calls that a rehearsal plays, as hast records them: usage, limits, logins, words, endings.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use hast_flow::agents::events::Ending;
use hast_flow::agents::limit::{Limit, LimitCause};
use hast_flow::agents::outcome::{FailureClass, Outcome};
use hast_flow::agents::presets::Preset;
use hast_flow::agents::provider::Provider;
use hast_flow::agents::usage::{Earlier, Tokens, Usd};
use hast_flow::process::exit::Exit;

use crate::rehearsal_scene::{Rehearsed, put};
use crate::scene::NETS;

fn only(actions: &str) -> Rehearsed {
    Rehearsed::new(NETS[0], &format!("- do: [{actions}]\n"))
}

const DIALECTS: [&str; 9] =
    ["hast", "claude", "codex", "gemini", "qwen", "opencode", "goose", "copilot", "aider"];

#[test]
fn a_stream_is_read_as_that_of_the_agent_it_plays() {
    for like in DIALECTS {
        let stream = format!(
            "{{stream: {{like: {like}, session: s1, say: 'at {{{{unit}}}}', tool: Write, \
             usage: {{input: 900, output: 34, cached: 0, usd: 0.5}}, end: success}}}}"
        );
        let answer = only(&stream).answer();
        assert_eq!(answer.outcome, Outcome::Completed, "{like}");
        assert_eq!(answer.reply.final_text().trim(), "at M1.2", "{like}");
        let usage = answer.reply.usage(Earlier::Nothing);
        let tokens = Tokens { input: 900, output: 34, cached: 0 };
        assert_eq!(usage.tokens, (like != "copilot").then_some(tokens), "{like}");
        if ["hast", "claude", "opencode", "aider"].contains(&like) {
            assert_eq!(usage.cost, Some(Usd(500_000)), "{like}");
        }
    }
}

#[test]
fn a_limit_is_one_in_every_dialect_and_has_its_reset() {
    for like in DIALECTS {
        let answer = only(&format!("{{limit: {{like: {like}, resets_in: 3600}}}}")).answer();
        let Outcome::Limited(Limit { cause, resume_at, .. }) = answer.outcome else {
            panic!("{like}: {:?}", answer.outcome)
        };
        assert_eq!(cause, LimitCause::Usage, "{like}");
        assert_eq!(resume_at.unwrap().to_string(), "2026-02-09T06:30:00Z", "{like}");
    }
    let answer = only("{limit: {status: 529, text: Overloaded}}").answer();
    assert!(
        matches!(
            answer.outcome,
            Outcome::Limited(Limit { cause: LimitCause::Overloaded, resume_at: None, .. })
        ),
        "{:?}",
        answer.outcome
    );
}

#[test]
fn a_missing_login_stops() {
    for action in ["login", "{login: Please run /login}", "{login: {like: codex}}"] {
        let answer = only(action).answer();
        assert!(matches!(answer.outcome, Outcome::LoginNeeded { .. }), "{action}");
        assert_eq!(answer.ended.exit, Exit::Exited(1));
    }
}

#[test]
fn its_own_words_count() {
    let answer = only("{blocked: 'which {{unit}}?'}").answer();
    assert_eq!(answer.outcome, Outcome::Blocked { reason: "which M1.2?".to_owned() });
    let answer = only("{failed: no}, {exit: 0}").answer();
    let class = FailureClass::AgentSaid;
    assert_eq!(answer.outcome, Outcome::Failed { class, reason: "no".to_owned() });
    let answer = only("{stream: {error: {text: 'connection refused'}}}").answer();
    assert!(matches!(answer.outcome, Outcome::Failed { class: FailureClass::Connection, .. }));
    let answer = only("{stream: {say: x, end: failure}}").answer();
    assert_eq!(answer.reply.ending, Some(Ending::Failure));
    assert!(matches!(answer.outcome, Outcome::Failed { class: FailureClass::AgentSaid, .. }));
}

#[test]
fn exit_codes_signals_and_crashes_are_what_they_are() {
    for (action, exit) in [
        ("{exit: 7}", Exit::Exited(7)),
        ("{print: x}", Exit::Exited(0)),
        ("{signal: TERM}", Exit::Signalled(15)),
        ("{signal: KILL}", Exit::Signalled(9)),
        ("{signal: SEGV}", Exit::Signalled(11)),
        ("{signal: INT}", Exit::Signalled(2)),
        ("crash", Exit::Signalled(6)),
    ] {
        for net in NETS {
            let answer = Rehearsed::new(net, &format!("- do: [{action}]\n")).answer();
            assert_eq!(answer.ended.exit, exit, "{action} {net:?}");
        }
    }
}

#[test]
fn output_is_printed_as_written() {
    let answer = only(
        "{print: one}, {print: {text: two, newline: false}}, {print: {base64: /wA=}}, \
         {print: {text: oops, to: stderr}}",
    )
    .answer();
    assert_eq!(answer.ended.stdout.head, b"one\ntwo\xff\0");
    assert_eq!(answer.ended.stderr.head, b"oops\n");
}

#[test]
fn it_waits_for_a_file() {
    let mut call = only("{print: ready}, {wait_for: go}, {print: went}");
    let go = call.tree("go");
    let answer = call.answer_while(&mut |printed| {
        if printed.contains("ready") {
            put(&go, "");
        }
    });
    assert_eq!(answer.ended.stdout.head, b"ready\nwent\n");
    let answer = only("{wait_for: {path: never, seconds: 0}}").answer();
    assert_eq!(answer.ended.exit, Exit::Exited(98));
}

/// A program with a preset's name that plays a rehearsal as that agent.
pub(crate) fn in_the_place_of(preset: Preset, call: &mut Rehearsed) {
    let bin = call.scene.directory.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let program = bin.join(preset.description().program);
    let hast = env!("CARGO_BIN_EXE_hast");
    put(&program, &format!("#!/bin/sh\nexec '{hast}' agent rehearse play.yaml --raw\n"));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    call.scene.spec.env.insert("PATH".into(), format!("{}:{path}", bin.display()).into());
    call.provider = Provider::Preset(preset);
}

#[test]
fn a_rehearsal_can_stand_in_for_a_presets_program() {
    for preset in Preset::ALL {
        let like = preset.description().name;
        let say = format!("{{stream: {{like: {like}, session: s1, say: hi");
        for (actions, expected) in [
            (format!("{say}, end: success}}}}"), "completed"),
            (format!("{{limit: {{like: {like}}}}}"), "limited"),
            // A stream without its ending is a broken call, for those that announce one.
            (format!("{say}}}}}"), if preset == Preset::Aider { "completed" } else { "no ending" }),
        ] {
            let mut call = only(&actions);
            in_the_place_of(preset, &mut call);
            let found = match call.answer().outcome {
                Outcome::Completed => "completed",
                Outcome::Limited(_) => "limited",
                Outcome::Failed { class: FailureClass::NoEnding, .. } => "no ending",
                other => panic!("{like}: {other:?}"),
            };
            assert_eq!(found, expected, "{like}: {actions}");
        }
    }
}
