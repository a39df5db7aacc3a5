//! Files that are in no commit do not vouch for the work: before the tests run, a room has the judged files and what
//! it began with.

use std::fs;

use hast_flow::attempt::workspace::{GitResult, GitStep, HookVerdict, perform};

use crate::fixture::{Repo, Steps, commit_plan, rules};
use crate::links::with_submodule;
use crate::worktrees::trees;

/// An agent that writes a file, and whether the tests would find it. It is told where they would not.
fn is_there_for_tests(repo: &Repo, path: &str) -> bool {
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write(path, "exit 0");
    let found = steps.see(&base);
    let told = found.taken_back.iter().any(|one| &*one.0 == path);
    let is_there = room.path(path).exists();
    assert!(is_there != told, "{path}: {:?}", found.taken_back);
    is_there
}

#[test]
fn what_an_agent_leaves_in_the_places_of_hast_is_gone_before_the_tests() {
    let places = [".ai/.hast/h.sh", ".ai/attempts/deep/h.sh", ".ai/events/h.sh"];
    let repo = Repo::new();
    for path in places {
        assert!(!is_there_for_tests(&repo, path), "{path}");
    }
    // Where no rule ignores them either.
    let repo = Repo::new();
    repo.git(&["rm", "-q", ".ai/.gitignore"]);
    repo.commit_all("no rules");
    repo.git(&["rm", "-rq", "--cached", ".ai/events", ".ai/.hast"]);
    repo.commit_all("nothing of hast's");
    for path in places {
        assert!(!is_there_for_tests(&repo, path), "{path}");
    }
}

#[test]
fn a_file_of_hast_that_the_user_tracks_is_as_the_commit_has_it() {
    let repo = Repo::new();
    repo.write(".ai/attempts/helper.sh", "exit 1");
    repo.git(&["add", "-f", ".ai/attempts/helper.sh"]);
    repo.git(&["commit", "-qm", "tracked"]);
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write(".ai/attempts/helper.sh", "exit 0");
    steps.see(&base);
    assert_eq!(room.read(".ai/attempts/helper.sh"), "exit 1");
}

#[test]
fn what_an_agent_leaves_in_a_submodule_is_gone_before_the_tests() {
    let repo = with_submodule();
    assert!(!is_there_for_tests(&repo, "libs/sub/deep/helper.sh"), "filled");
    repo.git(&["submodule", "--quiet", "deinit", "-f", "libs/sub"]);
    assert!(!is_there_for_tests(&repo, "libs/sub/helper.sh"), "empty");
}

#[test]
fn hooks_that_mended_files_say_the_same_when_the_answer_was_lost() {
    let repo = Repo::new();
    let hook = "#!/bin/sh\nif grep -q ' $' w; then sed -i 's/ *$//' w; exit 1; fi\n";
    repo.write("../hooks/pre-commit", hook);
    repo.mode("../hooks/pre-commit", 0o755);
    repo.git(&["config", "core.hooksPath", &repo.dir.path().join("hooks").display().to_string()]);
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write("w", "text   \n");
    let plan = commit_plan(&steps.see(&base));
    let ask = GitStep::RunHooks { plan, base: base.clone() };
    let GitResult::Hooks(first) = perform(&mut steps, &ask) else { panic!() };
    let HookVerdict::Rewrote { tree, .. } = &first else { panic!("{first:?}") };
    assert_eq!(repo.git(&["show", &format!("{tree}:w")]), "text");
    drop(steps);
    let unit = hast_flow::attempt::worktrees::TreeName::of("M1");
    let mut again = trees(&repo).workspace(&unit).unwrap();
    let GitResult::Hooks(second) = perform(&mut again, &ask) else { panic!() };
    assert_eq!(second, first);
    assert_eq!(fs::read(room.path("w")).unwrap(), b"text\n");
}
