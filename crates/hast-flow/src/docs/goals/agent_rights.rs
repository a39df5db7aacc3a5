//! Rights on a line that calls a known agent program. Nobody answers its questions, so a line without them
//! changes nothing; the presets have them. Settings of the program itself are not looked at.

use crate::docs::goals::agent_line::base_name;
use crate::docs::goals::{Config, SandboxMode};
use crate::formats::agent_words::{NoRights, NoRightsCause};

/// How a line gives a program the right to change files without asking; one way is enough.
struct Program {
    name: &'static str,
    grants: &'static [Grant],
    /// Words that ask for a sandbox of the program's own, where it has one.
    own_sandbox: &'static [Grant],
    /// What the preset passes.
    flags: &'static str,
    /// What is wrong with a line that gives no right.
    without: NoRightsCause,
}

#[derive(Clone, Copy)]
enum Grant {
    /// The word itself, also with `=` and a value.
    Flag(&'static str),
    /// An option with one of these values, as two words or with `=`.
    Value(&'static str, &'static [&'static str]),
    /// A word that begins so.
    Start(&'static str),
    /// A word that has this in it, such as an override of one setting.
    Inside(&'static str),
}

use Grant::{Flag, Inside, Start, Value};

/// Programs that lack something without words that their line has to have. goose is not among them: its
/// right is a variable that hast sets for every line.
const PROGRAMS: &[Program] = &[
    Program {
        name: "claude",
        grants: &[
            Flag("--dangerously-skip-permissions"),
            Value("--permission-mode", &["bypassPermissions", "acceptEdits", "auto"]),
            Flag("--allowedTools"),
            Flag("--allowed-tools"),
            Flag("--permission-prompt-tool"),
            Flag("--settings"),
        ],
        own_sandbox: &[],
        flags: "--dangerously-skip-permissions",
        without: NoRightsCause::Asks,
    },
    Program {
        name: "codex",
        grants: &[
            Flag("--dangerously-bypass-approvals-and-sandbox"),
            Flag("--yolo"),
            Inside("danger-full-access"),
            // A profile may say anything.
            Flag("--profile"),
            Flag("-p"),
        ],
        own_sandbox: &[Flag("--full-auto"), Inside("workspace-write")],
        flags: "--dangerously-bypass-approvals-and-sandbox",
        without: NoRightsCause::Asks,
    },
    Program {
        name: "gemini",
        grants: &[
            Value("--approval-mode", &["yolo", "auto_edit"]),
            Flag("--yolo"),
            Flag("-y"),
            Flag("--allowed-tools"),
            Flag("--policy"),
        ],
        own_sandbox: &[],
        flags: "--approval-mode yolo",
        without: NoRightsCause::Asks,
    },
    Program {
        name: "qwen",
        grants: &[
            Value("--approval-mode", &["yolo", "auto-edit", "auto_edit", "auto"]),
            Flag("--yolo"),
            Flag("-y"),
            Flag("--allowed-tools"),
        ],
        own_sandbox: &[],
        flags: "--approval-mode yolo",
        without: NoRightsCause::Asks,
    },
    Program {
        name: "opencode",
        grants: &[Flag("--auto"), Flag("--dangerously-skip-permissions")],
        own_sandbox: &[],
        flags: "--auto",
        without: NoRightsCause::NoOutbox,
    },
    Program {
        name: "copilot",
        grants: &[Start("--allow-"), Flag("--yolo")],
        own_sandbox: &[],
        flags: "--allow-all-tools --allow-all-paths",
        without: NoRightsCause::Asks,
    },
    Program {
        name: "aider",
        grants: &[Flag("--yes-always"), Flag("--yes")],
        own_sandbox: &[],
        flags: "--yes-always",
        without: NoRightsCause::Asks,
    },
];

/// The right that a line lacks; nothing for other programs, and for a line that gives it.
pub fn missing_rights(words: &[String], config: &Config) -> Option<NoRights> {
    let name = base_name(words.first()?);
    let program = PROGRAMS.iter().find(|program| program.name == name)?;
    if program.grants.iter().any(|grant| grant.is_on(words)) {
        return None;
    }
    let own_sandbox = program.own_sandbox.iter().any(|grant| grant.is_on(words));
    let cause = match (own_sandbox, config.sandbox) {
        (true, Some(SandboxMode::Off)) => return None,
        (true, _) => NoRightsCause::OwnSandbox,
        (false, _) => program.without,
    };
    Some(NoRights { program: program.name, flags: program.flags, cause })
}

impl Grant {
    fn is_on(self, words: &[String]) -> bool {
        match self {
            Flag(flag) => words.iter().any(|word| word == flag || value_of(word, flag).is_some()),
            Value(flag, values) => {
                let after = words.windows(2).filter(|pair| pair[0] == flag).map(|pair| &*pair[1]);
                let joined = words.iter().filter_map(|word| value_of(word, flag));
                after.chain(joined).any(|value| values.contains(&value))
            }
            Start(start) => words.iter().any(|word| word.starts_with(start)),
            Inside(part) => words.iter().any(|word| word.contains(part)),
        }
    }
}

fn value_of<'w>(word: &'w str, flag: &str) -> Option<&'w str> {
    word.strip_prefix(flag)?.strip_prefix('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(line: &str) -> Option<(&'static str, NoRightsCause)> {
        let words = shlex::split(line).unwrap();
        missing_rights(&words, &Config::default()).map(|rights| (rights.program, rights.cause))
    }

    #[test]
    fn a_bare_line_of_a_known_program_has_no_right_to_write() {
        for (line, program) in [
            ("claude -p {prompt}", "claude"),
            ("/opt/bin/claude -p --model opus {stdin}", "claude"),
            ("claude -p --permission-mode plan {prompt}", "claude"),
            ("codex exec {prompt}", "codex"),
            ("codex exec -s read-only {prompt}", "codex"),
            ("gemini -p {prompt}", "gemini"),
            ("gemini --approval-mode default -p {prompt}", "gemini"),
            ("qwen -p {prompt}", "qwen"),
            ("copilot -p {prompt}", "copilot"),
            ("aider --message-file {prompt_file}", "aider"),
        ] {
            assert_eq!(missing(line), Some((program, NoRightsCause::Asks)), "{line}");
        }
    }

    #[test]
    fn a_bare_line_of_opencode_writes_in_its_working_directory_only() {
        assert_eq!(missing("opencode run {prompt}"), Some(("opencode", NoRightsCause::NoOutbox)));
    }

    #[test]
    fn a_line_that_gives_the_right_is_not_warned_about() {
        for line in [
            "claude -p --dangerously-skip-permissions {prompt}",
            "claude -p --permission-mode acceptEdits {stdin}",
            "claude -p --permission-mode=bypassPermissions {stdin}",
            "claude -p --allowedTools Edit,Write,Bash {prompt}",
            "codex exec --dangerously-bypass-approvals-and-sandbox {prompt}",
            "codex exec -s danger-full-access {prompt}",
            "codex exec -c 'sandbox_mode=\"danger-full-access\"' {prompt}",
            "codex exec --profile work {prompt}",
            "gemini --approval-mode yolo {stdin}",
            "gemini --approval-mode=auto_edit -p {prompt}",
            "gemini -y -p {prompt}",
            "qwen --yolo -p {prompt}",
            "opencode run --auto {prompt}",
            "goose run -t {prompt}",
            "copilot --allow-tool write -p {prompt}",
            "aider --yes-always --message {prompt}",
            "mytool -p {prompt}",
            "sh -c 'claude -p \"$1\"' sh {prompt}",
        ] {
            assert_eq!(missing(line), None, "{line}");
        }
    }

    #[test]
    fn a_sandbox_of_the_program_itself_is_right_only_where_hast_has_none() {
        for line in ["codex exec --full-auto {prompt}", "codex exec -s workspace-write {prompt}"] {
            assert_eq!(missing(line), Some(("codex", NoRightsCause::OwnSandbox)), "{line}");
            let off = Config { sandbox: Some(SandboxMode::Off), ..Config::default() };
            assert_eq!(missing_rights(&shlex::split(line).unwrap(), &off), None, "{line}");
        }
    }
}
