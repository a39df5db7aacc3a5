//! One test a sentence of what the guard promises.

use super::Action::{ContinueAll, Finish, KillAll, Look, StopAll, TermAll, TermGroup};
use super::Event::{Cancel, Continue, HastGone, LeaderEnded, Left, Output, Stop, Time};
use super::*;
use crate::process::exit::Exit::{
    Cancelled, Exited, Flooded, Leaked, Signalled, Stalled, TimedOut,
};

fn limits() -> Limits {
    Limits {
        timeout: Duration::from_secs(100),
        grace: Duration::from_secs(5),
        stall: Some(Duration::from_secs(30)),
        flood: 1000,
        ..Limits::default()
    }
}

/// Plays events at times in seconds and checks what each makes the guard do.
#[track_caller]
fn plays(limits: Limits, story: &[(u64, Event, &[Action])]) -> Life {
    let mut life = Life::new(limits);
    for (at, event, expected) in story {
        let actions = life.step(Duration::from_secs(*at), event.clone());
        assert_eq!(actions, *expected, "{event:?} at {at}");
    }
    life
}

#[test]
fn a_program_that_ends_alone_is_finished_at_once() {
    plays(limits(), &[(1, LeaderEnded(Exited(3)), &[Look]), (1, Left(0), &[Finish(Exited(3))])]);
    plays(
        limits(),
        &[(1, LeaderEnded(Signalled(9)), &[Look]), (1, Left(0), &[Finish(Signalled(9))])],
    );
}

#[test]
fn what_a_program_leaves_behind_is_asked_then_killed_and_its_exit_stands() {
    let life = plays(
        limits(),
        &[
            (1, LeaderEnded(Exited(0)), &[Look]),
            (1, Left(2), &[TermAll]),
            (2, Left(1), &[]),
            (3, Time, &[KillAll, Look]),
            (3, Left(0), &[Finish(Exited(0))]),
        ],
    );
    assert_eq!(life.swept(), 2);
}

#[test]
fn a_timeout_asks_the_group_then_kills_everything() {
    let story: &[(u64, Event, &[Action])] = &[
        (80, Output(1), &[]),
        (99, Time, &[]),
        (100, Time, &[TermGroup]),
        (104, Time, &[]),
        (105, Time, &[KillAll, Look]),
        (105, Left(3), &[]),
        (105, LeaderEnded(Signalled(9)), &[Look]),
        (105, Left(0), &[Finish(TimedOut)]),
    ];
    plays(limits(), story);
}

#[test]
fn an_obedient_program_still_has_its_leftovers_asked_within_the_same_grace() {
    let story: &[(u64, Event, &[Action])] = &[
        (30, Time, &[TermGroup]),
        (31, LeaderEnded(Exited(0)), &[Look]),
        (31, Left(1), &[TermAll]),
        (35, Time, &[KillAll, Look]),
        (35, Left(0), &[Finish(Stalled)]),
    ];
    plays(limits(), story);
}

#[test]
fn output_puts_a_stall_off() {
    let mut life = plays(limits(), &[(29, Output(1), &[]), (30, Time, &[])]);
    assert_eq!(life.wake_at(), Some(Duration::from_secs(59)));
    assert_eq!(life.step(Duration::from_secs(59), Time), [TermGroup]);
    let silent = Life::new(Limits { stall: None, ..limits() });
    assert_eq!(silent.wake_at(), Some(Duration::from_secs(100)));
}

#[test]
fn a_flood_is_killed_without_asking() {
    let story: &[(u64, Event, &[Action])] = &[
        (1, Output(1000), &[]),
        (2, Output(1), &[KillAll, Look]),
        (2, Output(1), &[]),
        (2, LeaderEnded(Signalled(9)), &[Look]),
        (2, Left(0), &[Finish(Flooded)]),
    ];
    plays(limits(), story);
}

#[test]
fn a_cancel_asks_and_a_second_one_kills() {
    let story: &[(u64, Event, &[Action])] = &[
        (1, Cancel, &[TermGroup]),
        (2, Cancel, &[KillAll, Look]),
        (2, Cancel, &[]),
        (2, LeaderEnded(Signalled(9)), &[Look]),
        (2, Left(0), &[Finish(Cancelled)]),
    ];
    plays(limits(), story);
}

#[test]
fn the_death_of_hast_kills_at_once_in_every_phase() {
    plays(limits(), &[(1, HastGone, &[KillAll, Look])]);
    plays(limits(), &[(1, Cancel, &[TermGroup]), (1, HastGone, &[KillAll, Look])]);
    // A long stop does not eat the time that killing may take.
    let stopped = plays(limits(), &[(1, Stop, &[StopAll]), (90, HastGone, &[KillAll, Look])]);
    assert_eq!(stopped.wake_at(), Some(Duration::from_secs(90) + AGAIN));
    plays(
        limits(),
        &[
            (1, LeaderEnded(Exited(0)), &[Look]),
            (1, Left(1), &[TermAll]),
            (1, HastGone, &[KillAll, Look]),
        ],
    );
}

#[test]
fn what_forks_while_it_is_killed_is_killed_again() {
    let mut life = plays(limits(), &[(1, HastGone, &[KillAll, Look])]);
    let again = life.wake_at().unwrap();
    assert_eq!(again, Duration::from_secs(1) + AGAIN);
    assert_eq!(life.step(again, Time), [KillAll, Look]);
    assert!(life.wake_at().unwrap() > again);
}

#[test]
fn what_cannot_be_killed_is_said() {
    let story: &[(u64, Event, &[Action])] = &[
        (1, LeaderEnded(Exited(0)), &[Look]),
        (1, Left(2), &[TermAll]),
        (3, Time, &[KillAll, Look]),
        (3, Left(2), &[]),
        (13, Time, &[Finish(Leaked(2))]),
        (14, Time, &[]),
        (14, Left(0), &[]),
    ];
    assert_eq!(plays(limits(), story).wake_at(), None);
}

#[test]
fn a_stopped_run_does_not_age() {
    let mut life = plays(limits(), &[(10, Stop, &[StopAll]), (20, Stop, &[])]);
    assert_eq!(life.wake_at(), None);
    assert_eq!(life.step(Duration::from_secs(500), Time), []);
    assert_eq!(life.step(Duration::from_secs(1010), Continue), [ContinueAll]);
    assert_eq!(life.step(Duration::from_secs(1011), Continue), []);
    assert_eq!(life.wake_at(), Some(Duration::from_secs(1030)));
    assert_eq!(life.step(Duration::from_secs(1030), Time), [TermGroup]);
    assert_eq!(life.wake_at(), Some(Duration::from_secs(1035)));
}

#[test]
fn a_cancel_wakes_a_stopped_run_to_ask_it() {
    plays(limits(), &[(10, Stop, &[StopAll]), (20, Cancel, &[ContinueAll, TermGroup])]);
}

#[test]
fn a_second_cause_does_not_change_the_first() {
    let story: &[(u64, Event, &[Action])] = &[
        (30, Time, &[TermGroup]),
        (31, Output(5000), &[]),
        (35, Time, &[KillAll, Look]),
        (35, LeaderEnded(Exited(0)), &[Look]),
        (35, Left(0), &[Finish(Stalled)]),
    ];
    plays(limits(), story);
}
