//! Files that are too large for a ref: the screen, the summary and the JSON tell where they lie.
//! `--undo` and `hast take` bring them back.

use crate::scene::{Scene, WORK};

const GOALS: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
const BIG: &str = "      - run: echo large > src/big.bin && truncate -s 67200000 src/big.bin\n      - write: {path: src/half.txt, text: half}\n";
const NAME: &str = "refs/hast/attempts/M1/1";
const AT: &str = ".git/hast/aside/refs%2Fhast%2Fattempts%2FM1%2F1/0-src%2Fbig.bin";

/// The first attempt leaves a large file, and fails.
fn overflowing(retries: u32) -> Scene {
    let replies = format!("  - when: {{attempt: 1}}\n    do:\n{BIG}  - do:\n{WORK}");
    Scene::with(GOALS, &replies, &format!("sandbox: off\nmax_retries: {retries}\n"))
}

fn is_large(scene: &Scene, path: &str) -> bool {
    scene.root().join(path).metadata().is_ok_and(|there| there.len() == 67_200_000)
}

/// The commands of a message that move something.
fn moves(said: &str) -> Vec<&str> {
    let commands = said.lines().filter_map(|line| line.split_once('('));
    let commands = commands.filter_map(|(_, rest)| rest.split_once(" brings it back"));
    commands.map(|(command, _)| command).filter(|command| command.contains("mv ")).collect()
}

#[test]
fn a_file_that_is_too_large_for_the_ref_is_told_on_the_screen_and_in_the_summary() {
    let scene = overflowing(2);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    for said in [&ran.err, &ran.out] {
        assert!(said.contains("src/big.bin") && said.contains(NAME) && said.contains(AT), "{said}");
    }
    assert!(is_large(&scene, AT) && !scene.has("src/big.bin"));
    let [command] = &moves(&ran.err)[..] else { panic!("{}", ran.err) };
    scene.shell(command);
    assert!(is_large(&scene, "src/big.bin"));
}

#[test]
fn it_is_told_in_json_and_in_the_other_language() {
    let ran = overflowing(2).hast(&["auto", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let aside = &told["attempts"][0]["not_on_ref"]["aside"][0];
    assert_eq!(aside["path"], "src/big.bin");
    assert!(aside["at"].as_str().unwrap().ends_with(AT), "{aside}");
    assert!(told["attempts"][1]["not_on_ref"].is_null());
    let ran = overflowing(2).hast(&["auto", "--lang", "ko"]);
    assert!(ran.err.contains(AT) && ran.err.contains("옮겼습니다"), "{}", ran.err);
}

#[test]
fn undo_brings_it_back_with_the_rest_and_writes_over_nothing() {
    let scene = overflowing(2);
    assert_eq!(scene.hast(&["auto"]).code, 0);
    scene.write("src/big.bin", "the user's\n");
    let undone = scene.hast(&["auto", "--undo"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(undone.out.contains("src/half.txt") && undone.out.contains(AT), "{}", undone.out);
    assert_eq!(scene.read("src/big.bin"), "the user's\n");
    scene.git(&["clean", "-fdq", "src"]);
    let undone = scene.hast(&["auto", &format!("--undo={NAME}"), "--json"]);
    let told: serde_json::Value = serde_json::from_str(&undone.out).unwrap();
    assert_eq!(
        (told["ref"].as_str(), &told["aside"][0]["state"]),
        (Some(NAME), &"brought_back".into())
    );
    assert!(is_large(&scene, "src/big.bin") && scene.has("src/half.txt") && !scene.has(AT));
    let unknown = scene.hast(&["auto", "--undo=refs/hast/attempts/M1/9"]);
    assert!(unknown.code == 1 && unknown.err.contains("M1/9"), "{unknown:?}");
}

#[test]
fn that_of_a_blocked_goal_is_told_too_and_taken_with_the_rest() {
    let scene = overflowing(1);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{ran:?}");
    for said in [&ran.err, &ran.out] {
        assert!(said.contains("src/big.bin does not fit on") && said.contains(AT), "{said}");
    }
    assert!(is_large(&scene, AT) && !scene.has("src/big.bin"));
    let taken = scene.hast(&["take", "M1"]);
    assert_eq!(taken.code, 0, "{taken:?}");
    assert!(is_large(&scene, "src/big.bin") && scene.has("src/half.txt"), "{taken:?}");
}
