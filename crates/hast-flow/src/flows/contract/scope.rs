//! Which files a subtask may touch: paths of its contracts, test files and lock files. Knows paths, no
//! contents.

use crate::attempt::evidence::{Change, ChangeKind};
use crate::attempt::test_files::is_test_file;
use crate::docs::contract::DesignContract;

/// Files that a package manager writes as a consequence of other changes.
const LOCK_FILES: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "bun.lockb",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

/// Places that no contract may name: hast's own and git's.
const NEVER: &[&str] = &[".git", ".ai", ".claude/orchestrator", ".hast"];

pub fn is_lock_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    LOCK_FILES.contains(&name)
}

/// Why a path of a contract cannot be a file of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadPlace {
    NotInside,
    Protected,
}

/// A path of a contract as git names it: relative, without `.` parts.
pub fn project_path(path: &str) -> Result<String, BadPlace> {
    let parts: Vec<&str> = path.split('/').filter(|part| *part != ".").collect();
    let odd = |part: &&str| part.is_empty() || *part == "..";
    if parts.is_empty() || parts.iter().any(odd) || path.contains(['\\', '\0', '\n']) {
        return Err(BadPlace::NotInside);
    }
    let plain = parts.join("/");
    let within = |place: &&str| {
        plain.strip_prefix(*place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if NEVER.iter().any(within) || parts.contains(&".git") {
        return Err(BadPlace::Protected);
    }
    Ok(plain)
}

/// A changed path as the project names it; nothing for what lies outside of the project.
pub fn in_project<'p>(prefix: &str, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(prefix)
}

/// Files that tell git what to look at; wherever they lie, they are no tests.
fn is_gits_own(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    [".gitignore", ".gitattributes", ".gitmodules"].contains(&name)
}

/// What a test author changed that is no test: neither the file of the contract nor a new test file.
pub fn outside_tests(changes: &[Change], prefix: &str, test_file: &str) -> Vec<String> {
    use ChangeKind::{Added, Hollow, NotCommitted};
    let allowed = |change: &&Change| {
        let Some(path) = in_project(prefix, change.path.as_str()) else { return false };
        let is_new = matches!(change.kind, Added | Hollow | NotCommitted);
        let new_test = is_new && is_test_file(path) && !is_gits_own(path);
        same_path(path, test_file) || new_test || is_lock_file(path)
    };
    named(changes.iter().filter(|change| !allowed(change)))
}

/// What an implementer changed that its design does not name.
pub fn outside_design(
    changes: &[Change],
    prefix: &str,
    design: &DesignContract,
    test_file: &str,
) -> Vec<String> {
    let allowed = |change: &&Change| {
        let Some(path) = in_project(prefix, change.path.as_str()) else { return false };
        let mut refs = design.file_refs.iter();
        same_path(path, test_file)
            || is_lock_file(path)
            || refs.any(|file| same_path(path, &file.path))
    };
    named(changes.iter().filter(|change| !allowed(change)))
}

/// Whether a changed file is the one that a contract names.
pub fn same_path(path: &str, contract: &str) -> bool {
    project_path(contract).is_ok_and(|plain| plain == path)
}

fn named<'c>(changes: impl Iterator<Item = &'c Change>) -> Vec<String> {
    changes.map(|change| change.path.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::evidence::RepoPath;

    fn change(path: &str, kind: ChangeKind) -> Change {
        Change { path: RepoPath(path.into()), kind }
    }

    #[test]
    fn a_path_of_a_contract_stays_inside_and_off_what_is_hasts() {
        assert_eq!(project_path("./src/a.rs").unwrap(), "src/a.rs");
        for path in ["", "/etc/passwd", "../x", "a/../../x", "a\\b", "a//b", "."] {
            assert_eq!(project_path(path), Err(BadPlace::NotInside), "{path}");
        }
        for path in [".git/hooks/x", ".ai/config.yaml", ".claude/orchestrator/x", "a/.git/b"] {
            assert_eq!(project_path(path), Err(BadPlace::Protected), "{path}");
        }
        assert!(project_path(".claude/settings.json").is_ok());
    }

    #[test]
    fn tests_may_change_their_file_and_add_others_but_no_code() {
        let changes = [
            change("tests/a.test", ChangeKind::Modified),
            change("tests/data/x", ChangeKind::Added),
            change("tests/other.test", ChangeKind::Modified),
            change("src/a.sh", ChangeKind::Added),
            change("Cargo.lock", ChangeKind::Modified),
            change("tests/.gitignore", ChangeKind::Added),
        ];
        assert_eq!(
            outside_tests(&changes, "", "./tests/a.test"),
            ["tests/other.test", "src/a.sh", "tests/.gitignore"]
        );
    }

    #[test]
    fn a_project_below_the_top_of_its_repository_owns_nothing_above_it() {
        let changes = [
            change("web/tests/a.test", ChangeKind::Added),
            change("tests/a.test", ChangeKind::Added),
        ];
        assert_eq!(outside_tests(&changes, "web/", "tests/a.test"), ["tests/a.test"]);
    }
}
