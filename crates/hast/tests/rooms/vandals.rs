//! Agents that do to the repository whatever they can. Each attack says what it did: inside of a room
//! it works, or the system refuses it. Afterwards everything of the user's is as before,
//! byte for byte, with its rights, owners, dates and attributes.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;

use crate::attacks::{ALONE, TOGETHER};
use crate::scene::{KINDS, Scene, differences};

/// A user who has no rights: `nobody` on most systems.
const UNPRIVILEGED: u32 = 65_534;

/// Runs the attacks of the goal, and notes how each ended.
const AGENT: &str = r#"goal=$(sed -n 's/.*"unit": *"\([^"]*\)".*/\1/p' "$HAST_CALL" | head -1)
export CHECKOUT="$(cat "$HOME/checkout")"
case "$PWD" in "$CHECKOUT") export KIND=same;; *) export KIND=own;; esac
mkdir "$TMPDIR/git"
for part in $(ls -A .git | grep -vx users-objects); do cp -a ".git/$part" "$TMPDIR/git"; done
for attack in $(ls "$HOME/attacks/$goal"); do
  for part in $(ls -A .git | grep -vx users-objects); do rm -rf ".git/$part"; done
  cp -a "$TMPDIR/git/." .git
  git checkout -qf -- . && git clean -qfd
  timeout 20 setsid sh -ex "$HOME/attacks/$goal/$attack" < /dev/null > "$HOME/reports/$attack.log" 2>&1
  echo $? > "$HOME/reports/$attack"
done
# An agent that fails and leaves nothing has not begun; one of the attacks writes to this file.
exit 0
"#;

/// Words of the attacks: what the system refuses, and what works on a copy of the room's own alone.
const WORDS: &str = r#"refused() { if "$@"; then echo "not refused: $*"; exit 99; fi; }
private() { case $KIND in same) "$@";; own) refused "$@";; esac; }
put() { (echo "$1" >> "$2"); }
mark() { python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.evil", b"y")' "$1"; }
trace() { python3 -c 'import ctypes, sys; sys.exit(0 if ctypes.CDLL(None).ptrace(16, int(sys.argv[1]), 0, 0) == 0 else 1)' "$1"; }
call() { python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$1"; }
"#;

/// Sees to it that nobody but this user is needed.
fn give_to(path: &Path, user: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in std::fs::read_dir(path).unwrap().flatten() {
            give_to(&entry.path(), user);
        }
    }
}

/// All attacks with names: those that share an attempt begin with `T`.
fn attacks() -> Vec<(String, &'static str)> {
    let named = |letter: char, attacks: &[&'static str]| {
        let attacks = attacks.iter().enumerate();
        attacks
            .map(|(number, attack)| (format!("{letter}{number:02}"), *attack))
            .collect::<Vec<_>>()
    };
    let all = [named('T', TOGETHER), named('A', ALONE)].concat();
    assert!(all.len() >= 60, "{}", all.len());
    all
}

fn scene(kind: &str) -> Scene {
    let config = format!("{kind}sandbox_write: [~/reports]\n");
    let scene = Scene::with_check("true", &config, "true\n");
    let line = format!("sh {}/agent.sh {{prompt}}", scene.home().display());
    let config = scene.read(".ai/config.yaml").replace("rehearsal:.ai/agent.yaml", &line);
    scene.write(".ai/config.yaml", config);
    scene.write("../home/agent.sh", AGENT);
    scene.write("../home/docs/mine.txt", "mine\n");
    scene.write("../home/.profile", "mine\n");
    scene.write("../home/reports/.keep", "");
    scene.write("../home/checkout", scene.root().canonicalize().unwrap().to_str().unwrap());
    let mut goals = "goals:\n  - {id: V, title: Attacks, status: active}\n".to_owned();
    for (name, attack) in attacks() {
        let goal = if name.starts_with('T') { "V" } else { &name };
        scene.write(&format!("../home/attacks/{goal}/{name}"), format!("{WORDS}{attack}\n"));
        if goal == name {
            goals.push_str(&format!("  - {{id: {goal}, title: Attack, status: active}}\n"));
        }
    }
    scene.write(".ai/goals.yaml", goals);
    scene.git(&["add", "-A", ".ai"]);
    scene.git(&["commit", "-qm", "attacks"]);
    scene.git(&["branch", "side"]);
    scene
}

fn vandalise(kind: &str, user: Option<u32>, width: &str) {
    let scene = scene(kind);
    let words = ["auto", "--recursive", "--parallel", width];
    let top = scene.root().parent().unwrap().to_owned();
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut command = scene.hast_command(&words);
    if let Some(user) = user.filter(|_| is_root) {
        // The binary may lie where only root can go.
        std::fs::copy(env!("CARGO_BIN_EXE_hast"), top.join("hast")).unwrap();
        give_to(&top, user);
        command = scene.command_of(top.join("hast"), &words);
        command.uid(user).gid(user);
    } else if user.is_some() {
        eprintln!("this test is not root: the attacks are made by the user who runs it");
    }
    let bus = std::os::unix::net::UnixListener::bind(top.join("bus")).unwrap();
    chown(top.join("bus"), user, user).ok();
    command.env("DOCKER_HOST", format!("unix://{}", top.join("bus").display()));
    command.env("OF_NOBODY_TOKEN", "no agent was given this");
    let (before, head) = (scene.everything(), scene.git_of_owner(&["rev-parse", "HEAD"]));
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    for (name, attack) in attacks() {
        let report = scene.read(&format!("../home/reports/{name}"));
        let log = scene.read(&format!("../home/reports/{name}.log"));
        assert_eq!(report, "0\n", "{kind} {user:?} {name} {attack}\n{log}\n{said}");
    }
    let since = scene.git_of_owner(&["diff", "--name-only", &head, "main"]);
    assert_eq!(since, ".ai/goals.yaml", "{kind}: hast notes that they are blocked");
    assert_eq!(scene.git_of_owner(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(differences(&before, &scene.everything(), &[]), Vec::<String>::new(), "{kind}");
    for place in ["/tmp", "/var/tmp", "/dev/shm"] {
        assert!(!Path::new(place).join("of-vandal").exists(), "{kind} {place}");
    }
    assert_eq!(scene.git_of_owner(&["fsck", "--no-dangling"]), "");
    assert_eq!(scene.git_of_owner(&["for-each-ref", "refs/stash"]), "");
    drop(bus);
    scene.nothing_is_left();
}

#[test]
fn nothing_that_an_agent_does_in_a_room_at_the_checkouts_path_reaches_the_user() {
    vandalise(KINDS[0], None, "1");
}

#[test]
fn nothing_that_an_agent_does_in_a_room_of_its_own_path_reaches_the_user() {
    vandalise(KINDS[1], None, "1");
}

#[test]
fn the_same_holds_for_a_user_without_rights_and_lanes_at_the_checkouts_path() {
    vandalise(KINDS[0], Some(UNPRIVILEGED), "3");
}

#[test]
fn the_same_holds_for_a_user_without_rights_and_lanes_at_a_path_of_its_own() {
    vandalise(KINDS[1], Some(UNPRIVILEGED), "3");
}
