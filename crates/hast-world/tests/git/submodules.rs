//! What is inside of a submodule is looked at, and nothing of its own settings is run for that.

use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{GitResult, GitStep, perform};

use crate::fixture::{Act, Repo, Steps, assert_honest, at, changes, rules};

/// A project with the submodule `sub`.
pub(crate) fn with_submodule() -> Repo {
    let repo = Repo::new();
    let other = repo.dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    repo.git_in(&other, &["init", "-q", "-b", "main"]);
    repo.write("../other/lib.txt", "orig\n");
    repo.write("../other/.gitignore", "*.o\n");
    repo.git_in(&other, &["add", "-A"]);
    repo.git_in(&other, &["commit", "-qm", "sub"]);
    let url = other.to_str().unwrap();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
    repo.commit_all("sub");
    repo
}

/// What is found after an attempt that did this.
pub(crate) fn after(repo: &Repo, act: impl FnOnce(&Repo)) -> Inspection {
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    act(repo);
    workspace.see(&base)
}

pub(crate) fn changed(path: &str) -> Breach {
    Breach::SubmoduleChanged { path: RepoPath(path.into()) }
}

#[test]
fn a_change_inside_of_a_submodule_is_a_breach() {
    let cases: [(&str, Act); 4] = [
        ("sub/lib.txt", |repo| repo.write("sub/lib.txt", "patched\n")),
        ("sub/lib.txt", |repo| repo.remove("sub/lib.txt")),
        ("sub/new.txt", |repo| repo.write("sub/new.txt", "new\n")),
        ("sub/new.txt", |repo| {
            repo.write("sub/new.txt", "new\n");
            repo.write(".git/modules/sub/info/exclude", "new.txt\n");
        }),
    ];
    for (path, act) in cases {
        assert_eq!(after(&with_submodule(), act).breaches, [changed(path)]);
    }
    // Nor can another index make it look clean.
    let found = after(&with_submodule(), |repo| {
        repo.write("sub/lib.txt", "patched\n");
        repo.git_in(&repo.path("sub"), &["add", "lib.txt"]);
    });
    assert!(!found.protected.is_empty(), "{found:?}");
}

#[test]
fn an_untouched_submodule_is_no_matter() {
    let found = after(&with_submodule(), |repo| {
        repo.write("src/lib.rs", "// work\n");
        repo.write("sub/made.o", "ignored there");
    });
    assert_honest(&found);
    assert_eq!(changes(&found), ["M src/lib.rs"]);
}

#[test]
fn a_repository_of_its_own_in_a_submodule_is_read_and_never_run() {
    let repo = with_submodule();
    let ran = repo.dir.path().join("ran");
    let found = after(&repo, |repo| {
        // Another index that knows the patch, under settings that run a program.
        repo.remove("sub/.git");
        repo.git(&["init", "-q", "sub"]);
        repo.write("sub/lib.txt", "patched\n");
        let (sub, evil) = (repo.path("sub"), format!("touch {}", ran.display()));
        repo.git_in(&sub, &["add", "-A"]);
        repo.git_in(&sub, &["config", "core.fsmonitor", &evil]);
        repo.git_in(&sub, &["config", "filter.evil.clean", &evil]);
        repo.write("sub/.git/info/attributes", "* filter=evil\n");
    });
    assert!(found.breaches.contains(&changed("sub")), "{:?}", found.breaches);
    assert!(!ran.exists());
}

#[test]
fn files_in_a_submodule_that_is_not_checked_out_are_seen() {
    let repo = with_submodule();
    repo.git(&["submodule", "--quiet", "deinit", "-f", "sub"]);
    let found = after(&repo, |repo| repo.write("sub/lib.txt", "patched\n"));
    assert_eq!(found.breaches, [changed("sub/lib.txt")]);
}

#[test]
fn nothing_starts_while_something_in_a_submodule_is_not_committed() {
    let repo = with_submodule();
    repo.write("sub/mine.txt", "the user's note\n");
    let mut workspace = repo.open();
    let GitResult::Looked(looked) = perform(&mut workspace, &GitStep::Look { rules: rules() })
    else {
        panic!("no look")
    };
    let named: Vec<&str> = looked.uncommitted.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(named, ["sub/mine.txt"]);
    let record = GitStep::Record { key: "M1/1".into(), rules: rules(), at: at() };
    let problem = GitProblem::SubmoduleChanged { path: "sub/mine.txt".into() };
    assert_eq!(perform(&mut workspace, &record), GitResult::Refused(problem));
    assert_eq!(repo.read("sub/mine.txt"), "the user's note\n");
}
