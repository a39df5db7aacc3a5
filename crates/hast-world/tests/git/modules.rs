//! Of the repository of a submodule, what is a setting is protected; what git rewrites there by itself is not.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use crate::fixture::{Act, Repo, assert_honest, protected};
use crate::submodules::{after, changed, with_submodule};

const MODULE: &str = ".git/modules/sub";

/// A file of the submodule looks as if it had been written again.
fn touch(repo: &Repo, path: &str) {
    let file = File::options().write(true).open(repo.path(path)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)).unwrap();
}

fn in_sub(repo: &Repo, args: &[&str]) -> String {
    repo.git_in(&repo.path("sub"), args)
}

#[test]
fn what_git_rewrites_in_a_submodule_by_itself_is_no_change() {
    let acts: [Act; 5] = [
        |repo| {
            touch(repo, "sub/lib.txt");
            let index = fs::read(repo.path(MODULE).join("index")).unwrap();
            repo.git(&["status"]);
            assert_ne!(fs::read(repo.path(MODULE).join("index")).unwrap(), index);
        },
        |repo| drop(in_sub(repo, &["gc", "-q"])),
        |repo| drop(in_sub(repo, &["pack-refs", "--all"])),
        |repo| drop(in_sub(repo, &["update-ref", "ORIG_HEAD", "HEAD"])),
        |repo| {
            repo.git_in(&repo.path("../other"), &["commit", "-q", "--allow-empty", "-m", "more"]);
            repo.git_in(&repo.path("../other"), &["tag", "v1"]);
            in_sub(repo, &["fetch", "-q", "--tags"]);
        },
    ];
    for act in acts {
        let repo = with_submodule();
        assert_honest(&after(&repo, act));
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn settings_of_a_submodule_are_protected_however_deep_it_is() {
    let settings = [
        "HEAD",
        "commondir",
        "config",
        "config.worktree",
        "gitdir",
        "hooks/post-checkout",
        "info/attributes",
        "info/exclude",
        "objects/info/alternates",
        "remotes/origin",
    ];
    // A submodule in a submodule, with a name that has a slash.
    for module in ["modules/sub", "modules/sub/modules/group/inner"] {
        for setting in settings {
            let repo = with_submodule();
            let inner = repo.path(".git/modules/sub/modules/group/inner");
            fs::create_dir_all(&inner).unwrap();
            repo.git_in(&inner, &["init", "-q", "--bare", "."]);
            let path = format!(".git/{module}/{setting}");
            let before = fs::read(repo.path(&path)).ok();
            let found = after(&repo, |repo| repo.write(&path, "something else\n"));
            assert!(protected(&found).contains(&path.as_str()), "{path}: {found:?}");
            assert_eq!(fs::read(repo.path(&path)).ok(), before, "{path}");
        }
    }
}

#[test]
fn what_a_branch_of_a_submodule_names_stays_whatever_form_it_has() {
    let acts: [Act; 4] = [
        |repo| {
            let outside = repo.dir.path().join("outside");
            fs::create_dir(&outside).unwrap();
            fs::remove_dir_all(repo.path(MODULE).join("refs")).unwrap();
            symlink(&outside, repo.path(MODULE).join("refs")).unwrap();
        },
        |repo| drop(in_sub(repo, &["branch", "-D", "wip"])),
        |repo| drop(in_sub(repo, &["update-ref", "refs/heads/wip", "HEAD"])),
        |repo| {
            in_sub(repo, &["pack-refs", "--all"]);
            repo.remove(".git/modules/sub/packed-refs");
        },
    ];
    for act in acts {
        let repo = with_submodule();
        let tree = in_sub(&repo, &["rev-parse", "HEAD^{tree}"]);
        let work = in_sub(&repo, &["commit-tree", "-m", "the user's", &tree]);
        in_sub(&repo, &["update-ref", "refs/heads/wip", &work]);
        let found = after(&repo, act);
        let path = ".git/modules/sub/refs/heads/wip";
        assert!(protected(&found).contains(&path), "{found:?}");
        assert_eq!(in_sub(&repo, &["rev-parse", "wip"]), work);
        // Nor is anything written to where a link of somebody leads.
        let outside = fs::read_dir(repo.dir.path().join("outside"));
        assert!(outside.is_err() || outside.is_ok_and(|mut all| all.next().is_none()));
    }
}

#[test]
fn an_index_of_a_submodule_hides_nothing() {
    // A flag that keeps git from looking.
    let found = after(&with_submodule(), |repo| {
        in_sub(repo, &["update-index", "--assume-unchanged", "lib.txt"]);
        repo.write("sub/lib.txt", "patched\n");
    });
    assert_eq!(protected(&found), [".git/modules/sub/index"]);
    assert_eq!(found.breaches, [changed("sub/lib.txt")]);
    // The dates of the patched file beside the name of the old content.
    let found = after(&with_submodule(), |repo| {
        let id = |spec: &str| {
            let hex = in_sub(repo, &["rev-parse", spec]);
            let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            (0..hex.len()).step_by(2).map(byte).collect::<Vec<u8>>()
        };
        let old = id(":lib.txt");
        repo.write("sub/lib.txt", "patched\n");
        in_sub(repo, &["add", "lib.txt"]);
        let new = id(":lib.txt");
        let path = repo.path(".git/modules/sub/index");
        let mut index = fs::read(&path).unwrap();
        let at = index.windows(new.len()).position(|part| part == new).unwrap();
        index[at..at + old.len()].copy_from_slice(&old);
        repo.write(".git/modules/sub/index", index);
        let written = fs::metadata(repo.path("sub/lib.txt")).unwrap().modified().unwrap();
        let index = File::options().write(true).open(&path).unwrap();
        index.set_modified(written + Duration::from_secs(10)).unwrap();
        assert_eq!(in_sub(repo, &["ls-files", "-m"]), "");
    });
    assert_eq!(found.breaches, [changed("sub/lib.txt")]);
}

#[test]
fn a_repository_of_a_submodule_that_lost_its_head_keeps_everything_else() {
    let repo = with_submodule();
    let head = in_sub(&repo, &["rev-parse", "HEAD"]);
    let found = after(&repo, |repo| repo.remove(".git/modules/sub/HEAD"));
    assert_eq!(protected(&found), [".git/modules/sub/HEAD"]);
    assert_eq!(in_sub(&repo, &["rev-parse", "HEAD"]), head);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}
