//! Which programs are installed.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hast_flow::agents::provider::Provider;

/// Where a program is, by the search path.
pub fn find(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    let mut paths = std::env::split_paths(search_path).map(|directory| directory.join(name));
    paths.find(|path| may_be_run(path))
}

/// What an agent needs and is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A name that is nowhere on the search path.
    Program(String),
    /// A path, as it was written, where nothing is that may be run.
    Path(String),
    /// The file that a rehearsal plays.
    Rehearsal(String),
}

/// What is missing for an agent that works in a directory.
pub fn missing(provider: &Provider, directory: &Path, search_path: &OsStr) -> Option<Missing> {
    if let Provider::Builtin(_) = provider {
        return None;
    }
    if let Provider::Rehearsal { file } = provider {
        let there = directory.join(file).is_file();
        return (!there).then(|| Missing::Rehearsal(file.clone()));
    }
    let program = provider.program("");
    if program.contains('/') {
        let there = may_be_run(&directory.join(program));
        return (!there).then(|| Missing::Path(program.to_owned()));
    }
    find(program, search_path).is_none().then(|| Missing::Program(program.to_owned()))
}

fn may_be_run(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
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

    #[test]
    fn what_an_agent_needs_is_looked_for_where_it_works() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("tool");
        std::fs::File::create(&path).unwrap();
        let gone = |line: &str| {
            let provider = Provider::parse(line).unwrap();
            missing(&provider, root.path(), root.path().as_os_str())
        };
        let (relative, absolute) = ("./tool {prompt}", format!("{} {{prompt}}", path.display()));
        assert_eq!(gone(relative), Some(Missing::Path("./tool".to_owned())));
        assert_eq!(gone("tool {prompt}"), Some(Missing::Program("tool".to_owned())));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        for line in [relative, &absolute, "tool {prompt}", "rehearsal:tool"] {
            assert_eq!(gone(line), None, "{line}");
        }
        assert_eq!(gone("rehearsal:a.yaml"), Some(Missing::Rehearsal("a.yaml".to_owned())));
    }
}
