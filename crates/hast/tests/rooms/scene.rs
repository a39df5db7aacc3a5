//! A repository with ignored, untracked and changed files of the user's, and an agent that is a shell script.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use hast_stage::{Ran, Stage};

pub(crate) struct Scene {
    stage: Stage,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

/// A file as it is on the disk: what a user could miss of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    mode: u32,
    owner: (u32, u32),
    /// Nothing where hast's own work changes it.
    modified: Option<(i64, i64)>,
    attributes: Vec<(String, Vec<u8>)>,
    content: Vec<u8>,
}

/// Both kinds of room, as the configuration asks for them.
pub(crate) const KINDS: [&str; 2] =
    ["sandbox: prefer\n", "room: own-path\nroom_copy: [node_modules/, .venv/]\n"];

const GOALS: &str = "goals:\n  - {id: M1, title: The work, status: active}\n";
const MACHINE: &str = "/auto.lock\n/.hast/\n/events/\n/attempts/\n/queue/\n/state/\n/protocols/\n/reports/\n/worktrees/\n";

impl Scene {
    /// One goal, whose agent runs this script, writes `src/b.txt` and reports. The tests run `.venv/runner`.
    pub(crate) fn new(script: &str, config: &str) -> Self {
        Self::with_check(script, config, "sh .venv/runner\n")
    }

    pub(crate) fn with_check(script: &str, config: &str, check: &str) -> Self {
        let scene = Self { stage: Stage::new(env!("CARGO_BIN_EXE_hast")) };
        let replies = format!(
            "version: 1\nreplies:\n  - do:\n      - run: [sh, -c, {script:?}]\n      - write: {{path: src/b.txt, text: \"b\\n\"}}\n      - handoff: {{status: complete, done: [b], next: nothing}}\n"
        );
        let config = format!(
            "test_command: \"sh check.sh\"\nai_tool: \"rehearsal:.ai/agent.yaml\"\nmax_retries: 1\n{config}"
        );
        for (path, text) in [
            ("../home/state/hast.txt", "hast's directory is there, and the home's date stays\n"),
            ("src/a.txt", "a\n"),
            ("src/deep/c.txt", "c\n"),
            ("package.json", "{}\n"),
            ("check.sh", check),
            (".gitignore", "node_modules/\n.venv/\n*.log\n.env\nbuild/\n"),
            (".ai/config.yaml", &config),
            (".ai/goals.yaml", GOALS),
            (".ai/rules.md", "- rules\n"),
            (".ai/agent.yaml", &replies),
            (".ai/.gitignore", MACHINE),
        ] {
            scene.write(path, text);
        }
        scene.make_repository();
        for (path, text) in [
            ("node_modules/dep/index.js", "dep\n"),
            (".venv/runner", "test -f src/b.txt && test ! -e src/bad.txt\n"),
            (".env", "SECRET=1\n"),
            ("src/user.log", "mine\n"),
            ("notes.txt", "not committed\n"),
            ("src/deep/draft.txt", "not committed\n"),
        ] {
            scene.write(path, text);
        }
        scene
    }

    pub(crate) fn auto(&self) -> Ran {
        self.hast(&["auto"])
    }

    pub(crate) fn status(&self) -> String {
        let goals = self.read(".ai/goals.yaml");
        let (_, rest) = goals.split_once("status: ").unwrap();
        rest.split([',', '}', '\n']).next().unwrap_or_default().to_owned()
    }

    pub(crate) fn reason(&self) -> String {
        let log = self.read(".ai/events/events.ndjson");
        let judged = log.lines().rfind(|line| line.contains("ATTEMPT_JUDGED"));
        let code =
            judged.and_then(|line| Some(line.split_once("\"code\":\"")?.1.split_once('"')?.0));
        code.unwrap_or_default().to_owned()
    }

    /// Every file of the user's checkout, repository and home, with its content and rights, but what a
    /// merge of hast's changes: the branch, the index, logs, objects, and hast's own refs and state.
    pub(crate) fn everything(&self) -> BTreeMap<String, Entry> {
        let mut files = BTreeMap::new();
        let top = self.root().parent().unwrap().to_owned();
        collect(&top, &top, &mut files);
        files
    }

    /// Git in the project by whoever owns it.
    pub(crate) fn git_of_owner(&self, args: &[&str]) -> String {
        self.git(&[&["-c", "safe.directory=*"][..], args].concat())
    }

    pub(crate) fn nothing_is_left(&self) {
        assert_eq!(self.rooms(), []);
        self.nothing_runs();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(self.root().to_str().unwrap()), "{mounts}");
    }
}

/// Paths that are not the same in both, but for these.
pub(crate) fn differences(
    before: &BTreeMap<String, Entry>,
    after: &BTreeMap<String, Entry>,
    but: &[&str],
) -> Vec<String> {
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differs = all.into_iter().filter(|path| before.get(*path) != after.get(*path));
    differs.filter(|path| !but.contains(&path.as_str())).cloned().collect()
}

const CHANGED_BY_HAST: &[&str] = &[
    "project/.git/objects",
    "project/.git/refs/hast",
    "project/.git/refs/heads/hast",
    "project/.git/refs/heads/main",
    "project/.git/logs",
    "project/.git/index",
    "project/.git/hast",
    "project/.ai",
    "home/state",
    "home/.local",
    "home/reports",
];

fn collect(top: &Path, directory: &Path, into: &mut BTreeMap<String, Entry>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
        if CHANGED_BY_HAST.contains(&name.as_str()) {
            continue;
        }
        let there = fs::symlink_metadata(&path).unwrap();
        let content = match there.file_type() {
            kind if kind.is_file() => fs::read(&path).unwrap(),
            kind if kind.is_symlink() => {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            }
            _ => Vec::new(),
        };
        // A merge writes to directories, and git to its own.
        let by_hast = there.is_dir() && name.starts_with("project");
        let modified = (!by_hast).then(|| (there.mtime(), there.mtime_nsec()));
        let owner = (there.uid(), there.gid());
        let attributes = attributes(&path);
        if there.is_dir() {
            collect(top, &path, into);
        }
        into.insert(name, Entry { mode: there.mode(), owner, modified, attributes, content });
    }
}

fn attributes(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut names = vec![0; 4096];
    let length = rustix::fs::llistxattr(path, &mut names[..]).unwrap_or(0);
    let names = names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let value = |name: &[u8]| {
        let name = String::from_utf8_lossy(name).into_owned();
        let mut value = vec![0; 4096];
        let length = rustix::fs::lgetxattr(path, &name, &mut value[..]).unwrap_or(0);
        value.truncate(length);
        (name, value)
    };
    names.map(value).collect()
}
