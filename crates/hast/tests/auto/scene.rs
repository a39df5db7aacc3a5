//! A small repository with one goal, and a rehearsal as its agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

pub(crate) struct Scene {
    directory: TempDir,
}

/// What a run of a program gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A file of the checkout, as it is named from a room at a path of its own.
pub(crate) const GO: &str = "../../../../../../../project/go.log";

/// Work within its scope, and a handoff.
pub(crate) const WORK: &str = concat!(
    "      - write: {path: src/b.txt, text: \"b\\n\"}\n",
    "      - handoff: {status: complete, done: [b], next: nothing}\n",
);

const GOALS: &str = "\
goals:
  - id: M1
    title: \"The work\"
    status: active
    allowed_changes: [\"src/\", \"tests/\"]
";

/// What claude prints when its model runs the tests, as a rehearsal prints it.
pub(crate) fn claude_tests() -> String {
    let line = r#"{"type":"assistant","message":{"id":"m1","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test -p calc"}}],"usage":{"input_tokens":1000,"cache_read_input_tokens":200,"output_tokens":34}}}"#;
    serde_json::json!({ "hast": "line", "of": "claude", "line": line }).to_string()
}

impl Scene {
    /// The agent does this, whatever it is asked. Nothing keeps it from doing so: the judge has to see.
    pub(crate) fn new(actions: &str) -> Self {
        Self::with(GOALS, &format!("  - do:\n{actions}"), "sandbox: off\nmax_retries: 1\n")
    }

    pub(crate) fn with(goals: &str, replies: &str, config: &str) -> Self {
        let scene = Self { directory: TempDir::new().unwrap() };
        fs::create_dir(scene.directory.path().join("home")).unwrap();
        let config = format!(
            "test_command: \"sh tests/check.sh\"\nai_tool: \"rehearsal:.ai/rehearsals/a.yaml\"\n{config}{}",
            if replies.contains(GO) { "room: own-path\n" } else { "" }
        );
        for (path, text) in [
            ("src/a.txt", "a\n"),
            ("README", "read me\n"),
            ("tests/check.sh", "test -f src/a.txt || { echo FAIL a.txt; exit 1; }\n"),
            ("tests/other_test.sh", "true\n"),
            (".gitignore", "*.log\n"),
            (".ai/config.yaml", &config),
            (".ai/goals.yaml", goals),
            (".ai/rules.md", "- tests first\n"),
            (".ai/rehearsals/a.yaml", &format!("version: 1\nreplies:\n{replies}")),
            (
                ".ai/.gitignore",
                "/auto.lock\n/.hast/\n/events/\n/attempts/\n/queue/\n/state/\n/protocols/\n/reports/\n/worktrees/\n",
            ),
        ] {
            scene.write(path, text);
        }
        scene.git(&["init", "-q", "-b", "main"]);
        scene.git(&["config", "user.name", "User"]);
        scene.git(&["config", "user.email", "user@localhost"]);
        scene.git(&["commit", "-q", "--allow-empty", "-m", "zero"]);
        scene.git(&["tag", "v0"]);
        scene.git(&["branch", "other"]);
        scene.git(&["add", "-A"]);
        scene.git(&["commit", "-q", "-m", "first"]);
        // Ignored, and the user's.
        scene.write("user.log", "mine\n");
        scene
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    #[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap_or_default()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let ran = ran(self.command("git", args));
        assert_eq!(ran.code, 0, "git {args:?}: {ran:?}");
        ran.out.trim().to_owned()
    }

    pub(crate) fn hast(&self, args: &[&str]) -> Ran {
        ran(self.command(env!("CARGO_BIN_EXE_hast"), args))
    }

    /// As a user who has approved nothing.
    pub(crate) fn hast_without_trust(&self, args: &[&str]) -> Ran {
        let mut command = self.command(env!("CARGO_BIN_EXE_hast"), args);
        command.env_remove("HAST_TRUST");
        ran(command)
    }

    pub(crate) fn hast_command(&self, args: &[&str]) -> Command {
        self.command(env!("CARGO_BIN_EXE_hast"), args)
    }

    pub(crate) fn other_command(&self, program: &str, args: &[&str]) -> Command {
        self.command(program, args)
    }

    /// A command that a message gives.
    pub(crate) fn shell(&self, command: &str) {
        let ran = ran(self.command("sh", &["-c", command]));
        assert_eq!(ran.code, 0, "{command}: {ran:?}");
    }

    /// A line as a person types it; `$HAST` is the binary.
    pub(crate) fn typed(&self, line: &str) -> Ran {
        let mut command = self.command("sh", &["-c", line]);
        command.env("HAST", env!("CARGO_BIN_EXE_hast"));
        ran(command)
    }

    pub(crate) fn shell_out(&self, command: &str) -> String {
        ran(self.command("sh", &["-c", command])).out.trim().to_owned()
    }

    pub(crate) fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(env!("CARGO_BIN_EXE_hast"), args);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// A program with pipes at both ends.
    pub(crate) fn piped(&self, program: &str, args: &[&str]) -> Child {
        let mut command = self.command(program, args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The details of the events of a kind, oldest first.
    pub(crate) fn told(&self, kind: &str) -> Vec<serde_json::Value> {
        let log = self.read(".ai/events/events.ndjson");
        let events =
            log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        events.filter(|event| event["type"] == kind).map(|event| event["detail"].clone()).collect()
    }

    /// The agent does this from now on.
    pub(crate) fn agent(&self, actions: &str) {
        let replies = format!("version: 1\nreplies:\n  - do:\n{actions}");
        self.write(".ai/rehearsals/a.yaml", &replies);
    }

    /// A path as it is seen from the rooms that there are.
    fn in_rooms(&self, path: &str) -> Vec<PathBuf> {
        let rooms = self.directory.path().join("home/state/hast/rooms");
        let below = |directory: PathBuf| fs::read_dir(directory).into_iter().flatten().flatten();
        let slots = below(rooms).flat_map(|rooms| below(rooms.path()));
        slots.map(|slot| slot.path().join("tree").join(path)).collect()
    }

    /// Whether a room has a file.
    pub(crate) fn room_has(&self, path: &str) -> bool {
        self.in_rooms(path).iter().any(|path| path.symlink_metadata().is_ok())
    }

    /// Takes a file out of the rooms.
    #[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
    pub(crate) fn forget_in_rooms(&self, path: &str) {
        for path in self.in_rooms(path) {
            let _ = fs::remove_file(path);
        }
    }

    /// A file of a room, or what an agent wrote beside it.
    pub(crate) fn read_in_room(&self, path: &str) -> String {
        let mut texts = self.in_rooms(path).into_iter().flat_map(fs::read_to_string);
        texts.next().unwrap_or_default()
    }

    /// Everything of the user's: files of the checkout but for hast's own, and of git what an agent could
    /// change for others. A path that hast changes itself is named by nobody else.
    pub(crate) fn users(&self) -> String {
        self.shell_out(
            "find . -path ./.git -prune -o -path ./.ai -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; \
             git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/remotes refs/stash | grep -v -e ' refs/heads/main ' -e hast/kept -e refs/heads/main; \
             cat .git/HEAD .git/config .git/info/exclude; ls -l .git/hooks; ls .git | grep -v -e '^hast$' -e '^ORIG_HEAD$' -e '^logs$'; git worktree list | cut -d' ' -f1; git stash list; git ls-files -v | grep -v ^H",
        )
    }

    /// Waits until a file is there, or in a room; only a failing test waits for long.
    pub(crate) fn wait_for(&self, path: &str) {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !self.has(path) && !self.room_has(path) {
            assert!(std::time::Instant::now() < end, "{path} never came");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    /// Ctrl-C.
    pub(crate) fn interrupt(&self, child: &Child) {
        let ran = ran(self.command("kill", &["-INT", &child.id().to_string()]));
        assert_eq!(ran.code, 0, "{ran:?}");
    }

    #[expect(clippy::disallowed_methods, reason = "a test of the binary has to start it")]
    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.directory.path().join("home"))
            .env("XDG_STATE_HOME", self.directory.path().join("home/state"))
            .env("TMPDIR", self.directory.path())
            .env("LANG", "C.UTF-8")
            .env("TZ", "Asia/Seoul")
            .env("HAST_TRUST", "all")
            .stdin(Stdio::null());
        command
    }

    /// What the goal's status is in the file.
    pub(crate) fn status(&self) -> String {
        let goals = self.read(".ai/goals.yaml");
        let line = goals.lines().find_map(|line| line.trim().strip_prefix("status: "));
        line.unwrap_or_default().to_owned()
    }

    /// The class and code of each verdict, oldest first.
    pub(crate) fn verdicts(&self) -> Vec<String> {
        let log = self.read(".ai/events/events.ndjson");
        let field = |line: &str, name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        log.lines()
            .filter(|line| line.contains("ATTEMPT_JUDGED"))
            .filter_map(|line| Some(format!("{} {}", field(line, "class")?, field(line, "code")?)))
            .collect()
    }

    /// Processes that were started below this directory and still run.
    pub(crate) fn left_running(&self) -> Vec<String> {
        let here = self.directory.path().to_string_lossy().into_owned();
        let mut left = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let is_pid = entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit());
            let cwd = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            if is_pid && cwd.starts_with(Path::new(&here)) {
                left.push(fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default());
            }
        }
        left
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
