//! A repository that somebody else made brings links: nothing outside of it is touched.

use std::fs;
use std::os::unix::fs::symlink;

use hast_stage::{Ran, Stage};

use crate::scene::{Scene, blocked};

/// Without anybody having approved anything.
fn untrusted(stage: &Stage, args: &[&str]) -> Ran {
    let output = stage.hast_command(args).env_remove("HAST_TRUST").output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn link(stage: &Stage, path: &str, target: &str) {
    let path = stage.root().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

#[test]
fn views_and_pages_are_not_written_through_a_link() {
    for (name, target) in [
        (".ai/state/inbox.json", "../../../home/precious.txt"),
        (".ai/state/goal_views.json", "../../../home/not-there.txt"),
        (".ai/state", "../../home"),
        (".ai/reports/observe-20260209.html", "../../../home/precious.txt"),
        (".ai/reports", "../../home"),
    ] {
        let scene = Scene::new(&[blocked(1)]);
        scene.write("../home/precious.txt", "theirs");
        scene.write("../home/inbox.json", "theirs");
        scene.write("../home/observe-20260209.html", "theirs");
        link(&scene, name, target);
        let args: &[&str] = match name.contains("state") {
            true => &["events", "replay"],
            false => &["observe", "baseline", "--html"],
        };
        let ran = scene.run(args);
        assert_eq!(ran.code, 1, "{name}: {ran:?}");
        assert!(ran.err.contains("a link stands") && ran.err.contains(".ai/"), "{}", ran.err);
        let names = scene.names("../home");
        let homes: Vec<&str> = names.iter().map(String::as_str).filter(|n| *n != "state").collect();
        assert_eq!(homes, ["inbox.json", "observe-20260209.html", "precious.txt"], "{name}");
        for file in homes {
            assert_eq!(scene.read(&format!("../home/{file}")), "theirs", "{name}");
        }
        assert!(scene.root().join(name).symlink_metadata().unwrap().is_symlink());
    }
}

#[test]
fn a_page_takes_the_place_of_a_page_and_of_nothing_else() {
    let scene = Scene::new(&[blocked(1)]);
    scene.write("notes.html", "<!doctype html>\n<html lang=\"en\">\nmy only copy\n");
    scene.write("../home/precious.txt", "theirs");
    link(&scene, "link.html", "../home/precious.txt");
    for name in ["notes.html", "link.html"] {
        let before = scene.read(name);
        let ran = scene.run(&["observe", "baseline", "--html", name]);
        assert_eq!(ran.code, 1, "{name}: {ran:?}");
        assert_eq!(scene.read(name), before);
    }
    for lang in ["ko", "en"] {
        let ran = scene.run(&["observe", "baseline", "--html", "page.html", "--lang", lang]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(scene.read("page.html").contains(&format!("lang=\"{lang}\"")));
    }
}

#[test]
fn a_write_that_is_denied_does_not_say_that_something_cannot_be_read() {
    let scene = Scene::new(&[blocked(1)]);
    // A file stands where the directory would be.
    scene.write(".ai/state", "");
    scene.write(".ai/reports", "");
    for args in [&["events", "replay"][..], &["observe", "baseline", "--html"]] {
        let ran = scene.run(args);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("cannot be written"), "{}", ran.err);
    }
}

#[test]
fn directories_behind_a_link_in_the_place_of_earlier_work_trees_are_left_alone() {
    let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
    stage.write(".ai/goals.yaml", "goals: [{id: M1, title: t, status: active}]\n");
    stage.write(".ai/config.yaml", "test_command: \"true\"\nai_tool: \"false {prompt}\"\n");
    stage.write("../home/docs/photos/1", "theirs");
    link(&stage, ".ai/worktrees", "../../home/docs");
    stage.make_repository();
    // No tree is made there any more, so the link is in nobody's way; nothing behind it is listed.
    let freed = stage.hast(&["auto", "--gc"]);
    assert_eq!(freed.code, 0, "{freed:?}");
    assert!(!freed.out.contains("photos"), "{}", freed.out);
    assert_eq!(stage.hast(&["auto", "--isolate"]).code, 1);
    assert_eq!(untrusted(&stage, &["auto", "--gc"]).code, 0);
    assert_eq!(stage.names("../home/docs"), ["photos"]);
    assert_eq!(stage.read("../home/docs/photos/1"), "theirs");
}

#[test]
fn a_queue_behind_a_link_that_nobody_approved_is_refused() {
    let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
    stage.write(".ai/goals.yaml", "goals: [{id: M1, title: t, status: active}]\n");
    fs::create_dir(stage.home().join("q")).unwrap();
    link(&stage, ".ai/queue", "../../home/q");
    for args in [&["queue", "claim", "--worker", "w"][..], &["queue", "list"], &["queue", "sweep"]]
    {
        let ran = untrusted(&stage, args);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("a link stands"), "{}", ran.err);
    }
    assert_eq!(stage.names("../home/q"), Vec::<String>::new());
}
