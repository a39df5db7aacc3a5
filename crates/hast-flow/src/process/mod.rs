//! Programs that hast starts, as values: what is to run, under which limits, and every way it can
//! end. Nothing here starts anything; `hast-world` does, and asks [`life`] what to do next.

pub mod capture;
pub mod environment;
pub mod exit;
pub mod life;
pub mod refusal;
pub mod shell_line;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use capture::Captured;
use exit::{Applied, Exit, Net};

/// One program to run, complete: nothing is inherited that is not named here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// A path, or a name that is looked up in the `PATH` of `env`.
    pub program: OsString,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// The exact environment, except `TMPDIR`, which is made for the call and removed after it.
    pub env: BTreeMap<OsString, OsString>,
    pub stdin: Stdin,
    pub sandbox: Sandbox,
    pub record: Record,
}

impl CommandSpec {
    /// A program without arguments, environment, input, sandbox or record.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: BTreeMap::new(),
            stdin: Stdin::Nothing,
            sandbox: Sandbox::off(),
            record: Record::Nowhere,
        }
    }

    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
}

/// What the program reads. It is never a terminal and never left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    Nothing,
    Bytes(Vec<u8>),
    File(PathBuf),
}

/// Where the program may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    pub mode: SandboxMode,
    /// Writing is allowed here and below, and in the private `TMPDIR`. Paths that are not there
    /// are left out.
    pub writable: Vec<PathBuf>,
    /// Inside of what is writable, these are read-only (work in place). Needs a mount namespace.
    pub closed: Vec<PathBuf>,
    /// Directories that look empty. Needs a mount namespace.
    pub hidden: Vec<PathBuf>,
    /// A tree that the program sees at the path of the user's checkout. Without it the program is not
    /// started.
    pub room: Option<RoomMounts>,
}

/// The layers of a room at the checkout's own path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomMounts {
    /// The user's checkout: the lower layer, and the path at which the program works.
    pub checkout: PathBuf,
    /// The room's tree: the upper layer. Everything that the program writes lands here.
    pub tree: PathBuf,
    /// The overlay's own directory, on the same file system as the tree.
    pub work: PathBuf,
    /// The user's objects of git; the room's git directory has them as an alternate.
    pub objects: PathBuf,
}

/// Where the room's git directory has the user's objects, below the checkout.
pub const ROOM_OBJECTS: &str = ".git/users-objects";

impl Sandbox {
    pub fn off() -> Self {
        Self {
            mode: SandboxMode::Off,
            writable: Vec::new(),
            closed: Vec::new(),
            hidden: Vec::new(),
            room: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxMode {
    /// Without the whole sandbox the program is not started.
    Enforce,
    /// As much of it as the machine has; the answer says how much that was.
    Prefer,
    Off,
}

/// Whether the output is kept in files too: head, a line that says how much was left out, tail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Nowhere,
    Files { stdout: PathBuf, stderr: PathBuf },
}

/// The bounds of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub timeout: Duration,
    /// Between the request to end and the kill.
    pub grace: Duration,
    /// The longest silence; `None` for programs that are silent by nature.
    pub stall: Option<Duration>,
    /// Bytes kept from the start and from the end of each stream.
    pub head: usize,
    pub tail: usize,
    /// Bytes of both streams after which the run is ended.
    pub flood: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30 * 60),
            grace: Duration::from_secs(10),
            stall: Some(Duration::from_secs(10 * 60)),
            head: 1 << 20,
            tail: 1 << 20,
            flood: 1 << 30,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

/// What a run gave. When it is here, no process of the run is left, unless `exit` says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub exit: Exit,
    /// Processes that were still there when the program itself had ended, and were ended too.
    pub swept: u32,
    pub lasted: Duration,
    pub stdout: Captured,
    pub stderr: Captured,
    pub sandbox: Applied,
    pub net: Net,
}

/// Sees all output as it comes, also what is past the caps; may end the run, which then counts
/// as cancelled.
pub type Watch<'a> = dyn FnMut(Stream, &[u8]) -> ControlFlow<()> + 'a;

/// The one way to start a process.
pub trait Supervisor {
    /// Runs a program to its end, whatever that is.
    fn run(&self, spec: &CommandSpec, limits: &Limits, watch: &mut Watch<'_>) -> Ended;
}
