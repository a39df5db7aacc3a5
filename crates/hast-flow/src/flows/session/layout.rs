//! Where the documents of a session are, below its root `sessions/S-.../`.

use crate::ids::TaskId;
use crate::store::DocPath;
use crate::time::UtcTime;

pub const STATUS: &str = "status.json";
pub const POINTERS: &str = "pointers.json";
pub const VERDICT: &str = "verdict.md";
pub const USER_INPUT: &str = "input/user_input.md";
pub const SYSTEM_PROMPT: &str = "input/system_prompt.md";
pub const REVIEW_RULES: &str = "critique/review_rules.md";
pub const GOAL: &str = "plan/goal.md";
pub const DECOMPOSITION: &str = "plan/active/decomposition.json";
pub const METADATA: &str = "plan/active/metadata.json";
pub const LOG: &str = "plan/active/status_log.ndjson";
pub const CHANGE_LOG: &str = "plan/change_log.md";
pub const INDEX: &str = "context/index.json";
pub const ROUTING: &str = "context/state.json";
pub const FINAL: &str = "output/final.md";
pub const OUTPUTS: &str = "execution/outputs/";
pub const SUMMARY: &str = "output/summary.json";

/// The directory of a task's outputs; later attempts have their own.
pub fn outputs(task: &TaskId, attempt: u32) -> String {
    match attempt {
        0 | 1 => format!("execution/outputs/{task}"),
        later => format!("execution/outputs/{task}/attempt-{later}"),
    }
}

/// The report of a task's review; later ones are numbered.
pub fn report(task: &TaskId, attempt: u32) -> String {
    match attempt {
        0 | 1 => format!("critique/reports/{task}.json"),
        later => format!("critique/reports/{task}.{later}.json"),
    }
}

/// The run log of a day.
pub fn run_log(now: UtcTime) -> String {
    format!("execution/run_logs/{}.ndjson", now.instant().strftime("%Y%m%d"))
}

/// A path that these functions made; only a plan's own file names could be refused.
pub fn path(text: &str) -> Option<DocPath> {
    DocPath::new(text).ok()
}
