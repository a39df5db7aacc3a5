//! Where the documents of the contract flow are, below `.claude/orchestrator/`.

use crate::ids::{ContractTaskId, ProjectHash, RequestId, SubtaskId};
use crate::store::DocPath;

pub const LOG: &str = "events.ndjson";
/// Which steps the driver began and ended.
/// Says that nothing below is for git, itself included.
pub const IGNORE: &str = ".gitignore";
pub const IGNORE_TEXT: &str = "# What hast keeps here is state. To have contracts or knowledge in git, change this file.\n*\n";
pub const STEPS: &str = ".hast/steps.ndjson";
/// Names the rooms of requests; nothing lies there.
pub const ROOMS: &str = "rooms/";

pub const EXPLORED: &str = "explored.yaml";
pub const PATTERNS: &str = "patterns.yaml";
pub const BREAKDOWN: &str = "task-breakdown.yaml";
pub const MERGE: &str = "merge.json";
pub const BRIEF: &str = "design-brief.yaml";
pub const DESIGN: &str = "design-contract.yaml";
pub const DECISIONS: &str = "decisions.yaml";
pub const TESTS: &str = "test-contract.yaml";
pub const RESULT: &str = "test-result.yaml";
pub const REVIEW: &str = "review.json";
pub const RECOMMENDATION: &str = "recommendation.json";

pub fn session(project: &ProjectHash) -> String {
    format!("sessions/{project}/session.json")
}

pub fn state(project: &ProjectHash) -> String {
    format!("sessions/{project}/state.json")
}

pub fn knowledge(project: &ProjectHash) -> String {
    format!("knowledge/{project}/knowledge.yaml")
}

/// What was known before a change.
pub fn former_knowledge(project: &ProjectHash, number: u64) -> String {
    format!("knowledge/{project}/archive/{number:04}/knowledge.yaml")
}

pub fn of_request(project: &ProjectHash, request: &RequestId, name: &str) -> String {
    format!("sessions/{project}/contracts/{request}/{name}")
}

pub fn of_task(
    project: &ProjectHash,
    request: &RequestId,
    task: &ContractTaskId,
    name: &str,
) -> String {
    of_request(project, request, &format!("{task}/{name}"))
}

pub fn of_subtask(
    project: &ProjectHash,
    request: &RequestId,
    subtask: &SubtaskId,
    name: &str,
) -> String {
    of_request(project, request, &format!("{}/{subtask}/{name}", subtask.task()))
}

/// Where an attempt began.
pub fn base(request: &RequestId, subtask: &SubtaskId, attempt: u32) -> String {
    format!("attempts/{request}/{subtask}/{attempt}/base.json")
}

/// The request, subtask and number whose base a document is.
pub fn base_of(path: &str) -> Option<(RequestId, SubtaskId, u32)> {
    let rest = path.strip_prefix("attempts/")?.strip_suffix("/base.json")?;
    let mut parts = rest.split('/');
    let (request, subtask, number) = (parts.next()?, parts.next()?, parts.next()?);
    let known = (request.parse().ok()?, subtask.parse().ok()?, number.parse().ok()?);
    parts.next().is_none().then_some(known)
}

/// A contract that was not taken: `explored.rejected-1.yaml`.
pub fn rejected(path: &str, number: u32) -> String {
    match path.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}.rejected-{number}.{ending}"),
        None => format!("{path}.rejected-{number}"),
    }
}

/// Where somebody else's version of a document is kept.
pub fn aside(path: &str, number: u64) -> String {
    match path.rsplit_once('/') {
        Some((directory, name)) => format!("{directory}/archive/foreign-{number}/{name}"),
        None => format!("archive/foreign-{number}/{path}"),
    }
}

/// Whether driving a request needs this. What is archived or was rejected never counts again, and
/// other requests may be many.
pub fn is_read(path: &str, is_dir: bool, project: &ProjectHash, own: Option<&RequestId>) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let own = |id: &str| own.is_some_and(|own| own.as_str() == id);
    let kept_aside = |part: &&str| *part == "archive" || part.contains(".rejected-");
    match parts[..] {
        [LOG] => true,
        ["sessions" | "knowledge" | "attempts"] => is_dir,
        ["knowledge", hash] => is_dir && hash == project.as_str(),
        ["knowledge", hash, name] => hash == project.as_str() && name == "knowledge.yaml",
        ["sessions", hash] => is_dir && hash == project.as_str(),
        ["sessions", hash, name] => {
            let wanted = ["session.json", "state.json"].contains(&name);
            hash == project.as_str() && (wanted || (is_dir && name == "contracts"))
        }
        ["sessions", hash, "contracts", id, ref rest @ ..] => {
            hash == project.as_str() && own(id) && !rest.iter().any(kept_aside)
        }
        ["attempts", id, ref rest @ ..] => own(id) && !rest.iter().any(kept_aside),
        _ => false,
    }
}

pub fn path(text: &str) -> Option<DocPath> {
    DocPath::new(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_seed() {
        let (project, request) = ("a1b2c3d4".parse().unwrap(), "R1".parse().unwrap());
        let subtask = "T1-S2".parse().unwrap();
        assert_eq!(state(&project), "sessions/a1b2c3d4/state.json");
        assert_eq!(
            of_subtask(&project, &request, &subtask, TESTS),
            "sessions/a1b2c3d4/contracts/R1/T1/T1-S2/test-contract.yaml"
        );
        assert_eq!(knowledge(&project), "knowledge/a1b2c3d4/knowledge.yaml");
        assert_eq!(rejected("x/explored.yaml", 2), "x/explored.rejected-2.yaml");
        let base = base(&request, &subtask, 3);
        assert_eq!(base_of(&base), Some((request, subtask, 3)));
        assert_eq!(base_of("attempts/R1/T1-S2/3/more/base.json"), None);
    }

    #[test]
    fn of_other_requests_and_of_the_past_nothing_is_read() {
        let (project, own) = ("a1b2c3d4".parse().unwrap(), "R2".parse().unwrap());
        let read = |path: &str, is_dir| is_read(path, is_dir, &project, Some(&own));
        assert!(read("events.ndjson", false) && read("sessions/a1b2c3d4", true));
        assert!(read("sessions/a1b2c3d4/state.json", false));
        assert!(read("sessions/a1b2c3d4/contracts/R2/T1/design-contract.yaml", false));
        assert!(read("attempts/R2/T1-S1/1/base.json", false));
        assert!(!read("sessions/a1b2c3d4/contracts/R1", true));
        assert!(!read("sessions/ffffffff", true));
        assert!(!read("sessions/a1b2c3d4/contracts/R2/T1/T1-S1/archive", true));
        assert!(!read("sessions/a1b2c3d4/contracts/R2/explored.rejected-1.yaml", false));
    }
}
