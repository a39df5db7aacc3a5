//! What people do in another work tree while an attempt runs stays there. What an attempt does to their
//! branches does not, and no branch is pulled away under somebody.

use std::fs;
use std::path::PathBuf;

use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::given_back::Meanwhile;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{GitResult, GitStep, Reach, perform};
use hast_world::git::RealWorkspace;

use crate::fixture::{Act, Repo, Steps, protected, rules};

fn other(repo: &Repo) -> PathBuf {
    repo.dir.path().join("w1")
}

/// In the other work tree.
fn there(repo: &Repo, args: &[&str]) -> String {
    repo.git_in(&other(repo), args)
}

fn commit_there(repo: &Repo) {
    there(repo, &["commit", "-q", "--allow-empty", "-m", "theirs"]);
}

/// A repository whose other work tree is on a branch with a commit of its own.
fn repo() -> Repo {
    let repo = Repo::new();
    let at = other(&repo).display().to_string();
    repo.git(&["worktree", "add", "-q", "-b", "feat", &at]);
    commit_there(&repo);
    repo
}

const HEADS: [&str; 3] = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads"];

/// Where the other work tree is, what differs there, and all branches.
fn state(repo: &Repo) -> [String; 3] {
    let head = there(repo, &["rev-parse", "--symbolic-full-name", "HEAD"]);
    [head, there(repo, &["status", "--porcelain"]), repo.git(&HEADS)]
}

fn moved(found: &Inspection) -> Vec<&Breach> {
    found.breaches.iter().collect()
}

fn told(found: &Inspection) -> Vec<(&str, Meanwhile)> {
    found.given_back.refs.iter().map(|one| (one.name.as_str(), one.was)).collect()
}

/// An honest attempt, and what somebody does beside it.
const BESIDE: [(Act, &[&str]); 9] = [
    (commit_there, &["refs/heads/feat"]),
    (
        |repo| {
            there(repo, &["commit", "-q", "--amend", "--allow-empty", "-m", "better"]);
        },
        &["refs/heads/feat"],
    ),
    (
        |repo| {
            there(repo, &["reset", "-q", "--hard", "HEAD~1"]);
        },
        &["refs/heads/feat"],
    ),
    (
        |repo| {
            commit_there(repo);
            there(repo, &["rebase", "-q", "--force-rebase", "main"]);
        },
        &["refs/heads/feat"],
    ),
    (
        |repo| {
            there(repo, &["switch", "-q", "-c", "topic"]);
            commit_there(repo);
        },
        &["refs/heads/topic"],
    ),
    // It is on neither any more.
    (
        |repo| {
            commit_there(repo);
            there(repo, &["switch", "-q", "-c", "topic"]);
            commit_there(repo);
            there(repo, &["switch", "-q", "--detach"]);
        },
        &["refs/heads/feat", "refs/heads/topic"],
    ),
    (
        |repo| {
            there(repo, &["branch", "-m", "feat", "topic"]);
        },
        &["refs/heads/feat", "refs/heads/topic"],
    ),
    (
        |repo| {
            there(repo, &["switch", "-q", "--orphan", "pages"]);
            commit_there(repo);
        },
        &["refs/heads/pages"],
    ),
    (
        |repo| {
            let third = repo.dir.path().join("w2").display().to_string();
            repo.git(&["worktree", "add", "-q", "-b", "third", &third]);
        },
        &["refs/heads/third"],
    ),
];

#[test]
fn whatever_git_does_to_branches_in_another_work_tree_stays() {
    for (number, (act, names)) in BESIDE.iter().enumerate() {
        let repo = repo();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("src/lib.rs", "honest work");
        act(&repo);
        let before = state(&repo);
        let found = workspace.see(&base);
        assert_eq!((moved(&found), protected(&found)), (vec![], vec![]), "{number}");
        let others: Vec<&str> = found.others.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((others, told(&found)), (names.to_vec(), vec![]), "{number}");
        assert_eq!(state(&repo), before, "{number}");
        let saved = workspace.put_safe(&base);
        workspace.back(&base, &saved);
        assert_eq!(state(&repo), before, "{number}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{number}");
    }
}

#[test]
fn what_was_done_elsewhere_after_a_process_died_stays() {
    for (number, (act, _)) in BESIDE.iter().enumerate() {
        let repo = repo();
        let base = repo.open().start(&rules());
        repo.write("src/lib.rs", "half");
        act(&repo);
        let before = state(&repo);
        for reach in [Reach::OfGitButRefs, Reach::OfGit, Reach::Everything] {
            let guard = GitStep::Guard { base: base.clone(), reach };
            let GitResult::Guarded(found) = perform(&mut repo.open(), &guard) else { panic!() };
            assert_eq!(found.refs, [""; 0], "{number}");
        }
        assert_eq!(state(&repo), before, "{number}");
    }
}

#[test]
fn an_attempt_in_a_linked_work_tree_leaves_the_main_one_alone() {
    let repo = repo();
    let mut workspace = RealWorkspace::open(&other(&repo), repo.environment.clone()).unwrap();
    let base = workspace.start(&rules());
    repo.commit_all("the user's, in the main one");
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_all("more of it");
    let before = state(&repo);
    let found = workspace.see(&base);
    assert_eq!(moved(&found), Vec::<&Breach>::new());
    assert_eq!(state(&repo), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    // What was not done there goes back, and no further than to what was.
    let users = repo.git(&["rev-parse", "main"]);
    there(&repo, &["update-ref", "refs/heads/main", "feat"]);
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [Breach::RefMoved { name: "refs/heads/main".into() }]);
    assert_eq!(repo.git(&["rev-parse", "main"]), users);
}

/// What an attempt in the checkout does to the branch that the other work tree stands on, or stood on.
const LIES: [Act; 5] = [
    |repo| {
        repo.git(&["update-ref", "refs/heads/feat", "HEAD"]);
    },
    |repo| {
        repo.commit_all("unjudged");
        repo.git(&["update-ref", "refs/heads/feat", "HEAD"]);
    },
    |repo| {
        repo.git(&["update-ref", "-d", "refs/heads/feat"]);
    },
    |repo| {
        repo.git(&["symbolic-ref", "refs/heads/feat", "refs/heads/main"]);
    },
    |repo| {
        repo.write(".git/logs/refs/heads/feat", "");
        repo.git(&["update-ref", "refs/heads/feat", "HEAD"]);
    },
];

#[test]
fn a_branch_that_was_moved_under_another_work_tree_is_where_that_tree_is_again() {
    let breach = Breach::RefMoved { name: "refs/heads/feat".into() };
    for (number, act) in LIES.iter().enumerate() {
        // Also where somebody committed there before.
        for beside in [(|_| ()) as Act, commit_there] {
            let repo = repo();
            let mut workspace = repo.open();
            let base = workspace.start(&rules());
            beside(&repo);
            let before = [there(&repo, &["rev-parse", "HEAD"]), there(&repo, &["status", "-s"])];
            act(&repo);
            let found = workspace.see(&base);
            assert_eq!(moved(&found), [&breach], "{number}");
            assert_eq!(told(&found)[0].0, "refs/heads/feat", "{number}");
            let after = [there(&repo, &["rev-parse", "HEAD"]), there(&repo, &["status", "-s"])];
            assert_eq!(after, before, "{number}");
        }
    }
}

#[test]
fn branches_that_nobody_stands_on_are_put_back_beside_other_work_trees_too() {
    let repo = repo();
    repo.git(&["branch", "keep"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    commit_there(&repo);
    // Not even where it is what the other tree has.
    repo.git(&["branch", "-q", "-f", "keep", "feat"]);
    repo.git(&["branch", "mine", "feat"]);
    let found = workspace.see(&base);
    let breach = |name: &str| Breach::RefMoved { name: format!("refs/heads/{name}") };
    assert_eq!(found.breaches, [breach("keep"), breach("mine")]);
    assert_eq!(repo.git(&["rev-parse", "keep"]), base.commit().as_str());
    assert_eq!(repo.git(&["branch", "--list", "mine"]), "");
}

#[test]
fn a_branch_that_a_tree_left_long_ago_may_not_be_moved_back_to_that_place() {
    let repo = repo();
    there(&repo, &["switch", "-q", "-c", "now"]);
    repo.git(&["branch", "-q", "-f", "feat", "main"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    commit_there(&repo);
    repo.git(&["branch", "-q", "-f", "feat", "now~1"]);
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [Breach::RefMoved { name: "refs/heads/feat".into() }]);
    assert_eq!(repo.git(&["rev-parse", "feat"]), base.commit().as_str());
}

/// A work tree that the attempt itself makes, where there was none that a sandbox would have closed.
#[test]
fn a_work_tree_of_the_attempts_own_is_no_excuse_for_a_branch() {
    let repo = Repo::new();
    repo.git(&["branch", "keep"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    let inside = repo.path("target/w").display().to_string();
    repo.git(&["worktree", "add", "-q", &inside, "keep"]);
    repo.git_in(&repo.path("target/w"), &["commit", "-q", "--allow-empty", "-m", "unjudged"]);
    repo.git_in(&repo.path("target/w"), &["switch", "-q", "-c", "evil"]);
    let found = workspace.see(&base);
    let breach = |name: &str| Breach::RefMoved { name: format!("refs/heads/{name}") };
    assert_eq!(found.breaches, [breach("evil"), breach("keep")]);
    assert_eq!(repo.git(&["rev-parse", "keep"]), base.commit().as_str());
    assert_eq!(repo.git(&["branch", "--list", "evil"]), "");
}

#[test]
fn the_first_other_work_tree_that_somebody_makes_meanwhile_keeps_its_branch() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.git(&["worktree", "add", "-q", "-b", "feat", &other(&repo).display().to_string()]);
    commit_there(&repo);
    let before = state(&repo);
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [Breach::RefLeft { name: "refs/heads/feat".into() }]);
    assert_eq!(state(&repo), before);
}

#[test]
fn what_a_log_said_before_the_start_excuses_nothing() {
    let repo = repo();
    let forged = repo.git(&["commit-tree", "-p", "feat", "-m", "forged", "feat^{tree}"]);
    let log = repo.read(".git/worktrees/w1/logs/HEAD");
    let was = repo.git(&["rev-parse", "feat"]);
    repo.write(
        ".git/worktrees/w1/logs/HEAD",
        format!("{log}{was} {forged} u <u@x> 1700000000 +0000\tcommit: x\n"),
    );
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.git(&["update-ref", "refs/heads/feat", &forged]);
    assert_eq!(workspace.see(&base).breaches.len(), 1);
    assert_eq!(repo.git(&["rev-parse", "feat"]), was);
}

#[test]
fn where_no_log_tells_a_branch_that_somebody_stands_on_stays_and_is_told() {
    let repo = repo();
    repo.git(&["config", "core.logAllRefUpdates", "false"]);
    repo.remove(".git/worktrees/w1/logs/HEAD");
    let was = repo.git(&["rev-parse", "feat"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    commit_there(&repo);
    let before = state(&repo);
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [Breach::RefLeft { name: "refs/heads/feat".into() }]);
    assert_eq!(state(&repo), before);
    assert_eq!(repo.git(&["rev-parse", "refs/hast/displaced/M1/1/heads/feat"]), was);
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert_eq!(state(&repo), before);
}

#[test]
fn where_refs_are_not_in_files_no_branch_is_pulled_away_under_somebody() {
    let repo = Repo::bare_of_files();
    fs::remove_dir_all(repo.path(".git")).unwrap();
    repo.git(&["init", "-q", "-b", "main", "--ref-format=reftable"]);
    repo.commit_all("first");
    repo.git(&["worktree", "add", "-q", "-b", "feat", &other(&repo).display().to_string()]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    commit_there(&repo);
    there(&repo, &["switch", "-q", "-c", "topic"]);
    repo.git(&["branch", "-q", "mine"]);
    let at = there(&repo, &["rev-parse", "HEAD"]);
    let found = workspace.see(&base);
    let name = |name: &str| format!("refs/heads/{name}");
    assert!(found.breaches.contains(&Breach::RefLeft { name: name("topic") }), "{found:?}");
    assert!(found.breaches.contains(&Breach::RefMoved { name: name("mine") }), "{found:?}");
    assert_eq!(there(&repo, &["rev-parse", "HEAD"]), at);
    assert_eq!(there(&repo, &["status", "--porcelain"]), "");
}

#[test]
fn a_branch_that_is_deleted_after_its_work_tree_left_it_comes_back_and_fails_nobody() {
    let repo = repo();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    commit_there(&repo);
    let was = repo.git(&["rev-parse", "feat"]);
    there(&repo, &["switch", "-q", "-c", "topic"]);
    there(&repo, &["branch", "-q", "-D", "feat"]);
    let found = workspace.see(&base);
    assert_eq!(moved(&found), Vec::<&Breach>::new());
    assert_eq!(told(&found), [("refs/heads/feat", Meanwhile::Deleted)]);
    assert_eq!(repo.git(&["rev-parse", "feat"]), was);
}
