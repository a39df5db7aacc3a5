//! Check for changes of an agent in its tree or outbox, for a call that ended too soon to tell. It
//! compares times of the last change with that of a file of the call. It reads no content.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hast_flow::agents::beginning::{Beginning, EndOf, beginning};
use hast_flow::calling::grants::Ground;
use hast_flow::calling::settle::Changed;
use hast_flow::steps::Place;

/// More entries than this are not looked at: then something may have changed.
const MOST: usize = 1_000_000;
/// Longer than any tick of a clock.
const LONGEST_TICK: Duration = Duration::from_millis(100);
/// State of flows and of git changes whoever is at work.
const NOT_WORK: &[&str] = &[".git", ".hast"];
/// Documents of flows: hast and the mounts of a room change the directory, the agent what is in its handoffs.
const DOCUMENTS: &str = ".ai";
const HANDOFFS: &str = "handoffs";

/// A moment as the file system tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(i64, i64);

impl Moment {
    /// When a file or directory was last changed.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = path.symlink_metadata().ok()?;
        Some(Self(metadata.ctime(), metadata.ctime_nsec()))
    }

    /// A moment that is over: whatever changes from now on is later. Times of files have the grain of
    /// the kernel's clock, so that its next tick is waited for.
    pub(super) fn over(path: &Path) -> Option<Self> {
        let moment = Self::of(path)?;
        let end = Instant::now() + LONGEST_TICK;
        while Self::of(path)? <= moment && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
            // The same rights again change nothing but the time.
            fs::set_permissions(path, fs::metadata(path).ok()?.permissions()).ok()?;
        }
        Some(moment)
    }
}

/// Whether the agent left anything in its tree or its outbox, where that decides whether it began.
pub(super) fn changed(
    end: EndOf<'_>,
    place: &Place,
    ground: &Ground,
    start: Option<Moment>,
) -> Changed {
    if beginning(end) != Beginning::IfUnchanged {
        return Changed::NotLookedAt;
    }
    let wrote = holds_something(&ground.outbox);
    match wrote || changed_since(place, ground, start) {
        true => Changed::Something,
        false => Changed::Nothing,
    }
}

/// Whether something lies in a directory; one that cannot be read may hold anything.
fn holds_something(directory: &Path) -> bool {
    match fs::read_dir(directory) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// Whether anything that is the agent's to change was changed after a moment.
fn changed_since(place: &Place, ground: &Ground, start: Option<Moment>) -> bool {
    let Some(start) = start else { return true };
    match place {
        // Only the outbox is open.
        Place::Reading | Place::Copies | Place::Viewing(_) => false,
        Place::Within(_) | Place::Checkout | Place::Worktree(_) => {
            let handoffs = ground.root.join(".ai/handoffs");
            let state = [ground.root.join(".ai"), ground.documents.clone()];
            let left_out: Vec<&PathBuf> =
                state.iter().filter(|path| !ground.on_disk().starts_with(path)).collect();
            any_after(ground.on_disk(), &left_out, start) || any_after(&handoffs, &[], start)
        }
    }
}

fn any_after(top: &Path, left_out: &[&PathBuf], start: Moment) -> bool {
    let mut open = vec![top.to_owned()];
    let mut looked = 0;
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            looked += 1;
            if looked > MOST {
                return true;
            }
            if NOT_WORK.iter().any(|own| name == *own) || left_out.contains(&&path) {
                continue;
            }
            if name == DOCUMENTS {
                open.push(path.join(HANDOFFS));
                continue;
            }
            if Moment::of(&path).is_some_and(|changed| changed > start) {
                return true;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            }
        }
    }
    // A file that went changes the directory that it was in.
    Moment::of(top).is_some_and(|changed| changed > start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of files have the grain of the kernel's clock: waits until it has moved on.
    fn after(moment: Moment, root: &Path) {
        let mut count = 0_u32;
        while Moment::of(root).is_none_or(|now| now <= moment) {
            let probe = root.join(format!("probe-{count}"));
            fs::create_dir(&probe).unwrap();
            fs::remove_dir(&probe).unwrap();
            count += 1;
        }
    }

    #[test]
    fn what_hast_changes_in_a_room_beside_the_agent_is_none_of_its_work() {
        let scratch = tempfile::tempdir().unwrap();
        let [root, tree, aside] =
            ["project", "room", "aside"].map(|name| scratch.path().join(name));
        for directory in [&root, &aside, &tree.join(".ai/handoffs"), &tree.join("src")] {
            fs::create_dir_all(directory).unwrap();
        }
        let documents = root.join(".ai");
        let ground = Ground { root, tree: tree.clone(), documents, ..Ground::default() };
        let changed = |start| changed_since(&Place::Checkout, &ground, Some(start));
        after(Moment::of(&tree.join("src")).unwrap(), &aside);
        let start = Moment::over(&aside).unwrap();
        // A directory to mount the call on.
        fs::create_dir_all(tree.join(".ai/.hast/calls")).unwrap();
        assert!(!changed(start));
        fs::File::create(tree.join(".ai/handoffs/x.md")).unwrap();
        assert!(changed(start), "a handoff is its work");
    }

    #[test]
    fn what_an_agent_made_changed_or_removed_is_seen_and_state_is_not() {
        let root = tempfile::tempdir().unwrap();
        let (tree, aside) = (root.path().join("tree"), root.path().join("aside"));
        for directory in ["src", ".git", ".ai/.hast", ".ai/handoffs"] {
            fs::create_dir_all(tree.join(directory)).unwrap();
        }
        fs::create_dir(&aside).unwrap();
        let ground = Ground {
            root: tree.clone(),
            tree: tree.clone(),
            documents: tree.join(".ai"),
            ..Ground::default()
        };
        let changed = |start| changed_since(&Place::Checkout, &ground, Some(start));
        let make = |path: &str| drop(fs::File::create(tree.join(path)).unwrap());
        let now = || Moment::over(&aside).unwrap();
        after(Moment::of(&tree).unwrap(), &aside);
        let start = now();
        for state in [".git/index", ".ai/.hast/journal", ".ai/events.ndjson"] {
            make(state);
        }
        assert!(!changed(start));
        for work in ["src/a", ".ai/handoffs/x.md"] {
            let start = now();
            make(work);
            assert!(changed(start), "{work}");
            after(Moment::of(&tree.join(work)).unwrap(), &aside);
        }
        let start = now();
        assert!(!changed(start));
        fs::remove_file(tree.join("src/a")).unwrap();
        assert!(changed(start));
        assert!(!changed_since(&Place::Reading, &ground, Some(start)));
    }
}
