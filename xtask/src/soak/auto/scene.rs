//! The repository of one round: four goals, agents of four kinds, and files of the user's that no
//! attempt may touch.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::Failure;

/// M1 commits by itself, M2 is blocked, M3 is wrong at first, M4 leaves its work uncommitted.
const GOALS: &str = "goals:
  - id: M1
    title: \"Own commits\"
    status: active
    allowed_changes: [\"src/\"]
  - id: M2
    title: \"Not possible\"
    status: active
  - id: M3
    title: \"Wrong at first\"
    status: active
    allowed_changes: [\"src/\"]
  - id: M4
    title: \"Nothing committed\"
    status: active
";

const OWN_WORK: &str = "own work of M1";
const REPLIES: &str = "version: 1
replies:
  - when: {unit: M1}
    do:
      - write: {path: src/one.txt, text: \"one\\n\"}
      - run: git add src && git commit -qm 'own work of M1'
      - sleep: 0.05
      - handoff: {status: complete, done: [one], next: M2}
  - when: {unit: M2}
    do:
      - write: {path: src/half.txt, text: half}
      - sleep: 0.05
      - handoff: {status: blocked, done: [asked], next: a person}
  - when: {unit: M3, attempt: 1}
    do:
      - write: {path: outside.txt, text: out}
      - delete: src/a.txt
      - sleep: 0.05
      - handoff: {status: complete, done: [wrong], next: M4}
  - when: {unit: M3}
    do:
      - write: {path: src/three.txt, text: \"three\\n\"}
      - sleep: 0.05
      - handoff: {status: complete, done: [three], next: M4}
  - when: {unit: M4}
    do:
      - write: {path: src/half.txt, text: half}
      - sleep: 0.1
      - delete: src/half.txt
      - write: {path: src/four.txt, text: \"four\\n\"}
      - handoff: {status: complete, done: [four], next: nothing}
";

const MACHINE_FILES: &str = "/auto.lock\n/.hast/\n/events/\n/attempts/\n/queue/\n/state/\n/protocols/\n/reports/\n/worktrees/\n";
const CONFIG: &str = "test_command: \"test -f src/a.txt\"\nai_tool: \"rehearsal:.ai/rehearsals/a.yaml\"\nmax_retries: 10\n";
/// How long a process that is on its way out is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Scene {
    directory: TempDir,
    hast: PathBuf,
    users: RefCell<BTreeMap<String, Vec<u8>>>,
    /// How often a goal was handed to a person.
    pub(super) handed_over: Cell<u64>,
}

/// How a run ends, whatever happened on the way.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Done {
    /// The status of each goal.
    statuses: Vec<String>,
    /// Subjects of commits, sorted.
    subjects: Vec<String>,
    /// Files outside of `.ai`, with their objects.
    files: String,
}

impl Scene {
    pub(super) fn new(hast: &Path) -> Result<Self, Failure> {
        let directory = tempfile::Builder::new().prefix("soak-auto-").tempdir()?;
        fs::create_dir(directory.path().join("home"))?;
        let scene = Self {
            directory,
            hast: hast.to_owned(),
            users: RefCell::default(),
            handed_over: Cell::default(),
        };
        for (path, text) in [
            ("src/a.txt", "a\n"),
            ("README", "read me\n"),
            (".gitignore", "*.log\n/cache/\n"),
            (".ai/config.yaml", CONFIG),
            (".ai/goals.yaml", GOALS),
            (".ai/rules.md", "- tests first\n"),
            (".ai/rehearsals/a.yaml", REPLIES),
            (".ai/.gitignore", MACHINE_FILES),
        ] {
            scene.write(path, text.as_bytes())?;
        }
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "User"],
            &["config", "user.email", "user@localhost"],
            &["add", "-A"],
            &["commit", "-q", "-m", "first"],
            &["branch", "other"],
        ] {
            scene.git(args)?;
        }
        scene.user_writes("user.log", b"mine\n")?;
        scene.user_writes("src/notes.log", "메모\n".as_bytes())?;
        scene.user_writes("cache/deep/down.bin", &[0, 255, 10, 13])?;
        scene.user_writes("cache/.hidden", b"")?;
        Ok(scene)
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().ok_or("no directory")?)?;
        Ok(fs::write(path, bytes)?)
    }

    /// The user puts something where git does not look.
    pub(super) fn user_writes(&self, path: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.write(path, bytes)?;
        self.users.borrow_mut().insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let home = self.directory.path().join("home");
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_STATE_HOME", home.join("state"))
            .env("HOME", home)
            .env("TMPDIR", self.directory.path())
            .env("LANG", "C.UTF-8")
            .env("HAST_TRUST", "all")
            .stdin(Stdio::null());
        command
    }

    fn git(&self, args: &[&str]) -> Result<String, Failure> {
        let output = self.command(Path::new("git"), args).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("git {args:?}: {said}").into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    pub(super) fn start(&self) -> Result<Child, Failure> {
        let mut command = self.command(&self.hast, &["auto", "--recursive"]);
        Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
    }

    /// Starts until no goal is left to be done.
    pub(super) fn finish(&self, most: usize) -> Result<(), Failure> {
        let mut said = String::new();
        for _ in 0..most {
            let output = self.command(&self.hast, &["auto", "--recursive"]).output()?;
            said = [output.stdout, output.stderr]
                .map(|b| String::from_utf8_lossy(&b).into_owned())
                .concat();
            let handed_over = self.person_acts()?;
            if !handed_over && !self.statuses()?.iter().any(|status| status == "active") {
                return Ok(());
            }
        }
        Err(format!("not done after {most} starts; the last one said: {said}").into())
    }

    /// A commit that an agent made and nobody judged may be a person's: hast touches nothing and
    /// hands the goal over. The person takes the commit and what is not ignored away, and with it
    /// what goals.yaml says.
    pub(super) fn person_acts(&self) -> Result<bool, Failure> {
        let goals = fs::read_to_string(self.root().join(".ai/goals.yaml"))?;
        if !goals.contains("the branch has moved since") {
            return Ok(false);
        }
        let subject = self.git(&["log", "-1", "--format=%s"])?;
        if subject != OWN_WORK {
            return Err(format!("handed over, but the last commit is {subject}").into());
        }
        // A commit that was cut off leaves its lock, and it is the person's to remove.
        for lock in [".git/HEAD.lock", ".git/refs/heads/main.lock", ".git/index.lock"] {
            let _ = fs::remove_file(self.root().join(lock));
        }
        self.git(&["reset", "-q", "--hard", "HEAD^"])?;
        self.git(&["clean", "-q", "-d", "-f"])?;
        self.handed_over.set(self.handed_over.get() + 1);
        Ok(true)
    }

    fn statuses(&self) -> Result<Vec<String>, Failure> {
        let goals = fs::read_to_string(self.root().join(".ai/goals.yaml"))?;
        let lines = goals.lines().filter_map(|line| line.trim().strip_prefix("status: "));
        Ok(lines.map(str::to_owned).collect())
    }

    /// What there is in the end.
    pub(super) fn done(&self) -> Result<Done, Failure> {
        let subjects = self.git(&["log", "--format=%s"])?;
        let mut subjects: Vec<String> = subjects.lines().map(str::to_owned).collect();
        subjects.sort();
        let files = self.git(&["ls-tree", "-r", "HEAD", "--", "src", "README", ".gitignore"])?;
        Ok(Done { statuses: self.statuses()?, subjects, files })
    }

    pub(super) fn check(&self, expected: &Done) -> Result<(), Failure> {
        let done = self.done()?;
        if done != *expected {
            return Err(format!("expected {expected:#?}, found {done:#?}").into());
        }
        for id in ["M1", "M3", "M4"] {
            let start = format!("feat({id})");
            if done.subjects.iter().filter(|one| one.starts_with(&start)).count() != 1 {
                return Err(format!("{start} is not there once: {:?}", done.subjects).into());
            }
        }
        for (path, bytes) in self.users.borrow().iter() {
            if fs::read(self.root().join(path)).ok().as_ref() != Some(bytes) {
                return Err(format!("{path} of the user is not as it was").into());
            }
        }
        let status = self.git(&["status", "--porcelain"])?;
        if !status.is_empty() {
            return Err(format!("the work tree is not clean: {status}").into());
        }
        for left in [".ai/auto.lock", ".git/index.lock", "outside.txt"] {
            if self.root().join(left).symlink_metadata().is_ok() {
                return Err(format!("{left} was left").into());
            }
        }
        self.failed_attempts()?;
        self.git(&["rev-parse", "--verify", "refs/heads/hast/kept/M2"])?;
        self.git(&["fsck", "--connectivity-only", "--no-dangling"])?;
        self.nothing_runs()
    }

    /// How many attempts were judged as failed. Each has to be on its ref.
    pub(super) fn failed_attempts(&self) -> Result<u64, Failure> {
        let log = fs::read_to_string(self.root().join(".ai/events/events.ndjson"))?;
        let judged = log.lines().filter(|line| line.contains("ATTEMPT_JUDGED"));
        let mut count = 0;
        for line in judged.filter(|line| line.contains("\"class\":\"failed")) {
            let goal = field(line, "\"goal_id\":\"").ok_or_else(|| format!("no goal: {line}"))?;
            let attempt =
                field(line, "\"attempt\":").ok_or_else(|| format!("no number: {line}"))?;
            self.git(&["rev-parse", "--verify", &format!("refs/hast/attempts/{goal}/{attempt}")])?;
            count += 1;
        }
        Ok(count)
    }

    /// Nothing that was started in this directory is alive.
    fn nothing_runs(&self) -> Result<(), Failure> {
        let end = Instant::now() + PATIENCE;
        loop {
            let mut left = Vec::new();
            for entry in fs::read_dir("/proc")?.flatten() {
                let cwd = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
                if cwd.starts_with(self.directory.path()) {
                    left.push(fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default());
                }
            }
            if left.is_empty() {
                return Ok(());
            }
            if Instant::now() > end {
                return Err(format!("still running: {left:?}").into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Leaves the directory for a person to look at.
    pub(super) fn keep(self) -> String {
        self.directory.keep().display().to_string()
    }
}

/// What follows a name in a line of JSON, up to the end of the value.
fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(name)?;
    rest.split(['"', ',', '}']).next()
}
