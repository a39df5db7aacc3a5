//! Tests of the choice of the agent for a call and of the record of the call. The harness for real
//! agents must call agents with the same flags as hast.

#![cfg(test)]

mod agents_scene;

use std::path::PathBuf;

use agents_scene::with_prompt;
use hast_flow::agents::choice::{Chosen, Why, Wishes, choose, fallbacks};
use hast_flow::agents::command::{AgentCall, NativeSession};
use hast_flow::agents::limit::{Limit, LimitCause};
use hast_flow::agents::outcome::Outcome;
use hast_flow::agents::presets::{Preset, PromptWay};
use hast_flow::agents::problem::AgentProblem;
use hast_flow::agents::provider::Provider;
use hast_flow::agents::record::{Recording, earlier, record};
use hast_flow::agents::redact::Redactor;
use hast_flow::agents::usage::{Earlier, Tokens, Usage};
use hast_flow::docs::call_record::{CallRecord, RecordedOutcome};
use hast_flow::docs::document::read;
use hast_flow::docs::goals::Config;
use hast_flow::formats::source::Source;
use hast_flow::process::exit::Exit;
use hast_flow::process::{Stdin, Stream};
use hast_flow::words::Lang;

const CONFIG: &str = "test_command: cargo test
ai_tool: codex
ai_tools:
  fast: \"mytool --quick {prompt}\"
  claude: \"claude -p --model opus {stdin}\"
roles:
  planner: gemini
  critic: nobody
fallback: [fast, codex, gemini, fast]
";

fn config() -> Config {
    read::<Config>(&Source::new("config.yaml", CONFIG)).unwrap().value
}

fn wishes(config: &Config) -> Wishes<'_> {
    Wishes { flag: None, unit: None, role: "worker", variable: None, config, installed: &[] }
}

fn name_and_why(chosen: &Chosen) -> (&str, Why) {
    (&chosen.name, chosen.why)
}

#[test]
fn a_role_is_the_same_however_it_is_written() {
    let config = config();
    for role in ["planner", "Planner", "PLANNER"] {
        let chosen = choose(Wishes { role, ..wishes(&config) }).unwrap();
        assert_eq!(name_and_why(&chosen), ("gemini", Why::Role), "{role}");
    }
    let both = CONFIG.replace("  critic: nobody\n", "  Planner: goose\n");
    let both = read::<Config>(&Source::new("config.yaml", &both)).unwrap().value;
    let chosen = choose(Wishes { role: "Planner", ..wishes(&both) }).unwrap();
    assert_eq!(chosen.name, "goose", "the one that is written so comes first");
}

#[test]
fn the_nearest_wish_wins() {
    let config = config();
    let all = Wishes {
        flag: Some("goose"),
        unit: Some("fast"),
        role: "planner",
        variable: Some("other {prompt}"),
        ..wishes(&config)
    };
    let order = [
        (all, ("goose", Why::Flag)),
        (Wishes { flag: None, ..all }, ("fast", Why::Unit)),
        (Wishes { flag: None, unit: None, ..all }, ("gemini", Why::Role)),
        (
            Wishes { flag: None, unit: None, role: "worker", ..all },
            ("other {prompt}", Why::Variable),
        ),
        (wishes(&config), ("codex", Why::Config)),
    ];
    for (wishes, expected) in order {
        assert_eq!(name_and_why(&choose(wishes).unwrap()), expected);
    }
}

#[test]
fn a_name_is_one_of_the_users_before_it_is_a_preset() {
    let config = config();
    let chosen = choose(Wishes { flag: Some("claude"), ..wishes(&config) }).unwrap();
    assert!(matches!(chosen.provider, Provider::Template(_)));
    let unknown = choose(Wishes { role: "critic", ..wishes(&config) });
    assert_eq!(unknown, Err(AgentProblem::UnknownAgent { name: "nobody".to_owned() }));
    let line = choose(Wishes { unit: Some("rm -rf {prompt}"), ..wishes(&config) });
    assert!(
        matches!(line, Err(AgentProblem::UnknownAgent { .. })),
        "a goal names, it does not define"
    );
    let rehearsal =
        choose(Wishes { flag: Some("rehearsal:demo.yaml"), ..wishes(&config) }).unwrap();
    assert!(matches!(rehearsal.provider, Provider::Rehearsal { .. }));
}

#[test]
fn without_configuration_an_installed_agent_is_taken_and_none_is_an_error_that_says_what_to_do() {
    let config = Config::default();
    let installed = [Preset::Aider, Preset::Gemini];
    let chosen = choose(Wishes { installed: &installed, ..wishes(&config) }).unwrap();
    assert_eq!(name_and_why(&chosen), ("gemini", Why::Installed));
    let problem = choose(wishes(&config)).unwrap_err();
    assert!(
        problem.next(Lang::En).contains("ai_tool") && problem.next(Lang::Ko).contains("ai_tool")
    );
}

#[test]
fn a_fallback_is_tried_once_and_never_the_first_agent_again() {
    let config = config();
    let first = choose(wishes(&config)).unwrap();
    let chain = fallbacks(&first, &config).unwrap();
    let names: Vec<&str> = chain.iter().map(|chosen| &*chosen.name).collect();
    assert_eq!(names, ["fast", "gemini"]);
}

#[test]
fn presets_take_the_prompt_by_stdin_or_file_and_go_on_with_sessions_where_proven() {
    let long = "x".repeat(200_000);
    let fresh = with_prompt(&long);
    let resumed = AgentCall { session: NativeSession::Resume("id-1".to_owned()), ..fresh.clone() };
    for preset in Preset::ALL {
        let provider = Provider::Preset(preset);
        let command = provider.command(&fresh, "hast").unwrap();
        let name = preset.description().name;
        assert!(command.args.iter().all(|arg| arg.len() < 200), "{name}");
        assert!(
            command.shown.ends_with("{prompt_file}") && !command.shown.contains("xxx"),
            "{name}"
        );
        match preset.description().prompt {
            PromptWay::Stdin(_) => assert_eq!(command.stdin, Stdin::Bytes(long.clone().into())),
            PromptWay::FileAfter(_) => {
                assert_eq!(command.args.last().map(String::as_str), Some("/calls/1/prompt.md"));
            }
        }
        let resumes = provider.command(&resumed, "hast").unwrap().args.contains(&"id-1".to_owned());
        assert_eq!(resumes, ["claude", "codex", "gemini"].contains(&name), "{name}");
    }
    let codex = Provider::Preset(Preset::Codex).command(&resumed, "hast").unwrap();
    assert_eq!(codex.args[codex.args.len() - 3..], ["resume", "id-1", "-"]);
}

#[test]
fn an_agent_that_writes_in_its_workspace_only_has_the_outbox_in_it() {
    let command = Provider::Preset(Preset::Gemini).command(&with_prompt("p"), "hast").unwrap();
    let at = command.args.iter().position(|arg| arg == "--include-directories").unwrap();
    assert_eq!(command.args[at + 1], "/calls/1/outbox");
}

#[test]
fn a_record_has_everything_but_secrets_and_the_next_call_reads_its_totals() {
    let call = with_prompt("p");
    let provider = Provider::parse("mytool \"--key=it's sk-secret-1\" {prompt}").unwrap();
    let command = provider.command(&call, "hast").unwrap();
    let mut reader = Provider::parse("codex").unwrap().reader();
    reader.push(Stream::Out, b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n");
    reader.push(
        Stream::Out,
        b"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":100,\"output_tokens\":9}}",
    );
    let reply = reader.finish();
    let before = Usage { tokens: Some(Tokens { input: 60, output: 4, cached: 0 }), cost: None };
    let outcome = Outcome::Limited(Limit {
        cause: LimitCause::Usage,
        resume_at: Some("2026-11-16T05:00:00Z".parse().unwrap()),
        text: "limit for sk-secret-1".to_owned(),
    });
    let recording = Recording {
        call: &call.call,
        command: &command,
        started_at: "2026-11-16T00:00:00Z".parse().unwrap(),
        duration_ms: 1500,
        exit: &Exit::Exited(1),
        reply: &reply,
        outcome: &outcome,
        earlier: Earlier::Known(before),
        findings: &[],
    };
    let record = record(
        recording,
        &Redactor::new([("KEY", "it's sk-secret-1"), ("PART", "sk-secret-1")]),
        Lang::En,
    );
    let text = serde_json::to_string_pretty(&record).unwrap();
    assert!(!text.contains("sk-secret"), "{text}");
    assert_eq!(record.command, "mytool '--key=[KEY redacted]' {prompt}");
    assert_eq!(record.outcome, RecordedOutcome::Limited);
    assert_eq!((record.usage.input_tokens, record.usage.micro_usd), (Some(40), None));
    let again = read::<CallRecord>(&Source::new("record.json", &text)).unwrap().value;
    assert_eq!(again, record);
    let totals = Usage { tokens: Some(Tokens { input: 100, output: 9, cached: 0 }), cost: None };
    assert_eq!(earlier(Some(&again)), Earlier::Known(totals));
    assert_eq!(earlier(None), Earlier::Unknown);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the harness is a file of the repository")]
fn the_harness_of_real_agents_calls_them_with_the_flags_of_the_presets() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..");
    let script = std::fs::read_to_string(root.join("tests/real-agents/agents.sh")).unwrap();
    for preset in Preset::ALL {
        let description = preset.description();
        let start = script.find(&format!("call_{}() {{", description.name)).unwrap();
        let body = &script[start..start + script[start..].find("\n}\n").unwrap()];
        let at = body.find(&format!("$(program {})", description.name)).unwrap();
        let words: Vec<&str> = body[at..].split_whitespace().collect();
        for flag in description.flags {
            assert!(words.contains(flag), "{}: {flag}", description.name);
        }
    }
}
