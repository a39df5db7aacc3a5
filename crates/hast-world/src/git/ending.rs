//! How the end of a child is noticed while its pipes are read: Linux tells through a file, elsewhere
//! it is asked again and again.

use std::io;
use std::process::Child;
use std::time::Duration;

use rustix::event::{PollFd, Timespec};

/// Knows whether one child has ended.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(super) struct Ending(std::os::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl Ending {
    pub(super) fn of(child: &Child) -> io::Result<Self> {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};
        Ok(Self(pidfd_open(Pid::from_child(child), PidfdFlags::empty())?))
    }

    /// What to wait for besides the pipes; stands first.
    pub(super) fn watched(&self) -> Vec<PollFd<'_>> {
        vec![PollFd::new(&self.0, rustix::event::PollFlags::IN)]
    }

    /// How long to wait at once.
    pub(super) fn patience(left: Duration) -> Timespec {
        Timespec { tv_sec: left.as_secs().min(60).cast_signed() + 1, tv_nsec: 0 }
    }

    pub(super) fn has_come(_: &mut Child, watched: &[PollFd<'_>]) -> io::Result<bool> {
        Ok(watched.first().is_some_and(|first| !first.revents().is_empty()))
    }
}

/// Knows whether one child has ended.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(super) struct Ending;

#[cfg(not(target_os = "linux"))]
impl Ending {
    pub(super) fn of(_: &Child) -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn watched(&self) -> Vec<PollFd<'_>> {
        Vec::new()
    }

    pub(super) fn patience(_: Duration) -> Timespec {
        Timespec { tv_sec: 0, tv_nsec: 5_000_000 }
    }

    pub(super) fn has_come(child: &mut Child, _: &[PollFd<'_>]) -> io::Result<bool> {
        Ok(child.try_wait()?.is_some())
    }
}
