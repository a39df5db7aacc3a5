//! Commits in a repository whose user signs what they commit, by a program that stands for `gpg`.

use crate::fixture::*;
use crate::worktrees::trees;
use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{GitResult, GitStep, perform};
use hast_flow::attempt::worktrees::TreeName;
use hast_world::git::RoomWorkspace;

/// Prints another signature each time.
const SIGNS: &str = "#!/bin/sh\ncat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED D\\n' >&2\necho '-----BEGIN PGP SIGNATURE-----'\ndate +%s%N\necho '-----END PGP SIGNATURE-----'\n";

fn signing(repo: &Repo, script: &str) {
    repo.write("../home/signs", script);
    repo.mode("../home/signs", 0o755);
    let program = repo.path("../home/signs").display().to_string();
    repo.git(&["config", "--global", "gpg.program", &program]);
    repo.git(&["config", "--global", "commit.gpgsign", "true"]);
    repo.git(&["config", "--global", "user.name", "User"]);
    repo.git(&["config", "--global", "user.email", "user@localhost"]);
}

fn build(workspace: &mut RoomWorkspace, found: &Inspection) -> Result<ObjectId, GitProblem> {
    match perform(workspace, &GitStep::Build { plan: commit_plan(found) }) {
        GitResult::Built { commit } => Ok(commit),
        GitResult::Refused(problem) => Err(problem),
        other => panic!("{other:?}"),
    }
}

fn worked(repo: &Repo) -> (RoomWorkspace, hast_flow::attempt::base::Base, Inspection) {
    let (room, mut workspace) = repo.enter("M1");
    let base = workspace.start(&rules());
    room.write("src/new.rs", "new\n");
    let found = workspace.see(&base);
    (workspace, base, found)
}

fn text(repo: &Repo, commit: &ObjectId) -> String {
    repo.git(&["cat-file", "commit", commit.as_str()])
}

#[test]
fn a_commit_for_the_user_is_signed_and_made_once() {
    let repo = Repo::new();
    signing(&repo, SIGNS);
    let (mut workspace, base, found) = worked(&repo);
    let first = build(&mut workspace, &found).unwrap();
    let said = text(&repo, &first);
    assert!(said.contains("gpgsig -----BEGIN PGP SIGNATURE-----"), "{said}");
    assert!(said.contains("author User <user@localhost> 1770615000 +0000"), "{said}");
    assert!(said.ends_with("feat(M1): it\n\nHast-Goal: M1"), "{said}");
    // Another process that builds it again, before or after the branch moved, finds the same one.
    assert_eq!(build(&mut again(&repo), &found).unwrap(), first);
    let (branch, from) = (base.branch().to_owned(), found.head.clone());
    let advance = GitStep::Advance { branch, from, to: first.clone() };
    assert_eq!(perform(&mut workspace, &advance), GitResult::Advanced);
    assert_eq!(build(&mut again(&repo), &found).unwrap(), first);
    assert_eq!(perform(&mut again(&repo), &advance), GitResult::Advanced);
    assert_eq!(repo.git(&["rev-parse", base.branch()]), first.as_str());
}

#[test]
fn what_is_remembered_of_a_signature_is_not_believed_where_it_says_something_else() {
    let repo = Repo::new();
    signing(&repo, SIGNS);
    let (mut workspace, _, found) = worked(&repo);
    let first = build(&mut workspace, &found).unwrap();
    let memory = repo.path(".git/hast/signed");
    let remembered = std::fs::read_dir(memory).unwrap().next().unwrap().unwrap().file_name();
    let name = format!(".git/hast/signed/{}", remembered.to_str().unwrap());
    for planted in [repo.head().to_string(), "x".repeat(40), "a".repeat(40)] {
        repo.write(&name, planted);
        let again = build(&mut workspace, &found).unwrap();
        assert_ne!(again, repo.head());
        assert!(text(&repo, &again).contains("gpgsig"));
    }
    assert_ne!(build(&mut workspace, &found).unwrap(), first);
}

#[test]
fn a_signature_that_cannot_be_made_refuses_the_commit_and_says_why() {
    let repo = Repo::new();
    signing(&repo, "#!/bin/sh\necho 'gpg: no secret key' >&2\nexit 2\n");
    let (mut workspace, base, found) = worked(&repo);
    let refused = build(&mut workspace, &found).unwrap_err();
    let GitProblem::NotSigned { said } = &refused else { panic!("{refused:?}") };
    assert!(said.contains("no secret key"), "{said}");
    assert!(refused.is_everybodys());
    // What only hast reads needs no signature.
    let saved = workspace.put_safe(&base);
    assert!(!text(&repo, &saved.work().commit).contains("gpgsig"));
    repo.git(&["config", "commit.gpgsign", "false"]);
    drop(workspace);
    let commit = build(&mut again(&repo), &found).unwrap();
    assert!(!text(&repo, &commit).contains("gpgsig"));
}

/// The same room for a process that knows nothing of the one before.
fn again(repo: &Repo) -> RoomWorkspace {
    trees(repo).workspace(&TreeName::of("M1")).unwrap()
}

#[test]
fn a_program_that_only_the_repository_names_does_not_sign() {
    let repo = Repo::new();
    signing(&repo, SIGNS);
    let marker = repo.dir.path().join("marker");
    repo.write("../evil", format!("#!/bin/sh\ntouch {}\nexit 1\n", marker.display()));
    repo.mode("../evil", 0o755);
    repo.git(&["config", "gpg.program", &repo.path("../evil").display().to_string()]);
    let (mut workspace, _, found) = worked(&repo);
    assert!(text(&repo, &build(&mut workspace, &found).unwrap()).contains("gpgsig"));
    assert!(!marker.exists());
}
