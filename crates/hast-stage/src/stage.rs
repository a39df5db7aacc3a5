//! A directory with a project and a home of its own, and the binary that works in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long something that is on its way is waited for. Only what fails waits that long.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Stage {
    directory: TempDir,
    hast: PathBuf,
    variables: Vec<(String, String)>,
}

/// What a run of a program gave.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Stage {
    /// An empty project; tests give `env!("CARGO_BIN_EXE_hast")`.
    pub fn new(hast: impl AsRef<Path>) -> Self {
        let directory = tempfile::Builder::new().prefix("hast-stage-").tempdir().unwrap();
        for name in ["home", "project"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        Self { directory, hast: hast.as_ref().to_owned(), variables: Vec::new() }
    }

    /// The same with a variable that every program sees.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    pub fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    /// Nothing where there is no such file.
    pub fn read(&self, path: &str) -> String {
        let bytes = fs::read(self.root().join(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub fn has(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    /// Names in a directory, sorted; none where there is no such directory.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root().join(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The units that have a room of hast's, with the trees of these.
    pub fn rooms(&self) -> Vec<(String, PathBuf)> {
        let below = |path: PathBuf| {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let rooms = below(self.home().join("state/hast/rooms")).into_iter().flat_map(below);
        let taken = rooms.filter_map(|room| {
            let record = fs::read_to_string(room.join("meta.json")).ok()?;
            let (_, rest) = record.split_once("\"unit\":")?;
            let unit = rest.trim_start().strip_prefix('"')?.split_once('"')?.0;
            Some((unit.to_owned(), room.join("tree")))
        });
        let mut taken: Vec<_> = taken.collect();
        taken.sort();
        taken
    }

    /// Whether the room of a unit has a file.
    pub fn room_has(&self, unit: &str, path: &str) -> bool {
        self.rooms().iter().any(|(name, tree)| name == unit && tree.join(path).exists())
    }

    /// A repository with everything that is there in its first commit.
    pub fn make_repository(&self) {
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "User"],
            &["config", "user.email", "user@localhost"],
            &["add", "-A"],
            &["commit", "-q", "--allow-empty", "-m", "first"],
        ] {
            self.git(args);
        }
    }

    pub fn git(&self, args: &[&str]) -> String {
        let ran = ran(self.command(Path::new("git"), args));
        assert_eq!(ran.code, 0, "git {args:?}: {ran:?}");
        ran.out.trim().to_owned()
    }

    /// What a shell makes of a line, with everything set; `$HAST` is the binary.
    pub fn shell(&self, line: &str) -> Ran {
        let mut command = self.command(Path::new("sh"), &["-c", line]);
        command.env("HAST", &self.hast);
        ran(command)
    }

    pub fn hast(&self, args: &[&str]) -> Ran {
        ran(self.hast_command(args))
    }

    pub fn start(&self, args: &[&str]) -> Child {
        self.hast_command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The binary with everything set, for a test that wants something else of it.
    pub fn hast_command(&self, args: &[&str]) -> Command {
        self.command(&self.hast, args)
    }

    /// The same with another binary.
    pub fn command_of(&self, program: impl AsRef<Path>, args: &[&str]) -> Command {
        self.command(program.as_ref(), args)
    }

    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("XDG_STATE_HOME", self.home().join("state"))
            .env("TMPDIR", self.directory.path())
            .env("LANG", "C.UTF-8")
            .env("TZ", "Asia/Seoul")
            .env("HAST_TRUST", "all")
            .envs(self.variables.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    /// Waits until something is so.
    pub fn wait_until(&self, what: &str, mut so: impl FnMut(&Self) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !so(self) {
            assert!(Instant::now() < end, "waited in vain: {what}");
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Nothing that was started in this directory is alive, or it ends soon.
    pub fn nothing_runs(&self) {
        self.wait_until("everything that was started has ended", |stage| stage.alive().is_empty());
    }

    /// The command lines of processes whose directory is in here.
    pub fn alive(&self) -> Vec<String> {
        let here = self.directory.path();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter(|process| {
                let cwd = fs::read_link(process.path().join("cwd"));
                cwd.is_ok_and(|cwd| cwd.starts_with(here))
            })
            .map(|process| {
                let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&line).replace('\0', " ")
            })
            .collect()
    }

    /// Leaves the directory for a person to look at.
    pub fn keep(self) -> PathBuf {
        self.directory.keep()
    }
}

fn ran(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
