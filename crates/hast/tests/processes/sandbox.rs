//! The sandbox tried with real programs: the accesses that it refuses, and those that it lets
//! through.

use std::fs;
use std::path::{Path, PathBuf};

use hast_flow::process::exit::{Applied, Exit, Missing, Net};
use hast_flow::process::{Ended, Sandbox, SandboxMode};
use hast_stage::needs::{Ability, skip_without};
use tempfile::TempDir;

use crate::scene::{NETS, Scene, text};

/// A script that may write to some paths. Each of its lines says how one attempt went.
fn sandboxed(net: Net, script: &str, writable: &[&Path], closed: &[&Path]) -> Ended {
    let mut scene = Scene::new(net, script);
    let paths = |paths: &[&Path]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    scene.spec.sandbox = Sandbox {
        mode: SandboxMode::Prefer,
        writable: paths(writable),
        closed: paths(closed),
        hidden: Vec::new(),
        room: None,
    };
    for (name, value) in [
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
    ] {
        scene.spec.env.insert(name.into(), value.into());
    }
    scene.run()
}

/// Whether a test cannot show anything, because there is no sandbox here.
fn skipped(ended: &Ended) -> bool {
    if let Applied::Unavailable { why } = &ended.sandbox {
        skip_without(Ability::Landlock, why);
        return true;
    }
    false
}

fn tries(attempts: &[(&str, String)]) -> String {
    let line = |(name, what): &(&str, String)| {
        format!("if ( {what} ) 2>/dev/null; then echo {name}=yes; else echo {name}=no; fi")
    };
    attempts.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn answers(ended: &Ended) -> Vec<String> {
    assert_eq!(ended.exit, Exit::Exited(0), "{ended:?}");
    text(&ended.stdout.head).lines().map(str::to_owned).collect()
}

#[test]
fn writing_is_refused_outside_and_reading_is_not() {
    let root = TempDir::new().unwrap();
    let (inside, outside) = (root.path().join("in"), root.path().join("out"));
    fs::create_dir(&inside).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::File::create(outside.join("there")).unwrap();
    let (i, o) = (inside.display(), outside.display());
    for net in NETS {
        let script = tries(&[
            (
                "write_inside",
                format!("echo x >{i}/a && mv {i}/a {i}/b && mkdir {i}/d && rm -r {i}/b {i}/d"),
            ),
            ("write_temp", "echo x >\"$TMPDIR/a\"".into()),
            ("write_null", "echo x >/dev/null".into()),
            ("read_outside", format!("cat {o}/there && ls {o}")),
            ("create_outside", format!("echo x >{o}/new")),
            ("truncate_outside", format!(": >{o}/there")),
            ("remove_outside", format!("rm {o}/there")),
            ("move_out", format!("touch {i}/m && mv {i}/m {o}/m")),
            ("link_in", format!("ln {o}/there {i}/hard")),
            ("through_link", format!("ln -sfn {o} {i}/soft && echo x >{i}/soft/new")),
            ("private_parent", "echo x >\"$TMPDIR/../x\"".into()),
            ("etc", "echo x >>/etc/hast-test-of-sandbox".into()),
        ]);
        let ended = sandboxed(net, &script, &[&inside], &[]);
        if skipped(&ended) {
            return;
        }
        let expected = [
            "write_inside=yes",
            "write_temp=yes",
            "write_null=yes",
            "read_outside=yes",
            "create_outside=no",
            "truncate_outside=no",
            "remove_outside=no",
            "move_out=no",
            "link_in=no",
            "through_link=no",
            "private_parent=no",
            "etc=no",
        ];
        let found: Vec<_> = answers(&ended).into_iter().filter(|line| line.contains('=')).collect();
        assert_eq!(found, expected);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }
}

#[test]
fn the_program_cannot_signal_its_guard_or_hast() {
    for net in NETS {
        let script = tries(&[
            ("parent", "kill -CONT $PPID".into()),
            ("hast", format!("kill -CONT {}", std::process::id())),
            ("own", "sleep 100 & kill $!".into()),
        ]);
        let ended = sandboxed(net, &script, &[], &[]);
        match ended.sandbox {
            Applied::Whole { .. } => {
                assert_eq!(answers(&ended), ["parent=no", "hast=no", "own=yes"]);
            }
            // Signals are held back only by a newer kernel.
            other => skip_without(Ability::Signals, format!("{other:?}")),
        }
    }
}

/// A repository with one commit, and a linked worktree on a branch of its own.
fn repository(root: &Path) -> (PathBuf, PathBuf) {
    let (main, linked) = (root.join("main"), root.join("linked"));
    let script = format!(
        "git init -q -b main {m} && cd {m} && echo x >f && git add f && git commit -q -m one && \
         mkdir -p .git/hooks .ai/handoffs && echo rule >.ai/rules && \
         git worktree add -q -b hast/g1/a1 {l}",
        m = main.display(),
        l = linked.display()
    );
    let ended = sandboxed(Net::Subreaper, &script, &[root], &[]);
    assert_eq!(ended.exit, Exit::Exited(0), "{}", ended.stderr.text());
    (main, linked)
}

#[test]
fn a_commit_in_a_linked_worktree_works_and_the_rest_of_the_repository_is_closed() {
    let root = TempDir::new().unwrap();
    let (main, linked) = repository(root.path());
    let git = main.join(".git");
    let granted = [
        linked.clone(),
        git.join("worktrees/linked"),
        git.join("objects"),
        git.join("refs/heads/hast/g1"),
        git.join("logs/refs/heads/hast/g1"),
    ];
    let granted: Vec<&Path> = granted.iter().map(PathBuf::as_path).collect();
    let (l, m, g) = (linked.display(), main.display(), git.display());
    for net in NETS {
        let script = tries(&[
            ("commit", format!("cd {l} && echo y >>f && git add f && git commit -q -m two")),
            ("hooks", format!("echo x >{g}/hooks/post-commit")),
            ("config", format!("git -C {l} config core.fsmonitor evil")),
            ("main_branch", format!("git -C {l} update-ref refs/heads/main HEAD")),
            ("new_branch", format!("git -C {l} branch other")),
            ("checkout", format!("echo x >{m}/f")),
            ("state", format!("echo x >{m}/.ai/rules")),
        ]);
        let ended = sandboxed(net, &script, &granted, &[]);
        if skipped(&ended) {
            return;
        }
        let expected = [
            "commit=yes",
            "hooks=no",
            "config=no",
            "main_branch=no",
            "new_branch=no",
            "checkout=no",
            "state=no",
        ];
        assert_eq!(answers(&ended), expected, "{}", ended.stderr.text());
    }
    assert_eq!(fs::read_to_string(main.join("f")).unwrap(), "x\n");
}

#[test]
fn in_place_hooks_config_and_state_are_closed_where_there_is_a_mount_namespace() {
    let root = TempDir::new().unwrap();
    let (main, _) = repository(root.path());
    let at = |path: &str| main.join(path);
    let (closed, open) = ([at(".git/hooks"), at(".git/config"), at(".ai")], at(".ai/handoffs"));
    let closed: Vec<&Path> = closed.iter().map(PathBuf::as_path).collect();
    let m = main.display();
    let script = tries(&[
        ("commit", format!("cd {m} && echo y >>f && git add f && git commit -q -m two")),
        ("handoff", format!("echo x >{m}/.ai/handoffs/h.md")),
        ("hooks", format!("echo x >{m}/.git/hooks/post-commit")),
        ("config", format!("git -C {m} config core.fsmonitor evil")),
        ("state", format!("echo x >{m}/.ai/rules")),
        ("move_git", format!("mv {m}/.git {m}/.git2")),
        ("move_hooks", format!("mv {m}/.git/hooks {m}/.git/hooks2")),
        ("remove_state", format!("rm -r {m}/.ai")),
        ("unmount", format!("umount {m}/.git/hooks")),
    ]);
    let ended = sandboxed(Net::Namespace, &script, &[&main, &open], &closed);
    if skipped(&ended) {
        return;
    }
    if let Applied::Partly { missing: Missing::ClosedPaths, .. } = ended.sandbox {
        skip_without(Ability::Namespaces, "hast could not close paths by mounts");
        return;
    }
    let expected = [
        "commit=yes",
        "handoff=yes",
        "hooks=no",
        "config=no",
        "state=no",
        "move_git=no",
        "move_hooks=no",
        "remove_state=no",
        "unmount=no",
    ];
    assert_eq!(answers(&ended), expected);
    // Nothing of the mounts is seen outside.
    assert!(!fs::read_to_string("/proc/mounts").unwrap().contains(&*main.to_string_lossy()));
}

#[test]
fn a_hidden_directory_looks_empty_where_there_is_a_mount_namespace() {
    let root = TempDir::new().unwrap();
    let (secret, open) = (root.path().join("secret"), root.path().join("open"));
    for place in [&secret, &open] {
        fs::create_dir(place).unwrap();
        fs::File::create(place.join("there")).unwrap();
    }
    let (s, o) = (secret.display(), open.display());
    let script = tries(&[
        ("read", format!("cat {s}/there")),
        ("list", format!("ls {s} | grep .")),
        ("write", format!("echo x >{s}/new")),
        ("unmount", format!("umount {s}")),
        ("beside", format!("cat {o}/there")),
    ]);
    let mut scene = Scene::new(Net::Namespace, &script);
    let hidden = vec![secret.clone()];
    let (mode, writable) = (SandboxMode::Prefer, vec![root.path().to_owned()]);
    scene.spec.sandbox = Sandbox { mode, writable, hidden, ..Sandbox::off() };
    let ended = scene.run();
    if skipped(&ended) {
        return;
    }
    if let Applied::Partly { missing: Missing::ClosedPaths, .. } = ended.sandbox {
        skip_without(Ability::Namespaces, "hast could not close paths by mounts");
        return;
    }
    assert_eq!(answers(&ended), ["read=no", "list=no", "write=no", "unmount=no", "beside=yes"]);
    assert!(secret.join("there").exists(), "and is there afterwards");
}

#[test]
fn a_call_sees_its_own_directory_and_not_those_of_other_calls() {
    let root = TempDir::new().unwrap();
    let calls = root.path().join(".hast/calls");
    for call in ["a/1", "a/2", "b/1"] {
        fs::create_dir_all(calls.join(call).join("outbox")).unwrap();
        fs::File::create(calls.join(call).join("prompt.md")).unwrap();
    }
    let own = calls.join("a/1");
    let c = calls.display();
    let script = tries(&[
        ("own", format!("cat {c}/a/1/prompt.md")),
        ("outbox", format!("echo x >{c}/a/1/outbox/x && cat {c}/a/1/outbox/x")),
        ("record", format!("echo x >{c}/a/1/record.json")),
        ("beside", format!("cat {c}/a/2/prompt.md")),
        ("other", format!("cat {c}/b/1/prompt.md")),
        ("list", format!("ls {c}/a | grep 2 || ls {c} | grep b")),
        ("up", format!("cd {c}/a/1/outbox && cat ../../2/prompt.md")),
        ("write", format!("echo x >{c}/new || mkdir {c}/a/3")),
        ("unmount", format!("umount {c}")),
    ]);
    // As in a checkout: all of the project is open, hast's own directory is closed.
    for writable in [vec![own.join("outbox")], vec![own.join("outbox"), root.path().to_owned()]] {
        let mut scene = Scene::new(Net::Namespace, &script);
        let closed = vec![root.path().join(".hast"), own.clone()];
        let hidden = vec![calls.clone()];
        scene.spec.sandbox =
            Sandbox { mode: SandboxMode::Prefer, writable, closed, hidden, room: None };
        let ended = scene.run();
        if skipped(&ended) {
            return;
        }
        if let Applied::Partly { missing: Missing::ClosedPaths, .. } = ended.sandbox {
            skip_without(Ability::Namespaces, "hast could not close paths by mounts");
            return;
        }
        let expected = [
            "own=yes",
            "outbox=yes",
            "record=no",
            "beside=no",
            "other=no",
            "list=no",
            "up=no",
            "write=no",
            "unmount=no",
        ];
        let found = answers(&ended);
        let found: Vec<_> = found.iter().filter(|line| line.contains('=')).collect();
        assert_eq!(found, expected);
        assert!(own.join("outbox/x").exists(), "what it wrote is there afterwards");
    }
    assert!(calls.join("b/1/prompt.md").exists());
}

#[test]
fn without_a_namespace_closed_paths_are_said_to_be_open() {
    let root = TempDir::new().unwrap();
    fs::create_dir(root.path().join("shut")).unwrap();
    let shut = root.path().join("shut");
    let mut scene = Scene::new(Net::Subreaper, "echo started");
    let sandbox = |mode| Sandbox {
        mode,
        writable: vec![root.path().into()],
        closed: vec![shut.clone()],
        hidden: Vec::new(),
        room: None,
    };
    scene.spec.sandbox = sandbox(SandboxMode::Prefer);
    let ended = scene.run();
    if skipped(&ended) {
        return;
    }
    assert!(matches!(ended.sandbox, Applied::Partly { missing: Missing::ClosedPaths, .. }));
    assert_eq!(ended.exit, Exit::Exited(0));
    // Enforced, the program does not start.
    scene.spec.sandbox = sandbox(SandboxMode::Enforce);
    let ended = scene.run();
    assert!(matches!(ended.exit, Exit::NotStarted(_)), "{ended:?}");
    assert_eq!(ended.stdout.total(), 0);
    scene.spec.sandbox = sandbox(SandboxMode::Off);
    assert_eq!(scene.run().sandbox, Applied::Off);
}

#[test]
fn an_enforced_sandbox_that_is_whole_runs() {
    let mut scene = Scene::new(Net::Namespace, "echo x >f && echo fine");
    let writable = vec![scene.directory.path().to_owned()];
    scene.spec.sandbox = Sandbox { mode: SandboxMode::Enforce, writable, ..Sandbox::off() };
    let ended = scene.run();
    match &ended.sandbox {
        Applied::Whole { abi } => {
            eprintln!("Landlock {abi}");
            assert_eq!(text(&ended.stdout.head), "fine\n");
        }
        other => assert!(matches!(ended.exit, Exit::NotStarted(_)), "{other:?}"),
    }
}

#[test]
fn terminals_and_shared_memory_are_its_own_where_there_is_a_mount_namespace() {
    let mark = format!("/dev/shm/hast-test-{}", std::process::id());
    let script = format!(
        "ls /dev/pts; ls -A /dev/shm; echo x >{mark} && echo wrote; \
         python3 -c 'import os; print(os.ttyname(os.openpty()[1]))' 2>/dev/null || echo /dev/pts/0"
    );
    let ended = sandboxed(Net::Namespace, &script, &[], &[]);
    if skipped(&ended) || ended.net != Net::Namespace {
        return;
    }
    // Nothing of anybody's is seen, what it writes is gone with it, and new terminals can be had.
    assert_eq!(answers(&ended), ["ptmx", "wrote", "/dev/pts/0"]);
    assert!(!Path::new(&mark).exists());
}
