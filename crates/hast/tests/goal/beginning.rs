//! `hast init` and the commands that it ends with.

use crate::scene::{Scene, WORK, always, json};

/// The commands that stand at the end of what `init` prints.
fn commands(out: &str) -> Vec<String> {
    let lines = out.lines().rev().take(3).map(|line| line.trim().to_owned());
    let mut lines: Vec<String> = lines.collect();
    lines.reverse();
    lines
}

#[test]
fn init_ends_with_the_next_three_commands_and_each_works_as_printed() {
    for (lang, args) in [
        ("en", &["init"][..]),
        ("ko", &["init"]),
        ("en", &["init", "--goal", "Reject empty passwords"]),
    ] {
        let scene = Scene::before_init();
        let ran = scene.hast(&[args, &["--lang", lang]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let commands = commands(&ran.out);
        scene.agent(&always(WORK));
        for command in &commands {
            let ran = scene.as_printed(command);
            assert_eq!(ran.code, 0, "{command}: {ran:?}");
        }
        assert_eq!(scene.status_of("G1"), "done", "{commands:?}");
    }
}

#[test]
fn init_writes_the_agent_that_is_named_as_a_preset_and_knows_no_other() {
    let scene = Scene::before_init();
    let ran = scene.hast(&["init", "--agent", "vim"]);
    assert!(ran.code == 2 && ran.err.contains("claude, codex"), "{ran:?}");
    assert!(!scene.has(".ai"));
    let told = json(&scene.hast(&["init", "--agent", "codex", "--goal", "a title", "--json"]));
    assert_eq!((&told["ai_tool"], &told["goal"]), (&"codex".into(), &"G1".into()));
    assert!(scene.read(".ai/config.yaml").contains("\nai_tool: codex\n"));
    // Again: nothing is overwritten, and the goal is not there twice.
    let again = scene.hast(&["init", "--agent", "gemini", "--goal", "a title"]);
    assert!(again.code == 0 && again.err.contains("ai_tool: gemini"), "{again:?}");
    assert!(scene.read(".ai/config.yaml").contains("ai_tool: codex"));
    assert_eq!(scene.listed().len(), 1);
}

#[test]
fn a_goal_that_init_adds_to_an_older_project_is_told_and_an_empty_one_makes_nothing() {
    let scene = Scene::before_init();
    let ran = scene.hast(&["init", "--goal", "   "]);
    assert!(ran.code == 2 && ran.err.contains("the title is empty"), "{ran:?}");
    assert!(!scene.has(".ai"));
    assert_eq!(scene.hast(&["init", "--goal", "first"]).code, 0);
    let ran = scene.hast(&["init", "--goal", "second"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("added G2: second"), "{}", ran.out);
    assert!(!ran.out.contains("nothing was changed"), "{}", ran.out);
    let again = scene.hast(&["init", "--goal", "second"]);
    assert!(again.out.contains("there is a goal G2 already"), "{}", again.out);
}

#[test]
fn the_commit_that_init_names_has_the_rules_too() {
    let scene = Scene::before_init();
    let ran = scene.hast(&["init", "--conventions"]);
    let commit = commands(&ran.out).into_iter().find(|line| line.starts_with("git add")).unwrap();
    assert_eq!(scene.as_printed(&commit).code, 0, "{commit}");
    assert_eq!(scene.git(&["status", "--porcelain"]), "", "{commit}");
}

#[test]
fn init_takes_every_agent_that_ai_tool_takes() {
    for line in ["builtin:anthropic/some-model", "my-agent --print {prompt}", "tool '#1' {stdin}"] {
        let scene = Scene::before_init();
        let told = scene.hast(&["init", "--agent", line, "--json"]);
        assert_eq!(json(&told)["ai_tool"], line, "{told:?}");
        let settings = json(&scene.hast(&["agent", "list", "--json"])).to_string();
        assert!(settings.contains(line.split(' ').next().unwrap()), "{settings}");
    }
    let scene = Scene::before_init();
    for (line, said) in [("sh -c {prompt}", "as a program"), ("tool run", "where the prompt goes")]
    {
        let ran = scene.hast(&["init", "--agent", line]);
        assert!(ran.code == 2 && ran.err.contains(said), "{ran:?}");
    }
    assert!(!scene.has(".ai"));
}
