//! Flags, help, languages, exit codes and streams that all commands share.

use std::io::Read;
use std::process::Stdio;

use crate::world::World;

#[test]
fn version_goes_to_stdout() {
    let ran = World::new().run(&["--version"]);
    assert_eq!((ran.code, ran.out, ran.err), (0, "hast 0.1.0\n".to_owned(), String::new()));
}

#[test]
fn wrong_usage_is_exit_2_and_says_what_to_do_in_the_users_language() {
    let ran = World::new().run(&["verfy"]);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.out, "");
    assert_eq!(
        ran.err,
        "error: there is no command `verfy`\n |\n = next: did you mean `verify`?\n"
    );
    let ran = World::new().korean().run(&["verify", "--nope"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.err,
        "오류: 여기에는 `--nope`가 없습니다\n |\n = 다음: `hast verify --help`로 쓸 수 있는 것을 확인하세요\n"
    );
    let ran = World::new().run(&["completions", "csh", "--lang", "ko"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("오류: `csh`는 `<SHELL>`의 값이 될 수 없습니다"), "{}", ran.err);
    assert_eq!(World::new().run(&[]).code, 2);
    assert_eq!(World::new().run(&["--lang", "fr", "status"]).code, 2);
    assert_eq!(World::new().run(&["-q", "-v", "status"]).code, 2);
    assert_eq!(World::new().run(&["verify", "--as", "goals"]).code, 2);
}

#[test]
fn only_what_may_be_a_slip_is_guessed() {
    for args in
        [&["goal", "list", "--foo"][..], &["auto", "--report"], &["agent", "doctor", "--room"]]
    {
        let ran = World::new().run(args);
        assert!(ran.code == 2 && !ran.err.contains("did you mean"), "{args:?} {}", ran.err);
    }
    for (args, meant) in [
        (&["auto", "--unti", "7:00"][..], "--until"),
        (&["goal", "list", "--rot"], "--root"),
        (&["auto", "--dry-urn"], "--dry-run"),
    ] {
        let ran = World::new().run(args);
        assert!(ran.err.contains(&format!("did you mean `{meant}`?")), "{args:?} {}", ran.err);
    }
    let world = World::new().file(".ai/config.yaml", "foo: 1\n");
    let ran = world.run(&["verify"]);
    assert!(ran.out.contains("foo") && !ran.out.contains("room"), "{}", ran.out);
}

#[test]
fn a_value_that_does_not_fit_is_explained_in_the_users_language() {
    for (value, english, korean) in [
        ("0", "it has to be a number from 1 to 64", "1에서 64 사이의 수여야 합니다"),
        ("x", "it has to be a whole number", "정수여야 합니다"),
    ] {
        let ran = World::new().run(&["auto", "--parallel", value]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(english) && ran.err.contains("`hast auto --help`"), "{}", ran.err);
        let ran = World::new().korean().run(&["auto", "--parallel", value]);
        assert!(ran.err.contains(korean), "{}", ran.err);
    }
    let ran = World::new().run(&["auto", "--dry-run", "--dry-run"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`--dry-run` is given twice"), "{}", ran.err);
}

#[test]
fn quiet_says_less_and_verbose_says_more() {
    let world = World::new().file(".ai/goals.yaml", "goals: []\n");
    assert_eq!(world.run(&["-q", "verify"]).out, "");
    let ran = world.run(&["-v", "verify"]);
    assert_eq!(ran.out, "files checked: 1, nothing found\n");
    assert_eq!(ran.err, ".ai/goals.yaml: checked as goals\n");
    let said = world.run(&["-v", "context"]).err;
    assert_eq!(said, "root: /tmp/home/project\ncurrent goal: none\nlast handoff: none\n");
}

#[test]
fn help_exists_in_both_languages() {
    let english = World::new().run(&["--help"]);
    assert_eq!(english.code, 0);
    assert!(english.out.contains("Usage: hast"), "{}", english.out);
    let korean = World::new().korean().run(&["verify", "--help"]);
    assert_eq!(korean.code, 0);
    assert!(korean.out.contains("사용법: hast verify"), "{}", korean.out);
    let chosen = World::new().korean().run(&["--lang=en", "--help"]);
    assert!(chosen.out.contains("Usage: hast"));
}

#[test]
fn a_problem_under_json_is_one_document_on_stdout() {
    let ran = World::new().run(&["verify", "--json", "--schema", "nothing"]);
    assert_eq!(ran.code, 2);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["problem"]["what"], "there is no document `nothing`");
    assert_eq!(document["exit"], 2);
    assert!(ran.err.contains("next: run `hast verify --schema`"));
}

#[test]
fn a_root_that_is_no_directory_is_refused() {
    let ran = World::new().file("f", "").run(&["--root", "f", "status"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--> /tmp/home/project/f"), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    let world = World::new();
    let mut child = world
        .command(&["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn output_that_cannot_be_written_is_exit_1() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = World::new().command(&["status"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the output cannot be written"));
}

#[test]
fn help_that_cannot_be_written_is_exit_1_too() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = World::new().command(&["--help"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_empty_path_is_a_wrong_usage_with_something_to_do_next() {
    let ran = World::new().run(&["verify", ""]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("next: run `hast verify --help`"), "{}", ran.err);
}

#[test]
fn colour_only_where_it_is_wanted() {
    let plain = World::new().run(&["verfy"]);
    assert!(!plain.err.contains('\u{1b}'));
    let coloured =
        World::new().file(".ai/config.yaml", "x: [").run(&["verify", "--color", "always"]);
    assert!(coloured.out.contains('\u{1b}'));
}

#[test]
fn completions_and_the_manual_page_are_printed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = World::new().run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.out.contains("verify"), "{shell}");
    }
    assert!(World::new().run(&["man"]).out.contains(".TH hast"));
}

#[test]
fn an_unsupported_test_world_is_refused_not_ignored() {
    let output = World::new().command(&["status"]).env("HAST_TEST_WORLD", "soon").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_guard_is_not_for_people_and_is_in_no_help() {
    let world = World::new();
    for args in [&["agent", "guard"][..], &["agent", "guard", "plain"], &["agent", "guard", "x"]] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(ran.err.contains("hast itself starts it"), "{}", ran.err);
    }
    assert!(!world.run(&["--help"]).out.contains("guard"));
    assert!(World::new().korean().run(&["agent", "guard"]).err.contains("감시 프로세스"));
}

#[test]
fn a_rehearsal_needs_a_call_and_one_file() {
    let ran = World::new().run(&["agent", "rehearse", "x.yaml"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("HAST_CALL") && ran.err.contains("rehearsal:FILE.yaml"),
        "{}",
        ran.err
    );
    for args in [&["agent", "rehearse"][..], &["agent", "rehearse", "a", "b"]] {
        let ran = World::new().korean().run(args);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.contains("hast agent rehearse FILE.yaml"), "{}", ran.err);
    }
}
