//! What every work tree must do: one suite for the simulated one and for real git.

use std::collections::BTreeMap;

use hast_flow::attempt::base::{Base, ObjectId, Saved, TreeRules, attempt_ref};
use hast_flow::attempt::evidence::{Breach, ChangeKind};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::Meanwhile;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, GitResult, GitStep, Identity, LeftWork, Reach, SavePlan, TreeFile,
    UncommittedKind, Workspace, perform,
};
use hast_flow::store::{Identity as SeenAs, Seen};
use hast_flow::time::UtcTime;

use super::left_contract as left;
use super::moved_contract::{fetched, moved_branch};
use super::own_refs_contract as own_refs;

pub(super) type Checked = Result<(), String>;

/// A work tree on `main` with one commit of [`FILES`], and the hands of whoever works in it.
pub trait Scene {
    /// A process that knows nothing of any before it.
    fn workspace(&self) -> Box<dyn Workspace>;
    fn write(&self, path: &str, text: &str);
    fn remove(&self, path: &str);
    /// Every file of the work tree, ignored ones too.
    fn files(&self) -> BTreeMap<String, Vec<u8>>;
    fn commit_all(&self, message: &str);
    /// Points a ref somewhere, or makes one.
    fn point(&self, name: &str, to: &ObjectId);
    fn resolve(&self, name: &str) -> Option<ObjectId>;
}

/// What the first commit holds. `*.log` and `target/` are ignored, whatever the tree says.
pub const FILES: &[(&str, &str)] =
    &[("src/code", "one\n"), ("src/gone", "two\n"), ("rules.md", "rules\n"), ("goals", "open\n")];

pub fn rules() -> TreeRules {
    TreeRules {
        leave_out: vec!["state/".to_owned()],
        protected: vec!["goals".to_owned()],
        handoffs: Some("handoffs/".to_owned()),
        ..TreeRules::default()
    }
}

type Check<S> = fn(&S) -> Checked;

/// Runs every check in a fresh scene each; the first sentence that is not true comes back.
pub fn check<S: Scene>(fresh: impl Fn() -> S) -> Checked {
    let checks: [(&str, Check<S>); 25] = [
        ("looking names what is the user's", looking),
        ("changes are compared by content", compared),
        ("a file with nothing left in it is told apart", left::emptied),
        ("what the tests had left is nobody's, and as it was", left::left_by_tests),
        ("an agent's commits are the same changes", committed),
        ("a new file with nothing in it is told apart", left::hollow),
        ("what a commit takes back stays in the history", left::taken_back),
        ("protected files get their bytes back", protected),
        ("handoffs of earlier work are protected", earlier_handoffs),
        ("other refs are put back", other_refs),
        ("what a fetch brings is put back and told, and is no breach", fetched),
        ("a guard gives back as much as it may", guarded),
        ("a rewritten history is told", rewritten),
        ("what is rolled back was saved and can be undone", rolled_back),
        ("what was edited after the save stays", edited),
        ("a branch that others moved stays, and everything with it", moved_branch),
        ("a commit is made once", once),
        ("what was uncommitted before is not swept up", not_swept_up),
        ("one file is committed alone", alone),
        ("files are read from the tree that was recorded", recorded_files),
        ("kept work is taken out of the tree and put back", taken_out),
        ("what was uncommitted before the work that is taken out comes back", uncommitted_again),
        ("own refs are listed and deleted as listed", own_refs::listed),
        ("a branch of kept work that somebody went on with stays theirs", own_refs::gone_on_with),
        ("nothing is brought back over what was edited since", own_refs::not_over),
    ];
    for (sentence, check) in checks {
        check(&fresh()).map_err(|why| format!("{sentence}: {why}"))?;
    }
    Ok(())
}

pub(super) fn at() -> UtcTime {
    UtcTime::new(jiff::Timestamp::from_second(1_770_615_000).unwrap_or_default())
}

#[expect(clippy::needless_pass_by_value, reason = "a literal reads better than its reference")]
pub(super) fn same<T: PartialEq + std::fmt::Debug>(found: T, wanted: T) -> Checked {
    if found == wanted { Ok(()) } else { Err(format!("{found:?} and not {wanted:?}")) }
}

pub(super) fn start(workspace: &mut dyn Workspace) -> Result<Base, String> {
    start_with(workspace, rules())
}

pub(super) fn start_with(workspace: &mut dyn Workspace, rules: TreeRules) -> Result<Base, String> {
    let step = GitStep::Record { key: "G/1".into(), rules, at: at() };
    match perform(workspace, &step) {
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

fn save_plan(base: &Base) -> SavePlan {
    SavePlan {
        name: attempt_ref("G", 1),
        rules: rules(),
        base: Some(base.clone()),
        message: "attempt".into(),
        at: at(),
        max_file_bytes: 1 << 20,
        max_total_bytes: 1 << 20,
    }
}

pub(super) fn save(workspace: &mut dyn Workspace, base: &Base) -> Result<Saved, String> {
    match perform(workspace, &GitStep::Save(save_plan(base))) {
        GitResult::Saved(saved) => Ok(saved),
        other => Err(format!("{other:?}")),
    }
}

fn guarded<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    let tag = "refs/tags/mine";
    scene.write("goals", "done\n");
    scene.point(tag, base.commit());
    let mut guard = |reach: Reach| match perform(
        &mut *workspace,
        &GitStep::Guard { base: base.clone(), reach },
    ) {
        GitResult::Guarded(found) => Ok((found.files, found.refs)),
        other => Err(format!("{other:?}")),
    };
    let goals = || scene.files().get("goals").cloned().unwrap_or_default();
    same(guard(Reach::OfGitButRefs)?, (vec![], vec![tag.to_owned()]))?;
    same((goals(), scene.resolve(tag).is_some()), (b"done\n".to_vec(), true))?;
    same(guard(Reach::OfGit)?, (vec![], vec![tag.to_owned()]))?;
    same((goals(), scene.resolve(tag).is_some()), (b"done\n".to_vec(), false))?;
    same(guard(Reach::Everything)?, (vec!["goals".to_owned()], vec![]))?;
    same(goals(), b"open\n".to_vec())?;
    same(guard(Reach::Everything)?, (vec![], vec![]))
}

fn recorded_files<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    scene.write("src/code", "changed\n");
    let paths = ["src/code", "src", "nowhere", "a\nb"].map(str::to_owned).to_vec();
    let step = GitStep::Read { tree: base.tree().clone(), paths };
    let GitResult::Files(mut found) = perform(&mut *workspace, &step) else {
        return Err("no files".into());
    };
    found.retain(|file| file.bytes.is_some());
    same(found, vec![TreeFile { path: "src/code".into(), bytes: Some(b"one\n".to_vec()) }])
}

pub(super) fn changes(found: &Inspection) -> Vec<(&str, ChangeKind)> {
    found.changes.iter().map(|change| (&*change.path.0, change.kind)).collect()
}

pub(super) fn work<S: Scene>(scene: &S) {
    scene.write("src/code", "changed\n");
    scene.write("src/new", "new\n");
    scene.remove("src/gone");
    scene.write("handoffs/2026-02-09_143000.md", "---\n");
    scene.write("target/built", "ignored");
    scene.write("state/journal", "the machine's");
}

const WORK: [(&str, ChangeKind); 3] = [
    ("src/code", ChangeKind::Modified),
    ("src/gone", ChangeKind::Deleted),
    ("src/new", ChangeKind::Added),
];

fn looking<S: Scene>(scene: &S) -> Checked {
    work(scene);
    let GitResult::Looked(looked) =
        perform(&mut *scene.workspace(), &GitStep::Look { rules: rules() })
    else {
        return Err("no look".into());
    };
    let mut named: Vec<(String, bool)> = looked
        .uncommitted
        .into_iter()
        .map(|file| (file.path, file.kind == UncommittedKind::Untracked))
        .collect();
    named.sort();
    let wanted = [
        ("handoffs/2026-02-09_143000.md", true),
        ("src/code", false),
        ("src/gone", false),
        ("src/new", true),
    ];
    same(named, wanted.map(|(path, new)| (path.to_owned(), new)).to_vec())
}

fn compared<S: Scene>(scene: &S) -> Checked {
    let base = start(&mut *scene.workspace())?;
    work(scene);
    let mut workspace = scene.workspace();
    let found = inspect(&mut *workspace, &base)?;
    same(changes(&found), WORK.to_vec())?;
    same((found.breaches.len(), found.protected.len(), found.uncommitted), (0, 0, true))?;
    same(found.handoffs.len(), 1)?;
    same(inspect(&mut *workspace, &base)?, found.clone())?;
    same(inspect(&mut *scene.workspace(), &base)?, found)
}

fn earlier_handoffs<S: Scene>(scene: &S) -> Checked {
    let handoffs = ["handoffs/2026-02-08_100000.md", "handoffs/2026-02-08_110000.md"];
    for handoff in handoffs {
        scene.write(handoff, "done\n");
    }
    scene.commit_all("earlier");
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    scene.write(handoffs[0], "forged\n");
    scene.remove(handoffs[1]);
    scene.write("handoffs/2026-02-09_143000.md", "---\n");
    let found = inspect(&mut *workspace, &base)?;
    let protected: Vec<&str> = found.protected.iter().map(|path| &*path.0).collect();
    same(protected, handoffs.to_vec())?;
    same((found.changes.len(), found.handoffs.len()), (0, 1))
}

fn committed<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    scene.remove("state/journal");
    scene.commit_all("mine");
    let found = inspect(&mut *workspace, &base)?;
    same(changes(&found), WORK.to_vec())?;
    same((found.breaches.len(), found.uncommitted), (0, false))?;
    same(Some(found.head), scene.resolve("refs/heads/main"))
}

fn protected<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    scene.write("goals", "done\n");
    let found = inspect(&mut *workspace, &base)?;
    same(found.protected.iter().map(|path| &*path.0).collect::<Vec<_>>(), vec!["goals"])?;
    same(found.changes.len(), 0)?;
    same(scene.files().get("goals").cloned(), Some(b"open\n".to_vec()))
}

fn other_refs<S: Scene>(scene: &S) -> Checked {
    let first = scene.resolve("refs/heads/main").ok_or("no branch")?;
    scene.point("refs/tags/v1", &first);
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    scene.commit_all("mine");
    let mine = scene.resolve("refs/heads/main").ok_or("no branch")?;
    scene.point("refs/tags/v1", &mine);
    scene.point("refs/heads/other", &mine);
    let found = inspect(&mut *workspace, &base)?;
    let moved = |name: &str| Breach::RefMoved { name: name.to_owned() };
    same(found.breaches, vec![moved("refs/heads/other"), moved("refs/tags/v1")])?;
    // What they were meanwhile is told, and still to be had.
    let was: Vec<Meanwhile> = found.given_back.refs.iter().map(|one| one.was).collect();
    same(was, vec![Meanwhile::Made, Meanwhile::Moved])?;
    for displaced in &found.given_back.refs {
        let kept = displaced.at.as_deref().ok_or("nowhere")?;
        same(scene.resolve(kept), Some(mine.clone()))?;
    }
    same(scene.resolve("refs/tags/v1"), Some(first))?;
    same(scene.resolve("refs/heads/other"), None)
}

fn rewritten<S: Scene>(scene: &S) -> Checked {
    let first = scene.resolve("refs/heads/main").ok_or("no branch")?;
    scene.write("src/code", "second\n");
    scene.commit_all("second");
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    scene.point("refs/heads/main", &first);
    let found = inspect(&mut *workspace, &base)?;
    same(found.breaches, vec![Breach::HistoryRewritten])?;
    let saved = save(&mut *workspace, &base)?;
    roll_back(&mut *workspace, &base, &saved)?;
    same(scene.resolve("refs/heads/main"), Some(base.commit().clone()))
}

pub(super) fn roll_back(workspace: &mut dyn Workspace, base: &Base, saved: &Saved) -> Checked {
    let step = GitStep::RollBack { base: base.clone(), saved: saved.clone() };
    match perform(workspace, &step) {
        GitResult::RolledBack(_) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn rolled_back<S: Scene>(scene: &S) -> Checked {
    scene.write("notes.log", "the user's");
    scene.write("rules.md", "the user's, uncommitted\n");
    let before = scene.files();
    let base = start(&mut *scene.workspace())?;
    work(scene);
    scene.commit_all("mine");
    scene.write("src/late", "late\n");
    let mut workspace = scene.workspace();
    let saved = save(&mut *workspace, &base)?;
    same(save(&mut *workspace, &base)?, saved.clone())?;
    roll_back(&mut *workspace, &base, &saved)?;
    let mut wanted = before;
    wanted.insert("target/built".into(), b"ignored".to_vec());
    wanted.insert("state/journal".into(), b"the machine's".to_vec());
    same(scene.files(), wanted)?;
    same(scene.resolve("refs/heads/main"), Some(base.commit().clone()))?;
    same(scene.resolve(&saved.work().name), Some(saved.work().commit.clone()))?;
    let undo = GitStep::Restore { name: saved.work().name.clone(), since: None, rules: rules() };
    let undone = perform(&mut *scene.workspace(), &undo);
    if !matches!(undone, GitResult::Restored { .. }) {
        return Err(format!("{undone:?}"));
    }
    same(scene.files().get("src/late").cloned(), Some(b"late\n".to_vec()))
}

fn edited<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    let saved = save(&mut *workspace, &base)?;
    scene.write("src/code", "by hand\n");
    let step = GitStep::RollBack { base: base.clone(), saved };
    let refused = perform(&mut *workspace, &step);
    let edited = GitProblem::EditedSince { paths: vec!["src/code".into()] };
    same(refused, GitResult::Refused(edited))?;
    same(scene.files().get("src/code").cloned(), Some(b"by hand\n".to_vec()))?;
    let again = save(&mut *workspace, &base)?;
    roll_back(&mut *workspace, &base, &again)?;
    same(scene.files().get("src/code").cloned(), Some(b"one\n".to_vec()))
}

fn plan(content: Content, parent: &ObjectId) -> CommitPlan {
    let identity = Identity::Named { name: "hast".into(), email: "hast@localhost".into() };
    CommitPlan { content, parent: parent.clone(), message: "feat: it\n".into(), at: at(), identity }
}

fn build(workspace: &mut dyn Workspace, plan: CommitPlan) -> Result<ObjectId, String> {
    match perform(workspace, &GitStep::Build { plan }) {
        GitResult::Built { commit } => Ok(commit),
        other => Err(format!("{other:?}")),
    }
}

fn once<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    let found = inspect(&mut *workspace, &base)?;
    let plan = plan(Content::Tree(found.commit_tree.clone()), &found.head);
    let commit = build(&mut *workspace, plan.clone())?;
    same(build(&mut *scene.workspace(), plan)?, commit.clone())?;
    same(scene.resolve("refs/heads/main"), Some(found.head.clone()))?;
    let (branch, from) = (base.branch().to_owned(), found.head.clone());
    let advance = GitStep::Advance { branch, from, to: commit.clone() };
    same(perform(&mut *workspace, &advance), GitResult::Advanced)?;
    same(perform(&mut *scene.workspace(), &advance), GitResult::Advanced)?;
    same(scene.resolve("refs/heads/main"), Some(commit.clone()))?;
    let (branch, from) = (base.branch().to_owned(), found.head.clone());
    let wrong = GitStep::Advance { branch, from: from.clone(), to: from };
    let refused = perform(&mut *workspace, &wrong);
    same(matches!(refused, GitResult::Refused(GitProblem::Moved { .. })), true)
}

fn not_swept_up<S: Scene>(scene: &S) -> Checked {
    scene.write("rules.md", "the user's, uncommitted\n");
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    scene.write("src/code", "changed\n");
    let found = inspect(&mut *workspace, &base)?;
    let plan = plan(Content::Tree(found.commit_tree.clone()), &found.head);
    let to = build(&mut *workspace, plan)?;
    let (branch, from) = (base.branch().to_owned(), found.head);
    perform(&mut *workspace, &GitStep::Advance { branch, from, to });
    uncommitted(scene, &["rules.md"])
}

fn uncommitted<S: Scene>(scene: &S, wanted: &[&str]) -> Checked {
    match perform(&mut *scene.workspace(), &GitStep::Look { rules: rules() }) {
        GitResult::Looked(looked) => {
            let mut named: Vec<&str> = looked.uncommitted.iter().map(|file| &*file.path).collect();
            named.sort_unstable();
            same(named, wanted.to_vec())
        }
        other => Err(format!("{other:?}")),
    }
}

fn alone<S: Scene>(scene: &S) -> Checked {
    scene.write("goals", "done\n");
    scene.write("rules.md", "others\n");
    let parent = scene.resolve("refs/heads/main").ok_or("no branch")?;
    let mut workspace = scene.workspace();
    let commit = build(&mut *workspace, plan(Content::File { path: "goals".into() }, &parent))?;
    let branch = "refs/heads/main".to_owned();
    perform(&mut *workspace, &GitStep::Advance { branch, from: parent, to: commit });
    uncommitted(scene, &["rules.md"])
}

fn taken_out<S: Scene>(scene: &S) -> Checked {
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    scene.commit_all("mine");
    scene.write("src/late", "late\n");
    let kept = save(&mut *workspace, &base)?.work().clone();
    let from = scene.resolve("refs/heads/main").ok_or("no branch")?;
    let (branch, to) = (base.branch().to_owned(), base.commit().clone());
    perform(&mut *workspace, &GitStep::Advance { branch, from, to });
    // What the user and hast itself have done since.
    scene.write("goals", "blocked\n");
    scene.write("rules.md", "the user's, uncommitted\n");
    scene.write("handoffs/2026-02-09_143000.md", "edited\n");
    let mut workspace = scene.workspace();
    let (from, work) = (base.tree().clone(), kept.tree.clone());
    let (commit, tree) = (base.commit().clone(), from.clone());
    let left = LeftWork { base: commit, from: tree, work: work.clone(), within: None };
    let GitResult::Compared(lines) =
        perform(&mut *workspace, &GitStep::Compare { from: from.clone(), to: work.clone() })
    else {
        return Err("nothing compared".into());
    };
    let new = lines.iter().find(|line| &*line.change.path.0 == "src/late");
    same(new.map(|line| (line.change.kind, line.lines)), Some((ChangeKind::Added, Some((1, 0)))))?;
    same(lines.len(), 5)?;
    let plan = SavePlan { base: None, ..save_plan(&base) };
    let GitResult::Saved(saved) = perform(&mut *workspace, &GitStep::Save(plan)) else {
        return Err("not saved".into());
    };
    let out = GitStep::Discard { left, saved, rules: rules() };
    let done = perform(&mut *workspace, &out);
    same(matches!(done, GitResult::RolledBack(_)), true)?;
    uncommitted(scene, &["goals", "handoffs/2026-02-09_143000.md", "rules.md"])?;
    let mut rules = rules();
    rules.leave_out.push("handoffs/".to_owned());
    let back = GitStep::Restore { name: kept.commit.to_string(), since: Some(from), rules };
    let done = perform(&mut *scene.workspace(), &back);
    same(matches!(&done, GitResult::Restored { paths } if paths.len() == 4), true)?;
    let files = scene.files();
    same(files.get("src/code").cloned(), Some(b"changed\n".to_vec()))?;
    same(files.get("src/late").cloned(), Some(b"late\n".to_vec()))?;
    same(files.get("goals").cloned(), Some(b"blocked\n".to_vec()))?;
    same(files.get("handoffs/2026-02-09_143000.md").cloned(), Some(b"edited\n".to_vec()))?;
    same(files.contains_key("src/gone"), false)
}

fn uncommitted_again<S: Scene>(scene: &S) -> Checked {
    scene.write("rules.md", "the user's edit\n");
    scene.write("notes", "the user's notes\n");
    let mut workspace = scene.workspace();
    let base = start(&mut *workspace)?;
    work(scene);
    scene.write("rules.md", "the agent's\n");
    scene.remove("notes");
    let work = save(&mut *workspace, &base)?.work().tree.clone();
    let (commit, tree) = (base.commit().clone(), base.tree().clone());
    let left = LeftWork { base: commit, from: tree, work, within: None };
    let mut workspace = scene.workspace();
    let saved = save(&mut *workspace, &base)?;
    let out = GitStep::Discard { left, saved, rules: rules() };
    let done = perform(&mut *workspace, &out);
    same(matches!(done, GitResult::RolledBack(_)), true)?;
    let files = scene.files();
    same(files.get("rules.md").cloned(), Some(b"the user's edit\n".to_vec()))?;
    same(files.get("notes").cloned(), Some(b"the user's notes\n".to_vec()))?;
    same(files.get("src/code").cloned(), Some(b"one\n".to_vec()))
}
