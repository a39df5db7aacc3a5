//! The directory of one call: what the agent is told, where it writes, and what is kept of it. Its
//! lock says that the call is alive; the kernel frees it with the process.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hast_flow::calling::keeping::{self, Kept};
use hast_flow::store::DocPath;
use rustix::fs::{Mode, OFlags};

use crate::files::PathError;
use crate::root_path::RootPath;

const LOCK: &str = "lock";
const OUTBOX: &str = "outbox";
const INPUTS: &str = "inputs";
const RECORD: &str = "record.json";
/// Somebody else may take a number between looking and making.
const TRIES: u32 = 100;

/// A call that is being made.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// `<step>/<number>`, as the ledger names the call.
    name: String,
    outbox: OwnedFd,
    _alive: File,
}

impl Folder {
    /// Makes the directory of the next call of a step.
    pub fn make(machine: &RootPath, step: &str) -> Result<Self, PathError> {
        prepare(machine)?;
        let above = machine.join("calls").join(step);
        make_directory(&above)?;
        for _ in 0..TRIES {
            let there = above.names()?;
            let number = keeping::next_number(there.iter().map(String::as_str));
            let path = above.join(number.to_string()).to_path_buf();
            match private().create(&path) {
                Ok(()) => return Self::fill(path, format!("{step}/{number}")),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(PathError { path, source }),
            }
        }
        Err(above.at(io::ErrorKind::AlreadyExists.into()))
    }

    fn fill(path: PathBuf, name: String) -> Result<Self, PathError> {
        let at = |path: &Path, source| PathError { path: path.to_owned(), source };
        let lock = path.join(LOCK);
        let alive = open_plainly(&lock).map_err(|error| at(&lock, error))?;
        alive.lock().map_err(|error| at(&lock, error))?;
        let outbox = path.join(OUTBOX);
        private().create(&outbox).map_err(|error| at(&outbox, error))?;
        let opened = open_directory(&outbox).map_err(|error| at(&outbox, error))?;
        Ok(Self { path, name, outbox: opened, _alive: alive })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn outbox(&self) -> PathBuf {
        self.path.join(OUTBOX)
    }

    /// The outbox that was made, whatever an agent put in its place.
    pub fn outbox_handle(&self) -> &OwnedFd {
        &self.outbox
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file of the record.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), PathError> {
        write_new(&self.file(name), bytes)
    }

    /// Where copies of inputs lie, below their own names.
    pub fn inputs(&self) -> PathBuf {
        self.path.join(INPUTS)
    }

    /// Copies an input for as long as the call lasts. Its content is known by its hash afterwards.
    pub fn copy_input(&self, path: &DocPath, bytes: &[u8]) -> Result<PathBuf, PathError> {
        let copy = self.inputs().join(path.as_str());
        if let Some(above) = copy.parent() {
            let made = private().recursive(true).create(above);
            made.map_err(|source| PathError { path: above.to_owned(), source })?;
        }
        write_new(&copy, bytes)?;
        Ok(copy)
    }

    /// The directory of the copies, also where there are none.
    pub fn make_inputs(&self) -> Result<(), PathError> {
        make_directory(&self.inputs())
    }

    pub fn remove_inputs(&self) {
        remove_tree(&self.inputs());
    }

    /// Puts what is kept of the outbox in its place. Names that are no file names are left out.
    pub fn keep_outbox<'a>(
        &self,
        files: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<(), PathError> {
        let outbox = self.outbox();
        remove_tree(&outbox);
        make_directory(&outbox)?;
        for (name, bytes) in files.filter(|(name, _)| !name.contains('/')) {
            write_new(&outbox.join(name), bytes)?;
        }
        Ok(())
    }
}

/// Whether a call that the ledger names is still being made.
pub fn is_running(machine: &RootPath, call: &str) -> bool {
    let lock = machine.join("calls").join(call).join(LOCK);
    match open_lock(&lock) {
        Ok(file) => matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)),
        Err(_) => false,
    }
}

fn open_lock(lock: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(nofollow()).open(lock)
}

/// Removes what killed calls left in their outboxes, and the oldest records beyond the bound.
pub fn tidy(machine: &RootPath) {
    let mut kept = Vec::new();
    for_each_call(machine, &mut |path, step, number| {
        // Held while we look: a call that is just beginning waits for it. Without a lock to hold
        // it has not even begun.
        let Ok(lock) = open_lock(&path.join(LOCK)) else { return };
        if lock.try_lock().is_err() {
            return;
        }
        // What such an outbox holds was never looked at: a secret may be in it.
        if !path.join(RECORD).exists() {
            remove_tree(&path.join(OUTBOX));
        }
        remove_tree(&path.join(INPUTS));
        let at = path.symlink_metadata().map_or(0, |metadata| metadata.mtime());
        kept.push(Kept { at, step: step.to_owned(), number });
    });
    for call in keeping::superfluous(kept) {
        remove_tree(&machine.join("calls").join(&call.step).join(call.number.to_string()));
    }
}

fn for_each_call(machine: &RootPath, visit: &mut dyn FnMut(&Path, &str, u64)) {
    let calls = machine.join("calls");
    for step in calls.names().unwrap_or_default() {
        let above = calls.join(&step);
        for name in &above.names().unwrap_or_default() {
            if let Ok(number) = name.parse() {
                visit(&above.join(name), &step, number);
            }
        }
    }
}

/// The directory of hast's own files: real, not a link that a repository brought, and out of git.
pub(super) fn prepare(machine: &RootPath) -> Result<(), PathError> {
    machine.check_directory()?;
    make_directory(machine)?;
    let ignore = machine.join(".gitignore");
    match write_new(&ignore, b"*\n") {
        Err(error) if error.source.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        // Somebody else made it, perhaps just now.
        Ok(()) | Err(_) => {}
    }
    make_directory(&machine.join("calls"))
}

fn make_directory(path: &Path) -> Result<(), PathError> {
    let at = |source| PathError { path: path.to_owned(), source };
    match private().create(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let metadata = path.symlink_metadata().map_err(at)?;
            match metadata.is_dir() {
                true => Ok(()),
                false => Err(at(io::ErrorKind::NotADirectory.into())),
            }
        }
        Err(error) => Err(at(error)),
    }
}

/// Opens or makes a file for reading and writing, never through a link.
pub(super) fn open_plainly(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(nofollow())
        .open(path)
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), PathError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.and_then(|mut file| file.write_all(bytes))
        .map_err(|source| PathError { path: path.to_owned(), source })
}

fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

fn nofollow() -> i32 {
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}

/// Removes a directory with all that is in it; a link is removed, not followed. What cannot be
/// removed stays.
fn remove_tree(path: &Path) {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => {
            let _ = fs::remove_dir_all(path);
        }
        Ok(_) => {
            let _ = fs::remove_file(path);
        }
        Err(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_step_are_numbered_and_alive_while_they_are_held() {
        let root = tempfile::tempdir().unwrap();
        let machine = RootPath::new(root.path()).unwrap().join(".hast");
        let first = Folder::make(&machine, "s").unwrap();
        let second = Folder::make(&machine, "s").unwrap();
        assert_eq!((first.name(), second.name()), ("s/1", "s/2"));
        assert!(is_running(&machine, "s/1"));
        drop(first);
        assert!(!is_running(&machine, "s/1") && is_running(&machine, "s/2"));
        assert!(!is_running(&machine, "s/3"));
        assert_eq!(fs::read(machine.join(".gitignore")).unwrap(), b"*\n");
    }

    #[test]
    fn a_killed_calls_outbox_is_removed_and_its_record_is_not() {
        let root = tempfile::tempdir().unwrap();
        let machine = RootPath::new(root.path()).unwrap().join(".hast");
        let (dead, done) =
            (Folder::make(&machine, "s").unwrap(), Folder::make(&machine, "s").unwrap());
        let alive = Folder::make(&machine, "s").unwrap();
        dead.write("prompt.md", b"p").unwrap();
        let copy = dead.copy_input(&DocPath::new("plan/goal.md").unwrap(), b"g").unwrap();
        assert_eq!(fs::read(copy).unwrap(), b"g");
        done.write("record.json", b"{}").unwrap();
        let paths = [dead.path().to_owned(), done.path().to_owned()];
        drop((dead, done));
        tidy(&machine);
        assert!(!paths[0].join("outbox").exists() && paths[0].join("prompt.md").exists());
        assert!(!paths[0].join("inputs").exists());
        assert!(paths[1].join("outbox").exists() && alive.outbox().exists());
    }

    #[test]
    fn a_repository_that_brings_a_link_for_our_directory_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let elsewhere = root.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        let machine = RootPath::new(root.path()).unwrap().join(".hast");
        std::os::unix::fs::symlink(&elsewhere, &machine).unwrap();
        assert!(Folder::make(&machine, "s").is_err());
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
}
