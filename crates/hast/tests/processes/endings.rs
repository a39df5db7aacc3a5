//! The endings of ordinary programs: exit codes, signals, limits, programs that never start.

use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use hast_flow::process::exit::{Exit, Net, NotStarted};
use hast_flow::process::{Record, Stdin, Supervisor};

use crate::scene::{NETS, Scene, text};

#[test]
fn a_program_ends_with_its_code_and_both_streams() {
    for net in NETS {
        let ended = Scene::new(net, "echo out; echo err >&2; exit 7").run();
        assert_eq!(ended.exit, Exit::Exited(7));
        assert_eq!(text(&ended.stdout.head), "out\n");
        assert_eq!(text(&ended.stderr.head), "err\n");
        assert_eq!(ended.swept, 0);
    }
}

#[test]
fn an_exit_by_signal_is_told_from_a_code() {
    for net in NETS {
        assert_eq!(Scene::new(net, "kill -SEGV $$").run().exit, Exit::Signalled(11));
        assert_eq!(Scene::new(net, "kill -KILL $$").run().exit, Exit::Signalled(9));
        assert_eq!(Scene::new(net, "exit 139").run().exit, Exit::Exited(139));
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    for net in NETS {
        let cause = |change: &dyn Fn(&mut Scene)| {
            let mut scene = Scene::new(net, "true");
            change(&mut scene);
            match scene.run().exit {
                Exit::NotStarted(cause) => cause,
                exit => panic!("{exit:?}"),
            }
        };
        assert_eq!(cause(&|s| s.spec.program = "no-such-program".into()), NotStarted::NoProgram);
        assert_eq!(cause(&|s| s.spec.program = "/etc/passwd".into()), NotStarted::NotExecutable);
        assert_eq!(cause(&|s| s.spec.cwd = "/no/such/directory".into()), NotStarted::NoDirectory);
        let stdin = cause(&|s| s.spec.stdin = Stdin::File("/no/prompt".into()));
        assert!(matches!(stdin, NotStarted::Failed { why, .. } if why.contains("/no/prompt")));
        let files = || Record::Files { stdout: "/no/out".into(), stderr: "/no/err".into() };
        let record = cause(&|s| s.spec.record = files());
        assert!(matches!(record, NotStarted::Failed { why, .. } if why.contains("/no/out")));
        let long = "x".repeat(200_000);
        assert_eq!(cause(&|s| s.spec.args.push(long.clone().into())), NotStarted::TooLong);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn a_script_that_names_no_interpreter_is_read_by_the_shell() {
    for net in NETS {
        let mut scene = Scene::new(net, "");
        let path = scene.directory.path().join("agent");
        std::fs::write(&path, "echo \"$0 $1\"\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        scene.spec.args = vec!["word".into()];
        for program in [path.clone().into_os_string(), "./agent".into()] {
            scene.spec.program = program.clone();
            let ended = scene.run();
            assert_eq!(ended.exit, Exit::Exited(0), "{ended:?}");
            assert_eq!(text(&ended.stdout.head), format!("{} word\n", program.display()));
        }
    }
}

#[test]
fn a_program_gets_exactly_its_environment_and_a_private_temp_directory() {
    for net in NETS {
        let scene =
            Scene::new(net, "env; test -w \"$TMPDIR\" && touch \"$TMPDIR/x\"; ls -ld $TMPDIR");
        let ended = scene.run();
        assert_eq!(ended.exit, Exit::Exited(0));
        let out = text(&ended.stdout.head);
        let names: Vec<_> = out.lines().filter_map(|line| line.split_once('=')).collect();
        let known = ["HAST_TEST_MARK", "PATH", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"];
        assert!(names.iter().all(|(name, _)| known.contains(name)), "{names:?}");
        assert!(out.contains("drwx------"), "{out}");
    }
}

#[test]
fn input_is_nothing_bytes_or_a_file_and_never_left_open() {
    for net in NETS {
        let read = |stdin| {
            let mut scene = Scene::new(net, "wc -c");
            scene.spec.stdin = stdin;
            text(&scene.run().stdout.head).trim().to_owned()
        };
        assert_eq!(read(Stdin::Nothing), "0");
        assert_eq!(read(Stdin::Bytes(vec![b'x'; 300_000])), "300000");
        assert_eq!(read(Stdin::File("/dev/null".into())), "0");
        // A program that does not read its input is not ended by it, nor does it end us.
        let mut scene = Scene::new(net, "exec <&-; echo fine");
        scene.spec.stdin = Stdin::Bytes(vec![b'x'; 3_000_000]);
        assert_eq!(text(&scene.run().stdout.head), "fine\n");
    }
}

#[test]
fn a_program_runs_in_a_session_of_its_own_without_a_terminal() {
    for net in NETS {
        let script = "cut -d' ' -f5,6 /proc/self/stat; ps -o pgid=,sid= -p $$ 2>/dev/null; \
                      (: </dev/tty) 2>/dev/null && echo terminal; true";
        let out = text(&Scene::new(net, script).run().stdout.head);
        let first = out.lines().next().unwrap();
        let (group, session) = first.split_once(' ').unwrap();
        // In a namespace the session is that of the guard, its first process.
        let own = if net == Net::Namespace && session == "1" { "1" } else { group };
        assert_eq!(session, own, "{out}");
        assert_ne!(group, "1", "{out}");
        assert!(!out.contains("terminal"), "{out}");
    }
}

#[test]
fn a_timeout_ends_a_program_that_listens_and_one_that_does_not() {
    for net in NETS {
        for script in ["while :; do sleep 1; done", "trap '' TERM; while :; do sleep 1; done"] {
            let scene = Scene::new(net, script).limits(|l| l.timeout = Duration::from_millis(300));
            assert_eq!(scene.run().exit, Exit::TimedOut);
        }
    }
}

#[test]
fn silence_is_a_stall_and_output_is_not() {
    for net in NETS {
        let stall = |l: &mut hast_flow::process::Limits| l.stall = Some(Duration::from_millis(300));
        let silent = Scene::new(net, "echo hello; exec sleep 1000").limits(stall).run();
        assert_eq!(silent.exit, Exit::Stalled);
        assert_eq!(text(&silent.stdout.head), "hello\n");
        let long = |l: &mut hast_flow::process::Limits| l.stall = Some(Duration::from_secs(30));
        let script = "for i in 1 2 3 4 5; do echo $i; sleep 0.1; done";
        assert_eq!(Scene::new(net, script).limits(long).run().exit, Exit::Exited(0));
    }
}

#[test]
fn the_record_has_head_gap_and_tail() {
    for net in NETS {
        let mut scene = Scene::new(net, "seq 1000; echo oops >&2").limits(|l| {
            l.head = 10;
            l.tail = 10;
        });
        let (stdout, stderr) =
            (scene.directory.path().join("out.log"), scene.directory.path().join("err.log"));
        scene.spec.record = Record::Files { stdout: stdout.clone(), stderr: stderr.clone() };
        let ended = scene.run();
        let kept = std::fs::read_to_string(stdout).unwrap();
        assert_eq!(kept, "1\n2\n3\n4\n5\n\n[hast: 3873 bytes left out]\n\n999\n1000\n");
        assert_eq!(ended.stdout.text(), kept);
        assert_eq!(ended.stdout.total(), 3893);
        assert_eq!(std::fs::read_to_string(stderr).unwrap(), "oops\n");
    }
}

#[test]
fn whoever_watches_can_end_a_run() {
    for net in NETS {
        let mut pieces = 0;
        let ended =
            Scene::new(net, "while :; do echo tick; sleep 0.01; done").watched(&mut |_, _| {
                pieces += 1;
                if pieces == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        assert_eq!(ended.exit, Exit::Cancelled);
        assert!(pieces >= 3);
    }
}

#[test]
fn runs_at_once_do_not_end_each_other_and_a_cancel_ends_all() {
    for net in NETS {
        let scenes: Vec<_> = (0..6)
            .map(|_| Scene::new(net, "(setsid sleep 1000 &); sleep 0.2; echo fine; exit 4"))
            .collect();
        let supervisor = scenes[0].supervisor();
        let go = |scene: &Scene, watch: &mut hast_flow::process::Watch<'_>| {
            supervisor.run(&scene.spec, &scene.limits, watch)
        };
        std::thread::scope(|scope| {
            let runs: Vec<_> = scenes
                .iter()
                .map(|scene| scope.spawn(|| go(scene, &mut |_, _| ControlFlow::Continue(()))))
                .collect();
            for ended in runs.into_iter().map(|run| run.join().unwrap()) {
                assert_eq!(ended.exit, Exit::Exited(4), "{ended:?}");
                assert_eq!((text(&ended.stdout.head).as_str(), ended.swept), ("fine\n", 1));
            }
        });
        let endless = Scene::new(net, "trap '' TERM; echo ready; while :; do sleep 1000; done");
        std::thread::scope(|scope| {
            let (ready, is_ready) = std::sync::mpsc::channel();
            let runs: Vec<_> = (0..4)
                .map(|_| {
                    let (ready, endless) = (ready.clone(), &endless);
                    scope.spawn(move || {
                        go(endless, &mut |_, _| {
                            let _ = ready.send(());
                            ControlFlow::Continue(())
                        })
                    })
                })
                .collect();
            is_ready.iter().take(runs.len()).for_each(drop);
            supervisor.cancel();
            for run in runs {
                assert_eq!(run.join().unwrap().exit, Exit::Cancelled);
            }
        });
        assert_eq!(crate::proc::marked(&endless.mark), [0_u32; 0]);
        // Whoever is late is not started any more.
        let late = go(&endless, &mut |_, _| ControlFlow::Continue(()));
        assert_eq!((late.exit, late.stdout.total()), (Exit::Cancelled, 0));
    }
}
