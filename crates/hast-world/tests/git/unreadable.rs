//! An agent leaves a repository that git does not take for one any more. It is made readable again,
//! what was done is told, and everything goes back; also by a process that comes later.

use std::fs;

use hast_flow::attempt::workspace::{GitResult, GitStep, Head, Reach, perform};

use crate::fixture::{Act, Repo, Steps, attempt, protected, rules};

fn repo() -> Repo {
    let repo = Repo::new();
    repo.git(&["branch", "keep"]);
    repo.git(&["tag", "v1"]);
    repo.git(&["tag", "-a", "v2", "-m", "two"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    repo.git(&["pack-refs", "--all"]);
    repo.git(&["branch", "loose"]);
    repo
}

fn no_refs(repo: &Repo) {
    fs::remove_dir_all(repo.path(".git/refs")).unwrap();
    let _ = fs::remove_file(repo.path(".git/packed-refs"));
}

/// What breaks a repository, and what is told of it besides moved refs.
const BREAKS: [(Act, &[&str]); 14] = [
    (|repo| repo.remove(".git/HEAD"), &[".git/HEAD"]),
    (|repo| repo.write(".git/HEAD", "garbage\n"), &[".git/HEAD"]),
    (|repo| repo.write(".git/HEAD", ""), &[".git/HEAD"]),
    (|repo| repo.write(".git/HEAD", "ref: refs/heads/a b\n"), &[".git/HEAD"]),
    (
        |repo| {
            repo.remove(".git/HEAD");
            repo.write(".git/HEAD/x", "a directory");
        },
        &[".git/HEAD"],
    ),
    (no_refs, &[".git/refs"]),
    (
        |repo| {
            no_refs(repo);
            repo.write(".git/refs", "a file");
            repo.remove(".git/HEAD");
        },
        &[".git/HEAD", ".git/refs"],
    ),
    (|repo| repo.remove(".git/packed-refs"), &[]),
    (
        |repo| repo.write(".git/packed-refs", "what\n"),
        // What follows one of those leads nowhere.
        &[".git/packed-refs", ".git/refs/remotes/origin/HEAD"],
    ),
    (
        |repo| {
            repo.write(".git/refs/heads/loose", "nothing\n");
            repo.write(".git/refs/heads/new", "");
        },
        &[".git/refs/heads/loose", ".git/refs/heads/new"],
    ),
    (|repo| repo.write(".git/commondir", "/tmp\n"), &[".git/commondir"]),
    (
        |repo| {
            repo.remove(".git/index");
            repo.write(".git/index/x", "a directory");
        },
        &[".git/index"],
    ),
    (|repo| repo.write(".git/index", "no index"), &[]),
    (
        |repo| {
            for lock in ["index.lock/x", "HEAD.lock/x", "refs/heads/main.lock/x"] {
                repo.write(&format!(".git/{lock}"), "");
            }
        },
        &[".git/HEAD.lock", ".git/index.lock", ".git/refs/heads/main.lock"],
    ),
];

#[test]
fn whatever_was_made_unreadable_is_told_and_goes_back() {
    for (number, (act, told)) in BREAKS.iter().enumerate() {
        let found = attempt(&repo(), |repo| {
            repo.write("src/lib.rs", "honest work");
            act(repo);
        });
        assert_eq!(protected(&found), *told, "{number}");
        assert!(found.changes.iter().any(|change| &*change.path.0 == "src/lib.rs"), "{number}");
    }
}

#[test]
fn a_later_process_finds_a_repository_again() {
    for (number, (act, _)) in BREAKS.iter().enumerate() {
        let repo = repo();
        let all = ["for-each-ref", "--format=%(objectname) %(symref) %(refname)"];
        let refs = [&all[..], &["refs/heads", "refs/tags", "refs/remotes"]].concat();
        let (before, head) = (repo.git(&refs), repo.head());
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("src/lib.rs", "half");
        act(&repo);
        drop(workspace);
        let mut another = repo.open();
        let looked = perform(&mut another, &GitStep::Look { rules: rules() });
        let GitResult::Looked(looked) = looked else { panic!("{number}: {looked:?}") };
        let name = "refs/heads/main".to_owned();
        assert_eq!(looked.head, Head::Branch { name, commit: head.clone() }, "{number}");
        if number % 2 == 0 {
            let (base, reach) = (base.clone(), Reach::OfGit);
            let guarded = perform(&mut another, &GitStep::Guard { base, reach });
            assert!(matches!(guarded, GitResult::Guarded(_)), "{number}: {guarded:?}");
        }
        let saved = another.put_safe(&base);
        another.back(&base, &saved);
        drop(another);
        assert_eq!(repo.git(&refs), before, "{number}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{number}");
        repo.git(&["fsck"]);
    }
}

#[test]
fn what_stood_there_instead_lies_aside() {
    let repo = repo();
    attempt(&repo, |repo| repo.write(".git/HEAD", "garbage\n"));
    let lying = repo.path(".git/hast/aside/M1%2F1/0-.git%2FHEAD");
    assert_eq!(fs::read_to_string(lying).unwrap(), "garbage\n");
}

#[test]
fn a_head_of_the_users_is_nobodys_to_mend_when_nothing_is_under_way() {
    let repo = Repo::new();
    attempt(&repo, |_| {});
    repo.git(&["checkout", "-q", "--orphan", "fresh"]);
    let looked = perform(&mut repo.open(), &GitStep::Look { rules: rules() });
    let GitResult::Looked(looked) = looked else { panic!("{looked:?}") };
    assert_eq!(looked.head, Head::Unborn { name: "refs/heads/fresh".into() });
}
