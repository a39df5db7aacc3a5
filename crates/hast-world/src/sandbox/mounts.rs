//! Read-only paths inside of writable ones, and directories that look empty, which Landlock cannot
//! say: mounts that only the run sees.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use hast_flow::process::{RoomMounts, Sandbox, SandboxMode};
use rustix::fs::{CWD, StatVfsMountFlags, statvfs};
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_bind,
    mount_bind_recursive, mount_remount, move_mount, open_tree, unmount,
};

use super::held::Held;
use super::private_places::{self, Needs, PrivatePlaces};
use super::{room, servers};

/// Whether the closed paths of a sandbox are held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    NothingAsked,
    Held,
    NotHeld,
    /// All mounts of a room are there.
    InRoom(PrivatePlaces),
    /// The room could not be mounted: the program would be in the user's checkout.
    NoRoom {
        why: String,
    },
}

/// Whether there is anything to close.
pub(crate) fn asked(sandbox: &Sandbox) -> bool {
    let shut = !sandbox.closed.is_empty() || !sandbox.hidden.is_empty();
    sandbox.room.is_some() || (sandbox.mode != SandboxMode::Off && shut)
}

/// Mounts the room and closes the closed paths. Needs a mount namespace of our own.
/// `also` is writable to the guard itself.
pub(crate) fn close(sandbox: &Sandbox, also: &[PathBuf], needs: &Needs) -> Closed {
    let devices = match sandbox.mode {
        SandboxMode::Off => Ok(()),
        SandboxMode::Enforce | SandboxMode::Prefer => own_devices(),
    };
    match &sandbox.room {
        _ if !asked(sandbox) => Closed::NothingAsked,
        Some(room) => match devices.and_then(|()| in_room(sandbox, room, needs)) {
            Ok(places) => Closed::InRoom(places),
            Err(why) => Closed::NoRoom { why: why.to_string() },
        },
        None => match in_place(sandbox, also) {
            Ok(()) => Closed::Held,
            Err(_) => Closed::NotHeld,
        },
    }
}

fn in_place(sandbox: &Sandbox, also: &[PathBuf]) -> io::Result<()> {
    let (writable, closed) = (there(&sandbox.writable), there(&sandbox.closed));
    // First: what is closed inside of a hidden directory is closed in the one that takes its place.
    let mut steps = hiding(&there(&sandbox.hidden), &[writable.clone(), closed.clone()].concat());
    steps.extend(plan(&writable, &closed));
    steps.iter().try_for_each(Bind::perform)?;
    read_only(&[writable, there(also)].concat(), &[], &closed)
}

/// Overlays first, while their layers can be seen; then private places, then everything that is hidden or
/// closed in what is seen now.
fn in_room(sandbox: &Sandbox, room: &RoomMounts, needs: &Needs) -> io::Result<PrivatePlaces> {
    let (writable, mut closed) = (there(&sandbox.writable), there(&sandbox.closed));
    let named = [writable.clone(), closed.clone()].concat();
    room::enter(room, &named)?;
    let places = private_places::make(needs, &room.checkout, &writable, &closed)?;
    if !writable.iter().any(|open| room.checkout.starts_with(open)) {
        // A run that only looks, in a home that can be written.
        closed.push(room.checkout.clone());
    }
    servers::hide(&writable)?;
    let mut steps = hiding(&there(&sandbox.hidden), &named);
    closed.extend(there(&places.closed));
    steps.extend(plan(&writable, &closed));
    steps.iter().try_for_each(Bind::perform)?;
    read_only(&writable, &places.open, &closed)?;
    Ok(places)
}

fn there(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter_map(|path| path.canonicalize().ok()).collect()
}

/// An error of the system with the path that it is about.
pub(super) fn named_error(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A directory in a directory that is about to become read-only: it can be removed all the same.
pub(crate) struct Removable {
    above: OwnedFd,
    path: PathBuf,
}

impl Removable {
    pub(crate) fn hold(path: &Path) -> Option<Self> {
        let clone = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let above = open_tree(CWD, path.parent()?, clone).ok()?;
        Some(Self { above, path: path.to_owned() })
    }

    /// Removes it with all that is in it, once nobody else is in this namespace. Private places are
    /// taken away first: what is mounted in them holds their files.
    pub(crate) fn remove(self, private: &[PathBuf]) {
        for path in private.iter().rev().chain([&self.path]) {
            let _ = unmount(path, UnmountFlags::DETACH);
        }
        if let Some(name) = self.path.file_name() {
            let above = PathBuf::from(format!("/proc/self/fd/{}", self.above.as_raw_fd()));
            let _ = std::fs::remove_dir_all(above.join(name));
        }
    }
}

/// Makes everything read-only but what is open. Landlock keeps a program from files and not from their
/// rights, dates and owners. `private` is open and mounted already. Where one path is inside of another, the inner one counts.
fn read_only(open: &[PathBuf], private: &[PathBuf], closed: &[PathBuf]) -> io::Result<()> {
    let below = |path: &PathBuf| open.iter().any(|one| one != path && path.starts_with(one));
    for path in open.iter().filter(|path| !below(path)) {
        mount_bind_recursive(path, path)?;
    }
    let table = std::fs::read("/proc/self/mountinfo")?;
    let points: BTreeSet<PathBuf> = mount_points(&table).collect();
    let inner = |path: &Path, rules: &[&[PathBuf]]| {
        let above = rules.iter().copied().flatten().filter(|rule| path.starts_with(rule));
        above.map(|rule| rule.components().count()).max()
    };
    let stays = |path: &Path| {
        OWN_MOUNTS.iter().any(|own| path.starts_with(own))
            || inner(path, &[open, private]) > inner(path, &[closed])
    };
    for path in points.iter().filter(|path| !stays(path)) {
        let closed = kept_flags(path).and_then(|flags| {
            let flags = MountFlags::BIND | MountFlags::RDONLY | flags;
            Ok(mount_remount(path, flags, c"")?)
        });
        // What is mounted elsewhere may be hidden below another mount, or be nobody's to change.
        if path == Path::new("/") {
            closed?;
        }
    }
    Ok(())
}

/// Made for this run alone, or without files of anybody's.
const OWN_MOUNTS: [&str; 4] = ["/proc", TERMINALS, NEW_TERMINAL, SHARED_MEMORY];

/// The places where something is mounted, from the system's table.
pub(crate) fn mount_points(table: &[u8]) -> impl Iterator<Item = PathBuf> {
    table.split(|byte| *byte == b'\n').filter_map(|line| {
        let field = line.split(|byte| *byte == b' ').nth(4)?;
        Some(PathBuf::from(OsString::from_vec(unescaped(field))))
    })
}

/// The table writes blanks and the like as three octal digits.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let octal = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                text.push(byte);
                rest = &after[3..];
            }
            None => {
                text.push(*first);
                rest = after;
            }
        }
    }
    text
}

/// Terminals and shared memory of its own: through the user's a program could write to their screen, type for
/// them, or leave something for the next one. Where that cannot be had (`/dev` of a container), theirs are there;
/// a room is not made without shared memory of its own.
fn own_devices() -> io::Result<()> {
    let safe = MountFlags::NOSUID | MountFlags::NOEXEC;
    if mount("devpts", TERMINALS, "devpts", safe, c"newinstance,ptmxmode=0666,mode=0620").is_ok()
        && !Path::new(NEW_TERMINAL).is_symlink()
    {
        let _ = mount_bind(Path::new(TERMINALS).join("ptmx"), NEW_TERMINAL);
    }
    if !Path::new(SHARED_MEMORY).is_dir() {
        return Ok(());
    }
    let mounted = mount("shm", SHARED_MEMORY, "tmpfs", safe | MountFlags::NODEV, c"mode=1777");
    mounted.map_err(|error| named_error(Path::new(SHARED_MEMORY), &error.into()))
}

const TERMINALS: &str = "/dev/pts";
const NEW_TERMINAL: &str = "/dev/ptmx";
const SHARED_MEMORY: &str = "/dev/shm";

/// One mount over a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bind {
    /// A mount point cannot be renamed away from under what is closed inside of it.
    Pinned(PathBuf),
    ReadOnly(PathBuf),
    /// Nothing is seen there but what stays in sight.
    Hidden {
        path: PathBuf,
        seen: Vec<PathBuf>,
    },
}

impl Bind {
    fn perform(&self) -> io::Result<()> {
        match self {
            Self::Pinned(path) => Ok(mount_bind_recursive(path, path)?),
            Self::ReadOnly(path) => {
                mount_bind_recursive(path, path)?;
                let flags = MountFlags::BIND | MountFlags::RDONLY | kept_flags(path)?;
                Ok(mount_remount(path, flags, c"")?)
            }
            Self::Hidden { path, seen } => hide(path, seen),
        }
    }
}

/// An empty directory, or file, over a path, with what stays in sight in its old place.
fn hide(path: &Path, seen: &[PathBuf]) -> io::Result<()> {
    if !path.is_dir() {
        return Held::take_for(Path::new("/dev/null"), path.to_owned())?.put();
    }
    let clone = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let trees: Result<Vec<_>, _> = seen.iter().map(|seen| open_tree(CWD, seen, clone)).collect();
    let trees = trees?;
    let safe = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("none", path, "tmpfs", safe, c"size=64k,mode=0755")?;
    for (seen, tree) in seen.iter().zip(trees) {
        std::fs::create_dir_all(seen)?;
        let as_it_is = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(tree, "", CWD, seen, as_it_is)?;
    }
    Ok(mount_remount(path, safe | MountFlags::RDONLY, c"size=64k,mode=0555")?)
}

/// What is named inside of a hidden directory stays in sight, with all that is below it.
fn hiding(hidden: &[PathBuf], named: &[PathBuf]) -> Vec<Bind> {
    let hide = |path: &PathBuf| {
        let inside = named.iter().filter(|named| *named != path && named.starts_with(path));
        let inside: BTreeSet<&PathBuf> = inside.collect();
        let below =
            |one: &PathBuf| inside.iter().any(|above| *above != one && one.starts_with(above));
        let seen = inside.iter().filter(|one| !below(one)).map(|one| (*one).clone()).collect();
        Bind::Hidden { path: path.clone(), seen }
    };
    hidden.iter().map(hide).collect()
}

/// In which order to bind: parents that must not move from the top down, then paths that stay
/// open inside of closed ones, then the closed ones, which take those along.
fn plan(writable: &[PathBuf], closed: &[PathBuf]) -> Vec<Bind> {
    let inside = |path: &Path, roots: &[PathBuf]| {
        roots.iter().filter(|root| path != **root && path.starts_with(root)).min().cloned()
    };
    let mut pinned = BTreeSet::new();
    for path in closed {
        if let Some(root) = inside(path, writable) {
            let parents = path.ancestors().skip(1).take_while(|parent| *parent != root);
            pinned.extend(parents.map(Path::to_owned));
        }
    }
    let open = writable.iter().filter(|path| inside(path, closed).is_some());
    let closed: BTreeSet<_> = closed.iter().cloned().collect();
    pinned
        .difference(&closed)
        .cloned()
        .chain(open.cloned())
        .map(Bind::Pinned)
        .chain(closed.iter().cloned().map(Bind::ReadOnly))
        .collect()
}

/// In a user namespace a mount may not lose what its owner forbade.
pub(super) fn kept_flags(path: &Path) -> io::Result<MountFlags> {
    let now = statvfs(path)?.f_flag;
    let table = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let kept = table.iter().filter(|(have, _)| now.contains(*have)).map(|(_, keep)| *keep);
    Ok(kept.fold(MountFlags::empty(), |all, flag| all | flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_of_the_table_of_mounts_are_read() {
        assert_eq!(unescaped(b"/a\\040b"), b"/a b");
        assert_eq!(unescaped(b"/a\\b\\"), b"/a\\b\\");
    }

    #[test]
    fn parents_are_pinned_open_paths_stay_open_and_closed_ones_come_last() {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let writable = paths(&["/w", "/w/.ai/handoffs", "/tmp/x"]);
        let closed = paths(&["/w/.git/hooks", "/w/.git/config", "/w/.ai"]);
        let expected = [
            Bind::Pinned("/w/.git".into()),
            Bind::Pinned("/w/.ai/handoffs".into()),
            Bind::ReadOnly("/w/.ai".into()),
            Bind::ReadOnly("/w/.git/config".into()),
            Bind::ReadOnly("/w/.git/hooks".into()),
        ];
        assert_eq!(plan(&writable, &closed), expected);
        assert_eq!(plan(&writable, &[]), []);
        let hidden =
            hiding(&paths(&["/w/calls"]), &paths(&["/w/calls/a/1", "/w/calls/a/1/outbox", "/w"]));
        let seen = paths(&["/w/calls/a/1"]);
        assert_eq!(hidden, [Bind::Hidden { path: "/w/calls".into(), seen }]);
        // Nothing there is writable anyway.
        assert_eq!(plan(&[], &paths(&["/a/b"])), [Bind::ReadOnly("/a/b".into())]);
    }
}
