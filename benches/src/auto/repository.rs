//! A repository of many files with one goal, and an agent that is a small shell script.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hast_benches::Failure;
use tempfile::TempDir;

pub(crate) const GOALS_FILE: &str = ".ai/goals.yaml";
const GOALS: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
/// How many goals more a run has that is compared with a run of one.
pub(crate) const MORE_GOALS: u32 = 4;
/// How many attempts fail in a run that is compared with one where none does.
pub(crate) const FAILURES: u32 = 2;
const CONFIG: &str =
    "test_command: \"true\"\nai_tool: \"sh .ai/agent.sh {stdin}\"\nsandbox: off\nmax_retries: 3\n";
const MACHINE_FILES: &str = "/auto.lock\n/.hast/\n/events/\n/attempts/\n/queue/\n/state/\n/protocols/\n/reports/\n/worktrees/\n";
/// With the mark, the first two attempts write no handoff. Told by what the shell does itself: a program
/// more would be taken for hast's.
const AGENT: &str = r#"cat >/dev/null
mkdir -p src .ai/handoffs
goal=$(sed -n 's/.*"goal_id": *"\([^"]*\)".*/\1/p' "$HAST_CALL")
echo b >"src/$goal.txt"
echo "$goal" >files/000/00000.txt
if [ -e fails-first.log ] && [ ! -e failed.log ]; then : >failed.log; exit 0; fi
if [ -e fails-first.log ] && [ ! -e again.log ]; then : >again.log; exit 0; fi
handoff=$(sed -n 's/.*"handoff_path": *"\([^"]*\)".*/\1/p' "$HAST_CALL")
printf -- '---\ntimestamp: "2026-02-09T14:30:00+09:00"\nstatus: complete\ngoal_id: %s\n---\n\n## Done\n- b\n\n## Next\nnothing\n' "$goal" >"$handoff"
"#;

/// How the attempts of a run end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ends {
    Passes,
    AllPass,
    FailsFirst,
}

impl Ends {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Passes => "one attempt that passes",
            Self::AllPass => "five goals, an attempt each that passes",
            Self::FailsFirst => "two that fail and one that passes",
        }
    }
}

pub(crate) struct Repository {
    directory: TempDir,
    hast: PathBuf,
    git: PathBuf,
}

static WORKS: AtomicU64 = AtomicU64::new(0);

type Outcome<T> = Result<T, Failure>;

impl Repository {
    pub(crate) fn new(hast: &Path, files: usize) -> Outcome<Self> {
        let git = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|directory| directory.join("git"))
            .find(|program| program.is_file())
            .ok_or("there is no git on PATH")?;
        let repository = Self { directory: tempfile::tempdir()?, hast: hast.to_owned(), git };
        fs::create_dir(repository.directory.path().join("home"))?;
        for number in 0..files {
            let path = format!("files/{:03}/{number:05}.txt", number / 100);
            repository.write(&path, &format!("{number}\n"))?;
        }
        for (path, text) in [
            (".ai/config.yaml", CONFIG),
            (GOALS_FILE, GOALS),
            (".ai/rules.md", "- tests first\n"),
            (".ai/.gitignore", MACHINE_FILES),
            (".ai/agent.sh", AGENT),
            (".gitignore", "*.log\n"),
        ] {
            repository.write(path, text)?;
        }
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "User"],
            &["config", "user.email", "user@localhost"],
            &["config", "gc.auto", "0"],
            &["add", "-A"],
            &["commit", "-q", "-m", "first"],
            &["tag", "base"],
        ] {
            repository.git(args, b"")?;
        }
        let more: String = (2..2 + MORE_GOALS)
            .map(|goal| format!("  - id: M{goal}\n    title: \"More work\"\n    status: active\n"))
            .collect();
        repository.write(GOALS_FILE, &format!("{GOALS}{more}"))?;
        for args in [&["commit", "-q", "-a", "-m", "more goals"][..], &["tag", "more"]] {
            repository.git(args, b"")?;
        }
        Ok(repository)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    fn write(&self, path: &str, text: &str) -> Outcome<()> {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().ok_or("no directory")?)?;
        Ok(fs::write(path, text)?)
    }

    fn command(&self, program: &Path) -> Command {
        let home = self.directory.path().join("home");
        let mut command = Command::new(program);
        command
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_STATE_HOME", home.join("state"))
            .env("HOME", home)
            .env("LANG", "C.UTF-8")
            .env("HAST_TRUST", "all")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// One git command; its output without the line's end.
    pub(crate) fn git(&self, args: &[&str], input: &[u8]) -> Outcome<String> {
        let mut command = self.command(&self.git);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            std::io::Write::write_all(&mut stdin, input)?;
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("git {args:?} failed").into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// As on the first day, with an index that knows its files.
    pub(crate) fn reset(&self, ends: Ends) -> Outcome<()> {
        let refs = self.git(&["for-each-ref", "--format=delete %(refname)", "refs/hast"], b"")?;
        self.git(&["update-ref", "--stdin"], format!("{refs}\n").trim_start().as_bytes())?;
        let start = if let Ends::AllPass = ends { "more" } else { "base" };
        self.git(&["reset", "-q", "--hard", start], b"")?;
        self.git(&["clean", "-q", "-d", "-x", "-f"], b"")?;
        if let Ends::FailsFirst = ends {
            self.write("fails-first.log", "")?;
        }
        self.git(&["status", "--porcelain"], b"")?;
        Ok(())
    }

    /// One run of the goal, from the start of the program to its end.
    pub(crate) fn run(&self) -> Outcome<()> {
        let status = self.command(&self.hast).args(["auto", "--recursive"]).status()?;
        if status.success() { Ok(()) } else { Err("hast auto failed".into()) }
    }

    /// The same, with each git command written down.
    pub(crate) fn logged_run(&self) -> Outcome<Vec<String>> {
        let (bin, log) = (self.directory.path().join("bin"), self.directory.path().join("log"));
        fs::create_dir_all(&bin)?;
        let _ = fs::remove_file(&log);
        let script = format!(
            "#!/bin/sh\necho \"$*\" >>{}\nexec {} \"$@\"\n",
            log.display(),
            self.git.display()
        );
        let wrapper = bin.join("git");
        fs::write(&wrapper, script)?;
        fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        let path = std::env::var("PATH")?;
        let mut command = self.command(&self.hast);
        command.args(["auto", "--recursive"]).env("PATH", format!("{}:{path}", bin.display()));
        if !command.status()?.success() {
            return Err("hast auto failed".into());
        }
        let short = |line: &str| line.chars().take(100).collect();
        Ok(fs::read_to_string(log)?.lines().map(short).collect())
    }

    /// The goal's new status, outside of any measure.
    pub(crate) fn marks_done(&self) -> Outcome<()> {
        self.write(GOALS_FILE, &GOALS.replace("active", "done"))
    }

    /// What the agent does to the tree, outside of any measure.
    pub(crate) fn agent_works(&self) -> Outcome<()> {
        // Never the same twice: git writes and syncs only what is new.
        let new = WORKS.fetch_add(1, Ordering::Relaxed);
        self.write("src/M1.txt", "b\n")?;
        self.write("files/000/00000.txt", "M1\n")?;
        self.write(".ai/handoffs/2026-02-09_143000.md", &format!("handoff {new}\n"))
    }

    /// How long the agent and so many runs of the tests take by themselves.
    pub(crate) fn own_programs(&self, ends: Ends, tests: usize) -> Outcome<Duration> {
        self.reset(ends)?;
        let call = self.directory.path().join("call.json");
        let handoff = ".ai/handoffs/2026-02-09_143000.md";
        fs::write(
            &call,
            format!("{{\n  \"goal_id\": \"M1\",\n  \"handoff_path\": \"{handoff}\"\n}}\n"),
        )?;
        let start = Instant::now();
        let mut agent = self.command(Path::new("sh"));
        agent.arg(".ai/agent.sh").env("HAST_CALL", &call).status()?;
        for _ in 0..tests {
            self.command(Path::new("sh")).args(["-c", "true"]).status()?;
        }
        Ok(start.elapsed())
    }
}
