//! A repository with ignored, untracked and changed files of the user's, and an agent that is a shell script.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
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
        scene.write("../agent.sh", script);
        let agent = scene.root().join("../agent.sh");
        let replies = format!(
            "version: 1\nreplies:\n  - do:\n      - run: [sh, \"{}\"]\n      - write: {{path: src/b.txt, text: \"b\\n\"}}\n      - handoff: {{status: complete, done: [b], next: nothing}}\n",
            agent.display()
        );
        let config = format!(
            "test_command: \"sh check.sh\"\nai_tool: \"rehearsal:.ai/agent.yaml\"\nmax_retries: 1\n{config}"
        );
        for (path, text) in [
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
    pub(crate) fn everything(&self) -> BTreeMap<String, (u32, Vec<u8>)> {
        let mut files = BTreeMap::new();
        let top = self.root().parent().unwrap().to_owned();
        collect(&top, &top, &mut files);
        files
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
    before: &BTreeMap<String, (u32, Vec<u8>)>,
    after: &BTreeMap<String, (u32, Vec<u8>)>,
    but: &[&str],
) -> Vec<String> {
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differs = all.into_iter().filter(|path| before.get(*path) != after.get(*path));
    differs.filter(|path| !but.contains(&path.as_str())).cloned().collect()
}

const CHANGED_BY_HAST: &[&str] = &[
    "project/.git/objects",
    "project/.git/refs/hast",
    "project/.git/refs/heads/main",
    "project/.git/logs",
    "project/.git/index",
    "project/.git/hast",
    "project/.ai",
    "home/state",
    "home/.local",
];

fn collect(top: &Path, directory: &Path, into: &mut BTreeMap<String, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
        if CHANGED_BY_HAST.contains(&name.as_str()) {
            continue;
        }
        let there = fs::symlink_metadata(&path).unwrap();
        let mode = there.permissions().mode();
        if there.is_dir() {
            into.insert(name, (mode, Vec::new()));
            collect(top, &path, into);
        } else if there.is_symlink() {
            let leads = fs::read_link(&path).unwrap().to_string_lossy().into_owned();
            into.insert(name, (mode, leads.into_bytes()));
        } else {
            into.insert(name, (mode, fs::read(&path).unwrap()));
        }
    }
}
