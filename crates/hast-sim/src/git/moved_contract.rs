//! What every work tree must do where somebody was at work beside an attempt.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::Meanwhile;
use hast_flow::attempt::workspace::{GitResult, GitStep, perform};

use super::contract::{Checked, Scene, inspect, same, save, start, work};

/// Commits that nobody saved are on the branch: neither it nor files nor other refs go anywhere.
pub(super) fn moved_branch<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    let saved = save(&mut *workspace, &base)?;
    scene.commit_all("theirs");
    let (tag, branch) = ("refs/tags/theirs", base.branch().to_owned());
    scene.point(tag, base.commit());
    let (files, theirs) = (scene.files(), scene.resolve(&branch));
    let step = GitStep::RollBack { base: base.clone(), saved };
    match perform(&mut *workspace, &step) {
        GitResult::Refused(GitProblem::Moved { name, .. }) => same(name, branch.clone())?,
        other => return Err(format!("{other:?}")),
    }
    same(scene.files(), files)?;
    same((scene.resolve(&branch), scene.resolve(tag)), (theirs, Some(base.commit().clone())))
}

/// A remote branch that moved, and one that is new.
pub(super) fn fetched<S: Scene>(scene: &S) -> Checked {
    let first = scene.resolve("refs/heads/main").ok_or("no branch")?;
    scene.point("refs/remotes/origin/main", &first);
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    scene.commit_all("mine");
    let mine = scene.resolve("refs/heads/main").ok_or("no branch")?;
    scene.point("refs/remotes/origin/main", &mine);
    scene.point("refs/prefetch/remotes/origin/main", &mine);
    let found = inspect(&mut *workspace, &base)?;
    same(found.breaches.len(), 0)?;
    let was: Vec<Meanwhile> = found.given_back.refs.iter().map(|one| one.was).collect();
    same(was, vec![Meanwhile::Made, Meanwhile::Moved])?;
    for displaced in &found.given_back.refs {
        same(scene.resolve(displaced.at.as_deref().ok_or("nowhere")?), Some(mine.clone()))?;
    }
    same(scene.resolve("refs/remotes/origin/main"), Some(first))?;
    same(scene.resolve("refs/prefetch/remotes/origin/main"), None)
}
