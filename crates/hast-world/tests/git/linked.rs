//! Links and pipes that an agent puts into the git directory: nothing is written through them, by nobody.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use hast_flow::attempt::workspace::{GitResult, GitStep, perform};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::fixture::{Repo, Steps, commit_plan, protected, rules};

fn replace(repo: &Repo, path: &str, make: impl FnOnce(&Path)) {
    let at = repo.path(path);
    if at.is_dir() {
        fs::remove_dir_all(&at).unwrap();
    } else {
        let _ = fs::remove_file(&at);
    }
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    make(&at);
}

/// Where a link leads to, besides the repository.
fn outside(repo: &Repo) -> std::path::PathBuf {
    let outside = repo.dir.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    repo.write(&outside.join("file").display().to_string(), "precious\n");
    outside
}

type Breaks = fn(&Repo, &Path);

const BREAKS: [(&str, Breaks); 8] = [
    (".git/logs/refs/heads/main", |repo, out| {
        replace(repo, ".git/logs/refs/heads/main", |at| symlink(out.join("file"), at).unwrap());
    }),
    (".git/logs/refs/heads", |repo, out| {
        replace(repo, ".git/logs/refs/heads", |at| symlink(out, at).unwrap());
    }),
    (".git/logs", |repo, out| {
        replace(repo, ".git/logs", |at| symlink(out, at).unwrap());
    }),
    (".git/logs", |repo, _| {
        replace(repo, ".git/logs", |at| drop(fs::File::create(at).unwrap()));
    }),
    (".git/logs/HEAD", |repo, _| {
        let mode = Mode::from_raw_mode(0o600);
        replace(repo, ".git/logs/HEAD", |at| mknodat(CWD, at, FileType::Fifo, mode, 0).unwrap());
    }),
    (".git/COMMIT_EDITMSG", |repo, out| {
        replace(repo, ".git/COMMIT_EDITMSG", |at| symlink(out.join("file"), at).unwrap());
    }),
    (".git/refs/tags/y", |repo, out| symlink(out, repo.path(".git/refs/tags/y")).unwrap()),
    (".git/objects/zz", |repo, out| symlink(out, repo.path(".git/objects/zz")).unwrap()),
];

fn untouched(repo: &Repo, out: &Path) {
    assert_eq!(fs::read_to_string(out.join("file")).unwrap(), "precious\n");
    assert_eq!(fs::read_dir(out).unwrap().count(), 1);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "the user's next"]);
    repo.git(&["fsck", "--full"]);
    assert_eq!(fs::read_to_string(out.join("file")).unwrap(), "precious\n");
}

#[test]
fn nothing_is_written_through_a_link_that_an_agent_left() {
    for (path, damage) in BREAKS {
        let repo = Repo::new();
        let out = outside(&repo);
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("src/lib.rs", "changed\n");
        damage(&repo, &out);
        let found = workspace.see(&base);
        assert_eq!(protected(&found), [path], "{path}");
        let saved = workspace.put_safe(&base);
        workspace.back(&base, &saved);
        untouched(&repo, &out);
    }
}

#[test]
fn nor_through_one_that_the_tests_left() {
    for (path, damage) in BREAKS {
        let repo = Repo::new();
        let out = outside(&repo);
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("src/lib.rs", "changed\n");
        let found = workspace.see(&base);
        damage(&repo, &out);
        let step = GitStep::RunHooks { plan: commit_plan(&found), base: base.clone() };
        assert!(matches!(perform(&mut workspace, &step), GitResult::Hooks(_)), "{path}");
        workspace.settle(&base, &found);
        untouched(&repo, &out);
    }
}

#[test]
fn links_that_the_user_had_stay() {
    let repo = Repo::new();
    let out = outside(&repo);
    replace(&repo, ".git/logs", |at| {
        fs::create_dir(out.join("logs")).unwrap();
        symlink(out.join("logs"), at).unwrap();
    });
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/lib.rs", "changed\n");
    let found = workspace.see(&base);
    assert_eq!(protected(&found), [""; 0]);
    workspace.settle(&base, &found);
    assert!(repo.path(".git/logs").is_symlink());
}
