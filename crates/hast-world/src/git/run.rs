//! The one place that starts git: no inherited environment, the repository named by us, everything
//! that could run a program of somebody's choosing turned off, output and time bounded.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use hast_flow::attempt::git_problem::GitProblem;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::config::{Config, Overrides};
use super::ending::Ending;
use super::fetching::{CLOSED, FETCHED_BY, Fetching, OF_FETCHING};
use super::place::Place;

/// What git may know of the user's environment.
#[derive(Clone, Debug)]
pub struct GitEnvironment {
    pub program: PathBuf,
    pub path: OsString,
    pub home: Option<PathBuf>,
    pub config_home: Option<PathBuf>,
    /// What a program that signs needs to know, and no other.
    pub signing: Vec<(&'static str, OsString)>,
    /// What a program that fetches needs to know, and no other.
    pub fetching: Vec<(&'static str, OsString)>,
}

/// Where keys are, and how a person is asked for a passphrase.
const OF_SIGNING: [&str; 11] = [
    "GNUPGHOME",
    "GPG_TTY",
    "SSH_AUTH_SOCK",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "TERM",
    "USER",
    "LOGNAME",
];

impl GitEnvironment {
    /// From the environment of this process.
    pub fn of_this_process() -> Result<Self, GitProblem> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = crate::programs::find("git", &path).ok_or(GitProblem::NotInstalled)?;
        let place = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let (home, config_home) = (place("HOME"), place("XDG_CONFIG_HOME"));
        let known = |names: &[&'static str]| {
            names.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect()
        };
        let (signing, fetching) = (known(&OF_SIGNING), known(OF_FETCHING));
        Ok(Self { program, path, home, config_home, signing, fetching })
    }

    /// The configuration that no repository can write: `scope NUL key LF value NUL` over and over.
    pub(super) fn protected_settings(&self) -> Result<Vec<u8>, GitProblem> {
        let failed = |error: io::Error| GitProblem::NoGit { why: error.to_string() };
        let mut command = crate::supervisor::start::command(&self.program);
        command.args(["config", "--list", "-z", "--show-scope", "--includes"]);
        let ours = std::env::vars_os()
            .filter(|(name, _)| name.to_str().is_some_and(|name| name.starts_with("GIT_CONFIG_")));
        command.envs(ours).env("PATH", &self.path).env("LC_ALL", "C").env("GIT_DIR", "/dev/null");
        command.envs(self.home.iter().map(|home| ("HOME", home)));
        command.envs(self.config_home.iter().map(|home| ("XDG_CONFIG_HOME", home)));
        command.current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let talked = talk(&mut child, &[], Instant::now() + LONGEST);
        if !matches!(talked, Ok(Talk::Ended { .. })) {
            end(&child);
        }
        let status = child.wait().map_err(failed)?;
        match talked.map_err(failed)? {
            Talk::Ended { .. } if answered(status).is_none() => {
                Err(GitProblem::Killed { command: "config --list".to_owned() })
            }
            Talk::Ended { stdout, .. } => Ok(stdout),
            Talk::TooLong | Talk::TooMuch => Ok(Vec::new()),
        }
    }
}

/// Longest that one git command may take.
const LONGEST: Duration = Duration::from_secs(600);
/// Most that one git command may print.
const MOST_BYTES: usize = 512 << 20;
const MOST_ERROR_BYTES: usize = 64 << 10;

/// What is set whatever is asked.
const ALWAYS: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_ALLOW_PROTOCOL", ""),
];

/// Git in one work tree.
#[derive(Clone, Debug)]
pub(super) struct Git {
    pub(super) environment: GitEnvironment,
    pub(super) place: Place,
    pub(super) overrides: Overrides,
}

/// One command, before it runs.
#[derive(Debug)]
pub(super) struct Call<'g> {
    git: &'g Git,
    args: Vec<OsString>,
    input: Vec<u8>,
    index: Option<PathBuf>,
    settings: Vec<(String, String)>,
    variables: Vec<(&'static str, OsString)>,
    longest: Duration,
    /// Whether objects that a partial clone lacks are fetched.
    fetches: bool,
    /// Where it is started; the work tree's top where nothing else is said.
    directory: Option<PathBuf>,
}

/// What a command answered: its code and what it printed. One that was killed answered nothing.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

impl Git {
    /// Git in a work tree, with the configuration that holds there.
    pub(super) fn open(
        place: Place,
        environment: GitEnvironment,
    ) -> Result<(Self, Config), GitProblem> {
        let mut git = Self { environment, place, overrides: Overrides::default() };
        let config = Config::read(&git)?;
        git.overrides = config.overrides.clone();
        Ok((git, config))
    }

    pub(super) fn call<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Call<'_> {
        Call {
            git: self,
            args: args.into_iter().map(|arg| arg.as_ref().to_owned()).collect(),
            input: Vec::new(),
            // Most commands need no index, and a broken one would stop them.
            index: Some(self.place.own_directory().join("no-index")),
            settings: Vec::new(),
            variables: Vec::new(),
            longest: LONGEST,
            fetches: false,
            directory: None,
        }
    }
}

impl Call<'_> {
    /// Starts it in a directory that no agent can write to.
    pub(super) fn from(mut self, directory: &Path) -> Self {
        self.directory = Some(directory.to_owned());
        self
    }

    pub(super) fn args<S: AsRef<OsStr>>(mut self, more: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(more.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub(super) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = bytes;
        self
    }

    /// In a partial clone git fetches what it lacks for this, as the user's own git does. Only for objects that
    /// hast names, and never with a git directory that an agent could write.
    pub(super) fn fetching(mut self) -> Self {
        self.fetches = true;
        self
    }

    /// Works on this index instead of the user's.
    pub(super) fn index(mut self, index: &Path) -> Self {
        self.index = Some(index.to_owned());
        self
    }

    /// Works on the user's index.
    pub(super) fn users_index(mut self) -> Self {
        self.index = None;
        self
    }

    /// What is written survives a power cut once the command has ended.
    pub(super) fn synced(self) -> Self {
        self.setting("core.fsync", "all").setting("core.fsyncMethod", "fsync")
    }

    pub(super) fn setting(mut self, key: &str, value: &str) -> Self {
        self.settings.push((key.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(super) fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let fetching = self.git.overrides.fetching.as_ref().filter(|_| self.fetches);
        let mut all = self.git.hardened(&self.settings, fetching);
        if let Some(index) = &self.index {
            all.insert("GIT_INDEX_FILE".into(), index.into());
        }
        all.extend(self.variables.iter().map(|(name, value)| (name.into(), value.clone())));
        all
    }

    /// Its program, arguments and environment, for somebody else to start.
    pub(super) fn parts(self) -> (OsString, Vec<OsString>, BTreeMap<OsString, OsString>) {
        let env = self.environment();
        (self.git.environment.program.clone().into(), self.args, env)
    }

    /// The command as a person would type it, without what hardens it.
    pub(super) fn shown(&self) -> String {
        let words: Vec<_> = self.args.iter().take(4).map(|arg| arg.to_string_lossy()).collect();
        words.join(" ")
    }

    /// Its output; any code but 0 is a problem.
    pub(super) fn run(self) -> Result<Vec<u8>, GitProblem> {
        let shown = self.shown();
        let output = self.output()?;
        if output.code == Some(0) { Ok(output.stdout) } else { Err(problem(shown, &output)) }
    }

    /// What it printed, and what it said beside that.
    pub(super) fn run_and_hear(self) -> Result<(Vec<u8>, Vec<u8>), GitProblem> {
        let shown = self.shown();
        let output = self.output()?;
        match output.code {
            Some(0) => Ok((output.stdout, output.stderr)),
            _ => Err(problem(shown, &output)),
        }
    }

    /// The first line of its output.
    pub(super) fn line(self) -> Result<String, GitProblem> {
        let bytes = self.run()?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }

    /// Runs, whatever its code is.
    pub(super) fn output(self) -> Result<Output, GitProblem> {
        let shown = self.shown();
        let failed = |error: io::Error| GitProblem::NoGit { why: error.to_string() };
        let mut command = crate::supervisor::start::command(&self.git.environment.program);
        let directory = self.directory.as_ref().unwrap_or(&self.git.place.top);
        command.args(&self.args).current_dir(directory).process_group(0);
        command.envs(self.environment());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let talked = talk(&mut child, &self.input, Instant::now() + self.longest);
        if !matches!(talked, Ok(Talk::Ended { .. })) {
            end(&child);
        }
        let status = child.wait().map_err(failed)?;
        match talked.map_err(failed)? {
            Talk::Ended { stdout, stderr } => match answered(status) {
                None => Err(GitProblem::Killed { command: shown }),
                code => Ok(Output { code, stdout, stderr }),
            },
            Talk::TooLong => Err(GitProblem::TimedOut { command: shown }),
            Talk::TooMuch => Err(GitProblem::TooMuch { what: format!("git {shown}") }),
        }
    }
}

impl Git {
    /// The whole environment of a command.
    fn hardened(
        &self,
        settings: &[(String, String)],
        fetching: Option<&Fetching>,
    ) -> BTreeMap<OsString, OsString> {
        let environment = &self.environment;
        let mut all: BTreeMap<OsString, OsString> = BTreeMap::new();
        let mut set = |name: &str, value: &OsStr| all.insert(name.into(), value.to_owned());
        set("PATH", &environment.path);
        set("LC_ALL", "C".as_ref());
        for (name, value) in
            [("HOME", &environment.home), ("XDG_CONFIG_HOME", &environment.config_home)]
        {
            if let Some(value) = value {
                set(name, value.as_os_str());
            }
        }
        set("GIT_DIR", self.place.git_dir.as_os_str());
        set("GIT_WORK_TREE", self.place.top.as_os_str());
        if self.place.common_dir != self.place.git_dir {
            set("GIT_COMMON_DIR", self.place.common_dir.as_os_str());
        }
        for (name, value) in ALWAYS {
            set(name, value.as_ref());
        }
        let mut count = 0;
        let closed = |key: &str| fetching.is_none() || !Fetching::opens(key);
        let fixed = self.overrides.settings.iter().filter(|(key, _)| closed(key));
        let opened = fetching.map_or(&[][..], |fetching| &fetching.settings);
        for (key, value) in fixed.chain(opened).chain(settings) {
            set(&format!("GIT_CONFIG_KEY_{count}"), key.as_ref());
            set(&format!("GIT_CONFIG_VALUE_{count}"), value.as_ref());
            count += 1;
        }
        set("GIT_CONFIG_COUNT", count.to_string().as_ref());
        if fetching.is_some() {
            all.retain(|name, _| !name.to_str().is_some_and(|name| CLOSED.contains(&name)));
            all.insert("GIT_ALLOW_PROTOCOL".into(), FETCHED_BY.into());
            all.extend(
                environment.fetching.iter().map(|(name, value)| (name.into(), value.clone())),
            );
        }
        all
    }
}

/// What talking to a process came to.
enum Talk {
    Ended { stdout: Vec<u8>, stderr: Vec<u8> },
    TooLong,
    TooMuch,
}

/// Feeds the input and takes the output until the process ends. A grandchild that holds the pipes
/// open is not waited for.
fn talk(child: &mut Child, input: &[u8], deadline: Instant) -> io::Result<Talk> {
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("no pipes"));
    };
    let mut stdin = child.stdin.take();
    if let Some(stdin) = &stdin {
        rustix::io::ioctl_fionbio(stdin, true)?;
    }
    let (mut stdout, mut stderr) = (Told::by(stdout)?, Told::by(stderr)?);
    let ending = Ending::of(child)?;
    let mut written = 0;
    loop {
        if written >= input.len() {
            stdin = None;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Talk::TooLong);
        }
        let ended = {
            let mut fds = ending.watched();
            fds.extend(stdout.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            fds.extend(stderr.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            fds.extend(stdin.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
            poll(&mut fds, Some(&Ending::patience(left)))?;
            Ending::has_come(child, &fds)?
        };
        if let Some(pipe) = &mut stdin {
            match pipe.write(&input[written..]) {
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // It does not want more; its code will tell why.
                Err(_) => written = input.len(),
            }
        }
        stdout.drain(MOST_BYTES)?;
        stderr.drain(usize::MAX)?;
        stderr.bytes.truncate(MOST_ERROR_BYTES);
        if stdout.bytes.len() > MOST_BYTES {
            return Ok(Talk::TooMuch);
        }
        if ended {
            return Ok(Talk::Ended { stdout: stdout.bytes, stderr: stderr.bytes });
        }
    }
}

/// What came through a pipe. It is let go at its end: a closed pipe is always ready, so watching
/// it until the process is gone would keep a processor busy.
struct Told<P> {
    pipe: Option<P>,
    bytes: Vec<u8>,
}

impl<P: Read + AsFd> Told<P> {
    fn by(pipe: P) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe: Some(pipe), bytes: Vec::new() })
    }

    /// Takes what is there without waiting.
    fn drain(&mut self, most: usize) -> io::Result<()> {
        while let Some(pipe) = &mut self.pipe
            && self.bytes.len() <= most
        {
            let chunk = (&mut *pipe).take(64 << 10).read_to_end(&mut self.bytes);
            match chunk {
                Ok(0) => self.pipe = None,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Ends the command with everything in its group.
fn end(child: &Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// The line that says why, among advice and warnings.
fn complaint(text: &str) -> &str {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let says = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let advises = |line: &&str| line.starts_with("hint:") || line.starts_with("warning:");
    let other = || lines().find(|line| !advises(line)).or_else(|| lines().next());
    lines().find(says).or_else(other).unwrap_or_default()
}

/// Git's own codes end at 129. Those above say that the git which it started was killed.
const CODES_OF_SIGNALS: std::ops::Range<i32> = 130..160;

/// The code that a command gave; none where a signal ended it.
fn answered(status: ExitStatus) -> Option<i32> {
    status.code().filter(|code| !CODES_OF_SIGNALS.contains(code))
}

impl Output {
    /// What it complained of, never nothing.
    pub(super) fn said(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        match complaint(&text) {
            "" => format!("code {}", self.code.unwrap_or_default()),
            line => format!("{line} (code {})", self.code.unwrap_or_default()),
        }
    }
}

/// What git's complaint means.
pub(super) fn problem(command: String, output: &Output) -> GitProblem {
    let text = String::from_utf8_lossy(&output.stderr);
    if let Some(lock) = text.split('\'').find(|part| part.ends_with(".lock"))
        && text.contains("File exists")
    {
        return GitProblem::Locked { path: lock.to_owned() };
    }
    GitProblem::Refused { command, said: output.said() }
}
