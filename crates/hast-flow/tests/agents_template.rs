//! Command lines of users: where the prompt goes, and what is refused before anything is started.

#![cfg(test)]

mod agents_scene;

use agents_scene::with_prompt;
use hast_flow::agents::command::{AgentCommand, MAX_ARGUMENT_BYTES};
use hast_flow::agents::presets::{EndingIs, Preset};
use hast_flow::agents::problem::{AgentProblem, say};
use hast_flow::agents::provider::Provider;
use hast_flow::process::Stdin;
use hast_flow::words::{Lang, placeholders};

fn command(line: &str, prompt: &str) -> AgentCommand {
    Provider::parse(line).unwrap().command(&with_prompt(prompt), "hast").unwrap()
}

fn refused(line: &str) -> AgentProblem {
    Provider::parse(line).unwrap_err()
}

#[test]
fn a_prompt_is_exactly_one_argument_whatever_is_in_it() {
    for prompt in ["two words", "'; rm -rf / #", "$(id) `id`", "a\nb\"c\\", "{prompt_file} {stdin}"]
    {
        let command = command("mytool --ask {prompt} --quick", prompt);
        assert_eq!(command.program, "mytool");
        assert_eq!(command.args, ["--ask", prompt, "--quick"], "{prompt}");
        assert_eq!(command.stdin, Stdin::Nothing);
        assert_eq!(command.shown, "mytool --ask {prompt} --quick");
    }
}

#[test]
fn words_are_split_like_a_shell_would() {
    let command = command("'my tool' --system \"be brief\" a\\ b {prompt}", "p");
    assert_eq!(command.program, "my tool");
    assert_eq!(command.args, ["--system", "be brief", "a b", "p"]);
}

#[test]
fn the_prompt_file_is_a_path_and_stdin_is_a_word_that_vanishes() {
    let file = command("mytool --file={prompt_file} -x", "p");
    assert_eq!(file.args, ["--file=/calls/1/prompt.md", "-x"]);
    assert_eq!(file.stdin, Stdin::Nothing);
    let stdin = command("mytool {stdin} -x", "p");
    assert_eq!(stdin.args, ["-x"]);
    assert_eq!(stdin.stdin, Stdin::Bytes(b"p".to_vec()));
}

#[test]
fn a_prompt_is_never_read_as_an_option() {
    assert_eq!(command("mytool {prompt}", "--version").args, ["\n--version"]);
    assert_eq!(command("mytool -- {prompt}", "--version").args, ["--", "--version"]);
}

#[test]
fn a_line_must_say_where_the_prompt_goes() {
    for line in ["mytool", "mytool prompt", "{prompt}", "{prompt_file} -x", "claude -p"] {
        assert!(matches!(refused(line), AgentProblem::NoPlaceholder { .. }), "{line}");
    }
    assert_eq!(refused("  "), AgentProblem::Empty);
    assert!(matches!(refused("mytool 'x {prompt}"), AgentProblem::UnclosedQuote { .. }));
    assert_eq!(refused("t {prompt} {prompt}"), AgentProblem::Twice { placeholder: "{prompt}" });
    assert_eq!(refused("rehearsal: "), AgentProblem::NoRehearsalFile);
    assert!(matches!(refused("builtin:other/x"), AgentProblem::BadBuiltin { .. }));
}

#[test]
fn a_prompt_inside_a_longer_word_is_an_injection() {
    for line in [
        "sh -c 'claude -p {prompt}'",
        "mytool --ask={prompt}",
        "mytool \"<{prompt}>\"",
        "sh -c 'cat {stdin}'",
    ] {
        assert!(matches!(refused(line), AgentProblem::InsideWord { .. }), "{line}");
    }
}

#[test]
fn a_prompt_that_an_interpreter_would_run_is_an_injection() {
    for line in [
        "sh -c {prompt}",
        "/bin/bash -lc {prompt}",
        "env LANG=C sh -ec {prompt}",
        "python3 -c {prompt}",
        "node --eval {prompt}",
        "ssh host {prompt}",
        "su agent -c {prompt}",
    ] {
        assert!(matches!(refused(line), AgentProblem::RunsThePrompt { .. }), "{line}");
    }
    let positional = command("sh -c 'mytool \"$1\"' sh {prompt}", "$(id)");
    assert_eq!(positional.args, ["-c", "mytool \"$1\"", "sh", "$(id)"]);
    assert_eq!(command("mytool -c {prompt}", "p").args, ["-c", "p"]);
}

#[test]
fn a_path_that_a_shell_would_take_apart_is_refused() {
    let provider = Provider::parse("sh -c 'mytool < {prompt_file}'").unwrap();
    let mut call = with_prompt("");
    assert_eq!(provider.command(&call, "hast").unwrap().args[1], "mytool < /calls/1/prompt.md");
    call.call.prompt_file = "/my calls/$(id)/prompt.md".to_owned();
    let problem = provider.command(&call, "hast").unwrap_err();
    assert!(matches!(problem, AgentProblem::PathInShell { .. }));
}

#[test]
fn a_prompt_that_does_not_fit_an_argument_is_refused_before_starting() {
    let long = "x".repeat(MAX_ARGUMENT_BYTES);
    let provider = Provider::parse("mytool {prompt}").unwrap();
    let problem = provider.command(&with_prompt(&long), "hast").unwrap_err();
    assert_eq!(problem, AgentProblem::PromptTooLong { bytes: MAX_ARGUMENT_BYTES });
    assert!(problem.next(Lang::En).contains("{prompt_file} or {stdin}"));
    assert!(problem.next(Lang::Ko).contains("{stdin}"));
    let fits = &long[..MAX_ARGUMENT_BYTES - 2];
    assert_eq!(command("mytool {prompt}", fits).args[0].len(), MAX_ARGUMENT_BYTES - 2);
    assert_eq!(
        provider.command(&with_prompt("a\0b"), "hast").unwrap_err(),
        AgentProblem::PromptHasNul
    );
    assert_eq!(command("mytool {stdin}", &long).stdin, Stdin::Bytes(long.into_bytes()));
}

#[test]
fn claude_as_a_line_is_claude_and_works_as_written() {
    let provider = Provider::parse("claude -p {prompt}").unwrap();
    let Provider::Template(template) = &provider else { panic!("{provider:?}") };
    assert_eq!(template.known_as(), Some(Preset::Claude));
    let command = provider.command(&with_prompt("do it"), "hast").unwrap();
    assert_eq!(
        (&*command.program, &*command.args),
        ("claude", &["-p".to_owned(), "do it".to_owned()][..])
    );
    assert!(command.inherit.contains(&"ANTHROPIC_*".to_owned()));
    assert_eq!(provider.homes(), Provider::Preset(Preset::Claude).homes());
    assert_eq!(provider.ending(), EndingIs::Silent, "it prints text");
    let streaming =
        Provider::parse("/opt/bin/claude -p --output-format stream-json --verbose {stdin}")
            .unwrap();
    assert_eq!(streaming.ending(), EndingIs::Announced, "it prints the preset's stream");
}

#[test]
fn every_agent_is_given_the_public_environment() {
    for line in ["claude", "aider", "mytool {prompt}", "rehearsal:demo.yaml"] {
        let env = command(line, "p").env;
        for (name, value) in [
            ("HAST_FLOW", "session"),
            ("HAST_ROLE", "critic"),
            ("HAST_STEP", "review"),
            ("HAST_OUTBOX", "/calls/1/outbox"),
            ("HAST_CALL", "/calls/1/call.json"),
        ] {
            assert_eq!(env.get(name).map(String::as_str), Some(value), "{line}");
        }
    }
}

#[test]
fn an_agent_sees_its_own_keys_and_no_others() {
    let user =
        [("PATH", "/bin"), ("ANTHROPIC_API_KEY", "a"), ("OPENAI_API_KEY", "o"), ("MINE", "m")];
    let user = user.map(|(name, value)| (name.into(), value.into()));
    let spec = command("claude", "p").in_environment(user, &["MINE".parse().unwrap()]);
    let has = |name: &str| spec.env.contains_key(std::ffi::OsStr::new(name));
    assert!(has("PATH") && has("ANTHROPIC_API_KEY") && has("MINE") && has("HAST_CALL"));
    assert!(!has("OPENAI_API_KEY"));
}

#[test]
fn every_problem_is_said_in_both_languages() {
    for entry in say::CATALOGUE {
        assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
    }
}
