//! What can be told of a repository by only asking: for whoever starts nothing and writes nothing.

use std::path::Path;

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::globs::Globs;
use hast_flow::attempt::workspace::Looked;

use super::config::Config;
use super::paths::Matcher;
use super::place::Place;
use super::run::{Git, GitEnvironment};

/// Git in a work tree where nothing is put in order first.
fn only_asked(top: &Path) -> Result<(Git, Config), GitProblem> {
    let (overrides, compared) = Default::default();
    let (environment, place) = (GitEnvironment::of_this_process()?, Place::find(top)?);
    let mut git = Git { environment, place, overrides, compared, packs: None };
    let config = Config::read(&git)?;
    git.overrides = config.overrides.clone();
    Ok((git, config))
}

/// What a start would find, but for the tree itself.
pub fn glance(top: &Path, rules: &TreeRules) -> Result<Looked, GitProblem> {
    let (git, config) = only_asked(top)?;
    if let Some(name) = config.own_filters.first() {
        return Err(GitProblem::RepositoryFilter { name: name.clone() });
    }
    let in_progress = git.place.in_progress().into_iter().next().map(|(word, _)| word.to_owned());
    let status = git.status(&Matcher::new(rules))?;
    Ok(Looked { head: status.head(), uncommitted: status.uncommitted(), in_progress, tree: None })
}

const HANDOFF: &str = "2026-01-01_000000.md";

/// Whether git would see a handoff at all, by the rules of a start: one that nobody sees can pass no gate.
pub(super) fn hidden_by(ignores: &[u8], handoffs: &str) -> Option<GitProblem> {
    let rules = String::from_utf8_lossy(ignores);
    let rules: Vec<&str> = rules.lines().collect();
    let at = Globs::new(&rules).leaves_out(&format!("{handoffs}{HANDOFF}"))?;
    Some(GitProblem::HandoffsIgnored { directory: handoffs.to_owned(), at })
}

/// The same by the rules that hold now. `handoffs` ends in `/`.
pub fn hides_handoffs(top: &Path, handoffs: &str) -> Result<(), GitProblem> {
    let (git, config) = only_asked(top)?;
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
