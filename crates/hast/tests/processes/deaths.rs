//! hast or its guard is killed, interrupted or stopped in the middle of a run.

use std::ops::ControlFlow;

use hast_flow::process::Supervisor;
use hast_flow::process::exit::{Exit, Net};
use hast_stage::needs::{Ability, skip_without};
use rustix::process::{Pid, Signal, kill_process};

use crate::played::play;
use crate::proc::{self, wait_until};
use crate::scene::{NETS, Scene};

/// A leader that does not listen, a child in its group, and one in a session of its own.
const FAMILY: &str = "trap '' TERM; sleep 1000 & setsid sh -c 'trap \"\" TERM; sleep 1000; sleep 1000' & \
                      (setsid sleep 1000 &); echo RUNNING; while :; do sleep 1000; done";
/// The leader, and five more.
const FAMILY_SIZE: usize = 6;

fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[track_caller]
fn family(mark: &str) -> Vec<u32> {
    wait_until("the family is complete", || {
        Some(proc::marked(mark)).filter(|pids| pids.len() >= FAMILY_SIZE)
    })
}

#[track_caller]
fn nothing_left(mark: &str) {
    wait_until("nothing is left", || proc::marked(mark).is_empty().then_some(()));
}

#[test]
fn the_death_of_hast_leaves_nothing() {
    for net in NETS {
        let mut hast = play(net, FAMILY);
        hast.says("RUNNING");
        let guards = proc::guards_of(family(&hast.mark)[0]);
        signal(hast.child.id(), Signal::KILL);
        hast.child.wait().unwrap();
        nothing_left(&hast.mark);
        wait_until("the guards are gone", || {
            // Dead is enough: it is for whoever inherited them to reap them.
            guards.iter().all(|pid| matches!(proc::state(*pid), None | Some('Z'))).then_some(())
        });
    }
}

/// With a namespace this holds for each of the two guards; without one, hast does the work.
#[test]
fn the_death_of_a_guard_leaves_nothing() {
    for net in NETS {
        for which in [0, 1] {
            let scene = Scene::new(net, FAMILY);
            let mark = scene.mark.clone();
            let killer = std::thread::spawn(move || {
                let guards = proc::guards_of(family(&mark)[0]);
                signal(*guards.get(which).unwrap_or(&guards[0]), Signal::KILL);
            });
            assert_eq!(scene.run().exit, Exit::Lost);
            killer.join().unwrap();
        }
    }
}

/// The strongest case: nobody is left to clean up. Only the kernel can, by a namespace.
#[test]
fn the_death_of_hast_and_its_guards_at_once_leaves_nothing_where_there_are_namespaces() {
    let mut hast = play(Net::Namespace, FAMILY);
    hast.says("RUNNING");
    let guards = proc::guards_of(family(&hast.mark)[0]);
    if guards.len() < 2 {
        skip_without(Ability::Namespaces, "hast made no PID namespace");
    } else {
        // A stopped guard cannot do anything for us.
        guards.iter().for_each(|pid| signal(*pid, Signal::STOP));
        signal(hast.child.id(), Signal::KILL);
        signal(guards[1], Signal::KILL);
        nothing_left(&hast.mark);
    }
    let mark = hast.mark.clone();
    drop(hast);
    nothing_left(&mark);
}

#[test]
fn an_interrupt_ends_everything_and_is_recorded() {
    for net in NETS {
        for interrupt in [Signal::INT, Signal::TERM, Signal::HUP] {
            let mut hast = play(net, FAMILY);
            hast.says("RUNNING");
            family(&hast.mark);
            signal(hast.child.id(), interrupt);
            assert_eq!(hast.says("EXIT "), "Cancelled");
            assert_eq!(proc::marked(&hast.mark), [0_u32; 0]);
        }
    }
}

#[test]
fn a_guard_that_is_asked_to_end_ends_its_program() {
    let mut hast = play(Net::Subreaper, FAMILY);
    hast.says("RUNNING");
    let guards = proc::guards_of(family(&hast.mark)[0]);
    signal(guards[0], Signal::TERM);
    assert_eq!(hast.says("EXIT "), "Cancelled");
    assert_eq!(proc::marked(&hast.mark), [0_u32; 0]);
}

#[test]
fn ctrl_z_stops_the_whole_tree_and_continuing_continues_it() {
    for net in NETS {
        let mut hast = play(net, FAMILY);
        hast.says("RUNNING");
        family(&hast.mark);
        let all_in = |wanted: &'static [char]| {
            let mark = hast.mark.clone();
            move || {
                let states: Vec<_> = proc::marked(&mark).into_iter().map(proc::state).collect();
                let all = states.iter().all(|state| state.is_some_and(|s| wanted.contains(&s)));
                (all && states.len() >= FAMILY_SIZE).then_some(())
            }
        };
        let hast_is = |wanted: &'static [char]| {
            let pid = hast.child.id();
            move || proc::state(pid).filter(|state| wanted.contains(state))
        };
        signal(hast.child.id(), Signal::TSTP);
        // A parent that waits for a stopped child to become another program shows as `D`.
        wait_until("the tree is stopped", all_in(&['T', 'D']));
        wait_until("hast is stopped", hast_is(&['T']));
        signal(hast.child.id(), Signal::CONT);
        wait_until("the tree goes on", all_in(&['S', 'R', 'D']));
        wait_until("hast goes on", hast_is(&['S', 'R']));
        signal(hast.child.id(), Signal::INT);
        assert_eq!(hast.says("EXIT "), "Cancelled");
    }
}

#[test]
fn the_agent_is_in_its_own_group_and_session_below_its_guard() {
    for net in NETS {
        let mut hast = play(net, FAMILY);
        hast.says("RUNNING");
        let family = family(&hast.mark);
        let guards = proc::guards_of(family[0]);
        let leader = *family.iter().find(|pid| proc::parent(**pid) == Some(guards[0])).unwrap();
        // The first process of a namespace has the session; without one, the agent has.
        let first = if net == Net::Namespace && guards.len() > 1 { guards[0] } else { leader };
        assert_eq!(proc::session(leader), Some(first));
        assert_ne!(proc::session(leader), proc::session(hast.child.id()));
        assert_eq!(proc::group(leader), Some(leader));
        assert_ne!(proc::group(guards[0]), proc::group(hast.child.id()));
        signal(hast.child.id(), Signal::INT);
        assert_eq!(hast.says("EXIT "), "Cancelled");
    }
}

#[test]
fn a_guard_that_was_made_ready_is_used_once() {
    let scene = Scene::new(Net::Subreaper, "echo $PPID");
    let guarded = scene.supervisor();
    let run = || {
        let ended = guarded.run(&scene.spec, &scene.limits, &mut |_, _| ControlFlow::Continue(()));
        ended.stdout.text().trim().parse::<u32>().unwrap()
    };
    let ready = guarded.prepare();
    assert_eq!(guarded.prepare(), ready, "one is enough");
    assert_eq!(Some(run()), ready);
    assert_ne!(Some(run()), ready);
}

#[test]
fn a_guard_that_was_made_ready_and_not_needed_leaves_nothing() {
    for net in NETS {
        let scene = Scene::new(net, "true");
        let guarded = scene.supervisor();
        let there = |pid: u32| std::path::Path::new(&format!("/proc/{pid}")).exists();
        let dismissed = guarded.prepare().unwrap();
        assert!(there(dismissed));
        guarded.dismiss();
        assert!(!there(dismissed));
        let dropped = guarded.prepare().unwrap();
        drop(guarded);
        assert!(!there(dropped));
    }
}

#[test]
fn the_death_of_a_guard_that_was_made_ready_costs_no_run() {
    for net in NETS {
        let scene = Scene::new(net, "exit 7");
        let guarded = scene.supervisor();
        let ready = guarded.prepare().unwrap();
        signal(ready, Signal::KILL);
        wait_until("it is dead", || (proc::state(ready) == Some('Z')).then_some(()));
        let ended = guarded.run(&scene.spec, &scene.limits, &mut |_, _| ControlFlow::Continue(()));
        assert_eq!(ended.exit, Exit::Exited(7));
    }
}
