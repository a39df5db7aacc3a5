//! Agents that commit whatever is there, and files that no ref can hold.

use hast_stage::plays::contract::CODE;

use crate::scene::{ONE, Scene, USERS};

const STORE: &str = ".claude/orchestrator";

#[test]
fn an_agent_that_commits_everything_commits_nothing_of_hasts_and_loses_no_round() {
    let all = "      - run: git add -A && git commit -qm mine\n";
    let tests = "  - when: {step: implement}\n    do:\n      - write: {path: src/total.sh, text: \"echo $(($1 + $2))\\n\"}\n";
    let scene = Scene::new(&format!("{tests}{all}{ONE}"));
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.failures(), [""; 0], "{}", scene.log());
    let files = scene.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!files.contains(".claude"), "{files}");
    assert!(scene.git(&["status", "--porcelain"]).is_empty());
    let own = scene.read(".git/info/exclude");
    assert!(!own.contains(".claude"), "what is the user's own stays as it was: {own}");
}

#[test]
fn whoever_has_decided_what_is_in_git_is_not_overruled() {
    let scene = Scene::new(ONE);
    scene.write(&format!("{STORE}/.gitignore"), "/.hast/\n");
    scene.hast(&["contract", "start", "a total"]);
    assert_eq!(scene.read(&format!("{STORE}/.gitignore")), "/.hast/\n");
    let there = Scene::new(ONE);
    there.write(&format!("{STORE}/sessions/keep"), "");
    there.hast(&["contract", "start", "a total"]);
    assert!(!there.has(&format!("{STORE}/.gitignore")), "requests were there before");
}

#[test]
fn a_file_that_is_too_large_for_a_ref_is_told_with_where_it_is() {
    let big = format!(
        "  - when: {{step: implement, missing: .git/big}}\n    do:\n      - run: touch {USERS}/.git/big && mkdir -p src && echo large > src/big.bin && truncate -s 67200000 src/big.bin\n"
    );
    for (lang, word) in [("en", "too large for a ref"), ("ko", "너무 커서")] {
        let scene = Scene::new(&format!("{big}{ONE}"));
        let ran = scene.hast(&["contract", "start", "a total", "--lang", lang]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let told = ran.err.lines().find(|line| line.contains(word));
        let told = told.unwrap_or_else(|| panic!("{}", ran.err));
        assert!(told.contains("src/big.bin") && told.contains(".git/hast/aside/"), "{told}");
        assert!(scene.log().contains("\"aside\":[{\"path\":\"src/big.bin\""), "{}", scene.log());
        assert!(!scene.has("src/big.bin"));
    }
}

#[test]
fn on_a_detached_head_the_work_comes_onto_the_head() {
    let scene = Scene::new(ONE);
    scene.git(&["checkout", "-q", "--detach"]);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.commits(), ["feat(R1/T1-S2): sum up", "test(R1/T1-S2): sum up", "first"]);
    assert_eq!(scene.git(&["log", "--format=%s", "main"]).trim(), "first");
    assert_eq!(scene.read("src/total.sh"), CODE);
}

/// Rooms of the request are freed with it, and one that may go on is left alone.
#[test]
fn gc_leaves_the_room_of_a_request_that_may_go_on() {
    let scene = Scene::killed_during("implement", "");
    let kept = scene.hast(&["auto", "--gc"]);
    assert_eq!(kept.code, 0, "{kept:?}");
    assert!(kept.out.contains("=contract-"), "{}", kept.out);
    assert_eq!(scene.hast(&["contract", "resume"]).code, 0);
    let lanes = scene.git(&["for-each-ref", "refs/hast/lanes"]);
    assert_eq!(lanes, "", "the room is given back");
}
