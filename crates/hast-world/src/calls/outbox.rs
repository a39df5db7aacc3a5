//! Takes the files out of an outbox, whatever an agent put there: no links, no devices, no pipes that
//! wait for a writer, bounded in size and number, and only names that are names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

use hast_flow::agents::outbox::{BLOCKED_FILE, FAILED_FILE, Files};
use hast_flow::calling::settle::say;
use hast_flow::docs::call::{CallFinding, ExpectedDocument};
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::words::Lang;
use rustix::fs::{Dir, FileType, Mode, OFlags, openat};

/// Files that nobody asked for: how many are taken, and how much of them.
const MAX_OTHERS: usize = 256;
const MAX_OTHER_BYTES: usize = 64 << 20;
/// How many names are looked at.
const MAX_NAMES: usize = 4_096;

/// What an outbox holds.
#[derive(Debug, Default)]
pub struct Outbox {
    pub files: Files,
    /// Expected files that lie there and cannot be taken.
    pub unreadable: Vec<CallFinding>,
}

enum NotTaken {
    Absent,
    NotRegular,
    TooLarge,
    Io(io::Error),
}

/// Reads the expected files by their names, then others as far as the bounds go.
pub fn read(outbox: &OwnedFd, expected: &[ExpectedDocument], lang: Lang) -> Outbox {
    let mut taken = Outbox::default();
    let words = [FAILED_FILE, BLOCKED_FILE];
    let wanted: BTreeSet<&str> =
        expected.iter().map(|document| document.name.as_str()).chain(words).collect();
    for name in &wanted {
        match read_file(outbox, name, MAX_DOCUMENT_BYTES) {
            Ok(bytes) => {
                taken.files.insert((*name).to_owned(), bytes);
            }
            Err(NotTaken::Absent) => {}
            Err(_) if words.contains(name) => {}
            Err(why) => taken.unreadable.push(finding(name, &why, lang)),
        }
    }
    taken.files.extend(others(outbox, &wanted));
    taken
}

fn others(outbox: &OwnedFd, wanted: &BTreeSet<&str>) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut room = MAX_OTHER_BYTES;
    let Ok(entries) = Dir::read_from(outbox) else { return found };
    for entry in entries.flatten().take(MAX_NAMES) {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if wanted.contains(name) || !is_plain(name) || found.len() >= MAX_OTHERS {
            continue;
        }
        if let Ok(bytes) = read_file(outbox, name, room) {
            room -= bytes.len();
            found.insert(name.to_owned(), bytes);
        }
    }
    found
}

/// A name that can be shown and written again.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(char::is_control)
}

fn read_file(outbox: &OwnedFd, name: &str, limit: usize) -> Result<Vec<u8>, NotTaken> {
    if name.contains('/') || !is_plain(name) {
        return Err(NotTaken::Absent);
    }
    // Non-blocking, so that a pipe does not wait; not following, so that a link leads nowhere.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = openat(outbox, name, flags, Mode::empty()).map_err(|error| match error {
        rustix::io::Errno::NOENT => NotTaken::Absent,
        rustix::io::Errno::LOOP | rustix::io::Errno::MLINK | rustix::io::Errno::NXIO => {
            NotTaken::NotRegular
        }
        other => NotTaken::Io(other.into()),
    })?;
    let stat = rustix::fs::fstat(&opened).map_err(|error| NotTaken::Io(error.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(NotTaken::NotRegular);
    }
    let size = usize::try_from(stat.st_size).unwrap_or(usize::MAX);
    if size > limit {
        return Err(NotTaken::TooLarge);
    }
    let mut bytes = Vec::with_capacity(size);
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    File::from(opened).take(most).read_to_end(&mut bytes).map_err(NotTaken::Io)?;
    // Nothing of the call runs any more, but a file may be shared with something else.
    if bytes.len() > limit { Err(NotTaken::TooLarge) } else { Ok(bytes) }
}

fn finding(name: &str, why: &NotTaken, lang: Lang) -> CallFinding {
    let (problem, next) = match why {
        NotTaken::Absent | NotTaken::NotRegular => {
            (say::not_regular(lang), say::not_regular_next(lang, name))
        }
        NotTaken::TooLarge => {
            (say::too_large(lang, MAX_DOCUMENT_BYTES), say::too_large_next(lang, name))
        }
        NotTaken::Io(error) => (say::unreadable(lang, error), say::not_regular_next(lang, name)),
    };
    CallFinding { file: name.to_owned(), line: None, problem, next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn write(path: &Path, bytes: &[u8]) {
        File::create(path).unwrap().write_all(bytes).unwrap();
    }

    fn expected(name: &str) -> ExpectedDocument {
        ExpectedDocument { name: name.to_owned(), schema: None, required: true }
    }

    #[test]
    fn what_an_agent_puts_there_cannot_reach_out_wait_or_fill_memory() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        symlink("/etc/passwd", at("report.json")).unwrap();
        let fifo = FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe.json"), fifo, Mode::RUSR, 0).unwrap();
        File::create(at("huge.json")).unwrap().set_len(1 << 30).unwrap();
        File::create(at("other-huge")).unwrap().set_len(1 << 30).unwrap();
        std::fs::create_dir(at("directory.json")).unwrap();
        write(&at("two\nlines"), b"x");
        write(&at("plain.json"), b"{}");
        symlink("/etc/passwd", at("blocked.json")).unwrap();
        symlink("/etc", at("linked-dir")).unwrap();
        for number in 0..2_000 {
            File::create(at(&format!("n{number}"))).unwrap();
        }
        let handle: OwnedFd = File::open(root.path()).unwrap().into();
        let names = ["report.json", "pipe.json", "huge.json", "directory.json", "plain.json"];
        let documents: Vec<_> = names.iter().map(|name| expected(name)).collect();
        let taken = read(&handle, &documents, Lang::En);
        let refused: Vec<_> = taken.unreadable.iter().map(|finding| &*finding.file).collect();
        assert_eq!(refused, ["directory.json", "huge.json", "pipe.json", "report.json"]);
        assert_eq!(taken.files.get("plain.json").unwrap(), b"{}");
        assert!(taken.files.len() <= MAX_OTHERS + 1, "{}", taken.files.len());
        assert!(taken.files.keys().all(|name| !name.contains('\n')));
        assert!(
            !taken.files.contains_key("blocked.json") && !taken.files.contains_key("other-huge")
        );
    }

    #[test]
    fn the_outbox_that_was_made_is_read_and_not_what_took_its_place() {
        let root = tempfile::tempdir().unwrap();
        let outbox = root.path().join("outbox");
        std::fs::create_dir(&outbox).unwrap();
        let handle: OwnedFd = File::open(&outbox).unwrap().into();
        std::fs::remove_dir(&outbox).unwrap();
        symlink("/etc", &outbox).unwrap();
        assert!(read(&handle, &[expected("passwd")], Lang::En).files.is_empty());
    }
}
