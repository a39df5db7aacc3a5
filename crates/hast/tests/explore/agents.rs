//! The agent of an exploration: its answer is printed and kept, and the repository stays as it was.

use hast_stage::Stage;

fn stage(actions: &str, sandbox: &str) -> Stage {
    let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
    let rehearsal = format!(
        "version: 1\nreplies:\n  - when: {{role: explorer, step: explore}}\n    do:\n{actions}      - outbox: {{answer.md: \"It is in `src/lock.rs:1`.\\n\\nNothing else.\\n\"}}\n"
    );
    stage.write("x.rehearsal.yaml", rehearsal);
    stage.write(
        ".ai/config.yaml",
        format!("ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: {sandbox}\n"),
    );
    stage.write("src/lock.rs", "pub fn lock() {}\n");
    stage.make_repository();
    stage
}

fn kept(stage: &Stage) -> Vec<String> {
    stage.names(".ai/explorations")
}

#[test]
fn the_answer_is_printed_and_kept_and_the_repository_is_proven_unchanged() {
    let stage = stage("      - expect: {prompt: src/lock.rs}\n      - run: git status\n", "prefer");
    let ran = stage.hast(&["explore", "where is the lock?"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.out, "It is in `src/lock.rs:1`.\n\nNothing else.\n");
    assert!(ran.err.contains("the repository is unchanged"), "{}", ran.err);
    let [name] = &kept(&stage)[..] else { panic!("{:?}", kept(&stage)) };
    let text = stage.read(&format!(".ai/explorations/{name}"));
    assert!(text.starts_with("# where is the lock?\n\nIt is in"), "{text}");
    assert!(text.contains("src/lock.rs:1  function lock"), "the map is kept too: {text}");
    let json = stage.hast(&["explore", "where is the lock?", "--json"]);
    assert!(json.code == 0 && json.out.contains("\"unchanged\": true"), "{json:?}");
    assert!(json.out.contains("\"answer\": \"It is in"), "{json:?}");
    assert_eq!(kept(&stage).len(), 2);
    let left = stage.names(".ai/.hast").into_iter().find(|name| name.starts_with("driver-"));
    assert_eq!(left, None, "a question never comes back");
    assert!(stage.git(&["status", "--porcelain", "--", "src"]).is_empty());
}

#[test]
fn an_agent_that_changes_the_repository_fails_the_exploration() {
    for (lie, told) in [
        ("      - write: {path: src/lock.rs, text: mine}\n", "src/lock.rs"),
        ("      - write: {path: new.txt, text: mine}\n", "new.txt"),
        ("      - run: git commit -q --allow-empty -m x\n", ".git/refs/heads/main"),
        ("      - run: git config a.b c\n", ".git/config"),
        ("      - run: git rm -q --cached src/lock.rs\n", "index"),
        ("      - run: git tag mine\n", ".git/refs/tags/mine"),
    ] {
        let stage = stage(lie, "off");
        let ran = stage.hast(&["explore", "where is the lock?"]);
        assert_eq!(ran.code, 1, "{told}: {ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    let stage = stage("      - write: {path: new.txt, text: mine}\n", "off");
    let json = stage.hast(&["explore", "잠금은 어디에 있나요?", "--json", "--lang", "ko"]);
    assert_eq!(json.code, 1, "{json:?}");
    assert!(json.out.contains("\"unchanged\": false") && json.out.contains("new.txt"), "{json:?}");
    assert!(json.err.contains("탐색이 실패했습니다"), "{json:?}");
    assert!(kept(&stage).is_empty(), "the answer does not count");
}

#[test]
fn an_answer_that_is_missing_is_asked_for_again_and_then_failed() {
    let stage = stage("", "off");
    stage.write(
        "x.rehearsal.yaml",
        "version: 1\nreplies:\n  - when: {regeneration: 2}\n    do:\n      - outbox: {answer.md: here}\n  - do:\n      - print: nothing\n",
    );
    let ran = stage.hast(&["explore", "where is the lock?"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "here\n"), "{ran:?}");
    stage.write("x.rehearsal.yaml", "version: 1\nreplies:\n  - do:\n      - failed: I cannot\n");
    let ran = stage.hast(&["explore", "where is the lock?"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran:?}");
    assert!(ran.err.contains("I cannot") && ran.err.contains("--no-agent"), "{}", ran.err);
}

#[test]
fn without_a_place_for_the_answer_the_agent_is_not_asked() {
    let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
    stage.write("a.rs", "fn a() {}\n");
    let ran = stage.hast(&["explore", "where is a lock?"]);
    assert!(ran.code == 1 && ran.err.contains("hast init"), "{ran:?}");
    assert!(!stage.has(".ai"));
}
