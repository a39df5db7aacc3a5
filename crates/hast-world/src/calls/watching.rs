//! Watch over a call that may change only a part of the project: hast looks before and after it. It
//! finds the changes outside of that part. Writes of hast itself and of its other processes are not
//! counted against the call.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hast_flow::attempt::globs::Globs;
use hast_flow::calling::grants::{Ground, granted};
use hast_flow::calling::request::Asked;
use hast_flow::calling::strays::Walls;
use hast_flow::ids::Sha256;
use hast_flow::process::Ended;
use hast_flow::process::exit::Applied;
use hast_flow::steps::{Call, Place};
use hast_flow::store::DocPath;

use super::Calls;
use super::traces::Traces;

/// How long a commit of another driver is waited for.
const LONGEST_COMMIT: Duration = Duration::from_secs(2);

/// A project before a call.
pub(super) struct Watched {
    /// What the journal of the documents holds.
    journal: Option<Sha256>,
    traces: Traces,
}

/// The project has more files than are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooMany;

impl Calls {
    /// The project as it is now, if the call may change only a part of it.
    pub(super) fn watch(&self, call: &Call) -> Option<Watched> {
        writes(&call.place)?;
        // A commit on its way may have its record in the journal and not its files yet.
        let _no_commit = self.between_commits();
        let journal = self.journal(call);
        Some(Watched { journal, traces: self.traces() })
    }

    /// Keeps other drivers from a commit for as long as the file is held. Where one takes long, nobody is
    /// kept from anything.
    fn between_commits(&self) -> Option<File> {
        let file = File::open(self.settings.documents.join(".hast/lock")).ok()?;
        let end = Instant::now() + LONGEST_COMMIT;
        while file.try_lock_shared().is_err() {
            if Instant::now() > end {
                return None;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Some(file)
    }

    fn traces(&self) -> Traces {
        let own = self.settings.documents.join(".hast");
        Traces::of(&self.settings.root, &[&self.settings.machine, &own])
    }

    /// What the journal of the documents holds, if other drivers may commit beside the call. Its times
    /// would not do: two commits may fall into one tick of the clock.
    fn journal(&self, call: &Call) -> Option<Sha256> {
        if call.others.drivers.is_empty() {
            return None;
        }
        let bytes = std::fs::read(self.settings.documents.join(".hast/journal")).ok()?;
        Some(Sha256::of(&bytes))
    }

    /// What the call changed and may not.
    pub(super) fn strays(
        &self,
        asked: Asked<'_>,
        ground: &Ground,
        before: &Watched,
        ended: &Ended,
    ) -> Result<Vec<String>, TooMany> {
        let call = asked.call;
        let Some(writes) = writes(&call.place) else { return Ok(Vec::new()) };
        if writes.is_empty() && matches!(ended.sandbox, Applied::Whole { .. }) {
            // It was held from everything, so there is nothing to look for.
            return Ok(Vec::new());
        }
        let after = self.traces();
        if before.traces.cut || after.cut {
            return Err(TooMany);
        }
        let protected = [".git", ".ai"].map(|name| ground.root.join(name));
        let protected: Vec<&Path> =
            protected.iter().chain([&ground.documents]).map(PathBuf::as_path).collect();
        let walls = Walls {
            root: &ground.root,
            writes,
            granted: &granted(&call.place, ground, asked.config),
            applied: &ended.sandbox,
            protected: &protected,
        };
        let (people, drivers) = (Globs::new(&call.others.people), Globs::new(&call.others.drivers));
        let beside = Beside {
            committed: before.journal != self.journal(call),
            active: after.active_since(&before.traces),
            documents: self.settings.documents.strip_prefix(&ground.root).unwrap_or(Path::new("")),
        };
        let mut changed = after.changed_since(&before.traces);
        changed.retain(|path| {
            let elsewhere = drivers.names(path) && beside.has_committed(Path::new(path));
            !people.names(path) && !elsewhere && !self.is_own_writing(path)
        });
        Ok(walls.strays(&changed))
    }

    /// Whether our own driver committed it, which it may do while several calls are on their way.
    fn is_own_writing(&self, path: &str) -> bool {
        let whole = self.settings.root.join(path);
        let below = whole.strip_prefix(&self.settings.documents).ok().and_then(Path::to_str);
        let document = below.and_then(|below| DocPath::new(below).ok());
        document
            .is_some_and(|path| self.disk.as_ref().is_some_and(|disk| disk.is_as_written(&path)))
    }
}

/// Whose commits fell into the time of a call.
struct Beside<'a> {
    /// Somebody committed to the documents of the call's own flow.
    committed: bool,
    /// Other directories with a store of their own in which hast was at work.
    active: Vec<PathBuf>,
    documents: &'a Path,
}

impl Beside<'_> {
    fn has_committed(&self, path: &Path) -> bool {
        let own = self.committed && path.starts_with(self.documents);
        own || self.active.iter().any(|unit| path.starts_with(unit))
    }
}

/// What of the project a call may change, where that is a part of it.
fn writes(place: &Place) -> Option<&[String]> {
    match place {
        Place::Within(writes) => Some(writes),
        Place::Copies => Some(&[]),
        Place::Reading | Place::Checkout | Place::Worktree(_) | Place::Viewing(_) => None,
    }
}
