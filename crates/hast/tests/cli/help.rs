//! Pages of help: groups, examples, `help` and `version` as commands, and words that mean another command.

use crate::world::World;

#[test]
fn the_first_page_is_grouped_and_other_pages_have_examples_and_one_line_of_global_options() {
    let first = World::new().run(&["--help"]).out;
    let at = |text: &str| first.find(text).unwrap_or_else(|| panic!("{text}: {first}"));
    assert!(
        at("Start:") < at("  init ") && at("  init ") < at("Work:") && at("Work:") < at("Look:")
    );
    assert!(at("Other flows:") < at("Fleet:") && at("Fleet:") < at("--root <DIR>"));
    assert!(first.lines().all(|line| line.chars().count() <= 132), "{first}");
    let page = World::new().run(&["retry", "--help"]).out;
    assert!(page.contains("Examples:\n  hast retry M3 \""), "{page}");
    assert_eq!(page.matches("--root").count(), 1, "{page}");
    let korean = World::new().korean().run(&["--help"]).out;
    assert!(korean.contains("시작:") && korean.contains("다른 흐름:"), "{korean}");
    assert!(World::new().korean().run(&["auto", "--help"]).out.contains("예:\n  hast auto"));
}

#[test]
fn help_and_version_are_commands_too() {
    let world = World::new();
    assert_eq!(world.run(&["help", "auto"]).out, world.run(&["auto", "--help"]).out);
    assert_eq!(world.run(&["help", "goal", "add"]).out, world.run(&["goal", "add", "--help"]).out);
    assert_eq!(world.run(&["help"]).out, world.run(&["--help"]).out);
    assert_eq!(world.run(&["version"]).out, "hast 0.1.0\n");
    let ran = world.run(&["help", "nothing"]);
    assert!(ran.code == 2 && ran.err.contains("`hast --help`"), "{}", ran.err);
    let page = world.run(&["man", "auto"]).out;
    assert!(
        page.contains(".TH") && page.contains("max\\-goals") && page.contains("root"),
        "{page}"
    );
}

#[test]
fn a_word_for_a_command_of_another_name_is_answered_with_it_and_far_guesses_are_not_made() {
    for (word, meant) in [
        ("goals", "hast goal list"),
        ("logs", "hast log GOAL"),
        ("config", "hast agent doctor"),
        ("stop", "Ctrl-C"),
    ] {
        let ran = World::new().run(&[word]);
        assert!(ran.code == 2 && ran.err.contains(meant), "{word}: {}", ran.err);
    }
    let ran = World::new().run(&["frobnicate"]);
    assert!(ran.code == 2 && ran.err.contains("`hast --help`"), "{}", ran.err);
    assert!(World::new().run(&["statsu"]).err.contains("did you mean `status`?"));
    assert!(!World::new().run(&["observant"]).err.contains("did you mean"));
}
