//! The promises of the user's checkout: one suite for the simulated one and for real git.

use std::collections::BTreeMap;

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, GitResult, GitStep, Identity, TreeFile, UncommittedKind, Workspace,
    perform,
};
use hast_flow::time::UtcTime;

use super::own_refs_contract as own_refs;

pub(super) type Checked = Result<(), String>;

/// A checkout on `main` with one commit of [`FILES`], and the hands of its user.
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

pub(super) const MAIN: &str = "refs/heads/main";

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
    let checks: [(&str, Check<S>); 8] = [
        ("looking names the user's files", looking),
        ("files are read from the tree that was recorded", recorded_files),
        ("a commit is made once", once),
        ("one file is committed alone", alone),
        ("no attempt begins in the checkout", no_attempt),
        ("own refs are listed and deleted as listed", own_refs::listed),
        ("a branch of kept work that somebody went on with stays theirs", own_refs::gone_on_with),
        ("saved work is brought, and not over what was edited since", own_refs::brought),
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

fn recorded_files<S: Scene>(scene: &S) -> Checked {
    let tree = main_of(scene)?;
    scene.write("src/code", "changed\n");
    let paths = ["src/code", "src", "nowhere", "a\nb"].map(str::to_owned).to_vec();
    let step = GitStep::Read { tree, paths };
    let GitResult::Files(mut found) = perform(&mut *scene.workspace(), &step) else {
        return Err("no files".into());
    };
    found.retain(|file| file.bytes.is_some());
    same(found, vec![TreeFile { path: "src/code".into(), bytes: Some(b"one\n".to_vec()) }])
}

fn work<S: Scene>(scene: &S) {
    scene.write("src/code", "changed\n");
    scene.write("src/new", "new\n");
    scene.remove("src/gone");
    scene.write("handoffs/2026-02-09_143000.md", "---\n");
    scene.write("target/built", "ignored");
    scene.write("state/journal", "the machine's");
}

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

pub(super) fn plan(content: Content, parent: &ObjectId) -> CommitPlan {
    let identity = Identity::Named { name: "hast".into(), email: "hast@localhost".into() };
    CommitPlan { content, parent: parent.clone(), message: "feat: it\n".into(), at: at(), identity }
}

pub(super) fn build(workspace: &mut dyn Workspace, plan: CommitPlan) -> Result<ObjectId, String> {
    match perform(workspace, &GitStep::Build { plan }) {
        GitResult::Built { commit } => Ok(commit),
        other => Err(format!("{other:?}")),
    }
}

pub(super) fn main_of<S: Scene>(scene: &S) -> Result<ObjectId, String> {
    scene.resolve(MAIN).ok_or_else(|| "no branch".to_owned())
}

fn once<S: Scene>(scene: &S) -> Checked {
    let (mut workspace, from) = (scene.workspace(), main_of(scene)?);
    let content = Content::Text { path: "goals".into(), text: "done\n".into() };
    let plan = plan(content, &from);
    let commit = build(&mut *workspace, plan.clone())?;
    same(build(&mut *scene.workspace(), plan)?, commit.clone())?;
    same(scene.resolve(MAIN), Some(from.clone()))?;
    let advance = |from: &ObjectId, to: &ObjectId| GitStep::Advance {
        branch: MAIN.to_owned(),
        from: from.clone(),
        to: to.clone(),
    };
    let step = advance(&from, &commit);
    same(perform(&mut *workspace, &step), GitResult::Advanced)?;
    same(perform(&mut *scene.workspace(), &step), GitResult::Advanced)?;
    same(scene.resolve(MAIN), Some(commit.clone()))?;
    let refused = perform(&mut *workspace, &advance(&from, &from));
    same(matches!(refused, GitResult::Refused(GitProblem::Moved { .. })), true)
}

fn no_attempt<S: Scene>(scene: &S) -> Checked {
    let step = GitStep::Record { key: "G/1".into(), rules: rules(), at: at() };
    let refused = perform(&mut *scene.workspace(), &step);
    same(matches!(refused, GitResult::Refused(GitProblem::Refused { .. })), true)
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
    let parent = main_of(scene)?;
    let mut workspace = scene.workspace();
    let commit = build(&mut *workspace, plan(Content::File { path: "goals".into() }, &parent))?;
    let branch = MAIN.to_owned();
    perform(&mut *workspace, &GitStep::Advance { branch, from: parent, to: commit });
    uncommitted(scene, &["rules.md"])
}
