//! No state is a dead end: whatever a kill, a disk, a person or another program has left, the next command goes
//! on, or it says what to type and that works. Each case ends with the goal done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::scene::{Ran, Scene, WORK};

const GOALS: &str = "goals:\n  - {id: M1, title: The work, status: active}\n";
const HALF: &str = "      - write: {path: src/half.txt, text: half}\n      - write: {path: ready.log, text: now}\n      - hang\n";

/// How the state is left.
enum Way {
    /// The next command goes on by itself.
    GoesOn,
    /// The command that the message gives after these words, up to a comma.
    Told(&'static str),
    /// The message has these words, from which a person knows this command.
    Says(&'static str, &'static str),
}

use Way::{GoesOn, Says, Told};

/// What is there, how it came to be (a shell's line in the project), and the way out.
type Case = (&'static str, &'static str, Way);

const KILLED: &[Case] = &[
    ("the log is deleted", "rm -r .ai/events", GoesOn),
    ("the log is torn", "truncate -s -30 .ai/events/events.ndjson", GoesOn),
    ("the first half of the log is gone", "sed -i 1,2d .ai/events/events.ndjson", GoesOn),
    ("records of the attempt are deleted", "rm -r .ai/attempts", GoesOn),
    ("a record of the attempt is torn", "echo '{' > .ai/attempts/M1/1/attempt.json", GoesOn),
    ("hast's own files are deleted", "rm -r .ai/.hast", GoesOn),
    ("the queue is deleted", "rm -r .ai/queue", GoesOn),
    ("the queue is garbage", "echo garbage > .ai/queue/queue.ndjson", GoesOn),
    (
        "everything of the machine is deleted",
        "rm -r .ai/events .ai/attempts .ai/.hast .ai/queue",
        GoesOn,
    ),
    ("rooms are deleted", "chmod -R u+rwx ../home/state; rm -r ../home/state", GoesOn),
    ("the branch is renamed", "git branch -m main trunk", GoesOn),
    ("the branch is deleted", "git checkout -q --detach && git branch -D main", GoesOn),
    (
        "the project is moved",
        "cd .. && mv project elsewhere && mkdir project && mv elsewhere project/",
        GoesOn,
    ),
    (
        "another repository is at the path",
        "cp -r .ai ../ai; rm -rf .git .ai; git init -q -b main && cp -r ../ai .ai && rm -rf .ai/events .ai/attempts .ai/.hast .ai/queue && git add -A && git -c user.name=e -c user.email=e commit -qm other",
        Says("is not in this repository", "true"),
    ),
    (
        "a directory is in the place of the lock",
        "rm -f .ai/auto.lock; mkdir -p .ai/auto.lock/x",
        Told("move it away with "),
    ),
];

const FRESH: &[Case] = &[
    (
        "a directory is in the place of the log",
        "mkdir -p .ai/events/events.ndjson",
        Told("move it away with "),
    ),
    (
        "a directory is in the place of the store's lock",
        "rm -f .ai/.hast/lock; mkdir -p .ai/.hast/lock/x",
        Told("move it away with "),
    ),
    (
        "a directory is in the place of the journal",
        "rm -f .ai/.hast/journal; mkdir -p .ai/.hast/journal/x",
        Told("move it away with "),
    ),
    (
        "a directory is in the place of the driver's lock",
        "mkdir -p .ai/.hast/driver-auto.lock/x",
        Told("move it away with "),
    ),
    ("a file is in the place of the events", "echo x > .ai/events", Told("move it away with ")),
    ("a file is in the place of the attempts", "echo x > .ai/attempts", Told("move it away with ")),
    ("a file is in the place of the queue", "echo x > .ai/queue", Told("move it away with ")),
    ("a file is in the place of the handoffs", "echo x > .ai/handoffs", Told("move it away with ")),
    (
        "a file is in the place of hast's own directory",
        "rm -rf .ai/.hast; echo x > .ai/.hast",
        Told("move it away with "),
    ),
    (
        "a file is in the place of the rooms",
        "mkdir -p ../home/state/hast; echo x > ../home/state/hast/rooms",
        Told("move it away with "),
    ),
    (
        "the log has holes and no end",
        "mkdir .ai/events; truncate -s 50G .ai/events/events.ndjson",
        Told("move it away with "),
    ),
    (
        "an attempt that nobody knows of",
        "mkdir -p .ai/attempts/M1/7; echo {} > .ai/attempts/M1/7/base.json",
        GoesOn,
    ),
    (
        "garbage in packed-refs",
        "echo garbage > .git/packed-refs",
        Says("unexpected line in", "rm .git/packed-refs"),
    ),
    (
        "garbage in HEAD",
        "cp .git/HEAD ../head; echo garbage > .git/HEAD",
        Says(".git/HEAD", "cp ../head .git/HEAD"),
    ),
    (
        "garbage in the branch",
        "cp .git/refs/heads/main ../main; echo garbage > .git/refs/heads/main",
        Says("refs/heads/main", "cp ../main .git/refs/heads/main"),
    ),
    (
        "garbage in shallow",
        "echo garbage > .git/shallow",
        Says("bad shallow line", "rm .git/shallow"),
    ),
    (
        "garbage in a ref of hast's",
        "mkdir -p .git/refs/hast/lanes; echo garbage > .git/refs/hast/lanes/M1",
        Says("refs/hast/lanes/M1", "rm .git/refs/hast/lanes/M1"),
    ),
    (
        "garbage in the config",
        "echo '[core' >> .git/config",
        Says("bad config line", "sed -i '$d' .git/config"),
    ),
    (
        "a garbage index",
        "echo garbage > .git/index",
        Says(".git/index", "rm .git/index && git reset -q"),
    ),
    (
        "a lost object",
        "f=$(git rev-parse HEAD:src/a.txt | sed 's,^..,&/,'); rm -f .git/objects/$f",
        Says("unable to read sha1 file", "git hash-object -w src/a.txt"),
    ),
    (
        "another worker has it",
        "\"$HAST\" queue claim --worker w1 --goal M1 > ../claim",
        Says(
            "hast queue release CLAIM --worker WORKER",
            "\"$HAST\" queue release $(grep -o 'QCLM_[0-9a-f]*' ../claim | head -1) --worker w1",
        ),
    ),
    (
        "hundreds of handoffs",
        "mkdir -p .ai/handoffs; for i in $(seq 1000 1300); do echo x > .ai/handoffs/2026-02-09_1$i.md; done",
        GoesOn,
    ),
    (
        "the goals are in a package",
        "mkdir -p packages/a && mv .ai packages/a/ && git add -A && git commit -qm moved && cd packages/a",
        Told("move it there with "),
    ),
];

/// Files that nobody may change, root neither.
const IMMUTABLE: &[(&str, &str)] = &[
    (".ai", ".ai/.hast"),
    (".ai/goals.yaml", "goals.yaml"),
    (".ai/events", "events"),
    (".ai/queue", "queue"),
    ("src", "src/b.txt"),
    (".git", ".git"),
    (".git/index", ".git/index"),
    (".git/refs/heads", "refs/heads/main"),
    ("../home/state", "state"),
];

/// A project, with the work of a killed agent in its room if it is so.
fn scene(killed: bool) -> Scene {
    let first = if killed { HALF } else { WORK };
    let scene = Scene::with(GOALS, &format!("  - do:\n{first}"), "");
    if killed {
        let mut child = scene.start(&["auto", "M1"]);
        scene.wait_for("ready.log");
        child.kill().unwrap();
        child.wait().unwrap();
        scene.agent(WORK);
    }
    scene
}

/// The directory in which the next command is typed.
fn place(name: &str) -> &'static str {
    match name {
        "the project is moved" => "elsewhere",
        "the goals are in a package" => "packages/a",
        _ => ".",
    }
}

fn typed(scene: &Scene, at: &str, line: &str) -> Ran {
    scene.typed(&format!("cd {at} && {line}"))
}

/// The command in a message, after these words.
fn command_after<'m>(message: &'m str, words: &str) -> Option<&'m str> {
    let (_, rest) = message.split_once(words)?;
    rest.split([',', '\n']).next()
}

/// Why the case is a dead end, if it is one.
fn dead_end(killed: bool, (name, ruin, way): &Case) -> Option<String> {
    let scene = scene(killed);
    let ruined = scene.typed(ruin);
    if ruined.code != 0 {
        return Some(format!("{name}: the scene cannot be set: {ruined:?}"));
    }
    let mut at = place(name);
    let first = typed(&scene, at, "timeout 60 \"$HAST\" auto M1");
    let said = format!("{}{}", first.out, first.err);
    let wrong = |why: &str| Some(format!("{name}: {why}: {first:?}"));
    let cure = match way {
        GoesOn if first.code == 0 => None,
        GoesOn => return wrong("it does not go on"),
        Told(words) => match command_after(&said, words) {
            Some(line) if first.code == 1 => Some(line.to_owned()),
            _ => return wrong("it does not say what to type"),
        },
        Says(words, line) if first.code == 1 && said.contains(words) => Some((*line).to_owned()),
        Says(..) => return wrong("it does not say what is wrong"),
    };
    if let Some(cure) = cure {
        let cured = typed(&scene, at, &cure);
        if cured.code != 0 {
            return wrong(&format!("`{cure}` does not work: {cured:?}"));
        }
        if cure.starts_with("cd ") {
            at = ".";
        }
        let again = typed(&scene, at, "timeout 60 \"$HAST\" auto M1");
        if again.code != 0 {
            return wrong(&format!("after `{cure}` it does not go on: {again:?}"));
        }
    }
    let goals = typed(&scene, at, "cat .ai/goals.yaml && cat src/b.txt");
    let done = goals.out.contains("status: done") && goals.out.ends_with("b\n");
    (!done).then(|| format!("{name}: it is not done: {goals:?}"))
}

/// The cases, some at once.
fn play<T: Sync>(cases: &[T], dead_end: impl Fn(&T) -> Option<String> + Sync) {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    found.lock().unwrap().extend(dead_end(case));
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{} dead ends:\n{}", found.len(), found.join("\n"));
}

#[test]
fn what_a_killed_run_and_its_lost_files_leave_is_no_dead_end() {
    play(KILLED, |case| dead_end(true, case));
}

#[test]
fn what_people_disks_and_other_programs_leave_is_no_dead_end() {
    play(FRESH, |case| dead_end(false, case));
}

#[test]
fn a_place_that_nobody_may_change_is_named_and_the_next_command_goes_on_when_it_may() {
    play(IMMUTABLE, |(path, named)| {
        let scene = scene(false);
        scene.typed("mkdir -p .ai/events .ai/queue ../home/state");
        if scene.typed(&format!("chattr +i {path}")).code != 0 {
            eprintln!("chattr does not work here: nothing is shown for {path}");
            return None;
        }
        let first = scene.hast(&["auto", "M1"]);
        let freed = scene.typed(&format!("chattr -i {path}"));
        if freed.code != 0 || first.code != 1 || !first.err.contains(named) {
            return Some(format!("{path}: it is not named: {first:?} {freed:?}"));
        }
        let again = scene.hast(&["auto", "M1"]);
        (again.code != 0 || !scene.read(".ai/goals.yaml").contains("status: done"))
            .then(|| format!("{path}: it does not go on: {again:?} after {first:?}"))
    });
}

#[test]
fn a_room_whose_goal_was_handed_over_names_the_reason_at_the_end() {
    let scene = Scene::with(
        GOALS,
        &format!("  - do:\n{WORK}"),
        "room_setup: \"echo no such mirror; false\"\n",
    );
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.err.contains("handed to a person: M1 (room_setup failed: no such mirror)"),
        "{ran:?}"
    );
}
