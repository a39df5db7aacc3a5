//! Looking, hooks, commits that are made once, saving again.

use hast_flow::attempt::base::attempt_ref;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, GitResult, GitStep, Head, HookVerdict, Identity, Looked, Reach,
    UncommittedKind, perform,
};
use hast_world::git::RealWorkspace;

use crate::fixture::{Repo, Steps, at, commit_plan, rules, save_plan};

fn look(workspace: &mut RealWorkspace) -> Looked {
    match perform(workspace, &GitStep::Look { rules: rules() }) {
        GitResult::Looked(looked) => looked,
        other => panic!("{other:?}"),
    }
}

#[test]
fn looking_names_the_users_files_and_leaves_out_the_machines() {
    let repo = Repo::new();
    assert!(look(&mut repo.open()).uncommitted.is_empty());
    repo.write("src/lib.rs", "2");
    repo.write("new", "1");
    repo.write("staged", "1");
    repo.git(&["add", "staged"]);
    repo.remove("staged");
    // Even where nobody ignores them.
    repo.remove(".ai/.gitignore");
    let looked = look(&mut repo.open());
    let named: Vec<(&str, bool)> = looked
        .uncommitted
        .iter()
        .map(|file| (file.path.as_str(), file.kind == UncommittedKind::Untracked))
        .collect();
    let wanted =
        [(".ai/.gitignore", false), ("src/lib.rs", false), ("staged", false), ("new", true)];
    assert_eq!(named, wanted);
}

#[test]
fn looking_tells_a_detached_an_unborn_and_a_busy_repository() {
    let repo = Repo::new();
    repo.git(&["checkout", "-q", "--detach"]);
    let mut workspace = repo.open();
    assert_eq!(look(&mut workspace).head, Head::Detached { commit: repo.head() });
    let record = GitStep::Record { key: "x".into(), rules: rules(), at: at() };
    assert_eq!(perform(&mut workspace, &record), GitResult::Refused(GitProblem::Detached));
    repo.git(&["checkout", "-q", "main"]);
    repo.write(".git/MERGE_HEAD", repo.head().as_str());
    assert_eq!(look(&mut workspace).in_progress.as_deref(), Some("merge"));
    let busy = GitProblem::InProgress { what: "merge".into() };
    assert_eq!(perform(&mut workspace, &record), GitResult::Refused(busy));

    repo.git_in(repo.dir.path(), &["init", "-q", "-b", "main", "fresh"]);
    let fresh = repo.dir.path().join("fresh");
    let mut fresh = RealWorkspace::open(&fresh, repo.environment.clone()).unwrap();
    assert_eq!(look(&mut fresh).head, Head::Unborn { name: "refs/heads/main".into() });
    assert_eq!(perform(&mut fresh, &record), GitResult::Refused(GitProblem::NoFirstCommit));
    let nowhere = RealWorkspace::open(repo.dir.path(), repo.environment.clone());
    assert!(matches!(nowhere, Err(GitProblem::NotARepository { .. })));
}

#[test]
fn the_same_plan_makes_the_same_commit_and_it_is_moved_to_once() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("a", "1");
    let found = workspace.see(&base);
    let build = GitStep::Build { plan: commit_plan(&found) };
    let GitResult::Built { commit } = perform(&mut workspace, &build) else { panic!() };
    assert_eq!(perform(&mut repo.open(), &build), GitResult::Built { commit: commit.clone() });
    assert_eq!(repo.head(), found.head);
    let branch = base.branch().to_owned();
    let advance = GitStep::Advance { branch, from: found.head.clone(), to: commit.clone() };
    for _ in 0..2 {
        assert_eq!(perform(&mut workspace, &advance), GitResult::Advanced);
        assert_eq!(perform(&mut repo.open(), &advance), GitResult::Advanced);
    }
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2");
    assert_eq!(
        repo.git(&["log", "-1", "--format=%an <%ae> %ad", "--date=unix"]),
        "hast <hast@localhost> 1770615000"
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_branch_that_somebody_else_moved_is_not_moved() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("a", "1");
    let found = workspace.see(&base);
    let build = GitStep::Build { plan: commit_plan(&found) };
    let GitResult::Built { commit } = perform(&mut workspace, &build) else { panic!() };
    repo.git(&["commit", "-q", "--allow-empty", "-m", "the user's"]);
    let theirs = repo.head();
    let (branch, from) = (base.branch().to_owned(), found.head);
    let advanced = perform(&mut workspace, &GitStep::Advance { branch, from, to: commit });
    assert!(matches!(advanced, GitResult::Refused(GitProblem::Moved { .. })), "{advanced:?}");
    assert_eq!(repo.head(), theirs);
}

#[test]
fn one_file_alone_is_committed() {
    let repo = Repo::new();
    repo.write("src/lib.rs", "the user's, staged\n");
    repo.git(&["add", "src/lib.rs"]);
    repo.write(".ai/goals.yaml", "goals: [1]\n");
    repo.write(".ai/rules.md", "not this one\n");
    let mut workspace = repo.open();
    let plan = CommitPlan {
        content: Content::File { path: ".ai/goals.yaml".into() },
        parent: repo.head(),
        message: "goals: M1 is done\n".into(),
        at: at(),
        identity: Identity::Named { name: "me".into(), email: "me@x".into() },
    };
    let from = plan.parent.clone();
    let built = perform(&mut workspace, &GitStep::Build { plan });
    let GitResult::Built { commit } = built else { panic!("{built:?}") };
    let branch = "refs/heads/main".to_owned();
    perform(&mut workspace, &GitStep::Advance { branch, from, to: commit });
    assert_eq!(repo.git(&["show", "--format=", "--name-only", "HEAD"]), ".ai/goals.yaml");
    assert_eq!(repo.git(&["status", "--porcelain"]), " M .ai/rules.md\nM  src/lib.rs");
}

#[test]
fn one_file_is_committed_and_the_index_of_the_user_follows_it() {
    let repo = Repo::new();
    repo.git(&["update-index", "--assume-unchanged", "src/lib.rs"]);
    let mut workspace = repo.open();
    for number in 1..=2 {
        repo.write(".ai/goals.yaml", format!("goals: [{number}]\n"));
        let plan = CommitPlan {
            content: Content::File { path: ".ai/goals.yaml".into() },
            parent: repo.head(),
            message: "goals\n".into(),
            at: at(),
            identity: Identity::Users,
        };
        let from = plan.parent.clone();
        let built = perform(&mut workspace, &GitStep::Build { plan });
        let GitResult::Built { commit } = built else { panic!("{built:?}") };
        if number == 2 {
            // Staged in between: it stays staged.
            repo.write("later", "l");
            repo.git(&["add", "later"]);
        }
        let branch = "refs/heads/main".to_owned();
        perform(&mut workspace, &GitStep::Advance { branch, from, to: commit });
        assert_eq!(repo.git(&["show", "--format=", "--name-only", "HEAD"]), ".ai/goals.yaml");
        let status = if number == 2 { "A  later" } else { "" };
        assert_eq!(repo.git(&["status", "--porcelain"]), status);
        assert_eq!(repo.git(&["ls-files", "-v", "src/lib.rs"]), "h src/lib.rs");
    }
}

fn with_hook(repo: &Repo, name: &str, script: &str) {
    let path = format!(".git/hooks/{name}");
    repo.write(&path, format!("#!/bin/sh\n{script}\n"));
    repo.mode(&path, 0o755);
}

fn verdict(repo: &Repo, act: impl FnOnce(&Repo)) -> HookVerdict {
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("a", "1");
    let found = workspace.see(&base);
    act(repo);
    match perform(
        &mut workspace,
        &GitStep::RunHooks { plan: commit_plan(&found), base: base.clone() },
    ) {
        GitResult::Hooks(verdict) => verdict,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_users_hooks_run_on_what_would_be_committed() {
    let repo = Repo::new();
    with_hook(&repo, "pre-commit", "test \"$(git diff --cached --name-only)\" = a");
    with_hook(&repo, "commit-msg", "echo 'Signed: yes' >> \"$1\"");
    let HookVerdict::Passed { message, .. } = verdict(&repo, |_| {}) else { panic!() };
    assert!(message.ends_with("Signed: yes\n"), "{message}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? a");
}

#[test]
fn a_hooks_refusal_is_a_result_with_its_words() {
    let repo = Repo::new();
    with_hook(&repo, "pre-commit", "echo 'no tabs please' >&2; exit 1");
    let refused = HookVerdict::Refused { hook: "pre-commit".into(), said: "no tabs please".into() };
    assert_eq!(verdict(&repo, |_| {}), refused);
}

#[test]
fn a_hook_that_changes_the_content_is_told() {
    let repo = Repo::new();
    with_hook(&repo, "pre-commit", "echo 2 > a; git add a");
    let changed = HookVerdict::ChangedContent { hook: "pre-commit".into() };
    assert_eq!(verdict(&repo, |_| {}), changed);
}

#[test]
fn a_hook_that_came_up_after_the_inspection_does_not_run() {
    let repo = Repo::new();
    let marker = repo.dir.path().join("marker");
    let verdict = verdict(&repo, |repo| {
        with_hook(repo, "pre-commit", &format!("touch {}", marker.display()));
    });
    assert!(matches!(verdict, HookVerdict::Passed { .. }));
    assert!(!marker.exists());
}

/// What a hook runs lies in the tree, and is judged by nobody after the hooks.
#[test]
fn what_the_hooks_did_to_refs_settings_and_ignored_files_is_undone() {
    let repo = Repo::new();
    repo.git(&["tag", "v0"]);
    repo.git(&["branch", "other"]);
    let refs = repo.git(&["for-each-ref", "refs/heads", "refs/tags"]);
    with_hook(
        &repo,
        "pre-commit",
        "git tag -f v0 HEAD^{tree}; git branch -D other; git branch evil\n\
         echo '# evil' >> .git/config; rm .env notes.log; mkdir notes.log",
    );
    let strayed = ["refs/heads/evil", "refs/heads/other", "refs/tags/v0"].map(str::to_owned);
    assert_eq!(verdict(&repo, |_| {}), HookVerdict::Strayed { what: strayed.to_vec() });
    assert_eq!(repo.git(&["for-each-ref", "refs/heads", "refs/tags"]), refs);
    assert!(!repo.read(".git/config").contains("evil"));
    assert_eq!(repo.read(".env"), "KEY=1");
    let held = std::fs::read_dir(repo.path(".git/hast/aside")).unwrap();
    let held = held.flatten().find(|it| it.file_name().to_string_lossy().starts_with("ignored"));
    assert_eq!(std::fs::read(held.unwrap().path().join("0-notes.log")).unwrap(), b"mine");
}

#[test]
fn an_ignored_file_that_a_hook_deletes_is_back_and_told_and_the_commit_is_made() {
    let repo = Repo::new();
    with_hook(&repo, "commit-msg", "rm -f .env");
    let HookVerdict::Passed { ignored, .. } = verdict(&repo, |_| {}) else { panic!() };
    assert_eq!((ignored.back, repo.read(".env")), (vec![".env".to_owned()], "KEY=1".into()));
    // The same where they refuse, and where a process died with them before.
    for last in ["rm -f .env; exit 1", "rm -f .env"] {
        let repo = Repo::new();
        with_hook(&repo, "commit-msg", last);
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("a", "1");
        let found = workspace.see(&base);
        let step = GitStep::RunHooks { plan: commit_plan(&found), base: base.clone() };
        perform(&mut workspace, &step);
        perform(&mut repo.open(), &step);
        assert_eq!(repo.read(".env"), "KEY=1");
    }
}

#[test]
fn refs_that_the_tests_moved_are_back_before_a_commit() {
    let repo = Repo::new();
    repo.git(&["tag", "v0"]);
    let verdict = verdict(&repo, |repo| drop(repo.git(&["tag", "-d", "v0"])));
    assert!(matches!(verdict, HookVerdict::Passed { .. }));
    assert_eq!(repo.git(&["tag"]), "v0");
}

#[test]
fn nor_does_it_where_another_process_commits_what_was_inspected() {
    let repo = Repo::new();
    let marker = repo.dir.path().join("marker");
    let base = repo.open().start(&rules());
    repo.write("a", "1");
    let found = repo.open().see(&base);
    with_hook(&repo, "pre-commit", &format!("touch {}", marker.display()));
    repo.git(&["config", "core.fsmonitor", "evil"]);
    let step = GitStep::RunHooks { plan: commit_plan(&found), base };
    let verdict = perform(&mut repo.open(), &step);
    assert!(matches!(verdict, GitResult::Hooks(HookVerdict::Passed { .. })), "{verdict:?}");
    assert!(!marker.exists());
}

#[test]
fn what_a_guard_replaces_is_kept_aside_and_the_tree_stays() {
    let repo = Repo::new();
    let base = repo.open().start(&rules());
    with_hook(&repo, "pre-commit", "exit 1");
    repo.git(&["config", "remote.mine.url", "elsewhere"]);
    repo.write("src/lib.rs", "edited\n");
    let guard = GitStep::Guard { base, reach: Reach::OfGitButRefs };
    let GitResult::Guarded(found) = perform(&mut repo.open(), &guard) else { panic!() };
    assert_eq!(found.files, [".git/config", ".git/hooks/pre-commit"]);
    assert_eq!(repo.read("src/lib.rs"), "edited\n");
    assert!(!repo.read(".git/config").contains("elsewhere"));
    let aside = std::path::PathBuf::from(found.aside.unwrap());
    let kept = |name: &str| std::fs::read_to_string(aside.join(name)).unwrap();
    assert!(kept("0-.git%2Fconfig").contains("elsewhere"));
    assert!(kept("0-.git%2Fhooks%2Fpre-commit").contains("exit 1"));
}

#[test]
fn hooks_in_the_tree_are_protected() {
    let repo = Repo::new();
    repo.write(".husky/pre-commit", "#!/bin/sh\nexit 0\n");
    repo.mode(".husky/pre-commit", 0o755);
    repo.commit_all("husky");
    repo.git(&["config", "core.hooksPath", ".husky"]);
    let marker = repo.dir.path().join("marker");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write(".husky/pre-commit", format!("#!/bin/sh\ntouch {}\n", marker.display()));
    let found = workspace.see(&base);
    assert_eq!(crate::fixture::protected(&found), [".husky/pre-commit"]);
    perform(&mut workspace, &GitStep::RunHooks { plan: commit_plan(&found), base: base.clone() });
    assert!(!marker.exists());
}

#[test]
fn a_file_edited_after_the_save_stays_and_is_named() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/lib.rs", "the agent's\n");
    let saved = workspace.put_safe(&base);
    repo.write("src/lib.rs", "the user's, just now\n");
    let refused = workspace.try_back(&base, &saved);
    let edited = GitProblem::EditedSince { paths: vec!["src/lib.rs".into()] };
    assert_eq!(refused, Err(edited));
    assert_eq!(repo.read("src/lib.rs"), "the user's, just now\n");
    // Saved again, both are on the ref.
    let again = workspace.put_safe(&base);
    assert_ne!(again.work().commit, saved.work().commit);
    workspace.back(&base, &again);
    let name = attempt_ref("M1", 1);
    assert_eq!(repo.git(&["show", &format!("{name}:src/lib.rs")]), "the user's, just now");
    assert_eq!(repo.git(&["show", &format!("{name}^2:src/lib.rs")]), "the agent's");
}

#[test]
fn saving_the_same_tree_again_is_the_same_save() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("a", "1");
    let first = workspace.put_safe(&base);
    assert_eq!(repo.open().put_safe(&base), first);
    assert_eq!(repo.git(&["rev-list", "--count", &attempt_ref("M1", 1)]), "2");
}

#[test]
fn a_save_without_a_base_keeps_what_a_recovery_finds() {
    let repo = Repo::new();
    repo.write("a", "1");
    repo.remove("tests/it.rs");
    let GitResult::Saved(saved) = perform(&mut repo.open(), &GitStep::Save(save_plan(None))) else {
        panic!()
    };
    let kept = repo.git(&["diff", "--name-status", "HEAD", saved.work().commit.as_str()]);
    assert_eq!(kept, "A\ta\nD\ttests/it.rs");
    assert_eq!(repo.git(&["status", "--porcelain"]), " D tests/it.rs\n?? a");
}

#[test]
fn a_lock_of_the_index_that_we_died_with_is_gone_and_another_one_stays() {
    // More than any process has.
    let left = ".git/hast/lock-4999999-0";
    let repo = Repo::new();
    drop(repo.open());
    repo.write(left, "an index");
    let lock = repo.top().join(".git/index.lock");
    std::fs::hard_link(repo.top().join(left), &lock).unwrap();
    let mut workspace = repo.open();
    assert!(!lock.exists() && !repo.top().join(left).exists());
    workspace.start(&rules());
    repo.write(left, "an index");
    repo.write(".git/index.lock", "an index");
    drop(repo.open());
    assert!(lock.exists(), "another git's");
}

#[test]
fn another_git_at_work_is_told_with_its_lock() {
    let repo = Repo::new();
    repo.write(".git/index.lock", "");
    let record = GitStep::Record { key: "x".into(), rules: rules(), at: at() };
    let refused = perform(&mut repo.open(), &record);
    assert!(matches!(refused, GitResult::Refused(GitProblem::Locked { .. })), "{refused:?}");
}
