//! State of the user's checkout as git reports it: HEAD, uncommitted files and operations under
//! way. It also tells if git would ignore handoffs. Nothing is written for it.

use std::path::Path;

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{Head, Looked, Uncommitted, UncommittedKind};
use hast_flow::ids::Sha256;

use super::index::object;
use super::paths::{Matcher, shown};
use super::place::Place;
use super::run::{Git, GitEnvironment};

const HANDOFF: &str = "2026-01-01_000000.md";

/// The checkout as a start of `auto` would find it, without the tree.
pub fn glance(top: &Path, rules: &TreeRules) -> Result<Looked, GitProblem> {
    let (git, config) = Git::open(Place::find(top)?, GitEnvironment::of_this_process()?)?;
    config.refuse_own_filters()?;
    git.look(rules)
}

/// Refuses where git would ignore a handoff. `handoffs` ends in `/`.
pub fn hides_handoffs(top: &Path, handoffs: &str) -> Result<(), GitProblem> {
    let (git, config) = Git::open(Place::find(top)?, GitEnvironment::of_this_process()?)?;
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

/// The refs and the index of a repository at one moment. What git keeps about files to be faster is no part
/// of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryState {
    refs: Sha256,
    index: Sha256,
}

impl RepositoryState {
    pub fn of(top: &Path, environment: GitEnvironment) -> Result<Self, GitProblem> {
        let (git, _) = Git::open(Place::find(top)?, environment)?;
        let format = "--format=%(refname) %(objectname) %(symref)";
        let refs = git.call(["for-each-ref", format]).run()?;
        let index = git.call(["ls-files", "-z", "-s"]).users_index().run()?;
        Ok(Self { refs: Sha256::of(&refs), index: Sha256::of(&index) })
    }

    /// The names of what is different.
    pub fn changed_since(&self, before: &Self) -> Vec<String> {
        let refs = (self.refs != before.refs).then(|| "refs".to_owned());
        let index = (self.index != before.index).then(|| "index".to_owned());
        refs.into_iter().chain(index).collect()
    }
}

/// The answer of `git status`.
#[derive(Debug, Default)]
struct Status {
    commit: Option<ObjectId>,
    branch: String,
    uncommitted: Vec<Uncommitted>,
}

impl Status {
    fn head(&self, git: &Git) -> Result<Head, GitProblem> {
        let full = format!("refs/heads/{}", self.branch);
        Ok(match (&self.commit, self.branch.as_str()) {
            (None, _) => git.unborn(full)?,
            (Some(commit), "(detached)") => Head::Detached { commit: commit.clone() },
            (Some(commit), _) => Head::Branch { name: full, commit: commit.clone() },
        })
    }
}

impl Git {
    /// HEAD, uncommitted files and what is under way.
    pub(super) fn look(&self, rules: &TreeRules) -> Result<Looked, GitProblem> {
        let status = self.status(&Matcher::new(rules))?;
        let in_progress = self.place.in_progress().map(str::to_owned);
        let head = status.head(self)?;
        Ok(Looked { head, uncommitted: status.uncommitted, in_progress, tree: None })
    }

    fn status(&self, matcher: &Matcher<'_>) -> Result<Status, GitProblem> {
        let call = self.call(["status", "--porcelain=v2", "-z", "--branch", "--no-renames"]);
        // Looking into a submodule would run git under that repository's own config.
        let call = call.args(["--untracked-files=all", "--ignore-submodules=dirty"]);
        let call = call.args(["--no-ahead-behind", "--"]).args(matcher.pathspecs());
        let bytes = call.users_index().run()?;
        let mut status = Status::default();
        for entry in bytes.split(|byte| *byte == 0) {
            let mut file = |spaces: usize, kind: UncommittedKind| {
                let path = entry.splitn(spaces + 1, |byte| *byte == b' ').nth(spaces);
                let path = shown(path.unwrap_or_default());
                status.uncommitted.push(Uncommitted { path, kind });
            };
            match entry.first() {
                Some(b'1') => file(8, UncommittedKind::Tracked),
                Some(b'u') => file(10, UncommittedKind::Tracked),
                Some(b'?') => file(1, UncommittedKind::Untracked),
                Some(b'#') => {
                    let text = String::from_utf8_lossy(entry);
                    if let Some(id) = text.strip_prefix("# branch.oid ") {
                        status.commit = object(id).ok();
                    } else if let Some(name) = text.strip_prefix("# branch.head ") {
                        name.clone_into(&mut status.branch);
                    }
                }
                _ => {}
            }
        }
        Ok(status)
    }
}
