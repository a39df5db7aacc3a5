//! Documents that are links: followed by hand within the root, and never to files of the store or of git.

use std::path::Path;

use hast_flow::store::DocPath;
use hast_flow::store::disk::{Action, Disk, DiskError, DiskErrorKind, Looked};
use rustix::io::Errno;

use super::RealDisk;
use super::refusal::refused_io;
use crate::root_path::CLOSED;

impl RealDisk {
    /// Follows links by hand; only paths with links in them come here. A file of the store's own is
    /// never one, and no link stands for such a file or for one of git's.
    pub(super) fn look_through_links(&self, path: &DocPath) -> Result<Looked, DiskError> {
        let io = |error: &std::io::Error| refused_io(Action::Look, self.shown(path), error);
        if path.is_technical() {
            return Err(self.error(Action::Look, path, Errno::LOOP));
        }
        let root = self.0.path.canonicalize().map_err(|error| io(&error))?;
        let full = root.join(path.as_str());
        let real = match full.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Nothing there yet: its directory must exist and lie inside, and no link may
                // dangle in its place.
                let parent = full.parent().unwrap_or(&root);
                if full.is_symlink() {
                    return Err(self.escapes(path));
                }
                let parent = parent.canonicalize().map_err(|error| io(&error))?;
                parent.join(path.name())
            }
            Err(error) => return Err(io(&error)),
        };
        let inside = real.strip_prefix(&root).ok().and_then(Path::to_str);
        let real = inside.and_then(|inside| DocPath::new(inside).ok());
        let closed = |real: &DocPath| real.as_str().split('/').any(|part| CLOSED.contains(&part));
        let real = real.filter(|real| !closed(real)).ok_or_else(|| self.escapes(path))?;
        let meta = self.stat(&real)?;
        Ok(Looked { real, meta })
    }

    fn escapes(&self, path: &DocPath) -> DiskError {
        DiskError { action: Action::Look, path: self.shown(path), kind: DiskErrorKind::Escapes }
    }
}
