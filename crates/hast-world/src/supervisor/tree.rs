//! The processes below one process, read from `/proc`, and signals to them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use hast_flow::process::exit::Exit;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, kill_process, kill_process_group, wait, waitpid,
};

/// Something that forks as fast as it is stopped is tried again on the next round of the guard.
const ROUNDS: usize = 20;

/// A process that ended and was reaped.
#[derive(Clone, Debug)]
pub(super) struct Reaped {
    pub(super) pid: Pid,
    pub(super) exit: Exit,
}

/// Reaps one child that has ended, if there is one.
pub(super) fn reap() -> io::Result<Reaping> {
    match wait(WaitOptions::NOHANG) {
        Ok(Some((pid, status))) => Ok(Reaping::Ended(Reaped { pid, exit: exit_of(status) })),
        Ok(None) | Err(Errno::INTR) => Ok(Reaping::AllAlive),
        Err(Errno::CHILD) => Ok(Reaping::NoChildren),
        Err(error) => Err(error.into()),
    }
}

#[derive(Clone, Debug)]
pub(super) enum Reaping {
    Ended(Reaped),
    AllAlive,
    NoChildren,
}

fn exit_of(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Exited(code),
        (None, Some(signal)) => Exit::Signalled(signal),
        (None, None) => Exit::Lost,
    }
}

/// What `/proc/PID/stat` says about one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    pub(super) state: u8,
}

/// The name of a program may contain anything, also `) R 1 `: the last parenthesis ends it.
pub(super) fn parse_stat(text: &[u8]) -> Option<Stat> {
    let end = text.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(text.get(end + 1..)?).ok()?;
    let mut words = rest.split_ascii_whitespace();
    let state = *words.next()?.as_bytes().first()?;
    let parent = words.next()?.parse().ok()?;
    let group = words.next()?.parse().ok()?;
    let session = words.next()?.parse().ok()?;
    Some(Stat { parent, group, session, state })
}

/// All processes that can be seen.
pub(super) fn processes() -> BTreeMap<i32, Stat> {
    let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        // One that ended meanwhile has no file any more.
        .filter_map(|pid| Some((pid, parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)?)))
        .collect()
}

/// The living processes below one, in any generation.
pub(super) fn descendants(of: i32) -> BTreeSet<i32> {
    below(&processes(), of)
}

fn below(all: &BTreeMap<i32, Stat>, root: i32) -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (pid, stat) in all {
        children.entry(stat.parent).or_default().push(*pid);
    }
    let mut found = BTreeSet::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        for child in children.get(&pid).into_iter().flatten() {
            if found.insert(*child) {
                open.push(*child);
            }
        }
    }
    found.retain(|pid| all.get(pid).is_some_and(|stat| !matches!(stat.state, b'Z' | b'X' | b'x')));
    found
}

/// Sends a signal to everything below a process.
pub(super) fn signal_below(root: i32, signal: Signal) {
    for pid in descendants(root) {
        send(pid, signal);
    }
}

/// Stops everything below a process, round by round, so that what forks meanwhile is stopped too.
pub(super) fn stop_below(root: i32) -> BTreeSet<i32> {
    let mut stopped = BTreeSet::new();
    for _ in 0..ROUNDS {
        let alive = descendants(root);
        let fresh: Vec<i32> = alive.difference(&stopped).copied().collect();
        if fresh.is_empty() {
            break;
        }
        for pid in fresh {
            send(pid, Signal::STOP);
            stopped.insert(pid);
        }
    }
    stopped
}

/// Kills everything below a process. What forks is stopped first, so that the list gets complete.
pub(super) fn kill_below(root: i32) {
    for pid in stop_below(root) {
        send(pid, Signal::KILL);
    }
}

/// Kills one child and waits for its end.
pub(super) fn kill_and_reap(child: i32) {
    send(child, Signal::KILL);
    if let Some(pid) = Pid::from_raw(child) {
        while let Err(Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
    }
}

pub(super) fn send(pid: i32, signal: Signal) {
    // One that is gone already needs no signal; one that may not be signalled shows up as left.
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

pub(super) fn send_group(leader: Pid, signal: Signal) {
    let _ = kill_process_group(leader, signal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_disguise_a_process() {
        let plain = parse_stat(b"17 (sleep) S 4 17 9 0 -1 4194560 1 2").unwrap();
        assert_eq!(plain, Stat { parent: 4, group: 17, session: 9, state: b'S' });
        let odd = parse_stat(b"17 (a) R 1 (\xff b) Z 4 17 9 0").unwrap();
        assert_eq!(odd, Stat { parent: 4, group: 17, session: 9, state: b'Z' });
        for torn in [&b""[..], b"17 (a", b"17 (a)", b"17 (a) S", b"17 (a) S 4 x"] {
            assert_eq!(parse_stat(torn), None);
        }
    }

    #[test]
    fn every_generation_is_found_and_the_dead_are_not_counted() {
        let stat = |parent, state| Stat { parent, group: 1, session: 1, state };
        let all = BTreeMap::from([
            (1, stat(0, b'S')),
            (2, stat(1, b'S')),
            (3, stat(2, b'Z')),
            (4, stat(3, b'R')),
            (5, stat(1, b'T')),
            (9, stat(0, b'S')),
        ]);
        assert_eq!(below(&all, 1), BTreeSet::from([2, 4, 5]));
        assert_eq!(below(&all, 9), BTreeSet::new());
    }
}
