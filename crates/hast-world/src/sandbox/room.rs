//! A room's tree over the user's checkout, at the checkout's own path. Needs a mount namespace of the
//! run's own: outside of it the checkout stays as it is.

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hast_flow::process::{ROOM_OBJECTS, RoomMounts};
use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, mount, mount_remount, move_mount, open_tree,
};

use super::mounts::kept_flags;

/// A path with what is mounted there, taken hold of before the overlay covers it.
struct Held {
    at: PathBuf,
    tree: OwnedFd,
    is_directory: bool,
}

/// Mounts a room. What is named in `granted` below the checkout stays what it is outside.
pub(super) fn enter(room: &RoomMounts, granted: &[PathBuf]) -> io::Result<()> {
    let checkout = &room.checkout;
    let objects = Held::take(&room.objects, checkout.join(ROOM_OBJECTS))?;
    let inside: Vec<&PathBuf> =
        granted.iter().filter(|path| *path != checkout && path.starts_with(checkout)).collect();
    let is_below = |path: &Path| inside.iter().any(|one| *one != path && path.starts_with(one));
    let outermost = inside.iter().filter(|path| !is_below(path));
    let held: io::Result<Vec<Held>> =
        outermost.map(|path| Held::take(path, (*path).clone())).collect();
    let held = held?;
    mount("overlay", checkout, "overlay", MountFlags::empty(), options(room)?.as_c_str())?;
    objects.put()?;
    let at = checkout.join(ROOM_OBJECTS);
    mount_remount(&at, MountFlags::BIND | MountFlags::RDONLY | kept_flags(&at)?, c"")?;
    held.iter().try_for_each(Held::put)
}

impl Held {
    fn take(from: &Path, at: PathBuf) -> io::Result<Self> {
        let clone = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let is_directory = fs::metadata(from)?.is_dir();
        Ok(Self { at, tree: open_tree(CWD, from, clone)?, is_directory })
    }

    /// Mounts it at its path, for which there is a directory or a file afterwards.
    fn put(&self) -> io::Result<()> {
        if self.is_directory {
            fs::create_dir_all(&self.at)?;
        } else {
            fs::create_dir_all(self.at.parent().unwrap_or(&self.at))?;
            File::options().create(true).append(true).open(&self.at)?;
        }
        let as_it_is = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        Ok(move_mount(&self.tree, "", CWD, &self.at, as_it_is)?)
    }
}

/// Extended attributes of the user's kind: those need no right of root's.
const FIXED: &str = "userxattr,index=off,redirect_dir=nofollow,metacopy=off";

fn options(room: &RoomMounts) -> io::Result<CString> {
    let mut text = FIXED.as_bytes().to_vec();
    for (name, path) in
        [("lowerdir", &room.checkout), ("upperdir", &room.tree), ("workdir", &room.work)]
    {
        text.extend_from_slice(format!(",{name}=").as_bytes());
        text.extend(escaped(path));
    }
    CString::new(text).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
}

/// The signs that part options and layers from each other.
fn escaped(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'\\' | b',' | b':') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_signs_of_the_options_is_one_path() {
        let room = RoomMounts {
            checkout: "/a b,c:d\\e".into(),
            tree: "/t".into(),
            work: "/w".into(),
            objects: "/o".into(),
        };
        let text = options(&room).unwrap().into_string().unwrap();
        let layers = ",lowerdir=/a b\\,c\\:d\\\\e,upperdir=/t,workdir=/w";
        assert_eq!(text, format!("{FIXED}{layers}"));
    }
}
