//! What every work tree must do where a person was at work between the save and the way back.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, perform};

use super::contract::{Checked, Scene, same, save, start, work};

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
