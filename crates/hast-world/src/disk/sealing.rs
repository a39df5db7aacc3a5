//! The key that tells journals of this user from those that a repository brought. It lies with the user's
//! approvals; whoever has none yet gets one when the first journal is made.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hast_flow::store::seal::{SEAL_BYTES, Seal};
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use crate::trust::{lets_all, state_place};

const KEY_BYTES: usize = 32;
const NAME: &str = "journal.key";

/// Whose journals count.
#[derive(Clone, PartialEq, Eq)]
pub enum Sealing {
    Any,
    Key([u8; KEY_BYTES]),
    NoKey,
}

impl Sealing {
    /// For whoever only looks: no key is made.
    pub fn to_look(root: &Path, variables: &[(OsString, OsString)]) -> Self {
        match place(root, variables) {
            None if lets_all(variables) => Self::Any,
            None => Self::NoKey,
            Some(place) => read(&place).map_or(Self::NoKey, Self::Key),
        }
    }

    /// For whoever writes: without a key one is made. Where that cannot be, no journal counts.
    pub fn to_write(root: &Path, variables: &[(OsString, OsString)]) -> Self {
        let found = Self::to_look(root, variables);
        match (&found, place(root, variables)) {
            (Self::NoKey, Some(place)) => {
                // Another process may be faster: the key that is there counts.
                let _ = make(&place);
                read(&place).map_or(Self::NoKey, Self::Key)
            }
            _ => found,
        }
    }

    pub(super) fn seal(&self, salt: u64) -> Seal {
        match self {
            Self::Any => Seal::Any,
            Self::NoKey => Seal::Unknown,
            Self::Key(key) => {
                let digest = Sha256::new().chain_update(key).chain_update(salt.to_le_bytes());
                let mut seal = [0; SEAL_BYTES];
                seal.copy_from_slice(&digest.finalize()[..SEAL_BYTES]);
                Seal::Is(seal)
            }
        }
    }
}

impl std::fmt::Debug for Sealing {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Any => "Any",
            Self::Key(_) => "Key",
            Self::NoKey => "NoKey",
        })
    }
}

fn place(root: &Path, variables: &[(OsString, OsString)]) -> Option<PathBuf> {
    if lets_all(variables) {
        return None;
    }
    state_place(root, variables).map(|state| state.join(NAME))
}

/// Only what this user wrote, and nobody else could read.
fn read(place: &Path) -> Option<[u8; KEY_BYTES]> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(place).ok()?;
    let metadata = file.metadata().ok()?;
    let user = rustix::process::geteuid().as_raw();
    if !metadata.is_file() || metadata.uid() != user || metadata.mode() & 0o077 != 0 {
        return None;
    }
    let mut key = [0; KEY_BYTES];
    file.read_exact(&mut key).ok()?;
    Some(key)
}

fn make(place: &Path) -> io::Result<()> {
    let directory = place.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut key = [0; KEY_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut key)?;
    let staged = place.with_extension(format!("{}.new", std::process::id()));
    let _ = std::fs::remove_file(&staged);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&staged)?;
    file.write_all(&key)?;
    file.sync_all()?;
    // A link, so that a key that is there stays.
    let linked = std::fs::hard_link(&staged, place);
    std::fs::remove_file(&staged)?;
    linked
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_is_made_once_by_whoever_writes_and_read_by_whoever_looks() {
        let scratch = tempfile::tempdir().unwrap();
        let (home, root) = (scratch.path().join("home"), scratch.path().join("root"));
        for directory in [&home, &root] {
            std::fs::create_dir(directory).unwrap();
        }
        let variables = [("HOME".into(), home.clone().into())];
        assert_eq!(Sealing::to_look(&root, &variables), Sealing::NoKey);
        assert_eq!(std::fs::read_dir(&home).unwrap().count(), 0);
        let made = Sealing::to_write(&root, &variables);
        assert!(matches!(made, Sealing::Key(_)));
        assert_eq!(Sealing::to_write(&root, &variables), made);
        assert_eq!(Sealing::to_look(&root, &variables), made);
        assert_ne!(made.seal(1), made.seal(2));
        let key = home.join(".local/state/hast").join(NAME);
        std::fs::set_permissions(&key, PermissionsExt::from_mode(0o644)).unwrap();
        assert_eq!(Sealing::to_look(&root, &variables), Sealing::NoKey, "others may know it");
        let all = [("HAST_TRUST".into(), "all".into())];
        assert_eq!(Sealing::to_look(&root, &all), Sealing::Any);
        assert_eq!(Sealing::to_write(&root, &[]), Sealing::NoKey);
    }
}
