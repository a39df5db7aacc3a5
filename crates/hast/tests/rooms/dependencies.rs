//! Ignored files do not vouch for the work, and installed dependencies stay where their list changed.

use crate::scene::{KINDS, Scene};

#[test]
fn a_patched_test_runner_among_ignored_files_makes_nothing_green() {
    for script in [
        "echo bad > src/bad.txt; echo exit 0 > .venv/runner",
        "echo bad > src/bad.txt; rm -rf .venv; mkdir .venv; echo exit 0 > .venv/runner",
        "echo bad > src/bad.txt; mv .venv x; mkdir .venv; echo exit 0 > .venv/runner; rm -rf x",
    ] {
        for kind in KINDS {
            let scene = Scene::new(script, kind);
            let ran = scene.auto();
            assert_eq!(
                (ran.code, scene.reason().as_str()),
                (1, "tests_red"),
                "{kind} {script} {ran:?}"
            );
            assert_eq!(scene.status(), "blocked");
            let goals = scene.read(".ai/goals.yaml");
            assert!(goals.contains(".venv/runner") && goals.contains("room_setup"), "{goals}");
            assert!(scene.read(".venv/runner").starts_with("test -f"), "{kind}");
            scene.nothing_is_left();
        }
    }
}

#[test]
fn a_forged_cache_is_not_there_when_the_tests_run() {
    let check = "test -e build/green.log || test -e src/cache.log || test -f src/good.txt\n";
    for kind in KINDS {
        let scene =
            Scene::with_check("mkdir -p build; touch build/green.log src/cache.log", kind, check);
        scene.auto();
        assert_eq!(scene.reason(), "tests_red", "{kind}");
    }
}

#[test]
fn installed_dependencies_count_where_the_list_beside_them_changed() {
    let check = "test ! -f src/b.txt || test -f node_modules/new/index.js\n";
    let install = "mkdir node_modules/new; echo new > node_modules/new/index.js";
    for kind in KINDS {
        let honest = format!("{install}; echo '{{\"dependencies\":{{}}}}' > package.json");
        let scene = Scene::with_check(&honest, kind, check);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        assert_eq!(
            scene.names("node_modules"),
            ["dep"],
            "{kind}: nothing is installed for the user"
        );
        assert!(ran.out.contains("run `npm install`"), "{kind} {ran:?}");
        let scene = Scene::with_check(install, kind, check);
        scene.auto();
        assert_eq!(scene.reason(), "tests_red", "{kind}");
    }
}

#[test]
fn what_was_uninstalled_is_not_there_when_the_tests_run() {
    for uninstall in ["rm -rf node_modules/dep", "rm -rf node_modules"] {
        for kind in KINDS {
            let check = "test ! -f src/b.txt || test ! -e node_modules/dep/index.js\n";
            let script = format!("{uninstall}; echo '{{\"dependencies\":{{}}}}' > package.json");
            let scene = Scene::with_check(&script, kind, check);
            let ran = scene.auto();
            let ended = (ran.code, scene.status());
            assert_eq!(ended, (0, "done".to_owned()), "{kind} {uninstall} {ran:?}");
            assert_eq!(scene.names("node_modules"), ["dep"], "{kind}");
            // Without a changed list of dependencies it is there again.
            let scene = Scene::with_check(uninstall, kind, check);
            scene.auto();
            assert_eq!(scene.reason(), "tests_red", "{kind} {uninstall}");
        }
    }
}

#[test]
fn with_a_setup_the_runner_of_a_changed_list_is_installed_again_and_not_the_agents() {
    // The setup installs the runner that the list names; the agent patches the runner and touches the list.
    let setup =
        "room_setup: \"mkdir -p .venv && cp runner.txt .venv/runner && echo set up >> ran.log\"\n";
    let patched = "echo 'x==1' > requirements.txt; echo exit 0 > .venv/runner; echo > src/bad.txt";
    for kind in KINDS {
        let scene = |script: &str| {
            let scene = Scene::new(script, &format!("{kind}{setup}"));
            scene.write("runner.txt", "test -f src/b.txt && test ! -e src/bad.txt\n");
            scene.git(&["add", "runner.txt"]);
            scene.git(&["commit", "-qm", "runner"]);
            scene
        };
        let patched = scene(patched);
        let ran = patched.auto();
        let ended = (ran.code, patched.reason());
        assert_eq!(ended, (1, "tests_red".to_owned()), "{kind} {ran:?}");
        // An honest list passes with what the setup installs.
        let honest = scene("echo 'x==1' > requirements.txt; rm -rf .venv");
        let ran = honest.auto();
        assert_eq!((ran.code, honest.status().as_str()), (0, "done"), "{kind} {ran:?}");
        // A setup that fails is the reason.
        let broken = scene("echo 'x==1' > requirements.txt; git rm -q runner.txt");
        broken.auto();
        assert_eq!(broken.reason(), "tests_could_not_run", "{kind}");
        assert!(broken.read(".ai/goals.yaml").contains("room_setup"), "{kind}");
    }
}

#[test]
fn a_list_counts_for_dependencies_below_it_too() {
    let check = "test ! -f src/b.txt || test -f packages/a/node_modules/new.js\n";
    let install = "mkdir -p packages/a/node_modules; echo new > packages/a/node_modules/new.js";
    for kind in KINDS {
        let scene =
            Scene::with_check(&format!("{install}; echo '{{}} ' > package.json"), kind, check);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        let scene = Scene::with_check(&format!("{install}; echo > src/package.json"), kind, check);
        scene.auto();
        assert_eq!(scene.reason(), "tests_red", "{kind}");
    }
}

#[test]
fn ignored_files_that_room_keep_names_stay_as_the_agent_left_them() {
    let check = "test ! -f src/b.txt || { test -f build/cache/x && test ! -f build/other && test -f src/k.log; }\n";
    let script = "mkdir -p build/cache; touch build/cache/x build/other src/k.log";
    for kind in KINDS {
        let config = format!("{kind}room_keep: [build/cache/, k.log]\n");
        let scene = Scene::with_check(script, &config, check);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        assert!(!scene.has("build"), "{kind}");
    }
}
