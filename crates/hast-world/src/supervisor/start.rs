//! The one place of this program that makes a process, and the names of the guard's stages.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// What `hast agent guard` is asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Makes the namespaces, starts [`Stage::Inside`] and waits for it.
    Namespace,
    /// The guard, as the first process of a PID namespace.
    Inside,
    /// The guard, where there is no namespace.
    Plain,
    /// Closes the sandbox around itself and becomes the program.
    Launch,
}

impl Stage {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Inside => "inside",
            Self::Plain => "plain",
            Self::Launch => "launch",
        }
    }

    fn from_word(word: &OsStr) -> Option<Self> {
        [Self::Namespace, Self::Inside, Self::Plain, Self::Launch]
            .into_iter()
            .find(|stage| word == stage.word())
    }

    /// Reads what follows `hast agent guard`.
    pub fn from_args(args: &[OsString]) -> Option<(Self, &[OsString])> {
        let (word, rest) = args.split_first()?;
        Some((Self::from_word(word)?, rest))
    }
}

/// Something to start, with nothing inherited. Besides the guard only `git/run.rs` asks for this:
/// its calls are short, ours, and end by their own bounds.
#[expect(clippy::disallowed_methods, reason = "this is the place that the ban names")]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}

/// A stage of the guard. It holds no directory busy.
pub(super) fn stage(program: impl AsRef<OsStr>, stage: Stage) -> Command {
    let mut command = command(program);
    command.arg0("hast").args(["agent", "guard", stage.word()]).current_dir("/");
    command
}
