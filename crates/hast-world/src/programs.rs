//! Which programs are installed.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Where a program is, by the search path.
pub fn find(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(search_path).map(|directory| directory.join(name)).find(|path| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_a_file_that_may_be_run() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("tool");
        std::fs::File::create(&path).unwrap();
        let search = root.path().as_os_str();
        assert_eq!(find("tool", search), None);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find("tool", search), Some(path));
        assert_eq!(find("none", search), None);
    }
}
