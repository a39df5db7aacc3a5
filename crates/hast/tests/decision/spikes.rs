//! Alternatives are really tried, judged as attempts are, measured and kept.

use serde_json::json;

use crate::scene::{Scene, THREE, ranking};

#[test]
fn new_files_commits_and_renames_are_measured_alike_and_all_are_kept() {
    let scene = Scene::new(&THREE);
    let (head, files) = (scene.git(&["rev-parse", "HEAD"]), scene.git(&["ls-files", "-s"]));
    let (code, answer) = scene.spike(&[]);
    assert_eq!(code, 0, "{answer}");
    let expected = [("C".to_owned(), 2, 1), ("A".to_owned(), 3, 1), ("B".to_owned(), 6, 2)];
    assert_eq!(ranking(&answer), expected);
    assert_eq!((&answer["winner"], &answer["why"]), (&json!("C"), &json!("why:diff_lines")));
    for (id, path, text) in [
        ("A", "src/new.txt", "1\n2\n3"),
        ("B", "src/b.txt", "1\n2\n3\n4"),
        ("B", "src/rest.txt", "5\n6"),
    ] {
        let name = format!("refs/hast/spikes/D1/1/{id}:{path}");
        assert_eq!(scene.git(&["show", &name]), text);
    }
    assert!(scene.git(&["show", "refs/hast/spikes/D1/1/C:src/moved.txt"]).contains("other"));
    // Commits of an alternative are kept as commits.
    assert!(scene.git(&["log", "--format=%s", "refs/hast/spikes/D1/1/B"]).contains("two\none\n"));
    // Nothing of the user's has changed, and somebody is told.
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(scene.git(&["ls-files", "-s"]), files);
    scene.nothing_is_left();
    let inbox = scene.hast(&["inbox", "list"]);
    assert!(inbox.out.contains("decision") && inbox.out.contains("D1"), "{inbox:?}");
    let replay = scene.hast(&["events", "replay", "--json"]);
    assert!(replay.out.contains("\"unreadable\": 0"), "{replay:?}");
    assert!(replay.out.contains("\"disagreements\": []"), "{replay:?}");
}

#[test]
fn what_fails_its_tests_or_leaves_its_scope_comes_last() {
    let scene = Scene::with(
        &[
            ("A", "      - write: {path: src/bug.txt, text: \"1\\n\"}\n"),
            ("B", "      - write: {path: other.txt, text: \"1\\n\"}\n"),
            ("C", "      - write: {path: src/c.txt, text: \"1\\n2\\n3\\n\"}\n"),
            ("D", "      - run: \"true\"\n"),
        ],
        "allowed_changes: [\"src/\"]\n",
        "test ! -f src/bug.txt\n",
    );
    let (code, answer) = scene.spike(&["--parallel", "2"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!((&answer["winner"], &answer["why"]), (&json!("C"), &json!("why:passed")));
    let codes: std::collections::BTreeMap<&str, &str> = answer["alternatives"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["id"].as_str().unwrap(), one["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        (codes["A"], codes["B"], codes["D"]),
        ("tests_red", "outside_scope", "nothing_changed")
    );
    assert_eq!(scene.git(&["show", "refs/hast/spikes/D1/1/A:src/bug.txt"]), "1");
    scene.nothing_is_left();
}

#[test]
fn where_none_passes_nothing_wins() {
    let bug = "      - write: {path: src/bug.txt, text: \"1\\n\"}\n";
    let scene = Scene::new(&[("A", bug), ("B", bug)]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!((code, &answer["winner"]), (1, &json!(null)), "{answer}");
    assert_eq!(
        (&answer["guard"], &answer["why"]),
        (&json!("none_passed"), &json!("why:none_passed"))
    );
    scene.nothing_is_left();
}

#[test]
fn a_command_takes_the_place_of_an_agent() {
    let scene = Scene::new(&[("A", "      - hang\n"), ("B", "      - hang\n")]);
    let ran = scene.hast(&[
        "decision",
        "spike",
        crate::scene::FILE,
        "--command",
        "echo one > src/one.txt",
        "--explain",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("refs/hast/spikes/D1/1/A"), "{ran:?}");
    assert!(ran.err.contains("[D1] A complete"), "{ran:?}");
    assert_eq!(scene.git(&["show", "refs/hast/spikes/D1/1/B:src/one.txt"]), "one");
}

#[test]
fn a_spike_again_is_another_spike_and_keeps_the_first() {
    let scene = Scene::new(&THREE);
    assert_eq!(scene.spike(&[]).0, 0);
    let (code, answer) = scene.spike(&[]);
    assert_eq!((code, &answer["spike"]), (0, &json!(2)), "{answer}");
    for name in ["refs/hast/spikes/D1/1/A", "refs/hast/spikes/D1/2/A"] {
        scene.git(&["rev-parse", "--verify", name]);
    }
}

#[test]
fn what_an_alternative_does_to_the_git_directory_of_its_room_reaches_nobody() {
    let own = "      - run: \"echo x > src/x.txt; git add -A; git commit -qm own; git branch more; git update-ref refs/heads/main HEAD; git rev-parse HEAD > .git/MERGE_HEAD\"\n";
    let more = "      - append: {path: src/long.txt, text: \"1\\n2\\n\"}\n";
    let scene = Scene::new(&[("A", own), ("B", more)]);
    let head = scene.git(&["rev-parse", "main"]);
    let (code, answer) = scene.spike(&[]);
    assert_eq!((code, &answer["winner"]), (0, &json!("A")), "{answer}");
    assert_eq!(scene.git(&["rev-parse", "main"]), head);
    assert_eq!(
        scene.git(&["for-each-ref", "--format=%(refname)", "refs/heads"]),
        "refs/heads/main"
    );
    assert_eq!(scene.git(&["show", "refs/hast/spikes/D1/1/A:src/x.txt"]), "x");
    scene.nothing_is_left();
}
