//! Where the documents of runs are, below the root that holds `db/`, `runs/` and `outputs/`.

use crate::ids::RunId;
use crate::store::DocPath;

pub const RUNS: &str = "db/process_runs.md";
pub const INSTRUCTIONS: &str = "db/user_instructions.md";
pub const CATALOG: &str = "db/knowledge_base_catalog.md";
pub const TEMPLATE: &str = "db/templates/default_phases.md";
pub const LOG: &str = "db/events.ndjson";
pub const ASSETS: &str = "assets";
pub const GUIDELINES: &str = "guidelines";
/// Recipes of several tools, for the planner alone.
pub const RECIPES: &str = "guidelines/mcp_list.md";

pub const PHASES: &str = "db/phases.md";
pub const STAGES: &str = "db/major_stages.md";
pub const TASKS: &str = "db/tasks.md";
pub const TOOLS: &str = "db/tool_tasks.md";
pub const REQUEST: &str = "run.json";
pub const FEEDBACK: &str = "feedback_for_user.md";
pub const PROPOSED: &str = "instructions.json";
pub const DECISIONS: &str = "decisions.ndjson";
pub const FAILURE: &str = "failure.json";

/// The phase whose files are deliverables.
pub const OUTPUT_PHASE: &str = "GENERATING_OUTPUT";
/// Keeps a directory that would be empty.
pub const KEEP: &str = ".gitkeep";

/// A document of a run.
pub fn of_run(run: &RunId, name: &str) -> String {
    format!("runs/{run}/{name}")
}

/// The directory of a phase's files, with its last slash.
pub fn workspace(run: &RunId, phase: &str) -> String {
    format!("runs/{run}/workspace/{phase}/")
}

/// The directory of a run's deliverables, with its last slash.
pub fn outputs(run: &RunId) -> String {
    format!("outputs/{run}/")
}

pub fn result(task: &str) -> String {
    format!("results/{task}.json")
}

/// An earlier proposal, kept beside the newest: `feedback_for_user.1.md`.
pub fn earlier(name: &str, number: u32) -> String {
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}.{number}.{ending}"),
        None => format!("{name}.{number}"),
    }
}

/// Whether a new file of a run counts: not what only keeps a directory.
pub fn counts(path: &str) -> bool {
    !path.ends_with(KEEP)
}

/// Where a full log goes.
pub fn segment(last: u64) -> String {
    format!("db/archive/events-{last:012}.ndjson")
}

/// Whether driving a run needs this: the tables that all runs share, and its own records. Files of a
/// workspace are content, and the orchestrator never looks at content.
pub fn is_read(path: &str, is_dir: bool, own: &RunId) -> bool {
    if is_dir {
        let shared = matches!(path, "db" | "db/templates" | "runs");
        let below = path.strip_prefix("runs/").and_then(|path| path.strip_prefix(own.as_str()));
        return shared || below.is_some_and(|below| matches!(below, "" | "/db" | "/results"));
    }
    matches!(path, RUNS | INSTRUCTIONS | CATALOG | TEMPLATE | LOG) || in_run(path, own).is_some()
}

/// The name of a document inside its run.
pub fn in_run<'p>(path: &'p str, run: &RunId) -> Option<&'p str> {
    path.strip_prefix("runs/")?.strip_prefix(run.as_str())?.strip_prefix('/')
}

/// A name that a planner chose, as part of a file name.
pub fn file_part(name: &str) -> String {
    let mut part = String::new();
    for c in name.trim().chars().take(60) {
        match c {
            c if c.is_alphanumeric() || c == '-' => part.push(c),
            _ if part.ends_with('_') => {}
            _ => part.push('_'),
        }
    }
    let part = part.trim_matches('_');
    if part.is_empty() { "output".to_owned() } else { part.to_owned() }
}

/// Whether a phase's name can be the name of its directory.
pub fn is_directory_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    (1..=60).contains(&name.chars().count()) && name.chars().all(plain)
}

pub fn path(text: &str) -> Option<DocPath> {
    DocPath::new(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunId {
        RunId::EXAMPLE.parse().unwrap()
    }

    #[test]
    fn a_run_reads_the_shared_tables_and_its_own_files_and_no_other_runs() {
        let own = run();
        let read = |path: &str, is_dir| is_read(path, is_dir, &own);
        assert!(read("db", true) && read(RUNS, false) && read("runs", true));
        assert!(read(&format!("runs/{own}"), true) && read(&format!("runs/{own}/db"), true));
        assert!(read(&of_run(&own, "results"), true) && !read(&of_run(&own, "workspace"), true));
        assert!(read(&of_run(&own, "results/T05.json"), false));
        assert!(!read("runs/run-20231028-103000-0010", true) && !read("db/archive", true));
        assert!(!read("runs/run-20231028-103000-0010/run.json", false));
        assert!(!read("assets", true) && !read("src", true) && !read("README.md", false));
    }

    #[test]
    fn a_planners_name_is_a_file_name_whatever_it_says() {
        assert_eq!(file_part("../../시장 조사 (1)"), "시장_조사_1");
        assert_eq!(file_part("//"), "output");
        assert!(path(&workspace(&run(), "A")).is_none(), "a directory is no document");
    }

    #[test]
    fn earlier_proposals_are_numbered() {
        assert_eq!(earlier(FEEDBACK, 1), "feedback_for_user.1.md");
        assert_eq!(earlier(PROPOSED, 2), "instructions.2.json");
    }
}
