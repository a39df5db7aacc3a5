//! Agents of all kinds in a room: which work counts, which commits are kept, and that the user's
//! repository is byte for byte as before.

use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::rooms::{OwnCommits, SquashReason};

use crate::scene::{Judged, Scene};

fn kept(judged: &Judged) -> usize {
    match &judged.own {
        OwnCommits::Linear(commits) => commits.len(),
        other => panic!("{other:?}"),
    }
}

fn squashed(judged: &Judged) -> &SquashReason {
    match &judged.own {
        OwnCommits::Squash(why) => why,
        other => panic!("{other:?}"),
    }
}

const COMMIT: &str = "commit() { git add -A; git commit -qm \"$1\"; }; ";

/// Runs an agent in a room and looks at the user's side before and after.
fn unharmed(script: &str) -> Judged {
    let scene = Scene::new();
    let before = scene.users_files();
    let judged = scene.worked(&format!("{COMMIT}{script}"));
    let after = scene.users_files();
    for (path, file) in &before {
        assert_eq!(after.get(path), Some(file), "{}: {script}", path.display());
    }
    assert_eq!(before.len(), after.len(), "{script}");
    scene.user("git fsck --strict --no-dangling");
    judged
}

#[test]
fn work_without_a_commit_counts_as_it_lies_there() {
    let judged =
        unharmed("echo new > n1; echo more >> src/a.txt; rm src/deep/b.txt; chmod -x run.sh");
    assert_eq!(judged.list(), ["A n1", "M run.sh", "M src/a.txt", "D src/deep/b.txt"]);
    assert_eq!(judged.own, OwnCommits::None);
    assert_eq!(judged.changes.breaches, []);
}

#[test]
fn nothing_done_is_nothing_changed_and_the_users_uncommitted_files_are_not_there() {
    let judged = unharmed("test ! -e src/mine.txt; test ! -e .env; test ! -e node_modules");
    assert_eq!(judged.list(), Vec::<String>::new());
}

#[test]
fn honest_commits_are_kept_whether_or_not_all_is_committed() {
    let all = unharmed("echo a > n1; commit one; echo b > n2; commit two");
    assert_eq!((kept(&all), all.list()), (2, vec!["A n1".into(), "A n2".into()]));
    let rest = unharmed("echo a > n1; commit one; echo b > n2");
    assert_eq!((kept(&rest), rest.list()), (1, vec!["A n1".into(), "A n2".into()]));
    let packed = unharmed(
        "echo a > n1; commit one; git gc -q; echo b > n2; commit two; git pack-refs --all",
    );
    assert_eq!(kept(&packed), 2);
    let moved =
        unharmed("git mv src/deep elsewhere; commit moved; git stash list; git worktree list");
    assert_eq!((kept(&moved), moved.list().len()), (1, 2));
}

#[test]
fn a_file_that_only_a_commit_shows_belongs_to_the_work() {
    let judged = unharmed("echo x > n.log; git add -f n.log; git commit -qm log");
    assert_eq!((kept(&judged), judged.list()), (1, vec!["A n.log".into()]));
}

#[test]
fn history_that_is_no_straight_continuation_is_squashed_and_its_files_count() {
    let merge = "git checkout -qb x; echo a > n1; commit x; git checkout -q main; echo b > n2; commit y; git merge -q --no-edit x";
    for (script, why) in [
        ("echo a > n1; git add -A; git commit -q --amend -m evil", SquashReason::NotLinear),
        (merge, SquashReason::NotLinear),
        ("git checkout -qb x; echo a > n1; commit x", SquashReason::OtherBranch),
        ("git checkout -q --detach; echo a > n1; commit x", SquashReason::OtherBranch),
        (
            "git checkout -q --orphan o; echo a > n1; commit o; git branch -M main",
            SquashReason::NotLinear,
        ),
    ] {
        let judged = unharmed(script);
        assert_eq!(squashed(&judged), &why, "{script}");
        assert!(judged.list().contains(&"A n1".to_owned()), "{script}: {:?}", judged.list());
        assert_eq!(judged.changes.breaches, [], "{script}");
    }
}

#[test]
fn nothing_that_an_agent_does_to_its_git_directory_reaches_the_users() {
    for script in [
        "printf 'exit 1' > .git/hooks/pre-commit 2>/dev/null || mkdir -p .git/hooks; echo a > n1",
        "git config core.fsmonitor evil; git config filter.x.clean evil; echo a > n1",
        "echo s > n0; git stash -qu; git tag v9; git update-ref refs/heads/other HEAD; echo a > n1",
        "git branch -D side; git tag -d v1; git update-ref -d refs/heads/side || true; echo a > n1",
        "git rebase -q --root || true; git reflog expire --all --expire=now; git gc -q --prune=now; echo a > n1",
        "git worktree add -q ../wt HEAD; echo a > ../wt/x; git worktree remove --force ../wt; echo a > n1",
        "git config --global alias.x '!touch evil' || true; echo a > n1",
        "rm -rf .git; echo a > n1",
        "rm -rf .git; git init -q; echo a > n1; git add -A; git -c user.name=a -c user.email=a commit -qm a",
        "rm -rf .git; echo 'gitdir: /nowhere' > .git; echo a > n1",
        "rm -rf .git; ln -s /nowhere .git; echo a > n1",
        "rm -rf .git; mkfifo .git; echo a > n1",
        "echo garbage > .git/HEAD; echo a > n1",
        "echo garbage > .git/index; echo a > n1",
        "echo /nowhere > .git/objects/info/alternates; echo a > n1",
        "rm -rf .git/objects; echo a > n1",
        "chmod 000 .git; echo a > n1",
    ] {
        let judged = unharmed(script);
        assert!(judged.list().contains(&"A n1".to_owned()), "{script}: {:?}", judged.list());
        assert_eq!(judged.changes.breaches, [], "{script}");
    }
}

#[test]
fn forged_and_missing_objects_keep_no_commit() {
    let forge = "b=$(git rev-parse HEAD:n1); f=.git/objects/${b:0:2}/${b:2}; \
                 o=$(echo EVIL | git hash-object -w --stdin); chmod u+w $f; cp .git/objects/${o:0:2}/${o:2} $f";
    let base = "b=$(git rev-parse HEAD:.gitignore); mkdir -p .git/objects/${b:0:2}; \
                o=$(echo EVIL | git hash-object -w --stdin); cp .git/objects/${o:0:2}/${o:2} .git/objects/${b:0:2}/${b:2}";
    let lost = "find .git/objects -type f -path '*/[0-9a-f][0-9a-f]/*' -delete";
    let bad_tree = "b=$(git rev-parse HEAD:n1); printf '100644 .git\\0' > ../t; printf $b | xxd -r -p >> ../t; \
                    t=$(git hash-object -t tree -w --literally ../t); rm ../t; \
                    git update-ref refs/heads/main $(git commit-tree $t -p HEAD -m evil)";
    for script in [lost, bad_tree] {
        let judged = unharmed(&format!("echo a > n1; commit one; {script}"));
        let why = squashed(&judged);
        assert!(matches!(why, SquashReason::BadObjects { .. }), "{script}: {why:?}");
        assert_eq!(judged.list(), ["A n1"], "{script}");
    }
    // A forged copy of an object that the user's repository has, or that the files show, is never used.
    for script in
        [format!("{base}; echo a > n1; commit one"), format!("echo a > n1; commit one; {forge}")]
    {
        let judged = unharmed(&script);
        assert_eq!((kept(&judged), judged.list()), (1, vec!["A n1".to_owned()]), "{script}");
    }
}

#[test]
fn strange_files_among_the_objects_are_not_taken() {
    let fifo = "mkdir -p .git/objects/aa; mkfifo .git/objects/aa/$(printf 'b%.0s' $(seq 38))";
    let link =
        "mkdir -p .git/objects/ab; ln -s /etc/passwd .git/objects/ab/$(printf 'c%.0s' $(seq 38))";
    let grafts = "git replace --graft HEAD 2>/dev/null";
    for script in [fifo, link, grafts] {
        let judged = unharmed(&format!("echo a > n1; commit one; {script}"));
        assert_eq!((kept(&judged), judged.list()), (1, vec!["A n1".to_owned()]), "{script}");
    }
}

#[test]
fn commits_out_of_scope_are_squashed_though_a_later_one_takes_them_back() {
    let judged = unharmed("echo a > secret; commit one; git rm -q secret; echo b > n2; commit two");
    assert!(matches!(squashed(&judged), SquashReason::OutOfScope { .. }));
    assert_eq!(judged.list(), ["A n2"]);
    let judged = unharmed("echo a > n1; commit one; rm n1; echo b > n2");
    assert!(matches!(squashed(&judged), SquashReason::NotInTree { .. }));
}

#[test]
fn index_flags_and_ignore_rules_of_the_agent_hide_nothing() {
    for (script, wanted) in [
        (
            "git update-index --assume-unchanged src/a.txt; echo E >> src/a.txt; echo a > n1; commit one",
            vec!["A n1", "M src/a.txt"],
        ),
        (
            "echo hidden > .git/info/exclude; echo h > hidden; echo '*' > .gitignore; echo a > n1",
            vec!["M .gitignore", "A hidden", "A n1"],
        ),
        (
            "echo x > src/cache; mkdir -p deep; echo '*' > deep/.gitignore; echo y > deep/z",
            vec!["A deep/.gitignore", "A deep/z", "A src/cache"],
        ),
        ("mkdir -p src/cache; echo x > src/cache/y; echo z > top.log", vec![]),
    ] {
        assert_eq!(unharmed(script).list(), wanted, "{script}");
    }
}

#[test]
fn what_no_commit_can_hold_is_told() {
    for (script, wanted) in [
        ("mkfifo pipe", "NotStorable { path: RepoPath(\"pipe\") }"),
        ("mkdir nest; cd nest; git init -q", "NestedRepository { path: RepoPath(\"nest\") }"),
        ("ln -s ../../outside link", "SymlinkLeaves { path: RepoPath(\"link\") }"),
        ("ln -s /etc/passwd src/link", "SymlinkLeaves { path: RepoPath(\"src/link\") }"),
        ("mkdir .GIT; echo x > .GIT/config", "NotStorable { path: RepoPath(\".GIT/config\") }"),
    ] {
        let breaches: Vec<String> =
            unharmed(script).changes.breaches.iter().map(|breach| format!("{breach:?}")).collect();
        assert_eq!(breaches, [wanted], "{script}");
    }
    assert_eq!(
        unharmed("mkfifo x.log; mkdir node_modules; mkfifo node_modules/p").changes.breaches,
        []
    );
}

#[test]
fn closed_directories_and_files_are_opened_and_count() {
    let judged = unharmed(
        "mkdir locked; echo a > locked/a; chmod 000 locked; echo b > n1; chmod 000 n1 src",
    );
    assert_eq!(judged.list(), ["A locked/a", "A n1"]);
}

#[test]
fn a_link_that_the_base_has_is_the_users() {
    let scene = Scene::made_by(
        "git init -q -b main; git config user.name u; git config user.email u@u; \
         ln -s /etc/hostname host; git add -A; git commit -qm base",
    );
    assert_eq!(scene.worked("true").changes.breaches, []);
    let changed = scene.worked("rm host; ln -s /etc/passwd host").changes;
    assert!(matches!(changed.breaches.as_slice(), [Breach::SymlinkLeaves { .. }]), "{changed:?}");
}
