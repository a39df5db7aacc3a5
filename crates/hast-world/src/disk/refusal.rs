//! The system's error numbers as causes that have a next action. Where a file is in the place of a directory,
//! the error is about that file.

use std::path::Path;

use hast_flow::store::disk::{Action, DiskError, DiskErrorKind};
use rustix::io::Errno;

use crate::files::file_in_the_way;

pub(super) fn refused(action: Action, path: String, errno: Errno) -> DiskError {
    let kind = match errno {
        Errno::NOENT => DiskErrorKind::NotFound,
        Errno::EXIST | Errno::NOTEMPTY => DiskErrorKind::Exists,
        Errno::NOSPC | Errno::DQUOT => DiskErrorKind::Full,
        Errno::FBIG => DiskErrorKind::TooLarge,
        Errno::ACCESS | Errno::PERM => DiskErrorKind::Denied,
        Errno::ROFS => DiskErrorKind::ReadOnly,
        Errno::NOTDIR => {
            let part = file_in_the_way(Path::new(&path));
            let path = part.map_or(path, |part| part.display().to_string());
            return DiskError { action, path, kind: DiskErrorKind::NotADirectory };
        }
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
