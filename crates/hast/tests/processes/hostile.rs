//! Programs that do not want to end, hide, multiply or flood. Whatever they do, memory is bounded
//! and nothing is left.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hast_flow::process::exit::Exit;

use crate::proc;
use crate::scene::{NETS, Scene, text};

/// A guard's memory, in KiB, whatever its program does.
const GUARD_MEMORY: u64 = 48 * 1024;

#[test]
fn one_that_ignores_term_is_killed_after_the_grace() {
    for net in NETS {
        let script = "trap '' TERM HUP INT; echo ready; while :; do sleep 1000; done";
        let ended = Scene::new(net, script).cancelled_when_ready();
        assert_eq!(ended.exit, Exit::Cancelled);
    }
}

#[test]
fn one_in_another_session_is_found() {
    for net in NETS {
        let script =
            "setsid sh -c 'trap \"\" TERM; echo ready; while :; do sleep 1000; done' & wait";
        assert_eq!(Scene::new(net, script).cancelled_when_ready().exit, Exit::Cancelled);
    }
}

#[test]
fn daemons_by_double_fork_do_not_outlive_a_normal_exit() {
    for net in NETS {
        let script = "(setsid sh -c 'sleep 1000 & sleep 1000' >/dev/null 2>&1 &); exit 3";
        let ended = Scene::new(net, script).run();
        assert_eq!(ended.exit, Exit::Exited(3));
        assert!(ended.swept >= 1, "{ended:?}");
    }
}

#[test]
fn leftovers_that_ignore_term_are_killed_too() {
    for net in NETS {
        // The fifo holds the leader until the daemon has closed its ears.
        let script = "mkfifo \"$TMPDIR/f\"; \
                      (setsid sh -c 'trap \"\" TERM; echo >\"$TMPDIR/f\"; while :; do sleep 1000; done' &); \
                      read x <\"$TMPDIR/f\"; exit 0";
        let ended = Scene::new(net, script).run();
        assert_eq!(ended.exit, Exit::Exited(0));
        assert!(ended.swept >= 1);
    }
}

#[test]
fn a_grandchild_that_keeps_the_output_open_does_not_keep_us() {
    for net in NETS {
        let started = Instant::now();
        let ended = Scene::new(net, "(setsid sleep 1000 &); echo done").run();
        assert_eq!(ended.exit, Exit::Exited(0));
        assert_eq!(text(&ended.stdout.head), "done\n");
        assert!(started.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn a_flood_is_ended_at_the_real_limit_in_bounded_memory() {
    let mut scene = Scene::new(NETS[0], "exec cat /dev/zero");
    scene.limits.head = 1000;
    scene.limits.tail = 1000;
    assert_eq!(scene.limits.flood, 1 << 30);
    let mut peak = 0;
    let mut pieces = 0_u64;
    let ended = scene.watched(&mut |_, _| {
        pieces += 1;
        if pieces % 4000 == 1 {
            let guards = proc::marked(&scene.mark).into_iter().flat_map(proc::guards_of);
            peak = guards.filter_map(proc::peak_memory).max().unwrap_or(0).max(peak);
        }
        ControlFlow::Continue(())
    });
    assert_eq!(ended.exit, Exit::Flooded);
    assert!(ended.stdout.total() > 1 << 30 && ended.stdout.total() < (1 << 30) + (4 << 20));
    assert_eq!((ended.stdout.head.len(), ended.stdout.tail.len()), (1000, 1000));
    assert!(peak > 0 && peak < GUARD_MEMORY, "{peak} KiB");
}

#[test]
fn a_flood_on_both_streams_counts_together() {
    for net in NETS {
        let script = "cat /dev/zero & cat /dev/zero >&2 & trap '' TERM; wait";
        let ended = Scene::new(net, script).limits(|l| l.flood = 5 << 20).run();
        assert_eq!(ended.exit, Exit::Flooded);
        assert!(ended.stdout.total() + ended.stderr.total() > 5 << 20);
    }
}

#[test]
fn invalid_utf8_arrives_byte_by_byte() {
    for net in NETS {
        let ended = Scene::new(net, r"printf '\377\376\000ok\303'").run();
        assert_eq!(ended.stdout.head, b"\xff\xfe\0ok\xc3");
        assert_eq!(ended.stdout.text(), "\u{fffd}\u{fffd}\0ok\u{fffd}");
    }
}

#[test]
fn one_that_closes_its_streams_is_still_watched() {
    for net in NETS {
        let script = "exec >&- 2>&- <&-; sleep 0.2; exit 5";
        assert_eq!(Scene::new(net, script).run().exit, Exit::Exited(5));
        // A broken pipe is the program's own affair, and has its usual effect.
        let ended = Scene::new(net, "yes | head -n 1; kill -PIPE $$").run();
        assert_eq!(ended.exit, Exit::Signalled(13));
    }
}

#[test]
fn a_hundred_thousand_lines_all_arrive() {
    for net in NETS {
        let mut bytes = 0;
        let mut lines = 0;
        let ended = Scene::new(net, "seq 100000").watched(&mut |_, piece| {
            bytes += piece.len();
            lines += piece.iter().filter(|byte| **byte == b'\n').count();
            ControlFlow::Continue(())
        });
        assert_eq!((ended.exit, lines, bytes), (Exit::Exited(0), 100_000, 588_895));
    }
}

#[test]
fn two_hundred_processes_in_own_sessions_are_all_ended() {
    for net in NETS {
        let script =
            "i=0; while [ $i -lt 200 ]; do setsid sleep 1000 & i=$((i+1)); done; echo ready; wait";
        let ended = Scene::new(net, script).limits(|l| l.grace = Duration::ZERO);
        assert_eq!(ended.cancelled_when_ready().exit, Exit::Cancelled);
    }
}

#[test]
fn what_multiplies_while_it_is_killed_is_ended() {
    for net in NETS {
        let spawner = "trap \\\"\\\" TERM; while :; do sleep 1000 & sleep 0.01; done";
        let script =
            format!("for i in 1 2 3; do setsid sh -c \"{spawner}\" & done; echo ready; wait");
        let scene = Scene::new(net, &script);
        assert_eq!(scene.cancelled_when_ready().exit, Exit::Cancelled);
    }
}

#[test]
fn a_changed_name_hides_nothing() {
    for net in NETS {
        let script = "(setsid sh -c 'printf \"x) R 1 (\" >/proc/self/comm; trap \"\" TERM; \
                      while read x </dev/zero; do :; done' &); \
                      until grep -qs 'x) R' /proc/[0-9]*/comm; do :; done; echo ready; wait";
        let scene = Scene::new(net, script).limits(|l| l.grace = Duration::from_millis(100));
        let ended = scene.cancelled_when_ready();
        assert!(matches!(ended.exit, Exit::Cancelled | Exit::Exited(0)), "{ended:?}");
    }
}

#[test]
fn one_that_stops_itself_is_a_stall_and_ends() {
    for net in NETS {
        let scene = Scene::new(net, "(setsid sh -c 'kill -STOP $$' &); kill -STOP $$; sleep 1000")
            .limits(|l| l.stall = Some(Duration::from_millis(500)));
        assert_eq!(scene.run().exit, Exit::Stalled);
    }
}
