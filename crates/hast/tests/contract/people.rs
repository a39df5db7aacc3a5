//! A person works in the repository, at rest or while a request is driven. Nothing of theirs is lost.

use hast_stage::plays::contract::CODE;

use crate::scene::{ONE, Scene, USERS};

const TEST: &str = "test(R1/T1-S2): sum up";
const FEAT: &str = "feat(R1/T1-S2): sum up";

fn killed_while_it_implements() -> Scene {
    Scene::killed_during("implement", "      - write: {path: src/total.sh, text: half}\n")
}

#[test]
fn a_commit_and_an_edit_made_at_rest_stay() {
    let scene = killed_while_it_implements();
    scene.write("doc.md", "doc\n");
    scene.git(&["add", "doc.md"]);
    scene.git(&["commit", "-qm", "my own commit"]);
    scene.write("README", "hours of work\n");
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(scene.commits(), [FEAT, TEST, "my own commit", "first"]);
    assert_eq!(scene.read("README"), "hours of work\n");
    assert_eq!(scene.git(&["status", "--porcelain"]), "M README");
    assert_eq!(scene.read("src/total.sh"), CODE);
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}

#[test]
fn stashes_tags_branches_and_hooks_made_at_rest_stay() {
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
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(scene.git(&["stash", "list"]).lines().count(), 2);
    assert_eq!(scene.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/topic");
    assert_eq!(scene.git(&["tag"]).trim(), "v1.0");
    assert_eq!(scene.commits(), ["on topic", "first"], "the request began on main");
    let main = scene.git(&["log", "--format=%s", "main"]);
    assert_eq!(main.lines().collect::<Vec<_>>(), [FEAT, TEST, "first"]);
    assert_eq!(scene.read(".git/hooks/pre-push"), "#!/bin/sh\n");
    assert!(!scene.has("src/total.sh"), "another branch is checked out");
}

#[test]
fn a_branch_renamed_at_rest_keeps_its_name_and_gets_the_work() {
    let scene = killed_while_it_implements();
    scene.git(&["branch", "-m", "main", "trunk"]);
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(scene.failures()[0].contains("main"), "{:?}", scene.failures());
    assert_eq!(scene.git(&["branch", "--format=%(refname)"]).trim(), "refs/heads/trunk");
    assert_eq!(scene.commits(), [FEAT, TEST, "first"]);
}

#[test]
fn what_a_dead_agent_left_is_told_with_its_ref() {
    let scene = killed_while_it_implements();
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let told = "git restore --source=refs/hast/attempts/R1-T1-S2/2 -- PATH";
    assert!(resumed.err.contains(told), "{}", resumed.err);
    let saved = scene.git(&["show", "refs/hast/attempts/R1-T1-S2/2:src/total.sh"]);
    assert_eq!(saved, "half");
}

/// A person commits while an agent of this step answers.
fn commits_during(step: &str, file: &str, reply: &str) -> Scene {
    let commit = format!(
        "cd {USERS} && test -e .git/once || {{ touch .git/once; mkdir -p src; echo mine > {file}; git add {file} && git -c user.name=p -c user.email=p@localhost commit -qm \"my own commit\"; }}"
    );
    let replies = format!(
        "  - when: {{step: {step}, attempt: 1}}\n    do:\n      - run: '{commit}'\n{reply}{ONE}"
    );
    let scene = Scene::new(&replies);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    assert_eq!(scene.commits(), [FEAT, TEST, "my own commit", "first"], "{step}");
    let status = scene.git(&["status", "--porcelain", "--", ".", ":!.claude", ":!.ai"]);
    assert_eq!(status, "", "{step}");
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
    scene
}

const VERIFY: &str = "      - outbox: {recommendation.json: {action: complete, reason: green}}\n";

#[test]
fn a_commit_made_while_others_look_at_the_work_stays_below_it() {
    let review = "      - outbox: {review.json: {verdict: PASS, findings: [{subject: INV-1, verdict: PASS, evidence: src/total.sh}, {subject: Total.sum, verdict: PASS, evidence: src/total.sh}], back_to: null}}\n";
    for (step, reply) in [("verify", VERIFY), ("review", review)] {
        let scene = commits_during(step, "doc.md", reply);
        assert_eq!(scene.failures(), [""; 0], "{step}");
        assert_eq!(scene.read("doc.md"), "mine\n");
    }
}

#[test]
fn a_commit_on_the_same_file_begins_the_subtask_again_on_top_of_it() {
    let scene = commits_during("verify", "src/total.sh", VERIFY);
    assert!(scene.failures()[0].contains("src/total.sh"), "{:?}", scene.failures());
    assert_eq!(scene.read("src/total.sh"), CODE);
}

#[test]
fn uncommitted_files_are_no_part_of_the_work_and_wait_where_they_are_in_the_way() {
    let scene = Scene::new(ONE);
    scene.write("README", "hours of work\n");
    scene.write("src/total.sh", "mine\n");
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("T1-S2 passed its gates and waits"), "{}", ran.err);
    assert!(ran.err.contains("src/total.sh") && ran.err.contains("resume R1"), "{}", ran.err);
    assert_eq!(scene.commits(), ["first"]);
    assert_eq!(scene.read("src/total.sh"), "mine\n");
    assert!(scene.hast(&["inbox", "list"]).out.contains("T1-S2"));
    scene.remove("src/total.sh");
    let done = scene.hast(&["contract", "resume"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(scene.commits(), [FEAT, TEST, "first"]);
    assert_eq!(scene.read("README"), "hours of work\n");
}

#[test]
fn files_that_change_in_the_room_after_the_suite_reach_nobody() {
    let replies = format!(
        "  - when: {{step: verify}}\n    do:\n      - run: 'echo vandal > README; echo vandal > src/total.sh'\n{VERIFY}{ONE}"
    );
    let scene = Scene::new(&replies);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.read("src/total.sh"), CODE);
    assert_eq!(scene.read("README"), "read me\n");
}

#[test]
fn files_of_the_suite_stay_in_the_room() {
    let scene = Scene::new(ONE);
    let suite = scene.read("tests/run.sh");
    let suite = format!("mkdir -p made; echo x$$ > made/by-tests\n{suite}");
    scene.write("tests/run.sh", suite);
    scene.git(&["commit", "-qam", "a suite that writes"]);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!scene.has("made"));
    assert!(!scene.git(&["ls-tree", "-r", "--name-only", "HEAD"]).contains("made"));
}
