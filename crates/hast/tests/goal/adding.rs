//! `hast goal add | list | import`: no YAML by hand before the first result.

use crate::scene::{Scene, WORK, always, json, next};

#[test]
fn from_init_to_the_first_result_without_yaml_by_hand() {
    let scene = Scene::new(&always(WORK));
    let added = scene.hast(&["goal", "add", "Reject empty passwords", "--allow", "src/"]);
    assert_eq!(added.code, 0, "{added:?}");
    assert!(added.out.contains("added G1: Reject empty passwords"), "{}", added.out);
    assert_eq!(next(&added), "hast auto G1");
    let ran = scene.as_printed(&next(&added));
    assert_eq!((ran.code, scene.status_of("G1").as_str()), (0, "done"), "{ran:?}");
    assert_eq!(
        scene.git(&["log", "-1", "--format=%s", "--grep=^feat"]),
        "feat(G1): Reject empty passwords"
    );
}

#[test]
fn every_other_byte_of_the_file_stays() {
    let scene = Scene::new(&always(WORK));
    let before = "# 우리 목표\r\ngoals:\r\n  - id: M1   # first\r\n    title: 'a'\r\n    status: pending\r\n\r\n# end\r\n";
    scene.write(".ai/goals.yaml", before);
    let ran = scene.hast(&[
        "goal",
        "add",
        "로그인: \"빈\" 비밀번호",
        "--allow",
        "src/",
        "--allow",
        "tests/",
        "--accept",
        "거부한다",
        "--test",
        "sh check.sh --all",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let after = scene.goals();
    assert_eq!(after.replace(
        "  - id: G1\r\n    title: \"로그인: \\\"빈\\\" 비밀번호\"\r\n    status: active\r\n    allowed_changes: [\"src/\", \"tests/\"]\r\n    acceptance: [\"거부한다\"]\r\n    test_command: \"sh check.sh --all\"\r\n",
        "",
    ), before);
    assert_eq!(scene.hast(&["verify"]).code, 0);
}

#[test]
fn below_a_done_goal_that_one_is_active_again_and_it_is_said() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:done\n  M1.1:done\nM2:pending");
    let ran = scene.hast(&["goal", "add", "more", "--under", "m1"]);
    assert!(ran.code == 0 && ran.out.contains("M1 was done and is active again"), "{ran:?}");
    assert_eq!(
        (scene.status_of("M1"), scene.status_of("M1.2")),
        ("active".into(), "active".into())
    );
    let told = json(&scene.hast(&["goal", "add", "later", "--under", "M2", "--json"]));
    assert_eq!(told["added"][0]["id"], "M2.1");
    assert_eq!(told["closed_by"]["status"], "pending");
    let ran = scene.hast(&["goal", "add", "later", "--under", "M2"]);
    assert!(ran.out.contains("nothing below M2 runs while it is pending"), "{}", ran.out);
    let told = json(&scene.hast(&["events", "replay", "--json"]));
    assert!(!told.to_string().contains("\"M1\",\"log\""), "{told}");
}

#[test]
fn what_cannot_be_added_changes_nothing() {
    let scene = Scene::new(&always(WORK));
    scene.set_goals("M1:active");
    let before = scene.goals();
    for (args, code, said) in [
        (&["goal", "add", ""][..], 2, "missing"),
        (&["goal", "add", " "], 2, "the title is empty"),
        (&["goal", "add", "t", "--under", "X"], 1, "no goal X"),
        (&["goal", "add", "t", "--id", "m1"], 1, "there is a goal m1 already"),
        (&["goal", "add", "t", "--id", "a\nb"], 1, "cannot be an id"),
        (&["goal", "add", "t", "--id=-n"], 1, "`-n` cannot be an id"),
        (&["goal", "add", "t", "--id", "G1@1"], 1, "`G1@1` cannot be an id"),
        (&["goal", "add", "t", "--id", "../../x"], 1, "cannot be an id"),
        (&["goal", "add", "t", "--allow", "../up"], 1, "no file can match `../up`"),
        (&["goal", "add"], 2, "missing"),
    ] {
        let ran = scene.hast(args);
        assert_eq!(ran.code, code, "{args:?} {ran:?}");
        assert!(ran.err.contains(said), "{args:?} {}", ran.err);
    }
    assert_eq!(scene.goals(), before);
    let alias = "x: &a [{id: M1, title: t, status: active}]\ngoals: *a\n";
    scene.write(".ai/goals.yaml", alias);
    let ran = scene.hast(&["goal", "add", "t"]);
    assert!(ran.code == 1 && ran.err.contains(".ai/goals.yaml:2"), "{ran:?}");
    assert_eq!(scene.goals(), alias);
}

#[test]
fn a_list_of_issues_becomes_goals_and_those_that_are_there_are_skipped() {
    let scene = Scene::new(&always(WORK));
    let list = r##"[
        {"number": 12, "title": "Login fails", "body": "Steps:\r\n1. open\r\n\r\n2. 로그인\r\n", "labels": []},
        {"number": 13, "title": "Typo", "body": ""},
        {"id": "DOCS", "title": "Docs", "notes": "one line"},
        {"title": "No number"}
    ]"##;
    let ran = scene.hast_with(&["goal", "import"], list);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(next(&ran), "hast auto --dry-run");
    let ids: Vec<String> =
        scene.listed().iter().map(|goal| goal["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, ["GH-12", "GH-13", "DOCS", "G1"]);
    assert!(
        scene.goals().contains("notes: |-\n      Steps:\n      1. open\n\n      2. 로그인\n"),
        "{}",
        scene.goals()
    );
    let dry = scene.as_printed(&next(&ran));
    assert!(dry.code == 0 && dry.out.contains("GH-13"), "{dry:?}");
    let again = scene.hast_with(&["goal", "import"], list);
    assert!(again.out.contains("GH-12 is there already and was skipped"), "{}", again.out);
    assert_eq!(scene.listed().len(), 5);
}

#[test]
fn a_list_that_is_none_adds_nothing_and_says_what_to_pipe_in() {
    let scene = Scene::new(&always(WORK));
    let before = scene.goals();
    for (list, said) in [
        ("", "JSON list"),
        ("{}", "JSON list"),
        ("[{\"title\": 3}]", "goal 1 of the list: title must be text"),
        (
            "[{\"title\": \"a\"}, {\"title\": \"b\", \"number\": 1.5}]",
            "goal 2 of the list: number must be a whole",
        ),
        ("[\"a\"]", "goal 1 of the list must be a map"),
        ("[{\"title\": \"a\"}, {\"number\": 3}]", "goal 2"),
        ("[{\"title\": \"a\", \"id\": \"\"}]", "id"),
    ] {
        let ran = scene.hast_with(&["goal", "import"], list);
        assert!(ran.code == 1 && ran.err.contains(said), "{list} {ran:?}");
    }
    assert_eq!(scene.goals(), before);
    let nothing = scene.hast_with(&["goal", "import", "--json"], "[]");
    assert_eq!((nothing.code, json(&nothing)["added"].as_array().unwrap().len()), (0, 0));
}

#[test]
fn a_file_that_is_wrong_says_what_to_correct_and_the_command_works_then() {
    let scene = Scene::new(&always(WORK));
    for (text, said) in [
        ("", "write the line `goals: []`"),
        ("# goals\n", "write the line `goals: []`"),
        ("goals:\n  - id: M1\n    title: t\n    status: soon\n", "correct it (hast verify"),
        ("goals:\n\t- id: M1\n", "use spaces"),
    ] {
        scene.write(".ai/goals.yaml", text);
        let ran = scene.hast(&["goal", "add", "t"]);
        assert!(ran.code == 1 && ran.err.contains(said), "{text:?} {ran:?}");
        assert!(!ran.err.contains("without changing more"), "{}", ran.err);
        assert_eq!(scene.goals(), text);
    }
    scene.write(".ai/goals.yaml", "goals: []\n");
    assert_eq!(scene.hast(&["goal", "add", "t"]).code, 0);
}

#[test]
fn a_glob_that_can_match_nothing_is_told_by_verify() {
    let scene = Scene::new(&always(WORK));
    scene.write(
        ".ai/goals.yaml",
        "goals:\n  - {id: A, title: a, status: active, allowed_changes: [\"../x\", \"\", src/]}\n",
    );
    let ran = scene.hast(&["verify"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.out.matches("no file can match").count(), 2, "{}", ran.out);
}

#[test]
fn what_a_goal_waits_for_holds_its_parts_and_the_list_says_so() {
    let scene = Scene::new(&always(WORK));
    scene.write(
        ".ai/goals.yaml",
        "goals:\n  - {id: D, title: d, status: active, depends_on: [I], children: [{id: D1, title: d1, status: active}]}\n  - {id: I, title: i, status: active}\n",
    );
    let list = scene.hast(&["goal", "list"]);
    assert!(list.out.contains("D  d · waits for I\n"), "{}", list.out);
    assert!(list.out.contains("D1  d1 · D waits for I\n"), "{}", list.out);
    let runnable: Vec<bool> =
        scene.listed().iter().map(|goal| goal["runnable"].as_bool().unwrap()).collect();
    assert_eq!(runnable, [false, false, true]);
    let ran = scene.hast(&["auto", "D1"]);
    assert!(ran.code == 1 && ran.err.contains("hast auto I"), "{ran:?}");
    assert_eq!(scene.hast(&["auto"]).code, 0);
    assert_eq!((scene.status_of("D1"), scene.status_of("D")), ("done".into(), "done".into()));
    let log = scene.git(&["log", "--reverse", "--format=%s", "--grep=^feat"]);
    assert!(log.find("feat(I)") < log.find("feat(D1)"), "{log}");
    // A part that is named beside its whole waits for nothing more, and a circle through a whole is one.
    let goals = |waits: &str| {
        format!(
            "goals:\n  - {{id: D, title: d, status: active, depends_on: [{waits}], children: [{{id: D1, title: d1, status: active}}]}}\n  - {{id: I, title: i, status: active, depends_on: [D1]}}\n"
        )
    };
    scene.write(".ai/goals.yaml", goals("D1"));
    assert_eq!(scene.hast(&["verify"]).code, 0);
    scene.write(".ai/goals.yaml", goals("I"));
    let ran = scene.hast(&["verify"]);
    assert!(ran.code == 1 && ran.out.contains("wait for each other"), "{ran:?}");
}

#[test]
fn the_list_says_why_a_goal_does_not_run_in_both_languages() {
    let scene = Scene::new(&always(WORK));
    let none = scene.hast(&["goal", "list"]);
    assert!(next(&none).starts_with("hast goal add"), "{none:?}");
    assert_eq!(scene.as_printed(&next(&none)).code, 0);
    scene.write(
        ".ai/goals.yaml",
        "goals:\n  - {id: A, title: 가, status: pending, children: [{id: A1, title: b, status: active}]}\n  - {id: B, title: b, status: active, depends_on: [A]}\n  - {id: C, title: c, status: blocked, blocked_reason: \"tests are red\"}\n  - {id: D, title: d, status: active, mode: interactive}\n",
    );
    let list = scene.hast(&["goal", "list"]);
    for part in ["A is pending", "waits for A", "tests are red", "a person does it"] {
        assert!(list.out.contains(part), "{part}: {}", list.out);
    }
    let korean = scene.hast(&["goal", "list", "--lang", "ko"]);
    assert!(
        korean.out.contains("A(이)가 pending") || korean.out.contains("A가 pending"),
        "{}",
        korean.out
    );
    let goals = scene.listed();
    let runnable: Vec<bool> =
        goals.iter().map(|goal| goal["runnable"].as_bool().unwrap()).collect();
    assert_eq!(runnable, [false; 5]);
    assert_eq!(goals[1]["closed_by"]["id"], "A");
    assert_eq!(goals[2]["waits_for"][0], "A");
}

#[test]
fn a_goal_that_is_added_while_auto_runs_is_not_lost() {
    let waiting = "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n";
    let scene = Scene::new(&always(&format!("{waiting}{WORK}")));
    scene.config(&always(&format!("{waiting}{WORK}")), "sandbox: off\nroom: own-path\n");
    scene.set_goals("M1:active");
    let mut running = scene.start(&["auto", "M1"]);
    scene.wait_until("the attempt has begun", |scene| {
        scene.read(".ai/events/events.ndjson").contains("ATTEMPT_STARTED")
    });
    let added = scene.hast(&["goal", "add", "meanwhile"]);
    assert_eq!(added.code, 0, "{added:?}");
    scene.write("go.log", "go\n");
    assert!(running.wait().unwrap().success());
    assert_eq!((scene.status_of("M1"), scene.status_of("G1")), ("done".into(), "active".into()));
}
