//! Check that a process lives. A process that has ended and was not waited for yet still has its
//! number, and does not count as living.

use std::fs;
use std::path::Path;

/// A living process: when it started, in the kernel's own counting, if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Living {
    pub(crate) started: Option<u64>,
}

/// The process with that number, if it lives.
pub(crate) fn living(pid: u32) -> Option<Living> {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => (!is_over(&stat)).then(|| Living { started: start_of(&stat) }),
        // Without /proc nobody can say; a process that answers a signal of nothing is there.
        Err(_) if !Path::new("/proc/self").exists() => {
            let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw)?;
            let answers = rustix::process::test_kill_process(pid);
            (answers != Err(rustix::io::Errno::SRCH)).then_some(Living { started: None })
        }
        Err(_) => None,
    }
}

pub(crate) fn lives(pid: u32) -> bool {
    living(pid).is_some()
}

/// When this process started.
pub(crate) fn own_start() -> Option<u64> {
    start_of(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Ended, and not waited for yet (`Z`), or just going (`X`).
fn is_over(stat: &str) -> bool {
    fields(stat)
        .and_then(|mut fields| fields.next())
        .is_some_and(|state| matches!(state, "Z" | "X" | "x"))
}

/// The 22nd field.
fn start_of(stat: &str) -> Option<u64> {
    fields(stat)?.nth(19)?.parse().ok()
}

/// What follows the second field, which may contain spaces and brackets.
fn fields(stat: &str) -> Option<std::str::SplitWhitespace<'_>> {
    Some(stat.rsplit_once(')')?.1.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_nobody_has_waited_for_does_not_live() {
        let stat = |state: &str| format!("7 (a) R b) {state} 1 7 7{} 99 0", " 0".repeat(15));
        for (state, over) in [("R", false), ("S", false), ("T", false), ("Z", true), ("X", true)] {
            assert_eq!(is_over(&stat(state)), over, "{state}");
            assert_eq!(start_of(&stat(state)), Some(99), "{state}");
        }
        assert!(living(std::process::id()).is_some_and(|own| own.started == own_start()));
        assert!(!lives(0x7fff_fff0));
    }
}
