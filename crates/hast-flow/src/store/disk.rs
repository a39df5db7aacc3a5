//! The store asks a disk for everything through this port. `hast-world` answers with the machine's
//! disk. `hast-sim` answers with one that loses, tears and reorders writes as a real disk may.

use super::path::DocPath;
use super::seal::Seal;

/// A root on some disk. Every path is below that root. Files are handles, so that a file keeps
/// being the same one when its name goes to another.
pub trait Disk {
    type File;

    /// A path as a person would type it, with the root before it.
    fn shown(&self, path: &DocPath) -> String {
        path.to_string()
    }
    fn open(&self, path: &DocPath, how: Open) -> Result<Self::File, DiskError>;
    fn stat_file(&self, file: &Self::File) -> Result<Meta, DiskError>;
    /// Fills the buffer unless the file ends before; returns how many bytes there were.
    fn read_at(&self, file: &Self::File, at: u64, into: &mut [u8]) -> Result<usize, DiskError>;
    /// Writes all of it at that place, whatever the end of the file is.
    fn write_at(&self, file: &Self::File, at: u64, bytes: &[u8]) -> Result<(), DiskError>;
    fn set_len(&self, file: &Self::File, length: u64) -> Result<(), DiskError>;
    fn set_mode(&self, file: &Self::File, mode: u32) -> Result<(), DiskError>;
    /// Makes sure that a later write there finds room, without changing the file's length.
    fn reserve(&self, file: &Self::File, at: u64, length: u64) -> Result<(), DiskError>;
    /// Waits until the content of the file survives a power cut (`fdatasync`).
    fn sync_data(&self, file: &Self::File) -> Result<(), DiskError>;
    /// Waits until the file survives a power cut under the name it was created with (`fsync`).
    fn sync_file(&self, file: &Self::File) -> Result<(), DiskError>;

    /// The thing at a path, without following a link there.
    fn stat(&self, path: &DocPath) -> Result<Option<Meta>, DiskError>;
    /// Follows links inside the root to the real place; a link that leaves the root is an error.
    fn look(&self, path: &DocPath) -> Result<Looked, DiskError>;
    /// Whether names can be changed in that directory (the root when there is none).
    fn check_writable(&self, dir: Option<&DocPath>) -> Result<(), DiskError>;
    fn read_dir(&self, dir: Option<&DocPath>) -> Result<Vec<DirEntry>, DiskError>;

    /// Swaps two names in one step, where the system can.
    fn exchange(&self, one: &DocPath, other: &DocPath) -> Result<Exchange, DiskError>;
    /// Renames unless the new name is taken ([`DiskErrorKind::Exists`]).
    fn rename_new(&self, from: &DocPath, to: &DocPath) -> Result<(), DiskError>;
    /// Renames over whatever the new name was.
    fn rename_over(&self, from: &DocPath, to: &DocPath) -> Result<(), DiskError>;
    fn unlink(&self, path: &DocPath) -> Result<(), DiskError>;
    fn make_dir(&self, path: &DocPath) -> Result<(), DiskError>;
    fn remove_dir(&self, path: &DocPath) -> Result<(), DiskError>;
    /// Waits until the names in a directory (the root when there is none) survive a power cut.
    fn sync_dir(&self, dir: Option<&DocPath>) -> Result<(), DiskError>;
    /// Waits until everything below the root survives a power cut (`syncfs`).
    fn sync_all(&self) -> Result<(), DiskError>;

    fn lock(
        &self,
        file: &Self::File,
        mode: LockMode,
        patience: Patience,
    ) -> Result<Locked, DiskError>;
    fn unlock(&self, file: &Self::File) -> Result<(), DiskError>;

    /// Changes with every start of the machine; what no sync covered may be lost between two.
    fn boot_id(&self) -> [u8; 16];
    /// Nanoseconds since 1970 by the clock that stamps files.
    fn now(&self) -> u64;
    /// A number that no earlier journal had.
    fn salt(&self) -> u64;
    /// What tells a journal with this salt from one that somebody else made.
    fn seal(&self, salt: u64) -> Seal;
    /// Finds out, by changing a file of our own, how finely changes are stamped here; from then on
    /// every [`Meta`] says so.
    fn learn_times(&self, ours: &Self::File) -> Result<(), DiskError>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    Read,
    Write,
    /// The name must be free.
    CreateNew,
    /// Opened for writing, made when it is not there.
    WriteOrCreate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Dir,
    Link,
    Other,
}

/// What the file system says about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    pub kind: FileKind,
    pub inode: u64,
    pub size: u64,
    pub modified: u64,
    pub changed: u64,
    /// Permission bits only.
    pub mode: u32,
    pub times: Times,
}

/// Whether two changes of a file can carry the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Changes within one tick of a clock look alike.
    Ticking,
    /// A change after a look always shows in the next look.
    Exact,
}

/// Where a document really is, and what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    pub real: DocPath,
    pub meta: Option<Meta>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirEntry {
    pub name: String,
    pub is_dir: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    Done,
    Unsupported,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    Shared,
    Exclusive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    Wait,
    Try,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locked {
    Yes,
    HeldByAnother,
}

/// An operation that the disk refused, with the place it was about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {action} {path}: {kind}")]
pub struct DiskError {
    pub action: Action,
    /// As a person would type it, with the root before it.
    pub path: String,
    pub kind: DiskErrorKind,
}

macro_rules! said {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident => $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $text,)* })
            }
        }
    };
}

said! {
    /// What was tried.
    Action {
        Open => "open",
        Create => "create",
        Read => "read",
        Write => "write",
        Sync => "sync",
        Look => "look at",
        List => "list",
        Rename => "rename",
        Remove => "remove",
        MakeDir => "make directory",
        Lock => "lock",
    }
}

/// Why it was refused. What is told apart here gets its own next action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskErrorKind {
    #[error("it is not there")]
    NotFound,
    #[error("it is there already")]
    Exists,
    #[error("the disk is full")]
    Full,
    #[error("the limit on the size of files is reached")]
    TooLarge,
    #[error("permission denied")]
    Denied,
    #[error("the file system is read-only")]
    ReadOnly,
    #[error("a file is in the place of a directory")]
    NotADirectory,
    #[error("it is a directory")]
    IsADirectory,
    #[error("a symbolic link there leaves the root")]
    Escapes,
    #[error("a symbolic link stands on the way, and none is followed")]
    Link,
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it has {bytes} bytes, more than hast reads")]
    Huge { bytes: u64 },
    #[error("{0}")]
    Other(String),
}
