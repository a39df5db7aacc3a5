//! Bringing saved work back, branches of kept work, and which refs may go: never over, from under, or
//! out of the hands of the user.

use hast_flow::attempt::base::{ObjectId, attempt_ref, kept_branch};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, OwnRef, perform};
use hast_world::git::Checkout;

use crate::fixture::{Repo, Steps, at, rules};

fn in_the_way(path: &str) -> GitResult {
    GitResult::Refused(GitProblem::InTheWay { paths: vec![path.to_owned()] })
}

fn undo() -> GitStep {
    GitStep::Restore { name: attempt_ref("M1", 1), since: None, rules: rules() }
}

#[test]
fn undo_brings_discarded_work_back_unless_somebody_edited_it() {
    let repo = Repo::new();
    discard(&repo, |room| {
        room.write("src/lib.rs", "2\n");
        room.write("a", "1");
        room.remove("tests/it.rs");
    });
    let mut worked = repo.files();
    worked.insert("src/lib.rs".into(), (0, b"2\n".to_vec()));
    worked.insert("a".into(), (0, b"1".to_vec()));
    worked.remove("tests/it.rs");
    let mut workspace = repo.open();
    let undo = GitStep::Restore { name: attempt_ref("M1", 1), since: None, rules: rules() };
    repo.write("src/lib.rs", "3\n");
    let refused = perform(&mut workspace, &undo);
    assert_eq!(refused, in_the_way("src/lib.rs"));
    repo.write("src/lib.rs", "pub fn one() -> u32 { 1 }\n");
    for _ in 0..2 {
        let done = perform(&mut workspace, &undo);
        assert!(matches!(&done, GitResult::Restored { paths } if paths.len() == 3), "{done:?}");
        assert_eq!(repo.files(), worked);
    }
}

/// An attempt in a room, saved and rolled back. Its commit.
fn discard(repo: &Repo, act: impl FnOnce(&Repo)) -> ObjectId {
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    act(&room);
    let saved = steps.put_safe(&base);
    steps.back(&base, &saved);
    saved.work().commit.clone()
}

/// The same with these files.
fn discarded(repo: &Repo, files: &[(&str, &str)]) {
    discard(repo, |room| files.iter().for_each(|(path, text)| room.write(path, text)));
}

fn ignore(repo: &Repo, rule: &str) {
    repo.write(".gitignore", format!("target/\n*.log\n.env\n{rule}\n"));
    repo.commit_all("ignore it");
}

#[test]
fn undo_writes_over_nothing_that_the_user_ignores_by_now() {
    type Act = fn(&Repo);
    let cases: [(&str, &str, Act); 5] = [
        (".key", ".key", |repo| repo.write(".key", "the user's\n")),
        (".key", ".key", |repo| repo.write(".key/inside", "the user's\n")),
        ("data/schema", "data", |repo| repo.write("data", "the user's\n")),
        ("data/schema", "data", |repo| {
            std::os::unix::fs::symlink("/nowhere", repo.path("data")).unwrap();
        }),
        ("data/schema", "data/schema", |repo| repo.write("data/schema", "the user's\n")),
    ];
    for (path, named, act) in cases {
        let repo = Repo::new();
        discarded(&repo, &[(path, "the agent's\n"), ("src/b.rs", "b\n")]);
        ignore(&repo, "/.key\n/data");
        act(&repo);
        let files = repo.files();
        assert_eq!(perform(&mut repo.open(), &undo()), in_the_way(named), "{path}");
        assert_eq!(repo.files(), files, "{path}");
    }
}

#[test]
fn undo_twice_finds_what_it_brought_back_although_it_is_ignored() {
    let repo = Repo::new();
    discarded(&repo, &[("data/schema", "the agent's\n")]);
    ignore(&repo, "/data");
    for _ in 0..2 {
        let done = perform(&mut repo.open(), &undo());
        assert!(matches!(done, GitResult::Restored { .. }), "{done:?}");
        assert_eq!(repo.read("data/schema"), "the agent's\n");
    }
}

#[test]
fn undo_brings_back_a_directory_in_the_place_of_a_file_and_the_other_way_round() {
    let repo = Repo::new();
    repo.write("dir/one", "1\n");
    repo.write("dir/two", "2\n");
    repo.write("file", "f\n");
    repo.commit_all("both");
    discard(&repo, |room| {
        std::fs::remove_dir_all(room.path("dir")).unwrap();
        room.write("dir", "a file now\n");
        room.remove("file");
        room.write("file/below", "below\n");
    });
    let done = perform(&mut repo.open(), &undo());
    assert!(matches!(done, GitResult::Restored { .. }), "{done:?}");
    assert_eq!(
        (repo.read("dir"), repo.read("file/below")),
        ("a file now\n".into(), "below\n".into())
    );
}

#[test]
fn kept_work_is_a_branch_and_old_refs_are_listed_and_deleted_only_as_listed() {
    let repo = Repo::new();
    let commit = discard(&repo, |room| room.write("a", "1"));
    let mut workspace = repo.open();
    let keep = GitStep::Keep { branch: kept_branch("M1"), commit: commit.clone() };
    for _ in 0..2 {
        assert_eq!(perform(&mut workspace, &keep), GitResult::Kept { branch: kept_branch("M1") });
    }
    assert_eq!(repo.git(&["show", "hast/kept/M1:a"]), "1");
    let GitResult::Refs(refs) = perform(&mut workspace, &GitStep::ListRefs) else { panic!() };
    let names: Vec<&str> = refs.iter().map(|own| own.name.as_str()).collect();
    assert_eq!(names, ["refs/hast/attempts/M1/1", "refs/heads/hast/kept/M1"]);
    assert_eq!((refs[0].at, refs[0].merged), (Some(at()), false));
    let wrong = vec![(names[0].to_owned(), repo.head())];
    let refused = perform(&mut workspace, &GitStep::DeleteRefs { refs: wrong });
    assert!(matches!(refused, GitResult::Refused(GitProblem::Moved { .. })));
    let main = vec![("refs/heads/main".to_owned(), repo.head())];
    let refused = perform(&mut workspace, &GitStep::DeleteRefs { refs: main });
    assert!(matches!(refused, GitResult::Refused(GitProblem::Moved { .. })));
    let all: Vec<_> = refs.iter().map(|own| (own.name.clone(), own.target.clone())).collect();
    for _ in 0..2 {
        let delete = GitStep::DeleteRefs { refs: all.clone() };
        assert_eq!(perform(&mut workspace, &delete), GitResult::Deleted);
    }
    assert_eq!(perform(&mut workspace, &GitStep::ListRefs), GitResult::Refs(Vec::new()));
}

/// Kept work of an attempt, as the branch keeps it.
fn kept(repo: &Repo, workspace: &mut Checkout) -> ObjectId {
    let commit = discard(repo, |room| room.write("a", "1"));
    perform(workspace, &GitStep::Keep { branch: kept_branch("M1"), commit: commit.clone() });
    commit
}

fn keep(workspace: &mut Checkout, commit: &ObjectId) -> String {
    let branch = kept_branch("M1");
    match perform(workspace, &GitStep::Keep { branch, commit: commit.clone() }) {
        GitResult::Kept { branch } => branch,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_kept_branch_with_commits_of_the_user_is_not_moved() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    kept(&repo, &mut workspace);
    repo.git(&["checkout", "-q", "hast/kept/M1"]);
    repo.write("mine", "two days\n");
    repo.commit_all("mine");
    let mine = repo.head();
    repo.git(&["checkout", "-q", "main"]);
    for _ in 0..2 {
        assert_eq!(keep(&mut workspace, &repo.head()), "refs/heads/hast/kept/M1@2");
    }
    assert_eq!(repo.git(&["rev-parse", "hast/kept/M1"]), mine.as_str());
    assert_eq!(repo.git(&["rev-parse", "hast/kept/M1@2"]), repo.head().as_str());
}

#[test]
fn nor_is_one_that_the_user_stands_on_or_rebases() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let work = kept(&repo, &mut workspace);
    let main = repo.head();
    repo.git(&["checkout", "-q", "hast/kept/M1"]);
    assert_eq!(keep(&mut repo.open(), &main), "refs/heads/hast/kept/M1@2");
    repo.git(&["checkout", "-q", "--detach", "main"]);
    repo.write(".git/rebase-merge/head-name", "refs/heads/hast/kept/M1\n");
    assert_eq!(keep(&mut repo.open(), &main), "refs/heads/hast/kept/M1@2");
    std::fs::remove_dir_all(repo.path(".git/rebase-merge")).unwrap();
    assert_eq!(repo.git(&["rev-parse", "hast/kept/M1"]), work.as_str());
    assert_eq!(keep(&mut repo.open(), &main), "refs/heads/hast/kept/M1", "it is on a ref of ours");
}

fn listed(repo: &Repo) -> Vec<OwnRef> {
    match perform(&mut repo.open(), &GitStep::ListRefs) {
        GitResult::Refs(refs) => refs,
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_a_branch_of_the_user_makes_work_merged() {
    let repo = Repo::new();
    kept(&repo, &mut repo.open());
    let merged = || listed(&repo).iter().filter(|own| own.merged).count();
    repo.git(&["checkout", "-q", "hast/kept/M1"]);
    assert_eq!(merged(), 0, "the user stands on it, and has nothing else of it");
    repo.git(&["checkout", "-q", "--detach"]);
    assert_eq!(merged(), 0);
    repo.git(&["branch", "theirs", "hast/kept/M1"]);
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(merged(), 2, "wherever the user stands");
}

#[test]
fn a_branch_that_somebody_stands_on_is_told_and_never_deleted() {
    let repo = Repo::new();
    let work = kept(&repo, &mut repo.open());
    let at = repo.dir.path().join("elsewhere");
    repo.git(&["worktree", "add", "-q", &at.display().to_string(), "hast/kept/M1"]);
    let all = listed(&repo);
    let own = all.iter().find(|own| own.name == kept_branch("M1")).unwrap();
    let shown = at.canonicalize().unwrap().display().to_string();
    assert_eq!(own.checked_out.as_ref(), Some(&shown));
    let refs = vec![(kept_branch("M1"), work.clone())];
    let refused = perform(&mut repo.open(), &GitStep::DeleteRefs { refs });
    let checked_out = GitProblem::CheckedOut { name: kept_branch("M1"), at: shown };
    assert_eq!(refused, GitResult::Refused(checked_out));
    assert_eq!(repo.git(&["rev-parse", "hast/kept/M1"]), work.as_str());
}
