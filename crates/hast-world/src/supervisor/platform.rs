//! System calls of Linux that hold processes together. On other systems a call still has its own
//! group and session, and a process that leaves both is not found again.

use std::ffi::OsString;
use std::fs::File;
use std::io;

#[cfg(target_os = "linux")]
mod system {
    use super::*;
    use rustix::fs::{MemfdFlags, memfd_create};
    use rustix::process::{Signal, getpid, set_child_subreaper, set_parent_process_death_signal};

    /// This very program, also after its file was replaced by an update.
    pub(in super::super) fn ourselves() -> OsString {
        "/proc/self/exe".into()
    }

    /// What a child leaves behind comes to this process and not to the machine's init.
    pub(in super::super) fn adopt_orphans() -> io::Result<()> {
        Ok(set_child_subreaper(Some(getpid()))?)
    }

    pub(in super::super) fn die_with_parent() -> io::Result<()> {
        Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
    }

    /// A file that is in memory alone.
    pub(in super::super) fn memory_file() -> io::Result<File> {
        Ok(File::from(memfd_create(c"stdin", MemfdFlags::CLOEXEC)?))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::*;

    pub(in super::super) fn ourselves() -> OsString {
        std::env::current_exe().map_or_else(|_| "hast".into(), Into::into)
    }

    pub(in super::super) fn adopt_orphans() -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn die_with_parent() -> io::Result<()> {
        Ok(())
    }

    /// A file without a name.
    pub(in super::super) fn memory_file() -> io::Result<File> {
        let name = format!("hast-stdin-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        std::fs::remove_file(&path)?;
        Ok(file)
    }
}

pub(super) use system::{adopt_orphans, die_with_parent, memory_file, ourselves};
