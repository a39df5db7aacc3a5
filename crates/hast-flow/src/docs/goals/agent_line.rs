//! A configured line that calls an agent is checked here, as far as the text of the line shows its
//! faults. Examples are an open quote, a missing placeholder for the prompt, and an interpreter
//! that would run the prompt. The check starts no program.

use strsim::osa_distance;

use crate::docs::document::Rules;
use crate::docs::goals::agent_rights::missing_rights;
use crate::docs::goals::{Config, PRESETS, builtin_parts};
use crate::formats::diagnostic::Finding;
use crate::formats::tree::Node;

/// Every agent line says where the prompt goes, and runs it nowhere.
pub(super) fn agent_line(line: &str, node: &Node, config: &Config, rules: &mut Rules<'_>) {
    let named = line.starts_with("rehearsal:");
    if line.starts_with("builtin:") {
        if builtin_parts(line).is_none() {
            let (value, example) = (line.to_owned(), "builtin:anthropic/MODEL".into());
            rules.report(node, Finding::BadForm { value, example });
        }
        return;
    }
    if line.trim().is_empty() || PRESETS.contains(&line.trim()) || named {
        return;
    }
    let Some(words) = shlex::split(line) else {
        return rules.report(node, Finding::UnclosedQuote { line: line.to_owned() });
    };
    // A prompt inside a longer word would be spliced into it, and inside `sh -c '...'` be run.
    for placeholder in ["{prompt}", "{stdin}"] {
        if words.iter().any(|word| word.contains(placeholder) && word != placeholder) {
            let finding = Finding::PlaceholderInsideWord { placeholder: placeholder.to_owned() };
            return rules.report(node, finding);
        }
    }
    let placeholders = ["{prompt}", "{prompt_file}", "{stdin}"];
    if !placeholders.iter().any(|placeholder| line.contains(placeholder)) {
        let near = nearest_preset(line.trim()).map(str::to_owned);
        return rules.report(node, Finding::NoPlaceholder { line: line.to_owned(), near });
    }
    if let Some(interpreter) = running_interpreter(&words) {
        return rules.report(node, Finding::RunsThePrompt { interpreter });
    }
    if let Some(rights) = missing_rights(&words, config) {
        rules.warn(node, Finding::NoRights(rights));
    }
}

/// The preset that a single word was meant for.
fn nearest_preset(word: &str) -> Option<&'static str> {
    let near = PRESETS.iter().map(|preset| (osa_distance(preset, word), *preset));
    near.filter(|(distance, _)| *distance <= 2).min().map(|(_, preset)| preset)
}

/// Programs that take a program as an argument, and the options after which it stands.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("sh", &["c"]),
    ("bash", &["c"]),
    ("dash", &["c"]),
    ("zsh", &["c"]),
    ("ksh", &["c"]),
    ("fish", &["c"]),
    ("su", &["c"]),
    ("script", &["c"]),
    ("python", &["c"]),
    ("python3", &["c"]),
    ("perl", &["e", "E"]),
    ("ruby", &["e"]),
    ("node", &["e", "p"]),
    ("bun", &["e"]),
    ("php", &["r"]),
];

/// Programs that run what they are given, wherever it stands.
const RUNNERS: &[&str] = &["ssh", "eval", "xargs", "watch", "parallel"];

/// The interpreter that would run the prompt, if the line has one.
pub fn running_interpreter(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "{prompt}")?;
    let before = &words[..at];
    if let Some(runner) = before.iter().find(|word| RUNNERS.contains(&base_name(word))) {
        return Some(runner.clone());
    }
    let option = before.last()?;
    before[..before.len() - 1].iter().find_map(|word| {
        let (_, letters) = INTERPRETERS.iter().find(|(name, _)| *name == base_name(word))?;
        takes_program(option, letters).then(|| word.clone())
    })
}

/// `-c`, also in a cluster such as `-lc`, and the long forms.
fn takes_program(option: &str, letters: &[&str]) -> bool {
    let short = option.starts_with('-') && !option.starts_with("--");
    ["--eval", "--command", "--print"].contains(&option)
        || short && letters.iter().any(|letter| option.ends_with(letter))
}

/// The last part of a path.
pub fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
