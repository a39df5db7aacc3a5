//! A person works in the repository, at rest or while a request is driven. Nothing of theirs is lost.

use crate::scene::{ONE, Scene};

fn killed_while_it_implements() -> Scene {
    Scene::killed_during("implement", "src/total.sh")
}

#[test]
fn a_commit_and_an_edit_made_at_rest_stay() {
    let scene = killed_while_it_implements();
    scene.write("doc.md", "doc\n");
    scene.git(&["add", "doc.md"]);
    scene.git(&["commit", "-qm", "my own commit"]);
    scene.write("README", "hours of work\n");
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 1, "{resumed:?}");
    assert!(resumed.err.contains("somebody else moved main"), "{}", resumed.err);
    assert!(resumed.err.contains("refs/hast/attempts/R1-T1-S2/2"), "{}", resumed.err);
    assert_eq!(scene.commits()[0], "my own commit");
    assert_eq!(scene.read("README"), "hours of work\n");
    assert!(scene.hast(&["inbox", "list"]).out.contains("somebody else moved main"));
    scene.git(&["stash", "push", "-qu", "--", "src/total.sh"]);
    scene.git(&["commit", "-qam", "hours of work"]);
    let done = scene.hast(&["contract", "resume"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(scene.commits()[..3], ["feat(R1/T1-S2): sum up", "hours of work", "my own commit"]);
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}

#[test]
fn stashes_tags_branches_and_hooks_made_at_rest_stay_or_are_told() {
    let scene = killed_while_it_implements();
    for text in ["A\n", "B\n"] {
        scene.write("README", text);
        scene.git(&["stash", "-q"]);
    }
    scene.git(&["tag", "v1.0"]);
    scene.git(&["switch", "-qc", "topic"]);
    scene.write("t", "t\n");
    scene.git(&["add", "t"]);
    scene.git(&["commit", "-qm", "on topic"]);
    scene.write(".git/hooks/pre-push", "#!/bin/sh\n");
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 1, "{resumed:?}");
    for told in ["topic is checked out", "refs/stash", "refs/tags/v1.0", "hooks/pre-push", "aside"]
    {
        assert!(resumed.err.contains(told), "{told}: {}", resumed.err);
    }
    assert_eq!(scene.git(&["stash", "list"]).lines().count(), 2);
    assert_eq!(scene.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/topic");
    assert_eq!(scene.git(&["tag"]).trim(), "v1.0");
    assert_eq!(scene.commits()[0], "on topic");
}

#[test]
fn a_branch_renamed_at_rest_keeps_its_name() {
    let scene = killed_while_it_implements();
    scene.git(&["branch", "-m", "main", "trunk"]);
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 1, "{resumed:?}");
    assert!(resumed.err.contains("began on main, and trunk is checked out"), "{}", resumed.err);
    assert_eq!(scene.git(&["branch", "--format=%(refname)"]).trim(), "refs/heads/trunk");
    assert_eq!(scene.commits(), ["test(R1/T1-S2): sum up", "first"]);
    scene.remove("src/total.sh");
    assert_eq!(scene.hast(&["contract", "resume"]).code, 0);
    assert_eq!(scene.commits()[0], "feat(R1/T1-S2): sum up");
}

#[test]
fn what_was_left_in_the_tree_is_taken_back_and_told_with_its_ref() {
    let scene = killed_while_it_implements();
    scene.write("README", "mine\n");
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let told = "git restore --source=refs/hast/attempts/R1-T1-S2/2 -- PATH";
    assert!(resumed.err.contains(told), "{}", resumed.err);
    scene.git(&["restore", "--source=refs/hast/attempts/R1-T1-S2/2", "--", "README"]);
    assert_eq!(scene.read("README"), "mine\n");
}

/// A person commits while an agent of this step answers.
fn commits_during(step: &str, reply: &str) -> Scene {
    let commit = "git add doc.md && git -c user.name=p -c user.email=p@localhost commit -qm \"my own commit\"";
    let replies = format!(
        "  - when: {{step: {step}, attempt: 1}}\n    do:\n      - write: {{path: doc.md, text: \"doc\\n\"}}\n      - run: '{commit}'\n{reply}{ONE}"
    );
    let scene = Scene::new(&replies);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    assert!(ran.err.contains("somebody else moved main"), "{}", ran.err);
    assert!(ran.err.contains("refs/hast/attempts/R1-T1-S2/2"), "{}", ran.err);
    scene
}

#[test]
fn a_commit_made_while_others_look_at_the_work_stays() {
    let verify = "      - outbox: {recommendation.json: {action: complete, reason: green}}\n";
    let review = "      - outbox: {review.json: {verdict: PASS, findings: [{subject: INV-1, verdict: PASS, evidence: src/total.sh}, {subject: Total.sum, verdict: PASS, evidence: src/total.sh}], back_to: null}}\n";
    for (step, reply) in [("verify", verify), ("review", review)] {
        let scene = commits_during(step, reply);
        let wanted = ["feat(R1/T1-S2): sum up", "my own commit", "test(R1/T1-S2): sum up", "first"];
        assert_eq!(scene.commits(), wanted, "{step}");
        let status = scene.git(&["status", "--porcelain", "--", ".", ":!.claude", ":!.ai"]);
        assert_eq!(status, "", "{step}");
        assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
    }
}

#[test]
fn what_changes_after_the_suite_is_told_and_not_committed() {
    let replies = format!(
        "  - when: {{step: verify}}\n    do:\n      - run: 'echo vandal > README; echo vandal > src/total.sh'\n      - outbox: {{recommendation.json: {{action: complete, reason: green}}}}\n{ONE}"
    );
    let scene = Scene::new(&replies);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("not in the commit: README, src/total.sh"), "{}", ran.err);
    assert!(ran.out.contains("git diff") && ran.out.contains("README"), "{}", ran.out);
    assert_eq!(scene.git(&["show", "HEAD:src/total.sh"]), "echo $(($1 + $2))");
}

#[test]
fn files_of_the_suite_are_put_away_without_hasts_own() {
    let scene = Scene::new(ONE);
    let suite = scene.read("tests/run.sh");
    let suite = format!("mkdir -p __pycache__; echo x$$ > __pycache__/a.pyc\n{suite}");
    scene.write("tests/run.sh", suite);
    scene.git(&["commit", "-qam", "a suite that writes"]);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("while the tests ran"), "{}", ran.err);
    assert!(ran.err.contains(".gitignore"), "{}", ran.err);
    assert!(ran.err.contains("git stash push -u -- __pycache__/a.pyc"), "{}", ran.err);
    scene.git(&["stash", "push", "-qu", "--", "__pycache__/a.pyc"]);
    assert!(scene.hast(&["contract", "list"]).out.contains("R1"));
    scene.write(".gitignore", "__pycache__/\n");
    scene.git(&["add", ".gitignore"]);
    scene.git(&["commit", "-qm", "ignore"]);
    let done = scene.hast(&["contract", "resume"]);
    assert_eq!(done.code, 0, "{done:?}");
}
