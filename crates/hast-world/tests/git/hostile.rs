//! A repository whose config, attributes and hooks want to run a program. The marker must not
//! appear, whatever is done.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{CommitPlan, GitResult, GitStep, Identity, perform};

use crate::fixture::{Repo, Steps, at, commit_plan, rules};

/// A program that leaves a marker, and where that would be.
fn trap(repo: &Repo) -> (String, std::path::PathBuf) {
    let marker = repo.dir.path().join("marker");
    let script = repo.dir.path().join("trap");
    repo.write("../trap", format!("#!/bin/sh\ntouch '{}'\ncat\n", marker.display()));
    repo.mode("../trap", 0o755);
    (script.display().to_string(), marker)
}

fn set_traps(repo: &Repo, trap: &str) {
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.gitProxy",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "sequence.editor",
        "credential.helper",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "merge.evil.driver",
        "gpg.program",
        "gpg.ssh.program",
        "pager.status",
        "pager.diff-tree",
        "uploadpack.packObjectsHook",
    ] {
        repo.git(&["config", key, trap]);
    }
    for (key, value) in [
        ("alias.status", format!("!{trap}")),
        ("commit.gpgSign", "true".into()),
        ("log.showSignature", "true".into()),
        ("interactive.diffFilter", trap.to_owned()),
        ("remote.origin.url", "ext::".to_owned() + trap),
        ("extensions.partialClone", "origin".into()),
    ] {
        repo.git(&["config", key, &value]);
    }
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "post-rewrite",
        "pre-auto-gc",
        "fsmonitor-watchman",
    ] {
        repo.write(&format!(".git/hooks/{hook}"), format!("#!/bin/sh\n{trap}\n"));
        repo.mode(&format!(".git/hooks/{hook}"), 0o755);
    }
}

fn set_filters(repo: &Repo, trap: &str) {
    for word in ["clean", "smudge", "process"] {
        repo.git(&["config", &format!("filter.evil.{word}"), trap]);
    }
    repo.git(&["config", "filter.evil.required", "true"]);
}

#[test]
fn a_hostile_config_of_the_repository_runs_nothing() {
    let repo = Repo::new();
    let (program, marker) = trap(&repo);
    repo.write(".gitattributes", "*.rs filter=evil diff=evil merge=evil\n");
    repo.commit_all("attributes");
    set_traps(&repo, &program);
    repo.git(&["config", "--global", "gpg.program", "false"]);
    let _ = std::fs::remove_file(&marker);
    perform(&mut repo.open(), &GitStep::Look { rules: rules() });
    let (room, mut workspace) = repo.enter("M1");
    let base = workspace.start(&rules());
    room.write("src/lib.rs", "2\n");
    room.write("src/new.rs", "3\n");
    let found = workspace.see(&base);
    // That commits are to be signed is the user's wish, too; by what, is not the repository's to say.
    let plan = commit_plan(&found);
    let signed = perform(&mut workspace, &GitStep::Build { plan: plan.clone() });
    assert!(matches!(signed, GitResult::Refused(GitProblem::NotSigned { .. })), "{signed:?}");
    let identity = Identity::Named { name: "hast".into(), email: "hast@localhost".into() };
    let plan = CommitPlan { identity, ..plan };
    let GitResult::Built { commit } = perform(&mut workspace, &GitStep::Build { plan }) else {
        panic!()
    };
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    let (branch, from) = (base.branch().to_owned(), found.head.clone());
    let advance = GitStep::Advance { branch, from, to: commit };
    assert_eq!(perform(&mut workspace, &advance), GitResult::Advanced);
    let undo = GitStep::Restore { name: saved.work().name.clone(), since: None, rules: rules() };
    perform(&mut repo.open(), &undo);
    perform(&mut repo.open(), &GitStep::ListRefs);
    assert!(!marker.exists());
}

#[test]
fn a_trap_that_an_agent_sets_does_not_spring_when_it_is_inspected() {
    let repo = Repo::new();
    let (program, marker) = trap(&repo);
    let (room, mut workspace) = repo.enter("M1");
    let base = workspace.start(&rules());
    room.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
    room.write("src/lib.rs", "2\n");
    set_filters(&room, &program);
    set_traps(&room, &program);
    room.write(".git/config.worktree", format!("[core]\n\tfsmonitor = {program}\n"));
    room.git(&["config", "extensions.worktreeConfig", "true"]);
    let _ = std::fs::remove_file(&marker);
    workspace.see(&base);
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert!(!marker.exists());
}

#[test]
fn a_filter_that_only_the_repository_defines_is_refused_at_the_start() {
    let repo = Repo::new();
    let (program, marker) = trap(&repo);
    set_filters(&repo, &program);
    let record = GitStep::Record { key: "x".into(), rules: rules(), at: at() };
    let (_, mut workspace) = repo.enter("M1");
    let refused = perform(&mut workspace, &record);
    let problem = GitProblem::RepositoryFilter { name: "evil".into() };
    assert_eq!(refused, GitResult::Refused(problem));
    assert!(!marker.exists());
}

#[test]
fn the_users_own_filter_keeps_working() {
    let repo = Repo::new();
    repo.write(
        "../home/.gitconfig",
        "[filter \"upper\"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n\trequired = true\n",
    );
    repo.write(".gitattributes", "*.up filter=upper\n");
    repo.write("x.up", "abc\n");
    repo.commit_all("filtered");
    assert_eq!(repo.git(&["show", "HEAD:x.up"]), "ABC");
    let (room, mut workspace) = repo.enter("M1");
    let base = workspace.start(&rules());
    room.write("x.up", "def\n");
    let found = workspace.see(&base);
    let saved = workspace.put_safe(&base);
    assert_eq!(repo.git(&["show", &format!("{}:x.up", found.tree)]), "DEF");
    workspace.back(&base, &saved);
    assert_eq!(room.read("x.up"), "abc\n");
}
