//! A user's home, a clone, and what both are: every name with its kind, its content and its date.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use hast_stage::{Ran, Stage};
use tempfile::TempDir;

pub(crate) const SECRET: &str = "the key that nobody may see";
pub(crate) const SESSION: &str = "sessions/S-20260112-143000Z";
/// Directories that hold documents of a flow, each with files of the store's own.
pub(crate) const ROOTS: &[&str] =
    &["", ".ai", ".ai/queue", ".brain", ".claude/orchestrator", SESSION];

/// A goal that waits for a person, as the log tells it.
const BLOCKED: &str = "{\"event_id\":\"EV-20260209T140100Z-0001\",\"ts\":\"2026-02-09T14:01:00Z\",\"actor\":\"controller\",\"type\":\"GOAL_BLOCKED\",\"detail\":{\"goal_id\":\"M2\",\"attempt\":3,\"code\":\"retries\",\"reason\":\"r\",\"class\":\"failed\"}}\n";

/// What a name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Directory,
    File { bytes: Vec<u8>, mode: u32, names: u64 },
    Link(PathBuf),
    Other,
}

/// A tree by the paths below it, with the dates that tell of a write.
pub(crate) type Tree = BTreeMap<PathBuf, (Node, (i64, i64))>;

/// A home with a state directory, and room for clones beside it and in it.
pub(crate) struct Places {
    directory: TempDir,
}

impl Places {
    pub(crate) fn new() -> Self {
        // In memory where there is such a place: thousands of commands would wait for a disk.
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let directory = tempfile::Builder::new().prefix("hast-trust-").tempdir_in(place).unwrap();
        let places = Self { directory };
        for (path, text) in [
            ("Documents/thesis.txt", "ten years of work"),
            ("Documents/photos/1.jpg", "a face"),
            ("Documents/config.yaml", "language: en\n"),
            (".ssh/id_ed25519", SECRET),
            (".bashrc", "alias ll='ls -l'\n"),
        ] {
            write(&places.home().join(path), text.as_bytes());
        }
        fs::create_dir_all(places.home().join(".local/state/hast")).unwrap();
        fs::create_dir_all(places.home().join("src")).unwrap();
        places
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// A fresh clone in a directory below all of this.
    pub(crate) fn clone_into(&self, name: &str) -> PathBuf {
        let root = self.directory.path().join(name);
        put(&root, template());
        root
    }

    pub(crate) fn hast(&self, root: &Path, args: &[&str]) -> Ran {
        // Something that waits without end is as wrong as something that writes.
        let output = program("timeout")
            .args(["-k", "1", "20", env!("CARGO_BIN_EXE_hast")])
            .args(args)
            .current_dir(root)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home())
            .env("TMPDIR", self.directory.path())
            .env("LANG", "C.UTF-8")
            .env("HAST_TEST_WORLD", "2026-02-09T14:30:00+09:00#7")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "tests start hast as its users do")]
pub(crate) fn program(name: &str) -> Command {
    Command::new(name)
}

#[expect(clippy::disallowed_methods, reason = "sets the scene: these are no files of hast")]
pub(crate) fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Takes away whatever is at a path.
#[expect(clippy::disallowed_methods, reason = "sets the scene: these are no files of hast")]
pub(crate) fn clear(path: &Path) {
    match path.symlink_metadata() {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => fs::create_dir_all(path.parent().unwrap()).unwrap(),
    }
}

/// Puts a link in the place of whatever is there.
pub(crate) fn link(path: &Path, target: &Path) {
    clear(path);
    symlink(target, path).unwrap();
}

pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    look(root, root, &mut tree);
    tree
}

/// A home without what hast keeps of its own there.
pub(crate) fn home_tree(home: &Path) -> Tree {
    let own = Path::new(".local/state/hast");
    tree(home).into_iter().filter(|(path, _)| !path.starts_with(own)).collect()
}

fn look(root: &Path, directory: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let (path, there) = (entry.path(), entry.path().symlink_metadata().unwrap());
        let date = (there.mtime(), there.mtime_nsec());
        let node = match there.file_type() {
            kind if kind.is_dir() => Node::Directory,
            kind if kind.is_symlink() => Node::Link(fs::read_link(&path).unwrap()),
            kind if kind.is_fifo() => Node::Other,
            _ => {
                let mode = there.permissions().mode() & 0o777;
                Node::File { bytes: fs::read(&path).unwrap(), mode, names: there.nlink() }
            }
        };
        let below = path.strip_prefix(root).unwrap().to_owned();
        tree.insert(below, (node, date));
        if there.is_dir() {
            look(root, &path, tree);
        }
    }
}

/// The names that are not the same in both.
pub(crate) fn differences(before: &Tree, after: &Tree) -> Vec<String> {
    let names =
        before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path));
    let mut names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    names.sort();
    names.dedup();
    names
}

fn put(root: &Path, tree: &Tree) {
    fs::create_dir_all(root).unwrap();
    for (path, (node, _)) in tree {
        put_one(&root.join(path), node);
    }
}

fn put_one(path: &Path, node: &Node) {
    match node {
        Node::Directory => fs::create_dir_all(path).unwrap(),
        Node::Link(target) => symlink(target, path).unwrap(),
        Node::Other => {}
        Node::File { bytes, mode, .. } => {
            write(path, bytes);
            fs::set_permissions(path, PermissionsExt::from_mode(*mode)).unwrap();
        }
    }
}

/// Makes a tree again what it was, but for its dates. Not one with pipes and hard links: tells so.
pub(crate) fn restore(root: &Path, before: &Tree) -> bool {
    let plain = |node: &Node| match node {
        Node::File { names, .. } => *names == 1,
        Node::Directory | Node::Link(_) => true,
        Node::Other => false,
    };
    if !before.values().all(|(node, _)| plain(node)) {
        return false;
    }
    let after = tree(root);
    let node = |tree: &Tree, path: &Path| tree.get(path).map(|(node, _)| node.clone());
    let changed = before.keys().chain(after.keys());
    let changed: BTreeSet<&PathBuf> =
        changed.filter(|path| node(before, path) != node(&after, path)).collect();
    for path in &changed {
        clear(&root.join(path));
    }
    for path in changed {
        if let Some((node, _)) = before.get(path) {
            put_one(&root.join(path), node);
        }
    }
    true
}

/// A repository with documents of all five flows, as another user's hast has left them.
fn template() -> &'static Tree {
    static TEMPLATE: OnceLock<Tree> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
        goals(&stage);
        stage.write(
            "db/process_runs.md",
            "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n| :--- | :--- | :--- | :--- | :--- | :--- |\n| run-20260112-143000-001 | a report | AWAITING_CONFIRMATION | | | |\n",
        );
        stage.write("runs/run-20260112-143000-001/01_request.md", "a report\n");
        stage.write(&format!("{SESSION}/status.json"), "{}\n");
        stage.write(&format!("{SESSION}/plan/active/status_log.ndjson"), "");
        for args in [
            &["kernel", "boot"][..],
            &["contract", "knowledge", "add", "use tabs", "--pattern", "style"],
            &["queue", "claim", "--worker", "w1", "--goal", "M1"],
            &["decision", "new", "D1", "--question", "q", "--alternative", "a=A", "--alternative", "b=B"],
        ] {
            let ran = stage.hast(args);
            assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        }
        // A commit that was cut off in each, and journals that are small enough to be copied often.
        for root in ROOTS {
            clear(&stage.root().join(root).join(".hast"));
            crate::torn::cut_off(&stage, root, &[("notes.md", None, "cut off")]);
        }
        stage.make_repository();
        tree(&stage.root())
    })
}

/// Goals whose commands leave a mark in the home of whoever runs them.
fn goals(stage: &Stage) {
    let config = "language: en\ntest_command: \"touch $HOME/ran-tests\"\nai_tool: 'sh -c \"touch $HOME/ran-agent\" {prompt}'\nworktree_setup: \"touch $HOME/ran-setup\"\nsandbox: off\n";
    stage.write(".ai/config.yaml", config);
    stage.write(
        ".ai/goals.yaml",
        "goals:\n  - id: M1\n    title: one\n    status: active\n    test_command: touch $HOME/ran-goal\n  - id: M2\n    title: two\n    status: blocked\n    blocked_reason: r\n",
    );
    stage.write(".ai/events/events.ndjson", BLOCKED);
    stage.write(".ai/rules.md", "# Rules\n\nbe kind\n");
    stage.write(".ai/handoffs/2026-01-12_1430_M1.md", "no front matter\n");
    stage.write("AGENTS.md", "# Agents\n");
    stage.write("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
}
