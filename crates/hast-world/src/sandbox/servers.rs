//! Servers of the machine and of the user that a program in a room does not reach by their files. A
//! server outside sees the user's files at the checkout's path, and would answer for the wrong ones;
//! some of them start programs for whoever asks.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, mount};

use super::held::Held;
use super::mounts::named_error;

/// Sockets of servers that run programs or mount files.
const SOCKETS: [&str; 13] = [
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/buildkit/buildkitd.sock",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/run/snapd.socket",
    "/run/lxd.socket",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
    "/run/watchman/sock",
];

/// Directories of such sockets.
const DIRECTORIES: [&str; 4] = ["/run/screen", "/run/tmux", "/run/libvirt", "/run/user"];

/// Hides them, but for what the user granted.
pub(super) fn hide(granted: &[PathBuf]) -> io::Result<()> {
    let is_granted = |path: &Path| {
        granted.iter().any(|granted| path.starts_with(granted) || granted.starts_with(path))
    };
    for socket in SOCKETS {
        let Ok(path) = Path::new(socket).canonicalize() else { continue };
        let is_socket = fs::metadata(&path).is_ok_and(|it| it.file_type().is_socket());
        if is_socket && !is_granted(&path) {
            Held::take_for(Path::new("/dev/null"), path)?.put()?;
        }
    }
    for directory in DIRECTORIES {
        let Ok(path) = Path::new(directory).canonicalize() else { continue };
        if path.is_dir() && !is_granted(&path) {
            let flags =
                MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
            mount("none", &path, "tmpfs", flags, c"size=4k,mode=0555")
                .map_err(|error| named_error(&path, &error.into()))?;
        }
    }
    Ok(())
}
