//! Where the settings of a project are: the nearest `.ai/config.yaml` upward from its root, else the
//! user's own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hast_flow::formats::source::MAX_DOCUMENT_BYTES;

use crate::calls::variable;
use crate::files::{PathError, read_if_there};
use crate::root_path::{RootPath, repository};

/// A file of settings, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    pub from: ConfigFrom,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigFrom {
    /// It comes with the files: its commands have to be approved.
    Project,
    /// The user wrote it.
    User,
}

/// The settings that hold for a root; nothing where there are none.
pub fn find(
    root: &Path,
    variables: &[(OsString, OsString)],
) -> Result<Option<ConfigFile>, PathError> {
    let repository = repository(root);
    for above in root.ancestors() {
        let path = above.join(".ai/config.yaml");
        // What lies above the repository is the user's, over whatever links.
        let read = match above.starts_with(&repository) {
            true => RootPath::new(above)?.join(".ai/config.yaml").read_if_there(MAX_DOCUMENT_BYTES),
            false => read_if_there(&path, MAX_DOCUMENT_BYTES),
        };
        if let Some(bytes) = read? {
            return Ok(Some(ConfigFile { path, bytes, from: ConfigFrom::Project }));
        }
    }
    let user = user_directory(variables, "XDG_CONFIG_HOME", ".config");
    let Some(path) = user.map(|path| path.join("hast/config.yaml")) else { return Ok(None) };
    let bytes = read_if_there(&path, MAX_DOCUMENT_BYTES)?;
    Ok(bytes.map(|bytes| ConfigFile { path, bytes, from: ConfigFrom::User }))
}

/// A directory of the user by the rules of XDG: a path that is not absolute does not count.
pub fn user_directory(
    variables: &[(OsString, OsString)],
    name: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let absolute =
        |name: &str| variable(variables, name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(name).or_else(|| Some(absolute("HOME")?.join(below_home)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn the_nearest_settings_upward_count_before_the_users() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("a/b");
        std::fs::create_dir_all(&root).unwrap();
        let variables = [("HOME".into(), top.path().join("home").into())];
        assert_eq!(find(&root, &variables).unwrap(), None);
        write(&top.path().join("home/.config/hast/config.yaml"), "user");
        let found = find(&root, &variables).unwrap().unwrap();
        assert_eq!((found.from, &*found.bytes), (ConfigFrom::User, &b"user"[..]));
        write(&top.path().join(".ai/config.yaml"), "far");
        write(&top.path().join("a/.ai/config.yaml"), "near");
        let found = find(&root, &variables).unwrap().unwrap();
        assert_eq!((found.from, &*found.bytes), (ConfigFrom::Project, &b"near"[..]));
    }

    #[test]
    fn a_relative_directory_of_the_user_does_not_count() {
        let variables = [("XDG_STATE_HOME".into(), "here".into()), ("HOME".into(), "/h".into())];
        let found = user_directory(&variables, "XDG_STATE_HOME", ".local/state");
        assert_eq!(found, Some(PathBuf::from("/h/.local/state")));
    }
}
