//! The files that git's configuration is read from, as they were when it was read: while they hold
//! the same, it need not be read again.

use std::path::PathBuf;

use super::config::Config;
use super::run::Git;
use crate::files::read_if_there;

/// Largest file that is compared; larger ones are read again each time.
const LARGEST: usize = 1 << 20;

/// What the files held. The system's is not among them: nothing but its listing ever reads it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConfigFiles(Vec<Option<Vec<u8>>>);

impl ConfigFiles {
    /// The files now; nothing if one of them cannot be compared.
    pub(super) fn now(git: &Git) -> Option<Self> {
        let held = paths(git).into_iter().map(|path| {
            let bytes = read_if_there(&path, LARGEST).ok()?;
            if bytes.as_ref().is_some_and(|bytes| bytes.len() > LARGEST) {
                None
            } else {
                Some(bytes)
            }
        });
        held.collect::<Option<_>>().map(Self)
    }

    /// Whether a configuration is what these files say, and no others.
    pub(super) fn are_all_of(&self, config: &Config) -> bool {
        !config.includes
    }
}

fn paths(git: &Git) -> Vec<PathBuf> {
    let (environment, place) = (&git.environment, &git.place);
    let home = environment.home.as_ref();
    let more = environment.config_home.clone().or_else(|| Some(home?.join(".config")));
    [
        home.map(|home| home.join(".gitconfig")),
        more.map(|directory| directory.join("git/config")),
        Some(place.common_dir.join("config")),
        Some(place.git_dir.join("config.worktree")),
    ]
    .into_iter()
    .flatten()
    .collect()
}
