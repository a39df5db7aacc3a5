//! What every work tree must say of files with nothing left in them, and of those that tests leave.

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::evidence::ChangeKind;

use super::contract::{Checked, Scene, changes, inspect, rules, same, start, start_with};

pub(super) fn emptied<S: Scene>(scene: &S) -> Checked {
    scene.write("src/blank", "\n");
    scene.commit_all("blank");
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    scene.write("src/code", "");
    scene.write("src/gone", " \n\t\n");
    scene.write("src/blank", "");
    scene.write("src/new", "");
    let found = inspect(&mut *workspace, &base)?;
    let wanted = [
        ("src/blank", ChangeKind::Modified),
        ("src/code", ChangeKind::Emptied),
        ("src/gone", ChangeKind::Emptied),
        ("src/new", ChangeKind::Hollow),
    ];
    same(changes(&found), wanted.to_vec())
}

pub(super) fn left_by_tests<S: Scene>(scene: &S) -> Checked {
    for path in ["coverage", "result", "taken"] {
        scene.write(path, "left\n");
    }
    let left_by_tests = ["coverage", "result", "taken"].map(str::to_owned).to_vec();
    let mut workspace = scene.workspace();
    let base = start_with(&mut *workspace, TreeRules { left_by_tests, ..rules() })?;
    scene.write("src/code", "changed\n");
    scene.write("result", "forged\n");
    scene.remove("coverage");
    let found = inspect(&mut *workspace, &base)?;
    same(changes(&found), vec![("src/code", ChangeKind::Modified)])?;
    for path in ["coverage", "result", "taken"] {
        same(scene.files().get(path).cloned(), Some(b"left\n".to_vec()))?;
    }
    same(inspect(&mut *scene.workspace(), &base)?, found)?;
    // What the attempt commits of it is its change.
    scene.remove("coverage");
    scene.remove("result");
    scene.write("taken", "mine\n");
    scene.commit_all("mine");
    let found = inspect(&mut *workspace, &base)?;
    same(
        changes(&found),
        vec![("src/code", ChangeKind::Modified), ("taken", ChangeKind::Modified)],
    )?;
    same(scene.files().get("taken").cloned(), Some(b"mine\n".to_vec()))
}

pub(super) fn hollow<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    scene.write("src/empty", "");
    scene.write("src/blank", " \n\t\n");
    scene.write("src/full", "\n.\n");
    let found = inspect(&mut *workspace, &base)?;
    let wanted = [
        ("src/blank", ChangeKind::Hollow),
        ("src/empty", ChangeKind::Hollow),
        ("src/full", ChangeKind::Added),
    ];
    same(changes(&found), wanted.to_vec())
}

pub(super) fn taken_back<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    scene.write("leaked", "secret\n");
    scene.write("src/code", "other\n");
    scene.commit_all("oops");
    scene.remove("leaked");
    scene.commit_all("never mind");
    let found = inspect(&mut *workspace, &base)?;
    let wanted = [("leaked", ChangeKind::TakenBack), ("src/code", ChangeKind::Modified)];
    same(changes(&found), wanted.to_vec())
}
