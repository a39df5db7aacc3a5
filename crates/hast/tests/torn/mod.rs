//! A commit that counts and was cut off before anybody saw it: its record is in the journal, its files
//! are as they were before.

use std::fs;
use std::path::Path;

use hast_flow::store::policy::AnyRole;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Options, Put, Seen, Store};
use hast_stage::Stage;
use hast_world::disk::RealDisk;

/// A file of the commit: its path, what it was if it was there, and what it becomes.
pub(crate) type Torn<'t> = (&'t str, Option<&'t str>, &'t str);

/// Leaves the documents below `place` as a kill between the sync and the publication does.
pub(crate) fn cut_off(stage: &Stage, place: &str, files: &[Torn<'_>]) {
    cut_off_in(&stage.root().join(place), files);
}

/// The same for documents below a directory.
#[expect(clippy::disallowed_methods, reason = "plays a process that was killed")]
pub(crate) fn cut_off_in(root: &Path, files: &[Torn<'_>]) {
    let before = || {
        for (path, before, _) in files {
            let path = root.join(path);
            match before {
                Some(text) => fs::write(path, text).unwrap(),
                None if path.exists() => fs::remove_file(path).unwrap(),
                None => {}
            }
        }
    };
    fs::create_dir_all(root).unwrap();
    before();
    let journal = root.join(".hast/journal");
    let options = Options { journal_area: 64 << 10, ..Options::default() };
    let (mut store, _) = Store::open(RealDisk::open(root).unwrap(), options).unwrap();
    let mut change = ChangeSet::new("test", "cut off");
    for (path, _, after) in files {
        let path = DocPath::new(path).unwrap();
        let bytes = after.as_bytes().to_vec();
        change.puts.push(match store.seen(&path).unwrap() {
            Seen::File(before) => Put::Replace { path, before, bytes },
            Seen::Absent | Seen::Log { .. } => Put::Create { path, bytes },
        });
    }
    let empty = fs::read(&journal).unwrap();
    store.commit(change, &AnyRole(HistoryClass::Pointer)).unwrap();
    drop(store);
    let mut written = fs::read(&journal).unwrap();
    let last = (0..written.len()).rev().find(|at| written[*at] != empty[*at]).unwrap();
    // The word that it was published is the last thing in the journal.
    written[last] ^= 0xff;
    fs::write(&journal, written).unwrap();
    before();
}
