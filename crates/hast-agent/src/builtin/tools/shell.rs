//! `run_shell_command`: one command as a child of its own process group. The guard around the agent
//! ends whatever is left; a command that lasts too long is ended here.

use std::fs::{self, File};
use std::io::{Read, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::arguments::Arguments;
use super::reach::Reach;
use crate::tools::net::time::Time;

const DEFAULT_SECONDS: usize = 120;
/// Less than the ten minutes after which a silent agent is ended.
const MAX_SECONDS: usize = 540;
const HEAD: u64 = 5_000;
const TAIL: u64 = 15_000;
const MAX_OUTPUT: u64 = 64 << 20;
const LOOK: Duration = Duration::from_millis(10);
const GRACE: Duration = Duration::from_secs(1);

/// Programs that would wait for a key, or for a person.
const QUIET: [(&str, &str); 6] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("EDITOR", "true"),
];

/// What commands run with.
#[derive(Debug)]
pub(super) struct Shell {
    /// Where outputs are kept.
    pub(super) scratch: PathBuf,
    /// Variables that are for the agent and not for its commands.
    pub(super) withheld: Vec<String>,
    pub(super) count: usize,
}

enum Ended {
    By(ExitStatus),
    TooLong,
    TooMuch,
    Cancelled,
}

#[expect(clippy::disallowed_methods, reason = "it is an agent, and agents start programs")]
fn command(program: &str) -> Command {
    Command::new(program)
}

impl Shell {
    pub(super) fn run(
        &mut self,
        reach: &Reach,
        arguments: &Arguments,
        time: &dyn Time,
    ) -> Result<String, String> {
        let directory = reach.readable(arguments.optional_text("dir_path").unwrap_or("."))?;
        if !directory.is_dir() {
            return Err(format!("`{}` is no directory", arguments.text("dir_path")));
        }
        let asked = arguments.number("timeout").unwrap_or(DEFAULT_SECONDS).max(1);
        let seconds = asked.min(MAX_SECONDS);
        self.count += 1;
        let path = self.scratch.join(format!("output-{}.txt", self.count));
        let told = |error: std::io::Error| format!("the command cannot be run: {error}");
        fs::create_dir_all(&self.scratch).map_err(told)?;
        let output = File::create(&path).map_err(told)?;
        let mut child = self.start(arguments.text("command"), &directory, output).map_err(told)?;
        let limit = Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX));
        let ended = wait(&mut child, limit, &path, time).map_err(told)?;
        let how = match ended {
            Ended::By(status) => ended_word(status),
            Ended::TooLong => {
                format!("ended after {seconds} seconds, because it was still running")
            }
            Ended::TooMuch => format!("ended, because it printed more than {MAX_OUTPUT} bytes"),
            Ended::Cancelled => "ended, because the call was cancelled".to_owned(),
        };
        Ok(format!("[{how}]\n{}", self.shown(&path).map_err(told)?))
    }

    fn start(&self, line: &str, directory: &Path, output: File) -> std::io::Result<Child> {
        let shell = if Path::new("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" };
        let mut command = command(shell);
        command.arg("-c").arg(line).current_dir(directory).process_group(0);
        command.envs(QUIET);
        for name in &self.withheld {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        command.spawn()
    }

    /// The output, without its middle where it is long.
    fn shown(&self, path: &Path) -> std::io::Result<String> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::new();
        if length <= HEAD + TAIL {
            file.take(HEAD + TAIL).read_to_end(&mut bytes)?;
            if bytes.is_empty() {
                return Ok("(no output)".to_owned());
            }
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        Read::by_ref(&mut file).take(HEAD).read_to_end(&mut bytes)?;
        let head = String::from_utf8_lossy(&bytes).into_owned();
        bytes.clear();
        file.seek(SeekFrom::Start(length - TAIL))?;
        file.take(TAIL).read_to_end(&mut bytes)?;
        let (left_out, tail) = (length - HEAD - TAIL, String::from_utf8_lossy(&bytes));
        let at = path.display();
        Ok(format!(
            "{head}\n[... {left_out} bytes left out; all of it is in {at}, read_file shows it ...]\n{tail}"
        ))
    }
}

fn ended_word(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

fn wait(
    child: &mut Child,
    limit: Duration,
    output: &Path,
    time: &dyn Time,
) -> std::io::Result<Ended> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::By(status));
        }
        let printed = output.metadata().map_or(0, |metadata| metadata.len());
        let ended = if time.check().is_err() {
            Ended::Cancelled
        } else if began.elapsed() >= limit {
            Ended::TooLong
        } else if printed > MAX_OUTPUT {
            Ended::TooMuch
        } else {
            std::thread::sleep(LOOK);
            continue;
        };
        end(child)?;
        return Ok(ended);
    }
}

/// Ends the group of a command: politely, then not.
fn end(child: &mut Child) -> std::io::Result<()> {
    let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return Ok(()) };
    let _ = kill_process_group(group, Signal::TERM);
    let began = Instant::now();
    while began.elapsed() < GRACE && child.try_wait()?.is_none() {
        std::thread::sleep(LOOK);
    }
    let _ = kill_process_group(group, Signal::KILL);
    child.wait().map(|_| ())
}
