//! A room and the machine outside of it: no servers of the user's, a number of its own, and reasons that
//! name the sandbox.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use crate::scene::Scene;

#[test]
fn servers_of_the_user_are_out_of_reach_and_switched_off() {
    let script = "set -e
test ! -e \"$HOME/../runtime/bus\"; test \"$(stat -c %F \"$HOME/../docker.sock\")\" != socket
test \"$NX_DAEMON\" = false; test -n \"$SCCACHE_SERVER_PORT\"; test \"${WATCHMAN_SOCK%/*}\" = /tmp
case \"$GRADLE_OPTS\" in *daemon=false*) ;; *) exit 1;; esac
test ! -e /run/user || test -z \"$(ls -A /run/user)\"
test \"$(stat -c %F /run/docker.sock 2>/dev/null)\" != socket
echo \"$HAST_LANE\" > src/lane.txt
";
    let scene = Scene::with_check(
        script,
        "sandbox_write: [../granted]\n",
        "test \"$HAST_LANE\" = 1 && test \"$NX_DAEMON\" = false\n",
    );
    let top = scene.root().parent().unwrap().to_owned();
    scene.write("../runtime/keep", "");
    let _bus = UnixListener::bind(top.join("runtime/bus")).unwrap();
    let _docker = UnixListener::bind(top.join("docker.sock")).unwrap();
    let line = format!(
        "XDG_RUNTIME_DIR={0}/runtime DOCKER_HOST=unix://{0}/docker.sock TMUX={0}/runtime/default,1,0 \"$HAST\" auto",
        top.display()
    );
    let ran = scene.shell(&line);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    assert_eq!(scene.read("src/lane.txt"), "1\n");
}

/// X11 and dbus listen on names that stand in no directory.
#[test]
fn a_socket_without_a_file_is_out_of_reach_and_no_device_is_made() {
    let name = format!("hast-of-the-user-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _server = UnixListener::bind_addr(&address).unwrap();
    let call = "import socket, sys; socket.socket(socket.AF_UNIX).connect(\"\\0\" + sys.argv[1])";
    let script = format!(
        "if python3 -c '{call}' {name}; then exit 3; fi
for device in 'c 0 0' 'c 1 3' 'b 7 0'; do if mknod src/device $device; then exit 4; fi; done
mkfifo \"$TMPDIR/pipe\""
    );
    for kind in crate::scene::KINDS {
        let scene = Scene::with_check(&script, kind, "true\n");
        let ran = scene.auto();
        let end = (ran.code, scene.status());
        assert_eq!(end, (0, "done".to_owned()), "{kind} {ran:?} {}", scene.reason());
    }
}

#[test]
fn files_that_hast_was_started_with_are_open_to_no_agent_and_no_test() {
    let script = "if (echo evil >&9) 2>/dev/null; then exit 3; fi";
    let check = "if (echo evil >&9) 2>/dev/null; then exit 3; fi\n";
    for kind in [crate::scene::KINDS[0], crate::scene::KINDS[1], "sandbox: off\n"] {
        let scene = Scene::with_check(script, kind, check);
        scene.write("../precious", "mine\n");
        let ran = scene.shell("exec 9>>../precious; \"$HAST\" auto");
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        assert_eq!(scene.read("../precious"), "mine\n", "{kind}");
    }
}

#[test]
fn tests_of_lanes_that_want_the_same_address_run_once_more_alone() {
    let check = "test ! -f src/b.txt || python3 -c '
import socket, time
s = socket.socket(); s.bind((\"127.0.0.1\", PORT)); s.listen(); time.sleep(1.5)
'
";
    let port = 20_000 + std::process::id() % 20_000;
    let check = check.replace("PORT", &port.to_string());
    let scene = Scene::with_check("echo \"$HAST_LANE\" > \"src/$HAST_LANE.txt\"", "", &check);
    scene.write(".ai/goals.yaml", "goals:\n  - {id: M1, title: One, status: active}\n  - {id: M2, title: Two, status: active}\n");
    scene.git(&["add", "-A", ".ai"]);
    scene.git(&["commit", "-qm", "two"]);
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.read(".ai/goals.yaml"));
    let log = scene.read(".ai/events/events.ndjson");
    assert_eq!(log.matches("ATTEMPT_JUDGED").count(), 2, "{log}");
}

#[test]
fn a_path_that_the_sandbox_refuses_to_the_tests_is_in_the_reason() {
    let check = "test ! -f src/b.txt || echo x > /usr/lib/of-tests\n";
    for kind in crate::scene::KINDS {
        let scene = Scene::with_check("true", kind, check);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.reason().as_str()), (1, "tests_red"), "{kind} {ran:?}");
        let goals = scene.read(".ai/goals.yaml");
        assert!(
            goals.contains("at /usr/lib/of-tests;") && goals.contains("sandbox_write"),
            "{goals}"
        );
    }
}

#[test]
fn an_agent_that_the_sandbox_refuses_something_is_told_apart() {
    for (line, words) in [
        (
            "sh -c 'cat /dev/null > src/x; echo x > /usr/lib/of-agent'",
            "nothing be written at /usr/lib/of-agent",
        ),
        (
            "sh -c 'cat /dev/null > src/x; echo bwrap: setting up uid map: Permission denied >&2; exit 1'",
            "inside of hast's sandbox",
        ),
        (
            "sh -c 'cat /dev/null > src/x; echo No usable sandbox! >&2; exit 1'",
            "inside of hast's sandbox",
        ),
    ] {
        let scene = Scene::with_check("true", "", "true\n");
        let config = scene.read(".ai/config.yaml");
        let line = format!("{line} {{prompt}}");
        scene.write(".ai/config.yaml", config.replace("rehearsal:.ai/agent.yaml", &line));
        let ran = scene.auto();
        assert_eq!(ran.code, 1, "{ran:?}");
        let goals = scene.read(".ai/goals.yaml");
        assert!(goals.contains(words), "{goals}");
    }
}
