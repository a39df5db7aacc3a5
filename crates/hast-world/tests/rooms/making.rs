//! Rooms are made, put back, locked and swept; shapes of repositories that a room is made of.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::OwnCommits;

use crate::scene::Scene;

#[test]
fn a_room_has_the_base_and_the_users_dates_and_git_works_in_it() {
    let scene = Scene::new();
    scene.user("touch -d '2020-01-02 03:04:05' src/a.txt; echo changed >> src/deep/b.txt");
    let (_rooms, room) = scene.open();
    let date = |path: &std::path::Path| fs::metadata(path).unwrap().mtime();
    assert_eq!(date(&room.tree().join("src/a.txt")), date(&scene.top().join("src/a.txt")));
    assert_eq!(fs::read_to_string(room.tree().join("src/deep/b.txt")).unwrap(), "two\n");
    let told = scene.agent(&room, "git status --short; git branch --show-current; git log --oneline | wc -l; git tag; git config user.name; git rev-parse side");
    assert!(told.starts_with("main\n1\nv1\nuser\n"), "{told}");
}

#[test]
fn a_reset_room_is_the_base_again_but_for_what_is_ignored() {
    let scene = Scene::new();
    let (rooms, mut room) = scene.open();
    let clean = scene.agent(&room, "find . -not -path './.git/*' | sort; git rev-parse HEAD");
    scene.agent(
        &room,
        "rm -rf src run.sh; echo x > x; mkdir -p node_modules/y d; echo z > node_modules/y/z; \
         mkfifo p; mkdir nest; (cd nest; git init -q); chmod 000 d; git checkout -qb other; ln -s / root",
    );
    rooms.reset(&mut room, &scene.head()).unwrap();
    let list =
        "find . -not -path './.git/*' -not -path './node_modules*' | sort; git rev-parse HEAD";
    assert_eq!(scene.agent(&room, list), clean);
    assert_eq!(scene.agent(&room, "git status --short; cat node_modules/y/z"), "z\n");
    scene.user("echo next > src/a.txt; git commit -qam next");
    rooms.reset(&mut room, &scene.head()).unwrap();
    assert_eq!(fs::read_to_string(room.tree().join("src/a.txt")).unwrap(), "next\n");
}

#[test]
fn an_open_room_is_nobody_elses_and_a_closed_one_is_warm() {
    let scene = Scene::new();
    let (rooms, room) = scene.open();
    let inode =
        |room: &hast_world::git::Room| fs::metadata(room.tree().join("src/a.txt")).unwrap().ino();
    let first = inode(&room);
    let refused = scene.rooms().open("auto", &scene.head());
    assert!(matches!(refused, Err(GitProblem::Locked { .. })), "{refused:?}");
    drop(room);
    let again = rooms.open("auto", &scene.head()).unwrap();
    assert_eq!(inode(&again), first, "its files are not written anew");
    let other = rooms.open("other", &scene.head()).unwrap();
    assert_ne!(other.tree(), again.tree());
}

#[test]
fn the_base_outlives_a_prune_of_the_user_and_a_removed_room_leaves_nothing() {
    let scene = Scene::new();
    let (rooms, room) = scene.open();
    scene.user("git checkout -q --orphan new; git rm -rqf . ; echo x > x; git add x; git commit -qm new; git branch -D main side; git tag -d v1; git reflog expire --all --expire=now; git gc -q --prune=now");
    let judged = scene.judged(&rooms, &room, &|_| true);
    assert_eq!((judged.list(), judged.own), (Vec::<String>::new(), OwnCommits::None));
    rooms.remove(room).unwrap();
    assert_eq!(scene.user("git for-each-ref refs/hast"), "");
    let left: Vec<_> = fs::read_dir(scene.dir.path().join("state/rooms")).unwrap().collect();
    assert_eq!(left.len(), 1, "the lock alone: {left:?}");
}

#[test]
fn a_room_without_a_record_is_garbage() {
    let scene = Scene::new();
    let (rooms, room) = scene.open();
    let path = room.tree().parent().unwrap().to_owned();
    fs::remove_file(path.join("meta.json")).unwrap();
    assert_eq!(rooms.sweep().unwrap(), 0, "somebody holds it");
    drop(room);
    // A program that another test starts at this moment has the lock too, until it runs.
    let soon = Instant::now() + Duration::from_secs(10);
    while rooms.sweep().unwrap() == 0 && Instant::now() < soon {
        std::thread::yield_now();
    }
    assert!(!path.exists());
    let (_, room) = scene.open();
    assert!(room.tree().join("src/a.txt").exists());
}

#[test]
fn detached_linked_shallow_sha256_and_sparse_repositories_have_rooms() {
    let made = "git config user.name u; git config user.email u@u; mkdir d e; echo a > a; echo b > d/b; echo c > e/c; git add -A; git commit -qm base";
    for (name, script) in [
        ("detached", format!("git init -q -b main; {made}; git checkout -q --detach")),
        ("sha256", format!("git init -q -b main --object-format=sha256; {made}")),
        (
            "linked",
            format!(
                "git init -q -b main ../real; cd ../real; {made}; cd - >/dev/null; rmdir \"$PWD\"; git -C ../real worktree add -q -b side \"$PWD\""
            ),
        ),
        (
            "shallow",
            format!(
                "git init -q -b main ../real; cd ../real; {made}; echo c > a; git commit -qam two; cd - >/dev/null; git clone -q --depth 1 \"file://$(cd ../real; pwd)\" .; git config user.name u; git config user.email u@u"
            ),
        ),
        ("sparse", format!("git init -q -b main; {made}; git sparse-checkout set d")),
    ] {
        let scene = Scene::made_by(&script);
        let (rooms, room) = scene.open();
        scene.agent(&room, "echo new > d/n; git add -A; git commit -qm own; echo more > d/m");
        let judged = scene.judged(&rooms, &room, &|_| true);
        assert_eq!(judged.list(), ["A d/m", "A d/n"], "{name}");
        assert!(
            matches!(&judged.own, OwnCommits::Linear(own) if own.len() == 1),
            "{name}: {:?}",
            judged.own
        );
        assert_eq!(room.tree().join("e/c").exists(), name != "sparse", "{name}");
        scene.user("git fsck --no-dangling");
    }
}
