//! Whatever an attempt deletes and prunes: what it began with is still there, also for a process that
//! knows nothing of the one before; and what is really gone is named.

use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::workspace::{GitResult, GitStep, LeftWork, perform};

use crate::fixture::{Act, Repo, Steps, attempt, rules, save_plan};

fn prune(repo: &Repo) {
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
}

/// A branch and stashes of the user that nothing else leads to.
fn with_treasures(repo: &Repo) {
    for number in ["1", "2"] {
        repo.write("src/lib.rs", format!("stashed {number}"));
        repo.git(&["stash", "-q"]);
    }
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("important", "weeks of work");
    repo.commit_all("weeks of work");
    repo.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    repo.git(&["commit", "-q", "--amend", "-m", "another"]);
    repo.git(&["checkout", "-q", "main"]);
}

#[test]
fn what_was_uncommitted_at_the_start_survives_a_pruning() {
    let repo = Repo::new();
    repo.write(".ai/notes.md", "the user's, on no ref");
    repo.write(".ai/rules.md", "staged");
    repo.git(&["add", ".ai/rules.md"]);
    repo.write(".ai/rules.md", "edited after that");
    attempt(&repo, |repo| {
        repo.git(&["reset", "-q"]);
        repo.write(".ai/notes.md", "the agent's");
        repo.write("src/lib.rs", "bad");
        prune(repo);
    });
    repo.git(&["fsck", "--strict"]);
    assert_eq!(repo.git(&["show", ":.ai/rules.md"]), "staged");
    assert_eq!(
        repo.git(&["show", "refs/hast/bases/M1/1:tree/.ai/notes.md"]),
        "the user's, on no ref"
    );
}

#[test]
fn a_branch_and_stashes_that_are_deleted_and_pruned_come_back_with_their_commits() {
    let acts: [Act; 2] = [
        |repo| {
            repo.git(&["branch", "-q", "-D", "other"]);
            repo.git(&["update-ref", "-d", "refs/remotes/origin/topic"]);
        },
        |repo| {
            repo.git(&["stash", "clear"]);
        },
    ];
    for act in acts {
        let repo = Repo::new();
        with_treasures(&repo);
        let stashes = repo.git(&["stash", "list"]);
        attempt(&repo, |repo| {
            act(repo);
            prune(repo);
        });
        assert_eq!(repo.git(&["show", "other:important"]), "weeks of work");
        assert_eq!(repo.git(&["stash", "list"]), stashes);
        assert_eq!(repo.git(&["show", "stash@{1}:src/lib.rs"]), "stashed 1");
        repo.git(&["show", "refs/remotes/origin/topic"]);
    }
}

#[test]
fn a_base_that_the_attempt_left_behind_survives_a_pruning() {
    let repo = Repo::new();
    repo.write("a", "1");
    repo.commit_all("second");
    let found = attempt(&repo, |repo| {
        repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
        prune(repo);
    });
    assert_eq!(found.breaches, [Breach::HistoryRewritten]);
}

#[test]
fn what_cannot_be_put_back_is_named_and_the_rest_goes_back() {
    let repo = Repo::new();
    repo.git(&["branch", "keep"]);
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.commit_all("weeks of work");
    repo.git(&["checkout", "-q", "main"]);
    let was = repo.git(&["rev-parse", "other"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    // It takes away what holds the rest too.
    repo.git(&["branch", "-q", "-D", "other", "keep"]);
    for name in repo.git(&["for-each-ref", "--format=%(refname)", "refs/hast"]).lines() {
        repo.git(&["update-ref", "-d", name]);
    }
    repo.write("src/lib.rs", "work");
    prune(&repo);
    let found = workspace.see(&base);
    let lost = Breach::RefLost { name: "refs/heads/other".into(), was };
    assert!(found.breaches.contains(&lost), "{:?}", found.breaches);
    for name in ["refs/heads/keep", "refs/hast/bases/M1/1"] {
        let back = Breach::RefMoved { name: name.into() };
        assert!(found.breaches.contains(&back), "{:?}", found.breaches);
        repo.git(&["rev-parse", name]);
    }
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let found = attempt(&repo, |_| {});
    assert_eq!(found.breaches, []);
}

#[test]
fn a_start_that_was_pruned_is_made_again_from_what_is_still_there() {
    let repo = Repo::new();
    repo.write(".ai/notes.md", "the user's, on no ref");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.git(&["update-ref", "-d", "refs/hast/bases/M1/1"]);
    repo.write("src/lib.rs", "work");
    prune(&repo);
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [Breach::RefMoved { name: "refs/hast/bases/M1/1".into() }]);
    let saved = workspace.put_safe(&base);
    drop(workspace);
    let mut another = repo.open();
    let again = another.put_safe(&base);
    assert_eq!(again.work().tree, saved.work().tree);
    another.back(&base, &again);
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? .ai/notes.md");
    assert_eq!(repo.read(".ai/notes.md"), "the user's, on no ref");
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn another_process_gives_the_user_the_same_index_back() {
    let repo = Repo::new();
    repo.write(".ai/notes.md", "new");
    repo.write(".ai/config.yaml", "edited");
    repo.write(".ai/rules.md", "staged");
    repo.git(&["add", ".ai/rules.md"]);
    repo.write(".ai/rules.md", "edited after that");
    repo.git(&["rm", "-q", "--cached", ".ai/goals.yaml"]);
    let (status, staged) = (repo.git(&["status", "--porcelain"]), repo.git(&["ls-files", "-s"]));
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/lib.rs", "work");
    repo.git(&["add", "-A"]);
    prune(&repo);
    drop(workspace);
    // Twice: what the first one found is where the next attempt begins.
    let mut another = repo.open();
    for _ in 0..2 {
        let saved = another.put_safe(&base);
        another.back(&base, &saved);
        assert_eq!(repo.git(&["status", "--porcelain"]), status);
        assert_eq!(repo.git(&["ls-files", "-s"]), staged);
        assert_eq!(repo.git(&["show", ":.ai/rules.md"]), "staged");
        another.start(&rules());
        repo.git(&["add", "-A"]);
        another = repo.open();
    }
}

/// A run that was killed before hast held any more than the record.
#[test]
fn a_start_that_an_earlier_hast_recorded_is_gone_back_to() {
    let repo = Repo::new();
    repo.write(".ai/notes.md", "the user's");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/lib.rs", "work");
    drop(workspace);
    repo.git(&["update-ref", "refs/hast/bases/M1/1", base.snapshot().as_str()]);
    repo.remove(".git/hast/start");
    let mut another = repo.open();
    let saved = another.put_safe(&base);
    another.back(&base, &saved);
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? .ai/notes.md");
    another.start(&rules());
    assert_eq!(repo.git(&["cat-file", "-t", "refs/hast/bases/M1/1"]), "commit");
}

#[test]
fn housekeeping_that_failed_in_an_attempt_is_no_news_for_the_user() {
    let repo = Repo::new();
    attempt(&repo, |repo| repo.write(".git/gc.log", "error: cannot lock ref\n"));
    assert!(!repo.path(".git/gc.log").exists());
}

#[test]
fn what_is_held_for_an_attempt_is_let_go_when_it_is_over() {
    let repo = Repo::new();
    with_treasures(&repo);
    let held = || repo.git(&["for-each-ref", "--format=%(refname)", "refs/hast/held"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    assert_eq!(held(), "refs/hast/held/checkout");
    // One that only looks does not let go of what another holds.
    perform(&mut repo.open(), &GitStep::Look { rules: rules() });
    assert_eq!(held(), "refs/hast/held/checkout");
    workspace.see(&base);
    drop(workspace);
    assert_eq!(held(), "");
    assert!(!repo.path(".git/hast/start").exists());
}

#[test]
fn no_git_is_started_to_hold_what_other_refs_have() {
    let mut repo = Repo::new();
    with_treasures(&repo);
    let started = crate::again::counted(&mut repo);
    let mut workspace = repo.open();
    perform(&mut workspace, &GitStep::Look { rules: rules() });
    let before = started();
    workspace.start(&rules());
    assert_eq!(started() - before, 0);
}

/// What was uncommitted when the work began, and what HEAD has for the rest.
#[test]
fn kept_work_is_cleared_to_what_the_user_had() {
    let repo = Repo::new();
    repo.write(".ai/tracked.md", "committed");
    repo.write(".ai/later.md", "committed");
    repo.commit_all("second");
    repo.write(".ai/notes.md", "my notes");
    repo.write(".ai/tracked.md", "my edit");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.remove(".ai/notes.md");
    repo.write(".ai/tracked.md", "evil");
    repo.write(".ai/later.md", "evil");
    repo.write("src/lib.rs", "work");
    workspace.see(&base);
    let kept = workspace.put_safe(&base).work().clone();
    drop(workspace);
    prune(&repo);
    let mut workspace = repo.open();
    let (base_commit, from) = (base.commit().clone(), base.tree().clone());
    let left = LeftWork { base: base_commit, from, work: kept.tree, within: None };
    let GitResult::Saved(saved) = perform(&mut workspace, &GitStep::Save(save_plan(None))) else {
        panic!("not saved")
    };
    let out = perform(&mut workspace, &GitStep::Discard { left, saved, rules: rules() });
    assert!(matches!(out, GitResult::RolledBack(_)), "{out:?}");
    assert_eq!(repo.read(".ai/notes.md"), "my notes");
    assert_eq!(repo.read(".ai/tracked.md"), "my edit");
    assert_eq!(repo.git(&["status", "--porcelain"]), " M .ai/tracked.md\n?? .ai/notes.md");
}
