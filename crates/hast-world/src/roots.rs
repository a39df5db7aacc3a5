//! Finding the root of a flow: upward from a directory, not past the git top level or home.

use std::path::{Path, PathBuf};

use crate::root_path::{RootPath, is_link};

/// The nearest directory, upward from `from`, that has something at `marker`. The marker's parts
/// may have a `*`.
pub fn find_root(from: &Path, home: Option<&Path>, marker: &str) -> Option<PathBuf> {
    for directory in from.ancestors() {
        if has_marker(directory, marker) {
            return Some(directory.to_owned());
        }
        if directory.join(".git").exists() || Some(directory) == home {
            return None;
        }
    }
    None
}

/// The top of the git work tree that a directory is in.
pub fn git_top(from: &Path) -> Option<PathBuf> {
    from.ancestors().find(|directory| directory.join(".git").exists()).map(Path::to_owned)
}

/// The bare repository that a directory is in: it has no files that anybody could work on.
pub fn bare_repository(from: &Path) -> Option<PathBuf> {
    let is_one = |directory: &&Path| {
        let has = |name: &str| directory.join(name);
        has("HEAD").is_file() && has("objects").is_dir() && has("refs").is_dir()
    };
    from.ancestors().find(is_one).map(Path::to_owned)
}

/// Where temporary files go: `TMPDIR`, seen from the current directory, and never nowhere.
pub fn temporary() -> PathBuf {
    let named = std::env::temp_dir();
    let named = if named.as_os_str().is_empty() { PathBuf::from("/tmp") } else { named };
    std::env::current_dir().map_or_else(|_| named.clone(), |here| here.join(&named))
}

fn has_marker(directory: &Path, marker: &str) -> bool {
    let Ok(directory) = RootPath::new(directory) else { return false };
    let Some((before, after)) = marker.split_once('*') else {
        return directory.join(marker).exists();
    };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let rest = after.trim_start_matches('/');
    let parent = directory.join(parent);
    match parent.names() {
        Ok(names) => names
            .iter()
            .filter(|name| name.starts_with(prefix))
            .any(|name| parent.join(name).join(rest).exists()),
        // A link in the place of the flow's files is theirs too: whoever reads them is told.
        Err(error) => is_link(&error.source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(root: &Path, directory: &str) {
        std::fs::create_dir_all(root.join(directory)).unwrap();
    }

    #[test]
    fn a_bare_repository_is_one_that_has_no_work_tree() {
        let root = tempfile::tempdir().unwrap();
        make(root.path(), "b.git/objects/pack");
        make(root.path(), "b.git/refs");
        assert_eq!(bare_repository(&root.path().join("b.git")), None);
        std::fs::File::create(root.path().join("b.git/HEAD")).unwrap();
        let found = bare_repository(&root.path().join("b.git/objects"));
        assert_eq!(found, Some(root.path().join("b.git")));
        assert_eq!(bare_repository(root.path()), None);
    }

    #[test]
    fn a_root_is_found_upward_but_not_past_git_or_home() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        make(root, "home/.ai");
        make(root, "home/project/.git");
        make(root, "home/project/deep");
        make(root, "home/plain/deep");
        make(root, "other/.ai/handoffs");
        let find = |from: &str| find_root(&root.join(from), Some(&root.join("home")), ".ai");
        assert_eq!(find("home/project/deep"), None);
        assert_eq!(find("home/plain/deep"), Some(root.join("home")));
        assert_eq!(find("other/.ai/handoffs"), Some(root.join("other")));
        make(root, "home/project/.ai");
        assert_eq!(find("home/project/deep"), Some(root.join("home/project")));
    }

    #[test]
    fn a_marker_with_a_star_looks_one_level_down() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        make(root, "sessions/other");
        assert_eq!(find_root(root, None, "sessions/S-*/status.json"), None);
        make(root, "sessions/S-1/status.json");
        assert_eq!(find_root(root, None, "sessions/S-*/status.json"), Some(root.to_owned()));
    }
}
