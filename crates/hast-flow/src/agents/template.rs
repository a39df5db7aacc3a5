//! An agent as a command line of the user: words split like a shell would, without a shell.

use crate::agents::command::{AgentCall, AgentCommand, MAX_ARGUMENT_BYTES, shown_line};
use crate::agents::presets::{Description, Preset, plain};
use crate::agents::problem::AgentProblem;
use crate::agents::reply::ReadLine;
use crate::docs::goals::Config;
use crate::docs::goals::agent_line::{base_name, running_interpreter};
use crate::docs::goals::agent_rights::missing_rights;
use crate::formats::agent_words::NoRights;
use crate::process::Stdin;

const PROMPT: &str = "{prompt}";
const PROMPT_FILE: &str = "{prompt_file}";
const STDIN: &str = "{stdin}";

/// A line that was read and found safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    words: Vec<String>,
    /// The preset whose program the line calls: `claude -p {prompt}` is claude, as written.
    known_as: Option<Preset>,
}

impl Template {
    pub fn parse(line: &str) -> Result<Self, AgentProblem> {
        let words = shlex::split(line)
            .ok_or_else(|| AgentProblem::UnclosedQuote { line: line.to_owned() })?;
        let Some(program) = words.first() else { return Err(AgentProblem::Empty) };
        for placeholder in [PROMPT, STDIN] {
            let inside =
                words.iter().find(|word| word.contains(placeholder) && *word != placeholder);
            if let Some(word) = inside {
                return Err(AgentProblem::InsideWord { placeholder, word: word.clone() });
            }
            if words.iter().filter(|word| *word == placeholder).count() > 1 {
                return Err(AgentProblem::Twice { placeholder });
            }
        }
        let takes = |placeholder: &str| words.iter().any(|word| word.contains(placeholder));
        if ![PROMPT, PROMPT_FILE, STDIN].into_iter().any(takes) || words_is_program(program) {
            return Err(AgentProblem::NoPlaceholder { line: line.to_owned() });
        }
        if let Some(interpreter) = running_interpreter(&words) {
            return Err(AgentProblem::RunsThePrompt { interpreter });
        }
        let known_as = Preset::ALL
            .into_iter()
            .find(|preset| preset.description().program == base_name(program));
        Ok(Self { words, known_as })
    }

    pub fn known_as(&self) -> Option<Preset> {
        self.known_as
    }

    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The right to change files that the line does not give to a program that needs it.
    pub fn missing_rights(&self, config: &Config) -> Option<NoRights> {
        missing_rights(&self.words, config)
    }

    /// How its output reads: like the preset's, where the line asks the program for that form.
    pub fn read_line(&self) -> ReadLine {
        match self.streaming() {
            Some(description) => description.read_line,
            None => plain::read_line,
        }
    }

    /// The preset's description, where the line asks for the stream that the preset reads.
    pub fn streaming(&self) -> Option<&'static Description> {
        let description = self.known_as?.description();
        let asked =
            description.stream_words.iter().any(|word| self.words.iter().any(|w| w == word));
        asked.then_some(description)
    }

    pub fn command(&self, call: &AgentCall) -> Result<AgentCommand, AgentProblem> {
        let has = |placeholder: &str| self.words.iter().any(|word| word == placeholder);
        if has(PROMPT) {
            fits_an_argument(&call.prompt)?;
        }
        let path = &call.call.prompt_file;
        if is_shell(self.program()) && self.in_script(PROMPT_FILE) && !is_plain_path(path) {
            return Err(AgentProblem::PathInShell { path: path.clone() });
        }
        let mut words = self.words.iter().filter(|word| *word != STDIN).map(|word| match &**word {
            PROMPT => self.prompt_argument(&call.prompt),
            word => word.replace(PROMPT_FILE, path),
        });
        let program = words.next().unwrap_or_default();
        let description = self.known_as.map(Preset::description);
        let mut env = call.environment();
        let settings = description.map_or(&[][..], |description| description.env);
        env.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        Ok(AgentCommand {
            program,
            args: words.collect(),
            cwd: call.call.workdir.clone(),
            stdin: if has(STDIN) {
                Stdin::Bytes(call.prompt.clone().into_bytes())
            } else {
                Stdin::Nothing
            },
            env,
            inherit: description
                .map_or(&[][..], |of| of.inherit)
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            shown: shown_line(self.words.iter().map(String::as_str)),
        })
    }

    /// A prompt that starts with a dash would be read as an option; a line break before it keeps
    /// it a text and changes nothing that a model sees.
    fn prompt_argument(&self, prompt: &str) -> String {
        let before = self.words.iter().take_while(|word| *word != PROMPT);
        let options_ended = before.into_iter().any(|word| word == "--");
        if prompt.starts_with('-') && !options_ended {
            format!("\n{prompt}")
        } else {
            prompt.to_owned()
        }
    }

    fn in_script(&self, placeholder: &str) -> bool {
        self.words.iter().any(|word| word.contains(placeholder) && word != placeholder)
    }
}

/// The program itself cannot be the prompt, its file, or nothing.
fn words_is_program(program: &str) -> bool {
    [PROMPT, PROMPT_FILE, STDIN].iter().any(|placeholder| program.contains(placeholder))
}

fn fits_an_argument(prompt: &str) -> Result<(), AgentProblem> {
    // The line break that may come before it and the end mark count too.
    if prompt.len() + 2 > MAX_ARGUMENT_BYTES {
        return Err(AgentProblem::PromptTooLong { bytes: prompt.len() });
    }
    if prompt.contains('\0') {
        return Err(AgentProblem::PromptHasNul);
    }
    Ok(())
}

fn is_shell(program: &str) -> bool {
    ["sh", "bash", "dash", "zsh", "ksh", "fish"].contains(&base_name(program))
}

fn is_plain_path(path: &str) -> bool {
    path.chars().all(|c| c.is_alphanumeric() || "/._-+@%:,".contains(c))
}
