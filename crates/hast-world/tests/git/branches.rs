//! A branch that moves without git, and the commit of one file: what git would have done, also to
//! logs, locks and the index.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::workspace::{CommitPlan, Content, GitResult, GitStep, Identity, perform};
use hast_world::git::RealWorkspace;

use crate::fixture::{Repo, at};

const GOALS: &str = ".ai/goals.yaml";
const MAIN: &str = "refs/heads/main";

fn build(workspace: &mut RealWorkspace, parent: &ObjectId) -> ObjectId {
    let plan = CommitPlan {
        content: Content::File { path: GOALS.into() },
        parent: parent.clone(),
        message: "chore(M1): goal status\n".into(),
        at: at(),
        identity: Identity::Users,
    };
    match perform(workspace, &GitStep::Build { plan }) {
        GitResult::Built { commit } => commit,
        other => panic!("{other:?}"),
    }
}

fn advance(workspace: &mut RealWorkspace, from: &ObjectId, to: &ObjectId) -> GitResult {
    let (branch, from, to) = (MAIN.to_owned(), from.clone(), to.clone());
    perform(workspace, &GitStep::Advance { branch, from, to })
}

/// Files the goals with this content; where the branch was and where it is.
fn files(repo: &Repo, content: &str) -> (ObjectId, ObjectId) {
    let mut workspace = repo.open();
    let from = repo.head();
    repo.write(GOALS, content);
    let to = build(&mut workspace, &from);
    assert_eq!(advance(&mut workspace, &from, &to), GitResult::Advanced);
    (from, to)
}

/// Git says that the commit has the file as git would have added it, and that nothing else changed.
fn assert_filed(repo: &Repo, (from, to): &(ObjectId, ObjectId)) {
    assert_eq!(repo.git(&["rev-parse", "HEAD", "HEAD^"]), format!("{to}\n{from}"));
    assert_eq!(repo.git(&["diff-files", "--name-only"]), "");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["diff", "--name-only", "HEAD^", "HEAD"]), GOALS);
    let blob = repo.git(&["rev-parse", &format!("HEAD:{GOALS}")]);
    assert_eq!(repo.git(&["hash-object", "--path", GOALS, GOALS]), blob);
    assert_eq!(repo.git(&["write-tree"]), repo.git(&["rev-parse", "HEAD^{tree}"]));
    repo.git(&["fsck", "--strict", "--full"]);
}

#[test]
fn a_branch_that_moves_has_its_line_in_both_logs() {
    let repo = Repo::new();
    let moved = files(&repo, "goals: [done]\n");
    assert_filed(&repo, &moved);
    for log in ["HEAD", "main"] {
        let lines = repo.git(&["reflog", "show", "-2", "--format=%H %gn <%ge> %gs", log]);
        let who = repo.git(&["log", "-1", "--format=%cn <%ce>"]);
        assert_eq!(lines.lines().next().unwrap(), format!("{} {who} hast", moved.1));
        assert!(lines.lines().nth(1).unwrap().starts_with(moved.0.as_str()));
    }
    let left = repo.git(&["ls-files", "-o", "--", ".git"]);
    assert_eq!(left, "");
    assert!(!repo.path(".git/refs/heads/main.lock").exists());
}

#[test]
fn a_file_that_changes_in_the_same_moment_is_seen() {
    let repo = Repo::new();
    files(&repo, "goals: [done]\n");
    // The same size, and the time that it had.
    let path = repo.path(GOALS);
    let modified = path.metadata().unwrap().modified().unwrap();
    repo.write(GOALS, "goals: [open]\n");
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_eq!(repo.git(&["status", "--porcelain"]), format!(" M {GOALS}"));
}

#[test]
fn what_attributes_or_line_ends_make_of_a_file_is_gits_to_make() {
    for (attributes, at) in [
        ("*.yaml ident\n", ".gitattributes"),
        ("goals.yaml ident\n", ".ai/.gitattributes"),
        ("*.yaml ident\n", ".git/info/attributes"),
    ] {
        let repo = Repo::new();
        repo.write(at, attributes);
        if !at.starts_with(".git/") {
            repo.commit_all("attributes");
        }
        let moved = files(&repo, "# $Id: anything$\ngoals: []\n");
        assert_filed(&repo, &moved);
        assert!(repo.git(&["show", &format!("HEAD:{GOALS}")]).starts_with("# $Id$\n"), "{at}");
    }
    let repo = Repo::new();
    repo.git(&["config", "core.autocrlf", "true"]);
    let moved = files(&repo, "goals:\r\n  []\r\n");
    assert_filed(&repo, &moved);
    assert!(!repo.git(&["show", &format!("HEAD:{GOALS}")]).contains('\r'));
}

#[test]
fn a_branch_that_somebody_locks_or_moved_stays_where_it_is() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let from = repo.head();
    repo.write(GOALS, "goals: [done]\n");
    let to = build(&mut workspace, &from);
    for lock in [".git/refs/heads/main.lock", ".git/HEAD.lock"] {
        repo.write(lock, "");
        let result = advance(&mut workspace, &from, &to);
        assert!(matches!(result, GitResult::Refused(_)), "{lock}: {result:?}");
        assert!(repo.path(lock).exists(), "the lock is somebody else's");
        std::fs::remove_file(repo.path(lock)).unwrap();
        assert_eq!(repo.head(), from);
    }
    repo.git(&["commit", "-q", "--allow-empty", "-m", "the user's"]);
    let users = repo.head();
    let result = advance(&mut workspace, &from, &to);
    assert!(matches!(result, GitResult::Refused(_)), "{result:?}");
    assert_eq!(repo.head(), users);
    assert!(!repo.path(".git/refs/heads/main.lock").exists());
}

#[test]
fn a_death_while_a_branch_moves_leaves_no_lock() {
    let repo = Repo::new();
    let from = repo.head();
    let gone = ".git/hast/lock-4194305-0";
    repo.write(gone, format!("{from}\n"));
    let lock = repo.path(".git/refs/heads/main.lock");
    std::fs::hard_link(repo.path(gone), &lock).unwrap();
    // One that is not ours stays.
    repo.write(".git/refs/heads/other.lock", "");
    let moved = files(&repo, "goals: [done]\n");
    assert_filed(&repo, &moved);
    assert!(!lock.exists() && !repo.path(gone).exists());
    assert!(repo.path(".git/refs/heads/other.lock").exists());
}

#[test]
fn a_branch_without_a_log_or_in_the_packed_list_moves_too() {
    let repo = Repo::new();
    std::fs::remove_dir_all(repo.path(".git/logs")).unwrap();
    assert_filed(&repo, &files(&repo, "goals: [1]\n"));
    repo.git(&["pack-refs", "--all"]);
    assert_filed(&repo, &files(&repo, "goals: [2]\n"));
}
