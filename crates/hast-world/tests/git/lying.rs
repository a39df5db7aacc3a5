//! What a lying agent does to refs, history and protected files is seen, and undone.

use std::os::unix::fs::symlink;

use hast_flow::attempt::evidence::Breach;

use crate::fixture::{Repo, Steps, attempt, protected, rules};

fn moved(found: &[Breach]) -> Vec<&str> {
    found
        .iter()
        .filter_map(|breach| match breach {
            Breach::RefMoved { name } => Some(name.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn an_amended_history_is_rewritten() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("a", "1");
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-q", "--amend", "-m", "other"]);
    });
    assert_eq!(found.breaches, [Breach::HistoryRewritten]);
}

#[test]
fn a_rebased_history_is_rewritten() {
    let repo = Repo::new();
    repo.write("z", "1");
    repo.commit_all("second");
    repo.write("y", "1");
    repo.commit_all("third");
    let found = attempt(&repo, |repo| {
        repo.git(&["rebase", "-q", "--onto", "HEAD~2", "HEAD~1", "main"]);
    });
    assert_eq!(found.breaches, [Breach::HistoryRewritten]);
}

#[test]
fn a_replaced_or_grafted_history_is_still_rewritten() {
    let found = attempt(&Repo::new(), |repo| {
        let old = repo.head();
        repo.write("a", "1");
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-q", "--amend", "-m", "other"]);
        // Makes the new commit look like a child of the old one.
        repo.git(&["replace", "--graft", "HEAD", old.as_str()]);
        let line = format!("{} {old}\n", repo.head());
        repo.write(".git/info/grafts", line);
    });
    assert!(found.breaches.contains(&Breach::HistoryRewritten), "{:?}", found.breaches);
    assert!(moved(&found.breaches)[0].starts_with("refs/replace/"));
    assert_eq!(protected(&found), [".git/info/grafts"]);
}

#[test]
fn a_switched_branch_is_told_with_its_name() {
    let found = attempt(&Repo::new(), |repo| {
        repo.git(&["checkout", "-q", "-b", "other"]);
        repo.write("a", "1");
        repo.commit_all("elsewhere");
    });
    assert_eq!(found.breaches[0], Breach::BranchSwitched { to: "refs/heads/other".into() });
    assert_eq!(moved(&found.breaches), ["refs/heads/other"]);
}

#[test]
fn a_detached_head_is_told_and_its_commits_stay_reachable() {
    let repo = Repo::new();
    let mut lost = None;
    let found = attempt(&repo, |repo| {
        repo.git(&["checkout", "-q", "--detach"]);
        repo.write("a", "1");
        repo.commit_all("nowhere");
        lost = Some(repo.head());
    });
    assert_eq!(found.breaches, [Breach::HeadDetached]);
    let kept = repo.git(&["rev-parse", "refs/hast/displaced/M1/1/HEAD"]);
    assert_eq!(Some(kept), lost.map(|id| id.to_string()));
}

#[test]
fn other_refs_that_are_moved_made_or_deleted_come_back() {
    let repo = Repo::new();
    repo.git(&["branch", "keep"]);
    repo.git(&["tag", "v1"]);
    repo.git(&["tag", "-a", "v2", "-m", "two"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let found = attempt(&repo, |repo| {
        repo.write("a", "1");
        repo.commit_all("one");
        repo.git(&["branch", "-f", "keep", "HEAD"]);
        repo.git(&["tag", "-d", "v1"]);
        repo.git(&["tag", "-f", "v2"]);
        repo.git(&["tag", "v3"]);
        repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main"]);
        repo.git(&["pack-refs", "--all"]);
    });
    let wanted = [
        "refs/heads/keep",
        "refs/remotes/origin/HEAD",
        "refs/tags/v1",
        "refs/tags/v2",
        "refs/tags/v3",
    ];
    assert_eq!(moved(&found.breaches), wanted);
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "refs/hast/displaced/M1/1/tags/v3"]), "one");
}

#[test]
fn a_stash_of_the_user_survives_an_agents_stash_clear() {
    let repo = Repo::new();
    for number in ["1", "2"] {
        repo.write("src/lib.rs", format!("stashed {number}"));
        repo.git(&["stash", "-q"]);
    }
    let before = repo.git(&["stash", "list"]);
    let found = attempt(&repo, |repo| {
        repo.git(&["stash", "clear"]);
    });
    assert_eq!(moved(&found.breaches), ["refs/stash"]);
    assert_eq!(repo.git(&["stash", "list"]), before);
}

#[test]
fn the_branch_itself_may_not_vanish_or_follow_another() {
    let found = attempt(&Repo::new(), |repo| {
        repo.git(&["update-ref", "refs/heads/other", "HEAD"]);
        repo.git(&["symbolic-ref", "refs/heads/main", "refs/heads/other"]);
    });
    assert!(found.breaches.contains(&Breach::HistoryRewritten), "{:?}", found.breaches);
    let found = attempt(&Repo::new(), |repo| {
        repo.git(&["checkout", "-q", "--detach"]);
        repo.git(&["branch", "-q", "-D", "main"]);
    });
    assert!(found.breaches.contains(&Breach::HistoryRewritten), "{:?}", found.breaches);
}

#[test]
fn files_of_ai_and_of_git_get_their_bytes_and_modes_back() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write(".ai/goals.yaml", "goals: [done]\n");
        repo.remove(".ai/rules.md");
        repo.mode(".ai/config.yaml", 0o755);
        repo.git(&["config", "core.fsmonitor", "touch /tmp/x"]);
        repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
        repo.mode(".git/hooks/pre-commit", 0o755);
        repo.write(".git/info/attributes", "* -text\n");
        repo.write(".git/objects/info/alternates", "/elsewhere\n");
        repo.write(".git/modules/evil/config", "[core]\n");
    });
    let wanted = [
        ".ai/config.yaml",
        ".ai/goals.yaml",
        ".ai/rules.md",
        ".git/config",
        ".git/hooks/pre-commit",
        ".git/info/attributes",
        ".git/modules",
        ".git/modules/evil",
        ".git/modules/evil/config",
        ".git/objects/info/alternates",
    ];
    assert_eq!(protected(&found), wanted);
    assert!(found.changes.is_empty());
}

#[test]
fn a_directory_of_git_that_became_a_link_is_given_back_and_its_target_left_alone() {
    let repo = Repo::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::File::create(outside.path().join("precious")).unwrap();
    let found = attempt(&repo, |repo| {
        std::fs::remove_dir_all(repo.path(".git/hooks")).unwrap();
        symlink(outside.path(), repo.path(".git/hooks")).unwrap();
    });
    assert!(protected(&found).contains(&".git/hooks"));
    assert!(outside.path().join("precious").exists());
    assert!(std::fs::symlink_metadata(repo.path(".git/hooks")).unwrap().is_dir());
}

/// Giving back what is protected must not write where the agent's link leads.
#[test]
fn a_link_above_a_protected_path_is_not_followed_out_of_the_tree() {
    let runs = ["target/bin/run", "infra/deploy.tf"];
    for (directory, run) in ["target", "infra"].into_iter().zip(runs) {
        let repo = Repo::new();
        repo.write("target/bin/run", "of the project");
        let outside = repo.dir.path().join("home");
        let theirs = outside.join(run.split_once('/').unwrap().1);
        repo.write(&theirs.display().to_string(), "MINE");
        let (mut with_bin, files) = (rules(), repo.files());
        with_bin.protect.push("target/bin/".into());
        with_bin.protected.push(run.into());
        let mut workspace = repo.open();
        let base = workspace.start(&with_bin);
        std::fs::remove_dir_all(repo.path(directory)).unwrap();
        symlink(&outside, repo.path(directory)).unwrap();
        let found = workspace.see(&base);
        assert!(protected(&found).contains(&run), "{found:?}");
        assert!(found.given_back.files.iter().any(|file| file.path == directory), "{found:?}");
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "MINE");
        let saved = workspace.put_safe(&base);
        workspace.back(&base, &saved);
        let mut wanted = files;
        // Nobody holds what lies in ignored directories.
        wanted.retain(|path, _| directory != "target" || path != "target/out");
        assert_eq!(repo.files(), wanted);
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "MINE");
    }
}

#[test]
fn protected_globs_hold_for_tracked_ignored_new_and_committed_files() {
    let repo = Repo::new();
    let mut with_env = rules();
    with_env.protect.push(".env".into());
    let files = repo.files();
    let mut workspace = repo.open();
    let base = workspace.start(&with_env);
    repo.write("infra/deploy.tf", "changed\n");
    repo.commit_all("infra");
    repo.write("key.pem", "new");
    repo.write(".env", "KEY=2");
    let found = workspace.see(&base);
    assert_eq!(protected(&found), [".env", "infra/deploy.tf", "key.pem"]);
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert_eq!(repo.files(), files);
}

#[test]
fn a_protected_file_that_was_committed_and_restored_is_still_found() {
    let found = attempt(&Repo::new(), |repo| {
        let before = repo.read(".ai/goals.yaml");
        repo.write(".ai/goals.yaml", "goals: [done]\n");
        repo.commit_all("done");
        repo.write(".ai/goals.yaml", before);
    });
    assert_eq!(protected(&found), [".ai/goals.yaml"]);
}

#[test]
fn machine_files_that_an_agent_commits_are_protected_paths() {
    let found = attempt(&Repo::new(), |repo| {
        repo.git(&["add", "-f", ".ai/events/events.ndjson"]);
        repo.git(&["commit", "-q", "-m", "events"]);
    });
    assert_eq!(protected(&found), [".ai/events/events.ndjson"]);
}

#[test]
fn a_branch_that_a_power_cut_left_at_nothing_goes_back_to_the_base() {
    let repo = Repo::new();
    let files = repo.files();
    let base = repo.open().start(&rules());
    repo.write("a", "1");
    repo.write(".git/refs/heads/main", "1234567890123456789012345678901234567890\n");
    // Recovery saves what is there first.
    let mut workspace = repo.open();
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert_eq!((repo.files(), repo.head()), (files, base.commit().clone()));
    repo.write(".git/refs/heads/main", "1234567890123456789012345678901234567890\n");
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [Breach::HistoryRewritten]);
    assert_eq!(repo.head(), *base.commit());
}
