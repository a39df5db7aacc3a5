//! Tickets: made, read, and shown where they are wrong.

use crate::scene::{FILE, Scene, THREE};

#[test]
fn a_new_ticket_can_be_filled_in_and_evaluated() {
    let scene = Scene::new(&THREE);
    let new = scene.hast(&[
        "decision",
        "new",
        "D2",
        "--question",
        "캐시: \"어느 것\"?",
        "--alternative",
        "A=메모리",
        "--alternative",
        "B=on disk",
    ]);
    assert_eq!(new.code, 0, "{new:?}");
    let path = ".ai/decisions/D2.yaml";
    assert_eq!(scene.hast(&["verify", path]).code, 0);
    let again = scene.hast(&[
        "decision",
        "new",
        "D2",
        "--question",
        "q",
        "--alternative",
        "A=a",
        "--alternative",
        "B=b",
    ]);
    assert_eq!(again.code, 1, "{again:?}");
    let scores = "scores: {contract_fit: 4, regression_risk: 3, operability: 5, delivery_speed: 2, security_posture: 3}";
    let text = scene.read(path);
    let (line, _) =
        text.split_once("# scores:").map(|(_, rest)| rest.split_once('\n').unwrap()).unwrap();
    scene.write(path, text.replacen(&format!("# scores:{line}"), scores, 1));
    let ran = scene.hast(&["decision", "evaluate", path]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("  71.0  A  메모리  (eligible)"), "{}", ran.out);
    assert!(ran.out.contains("0.0  B  on disk  (not eligible: contract_fit"), "{}", ran.out);
    let json = scene.hast(&["decision", "evaluate", path, "--json"]);
    assert!(json.out.contains("\"total\": 71.0") && json.out.contains("\"weight\": 30"));
}

#[test]
fn a_ticket_that_is_wrong_is_shown_with_its_line() {
    let scene = Scene::new(&THREE);
    let good = scene.read(FILE);
    for (text, place) in [
        ("id: D1\nquestion: q\nalternatives:\n  - {id: A, title: a}\n".to_owned(), "D1.yaml:4"),
        (good.replace("id: B", "id: A"), "D1.yaml:6"),
        (good.replace("\"way A\"", "a\n    scores: {speed: 3}"), "D1.yaml:6"),
        (good.replace("\"way A\"", "a\n    scores: {operability: 6}"), "D1.yaml:6"),
        (good.replace("question: which one?\n", ""), "question"),
    ] {
        scene.write(FILE, &text);
        for command in ["evaluate", "spike"] {
            let ran = scene.hast(&["decision", command, FILE]);
            assert_eq!(ran.code, 1, "{text}: {ran:?}");
            assert!(ran.err.contains(place), "{place}: {}", ran.err);
        }
    }
    assert_eq!(scene.events("SPIKE_STARTED"), 0);
}

#[test]
fn one_alternative_is_too_few_in_both_languages() {
    let scene = Scene::new(&THREE);
    scene.write(FILE, "id: D1\nquestion: q\nalternatives:\n  - {id: A, title: a}\n");
    for (lang, said) in [("en", "at least 2 are needed"), ("ko", "적어도 2개가 필요합니다")]
    {
        let ran = scene.hast(&["--lang", lang, "decision", "evaluate", FILE]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn wrong_usage_says_what_to_type() {
    let scene = Scene::new(&THREE);
    let ray = scene.hast(&["decision", "spike", FILE, "--backend", "ray"]);
    assert!(ray.code == 1 && ray.err.contains("--backend thread"), "{ray:?}");
    let guard = scene.hast(&["decision", "spike", FILE, "--accept-if-reason", "id"]);
    assert_eq!(guard.code, 2, "{guard:?}");
    for args in [
        &["new", "a/b", "--question", "q", "--alternative", "A=a", "--alternative", "B=b"][..],
        &["new", "D3", "--question", "q", "--alternative", "A=a"],
        &["new", "D3", "--question", "q", "--alternative", "A", "--alternative", "B=b"],
        &["new", "D3", "--question", "q", "--alternative", "A=a", "--alternative", "A=b"],
    ] {
        let ran = scene.hast(&[&["decision"], args].concat());
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
    }
}

#[test]
fn commands_of_a_ticket_that_nobody_approved_are_not_run() {
    let scene = Scene::new(&THREE);
    scene.write(
        FILE,
        scene
            .read(FILE)
            .replace("\"way A\"", "a\n    command: touch ../../../../../../../project/ran.log"),
    );
    let mut command = scene.hast_command(&["decision", "spike", FILE]);
    let output = command.env_remove("HAST_TRUST").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!scene.has("ran.log"));
}

#[test]
fn the_next_command_names_the_ticket_that_was_tried() {
    let scene = Scene::new(&THREE);
    let ticket = scene.read(FILE);
    scene.write("my plans/it's.yaml", &ticket);
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-q", "-m", "a ticket elsewhere"]);
    let ran = scene.hast(&["decision", "spike", "my plans/it's.yaml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let command = "hast decision spike 'my plans/it'\\''s.yaml' --accept";
    assert!(ran.out.trim_end().ends_with(command), "{}", ran.out);
    let inbox = scene.hast(&["inbox", "summary"]);
    assert!(inbox.out.contains(command), "{}", inbox.out);
    let ran = scene.hast(&["decision", "spike", "my plans/it's.yaml", "--accept"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_long_name_in_any_script_can_be_tried() {
    let long = "메시지-큐를-이용한-비동기-순차-갱신-방식과-그-뒤의-정리-그리고-더-긴-설명";
    let (id, other) = (long.to_owned(), format!("{long}-둘"));
    let scene = Scene::new(&[(&id, THREE[0].1), (&other, THREE[2].1)]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["winner"], *other);
    assert!(scene.has("src/moved.txt"));
    scene.nothing_is_left();
}
