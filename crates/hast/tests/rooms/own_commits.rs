//! An agent's own commits where the user's commits go through more than git: a signature, hooks, a filter.

use crate::scene::{KINDS, Scene};

const COMMITS: &str = "echo mine > src/c.bin; git add -A; git commit -qm 'of the agent'";

const SIGNS: &str = "#!/bin/sh
cat > /dev/null
printf '\\n[GNUPG:] SIG_CREATED D\\n' >&2
echo '-----BEGIN PGP SIGNATURE-----'
echo '-----END PGP SIGNATURE-----'
";

/// The goal is done with one commit of hast's, which has the agent's files, and the reason is told.
fn is_squashed(scene: &Scene, why: &str) {
    let ran = scene.hast(&["auto", "--json"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    let log = scene.git(&["log", "--format=%s", "main"]);
    assert_eq!(log, "chore(M1): goal status\nfeat(M1): The work\nfirst");
    let files = scene.git(&["show", "--format=", "--name-only", "main~1"]);
    assert!(files.contains("src/c.bin") && files.contains("src/b.txt"), "{files}");
    assert!(ran.out.contains("\"squashed\"") && ran.out.contains(why), "{ran:?}");
    let events = scene.read(".ai/events/events.ndjson");
    assert!(events.contains("\"squashed\":") && events.contains(why), "{events}");
}

#[test]
fn commits_are_kept_where_the_users_git_does_nothing_of_its_own() {
    let scene = Scene::with_check(COMMITS, "", "true\n");
    // Git runs no file that is not executable.
    scene.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    scene.write(".git/hooks/commit-msg.sample", "#!/bin/sh\nexit 1\n");
    scene.shell("chmod -x .git/hooks/pre-commit; chmod +x .git/hooks/commit-msg.sample");
    let ran = scene.hast(&["auto", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let log = scene.git(&["log", "--format=%s", "main"]);
    assert_eq!(log, "chore(M1): goal status\nfeat(M1): The work\nof the agent\nfirst");
    assert!(ran.out.contains("\"squashed\": null"), "{ran:?}");
}

#[test]
fn commits_are_one_where_the_user_signs() {
    for kind in KINDS {
        let scene = Scene::with_check(COMMITS, kind, "true\n");
        scene.write("../home/signs", SIGNS);
        scene.shell("chmod +x ../home/signs; git config --global gpg.program \"$HOME/signs\"");
        scene.git(&["config", "--global", "commit.gpgsign", "true"]);
        is_squashed(&scene, "commit.gpgsign");
        assert!(scene.git(&["cat-file", "commit", "main~1"]).contains("gpgsig"), "{kind}");
    }
}

#[test]
fn commits_are_one_and_pass_the_hook_where_the_user_has_commit_hooks() {
    for (number, hook) in
        ["pre-commit", "commit-msg", "prepare-commit-msg", "post-commit"].into_iter().enumerate()
    {
        let scene = Scene::with_check(COMMITS, KINDS[number % 2], "true\n");
        // One of them lies where core.hooksPath says.
        let directory = if number == 1 { "../home/hooks" } else { ".git/hooks" };
        scene.write(&format!("{directory}/{hook}"), "#!/bin/sh\nexit 0\n");
        scene.shell(&format!("chmod +x {directory}/{hook}"));
        if number == 1 {
            scene.shell("git config core.hooksPath \"$PWD/../home/hooks\"");
        }
        is_squashed(&scene, hook);
    }
    let scene = Scene::with_check(COMMITS, "", "true\n");
    scene
        .write(".git/hooks/pre-commit", "#!/bin/sh\ntest ! -e src/c.bin || { echo no; exit 1; }\n");
    scene.shell("chmod +x .git/hooks/pre-commit");
    let ran = scene.auto();
    assert_eq!((ran.code, scene.reason().as_str()), (1, "commit_refused"), "{ran:?}");
    assert_eq!(scene.git(&["log", "--format=%s", "main"]), "chore(M1): goal status\nfirst");
}

#[test]
fn commits_are_one_where_a_path_of_them_has_a_filter() {
    for (number, hides) in ["", "rm .gitattributes;"].into_iter().enumerate() {
        let script = format!("{hides} {COMMITS}; git checkout -q HEAD~1 -- .gitattributes || true");
        let scene = Scene::with_check(&script, KINDS[number], "true\n");
        scene.write(".gitattributes", "*.bin filter=large\n");
        scene.git(&["add", ".gitattributes"]);
        scene.git(&["commit", "-q", "--amend", "--no-edit"]);
        for (name, command) in [("clean", "tr a-z A-Z"), ("smudge", "tr A-Z a-z")] {
            scene.shell(&format!("git config --global filter.large.{name} '{command}'"));
        }
        is_squashed(&scene, "src/c.bin has a filter");
        assert_eq!(scene.git(&["cat-file", "blob", "main:src/c.bin"]), "MINE", "it is filtered");
    }
}
