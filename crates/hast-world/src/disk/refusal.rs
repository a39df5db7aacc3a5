//! The system's error numbers as causes that have a next action.

use hast_flow::store::disk::{Action, DiskError, DiskErrorKind};
use rustix::io::Errno;

pub(super) fn refused(action: Action, path: String, errno: Errno) -> DiskError {
    let kind = match errno {
        Errno::NOENT => DiskErrorKind::NotFound,
        Errno::EXIST | Errno::NOTEMPTY => DiskErrorKind::Exists,
        Errno::NOSPC | Errno::DQUOT => DiskErrorKind::Full,
        Errno::FBIG => DiskErrorKind::TooLarge,
        Errno::ACCESS | Errno::PERM => DiskErrorKind::Denied,
        Errno::ROFS => DiskErrorKind::ReadOnly,
        Errno::NOTDIR => DiskErrorKind::NotADirectory,
        Errno::ISDIR => DiskErrorKind::IsADirectory,
        Errno::LOOP => DiskErrorKind::Link,
        Errno::XDEV => DiskErrorKind::Escapes,
        other => DiskErrorKind::Other(std::io::Error::from(other).to_string()),
    };
    DiskError { action, path, kind }
}

pub(super) fn refused_io(action: Action, path: String, error: &std::io::Error) -> DiskError {
    match Errno::from_io_error(error) {
        Some(errno) => refused(action, path, errno),
        None => DiskError { action, path, kind: DiskErrorKind::Other(error.to_string()) },
    }
}
