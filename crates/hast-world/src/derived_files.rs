//! Files that hast can make again, put outside of the store. A repository may have laid links in their
//! place: nothing is written through one, and nothing over a file that is not of hast.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::files::PathError;
use crate::root_path::{Made, RootPath, is_link};

/// Why a file was not put; what was there is as it was.
#[derive(Debug, thiserror::Error)]
pub enum NotPut {
    #[error("{}: a link stands in the way", path.display())]
    Link { path: PathBuf },
    #[error("{}: another file stands in the way", path.display())]
    NotOurs { path: PathBuf },
    #[error(transparent)]
    Failed(PathError),
}

impl From<PathError> for NotPut {
    fn from(error: PathError) -> Self {
        match is_link(&error.source) {
            true => Self::Link { path: error.path },
            false => Self::Failed(error),
        }
    }
}

/// Refused where a link on the way to a path leads out of the directory. What is not there yet cannot.
pub(crate) fn stays_inside(directory: &Path, path: &Path) -> Result<(), NotPut> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| NotPut::Failed(PathError { path, source })
    };
    // With a slash at its end a link would be what it leads to.
    let path: PathBuf = path.components().collect();
    let home = directory.canonicalize().map_err(at(directory))?;
    for there in path.ancestors() {
        match there.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(at(there)(error)),
            Ok(_) => {}
        }
        // A link to nothing would lead wherever somebody makes that.
        let inside = there.canonicalize().is_ok_and(|real| real.starts_with(&home));
        return if inside { Ok(()) } else { Err(NotPut::Link { path: there.to_owned() }) };
    }
    Ok(())
}

/// Puts a text in the place of an earlier one of hast.
pub fn put_again(path: &RootPath, bytes: &[u8]) -> Result<(), NotPut> {
    put(path, bytes, |_| true)
}

/// Puts a text at a path, over nothing but an earlier one of hast.
pub fn put(path: &RootPath, bytes: &[u8], is_ours: impl Fn(&[u8]) -> bool) -> Result<(), NotPut> {
    path.check_directory()?;
    match path.read_if_there(usize::MAX >> 1)? {
        Some(before) if before == bytes => Ok(()),
        Some(before) if is_ours(&before) => Ok(path.replace(&before, bytes)?),
        Some(_) => Err(NotPut::NotOurs { path: path.to_path_buf() }),
        None => match path.create(bytes)? {
            Made::New => Ok(()),
            Made::WasThere => {
                let source = io::Error::from(ErrorKind::AlreadyExists);
                Err(PathError { path: path.to_path_buf(), source }.into())
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_is_written_through_a_link_and_nothing_over_a_strangers_file() {
        let root = tempfile::tempdir().unwrap();
        let (ours, outside) = (root.path().join("ours"), root.path().join("outside"));
        for directory in [&ours, &outside] {
            fs::create_dir(directory).unwrap();
        }
        let outside = RootPath::new(&outside).unwrap();
        let ours = RootPath::new(&ours).unwrap();
        let precious = outside.join("precious");
        precious.create(b"theirs").unwrap();
        symlink("../outside", ours.join("away")).unwrap();
        symlink("../outside/precious", ours.join("file")).unwrap();
        symlink("../outside/new", ours.join("dangling")).unwrap();
        for name in ["away/precious", "away/deep/new", "file", "dangling", "dangling/new"] {
            let refused = put_again(&ours.join(name), b"x").unwrap_err();
            assert!(matches!(refused, NotPut::Link { .. }), "{name}: {refused}");
        }
        assert_eq!(fs::read(&precious).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        let refused = put(&precious, b"x", |_| false).unwrap_err();
        assert!(matches!(refused, NotPut::NotOurs { .. }), "{refused}");
        put_again(&ours.join("deep/new"), b"one").unwrap();
        put_again(&ours.join("deep/new"), b"two").unwrap();
        assert_eq!(fs::read(ours.join("deep/new")).unwrap(), b"two");
    }
}
