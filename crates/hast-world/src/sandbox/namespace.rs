//! A PID and mount namespace for one run. Root makes them at once; others need a user namespace,
//! which a machine may refuse.

use std::fs::File;
use std::io::{self, Write};

use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, capabilities, capability_is_in_bounding_set,
    clear_ambient_capability_set, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities,
};

/// What mounting takes. An overlay works with the rights of whoever mounted it, on a directory of its
/// own that is closed to everybody; the last one is for taking rights away.
const MOUNTING: [CapabilitySet; 6] = [
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::DAC_OVERRIDE,
    CapabilitySet::FOWNER,
    CapabilitySet::CHOWN,
    CapabilitySet::FSETID,
    CapabilitySet::SETPCAP,
];

/// Makes the namespaces. The next child of this process is the first process of its own world.
pub(crate) fn enter() -> io::Result<()> {
    let wanted = UnshareFlags::NEWPID | UnshareFlags::NEWNS;
    match unshare(wanted) {
        Err(Errno::PERM) => {
            let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
            unshare(wanted | UnshareFlags::NEWUSER)?;
            // Everybody stays who they are: files keep belonging to the user.
            write("/proc/self/setgroups", "deny")?;
            write("/proc/self/uid_map", &format!("{0} {0} 1", user.as_raw()))?;
            write("/proc/self/gid_map", &format!("{0} {0} 1", group.as_raw()))?;
            keep_over_exec()
        }
        other => Ok(other?),
    }
}

/// Inside: a `/proc` that shows this world, and mounts that nobody outside sees.
pub(crate) fn settle() -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    Ok(())
}

/// The program gets no right that its user does not have.
pub(crate) fn drop_mounting() -> io::Result<()> {
    clear_ambient_capability_set()?;
    let now = capabilities(None)?;
    Ok(set_capabilities(None, CapabilitySets { inheritable: CapabilitySet::empty(), ..now })?)
}

/// This thread and what it starts have no right at all, whoever the user is: with one of root's a
/// program could take the room away from over the checkout.
pub(crate) fn drop_all() -> io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        if capability_is_in_bounding_set(capability).unwrap_or(false) {
            remove_capability_from_bounding_set(capability)?;
        }
    }
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    Ok(set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: none, inheritable: none },
    )?)
}

/// Without this, starting the guard inside would lose the right to mount there.
fn keep_over_exec() -> io::Result<()> {
    let now = capabilities(None)?;
    let mounting = MOUNTING.into_iter().fold(now.inheritable, |all, one| all | one);
    set_capabilities(None, CapabilitySets { inheritable: mounting, ..now })?;
    for capability in MOUNTING {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

#[expect(deprecated, reason = "unsafe only with FILES, which is not used; we have no unsafe code")]
fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    rustix::thread::unshare(flags)
}

fn write(path: &str, text: &str) -> io::Result<()> {
    File::options().write(true).open(path)?.write_all(text.as_bytes())
}
