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
