//! A small repository, some goals, and a rehearsal that plays an agent for each.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::path::Path;

use hast_stage::Stage;

pub(crate) struct Scene {
    stage: Stage,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

/// A goal, its keys, and what its agent does.
pub(crate) type Goal<'g> = (&'g str, &'g str, &'g str);

/// Work on a file of its own, and a handoff.
pub(crate) fn work(path: &str, text: &str) -> String {
    format!(
        "      - append: {{path: {path}, text: \"{text}\\n\"}}\n      - handoff: {{status: complete, done: [it], next: nothing}}\n"
    )
}

impl Scene {
    pub(crate) fn new(goals: &[Goal<'_>]) -> Self {
        Self::with(goals, "", "true\n")
    }

    /// With more configuration, and a test command.
    pub(crate) fn with(goals: &[Goal<'_>], config: &str, check: &str) -> Self {
        let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
        let mut tree = "goals:\n".to_owned();
        let mut replies = "version: 1\nreplies:\n".to_owned();
        for (id, keys, actions) in goals {
            tree += &format!("  - id: {id}\n    title: \"Goal {id}\"\n    status: active\n{keys}");
            replies += &format!("  - when: {{unit: {id}}}\n    do:\n{actions}");
        }
        stage.write(".ai/goals.yaml", tree);
        stage.write("a.rehearsal.yaml", replies);
        let config = format!(
            "test_command: \"sh check.sh\"\nai_tool: \"rehearsal:a.rehearsal.yaml\"\nroom: own-path\n{config}"
        );
        stage.write(".ai/config.yaml", config);
        stage.write(".ai/rules.md", "- rules\n");
        stage.write(
            ".ai/.gitignore",
            "/auto.lock\n/.hast/\n/events/\n/attempts/\n/queue/\n/state/\n/protocols/\n/reports/\n/worktrees/\n",
        );
        stage.write("check.sh", check);
        stage.write("src/a.txt", "a\n");
        stage.write(".gitignore", "*.log\n.env\n");
        stage.make_repository();
        Self { stage }
    }

    /// Every file of the user's checkout but git's and ours, with its content.
    pub(crate) fn checkout(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.root(), &self.root(), &mut files);
        files
    }

    pub(crate) fn status_of(&self, goal: &str) -> String {
        let goals = self.read(".ai/goals.yaml");
        let (_, rest) = goals.split_once(&format!("id: {goal}\n")).unwrap();
        let (_, rest) = rest.split_once("status: ").unwrap();
        rest.lines().next().unwrap_or_default().to_owned()
    }

    /// The codes of a goal's verdicts, oldest first.
    pub(crate) fn verdicts(&self, goal: &str) -> Vec<String> {
        let log = self.read(".ai/events/events.ndjson");
        let of_goal = format!("\"goal_id\":\"{goal}\"");
        let code =
            |line: &str| Some(line.split_once("\"code\":\"")?.1.split_once('"')?.0.to_owned());
        log.lines()
            .filter(|line| line.contains("ATTEMPT_JUDGED") && line.contains(&of_goal))
            .filter_map(code)
            .collect()
    }

    /// The files of the branch, commit by commit, oldest first: the tests were green on each.
    pub(crate) fn history(&self) -> Vec<String> {
        let ids = self.git(&["rev-list", "--reverse", "main"]);
        ids.lines().map(str::to_owned).collect()
    }

    /// No tree, no branch of a lane, no process.
    pub(crate) fn nothing_is_left(&self) {
        assert_eq!(self.rooms(), []);
        assert_eq!(self.git(&["for-each-ref", "refs/hast/lanes"]), "");
        assert_eq!(self.names(".git/worktrees"), Vec::<String>::new());
        self.nothing_runs();
    }
}

fn collect(top: &Path, directory: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
        if name == ".git" || name == ".ai" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            collect(top, &path, into);
        } else {
            into.insert(name, fs::read(&path).unwrap());
        }
    }
}
