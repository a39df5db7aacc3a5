//! What systems name differently. Linux is the one that is tested.

use std::fs::File;
use std::os::fd::OwnedFd;

use rustix::fs::{self, RenameFlags, Stat};
use rustix::io::Errno;

pub(super) fn exchange(dir: &OwnedFd, one: &str, other: &str) -> Result<(), Errno> {
    fs::renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE)
}

pub(super) fn rename_new(dir: &OwnedFd, from: &str, to: &str) -> Result<(), Errno> {
    fs::renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE)
}

#[cfg(target_os = "linux")]
mod system {
    use super::*;

    /// Looks at a path unless a link is on the way; one at its end is looked at itself.
    pub(in super::super) fn stat_without_links(dir: &OwnedFd, path: &str) -> Result<Stat, Errno> {
        use rustix::fs::{Mode, OFlags, ResolveFlags};
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let fd = fs::openat2(dir, path, flags, Mode::empty(), resolve)?;
        fs::fstat(&fd)
    }

    pub(in super::super) fn reserve(file: &File, at: u64, length: u64) -> Result<(), Errno> {
        fs::fallocate(file, fs::FallocateFlags::KEEP_SIZE, at, length)
    }

    pub(in super::super) fn sync_data(file: &File) -> Result<(), Errno> {
        fs::fdatasync(file)
    }

    pub(in super::super) fn sync_all(dir: &OwnedFd) -> Result<(), Errno> {
        fs::syncfs(dir)
    }

    pub(in super::super) fn boot_id() -> [u8; 16] {
        let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
        let parsed = text.ok().and_then(|text| text.trim().parse::<uuid::Uuid>().ok());
        parsed.map_or(UNKNOWN_BOOT, uuid::Uuid::into_bytes)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::*;

    pub(in super::super) fn stat_without_links(_: &OwnedFd, _: &str) -> Result<Stat, Errno> {
        Err(Errno::NOSYS)
    }

    pub(in super::super) fn reserve(_: &File, _: u64, _: u64) -> Result<(), Errno> {
        Ok(())
    }

    pub(in super::super) fn sync_data(file: &File) -> Result<(), Errno> {
        fs::fsync(file)
    }

    pub(in super::super) fn sync_all(_: &OwnedFd) -> Result<(), Errno> {
        fs::sync();
        Ok(())
    }

    pub(in super::super) fn boot_id() -> [u8; 16] {
        UNKNOWN_BOOT
    }
}

pub(super) use system::{boot_id, reserve, stat_without_links, sync_all, sync_data};

/// Never equal to a journal's: without a way to tell, every opening looks for losses.
const UNKNOWN_BOOT: [u8; 16] = [0xff; 16];
