//! Fetches happen by themselves: editors, git's own maintenance and agents do it. What they bring goes back
//! with an attempt, is told, and fails nobody. What only looks like it does.

use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::given_back::Meanwhile;
use hast_flow::attempt::inspection::Inspection;

use crate::fixture::{Act, Repo, assert_honest, attempt};

fn told(found: &Inspection) -> Vec<(&str, Meanwhile)> {
    found.given_back.refs.iter().map(|one| (one.name.as_str(), one.was)).collect()
}

/// A clone in whose origin a branch has moved, one is new, and one is gone.
fn repo() -> Repo {
    let repo = Repo::new();
    let origin = repo.dir.path().join("origin.git");
    let there = |args: &[&str]| repo.git_in(&origin, args);
    repo.git(&["branch", "gone"]);
    repo.git(&["clone", "-q", "--bare", ".", &origin.display().to_string()]);
    repo.git(&["remote", "add", "origin", &origin.display().to_string()]);
    repo.git(&["fetch", "-q"]);
    repo.git(&["branch", "-q", "-D", "gone"]);
    let commit = there(&["commit-tree", "-p", "main", "-m", "of others", "main^{tree}"]);
    there(&["update-ref", "refs/heads/main", &commit]);
    there(&["branch", "-q", "new"]);
    there(&["branch", "-q", "-D", "gone"]);
    repo
}

#[test]
fn a_fetch_beside_or_by_an_attempt_is_put_back_and_fails_nobody() {
    let fetched = ("refs/remotes/origin/main", Meanwhile::Moved);
    let made = ("refs/remotes/origin/new", Meanwhile::Made);
    let gone = ("refs/remotes/origin/gone", Meanwhile::Deleted);
    let acts: [(Act, &[(&str, Meanwhile)]); 3] = [
        (
            |repo| {
                repo.git(&["fetch", "-q"]);
            },
            &[fetched, made],
        ),
        (
            |repo| {
                repo.git(&["fetch", "-q", "--prune"]);
                repo.git(&["remote", "set-head", "origin", "main"]);
                repo.git(&["pack-refs", "--all"]);
            },
            &[gone, ("refs/remotes/origin/HEAD", Meanwhile::Made), fetched, made],
        ),
        (
            |repo| {
                repo.git(&["maintenance", "run", "--task=prefetch", "--quiet"]);
            },
            &[
                ("refs/prefetch/remotes/origin/main", Meanwhile::Made),
                ("refs/prefetch/remotes/origin/new", Meanwhile::Made),
            ],
        ),
    ];
    for (act, wanted) in acts {
        let repo = repo();
        let found = attempt(&repo, |repo| {
            repo.write("src/lib.rs", "honest work");
            act(repo);
        });
        assert_honest(&found);
        let mut wanted = wanted.to_vec();
        wanted.sort_unstable();
        assert_eq!(told(&found), wanted);
        for one in &found.given_back.refs {
            if let Some(kept) = &one.at {
                repo.git(&["rev-parse", "--verify", kept]);
            }
        }
    }
}

#[test]
fn a_forged_remote_branch_does_not_stay() {
    let found = attempt(&repo(), |repo| {
        repo.commit_all("unjudged");
        repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        repo.git(&["update-ref", "refs/remotes/evil/main", "HEAD"]);
    });
    assert_honest(&found);
    let names: Vec<&str> = told(&found).iter().map(|one| one.0).collect();
    assert_eq!(names, ["refs/remotes/evil/main", "refs/remotes/origin/main"]);
}

#[test]
fn tags_and_branches_beside_a_fetch_are_breaches_as_ever() {
    let found = attempt(&repo(), |repo| {
        repo.git(&["fetch", "-q", "origin", "main:theirs"]);
        repo.git(&["tag", "new"]);
        repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main"]);
    });
    let breach = |name: &str| Breach::RefMoved { name: name.into() };
    let wanted = ["refs/heads/theirs", "refs/remotes/origin/HEAD", "refs/tags/new"];
    assert_eq!(found.breaches, wanted.map(breach));
    assert_eq!(found.given_back.refs.len(), 4, "{:?}", found.given_back.refs);
}
