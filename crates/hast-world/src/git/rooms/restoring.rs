//! Ignored files do not vouch for the work: before tests and hooks run, what an agent left at ignored
//! paths becomes again what the room began with. Installed dependencies stay where the attempt changed
//! the file that names them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::git_problem::GitProblem;

use super::super::diff::Difference;
use super::super::paths::Matcher;
use super::shade::hide_absent;
use super::{RealRooms, Room, remove_any};

/// Directories of installed dependencies, and the files beside them that say what is installed.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    (
        "node_modules",
        &[
            "package.json",
            "package-lock.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "bun.lock",
            "bun.lockb",
        ],
    ),
    (".venv", PYTHON),
    ("venv", PYTHON),
    (
        "vendor",
        &[
            "composer.json",
            "composer.lock",
            "go.mod",
            "go.sum",
            "Gemfile",
            "Gemfile.lock",
            "Cargo.lock",
        ],
    ),
    (".bundle", &["Gemfile", "Gemfile.lock"]),
    ("deps", &["mix.exs", "mix.lock"]),
];
const PYTHON: &[&str] = &[
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "Pipfile.lock",
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
];

impl RealRooms {
    /// Puts ignored files back. `changed` is what the attempt changed of tracked and new files, `absent` what it
    /// deleted of the user's: what was uninstalled stays so.
    pub(super) fn restore_ignored(
        &self,
        room: &Room,
        rules: &TreeRules,
        changed: &[Difference],
        absent: &[Vec<u8>],
    ) -> Result<(), GitProblem> {
        let (matcher, shown) = (Matcher::new(rules), self.shown_paths(room));
        let keep = |path: &[u8]| is_reinstalled(path, changed);
        self.uncover(room, &keep)?;
        hide_absent(room, absent.iter().filter(|path| keep(path)))?;
        let begun = self.begun_paths(room);
        let git = self.git_of(room);
        let list =
            git.call(["ls-files", "-z", "-o", "-i", "-X"]).args([room.ignores().as_os_str()]);
        let list = list.index(&room.trusted().join("judged")).from(&room.trusted()).run()?;
        for path in list.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            let hasts = matcher.is_left_out(path)
                || matcher.is_handoff(path)
                || matcher.is_protected(path)
                || shown.contains(path);
            if !hasts && !begun.contains(path) && !keep(path) {
                remove_any(&room.tree().join(OsStr::from_bytes(path)))?;
            }
        }
        self.restore_begun(room, &keep)
    }
}

impl RealRooms {
    /// Ignored files that are not what the room began with.
    pub(super) fn changed_ignored(&self, room: &Room) -> Result<Vec<Vec<u8>>, GitProblem> {
        let git = self.git_of(room);
        let list =
            git.call(["ls-files", "-z", "-o", "-i", "-X"]).args([room.ignores().as_os_str()]);
        let list = list.index(&room.index()).from(&room.trusted()).run()?;
        let files = list.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let changed = files.filter(|path| !self.is_as_begun(room, path));
        Ok(changed.map(<[u8]>::to_vec).collect())
    }
}

/// Whether a path belongs to installed dependencies whose list the attempt changed.
fn is_reinstalled(path: &[u8], changed: &[Difference]) -> bool {
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    (0..parts.len()).any(|depth| {
        let lists = DEPENDENCIES.iter().find(|(name, _)| name.as_bytes() == parts[depth]);
        lists.is_some_and(|(_, lists)| {
            let beside = |list: &str| {
                let list = [&parts[..depth], &[list.as_bytes()]].concat().join(&b'/');
                changed.iter().any(|one| one.path == list)
            };
            lists.iter().any(|list| beside(list))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(paths: &[&str]) -> Vec<Difference> {
        let one = |path: &&str| Difference {
            path: path.as_bytes().to_vec(),
            old: None,
            new: None,
            old_mode: String::new(),
            new_mode: String::new(),
        };
        paths.iter().map(one).collect()
    }

    #[test]
    fn dependencies_stay_where_the_list_beside_them_changed() {
        for (path, lists, stays) in [
            ("node_modules/x/y.js", &["package-lock.json"][..], true),
            ("node_modules", &["package.json"], true),
            ("web/node_modules/x", &["web/package.json"], true),
            ("web/node_modules/x", &["package.json"], false),
            ("node_modules/x", &["src/package.json"], false),
            (".venv/lib/pytest.py", &["src/a.py"], false),
            (".venv/lib/pytest.py", &["pyproject.toml"], true),
            ("target/debug/x", &["Cargo.toml", "Cargo.lock"], false),
        ] {
            assert_eq!(is_reinstalled(path.as_bytes(), &changed(lists)), stays, "{path} {lists:?}");
        }
    }
}
