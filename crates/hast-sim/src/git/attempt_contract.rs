//! The promises of an attempt in a room: one suite for the simulated rooms and for real git.

use hast_flow::attempt::base::{Base, ObjectId, Saved, attempt_ref};
use hast_flow::attempt::evidence::ChangeKind;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{Content, GitResult, GitStep, SavePlan, Workspace, perform};
use hast_flow::attempt::worktrees::{TreeName, TreePlan};
use hast_flow::store::{Identity as SeenAs, Seen};

use super::contract::{Checked, at, build, main_of, plan, rules, same};
use super::trees_contract::Trees;

const ROOM: &str = "G";

type Check<S> = fn(&S) -> Checked;

/// Runs every check in a fresh scene each; the first sentence that is not true comes back.
pub fn check<S: Trees>(fresh: impl Fn() -> S) -> Checked {
    let checks: [(&str, Check<S>); 9] = [
        ("changes are compared by content", compared),
        ("a file with nothing left in it is told apart", emptied),
        ("a new file with nothing in it is told apart", hollow),
        ("an agent's commits are the same changes", committed),
        ("commits with what is not in the tree any more are not kept", taken_back),
        ("protected files are named", protected),
        ("handoffs of earlier work are protected", earlier_handoffs),
        ("what is rolled back was saved and can be brought back", rolled_back),
        ("a commit is made once", once),
    ];
    for (sentence, check) in checks {
        check(&fresh()).map_err(|why| format!("{sentence}: {why}"))?;
    }
    Ok(())
}

/// A room at the branch, and the start of an attempt in it.
fn start<S: Trees>(scene: &S) -> Result<Base, String> {
    let (tree, at_commit) = (TreeName::of(ROOM), main_of(scene)?);
    let plan = TreePlan { tree, at: at_commit, copy: Vec::new(), rules: rules(), now: at() };
    scene.trees().add(&plan).map_err(|why| why.to_string())?;
    let step = GitStep::Record { key: "G/1".into(), rules: rules(), at: at() };
    match perform(&mut *scene.room(ROOM), &step) {
        GitResult::Recorded(record) => {
            let document = record.to_document();
            let seen = Seen::File(SeenAs::of(&document, None));
            Base::recorded(&document, &seen).map_err(|error| error.to_string())
        }
        other => Err(format!("{other:?}")),
    }
}

pub(super) fn inspect(workspace: &mut dyn Workspace, base: &Base) -> Result<Inspection, String> {
    match perform(workspace, &GitStep::Inspect { base: base.clone() }) {
        GitResult::Inspected(found) => Ok(*found),
        other => Err(format!("{other:?}")),
    }
}

fn save(workspace: &mut dyn Workspace, base: &Base) -> Result<Saved, String> {
    let plan = SavePlan {
        name: attempt_ref("G", 1),
        rules: rules(),
        base: Some(base.clone()),
        message: "attempt".into(),
        at: at(),
        max_file_bytes: 1 << 20,
        max_total_bytes: 1 << 20,
    };
    match perform(workspace, &GitStep::Save(plan)) {
        GitResult::Saved(saved) => Ok(saved),
        other => Err(format!("{other:?}")),
    }
}

fn changes(found: &Inspection) -> Vec<(&str, ChangeKind)> {
    found.changes.iter().map(|change| (&*change.path.0, change.kind)).collect()
}

fn work<S: Trees>(scene: &S) {
    scene.write_in(ROOM, "src/code", "changed\n");
    scene.write_in(ROOM, "src/new", "new\n");
    scene.remove_in(ROOM, "src/gone");
    scene.write_in(ROOM, "handoffs/2026-02-09_143000.md", "---\n");
    scene.write_in(ROOM, "target/built", "ignored");
}

const WORK: [(&str, ChangeKind); 3] = [
    ("src/code", ChangeKind::Modified),
    ("src/gone", ChangeKind::Deleted),
    ("src/new", ChangeKind::Added),
];

fn compared<S: Trees>(scene: &S) -> Checked {
    let base = start(scene)?;
    work(scene);
    let mut room = scene.room(ROOM);
    let found = inspect(&mut *room, &base)?;
    same(changes(&found), WORK.to_vec())?;
    same((found.breaches.len(), found.protected.len(), found.uncommitted), (0, 0, true))?;
    same(found.handoffs.len(), 1)?;
    same(inspect(&mut *room, &base)?, found.clone())?;
    same(inspect(&mut *scene.room(ROOM), &base)?, found)
}

fn emptied<S: Trees>(scene: &S) -> Checked {
    scene.write("src/blank", "\n");
    scene.commit_all("blank");
    let base = start(scene)?;
    scene.write_in(ROOM, "src/code", "");
    scene.write_in(ROOM, "src/gone", " \n\t\n");
    scene.write_in(ROOM, "src/blank", "");
    let found = inspect(&mut *scene.room(ROOM), &base)?;
    let wanted = [
        ("src/blank", ChangeKind::Modified),
        ("src/code", ChangeKind::Emptied),
        ("src/gone", ChangeKind::Emptied),
    ];
    same(changes(&found), wanted.to_vec())
}

fn hollow<S: Trees>(scene: &S) -> Checked {
    let base = start(scene)?;
    scene.write_in(ROOM, "src/empty", "");
    scene.write_in(ROOM, "src/blank", " \n\t\n");
    scene.write_in(ROOM, "src/full", "\n.\n");
    let found = inspect(&mut *scene.room(ROOM), &base)?;
    let wanted = [
        ("src/blank", ChangeKind::Hollow),
        ("src/empty", ChangeKind::Hollow),
        ("src/full", ChangeKind::Added),
    ];
    same(changes(&found), wanted.to_vec())
}

fn committed<S: Trees>(scene: &S) -> Checked {
    let base = start(scene)?;
    work(scene);
    scene.commit_in(ROOM, "mine");
    let found = inspect(&mut *scene.room(ROOM), &base)?;
    same(changes(&found), WORK.to_vec())?;
    same((found.breaches.len(), found.uncommitted), (0, false))?;
    same(Some(found.head), scene.resolve(base.branch()))
}

fn taken_back<S: Trees>(scene: &S) -> Checked {
    let base = start(scene)?;
    scene.write_in(ROOM, "leaked", "secret\n");
    scene.write_in(ROOM, "src/code", "other\n");
    scene.commit_in(ROOM, "oops");
    scene.remove_in(ROOM, "leaked");
    scene.commit_in(ROOM, "never mind");
    let found = inspect(&mut *scene.room(ROOM), &base)?;
    same(changes(&found), vec![("src/code", ChangeKind::Modified)])?;
    same((&found.head, found.uncommitted), (base.commit(), true))
}

fn protected<S: Trees>(scene: &S) -> Checked {
    let base = start(scene)?;
    scene.write_in(ROOM, "goals", "done\n");
    let found = inspect(&mut *scene.room(ROOM), &base)?;
    same(found.protected.iter().map(|path| &*path.0).collect::<Vec<_>>(), vec!["goals"])?;
    same(scene.files().get("goals").cloned(), Some(b"open\n".to_vec()))
}

fn earlier_handoffs<S: Trees>(scene: &S) -> Checked {
    let handoffs = ["handoffs/2026-02-08_100000.md", "handoffs/2026-02-08_110000.md"];
    for handoff in handoffs {
        scene.write(handoff, "done\n");
    }
    scene.commit_all("earlier");
    let base = start(scene)?;
    scene.write_in(ROOM, handoffs[0], "forged\n");
    scene.remove_in(ROOM, handoffs[1]);
    scene.write_in(ROOM, "handoffs/2026-02-09_143000.md", "---\n");
    let found = inspect(&mut *scene.room(ROOM), &base)?;
    let protected: Vec<&str> = found.protected.iter().map(|path| &*path.0).collect();
    same(protected, handoffs.to_vec())?;
    same((found.changes.len(), found.handoffs.len()), (0, 1))
}

fn rolled_back<S: Trees>(scene: &S) -> Checked {
    scene.write("rules.md", "the user's, uncommitted\n");
    let before = scene.files();
    let base = start(scene)?;
    work(scene);
    scene.commit_in(ROOM, "mine");
    scene.write_in(ROOM, "src/late", "late\n");
    let mut room = scene.room(ROOM);
    inspect(&mut *room, &base)?;
    let saved = save(&mut *room, &base)?;
    same(save(&mut *room, &base)?, saved.clone())?;
    let step = GitStep::RollBack { base: base.clone(), saved: saved.clone() };
    let back = perform(&mut *room, &step);
    same(matches!(back, GitResult::RolledBack(_)), true)?;
    let there = |path: &str| scene.read_in(ROOM, path);
    same((there("src/late"), there("src/new")), (None, None))?;
    same(there("src/code"), Some(b"one\n".to_vec()))?;
    same(scene.resolve(base.branch()), Some(base.commit().clone()))?;
    same(scene.resolve(&saved.work().name), Some(saved.work().commit.clone()))?;
    let since = Some(base.tree().clone());
    let bring = GitStep::Restore { name: saved.work().name.clone(), since, rules: rules() };
    let brought = perform(&mut *scene.room(ROOM), &bring);
    if !matches!(brought, GitResult::Restored { .. }) {
        return Err(format!("{brought:?}"));
    }
    same(there("src/late"), Some(b"late\n".to_vec()))?;
    same(scene.files(), before)
}

fn once<S: Trees>(scene: &S) -> Checked {
    let base = start(scene)?;
    work(scene);
    let mut room = scene.room(ROOM);
    let found = inspect(&mut *room, &base)?;
    let plan = plan(Content::Tree(found.commit_tree.clone()), &found.head);
    let commit = build(&mut *room, plan.clone())?;
    same(build(&mut *scene.room(ROOM), plan)?, commit.clone())?;
    let advance = |from: &ObjectId, to: &ObjectId| GitStep::Advance {
        branch: base.branch().to_owned(),
        from: from.clone(),
        to: to.clone(),
    };
    let step = advance(&found.head, &commit);
    same(perform(&mut *room, &step), GitResult::Advanced)?;
    same(perform(&mut *scene.room(ROOM), &step), GitResult::Advanced)?;
    same(scene.resolve(base.branch()), Some(commit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::simulated_scene::Simulated;
    use crate::rng::Rng;

    /// A part of the work that came back was once saved over the whole of it.
    #[test]
    fn a_power_cut_brings_back_nothing_of_a_room_that_was_rolled_back() {
        for seed in 0..32 {
            let scene = Simulated::new();
            let base = start(&scene).unwrap();
            work(&scene);
            scene.0.borrow_mut().sync_rooms();
            let mut room = scene.room(ROOM);
            inspect(&mut *room, &base).unwrap();
            let saved = save(&mut *room, &base).unwrap();
            perform(&mut *room, &GitStep::RollBack { base: base.clone(), saved: saved.clone() });
            scene.0.borrow_mut().cut_power(&mut Rng::new(seed));
            assert_eq!(save(&mut *scene.room(ROOM), &base).unwrap(), saved, "{seed}");
        }
    }
}
