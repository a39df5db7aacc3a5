//! Looking, hooks, commits that are made once, saving again.

use hast_flow::attempt::base::attempt_ref;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, GitResult, GitStep, Head, HookVerdict, Identity, Looked, UncommittedKind,
    perform,
};
use hast_world::git::Checkout;

use crate::fixture::{HANDOFF, Repo, Steps, at, changes, commit_plan, protected, rules};

fn look(workspace: &mut Checkout) -> Looked {
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
    repo.git(&["checkout", "-q", "main"]);
    repo.write(".git/MERGE_HEAD", repo.head().as_str());
    assert_eq!(look(&mut workspace).in_progress.as_deref(), Some("merge"));

    repo.git_in(repo.dir.path(), &["init", "-q", "-b", "main", "fresh"]);
    let fresh = repo.dir.path().join("fresh");
    let mut fresh = Checkout::open(&fresh, repo.environment.clone()).unwrap();
    assert_eq!(look(&mut fresh).head, Head::Unborn { name: "refs/heads/main".into() });
    let nowhere = Checkout::open(repo.dir.path(), repo.environment.clone());
    assert!(matches!(nowhere, Err(GitProblem::NotARepository { .. })));
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

/// The hooks' answer to an attempt that adds a file, and the same again.
fn verdict(repo: &Repo) -> HookVerdict {
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write("a", "1");
    let plan = commit_plan(&steps.see(&base));
    let hooks = GitStep::RunHooks { plan, base };
    let GitResult::Hooks(verdict) = perform(&mut steps, &hooks) else { panic!() };
    assert_eq!(perform(&mut steps, &hooks), GitResult::Hooks(verdict.clone()));
    verdict
}

#[test]
fn the_users_hooks_run_on_what_would_be_committed() {
    let repo = Repo::new();
    with_hook(&repo, "pre-commit", "test \"$(git diff --cached --name-only)\" = a");
    with_hook(&repo, "commit-msg", "echo 'Signed: yes' >> \"$1\"");
    let HookVerdict::Passed { message } = verdict(&repo) else { panic!() };
    assert!(message.ends_with("Signed: yes\n"), "{message}");
}

#[test]
fn a_hooks_refusal_is_a_result_with_its_words() {
    let repo = Repo::new();
    with_hook(&repo, "pre-commit", "echo 'no tabs please' >&2; exit 1");
    let refused = HookVerdict::Refused { hook: "pre-commit".into(), said: "no tabs please".into() };
    assert_eq!(verdict(&repo), refused);
}

#[test]
fn a_hook_that_changes_the_content_is_told() {
    let repo = Repo::new();
    with_hook(&repo, "pre-commit", "echo 2 > a; git add a");
    let HookVerdict::Rewrote { hook, tree } = verdict(&repo) else { panic!() };
    assert_eq!(
        (hook.as_str(), repo.git(&["show", &format!("{tree}:a")]).trim()),
        ("pre-commit", "2")
    );
    let repo = Repo::new();
    // What only the index has is in no file that the tests could run on.
    with_hook(&repo, "pre-commit", "echo 3 > a; git add a; echo 1 > a");
    let changed = HookVerdict::ChangedContent { hook: "pre-commit".into() };
    assert_eq!(verdict(&repo), changed);
}

#[test]
fn saving_the_same_tree_again_is_the_same_save() {
    let repo = Repo::new();
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write("a", "1");
    let first = steps.put_safe(&base);
    assert_eq!(steps.put_safe(&base), first);
    assert_eq!(repo.git(&["rev-list", "--count", &attempt_ref("M1", 1)]), "2");
}

#[test]
fn the_index_of_a_sparse_or_missing_checkout_follows_a_commit_of_one_file() {
    let commit = |repo: &Repo, from: &hast_flow::attempt::base::ObjectId| {
        let (path, text) = (".ai/goals.yaml".to_owned(), "goals: [1]\n".to_owned());
        let plan = CommitPlan {
            content: Content::Text { path, text },
            parent: from.clone(),
            message: "goals\n".into(),
            at: at(),
            identity: Identity::Users,
        };
        let built = perform(&mut repo.open(), &GitStep::Build { plan });
        let GitResult::Built { commit } = built else { panic!("{built:?}") };
        let (branch, from) = ("refs/heads/main".to_owned(), from.clone());
        let step = GitStep::Advance { branch, from, to: commit };
        assert_eq!(perform(&mut repo.open(), &step), GitResult::Advanced);
    };
    let repo = Repo::new();
    repo.git(&["sparse-checkout", "set", "--no-cone", "/src/", "/.gitignore"]);
    commit(&repo, &repo.head());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(!repo.path(".ai/goals.yaml").exists());
    let repo = Repo::new();
    repo.remove(".git/index");
    commit(&repo, &repo.head());
    assert_eq!(repo.git(&["status", "--porcelain"]), " M .ai/goals.yaml");
}

#[test]
fn kept_work_comes_back_with_its_handoff_that_the_user_has_by_now() {
    let repo = Repo::new();
    let path = ".ai/handoffs/2026-02-09_143000.md";
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write("src/new.rs", "new");
    room.write(path, HANDOFF);
    steps.see(&base);
    let saved = steps.put_safe(&base);
    steps.back(&base, &saved);
    repo.write(path, HANDOFF);
    let base = steps.start(&rules());
    assert!(room.path(path).exists(), "an agent would read it");
    let restore = GitStep::Restore { name: saved.work().name.clone(), since: None, rules: rules() };
    let done = perform(&mut steps, &restore);
    assert!(matches!(&done, GitResult::Restored { paths } if paths.len() == 2), "{done:?}");
    let found = steps.see(&base);
    let names: Vec<&str> = found.handoffs.iter().map(|file| &*file.name).collect();
    assert_eq!((names, protected(&found)), (vec!["2026-02-09_143000.md"], Vec::new()));
    assert_eq!(changes(&found), ["A src/new.rs"]);
}
