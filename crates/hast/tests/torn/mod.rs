//! A commit that counts and was cut off before anybody saw it: its record is in the journal, its files
//! are as they were before.

use hast_flow::store::policy::AnyRole;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Options, Put, Seen, Store};
use hast_stage::Stage;
use hast_world::disk::RealDisk;

/// A file of the commit: its path, what it was if it was there, and what it becomes.
pub(crate) type Torn<'t> = (&'t str, Option<&'t str>, &'t str);

/// Leaves the documents below `place` as a kill between the sync and the publication does.
pub(crate) fn cut_off(stage: &Stage, place: &str, files: &[Torn<'_>]) {
    let before = || {
        for (path, before, _) in files {
            let path = format!("{place}/{path}");
            match before {
                Some(text) => stage.write(&path, text),
                None if stage.has(&path) => stage.remove(&path),
                None => {}
            }
        }
    };
    before();
    let root = stage.root().join(place);
    std::fs::create_dir_all(&root).unwrap();
    let journal = root.join(".hast/journal");
    let (mut store, _) = Store::open(RealDisk::open(&root).unwrap(), Options::default()).unwrap();
    let mut change = ChangeSet::new("test", "cut off");
    for (path, _, after) in files {
        let path = DocPath::new(path).unwrap();
        let bytes = after.as_bytes().to_vec();
        change.puts.push(match store.seen(&path).unwrap() {
            Seen::File(before) => Put::Replace { path, before, bytes },
            Seen::Absent | Seen::Log { .. } => Put::Create { path, bytes },
        });
    }
    let empty = std::fs::read(&journal).unwrap();
    store.commit(change, &AnyRole(HistoryClass::Pointer)).unwrap();
    drop(store);
    let mut written = std::fs::read(&journal).unwrap();
    let last = (0..written.len()).rev().find(|at| written[*at] != empty[*at]).unwrap();
    // The word that it was published is the last thing in the journal.
    written[last] ^= 0xff;
    stage.write(&format!("{place}/.hast/journal"), written);
    before();
}
