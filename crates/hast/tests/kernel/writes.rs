//! An expert writes only where its `writes` allow it. The sandbox holds it to them, and hast judges
//! the files that it left.

use std::process::Stdio;

use crate::scene::{Ran, Scene};

/// The second item does this; should it fail, somebody else does without it.
fn scene(sandbox: &str, writes: &str, actions: &str) -> Scene {
    let replies = format!(
        r#"
  - when: {{step: execute, unit: b}}
    do:
{actions}
      - outbox: {{output.json: {{task_id: b, status: completed, result: made}}}}
  - when: {{step: replace}}
    do:
      - outbox: {{plan.json: {{todo_list: [{{id: r, title: otherwise, description: d, expert: ResearchExpert, status: pending}}]}}}}
"#
    );
    let scene = Scene::new(&replies);
    let config = format!("ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: {sandbox}\n");
    scene.write(".ai/config.yaml", config);
    scene.write("docs/a.md", "a person wrote this\n");
    scene.make_repository();
    assert_eq!(scene.hast(&["kernel", "boot"]).code, 0);
    let expert = scene.read(".brain/experts/ImplementationExpert.yaml");
    scene.write(".brain/experts/ImplementationExpert.yaml", format!("{expert}writes: {writes}\n"));
    scene
}

fn answer(scene: &Scene) -> Ran {
    let ran = scene.hast(&["kernel", "start", "make it"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran
}

fn errors(scene: &Scene) -> String {
    scene.read(&format!(".brain/requests/{}/errors.ndjson", scene.request()))
}

/// Whether the machine held the agent back; without that, hast says so.
fn was_held(ran: &Ran) -> bool {
    !ran.err.contains("no sandbox")
}

#[test]
fn what_the_writes_name_is_written_with_and_without_the_sandbox() {
    for sandbox in ["off", "prefer"] {
        let actions = "      - write: {path: src/deep/out.txt, text: made}";
        let scene = scene(sandbox, "[\"src/**\"]", actions);
        answer(&scene);
        assert_eq!(scene.read("src/deep/out.txt"), "made", "{sandbox}");
        assert_eq!(scene.answers()["b"], 1, "{sandbox}: {}", errors(&scene));
    }
}

#[test]
fn without_the_sandbox_a_write_outside_fails_the_item_with_the_reason() {
    let lies = [
        ("[\"src/**\"]", "      - write: {path: docs/a.md, text: mine}", "docs/a.md"),
        ("[]", "      - write: {path: src/new.txt, text: mine}", "src/new.txt"),
        ("[\"src/**\"]", "      - delete: docs/a.md", "docs/a.md"),
        ("[\"src/**\"]", "      - run: git commit -q --allow-empty -m x", ".git/refs/heads/main"),
        (
            "[\"**\"]",
            "      - write: {path: .git/hooks/post-commit, text: mine}",
            ".git/hooks/post-commit",
        ),
        (
            "[\"**\"]",
            "      - append: {path: .brain/experts/ResearchExpert.yaml, text: \"# x\\n\"}",
            ".brain/experts/ResearchExpert.yaml",
        ),
        (
            "[\"**\"]",
            "      - append: {path: .ai/config.yaml, text: \"# x\\n\"}",
            ".ai/config.yaml",
        ),
    ];
    for (writes, lie, path) in lies {
        let scene = scene("off", writes, lie);
        answer(&scene);
        let told = errors(&scene);
        assert!(told.contains("\"task_id\":\"b\""), "{path}: {told}");
        assert!(told.contains(&format!("it changed what it may not: {path}")), "{path}: {told}");
        assert!(scene.answers().contains_key("b/r"), "{path}: somebody else did it");
        assert!(!scene.has(&format!(".brain/requests/{}/outputs/b/made", scene.request())));
    }
}

#[test]
fn in_the_sandbox_a_write_outside_is_refused() {
    let lie = "      - write: {path: docs/a.md, text: mine}\n        may_fail: true";
    let scene = scene("prefer", "[\"src/**\"]", lie);
    let ran = answer(&scene);
    if was_held(&ran) {
        assert_eq!(scene.read("docs/a.md"), "a person wrote this\n");
        assert_eq!(scene.answers()["b"], 1, "it went on: {}", errors(&scene));
    } else {
        assert!(errors(&scene).contains("it changed what it may not: docs/a.md"));
    }
}

#[test]
fn what_a_pattern_leaves_open_to_the_sandbox_is_judged_by_the_pattern() {
    let lie = "      - write: {path: docs/b.txt, text: mine}";
    let scene = scene("prefer", "[\"docs/*.md\"]", lie);
    answer(&scene);
    let told = errors(&scene);
    assert!(told.contains("it changed what it may not: docs/b.txt"), "{told}");
}

#[test]
fn a_person_who_works_on_beside_a_sandboxed_agent_is_not_blamed_on_it() {
    let waits = "      - write: {path: src/began, text: x}\n      - wait_for: docs/go";
    let scene = scene("prefer", "[\"src/**\"]", waits);
    let mut command = scene.hast_command(&["kernel", "start", "make it"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    scene.wait_until("the agent works", |stage| stage.has("src/began"));
    scene.write("docs/a.md", "a person goes on\n");
    scene.write("docs/go", "");
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let held = !String::from_utf8_lossy(&ended.stderr).contains("no sandbox");
    assert_eq!(errors(&scene).contains("docs/a.md"), !held, "{}", errors(&scene));
}

#[test]
fn an_expert_that_would_write_outside_of_the_project_is_refused_with_its_line() {
    let scene = scene("off", "[\"../x\"]", "      - print: x");
    let checked = scene.hast(&["kernel", "experts", "check", "--lang", "ko"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.out.contains("experts/ImplementationExpert.yaml:"), "{}", checked.out);
    let added = scene.hast(&["kernel", "experts", "add", "Far", "--writes", "../x"]);
    assert!(added.code == 2 && added.err.contains("../x"), "{added:?}");
}
