//! A second look: what has happened since the first one is seen, and where nothing has, no git is
//! started for it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::workspace::{GitResult, GitStep, Looked, UncommittedKind, perform};
use hast_world::git::RealWorkspace;

use crate::fixture::{Act, Repo, Steps, assert_honest, changes, rules};

fn looked(workspace: &mut RealWorkspace, step: &GitStep) -> Looked {
    match perform(workspace, step) {
        GitResult::Looked(looked) => looked,
        other => panic!("{other:?}"),
    }
}

/// A git that notes each time it is started.
pub(crate) fn counted(repo: &mut Repo) -> impl Fn() -> usize + use<> {
    let (real, log) = (repo.environment.program.clone(), repo.dir.path().join("started"));
    let script =
        format!("#!/bin/sh\necho x >> {}\nexec {} \"$@\"\n", log.display(), real.display());
    repo.write("../git", script);
    let program = repo.dir.path().join("git");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    repo.environment.program = program;
    move || fs::read_to_string(&log).unwrap_or_default().lines().count()
}

/// Looks, lets something happen, and looks again: what the second one says, and what it started.
fn after(happens: impl FnOnce(&Repo)) -> (Looked, Looked, usize) {
    let mut repo = Repo::new();
    fs::create_dir(repo.path("empty")).unwrap();
    let started = counted(&mut repo);
    let mut workspace = repo.open();
    let before = looked(&mut workspace, &GitStep::Look { rules: rules() });
    let first = started();
    happens(&repo);
    // What the test itself does with git is not counted.
    let own = started() - first;
    let now = looked(&mut workspace, &GitStep::LookAgain { rules: rules() });
    (before, now, started() - first - own)
}

#[test]
fn where_nothing_has_happened_no_git_is_started() {
    let (before, now, started) = after(|_| {});
    assert_eq!((now, started), (before, 0));
    // Nor for what nobody would see.
    let (before, now, started) = after(|repo| {
        repo.write("target/more", "built");
        repo.write(".env", "KEY=2");
        repo.write(".ai/events/events.ndjson", "{}\n{}\n");
        fs::create_dir(repo.path("src/none")).unwrap();
    });
    assert_eq!((now, started), (before, 0));
}

#[test]
fn whatever_has_happened_is_seen() {
    let cases: [(&str, Act); 9] = [
        ("coverage.out", |repo| repo.write("coverage.out", "x")),
        ("empty/out", |repo| repo.write("empty/out", "x")),
        ("new/deep/out", |repo| repo.write("new/deep/out", "x")),
        // As long as before, and perhaps at the same moment.
        ("src/lib.rs", |repo| repo.write("src/lib.rs", "pub fn one() -> u32 { 2 }\n")),
        ("src/main.rs", |repo| repo.mode("src/main.rs", 0o755)),
        ("tests/it.rs", |repo| repo.remove("tests/it.rs")),
        ("tests/it.rs", |repo| {
            repo.remove("tests/it.rs");
            symlink("../src/lib.rs", repo.path("tests/it.rs")).unwrap();
        }),
        ("src/link", |repo| symlink("lib.rs", repo.path("src/link")).unwrap()),
        ("src/a.log", |repo| {
            repo.write("src/a.log", "x");
            repo.git(&["add", "-f", "src/a.log"]);
        }),
    ];
    for (path, happens) in cases {
        let (_, now, _) = after(happens);
        let found: Vec<&str> = now.uncommitted.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(found, [path]);
    }
    let (before, now, _) = after(|repo| {
        repo.write("src/lib.rs", "// the user's\n");
        repo.commit_all("mine");
    });
    assert_ne!(now.head, before.head);
    assert!(now.uncommitted.is_empty());
}

#[test]
fn what_was_left_before_a_start_is_neither_a_change_nor_committed() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    looked(&mut workspace, &GitStep::Look { rules: rules() });
    repo.write("coverage.out", "1");
    let now = looked(&mut workspace, &GitStep::LookAgain { rules: rules() });
    assert_eq!(now.uncommitted[0].kind, UncommittedKind::Untracked);
    let left_by_tests = vec!["coverage.out".to_owned()];
    let base = workspace.start(&TreeRules { left_by_tests, ..rules() });
    repo.write("src/lib.rs", "pub fn two() {}\n");
    repo.write("coverage.out", "2");
    let found = workspace.see(&base);
    assert_honest(&found);
    assert_eq!(changes(&found), ["M src/lib.rs"]);
    let committed = workspace.settle(&base, &found);
    let files = repo.git(&["ls-tree", "-r", "--name-only", committed.as_str()]);
    assert!(!files.contains("coverage.out"), "{files}");
    assert_eq!(repo.read("coverage.out"), "1", "the tests that judge find it as those before did");
}
