//! A room's tree over the user's checkout, at the checkout's own path. Needs a mount namespace of the
//! run's own: outside of it the checkout stays as it is.

use std::io;
use std::path::{Path, PathBuf};

use hast_flow::process::{ROOM_OBJECTS, RoomMounts};
use rustix::mount::{MountFlags, mount, mount_remount};

use super::held::Held;
use super::mounts::kept_flags;
use super::overlay::Layers;

/// Mounts a room. What is named in `granted` below the checkout stays what it is outside.
pub(super) fn enter(room: &RoomMounts, granted: &[PathBuf]) -> io::Result<()> {
    let checkout = &room.checkout;
    let objects = Held::take_for(&room.objects, checkout.join(ROOM_OBJECTS))?;
    let inside: Vec<&PathBuf> =
        granted.iter().filter(|path| *path != checkout && path.starts_with(checkout)).collect();
    let is_below = |path: &Path| inside.iter().any(|one| *one != path && path.starts_with(one));
    let outermost = inside.iter().filter(|path| !is_below(path));
    let held: io::Result<Vec<Held>> = outermost.map(|path| Held::take(path)).collect();
    let held = held?;
    let layers = Layers { lower: checkout, upper: &room.tree, work: &room.work };
    mount("overlay", checkout, "overlay", MountFlags::empty(), layers.options()?.as_c_str())?;
    objects.put()?;
    let at = checkout.join(ROOM_OBJECTS);
    mount_remount(&at, MountFlags::BIND | MountFlags::RDONLY | kept_flags(&at)?, c"")?;
    held.iter().try_for_each(Held::put)
}
