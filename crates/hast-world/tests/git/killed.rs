//! A git that dies by a signal, or finds the disk full, at every place where that can happen: nothing of
//! it is anybody's work, and the user's checkout has all of a merge or nothing of it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::{MergePlan, Target, TreeName, Waits, Worktrees};
use hast_flow::words::Lang;
use hast_world::git::RealWorktrees;

use crate::fixture::{Repo, rules};
use crate::worktrees::{add, look_at, plan, trees};

/// The room of M1.
const TREE: &str = "../rooms/1/tree";
/// A read-tree that gets as far as this: one file is gone, two have a beginning, one is whole.
const HALF: &str = "cd \"$GIT_WORK_TREE\"; rm tests/it.rs src/lib.rs; printf 'pub fn tw' > src/lib.rs; \
                    mkdir -p deep/er; printf 'new\\n' > deep/er/whole.txt; : > deep/empty.txt; \
                    printf 'be' > part.txt";
const DIES: &str = "kill -9 $$";

#[expect(clippy::disallowed_methods, reason = "the test sets the scene")]
/// A repository with a git of its own, which does something else than it is asked to when told so.
fn repo() -> Repo {
    let mut repo = Repo::new();
    let (dir, real) = (repo.dir.path().to_owned(), repo.environment.program.clone());
    let script = format!(
        "#!/bin/sh\nreal={}\n. {}/trick\nexec $real \"$@\"\n",
        real.display(),
        dir.display()
    );
    let program = dir.join("git");
    put(&program, &script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    put(&dir.join("trick"), "");
    // Another test that starts a process just now may hold the file open for a moment.
    while let Err(busy) = std::process::Command::new(&program).arg("--version").output() {
        assert_eq!(busy.kind(), std::io::ErrorKind::ExecutableFileBusy);
    }
    repo.environment.program = program;
    repo
}

#[expect(clippy::disallowed_methods, reason = "the test sets the scene")]
fn put(path: &std::path::Path, text: &str) {
    fs::write(path, text).unwrap();
}

/// What git does before it does what it was asked to.
fn trick(repo: &Repo, text: &str) {
    put(&repo.dir.path().join("trick"), text);
}

/// The same the n-th time only.
fn trick_at(repo: &Repo, n: usize, text: &str) {
    let count = repo.dir.path().join("count");
    put(&count, &n.to_string());
    let count = count.display();
    let text =
        format!("n=$(($(cat {count}) - 1)); echo $n > {count}\nif [ $n = 0 ]; then {text}; fi\n");
    trick(repo, &text);
}

/// Whether the n-th time came; from here on git is git.
fn it_happened(repo: &Repo) -> bool {
    trick(repo, "");
    let left = fs::read_to_string(repo.dir.path().join("count")).unwrap();
    left.trim().parse::<i64>().unwrap() <= 0
}

/// Work that adds, changes and deletes, in the tree of M1; things of the user's that it does not touch.
fn ready() -> (Repo, ObjectId, ObjectId) {
    let repo = repo();
    add(&repo, "M1");
    let base = repo.head();
    repo.remove(&format!("{TREE}/tests/it.rs"));
    for (path, text) in [
        ("src/lib.rs", "pub fn two() {}\n"),
        ("deep/er/whole.txt", "new\n"),
        ("deep/empty.txt", "not empty\n"),
        ("part.txt", "beginning and end\n"),
    ] {
        repo.write(&format!("{TREE}/{path}"), text);
    }
    repo.git_in(&repo.path(TREE), &["add", "-A"]);
    repo.git_in(&repo.path(TREE), &["commit", "-q", "-m", "work"]);
    let head = look_at(&repo, "M1");
    repo.write("src/main.rs", "// half done\n");
    repo.write("staged.txt", "staged\n");
    repo.git(&["add", "staged.txt"]);
    fs::create_dir(repo.path("deep")).unwrap();
    (repo, base, head)
}

fn merge(
    trees: &mut RealWorktrees,
    from: &ObjectId,
    to: &ObjectId,
) -> Result<Option<Waits>, GitProblem> {
    let onto = Target::Branch("refs/heads/main".to_owned());
    trees.merge(&MergePlan { onto, from: from.clone(), to: to.clone(), rules: rules() })
}

type Seen = (BTreeMap<String, (u32, Vec<u8>)>, String, String, bool);

/// Files, index and branch, and a directory of the user's that git does not know.
fn seen(repo: &Repo) -> Seen {
    let index = repo.git(&["ls-files", "-s"]);
    (repo.files(), index, repo.head().to_string(), repo.path("deep").is_dir())
}

fn assert_merged(repo: &Repo, head: &ObjectId) {
    assert_eq!(repo.head(), *head);
    let status = repo.git(&["status", "--porcelain"]);
    assert_eq!(status, " M src/main.rs\nA  staged.txt");
    assert!(!repo.path(".git/hast/merging").exists());
}

#[test]
fn a_git_that_is_killed_during_a_merge_leaves_all_of_it_or_nothing() {
    for after in [false, true] {
        let act = if after { "\"$real\" \"$@\"; kill -9 $$" } else { DIES };
        let mut kills = 0;
        for n in 1.. {
            let (repo, base, head) = ready();
            let before = seen(&repo);
            let mut opened = trees(&repo);
            trick_at(&repo, n, act);
            let merged = merge(&mut opened, &base, &head);
            if !it_happened(&repo) {
                assert_eq!(merged.unwrap(), None);
                break;
            }
            kills += 1;
            match merged {
                Ok(waits) => {
                    assert_eq!(waits, None, "{n} {after}");
                    assert_merged(&repo, &head);
                }
                Err(problem) => {
                    assert!(
                        matches!(problem, GitProblem::Killed { .. }),
                        "{n} {after}: {problem:?}"
                    );
                    assert_eq!(seen(&repo), before, "{n} {after}: {problem}");
                }
            }
            assert_eq!(merge(&mut trees(&repo), &base, &head).unwrap(), None, "{n} {after}");
            assert_merged(&repo, &head);
        }
        assert!(kills > 8, "{kills}");
    }
}

#[test]
fn a_merge_that_finds_no_room_is_taken_back_and_made_when_there_is_some() {
    for (end, said) in [
        ("echo 'error: unable to write file part.txt' >&2; exit 128", "unable to write file"),
        ("echo \"fatal: cannot create directory at 'deep/er'\" >&2; exit 128", "deep/er"),
        ("exit 1", "code 1"),
    ] {
        let (repo, base, head) = ready();
        let before = seen(&repo);
        trick(&repo, &format!("case \"$1 $2\" in 'read-tree -m') {HALF}; {end};; esac\n"));
        let problem = merge(&mut trees(&repo), &base, &head).unwrap_err();
        assert!(problem.is_everybodys(), "{problem:?}");
        assert!(problem.what(Lang::Ko).contains(said), "{problem:?}");
        assert_eq!(seen(&repo), before);
        trick(&repo, "");
        assert_eq!(merge(&mut trees(&repo), &base, &head).unwrap(), None);
        assert_merged(&repo, &head);
    }
}

#[test]
fn a_merge_is_taken_back_though_there_is_no_room_for_an_index_until_it_is() {
    let (repo, base, head) = ready();
    let before = seen(&repo);
    let full = repo.dir.path().join("full");
    let no_room = "echo 'fatal: unable to write new index file' >&2; exit 128";
    trick(
        &repo,
        &format!(
            "case \"$1 $2\" in\n'read-tree -m') touch {0}; {HALF}; {no_room};;\n\
             update-index*) [ -e {0} ] && [ -e \"$GIT_WORK_TREE/part.txt\" ] && {{ {no_room}; }};;\nesac\n",
            full.display()
        ),
    );
    assert!(merge(&mut trees(&repo), &base, &head).unwrap_err().is_everybodys());
    assert_eq!(seen(&repo), before);
    assert!(!repo.path(".git/hast/merging").exists());
}

#[test]
fn links_modes_and_directories_in_the_place_of_files_are_taken_back_too() {
    let repo = repo();
    repo.write("run.sh", "#!/bin/sh\n");
    std::os::unix::fs::symlink("run.sh", repo.path("old-link")).unwrap();
    repo.commit_all("a script");
    add(&repo, "M1");
    let base = repo.head();
    let tree = |path: &str| repo.path(&format!("{TREE}/{path}"));
    for path in ["tests/it.rs", "src/main.rs", "old-link"] {
        fs::remove_file(tree(path)).unwrap();
    }
    fs::remove_dir(tree("tests")).unwrap();
    fs::set_permissions(tree("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("nowhere", tree("new-link")).unwrap();
    std::os::unix::fs::symlink("nowhere", tree("old-link")).unwrap();
    repo.write(&format!("{TREE}/tests"), "a file now\n");
    repo.write(&format!("{TREE}/src/main.rs/below"), "below\n");
    repo.git_in(&repo.path(TREE), &["add", "-A"]);
    repo.git_in(&repo.path(TREE), &["commit", "-q", "-m", "shapes"]);
    let head = look_at(&repo, "M1");
    let before = seen(&repo);
    trick(&repo, "case \"$1 $2\" in 'read-tree -m') \"$real\" \"$@\"; kill -9 $$;; esac\n");
    assert!(merge(&mut trees(&repo), &base, &head).unwrap_err().is_everybodys());
    assert_eq!(seen(&repo), before);
    trick(&repo, "");
    assert_eq!(merge(&mut trees(&repo), &base, &head).unwrap(), None);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_could_not_be_taken_back_at_once_is_when_the_next_merge_begins() {
    let (repo, base, head) = ready();
    let dead = repo.dir.path().join("dead");
    // Whatever is asked for afterwards dies as well.
    let trick_all = format!(
        "[ -e {0} ] && {DIES}\ncase \"$1 $2\" in 'read-tree -m') touch {0}; {HALF}; {DIES};; esac\n",
        dead.display()
    );
    let mut opened = trees(&repo);
    trick(&repo, &trick_all);
    assert!(merge(&mut opened, &base, &head).unwrap_err().is_everybodys());
    assert_eq!(repo.read("part.txt"), "be");
    trick(&repo, "");
    assert_eq!(merge(&mut trees(&repo), &base, &head).unwrap(), None);
    assert_merged(&repo, &head);
}

#[test]
fn of_a_merge_that_is_taken_back_nothing_goes_that_somebody_else_wrote() {
    let (repo, base, head) = ready();
    let edits = "printf 'mine' > part.txt; printf '// mine' > src/lib.rs";
    trick(&repo, &format!("case \"$1 $2\" in 'read-tree -m') {HALF}; {edits}; exit 128;; esac\n"));
    assert!(merge(&mut trees(&repo), &base, &head).unwrap_err().is_everybodys());
    trick(&repo, "");
    assert_eq!((repo.read("part.txt"), repo.read("src/lib.rs")), ("mine".into(), "// mine".into()));
    assert_eq!(repo.read("tests/it.rs"), "// test\n");
    assert!(!repo.path("deep/er").exists() && !repo.path("deep/empty.txt").exists());
    // The same for what was as it is going to be before the merge began.
    let (repo, base, head) = ready();
    repo.write("part.txt", "beginning and end\n");
    let act = "case \"$1 $2\" in 'read-tree -m') exit 128;; esac\n";
    trick(&repo, act);
    assert!(merge(&mut trees(&repo), &base, &head).unwrap_err().is_everybodys());
    assert_eq!(repo.read("part.txt"), "beginning and end\n");
}

#[test]
fn files_of_the_user_that_read_tree_names_are_still_the_users() {
    let (repo, base, head) = ready();
    let named = "error: Untracked working tree file 'part.txt' would be overwritten by merge.";
    trick(
        &repo,
        &format!("case \"$1 $2\" in 'read-tree -m') echo \"{named}\" >&2; exit 128;; esac\n"),
    );
    let waits = merge(&mut trees(&repo), &base, &head).unwrap();
    assert_eq!(waits, Some(Waits::UsersFiles { paths: vec!["part.txt".to_owned()] }));
    assert!(!repo.path(".git/hast/merging").exists());
}

#[test]
fn a_git_that_is_killed_while_a_tree_is_made_anew_costs_nothing_that_the_old_one_held() {
    for n in 1.. {
        let repo = repo();
        add(&repo, "M1");
        repo.write(&format!("{TREE}/precious.txt"), "precious\n");
        let mut opened = trees(&repo);
        let plan = plan(&repo, "M1", &[]);
        trick_at(&repo, n, DIES);
        let added = opened.add(&plan);
        drop(opened);
        if !it_happened(&repo) {
            added.unwrap();
            break;
        }
        if let Err(problem) = added {
            assert!(matches!(problem, GitProblem::Killed { .. }), "{n}: {problem:?}");
        }
        trees(&repo).add(&plan).unwrap();
        let kept = repo.git(&["for-each-ref", "--format=%(refname)", "refs/hast/recovered/"]);
        let has = |name: &str| repo.git(&["ls-tree", "-r", "--name-only", name]);
        assert!(kept.lines().any(|name| has(name).contains("precious.txt")), "{n}: {kept}");
        assert_eq!(repo.git(&["rev-parse", &TreeName::of("M1").branch()]), repo.head().as_str());
    }
}
