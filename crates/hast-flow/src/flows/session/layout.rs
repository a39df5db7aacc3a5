//! Where the documents of a session are, below its root `sessions/S-.../`.

use crate::ids::{QuestionId, SessionId, Sha256, TaskId};
use crate::store::DocPath;
use crate::time::UtcTime;

pub const STATUS: &str = "status.json";
pub const POINTERS: &str = "pointers.json";
pub const VERDICT: &str = "verdict.md";
pub const USER_INPUT: &str = "input/user_input.md";
pub const SYSTEM_PROMPT: &str = "input/system_prompt.md";
pub const REVIEW_RULES: &str = "critique/review_rules.md";
pub const REPORTS: &str = "critique/reports/";
pub const GOAL: &str = "plan/goal.md";
pub const DECOMPOSITION: &str = "plan/active/decomposition.json";
pub const METADATA: &str = "plan/active/metadata.json";
pub const LOG: &str = "plan/active/status_log.ndjson";
pub const CHANGE_LOG: &str = "plan/change_log.md";
pub const ARCHIVE: &str = "plan/archive/";
pub const INDEX: &str = "context/index.json";
pub const ROUTING: &str = "context/state.json";
pub const SOURCES: &str = "context/sources/";
pub const FINAL: &str = "output/final.md";
pub const OUTPUTS: &str = "execution/outputs/";
pub const RUN_LOGS: &str = "execution/run_logs/";
pub const QUESTIONS: &str = "execution/questions/";
pub const COPIES: &str = "output/artifacts/";
pub const SUMMARY: &str = "output/summary.json";
pub const MANIFEST: &str = "artifact_manifest.json";

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

/// An answer that the critic did not take, and what it said of it.
pub fn refused(number: usize) -> (String, String) {
    (format!("{REPORTS}final.{number}.md"), format!("{REPORTS}verdict.{number}.md"))
}

/// The run log of a day.
pub fn run_log(now: UtcTime) -> String {
    format!("execution/run_logs/{}.ndjson", now.instant().strftime("%Y%m%d"))
}

pub fn question(id: &QuestionId) -> String {
    format!("{QUESTIONS}{id}.json")
}

pub fn answer(id: &QuestionId) -> String {
    format!("{QUESTIONS}{id}.answer.json")
}

/// A raw answer; what it is and where it came from lies beside it.
pub fn source(hash: &Sha256) -> (String, String) {
    (format!("{SOURCES}{hash}"), format!("{SOURCES}{hash}.json"))
}

/// The directory that a plan is archived to.
pub fn snapshot(now: UtcTime, reason: &str) -> String {
    let mut slug = String::new();
    for c in reason.to_lowercase().chars() {
        match c {
            c if c.is_alphanumeric() => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
        if slug.len() >= SLUG_BYTES {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    let slug = if slug.is_empty() { "revision" } else { slug };
    format!("{ARCHIVE}snapshot_{}_{slug}", now.compact())
}

const SLUG_BYTES: usize = 40;

/// A document as the index and the pointers name it, from the directory that holds all sessions.
pub fn from_project(session: &SessionId, path: &str) -> String {
    format!("/sessions/{session}/{}", path.trim_start_matches('/'))
}

/// The same from the session's own root, with its leading slash.
pub fn from_session(path: &str) -> &str {
    let below =
        path.strip_prefix("/sessions/").and_then(|rest| rest.find('/').map(|at| &rest[at..]));
    below.unwrap_or(path)
}

/// A path that these functions made; only a plan's own file names could be refused.
pub fn path(text: &str) -> Option<DocPath> {
    DocPath::new(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_named_after_its_time_and_reason() {
        let now = "2026-01-12T14:30:00Z".parse().unwrap();
        let named = |reason| snapshot(now, reason);
        assert_eq!(
            named("T-0007 failed 3 times"),
            "plan/archive/snapshot_20260112T143000Z_t-0007-failed-3-times"
        );
        assert_eq!(named("../../etc"), "plan/archive/snapshot_20260112T143000Z_etc");
        assert_eq!(named("!!"), "plan/archive/snapshot_20260112T143000Z_revision");
        assert!(path(&named(&"가".repeat(400))).is_some());
    }

    #[test]
    fn a_path_from_the_project_and_from_the_session_name_the_same() {
        let session = "S-20260112-143000Z".parse().unwrap();
        let path = from_project(&session, "/execution/outputs/T-0007/a.md");
        assert_eq!(path, "/sessions/S-20260112-143000Z/execution/outputs/T-0007/a.md");
        assert_eq!(from_session(&path), "/execution/outputs/T-0007/a.md");
        assert_eq!(from_session("/execution/a.md"), "/execution/a.md");
    }
}
