//! Rooms, refs and work trees that an earlier run left: `auto --gc` and the next run free them, or
//! leave them and tell of them. No work in them is lost.

use crate::scene::{Scene, work};

/// A room with work that is nowhere else, of a run that nobody knows of any more.
fn forgotten() -> Scene {
    let actions = "      - write: {path: work.txt, text: \"nowhere else\\n\"}\n      - write: {path: written.log, text: x}\n      - hang\n";
    let scene = Scene::new(&[("M1", "", actions)]);
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the agent has worked", |scene| scene.room_has("M1", "written.log"));
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    scene.shell("rm -r .ai/events .ai/attempts");
    scene
}

#[test]
fn gc_frees_rooms_that_no_run_needs_and_keeps_what_they_held() {
    let scene = forgotten();
    scene.git(&["worktree", "add", "-q", "-b", "theirs", "../theirs"]);
    let ran = scene.hast(&["auto", "--gc"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("M1") && ran.out.contains("refs/hast/recovered/M1/"), "{}", ran.out);
    assert!(ran.out.contains("free rooms deleted: 1"), "{}", ran.out);
    let name = scene.git(&["for-each-ref", "--format=%(refname)", "refs/hast/recovered"]);
    assert_eq!(scene.git(&["show", &format!("{name}:work.txt")]), "nowhere else");
    assert!(scene.root().join("../theirs/src/a.txt").exists());
    assert_eq!(scene.git(&["for-each-ref", "refs/hast/lanes", "refs/hast/rooms"]), "");
    let json = scene.hast(&["auto", "--gc", "--json"]);
    assert!(json.out.contains("\"worktrees\": []"), "{}", json.out);
    assert_eq!(scene.rooms(), []);
}

#[test]
fn work_trees_of_an_earlier_version_stay_and_are_told() {
    let scene = Scene::new(&[("M1", "", &work("src/b.txt", "b"))]);
    let tree = ".ai/worktrees/OLD";
    scene.git(&["worktree", "add", "-q", "-b", "hast/lanes/OLD/work", tree]);
    scene.write(&format!("{tree}/work.txt"), "nowhere else\n");
    let ran = scene.hast(&["auto", "--gc"]);
    let next = format!("git worktree remove --force {tree}");
    assert!(ran.code == 0 && ran.out.contains(&next), "{ran:?}");
    assert_eq!(scene.read(&format!("{tree}/work.txt")), "nowhere else\n");
    let json = scene.hast(&["auto", "--gc", "--json"]).out;
    assert!(json.contains("\"of_earlier_versions\": [\n    \".ai/worktrees/OLD\"\n  ]"), "{json}");
}

#[test]
fn gc_deletes_and_names_records_of_starts_that_are_a_month_old() {
    let goal = ("M1", "", &*work("src/b.txt", "bug"));
    let scene = Scene::with(&[goal], "max_retries: 2\n", "! grep -rq bug src\n");
    scene.hast(&["auto"]);
    // An earlier version, which worked in the checkout, recorded each start on a ref.
    for number in ["1", "2"] {
        scene.git(&["update-ref", &format!("refs/hast/bases/M1/{number}"), "HEAD"]);
    }
    let bases = |scene: &Scene| scene.git(&["for-each-ref", "refs/hast/bases"]).lines().count();
    assert_eq!(bases(&scene), 2);
    let ran = scene.hast(&["auto", "--gc"]);
    assert!(!ran.out.contains("refs/hast/bases"), "{}", ran.out);
    let log = scene.read(".ai/events/events.ndjson");
    // The same log, written years ago.
    let mut parts = log.split("\"ts\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    let old = parts.fold(first, |old, part| format!("{old}\"ts\":\"2020{}", &part[4..]));
    scene.write(".ai/events/events.ndjson", old);
    let ran = scene.hast(&["auto", "--gc"]);
    assert!(ran.out.contains("refs/hast/bases/M1/1"), "{}", ran.out);
    assert_eq!(bases(&scene), 1, "the last one may still be needed");
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/b.txt"]), "bug");
}

#[test]
fn commits_of_the_user_on_a_kept_branch_stay_there_when_the_next_attempt_is_kept() {
    let goal = ("M1", "", &*work("src/b.txt", "bug"));
    let scene =
        Scene::with(&[goal], "max_retries: 1\nisolation: worktree\n", "! grep -rq bug src\n");
    let ran = scene.hast(&["auto"]);
    assert!(ran.code == 1 && ran.err.contains("hast/kept/M1"), "{ran:?}");
    scene.git(&["checkout", "-q", "hast/kept/M1"]);
    scene.write("src/mine.txt", "two days\n");
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "mine"]);
    let mine = scene.git(&["rev-parse", "HEAD"]);
    scene.git(&["checkout", "-q", "main"]);
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.git(&["rev-parse", "hast/kept/M1"]), mine);
    for said in [&ran.err, &ran.out] {
        assert!(said.contains("hast/kept/M1@2") && said.contains("left as it is"), "{said}");
    }
    assert_eq!(scene.git(&["show", "hast/kept/M1@2:src/b.txt"]), "bug");
    let log = scene.read(".ai/events/events.ndjson");
    assert!(log.contains("\"branch\":\"refs/heads/hast/kept/M1@2\""), "{log}");
}

#[test]
fn what_is_too_large_for_the_ref_of_a_lane_is_told_with_where_it_is() {
    let big = "      - run: truncate -s 67200000 src/big.bin\n      - write: {path: src/b.txt, text: b}\n";
    let scene = Scene::with(&[("M1", "", big)], "sandbox: off\nmax_retries: 1\n", "true\n");
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let at = ".git/hast/aside/refs%2Fhast%2Fattempts%2FM1%2F1/0-src%2Fbig.bin";
    for said in [&ran.err, &ran.out] {
        assert!(said.contains("src/big.bin does not fit on") && said.contains(at), "{said}");
    }
    assert!(scene.has(at));
    let inbox = scene.hast(&["inbox", "list", "--json"]).out;
    assert!(inbox.contains(at), "{inbox}");
}

#[test]
fn a_lane_of_a_goal_that_was_not_asked_for_is_left_alone_and_told() {
    let half = "      - write: {path: half.txt, text: half}\n      - hang\n";
    let scene = Scene::new(&[("M1", "", half), ("M2", "", &work("src/two.txt", "2"))]);
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_until("the agent has worked", |scene| scene.room_has("M1", "half.txt"));
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    let ran = scene.hast(&["auto", "M2"]);
    assert_eq!((ran.code, scene.status_of("M2").as_str()), (0, "done"), "{ran:?}");
    assert!(ran.err.contains("left where an earlier run stopped: M1"), "{}", ran.err);
    assert!(scene.room_has("M1", "half.txt"), "nothing of it was touched");
    // It goes on when somebody asks for it.
    let replies = format!("version: 1\nreplies:\n  - do:\n{}", work("src/one.txt", "1"));
    scene.write("a.rehearsal.yaml", replies);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:half.txt"]), "half");
    scene.nothing_is_left();
}

#[test]
fn what_an_earlier_room_of_the_goal_held_is_told_with_its_ref() {
    let scene = forgotten();
    let replies = format!("version: 1\nreplies:\n  - do:\n{}", work("src/b.txt", "b"));
    scene.write("a.rehearsal.yaml", replies);
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let name = scene.git(&["for-each-ref", "--format=%(refname)", "refs/hast/recovered"]);
    assert!(ran.err.contains(&name) && ran.err.contains("M1"), "{name}: {ran:?}");
    assert_eq!(scene.git(&["show", &format!("{name}:work.txt")]), "nowhere else");
    // Another run has nothing to tell.
    assert!(!scene.hast(&["auto", "--isolate"]).err.contains(&name));
}
