//! Tests that rooms beside the user's checkout must pass. The simulated rooms and those of real git
//! share this one suite.

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{CommitPlan, Content, Head, Identity, Workspace};
use hast_flow::attempt::worktrees::{
    MergePlan, Replay, Spent, Standing, Target, TreeName, TreePlan, TreeState, Waits, Worktrees,
};
use hast_flow::store::{Identity as SeenAs, Seen};

use super::contract::{Scene, at, rules, same};

type Checked = Result<(), String>;

/// A scene with work trees, and the hands of whoever works in one.
pub trait Trees: Scene {
    /// A process that knows nothing of any before it.
    fn trees(&self) -> Box<dyn Worktrees>;
    fn write_in(&self, tree: &str, path: &str, text: &str);
    fn remove_in(&self, tree: &str, path: &str);
    fn read_in(&self, tree: &str, path: &str) -> Option<Vec<u8>>;
    /// The steps of git in a room, for a process that knows nothing of any before it.
    fn room(&self, tree: &str) -> Box<dyn Workspace>;
    /// An agent commits everything there.
    fn commit_in(&self, tree: &str, message: &str);
    /// An agent commits everything there, and hast looks at it.
    fn commit_all_in(&self, tree: &str, message: &str);
    /// Hast looks at what is there; the tree that it finds.
    fn inspect_in(&self, tree: &str) -> Result<ObjectId, String>;
    /// Files and entry go, as when somebody dies before the branch is gone too.
    fn lose_all_but_the_branch(&self, tree: &str);
}

type Check<S> = fn(&S) -> Checked;

/// Runs every check in a fresh scene each; the first sentence that is not true comes back.
pub fn check<S: Trees>(fresh: impl Fn() -> S) -> Checked {
    let checks: [(&str, Check<S>); 14] = [
        ("a tree has the files of its commit and a branch", made),
        ("what an earlier tree held is on a ref", rescued),
        ("a tree of which only the branch is left is made anew", only_the_branch),
        ("work is replayed on top of where the branch is", replayed),
        ("a conflict names its paths and moves nothing", conflict),
        ("a tree is brought to a commit, whatever is in it", brought),
        ("files that tests wrote after an inspection are undone by the next", tests_undone),
        ("a merge goes forward with the files, once", merged),
        ("a merge that would touch the user's files waits", waits),
        ("a branch that moved is told", moved),
        ("a branch that is gone is named", gone),
        ("a file of another branch is committed there, and the checkout stays", elsewhere),
        ("a room builds a commit with another text in the place of a file", replaced),
        ("only what is merged, saved or unused is removed", removed),
    ];
    for (sentence, check) in checks {
        check(&fresh()).map_err(|why| format!("{sentence}: {why}"))?;
    }
    Ok(())
}

/// The start of an attempt in a room that is at a commit.
pub fn base_of(tree: &TreeName, at_commit: &ObjectId) -> Result<Base, String> {
    let start = serde_json::json!({
        "version": 1, "key": "M1/1", "branch": tree.branch(), "commit": at_commit,
        "tree": at_commit, "snapshot": at_commit, "rules": rules(), "at": at(),
    });
    let start = serde_json::to_vec(&start).unwrap_or_default();
    let seen = Seen::File(SeenAs::of(&start, None));
    Base::recorded(&start, &seen).map_err(|why| why.to_string())
}

const MAIN: &str = "refs/heads/main";
const OTHER: &str = "refs/heads/other";

fn name() -> TreeName {
    TreeName::of("M1")
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn said(problem: GitProblem) -> String {
    problem.to_string()
}

fn tip<S: Trees>(scene: &S) -> Result<ObjectId, String> {
    match scene.trees().tip(None).map_err(said)? {
        Head::Branch { name, commit } if name == MAIN => Ok(commit),
        other => Err(format!("{other:?}")),
    }
}

fn plan<S: Trees>(scene: &S) -> Result<TreePlan, String> {
    Ok(TreePlan { tree: name(), at: tip(scene)?, copy: Vec::new(), rules: rules(), now: at() })
}

fn add<S: Trees>(scene: &S) -> Result<ObjectId, String> {
    let plan = plan(scene)?;
    scene.trees().add(&plan).map_err(said)?;
    Ok(plan.at)
}

fn branch<S: Trees>(scene: &S) -> Result<ObjectId, String> {
    scene.resolve(&name().branch()).ok_or_else(|| "no branch".to_owned())
}

fn merge<S: Trees>(scene: &S, from: &ObjectId, to: &ObjectId) -> Result<Option<Waits>, GitProblem> {
    let onto = Target::Branch(MAIN.to_owned());
    scene.trees().merge(&MergePlan { onto, from: from.clone(), to: to.clone(), rules: rules() })
}

fn replay<S: Trees>(
    scene: &S,
    base: &ObjectId,
    head: &ObjectId,
    onto: &ObjectId,
) -> Result<ObjectId, String> {
    match scene.trees().replay(base, head, onto).map_err(said)? {
        Replay::Done { commit, .. } => Ok(commit),
        Replay::Conflict { paths } => Err(format!("conflict in {paths:?}")),
    }
}

fn made<S: Trees>(scene: &S) -> Checked {
    scene.write("src/code", "the user's\n");
    let at = add(scene)?;
    same(scene.read_in("M1", "src/code"), Some(b"one\n".to_vec()))?;
    same(branch(scene)?, at.clone())?;
    let found = scene.trees().list().map_err(said)?;
    let found: Vec<_> = found.into_iter().map(|tree| (tree.tree, tree.head, tree.state)).collect();
    same(found, vec![(name(), Some(at.clone()), TreeState::Whole)])?;
    // Made again, it is there once, and nothing had to be saved.
    let again = scene.trees().add(&plan(scene)?).map_err(said)?;
    same(again.recovered, None)?;
    same(scene.files().get("src/code").cloned(), Some(b"the user's\n".to_vec()))
}

fn rescued<S: Trees>(scene: &S) -> Checked {
    add(scene)?;
    scene.write_in("M1", "src/new", "only here\n");
    let again = scene.trees().add(&plan(scene)?).map_err(said)?;
    let kept = again.recovered.and_then(|name| scene.resolve(&name));
    same(kept.is_some(), true)?;
    same(scene.read_in("M1", "src/new"), None)?;
    scene.write_in("M1", "src/new", "only here\n");
    let saved = scene.trees().rescue(&plan(scene)?).map_err(said)?;
    same(saved.is_some(), true)
}

/// A tree with a commit of its own: where it began, and where it is.
fn worked<S: Trees>(scene: &S) -> Result<(ObjectId, ObjectId), String> {
    let base = add(scene)?;
    scene.write_in("M1", "src/new", "new\n");
    scene.commit_all_in("M1", "mine");
    Ok((base, branch(scene)?))
}

/// The second time, its commits are on the ref already.
fn only_the_branch<S: Trees>(scene: &S) -> Checked {
    for _ in 0..2 {
        let (base, head) = worked(scene)?;
        scene.lose_all_but_the_branch("M1");
        let added = scene.trees().add(&plan(scene)?).map_err(said)?;
        let kept = added.recovered.and_then(|name| scene.resolve(&name));
        same(kept, Some(head))?;
        same(branch(scene)?, base)?;
        same(scene.read_in("M1", "src/new"), None)?;
    }
    Ok(())
}

fn replayed<S: Trees>(scene: &S) -> Checked {
    let (base, head) = worked(scene)?;
    scene.write("src/theirs", "theirs\n");
    scene.commit_all("theirs");
    let onto = tip(scene)?;
    let commit = replay(scene, &base, &head, &onto)?;
    same(replay(scene, &base, &head, &onto)?, commit.clone())?;
    same((branch(scene)?, tip(scene)?), (head, onto.clone()))?;
    // What is there already is not made again.
    same(replay(scene, &base, &commit, &commit)?, commit)
}

fn conflict<S: Trees>(scene: &S) -> Checked {
    let base = add(scene)?;
    scene.write_in("M1", "src/code", "mine\n");
    scene.commit_all_in("M1", "mine");
    let head = branch(scene)?;
    scene.write("src/code", "theirs\n");
    scene.commit_all("theirs");
    let onto = tip(scene)?;
    let found = scene.trees().replay(&base, &head, &onto).map_err(said)?;
    same(found, Replay::Conflict { paths: vec!["src/code".to_owned()] })?;
    same((branch(scene)?, tip(scene)?), (head, onto))
}

fn brought<S: Trees>(scene: &S) -> Checked {
    let (base, head) = worked(scene)?;
    scene.write("src/theirs", "theirs\n");
    scene.commit_all("theirs");
    let commit = replay(scene, &base, &head, &tip(scene)?)?;
    scene.write_in("M1", "src/code", "not committed\n");
    for _ in 0..2 {
        scene.trees().bring(&name(), &commit).map_err(said)?;
        same(branch(scene)?, commit.clone())?;
        same(scene.read_in("M1", "src/code"), Some(b"one\n".to_vec()))?;
        same(scene.read_in("M1", "src/theirs"), Some(b"theirs\n".to_vec()))?;
    }
    scene.trees().bring(&name(), &head).map_err(said)?;
    same(scene.read_in("M1", "src/theirs"), None)?;
    same(scene.read_in("M1", "src/new"), Some(b"new\n".to_vec()))
}

/// Tests may rewrite what they are judged by: run a second time they would pass.
fn tests_undone<S: Trees>(scene: &S) -> Checked {
    add(scene)?;
    scene.write_in("M1", "src/code", "two\n");
    scene.write_in("M1", "src/new", "new\n");
    let judged = scene.inspect_in("M1")?;
    scene.write_in("M1", "src/code", "rewritten\n");
    scene.write_in("M1", "src/gone", "rewritten\n");
    scene.write_in("M1", "report.xml", "report\n");
    same(scene.inspect_in("M1")?, judged)?;
    same(scene.read_in("M1", "src/code"), Some(b"two\n".to_vec()))?;
    same(scene.read_in("M1", "src/new"), Some(b"new\n".to_vec()))?;
    same(scene.read_in("M1", "src/gone"), Some(b"two\n".to_vec()))?;
    same(scene.read_in("M1", "report.xml"), None)
}

fn merged<S: Trees>(scene: &S) -> Checked {
    let (from, to) = worked(scene)?;
    scene.write("rules.md", "the user's, uncommitted\n");
    for _ in 0..2 {
        same(merge(scene, &from, &to).map_err(said)?, None)?;
        same(tip(scene)?, to.clone())?;
        same(scene.files().get("src/new").cloned(), Some(b"new\n".to_vec()))?;
    }
    same(scene.files().get("rules.md").cloned(), Some(b"the user's, uncommitted\n".to_vec()))?;
    scene.write("src/later", "later\n");
    scene.commit_all("later");
    // Somebody has gone on from there.
    same(merge(scene, &from, &to).map_err(said)?, None)
}

fn waits<S: Trees>(scene: &S) -> Checked {
    let from = add(scene)?;
    scene.write_in("M1", "src/code", "mine\n");
    scene.write_in("M1", "src/new", "new\n");
    scene.commit_all_in("M1", "mine");
    let to = branch(scene)?;
    scene.write("src/code", "the user's\n");
    let before = scene.files();
    let paths = vec!["src/code".to_owned()];
    same(merge(scene, &from, &to).map_err(said)?, Some(Waits::UsersFiles { paths }))?;
    same(tip(scene)?, from)?;
    same(scene.files() == before, true)
}

fn moved<S: Trees>(scene: &S) -> Checked {
    let (from, to) = worked(scene)?;
    scene.write("src/theirs", "theirs\n");
    scene.commit_all("theirs");
    let theirs = tip(scene)?;
    match merge(scene, &from, &to) {
        Err(GitProblem::Moved { found, .. }) => same(found, Some(theirs.clone()))?,
        other => return Err(format!("{other:?}")),
    }
    same(tip(scene)?, theirs)
}

fn gone<S: Trees>(scene: &S) -> Checked {
    let name = "refs/heads/renamed".to_owned();
    let tip = scene.trees().tip(Some(&Target::Branch(name.clone())));
    same(tip, Err(GitProblem::BranchGone { name }))
}

fn elsewhere<S: Trees>(scene: &S) -> Checked {
    let parent = tip(scene)?;
    scene.point(OTHER, &parent);
    let stands =
        |name: &str| scene.trees().standing(&Target::Branch(name.to_owned())).map_err(said);
    same(stands(MAIN)?, Standing::On)?;
    same(stands(OTHER)?, Standing::Off)?;
    scene.write("goals", "the user's\n");
    let before = scene.files();
    let plan = CommitPlan {
        content: Content::Text { path: "goals".into(), text: "done\n".into() },
        parent: parent.clone(),
        message: "status\n".into(),
        at: at(),
        identity: Identity::Users,
    };
    let mut workspace = scene.workspace();
    let commit = workspace.build(&plan).map_err(said)?;
    same(workspace.build(&plan).map_err(said)?, commit.clone())?;
    workspace.advance(OTHER, &parent, &commit).map_err(said)?;
    let read = |commit: &ObjectId| -> Result<Option<Vec<u8>>, String> {
        let files = scene.workspace().read(commit, &["goals".to_owned()]).map_err(said)?;
        Ok(files.into_iter().next().and_then(|file| file.bytes))
    };
    same(scene.resolve(OTHER), Some(commit.clone()))?;
    same(read(&commit)?, Some(b"done\n".to_vec()))?;
    same(tip(scene)?, parent)?;
    same(scene.files() == before, true)
}

fn replaced<S: Trees>(scene: &S) -> Checked {
    let (_, to) = worked(scene)?;
    let plan = CommitPlan {
        content: Content::Text { path: "src/new".into(), text: "another\n".into() },
        parent: to.clone(),
        message: "try".into(),
        at: at(),
        identity: Identity::Named { name: "hast".into(), email: "hast@localhost".into() },
    };
    let built = scene.room("M1").build(&plan).map_err(said)?;
    same(scene.room("M1").build(&plan).map_err(said)?, built.clone())?;
    let paths = ["src/new".to_owned(), "src/code".to_owned()];
    let read = |commit: &ObjectId| -> Result<Vec<Option<Vec<u8>>>, String> {
        let files = scene.workspace().read(commit, &paths).map_err(said)?;
        Ok(files.into_iter().map(|file| file.bytes).collect())
    };
    let before = read(&to)?;
    same(read(&built)?, vec![Some(b"another\n".to_vec()), before[1].clone()])?;
    same(scene.read_in("M1", "src/new"), Some(b"new\n".to_vec()))
}

fn removed<S: Trees>(scene: &S) -> Checked {
    let (from, to) = worked(scene)?;
    for spent in [Spent::Unused, Spent::Merged { into: from.clone() }] {
        same(scene.trees().remove(&name(), &spent).is_err(), true)?;
    }
    same(scene.read_in("M1", "src/new"), Some(b"new\n".to_vec()))?;
    merge(scene, &from, &to).map_err(said)?;
    for _ in 0..2 {
        scene.trees().remove(&name(), &Spent::Merged { into: to.clone() }).map_err(said)?;
    }
    same(scene.resolve(&name().branch()), None)?;
    same(scene.trees().list().map_err(said)?.len(), 0)
}
