//! Where a call works, and how git is laid out there. A room is found by hast's own records; nothing
//! that an agent could write is asked.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use hast_flow::attempt::globs::{Globs, Named};
use hast_flow::attempt::rooms::RoomKind;
use hast_flow::calling::grants::GitLayout;
use hast_flow::process::{CommandSpec, RoomMounts};
use hast_flow::steps::Place;

use crate::files::read_if_there;
use crate::git::{UnitRoom, room_of_unit, rooms_directory};
use crate::roots::git_top;

/// A longer word is no path.
const LONGEST_WORD: usize = 4096;
const SMALL: usize = 16 << 10;

/// The tree that an agent works in, and its git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) workdir: PathBuf,
    pub(crate) top: PathBuf,
    /// The room that is mounted there.
    pub(crate) room: Option<RoomMounts>,
    /// The number of the room.
    pub(crate) lane: Option<OsString>,
    pub(crate) git: Option<GitLayout>,
    /// What is open of the project to a call that may change a part of it.
    pub(crate) within: Vec<PathBuf>,
}

/// Looks at the place of a call. `documents` is what paths of the flow are below.
pub(crate) fn tree(
    place: &Place,
    root: &Path,
    documents: &Path,
    variables: &[(OsString, OsString)],
) -> Tree {
    let top = git_top(root);
    let within = Vec::new();
    match place {
        // Where copies lie is known when they are made.
        Place::Reading | Place::Copies => Tree {
            workdir: root.to_owned(),
            top: root.to_owned(),
            room: None,
            lane: None,
            git: None,
            within,
        },
        Place::Within(writes) => {
            let git = top.as_deref().and_then(checkout);
            let places = Globs::new(writes).places();
            let within = places.iter().filter_map(|place| open(root, place)).collect();
            Tree {
                workdir: root.to_owned(),
                top: root.to_owned(),
                room: None,
                lane: None,
                git,
                within,
            }
        }
        Place::Checkout => {
            let git = top.as_deref().and_then(checkout);
            let top = top.unwrap_or_else(|| root.to_owned());
            Tree { workdir: root.to_owned(), top, room: None, lane: None, git, within }
        }
        Place::Worktree(path) | Place::Viewing(path) => {
            let unit = path.as_str().rsplit('/').next().unwrap_or_default();
            let checkout = top.unwrap_or_else(|| root.to_owned());
            let room = rooms_directory(&checkout, variables);
            let room = room.and_then(|rooms| room_of_unit(&rooms, unit));
            // The project may be a directory of its repository.
            let below = root.strip_prefix(&checkout).unwrap_or(Path::new(""));
            let mounts = room.as_ref().and_then(|room| mounts(room, &checkout));
            let lane = room.as_ref().and_then(|room| room.tree.parent()?.file_name());
            let lane = lane.map(OsStr::to_owned);
            let top = match (&mounts, room) {
                (Some(mounts), _) => mounts.checkout.clone(),
                (None, Some(room)) => room.tree,
                (None, None) => documents.join(path.as_str()),
            };
            Tree { workdir: inside(&top, below), top, room: mounts, lane, git: None, within }
        }
    }
}

/// A directory below a top; the top itself for an empty path.
fn inside(top: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { top.to_owned() } else { top.join(below) }
}

/// How a room is mounted at the checkout's path; none where it is seen at its own.
fn mounts(room: &UnitRoom, top: &Path) -> Option<RoomMounts> {
    let UnitRoom { tree, work, kind: RoomKind::SamePath } = room else { return None };
    let checkout = top.canonicalize().ok()?;
    let objects = self::checkout(&checkout)?.common.join("objects");
    Some(RoomMounts { checkout, tree: tree.clone(), work: work.clone(), objects })
}

/// A place as the sandbox can open it: only what exists. A directory is made; a file that is not
/// there yet can only be made where its directory is open. Nothing leads out of the project.
fn open(root: &Path, place: &Named) -> Option<PathBuf> {
    let inside = |path: &Path| path.canonicalize().ok().filter(|real| real.starts_with(root));
    match place {
        Named::Directory(path) => {
            let path = root.join(path);
            // Looked at before anything is made: a link on the way may lead anywhere.
            inside(path.ancestors().find(|above| above.symlink_metadata().is_ok())?)?;
            let _ = fs::create_dir_all(&path);
            inside(&path)
        }
        Named::Path(path) => {
            let path = root.join(path);
            inside(&path).or_else(|| inside(path.parent()?))
        }
    }
}

/// Files of the user's among the words of a command that a room would show as the base has them, or not
/// at all: a script or settings that the user has not committed.
pub(crate) fn covered_words(spec: &CommandSpec) -> Vec<PathBuf> {
    let Some(room) = &spec.sandbox.room else { return Vec::new() };
    let named = std::iter::once(&spec.program).chain(&spec.args);
    let short = named.filter(|word| word.len() <= LONGEST_WORD);
    let paths = short.map(|word| room.checkout.join(word)).filter(|path| path.is_file());
    let covered = |path: &PathBuf| {
        let below = path.canonicalize().ok();
        let below = below.as_deref().and_then(|path| path.strip_prefix(&room.checkout).ok());
        below.is_some_and(|below| fs::read(path).ok() != fs::read(room.tree.join(below)).ok())
    };
    paths.filter(covered).collect()
}

impl Tree {
    /// The working directory as hast finds it.
    pub(crate) fn on_disk(&self) -> PathBuf {
        let below = self.workdir.strip_prefix(&self.top).unwrap_or(Path::new(""));
        self.room.as_ref().map_or_else(|| self.workdir.clone(), |room| inside(&room.tree, below))
    }
}

/// The user's own tree: `.git` is theirs, a file if it is a linked worktree itself.
fn checkout(top: &Path) -> Option<GitLayout> {
    let dot_git = top.join(".git");
    let own = if dot_git.is_dir() {
        dot_git
    } else {
        top.join(line(&dot_git)?.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?
    };
    let common = match line(&own.join("commondir")) {
        Some(path) => own.join(path).canonicalize().ok()?,
        None => own.clone(),
    };
    let branch = branch(&own);
    Some(GitLayout { common, own, branch })
}

fn branch(own: &Path) -> Option<String> {
    Some(line(&own.join("HEAD"))?.strip_prefix("ref:")?.trim().to_owned())
}

fn line(path: &Path) -> Option<String> {
    let text = String::from_utf8(read_if_there(path, SMALL).ok()??).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_opened_of_a_project_never_leads_out_of_it() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        let root = top.join("p");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir(top.join("out")).unwrap();
        std::os::unix::fs::symlink(top.join("out"), root.join("link")).unwrap();
        fs::File::create(root.join("a.md")).unwrap();
        let directory = |path: &str| open(&root, &Named::Directory(path.to_owned()));
        let path = |path: &str| open(&root, &Named::Path(path.to_owned()));
        assert_eq!(directory("src"), Some(root.join("src")));
        assert_eq!(directory("new/one"), Some(root.join("new/one")), "it is made");
        assert_eq!(directory("link/x"), None);
        assert_eq!(directory("../out/y"), None);
        assert_eq!(top.join("out").read_dir().unwrap().count(), 0, "nothing is made out there");
        assert_eq!(path("a.md"), Some(root.join("a.md")));
        assert_eq!(path("b.md"), Some(root.clone()), "a new file needs its directory");
        assert_eq!(path("../x"), None);
    }
}
