//! The promises of a checkout about refs that hast made, and about bringing the work of one back.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{Content, GitResult, GitStep, Workspace, perform};

use super::contract::{Checked, MAIN, Scene, build, main_of, plan, rules, same};

const ATTEMPT: &str = "refs/hast/attempts/G/1";
const KEPT: &str = "refs/heads/hast/kept/G";

/// A commit on top of the branch with a file of the agent's, on the ref of an attempt.
fn attempt<S: Scene>(scene: &S, text: &str) -> Result<ObjectId, String> {
    let content = Content::Text { path: "src/new".into(), text: text.into() };
    let commit = build(&mut *scene.workspace(), plan(content, &main_of(scene)?))?;
    scene.point(ATTEMPT, &commit);
    Ok(commit)
}

fn keep(workspace: &mut dyn Workspace, commit: &ObjectId) -> Result<String, String> {
    let step = GitStep::Keep { branch: KEPT.to_owned(), commit: commit.clone() };
    match perform(workspace, &step) {
        GitResult::Kept { branch } => Ok(branch),
        other => Err(format!("{other:?}")),
    }
}

pub(super) fn listed<S: Scene>(scene: &S) -> Checked {
    let (commit, mut workspace) = (attempt(scene, "new\n")?, scene.workspace());
    same(keep(&mut *workspace, &commit)?, KEPT.to_owned())?;
    let GitResult::Refs(refs) = perform(&mut *workspace, &GitStep::ListRefs) else {
        return Err("no refs".into());
    };
    let names: Vec<&str> = refs.iter().map(|own| own.name.as_str()).collect();
    same(names, vec![ATTEMPT, KEPT])?;
    let main = main_of(scene)?;
    for wrong in [(refs[0].name.clone(), main.clone()), (MAIN.to_owned(), main)] {
        let refused = perform(&mut *workspace, &GitStep::DeleteRefs { refs: vec![wrong] });
        same(matches!(refused, GitResult::Refused(GitProblem::Moved { .. })), true)?;
    }
    let all = refs.into_iter().map(|own| (own.name, own.target)).collect();
    same(perform(&mut *workspace, &GitStep::DeleteRefs { refs: all }), GitResult::Deleted)?;
    same(perform(&mut *workspace, &GitStep::ListRefs), GitResult::Refs(Vec::new()))
}

pub(super) fn gone_on_with<S: Scene>(scene: &S) -> Checked {
    let (first, mut workspace) = (attempt(scene, "new\n")?, scene.workspace());
    same(keep(&mut *workspace, &first)?, KEPT.to_owned())?;
    scene.point("refs/hast/attempts/G/0", &first);
    let second = attempt(scene, "again\n")?;
    // What it kept is on another ref: nobody loses anything.
    same(keep(&mut *workspace, &second)?, KEPT.to_owned())?;
    scene.write("src/code", "the user's\n");
    scene.commit_all("the user's");
    let mine = main_of(scene)?;
    scene.point(KEPT, &mine);
    let another = format!("{KEPT}@2");
    same(keep(&mut *workspace, &second)?, another.clone())?;
    same(keep(&mut *scene.workspace(), &second)?, another.clone())?;
    same((scene.resolve(KEPT), scene.resolve(&another)), (Some(mine), Some(second)))?;
    same(keep(&mut *workspace, &first)?, another)
}

pub(super) fn brought<S: Scene>(scene: &S) -> Checked {
    attempt(scene, "new\n")?;
    scene.write("rules.md", "the user's edit\n");
    let restore = GitStep::Restore { name: ATTEMPT.to_owned(), since: None, rules: rules() };
    for _ in 0..2 {
        let done = perform(&mut *scene.workspace(), &restore);
        same(matches!(&done, GitResult::Restored { paths } if paths.len() == 1), true)?;
        same(scene.files().get("src/new").cloned(), Some(b"new\n".to_vec()))?;
    }
    scene.write("src/new", "by hand\n");
    let files = scene.files();
    let in_the_way = GitProblem::InTheWay { paths: vec!["src/new".to_owned()] };
    same(perform(&mut *scene.workspace(), &restore), GitResult::Refused(in_the_way))?;
    same(scene.files(), files)
}
