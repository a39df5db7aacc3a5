//! Agent and tests in a room, at the checkout's own path and at a path of its own. The tests show
//! the files that they see and the changes that hast judges.

use crate::scene::{KINDS, Scene, differences};

fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort();
    paths
}

#[test]
fn agent_and_tests_work_at_the_path_of_the_checkout_and_see_ignored_files_alone() {
    let script = "pwd > src/where.txt; ls -A > src/seen.txt; ls src/deep > src/deep_seen.txt; cat .env src/user.log node_modules/dep/index.js > src/ignored.txt";
    let check = "pwd > src/tested_at.txt; test \"$(cat src/where.txt 2>/dev/null || pwd)\" = \"$(pwd)\" && test -f node_modules/dep/index.js && test ! -e notes.txt && test ! -e src/deep/draft.txt\n";
    let scene = Scene::with_check(script, "", check);
    let before = scene.everything();
    let ran = scene.auto();
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    let root = scene.root().canonicalize().unwrap();
    assert_eq!(scene.read("src/where.txt").trim(), root.to_str().unwrap());
    let seen = scene.read("src/seen.txt");
    assert_eq!(
        seen.lines().collect::<Vec<_>>(),
        [
            ".ai",
            ".env",
            ".git",
            ".gitignore",
            ".venv",
            "check.sh",
            "node_modules",
            "package.json",
            "src"
        ]
    );
    assert_eq!(scene.read("src/deep_seen.txt"), "c.txt\n");
    assert_eq!(scene.read("src/ignored.txt"), "SECRET=1\nmine\ndep\n");
    assert!(!scene.has("src/tested_at.txt"), "what the tests write stays in the room");
    let work = ["b", "where", "seen", "deep_seen", "ignored"];
    let work = work.map(|name| format!("project/src/{name}.txt"));
    assert_eq!(differences(&before, &scene.everything(), &[]), sorted(work.to_vec()));
    scene.nothing_is_left();
}

#[test]
fn a_room_at_a_path_of_its_own_has_copies_and_is_told_by_the_doctor() {
    let scene = Scene::new("pwd > src/where.txt; ls -A | tr '\\n' ' ' > src/seen.txt", KINDS[1]);
    let ran = scene.auto();
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    assert!(scene.read("src/where.txt").contains("/hast/rooms/"));
    let seen = ".ai .git .gitignore .venv check.sh node_modules package.json src ";
    assert_eq!(scene.read("src/seen.txt"), seen);
    let told = scene.hast(&["agent", "doctor", "--json"]).out;
    assert!(told.contains("\"kind\": \"own_path\""), "{told}");
    let told = scene.hast(&["agent", "doctor", "--lang", "ko"]).out;
    assert!(told.contains("`room: own-path` 설정"), "{told}");
}

#[test]
fn changes_that_the_user_has_not_committed_are_neither_judged_nor_touched() {
    for kind in KINDS {
        let scene = Scene::new("cat src/a.txt > src/of_agent.txt", kind);
        scene.write("src/a.txt", "edited\n");
        scene.write("src/bad.txt", "makes the tests red\n");
        scene.git(&["add", "src/bad.txt"]);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        assert_eq!(scene.read("src/of_agent.txt"), "a\n", "{kind}");
        assert_eq!(scene.read("src/a.txt"), "edited\n");
        let status = scene.git(&["status", "--porcelain", "src/a.txt", "src/bad.txt"]);
        assert_eq!(status, "M src/a.txt\nA  src/bad.txt", "{kind}");
        scene.nothing_is_left();
    }
}

#[test]
fn what_an_agent_deletes_moves_and_replaces_is_judged_as_it_is() {
    let script = "set -e
git mv src/deep src/moved
rm package.json
rm -rf node_modules .venv/nothing
mkdir package.json && echo x > package.json/inside
ln -s moved src/link
test -d src/moved && test ! -e src/deep && test ! -e node_modules
";
    for kind in KINDS {
        let scene = Scene::with_check(script, kind, "true\n");
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        let files = scene.git(&["ls-tree", "-r", "--name-only", "main", "src", "package.json"]);
        assert_eq!(files, "package.json/inside\nsrc/a.txt\nsrc/b.txt\nsrc/link\nsrc/moved/c.txt");
        assert_eq!(scene.read("node_modules/dep/index.js"), "dep\n", "{kind}");
        assert_eq!(scene.read("src/deep/draft.txt"), "not committed\n", "{kind}");
        scene.nothing_is_left();
    }
}

#[test]
fn git_works_in_a_room_as_in_any_checkout() {
    let script = "set -e
git config user.name A; git config user.email a@localhost
git status --short | grep -q . && exit 1
echo one > src/one.txt; git add -A; git commit -qm one
git checkout -qb side; echo side > src/side.txt; git add -A; git commit -qm side
git checkout -q main; echo two > src/two.txt; git add -A; git commit -qm two
git rebase -q main side; git checkout -q main; git merge -q --no-ff -m merged side
echo s >> src/a.txt; git stash -q; git stash pop -q; git checkout -q src/a.txt
git worktree add -q $TMPDIR/other side; git worktree remove $TMPDIR/other
git gc -q; git fsck --no-dangling >/dev/null
git log --oneline | grep -q first
";
    let scene = Scene::with_check(script, "", "true\n");
    let before = scene.everything();
    let ran = scene.auto();
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    let log = scene.git(&["log", "--format=%s", "main"]);
    assert_eq!(log, "chore(M1): goal status\nfeat(M1): The work\nfirst", "a merge is squashed");
    let work = ["one", "two", "side", "b"].map(|name| format!("project/src/{name}.txt"));
    assert_eq!(differences(&before, &scene.everything(), &[]), sorted(work.to_vec()));
    scene.nothing_is_left();
}

#[test]
fn an_honest_line_of_commits_is_kept_commit_by_commit() {
    let script = "set -e
echo one > src/one.txt; git add -A; git commit -qm one
echo two > src/two.txt; git add -A; git commit -qm two
";
    for kind in KINDS {
        let scene = Scene::with_check(script, kind, "true\n");
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        let log = scene.git(&["log", "--format=%s", "main"]);
        assert_eq!(log, "chore(M1): goal status\nfeat(M1): The work\ntwo\none\nfirst", "{kind}");
    }
}

#[test]
fn an_agent_that_ends_at_once_spends_no_attempt_in_either_kind_of_room() {
    for kind in KINDS {
        let scene = Scene::new("true", kind);
        let config = scene.read(".ai/config.yaml");
        let crash = "sh -c 'echo no such model >&2; exit 3' {prompt_file}";
        scene.write(".ai/config.yaml", config.replace("rehearsal:.ai/agent.yaml", crash));
        scene.git(&["commit", "-qam", "another agent"]);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (1, "active"), "{kind}: {ran:?}");
        assert_eq!(scene.reason(), "", "{kind}: nothing was judged");
        assert!(ran.err.contains("ended before its first answer"), "{kind}: {}", ran.err);
        scene.nothing_runs();
    }
}
