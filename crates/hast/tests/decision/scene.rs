//! A small repository with a question, and a rehearsal that tries each answer.

use std::ops::Deref;

use hast_stage::Stage;
use serde_json::Value;

pub(crate) struct Scene {
    stage: Stage,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

pub(crate) const FILE: &str = ".ai/decisions/D1.yaml";

/// New files that nobody adds to git; commits, with a rest that is not committed; a renamed file with
/// one other line.
pub(crate) const THREE: [(&str, &str); 3] = [
    ("A", "      - write: {path: src/new.txt, text: \"1\\n2\\n3\\n\"}\n"),
    (
        "B",
        "      - write: {path: src/b.txt, text: \"1\\n2\\n\"}\n      - run: \"git add -A && git commit -qm one\"\n      - append: {path: src/b.txt, text: \"3\\n4\\n\"}\n      - run: \"git commit -qam two\"\n      - write: {path: src/rest.txt, text: \"5\\n6\\n\"}\n",
    ),
    (
        "C",
        "      - run: \"git mv src/long.txt src/moved.txt && sed -i s/line.7$/other/ src/moved.txt\"\n",
    ),
];

impl Scene {
    /// Alternatives with what their agents do.
    pub(crate) fn new(alternatives: &[(&str, &str)]) -> Self {
        Self::with(alternatives, "", "test -d src && test ! -f src/bug.txt\n")
    }

    /// With more of a ticket, and a test command.
    pub(crate) fn with(alternatives: &[(&str, &str)], more: &str, check: &str) -> Self {
        let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
        let mut replies = "version: 1\nreplies:\n".to_owned();
        let mut ticket = format!("id: D1\nquestion: which one?\n{more}alternatives:\n");
        for (id, actions) in alternatives {
            ticket += &format!("  - id: {id}\n    title: \"way {id}\"\n");
            replies += &format!("  - when: {{unit: {id}}}\n    do:\n{actions}");
        }
        stage.write(FILE, ticket);
        stage.write("a.rehearsal.yaml", replies);
        stage.write(
            ".ai/config.yaml",
            "test_command: \"sh check.sh\"\nai_tool: \"rehearsal:a.rehearsal.yaml\"\nsandbox: off\n",
        );
        stage.write(".ai/goals.yaml", "goals: []\n");
        stage.write(".ai/rules.md", "- rules\n");
        stage.write(
            ".ai/.gitignore",
            "/auto.lock\n/.hast/\n/events/\n/attempts/\n/queue/\n/state/\n/protocols/\n/reports/\n/worktrees/\n",
        );
        stage.write("check.sh", check);
        let long: String = (0..40).map(|n| format!("line {n}\n")).collect();
        stage.write("src/long.txt", long);
        stage.write(".gitignore", "*.log\n");
        stage.make_repository();
        Self { stage }
    }

    pub(crate) fn spike(&self, args: &[&str]) -> (i32, Value) {
        let args: Vec<&str> =
            ["decision", "spike", FILE, "--json"].iter().chain(args).copied().collect();
        let ran = self.hast(&args);
        let value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
        (ran.code, value)
    }

    pub(crate) fn events(&self, kind: &str) -> usize {
        let log = self.read(".ai/events/events.ndjson");
        log.lines().filter(|line| line.contains(&format!("\"type\":\"{kind}\""))).count()
    }

    /// No tree, no branch of one, no process; and the user's files as git has them.
    pub(crate) fn nothing_is_left(&self) {
        assert_eq!(self.rooms(), []);
        assert_eq!(self.git(&["for-each-ref", "refs/hast/lanes"]), "");
        assert_eq!(self.git(&["for-each-ref", "refs/heads/hast"]), "");
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        self.nothing_runs();
    }
}

/// Id, lines, files, in the order of the ranking.
pub(crate) fn ranking(answer: &Value) -> Vec<(String, u64, u64)> {
    let all = answer["alternatives"].as_array().unwrap_or_else(|| panic!("{answer}")).iter();
    all.map(|one| {
        let number = |key: &str| one[key].as_u64().unwrap();
        (one["id"].as_str().unwrap().to_owned(), number("diff_lines"), number("changed_files"))
    })
    .collect()
}
