//! Whether git would see a handoff at all: one that nobody sees can pass no gate.

use std::path::Path;

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::globs::Globs;

use super::config::Config;
use super::place::Place;
use super::run::{Git, GitEnvironment};

const HANDOFF: &str = "2026-01-01_000000.md";

/// By the rules of a start.
pub(super) fn hidden_by(ignores: &[u8], handoffs: &str) -> Option<GitProblem> {
    let rules = String::from_utf8_lossy(ignores);
    let rules: Vec<&str> = rules.lines().collect();
    let at = Globs::new(&rules).leaves_out(&format!("{handoffs}{HANDOFF}"))?;
    Some(GitProblem::HandoffsIgnored { directory: handoffs.to_owned(), at })
}

/// By the rules that hold now. Only asks git; `handoffs` ends in `/`.
pub fn hides_handoffs(top: &Path, handoffs: &str) -> Result<(), GitProblem> {
    let (overrides, compared) = Default::default();
    let (environment, place) = (GitEnvironment::of_this_process()?, Place::find(top)?);
    let mut git = Git { environment, place, overrides, compared };
    let config = Config::read(&git)?;
    git.overrides = config.overrides;
    // With a slash at its end git takes a directory for what is in it.
    let above = handoffs.match_indices('/').map(|(at, _)| &handoffs[..at]);
    let paths: String = above.map(|path| format!("{path}\0")).collect();
    let file = format!("{handoffs}{HANDOFF}");
    let paths = format!("{paths}{file}\0").into_bytes();
    let mut call = git.call(["check-ignore", "--no-index", "--stdin", "-z"]).input(paths);
    if let Some(global) = config.excludes_file {
        call = call.setting("core.excludesFile", &global.to_string_lossy());
    }
    // Code 1: nothing is ignored.
    let output = call.output()?;
    match output.stdout.split(|byte| *byte == 0).next().filter(|path| !path.is_empty()) {
        Some(path) => {
            let end = if path == file.as_bytes() { "" } else { "/" };
            let at = String::from_utf8_lossy(path).into_owned() + end;
            Err(GitProblem::HandoffsIgnored { directory: handoffs.to_owned(), at })
        }
        None => Ok(()),
    }
}
