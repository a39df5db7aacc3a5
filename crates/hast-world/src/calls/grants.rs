//! Paths of `sandbox_write` as the file system has them, compared with the places that no agent may reach:
//! the checkout, its git directory and the rooms. Links on the way are followed. Nothing is opened here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hast_flow::calling::grants::named;
use hast_flow::docs::goals::{Config, SandboxMode};
use hast_flow::formats::grant_words::{ClosedPlaces, RefusedGrant};

use super::variable;
use crate::git::{Place, rooms_directory};
use crate::roots::git_top;

/// What the grants of a project are held against.
#[derive(Debug)]
pub struct GrantGuard {
    root: PathBuf,
    home: Option<PathBuf>,
    closed: ClosedPlaces,
}

impl GrantGuard {
    /// None where there is no repository, and so no room.
    pub fn of(root: &Path, variables: &[(OsString, OsString)]) -> Option<Self> {
        let place = Place::find(&git_top(root)?).ok()?;
        let home = variable(variables, "HOME").map(PathBuf::from);
        let rooms = rooms_directory(&place.top, variables);
        let rooms = rooms.as_deref().and_then(Path::parent).map(real);
        let closed = ClosedPlaces {
            checkout: place.top,
            git: vec![place.git_dir, place.common_dir],
            rooms,
            home: home.as_deref().map(real),
        };
        Some(Self { root: root.to_owned(), home, closed })
    }

    /// Why a path is not granted; nothing if it may be.
    pub fn refuses(&self, written: &str) -> Option<RefusedGrant> {
        let path = named(written, &self.root, self.home.as_deref())?;
        self.closed.refuses(written, &real(&path))
    }

    /// The grants of some settings that are refused. Without a sandbox nothing is granted.
    pub fn refused_in(&self, config: &Config) -> Vec<RefusedGrant> {
        let off = config.sandbox == Some(SandboxMode::Off);
        let granted = config.sandbox_write.iter().filter(|_| !off);
        granted.filter_map(|written| self.refuses(written)).collect()
    }
}

/// A path without links and `..`, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, mut real)) = found else { return path.to_owned() };
    for part in path.strip_prefix(above).unwrap_or(Path::new("")).components() {
        match part {
            std::path::Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
    }
    real
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_followed_through_links_and_beyond_what_is_there() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("p/src")).unwrap();
        std::os::unix::fs::symlink(top.join("p"), top.join("link")).unwrap();
        assert_eq!(real(&top.join("link/src")), top.join("p/src"));
        assert_eq!(real(&top.join("link/new/one")), top.join("p/new/one"));
        assert_eq!(real(&top.join("new/../p")), top.join("p"));
    }
}
