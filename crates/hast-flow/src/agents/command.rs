//! A call, and the command that answers it before it is known which environment it will run in.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::docs::call::Call;
use crate::process::environment::{Pattern, filtered};
use crate::process::{CommandSpec, Stdin};

/// The longest text that Linux takes as one argument, its end mark included.
pub const MAX_ARGUMENT_BYTES: usize = 128 << 10;

/// One question to an agent. What the agent is told is in [`Call`]; the rest is between hast and
/// its provider.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentCall {
    pub call: Call,
    /// Where `call.json` lies.
    pub call_file: String,
    pub prompt: String,
    pub session: NativeSession,
}

/// Whether the agent goes on with a session of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NativeSession {
    #[default]
    Fresh,
    /// The id that the agent gave it in an earlier call.
    Resume(String),
}

/// What a provider makes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCommand {
    pub program: String,
    pub args: Vec<String>,
    pub cwd: String,
    pub stdin: Stdin,
    /// Set whatever the user's environment says.
    pub env: BTreeMap<String, String>,
    /// Variables of the user that this agent needs, by name or by prefix ending in `*`.
    pub inherit: Vec<String>,
    /// The command line for records and screens: the prompt stands as its placeholder.
    pub shown: String,
}

impl AgentCall {
    /// The environment that every agent is given, whoever wrote it.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let Call { flow, role, step, outbox, .. } = &self.call;
        [
            ("HAST_FLOW", flow.as_str()),
            ("HAST_ROLE", role),
            ("HAST_STEP", step),
            ("HAST_OUTBOX", outbox),
            ("HAST_CALL", &self.call_file),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }
}

impl AgentCommand {
    /// The command with its exact environment: what the filter lets through of the user's
    /// variables, what this agent and the configuration (`more`) ask for, and what is set.
    /// Sandbox and record are the caller's to fill in.
    pub fn in_environment(
        self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        more: &[Pattern],
    ) -> CommandSpec {
        let wanted: Vec<Pattern> = self
            .inherit
            .iter()
            .filter_map(|text| text.parse().ok())
            .chain(more.iter().cloned())
            .collect();
        let mut env = filtered(variables, &wanted);
        env.extend(self.env.into_iter().map(|(name, value)| (name.into(), value.into())));
        let mut spec = CommandSpec::new(self.program, self.cwd).args(self.args);
        spec.env = env;
        spec.stdin = self.stdin;
        spec
    }
}

/// Words for reading, not for running: nothing inside a word is escaped, because a secret that is
/// written in another way would not be found by its value.
pub fn shown_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(shown_word).collect::<Vec<_>>().join(" ")
}

fn shown_word(word: &str) -> String {
    if word.is_empty() || word.contains(char::is_whitespace) {
        format!("'{word}'")
    } else {
        word.to_owned()
    }
}
