//! Helpers that read `/proc`: processes with a mark in their environment, their parents and guards,
//! and their memory.

use std::fs;
use std::time::{Duration, Instant};

/// Long enough for a machine that does ten other things; only a failing test waits for it.
const GUARD_TIME: Duration = Duration::from_secs(60);

pub(crate) fn pids() -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

/// Processes that are alive and have the mark in their environment.
pub(crate) fn marked(mark: &str) -> Vec<u32> {
    let has_mark = |pid: &u32| {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
            environment.windows(mark.len()).any(|window| window == mark.as_bytes())
        })
    };
    pids().into_iter().filter(has_mark).collect()
}

/// Fields of `/proc/PID/stat` after the name: state, parent, group, session.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let (_, rest) = text.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

pub(crate) fn state(pid: u32) -> Option<char> {
    stat(pid)?.first()?.chars().next()
}

pub(crate) fn parent(pid: u32) -> Option<u32> {
    stat(pid)?.get(1)?.parse().ok()
}

pub(crate) fn group(pid: u32) -> Option<u32> {
    stat(pid)?.get(2)?.parse().ok()
}

pub(crate) fn session(pid: u32) -> Option<u32> {
    stat(pid)?.get(3)?.parse().ok()
}

/// The guards above a process, the nearest first.
pub(crate) fn guards_of(pid: u32) -> Vec<u32> {
    let is_guard = |pid: &u32| {
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.starts_with(b"hast\0agent\0guard\0"))
    };
    std::iter::successors(parent(pid), |pid| parent(*pid)).filter(is_guard).collect()
}

/// The most memory that a process ever had, in KiB.
pub(crate) fn peak_memory(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Waits for something to become so.
#[track_caller]
pub(crate) fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < GUARD_TIME, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
