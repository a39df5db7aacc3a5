//! Goals in four lanes, two of which change the same file: whoever comes second conflicts, and tries
//! once more from there. The user has a file of their own in the checkout all the while.

use std::path::Path;

use crate::rounds::{Outcome, Play};
use crate::stage::Stage;

const IGNORE: &str = "/auto.lock\n/.hast/\n/events/\n/attempts/\n/queue/\n/state/\n/protocols/\n/reports/\n/worktrees/\n";
const GOALS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
/// Both add a line to one file.
const PAIR: [&str; 2] = ["C", "D"];

#[derive(Debug)]
pub struct FourLanes;

impl Play for FourLanes {
    fn set(&self, hast: &Path) -> Stage {
        let stage = Stage::new(hast);
        let mut goals = "goals:\n".to_owned();
        let mut replies = "version: 1\nreplies:\n".to_owned();
        for id in GOALS {
            goals += &format!("  - id: {id}\n    title: \"Goal {id}\"\n    status: active\n");
            let path = if PAIR.contains(&id) { "src/both.txt" } else { "src/own.txt" };
            let path = path.replace("own", id);
            replies += &format!(
                "  - when: {{unit: {id}}}\n    do:\n      - append: {{path: {path}, text: \"{id}\\n\"}}\n      - sleep: 0.2\n      - handoff: {{status: complete, done: [{id}], next: nothing}}\n"
            );
        }
        stage.write(".ai/goals.yaml", goals);
        stage.write("a.rehearsal.yaml", replies);
        let config = "test_command: \"sh check.sh\"\nai_tool: \"rehearsal:a.rehearsal.yaml\"\nsandbox: off\nmax_retries: 9\n";
        stage.write(".ai/config.yaml", config);
        stage.write(".ai/rules.md", "- rules\n");
        stage.write(".ai/.gitignore", IGNORE);
        stage.write("check.sh", "test -f src/both.txt\n");
        stage.write("src/both.txt", "first\n");
        stage.make_repository();
        stage.write("mine.txt", "the user's\n");
        stage
    }

    fn arguments(&self, _: &Stage) -> Vec<String> {
        ["auto", "--recursive", "--parallel", "4"].map(str::to_owned).to_vec()
    }

    /// The branch has every goal's work once. In which order they came is nobody's business.
    fn outcome(&self, stage: &Stage) -> Option<Outcome> {
        let goals = stage.read(".ai/goals.yaml");
        let log = stage.read(".ai/events/events.ndjson");
        let count = |kind: &str| log.matches(kind).count();
        let open = count("\"LANE_OPENED\"") > count("\"LANE_CLOSED\"");
        if open || goals.matches("status: done").count() < GOALS.len() {
            return None;
        }
        let mut both: Vec<String> =
            stage.git(&["show", "HEAD:src/both.txt"]).lines().map(str::to_owned).collect();
        both.sort();
        let subjects = stage.git(&["log", "--format=%s"]);
        let mut feats: Vec<&str> =
            subjects.lines().filter(|line| line.starts_with("feat")).collect();
        feats.sort_unstable();
        Some(Outcome::from([
            ("goals.yaml".to_owned(), goals),
            ("both.txt".to_owned(), both.join("\n")),
            ("commits".to_owned(), feats.join("\n")),
            ("files".to_owned(), stage.git(&["ls-tree", "-r", "--name-only", "HEAD", "src"])),
            ("status".to_owned(), stage.git(&["status", "--porcelain"])),
            ("mine.txt".to_owned(), stage.read("mine.txt")),
        ]))
    }

    fn check(&self, stage: &Stage) {
        let log = stage.read(".ai/events/events.ndjson");
        let done = log.lines().filter(|line| line.contains("\"GOAL_DONE\"")).count();
        assert_eq!(done, GOALS.len(), "a goal was done twice");
        assert_eq!(stage.names(".ai/worktrees"), Vec::<String>::new());
        assert_eq!(stage.names(".git/worktrees"), Vec::<String>::new());
        assert_eq!(stage.git(&["for-each-ref", "refs/heads/hast"]), "");
        stage.git(&["fsck", "--connectivity-only"]);
        let claims = stage.hast(&["queue", "list", "--active-only", "--json"]);
        assert!(!claims.out.contains("QCLM_"), "a claim is left: {}", claims.out);
    }
}
