//! What every work tree must do about the refs that hast made, and about bringing their work back.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, Workspace, perform};

use super::contract::{Checked, Scene, roll_back, rules, same, save, start, work};

const KEPT: &str = "refs/heads/hast/kept/G";

fn keep(workspace: &mut dyn Workspace, commit: &ObjectId) -> Result<String, String> {
    let step = GitStep::Keep { branch: KEPT.to_owned(), commit: commit.clone() };
    match perform(workspace, &step) {
        GitResult::Kept { branch } => Ok(branch),
        other => Err(format!("{other:?}")),
    }
}

pub(super) fn listed<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    let saved = save(&mut *workspace, &base)?;
    let commit = saved.work().commit.clone();
    same(keep(&mut *workspace, &commit)?, KEPT.to_owned())?;
    let GitResult::Refs(refs) = perform(&mut *workspace, &GitStep::ListRefs) else {
        return Err("no refs".into());
    };
    let names: Vec<&str> = refs.iter().map(|own| own.name.as_str()).collect();
    same(names, vec!["refs/hast/attempts/G/1", "refs/hast/bases/G/1", "refs/heads/hast/kept/G"])?;
    let main = scene.resolve("refs/heads/main").ok_or("no branch")?;
    for wrong in [(refs[0].name.clone(), main.clone()), ("refs/heads/main".to_owned(), main)] {
        let refused = perform(&mut *workspace, &GitStep::DeleteRefs { refs: vec![wrong] });
        same(matches!(refused, GitResult::Refused(GitProblem::Moved { .. })), true)?;
    }
    let all = refs.into_iter().map(|own| (own.name, own.target)).collect();
    same(perform(&mut *workspace, &GitStep::DeleteRefs { refs: all }), GitResult::Deleted)?;
    same(perform(&mut *workspace, &GitStep::ListRefs), GitResult::Refs(Vec::new()))
}

pub(super) fn gone_on_with<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    let first = save(&mut *workspace, &base)?.work().commit.clone();
    same(keep(&mut *workspace, &first)?, KEPT.to_owned())?;
    scene.write("src/code", "again\n");
    let second = save(&mut *workspace, &base)?.work().commit.clone();
    // What it kept is on the ref: nobody loses anything.
    same(keep(&mut *workspace, &second)?, KEPT.to_owned())?;
    scene.commit_all("the user's");
    let mine = scene.resolve("refs/heads/main").ok_or("no branch")?;
    scene.point(KEPT, &mine);
    let another = format!("{KEPT}@2");
    same(keep(&mut *workspace, &second)?, another.clone())?;
    same(keep(&mut *scene.workspace(), &second)?, another.clone())?;
    same((scene.resolve(KEPT), scene.resolve(&another)), (Some(mine), Some(second)))?;
    same(keep(&mut *workspace, &first)?, another)
}

pub(super) fn not_over<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    let saved = save(&mut *workspace, &base)?;
    roll_back(&mut *workspace, &base, &saved)?;
    scene.write("src/new", "by hand\n");
    let files = scene.files();
    let undo = GitStep::Restore { name: saved.work().name.clone(), since: None, rules: rules() };
    let in_the_way = GitProblem::InTheWay { paths: vec!["src/new".to_owned()] };
    same(perform(&mut *workspace, &undo), GitResult::Refused(in_the_way))?;
    same(scene.files(), files)
}
