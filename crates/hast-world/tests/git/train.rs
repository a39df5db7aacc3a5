//! Finished work on its way to the user's branch, with everything that can be in its way.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::{MergePlan, Replay, Target, TreeName, Waits, Worktrees};

use crate::fixture::{Repo, rules};
use crate::worktrees::{add, look_at, trees};

/// The room of M1.
const TREE: &str = "../rooms/1/tree";

/// Work in a tree: files with their content, one commit each. Its last commit.
fn work(repo: &Repo, files: &[(&str, &str)]) -> ObjectId {
    for (path, text) in files {
        repo.write(&format!("{TREE}/{path}"), text);
        repo.git_in(&repo.path(TREE), &["add", "-A"]);
        repo.git_in(&repo.path(TREE), &["commit", "-q", "-m", &format!("change {path}")]);
    }
    look_at(repo, "M1")
}

fn merge(repo: &Repo, from: &ObjectId, to: &ObjectId) -> Result<Option<Waits>, GitProblem> {
    let onto = Target::Branch("refs/heads/main".to_owned());
    let plan = MergePlan { onto, from: from.clone(), to: to.clone(), rules: rules() };
    trees(repo).merge(&plan)
}

fn replayed(repo: &Repo, base: &ObjectId, head: &ObjectId) -> ObjectId {
    match trees(repo).replay(base, head, &repo.head()).unwrap() {
        Replay::Done { commit, .. } => commit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_fast_forward_brings_files_index_and_branch_along() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    repo.remove(&format!("{TREE}/tests/it.rs"));
    let head = work(&repo, &[("src/lib.rs", "pub fn two() {}\n"), ("new/deep.txt", "new\n")]);
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!(repo.head(), head);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.read("new/deep.txt"), "new\n");
    assert!(!repo.path("tests").exists());
    assert_eq!(repo.read(".env"), "KEY=1");
    // Once more, as after a crash: the same.
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn files_of_the_user_that_the_merge_does_not_touch_stay_as_they_are() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    repo.write("src/main.rs", "// half done\n");
    repo.write("staged.txt", "staged\n");
    repo.git(&["add", "staged.txt"]);
    repo.write("untracked.txt", "untracked\n");
    let status = repo.git(&["status", "--porcelain"]);
    let head = work(&repo, &[("src/lib.rs", "pub fn two() {}\n")]);
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!(repo.git(&["status", "--porcelain"]), status);
    assert_eq!(repo.read("src/main.rs"), "// half done\n");
    assert_eq!(repo.read("src/lib.rs"), "pub fn two() {}\n");
}

#[test]
fn a_merge_that_would_touch_files_of_the_user_waits_and_changes_nothing() {
    type Act = fn(&Repo);
    let cases: [(&str, Act); 8] = [
        ("src/lib.rs", |repo| repo.write("src/lib.rs", "// mine\n")),
        ("src/lib.rs", |repo| {
            let text = repo.read("src/lib.rs");
            repo.write("src/lib.rs", "// staged\n");
            repo.git(&["add", "src/lib.rs"]);
            repo.write("src/lib.rs", text);
        }),
        ("src/lib.rs", |repo| repo.remove("src/lib.rs")),
        ("new.txt", |repo| repo.write("new.txt", "mine\n")),
        // Ignored files are the user's too.
        ("new.log", |repo| repo.write("new.log", "mine\n")),
        ("new.txt", |repo| repo.write("new.txt/inside", "mine\n")),
        // So is what stands where a directory is to come.
        ("data.log", |repo| repo.write("data.log", "mine\n")),
        ("data.log", |repo| {
            std::os::unix::fs::symlink("/nowhere", repo.path("data.log")).unwrap();
        }),
    ];
    for (path, act) in cases {
        let repo = Repo::new();
        add(&repo, "M1");
        let base = repo.head();
        repo.write(&format!("{TREE}/new.log"), "log\n");
        repo.write(&format!("{TREE}/data.log/schema"), "schema\n");
        repo.git_in(&repo.path(TREE), &["add", "-f", "new.log", "data.log"]);
        let head = work(&repo, &[("src/lib.rs", "pub fn two() {}\n"), ("new.txt", "new\n")]);
        act(&repo);
        let (files, status) = (repo.files(), repo.git(&["status", "--porcelain"]));
        let waits = merge(&repo, &base, &head).unwrap();
        let Some(Waits::UsersFiles { paths }) = waits else { panic!("{path}: {waits:?}") };
        assert_eq!(paths, [path]);
        assert_eq!((repo.files(), repo.head()), (files, base));
        assert_eq!(repo.git(&["status", "--porcelain"]), status);
    }
}

#[test]
fn a_merge_brings_a_directory_in_the_place_of_a_file_and_the_other_way_round() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    for path in ["tests/it.rs", "src/main.rs"] {
        repo.remove(&format!("{TREE}/{path}"));
    }
    std::fs::remove_dir(repo.path(&format!("{TREE}/tests"))).unwrap();
    let head = work(&repo, &[("tests", "a file now\n"), ("src/main.rs/below", "below\n")]);
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!(
        (repo.read("tests"), repo.read("src/main.rs/below")),
        ("a file now\n".into(), "below\n".into())
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_sparse_checkout_stays_sparse_over_a_merge() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let files = [("src/lib.rs", "pub fn two() {}\n"), ("tests/it.rs", "// more\n")];
    let head = work(&repo, &files);
    repo.git(&["sparse-checkout", "set", "--no-cone", "/src/", "/.ai/", "/.gitignore"]);
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!((repo.head(), repo.git(&["status", "--porcelain"])), (head, String::new()));
    assert_eq!(repo.read("src/lib.rs"), "pub fn two() {}\n");
    assert!(!repo.path("tests").exists());
}

#[test]
fn a_merge_that_was_cut_off_goes_on() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    repo.remove(&format!("{TREE}/tests/it.rs"));
    let head = work(&repo, &[("src/lib.rs", "pub fn two() {}\n"), ("new.txt", "new\n")]);
    // Some of the files are written, some are not.
    repo.write("src/lib.rs", "pub fn two() {}\n");
    repo.remove("tests/it.rs");
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.read("new.txt"), "new\n");
    // All files and the branch are there, and the index is not: an earlier version moved the branch first.
    repo.git(&["read-tree", base.as_str()]);
    repo.write(".git/hast/merging", format!("refs/heads/main\0{base}\0{head}\0end"));
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_branch_that_has_moved_is_not_moved_back() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("new.txt", "new\n")]);
    repo.write("theirs.txt", "theirs\n");
    repo.git(&["add", "theirs.txt"]);
    repo.git(&["commit", "-q", "-m", "the user's"]);
    let theirs = repo.head();
    assert!(matches!(merge(&repo, &base, &head), Err(GitProblem::Moved { .. })));
    // Nor is it taken along by something that does not contain it.
    assert!(matches!(merge(&repo, &theirs, &head), Err(GitProblem::Moved { .. })));
    assert_eq!(repo.head(), theirs);
}

#[test]
fn a_merge_that_was_done_before_the_user_went_on_is_done() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("new.txt", "new\n")]);
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    repo.write("theirs.txt", "theirs\n");
    repo.git(&["add", "theirs.txt"]);
    repo.git(&["commit", "-q", "-m", "the user's"]);
    let theirs = repo.head();
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!(repo.head(), theirs);
}

#[test]
fn a_user_in_the_middle_of_a_merge_is_left_alone() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("new.txt", "new\n")]);
    repo.write(".git/MERGE_HEAD", format!("{base}\n"));
    let waits = merge(&repo, &base, &head).unwrap();
    assert_eq!(waits, Some(Waits::InProgress { what: "merge".to_owned() }));
    std::fs::remove_file(repo.path(".git/MERGE_HEAD")).unwrap();
    repo.write(".git/index.lock", "");
    assert!(matches!(merge(&repo, &base, &head), Err(GitProblem::Locked { .. })));
    assert!(!repo.path("new.txt").exists());
}

#[test]
fn a_merge_waits_for_a_command_of_the_users_to_end() {
    for (path, text) in [(".git/MERGE_HEAD", "x"), (".git/index.lock", "")] {
        let repo = Repo::new();
        add(&repo, "M1");
        let base = repo.head();
        let head = work(&repo, &[("new.txt", "new\n")]);
        repo.write(path, text);
        let plan = MergePlan {
            onto: Target::Branch("refs/heads/main".to_owned()),
            from: base,
            to: head.clone(),
            rules: rules(),
        };
        let mut trees = trees(&repo).waiting(std::time::Duration::from_secs(30));
        std::thread::scope(|scope| {
            let merging = scope.spawn(move || trees.merge(&plan).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(2_500));
            std::fs::remove_file(repo.path(path)).unwrap();
            assert_eq!(merging.join().unwrap(), None, "{path}");
        });
        assert_eq!(repo.head(), head, "{path}");
    }
}

#[test]
fn a_branch_that_is_not_checked_out_moves_without_any_file() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("new.txt", "new\n")]);
    repo.git(&["checkout", "-q", "-b", "other"]);
    assert_eq!(merge(&repo, &base, &head).unwrap(), None);
    assert_eq!(repo.git(&["rev-parse", "main"]), head.as_str());
    assert!(!repo.path("new.txt").exists());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_waits() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("new.txt", "new\n")]);
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.git(&["worktree", "add", "-q", "../users", "main"]);
    assert!(matches!(merge(&repo, &base, &head).unwrap(), Some(Waits::CheckedOut { .. })));
}

#[test]
fn a_detached_head_goes_forward_as_a_branch_does() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("new.txt", "new\n")]);
    repo.git(&["checkout", "-q", "--detach"]);
    let plan =
        MergePlan { onto: Target::Detached, from: base.clone(), to: head.clone(), rules: rules() };
    assert_eq!(trees(&repo).merge(&plan).unwrap(), None);
    assert_eq!((repo.head(), repo.read("new.txt")), (head, "new\n".to_owned()));
    assert_eq!(repo.git(&["rev-parse", "main"]), base.as_str());
}

#[test]
fn commits_are_replayed_one_by_one_with_the_same_ids_each_time() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("one.txt", "1\n"), ("two.txt", "2\n")]);
    repo.write("theirs.txt", "theirs\n");
    repo.git(&["add", "theirs.txt"]);
    repo.git(&["commit", "-q", "-m", "the user's"]);
    let new = replayed(&repo, &base, &head);
    assert_eq!(replayed(&repo, &base, &head), new);
    let log = repo.git(&["log", "--format=%an %at %s", new.as_str()]);
    let log: Vec<&str> = log.lines().collect();
    assert_eq!(log[..2], ["agent 1700000000 change two.txt", "agent 1700000000 change one.txt"]);
    assert_eq!(repo.git(&["rev-parse", &format!("{new}~2")]), repo.head().as_str());
    trees(&repo).bring(&TreeName::of("M1"), &new).unwrap();
    let tree = repo.path(TREE);
    assert_eq!(repo.git_in(&tree, &["status", "--porcelain"]), "");
    assert!(tree.join("theirs.txt").is_file() && tree.join("two.txt").is_file());
    let tip = repo.head();
    assert_eq!(merge(&repo, &tip, &new).unwrap(), None);
}

#[test]
fn a_history_with_merges_is_replayed_as_one_commit() {
    let repo = Repo::new();
    let base = repo.head();
    let tree = repo.path("../linked");
    repo.git(&["worktree", "add", "-q", "-b", "work", "../linked"]);
    let commit = |path: &str| {
        repo.write(&format!("../linked/{path}"), path);
        repo.git_in(&tree, &["add", "-A"]);
        repo.git_in(&tree, &["commit", "-q", "-m", path]);
    };
    commit("one.txt");
    repo.git_in(&tree, &["checkout", "-q", "--detach", base.as_str()]);
    commit("side.txt");
    let side = repo.git_in(&tree, &["rev-parse", "HEAD"]);
    repo.git_in(&tree, &["checkout", "-q", "work"]);
    repo.git_in(&tree, &["merge", "-q", "-m", "both", &side]);
    let head: ObjectId = repo.git_in(&tree, &["rev-parse", "HEAD"]).parse().unwrap();
    repo.write("theirs.txt", "theirs\n");
    repo.git(&["add", "theirs.txt"]);
    repo.git(&["commit", "-q", "-m", "the user's"]);
    let new = replayed(&repo, &base, &head);
    assert_eq!(repo.git(&["rev-parse", &format!("{new}^")]), repo.head().as_str());
    let files = repo.git(&["ls-tree", "--name-only", new.as_str()]);
    assert!(["one.txt", "side.txt", "theirs.txt"].iter().all(|name| files.contains(name)));
}

#[test]
fn what_conflicts_is_named_and_nothing_moves() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("src/lib.rs", "pub fn two() {}\n")]);
    repo.write("src/lib.rs", "pub fn three() {}\n");
    repo.git(&["commit", "-q", "-am", "the user's"]);
    let refs = repo.git(&["for-each-ref"]);
    let found = trees(&repo).replay(&base, &head, &repo.head()).unwrap();
    assert_eq!(found, Replay::Conflict { paths: vec!["src/lib.rs".to_owned()] });
    assert_eq!(repo.git(&["for-each-ref"]), refs);
    assert_eq!(repo.read("src/lib.rs"), "pub fn three() {}\n");
}

#[test]
fn a_change_that_is_there_already_is_no_second_commit() {
    let repo = Repo::new();
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("same.txt", "same\n")]);
    repo.write("same.txt", "same\n");
    repo.git(&["add", "same.txt"]);
    repo.git(&["commit", "-q", "-m", "the user was faster"]);
    assert_eq!(replayed(&repo, &base, &head), repo.head());
}

#[test]
fn a_merge_driver_of_the_repository_does_not_run() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.rs merge=evil\n");
    repo.commit_all("attributes");
    let marker = repo.dir.path().join("marker");
    repo.git(&["config", "merge.evil.driver", &format!("touch '{}'", marker.display())]);
    add(&repo, "M1");
    let base = repo.head();
    let head = work(&repo, &[("src/lib.rs", "pub fn two() {}\n")]);
    repo.write("src/lib.rs", "pub fn three() {}\n");
    repo.git(&["commit", "-q", "-am", "the user's"]);
    let found = trees(&repo).replay(&base, &head, &repo.head()).unwrap();
    assert!(matches!(found, Replay::Conflict { .. }), "{found:?}");
    assert!(!marker.exists());
}
