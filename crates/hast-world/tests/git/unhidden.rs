//! Files that the ignore rules of the start hide: what an attempt commits or shows of them is its own,
//! what was there before is not.

use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::inspection::Inspection;

use crate::fixture::{Repo, Steps, assert_honest, changes, rules};

/// An attempt that passes: what was found, and what the commit on top of it holds.
fn passes(repo: &Repo, act: impl FnOnce(&Repo)) -> (Inspection, Vec<String>) {
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    act(repo);
    let found = workspace.see(&base);
    let commit = workspace.settle(&base, &found);
    let files = repo.git(&["ls-tree", "-r", "--name-only", commit.as_str()]);
    assert_eq!(repo.git(&["status", "--porcelain", "--", "dist", "data"]), "");
    (found, files.lines().map(str::to_owned).collect())
}

fn has(files: &[String], path: &str) -> bool {
    files.iter().any(|file| file == path)
}

fn repo_that_ignores(rule: &str) -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", format!("target/\n*.log\n.env\n{rule}\n"));
    repo.commit_all("rules");
    repo
}

#[test]
fn an_ignored_file_that_the_attempt_committed_stays_committed() {
    for unhides in [true, false] {
        let repo = repo_that_ignores("/dist/");
        let (found, files) = passes(&repo, |repo| {
            if unhides {
                repo.write(".gitignore", "target/\n*.log\n.env\n");
            }
            repo.write("dist/bundle.js", "the work\n");
            repo.git(&["add", "-f", "dist", ".gitignore"]);
            repo.git(&["commit", "-qm", "bundle"]);
            repo.write(".ai/handoffs/2026-02-09_143000.md", "x");
        });
        assert_honest(&found);
        assert!(has(&files, "dist/bundle.js"), "{files:?}");
        assert!(changes(&found).contains(&"A dist/bundle.js".to_owned()));
    }
}

#[test]
fn what_was_edited_after_it_was_committed_is_committed_as_it_is() {
    let repo = repo_that_ignores("/dist/");
    passes(&repo, |repo| {
        repo.write("dist/bundle.js", "first\n");
        repo.git(&["add", "-f", "dist"]);
        repo.git(&["commit", "-qm", "bundle"]);
        repo.write("dist/bundle.js", "second\n");
    });
    assert_eq!(repo.git(&["show", "HEAD:dist/bundle.js"]), "second");
    // And what was taken away again is away.
    let (_, files) = passes(&repo, |repo| {
        repo.write("dist/more.js", "x\n");
        repo.git(&["add", "-f", "dist/more.js"]);
        repo.git(&["commit", "-qm", "more"]);
        repo.remove("dist/more.js");
    });
    assert!(!has(&files, "dist/more.js"), "{files:?}");
}

#[test]
fn a_new_file_that_the_attempts_own_rules_show_is_part_of_it() {
    let repo = repo_that_ignores("/data/");
    let (found, files) = passes(&repo, |repo| {
        repo.write(".gitignore", "target/\n*.log\n.env\n");
        repo.write("data/schema.sql", "create table t;\n");
    });
    assert_honest(&found);
    assert_eq!(changes(&found), ["M .gitignore", "A data/schema.sql"]);
    assert!(has(&files, "data/schema.sql"), "{files:?}");
}

#[test]
fn the_users_files_are_not_committed_though_new_rules_show_them() {
    let repo = Repo::new();
    let (found, files) = passes(&repo, |repo| repo.write(".gitignore", "target/\n"));
    assert_honest(&found);
    assert_eq!(changes(&found), ["M .gitignore"]);
    assert!(!has(&files, ".env") && !has(&files, "notes.log"), "{files:?}");
}

#[test]
fn what_is_shown_of_a_directory_that_was_hidden_is_told_and_not_guessed() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write(".gitignore", "*.log\n.env\n");
    repo.write("target/new", "x");
    let found = workspace.see(&base);
    let told = |path: &str| Breach::NoLongerIgnored { path: RepoPath(path.into()) };
    assert_eq!(found.breaches, [told("target/new"), told("target/out")]);
    assert_eq!(changes(&found), ["M .gitignore"]);
    // An attempt that commits what belongs to it, and keeps the rest hidden, is fine.
    let repo = Repo::new();
    let (found, files) = passes(&repo, |repo| {
        repo.write("target/new", "x");
        repo.git(&["add", "-f", "target/new"]);
        repo.git(&["commit", "-qm", "new"]);
    });
    assert_honest(&found);
    assert!(has(&files, "target/new") && !has(&files, "target/out"), "{files:?}");
}

#[test]
fn a_link_out_of_the_tree_that_new_rules_show_is_told() {
    let repo = repo_that_ignores("/data/");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write(".gitignore", "target/\n*.log\n.env\n");
    std::fs::create_dir(repo.path("data")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", repo.path("data/link")).unwrap();
    let found = workspace.see(&base);
    let told = Breach::SymlinkLeaves { path: RepoPath("data/link".into()) };
    assert_eq!(found.breaches, [told]);
}

#[test]
fn what_the_attempts_own_rules_ignore_is_judged_and_not_committed() {
    let repo = Repo::new();
    let (found, files) = passes(&repo, |repo| {
        repo.write(".gitignore", "target/\n*.log\n.env\nnode_modules/\n.keys\n");
        repo.write(".keys", "KEY=secret\n");
        repo.write("node_modules/x/index.js", "x\n");
        repo.write("src/new.rs", "new\n");
        repo.write("src/meant.keys", "no rule names it\n");
    });
    assert!(!has(&files, ".keys") && !has(&files, "node_modules/x/index.js"), "{files:?}");
    assert!(
        has(&files, ".gitignore") && has(&files, "src/new.rs") && has(&files, "src/meant.keys")
    );
    let told: Vec<String> = found.not_committed.iter().map(ToString::to_string).collect();
    assert_eq!(told, [".keys", "node_modules/x/index.js"]);
    let judged = changes(&found);
    assert!(
        judged.contains(&"I .keys".to_owned()),
        "rules hide nothing from the judge: {judged:?}"
    );
    assert_eq!(repo.read(".keys"), "KEY=secret\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_the_attempt_added_itself_is_committed_though_its_rules_ignore_it() {
    let staged: fn(&Repo) = |repo| {
        repo.write(".gitignore", "*.gen\n");
        repo.write("src/a.gen", "a\n");
        repo.git(&["add", "-f", "src/a.gen"]);
    };
    let committed: fn(&Repo) = |repo| {
        repo.write(".gitignore", "*.gen\n");
        repo.write("src/a.gen", "a\n");
        repo.git(&["add", "-f", "src/a.gen"]);
        repo.git(&["commit", "-qm", "meant"]);
        repo.write("src/b.rs", "b\n");
    };
    for act in [staged, committed] {
        let repo = Repo::new();
        let (found, files) = passes(&repo, act);
        assert!(has(&files, "src/a.gen") && found.not_committed.is_empty(), "{files:?}");
    }
}
