//! A request with an analysis, tests and code, and a subtask that finds its code already there.

use std::path::Path;

use crate::dice::Dice;
use crate::rounds::{Outcome, Play};
use crate::stage::Stage;

/// Agents that do their work.
pub const REHEARSAL: &str = include_str!("contract.rehearsal.yaml");
/// Runs every `tests/*.test` and prints TAP.
pub const RUN_TESTS: &str = "n=0; f=0\nfor t in tests/*.test; do n=$((n+1)); if sh \"$t\" 2>/dev/null; then echo \"ok $n - $t\"; else echo \"not ok $n - $t\"; f=1; fi; done\nexit $f\n";

/// What the implementer writes to `src/total.sh`.
pub const CODE: &str = "sum() {\n    echo $(($1 + $2))\n}\nsum \"$@\"\n";

const STATE: &str = ".claude/orchestrator";

#[derive(Debug)]
pub struct TestFirst;

/// A project with tests and a rehearsal, committed.
pub fn project(hast: &Path, rehearsal: &str, config: &str) -> Stage {
    let stage = Stage::new(hast);
    stage.write("README", "read me\n");
    stage.write("tests/run.sh", RUN_TESTS);
    stage.write("tests/first.test", "true\n");
    stage.write(".ai/rehearsals/a.yaml", rehearsal);
    let config = format!(
        "test_command: \"sh tests/run.sh\"\nai_tool: \"rehearsal:.ai/rehearsals/a.yaml\"\n{config}"
    );
    stage.write(".ai/config.yaml", config);
    stage.make_repository();
    stage
}

impl Play for TestFirst {
    fn set(&self, hast: &Path) -> Stage {
        project(hast, REHEARSAL, "sandbox: off\n")
    }

    fn arguments(&self, stage: &Stage) -> Vec<String> {
        let begun = stage.read(&format!("{STATE}/events.ndjson")).contains("REQUEST_STARTED");
        let words: &[&str] =
            if begun { &["contract", "resume"] } else { &["contract", "start", "a total"] };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn outcome(&self, stage: &Stage) -> Option<Outcome> {
        let log = stage.read(&format!("{STATE}/events.ndjson"));
        if !log.contains("REQUEST_COMPLETED") {
            return None;
        }
        let files = stage.git(&["ls-tree", "-r", "HEAD"]);
        let subjects = stage.git(&["log", "--format=%s"]);
        let status = stage.git(&["status", "--porcelain", "--", ".", ":!.claude", ":!.ai"]);
        let all = [("files", files), ("commits", subjects), ("status", status)];
        Some(all.into_iter().map(|(name, text)| (name.to_owned(), text)).collect())
    }

    /// A commit that was cut off leaves its lock, and it is the person's to remove.
    fn between(&self, stage: &Stage, _: &mut Dice) {
        stage.nothing_runs();
        for lock in [".git/HEAD.lock", ".git/refs/heads/main.lock", ".git/index.lock"] {
            if stage.has(lock) {
                stage.remove(lock);
            }
        }
    }

    fn check(&self, stage: &Stage) {
        let commits = stage.git(&["log", "--format=%s"]);
        let wanted = [
            "test(R1/T1-S3): 컨트롤러 구현",
            "feat(R1/T1-S2): 테스트 작성",
            "test(R1/T1-S2): 테스트 작성",
            "test(R1/T1-S1): API 스펙 확인",
            "first",
        ];
        assert_eq!(commits.lines().collect::<Vec<_>>(), wanted, "each commit exactly once");
        let verified = stage.hast(&["contract", "verify"]);
        assert_eq!(verified.code, 0, "{verified:?}");
    }
}
