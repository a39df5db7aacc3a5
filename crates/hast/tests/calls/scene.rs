//! A project with an agent that is a shell script, and the real binary run in it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Long enough for a machine that does ten other things; only a failing test waits for it.
const GUARD_TIME: Duration = Duration::from_secs(60);

pub(crate) struct Scene {
    directory: TempDir,
    env: Vec<(String, String)>,
}

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

impl Scene {
    /// The agent runs this script; `$1` is the prompt's file.
    pub(crate) fn new(script: &str) -> Self {
        let directory = TempDir::new().unwrap();
        for path in ["home", "project", "tmp", "bin"] {
            fs::create_dir(directory.path().join(path)).unwrap();
        }
        let scene = Self { directory, env: Vec::new() };
        scene.file("project/p.md", "the prompt\n");
        scene.script("agent.sh", script);
        let line = format!("sh {} {{prompt_file}}", scene.at("agent.sh").display());
        scene.env("HAST_AI_TOOL", &line)
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.at("project")
    }

    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn script(&self, path: &str, text: &str) {
        self.file(path, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(self.at(path), PermissionsExt::from_mode(0o755)).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a test of the binary has to start it")]
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hast"));
        let path = std::env::var("PATH").unwrap();
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("HOME", self.at("home"))
            .env("TMPDIR", self.at("tmp"))
            .env("LANG", "C")
            .env("PATH", format!("{}:{path}", self.at("bin").display()))
            .env("HAST_TEST_WORLD", "2026-02-09T14:30:00+09:00#1")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        Ran {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// `hast agent run --json` with more arguments.
    pub(crate) fn call(&self, more: &[&str]) -> Ran {
        let args = ["agent", "run", "--json", "--role", "worker", "--prompt-file", "p.md"];
        self.run(&[&args, more].concat())
    }

    /// How often the agent was started: it leaves a line each time.
    pub(crate) fn starts(&self, file: &str) -> usize {
        fs::read_to_string(self.at(file)).map_or(0, |text| text.lines().count())
    }

    /// All regular files below the project, with what is in them.
    pub(crate) fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.root(), &mut found);
        found
    }
}

fn collect(directory: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            collect(&path, found);
        } else if kind.is_file() {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
}

/// Processes that are alive and have the text in their environment.
pub(crate) fn marked(mark: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let has_mark = |pid: &u32| {
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|env| env.windows(mark.len()).any(|window| window == mark.as_bytes()))
    };
    pids.filter(has_mark).collect()
}

/// Waits for something to become so.
#[track_caller]
pub(crate) fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < GUARD_TIME, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
