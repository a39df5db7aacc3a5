//! Functions of the disk that each operating system names in its own way. Linux is the system that
//! is tested.

use std::fs::File;
use std::os::fd::OwnedFd;

use rustix::fs;
use rustix::io::Errno;

#[cfg(target_os = "linux")]
mod system {
    use super::*;

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

pub(super) use system::{boot_id, reserve, sync_all, sync_data};

/// Never equal to a journal's: without a way to tell, every opening looks for losses.
const UNKNOWN_BOOT: [u8; 16] = [0xff; 16];
