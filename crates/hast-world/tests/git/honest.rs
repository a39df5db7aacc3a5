//! Honest attempts of every shape are seen as what they are, and commit exactly that.

use crate::fixture::{HANDOFF, Repo, Steps, assert_honest, attempt, changes, rules};

const HANDOFF_PATH: &str = ".ai/handoffs/2026-02-09_143000.md";

fn work(repo: &Repo) {
    repo.write("src/lib.rs", "pub fn one() -> u32 { 2 }\n");
    repo.write("src/새 파일 1.rs", "// 새\n");
    repo.remove("tests/it.rs");
    repo.mode("src/main.rs", 0o755);
    repo.write(HANDOFF_PATH, HANDOFF);
}

const WORK: [&str; 4] = ["M src/lib.rs", "X src/main.rs", "A src/새 파일 1.rs", "D tests/it.rs"];

#[test]
fn uncommitted_work_is_compared_by_content_and_mode() {
    let found = attempt(&Repo::new(), work);
    assert_honest(&found);
    assert_eq!(changes(&found), WORK);
    assert_eq!(found.handoffs[0].name, "2026-02-09_143000.md");
    assert!(found.uncommitted);
}

#[test]
fn an_agent_that_commits_itself_has_made_the_same_changes() {
    let found = attempt(&Repo::new(), |repo| {
        work(repo);
        repo.commit_all("mine");
    });
    assert_honest(&found);
    assert_eq!(changes(&found), WORK);
    assert!(!found.uncommitted);
    assert_eq!(found.handoffs.len(), 1);
}

#[test]
fn many_commits_and_a_merge_are_one_set_of_changes() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("a", "1");
        repo.commit_all("one");
        repo.git(&["checkout", "-q", "-b", "side"]);
        repo.write("b", "2");
        repo.commit_all("two");
        repo.git(&["checkout", "-q", "main"]);
        repo.write("c", "3");
        repo.commit_all("three");
        repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
        repo.git(&["branch", "-q", "-D", "side"]);
        repo.write("d", "4");
    });
    assert_honest(&found);
    assert_eq!(changes(&found), ["A a", "A b", "A c", "A d"]);
    assert!(found.uncommitted);
}

#[test]
fn an_empty_commit_is_no_change() {
    let found = attempt(&Repo::new(), |repo| repo.commit_all("nothing"));
    assert_honest(&found);
    assert!(found.changes.is_empty() && !found.uncommitted);
}

#[test]
fn a_handoff_alone_is_no_change() {
    let found = attempt(&Repo::new(), |repo| repo.write(HANDOFF_PATH, HANDOFF));
    assert!(found.changes.is_empty());
    assert_eq!(found.handoffs.len(), 1);
    assert!(found.uncommitted);
}

#[test]
fn what_is_committed_is_what_was_inspected_and_nothing_else() {
    let repo = Repo::new();
    // The user's own edits under `.ai/` never refuse, and are never swept up.
    repo.write(".ai/rules.md", "# my new rules\n");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    work(&repo);
    let found = workspace.see(&base);
    let before = repo.files();
    let commit = workspace.settle(&base, &found);
    assert_eq!(repo.head(), commit);
    assert_eq!(repo.files(), before);
    let names =
        repo.git(&["-c", "core.quotePath=false", "show", "--format=", "--name-only", "HEAD"]);
    let mut wanted =
        vec![HANDOFF_PATH, "src/lib.rs", "src/main.rs", "src/새 파일 1.rs", "tests/it.rs"];
    wanted.sort_unstable();
    let mut names: Vec<&str> = names.lines().collect();
    names.sort_unstable();
    assert_eq!(names, wanted);
    assert_eq!(repo.git(&["status", "--porcelain"]), " M .ai/rules.md");
}

#[test]
fn an_agents_own_commits_and_its_leftovers_end_in_one_tree() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("a", "1");
    repo.write("gone", "1");
    repo.commit_all("one");
    repo.write("a", "2");
    repo.remove("gone");
    let found = workspace.see(&base);
    assert_eq!(changes(&found), ["A a", "A gone"]);
    workspace.settle(&base, &found);
    assert_eq!(repo.git(&["show", "HEAD:a"]), "2");
    assert_eq!(repo.git(&["ls-tree", "HEAD", "gone"]), "");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["log", "--format=%s"]), "feat(M1): it\none\nfirst");
}

#[test]
fn a_commit_that_was_taken_back_is_not_brought_again() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/lib.rs", "changed\n");
    repo.write("b", "1");
    repo.commit_all("one");
    repo.write("src/lib.rs", "pub fn one() -> u32 { 1 }\n");
    let found = workspace.see(&base);
    workspace.settle(&base, &found);
    assert_eq!(repo.git(&["show", "HEAD:src/lib.rs"]), "pub fn one() -> u32 { 1 }");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn directories_that_ignore_themselves_are_the_users() {
    let repo = Repo::new();
    repo.write(".venv/.gitignore", "*\n");
    repo.write(".venv/lib/python", "big");
    let found = attempt(&repo, |repo| repo.write("a", "1"));
    assert_honest(&found);
    assert_eq!(changes(&found), ["A a"]);
    assert_eq!(repo.read(".venv/lib/python"), "big");
}

#[test]
fn a_process_that_knows_nothing_of_the_one_before_finds_the_same() {
    let repo = Repo::new();
    let files = repo.files();
    let base = repo.open().start(&rules());
    work(&repo);
    let mut later = repo.open();
    let found = later.see(&base);
    assert_honest(&found);
    assert_eq!(changes(&found), WORK);
    let mut latest = repo.open();
    let saved = latest.put_safe(&base);
    assert_eq!(saved.work().tree, found.tree);
    latest.back(&base, &saved);
    assert_eq!(repo.files(), files);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_test_that_was_renamed_is_not_gone_and_one_that_is_no_test_any_more_is() {
    let repo = Repo::new();
    let found = attempt(&repo, |repo| {
        repo.git(&["mv", "tests/it.rs", "tests/renamed.rs"]);
    });
    assert_eq!(changes(&found), ["V tests/it.rs", "A tests/renamed.rs"]);
    let found = attempt(&repo, |repo| {
        repo.write("docs/old.txt", repo.read("tests/it.rs"));
        repo.remove("tests/it.rs");
    });
    assert_eq!(changes(&found), ["A docs/old.txt", "D tests/it.rs"]);
    let found = attempt(&repo, |repo| {
        repo.write("tests/renamed.rs", "// nothing of it\n");
        repo.remove("tests/it.rs");
    });
    assert_eq!(changes(&found), ["D tests/it.rs", "A tests/renamed.rs"]);
}
