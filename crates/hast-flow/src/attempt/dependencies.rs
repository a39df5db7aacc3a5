//! Directories of installed dependencies, the lists that say what is installed there, and the command that
//! installs it. Paths begin at the top of the tree; no disk is looked at.

use std::collections::BTreeMap;

/// A directory that a package manager fills. Several fill one of the same name.
struct Environment {
    directory: &'static str,
    lists: &'static [&'static str],
}

const ENVIRONMENTS: &[Environment] = &[
    Environment {
        directory: "node_modules",
        lists: &[
            "package.json",
            "package-lock.json",
            "npm-shrinkwrap.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "pnpm-workspace.yaml",
            "bun.lock",
            "bun.lockb",
        ],
    },
    Environment { directory: ".venv", lists: PYTHON },
    Environment { directory: "venv", lists: PYTHON },
    Environment { directory: "vendor", lists: &["composer.json", "composer.lock"] },
    Environment { directory: "vendor", lists: &["go.mod", "go.sum"] },
    Environment { directory: "vendor", lists: RUBY },
    Environment { directory: "vendor", lists: &["Cargo.lock"] },
    Environment { directory: ".bundle", lists: RUBY },
    Environment { directory: "deps", lists: &["mix.exs", "mix.lock"] },
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
const RUBY: &[&str] = &["Gemfile", "Gemfile.lock"];
/// A directory of lists for pip, one for each purpose.
const REQUIREMENTS: &str = "requirements";
/// Files by whose presence the package manager is known, and its command. The first that is there counts.
const COMMANDS: &[(&str, &str)] = &[
    ("package-lock.json", "npm install"),
    ("npm-shrinkwrap.json", "npm install"),
    ("yarn.lock", "yarn install"),
    ("pnpm-lock.yaml", "pnpm install"),
    ("bun.lock", "bun install"),
    ("bun.lockb", "bun install"),
    ("package.json", "npm install"),
    ("uv.lock", "uv sync"),
    ("poetry.lock", "poetry install"),
    ("pdm.lock", "pdm sync"),
    ("Pipfile.lock", "pipenv sync"),
    ("Pipfile", "pipenv install"),
    ("composer.lock", "composer install"),
    ("composer.json", "composer install"),
    ("Gemfile.lock", "bundle install"),
    ("Gemfile", "bundle install"),
    ("mix.lock", "mix deps.get"),
    ("mix.exs", "mix deps.get"),
    ("pyproject.toml", "pip install -e ."),
    ("setup.py", "pip install -e ."),
    ("setup.cfg", "pip install -e ."),
];

/// A path as its directory and its name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The directory that a list of this environment is for; none where the path is no such list.
fn lists_for<'p>(environment: &Environment, path: &'p str) -> Option<&'p str> {
    let (directory, name) = split(path);
    if environment.lists.contains(&name) {
        return Some(directory);
    }
    let (above, last) = split(directory);
    let of_pip = environment.lists == PYTHON && last == REQUIREMENTS;
    (of_pip && has_ending(name, "txt")).then_some(above)
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found == ending)
}

/// Whether a path says what is installed somewhere.
pub fn is_list(path: &str) -> bool {
    ENVIRONMENTS.iter().any(|environment| lists_for(environment, path).is_some())
}

/// Whether a path lies in an environment, one of whose lists is among the changed ones: in the directory of
/// the environment or above it, up to the top.
pub fn is_reinstalled(path: &str, changed_lists: &[String]) -> bool {
    let mut at = 0;
    path.split('/').any(|part| {
        let above = path[..at].trim_end_matches('/');
        at += part.len() + 1;
        let mut environments = ENVIRONMENTS.iter().filter(|one| one.directory == part);
        environments.any(|environment| {
            let mut directories =
                changed_lists.iter().filter_map(|list| lists_for(environment, list));
            directories.any(|directory| is_at_or_below(above, directory))
        })
    })
}

fn is_at_or_below(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The commands that install what some changed lists name, each with the directory to run it in. `is_there`
/// says of a path whether the checkout has it: a list that was deleted installs nothing.
pub fn install_commands(
    changed_lists: &[String],
    is_there: &dyn Fn(&str) -> bool,
) -> Vec<(String, String)> {
    let mut commands: BTreeMap<(String, String), ()> = BTreeMap::new();
    for list in changed_lists.iter().filter(|list| is_there(list)) {
        let (directory, name) = split(list);
        let (above, last) = split(directory);
        if has_ending(name, "txt") {
            let (place, file) = match last == REQUIREMENTS {
                true => (above, format!("{REQUIREMENTS}/{name}")),
                false => (directory, name.to_owned()),
            };
            commands.insert((place.to_owned(), format!("pip install -r {file}")), ());
            continue;
        }
        let family = ENVIRONMENTS.iter().find(|environment| environment.lists.contains(&name));
        let path = |name: &str| match directory {
            "" => name.to_owned(),
            directory => format!("{directory}/{name}"),
        };
        let command = COMMANDS.iter().find(|(known, _)| {
            family.is_some_and(|family| family.lists.contains(known)) && is_there(&path(known))
        });
        if let Some((_, command)) = command {
            commands.insert((directory.to_owned(), (*command).to_owned()), ());
        }
    }
    commands.into_keys().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn dependencies_stay_where_a_list_beside_or_above_them_changed() {
        for (path, changed, stays) in [
            ("node_modules/x/y.js", &["package-lock.json"][..], true),
            ("node_modules", &["package.json"], true),
            ("web/node_modules/x", &["web/package.json"], true),
            ("packages/a/node_modules/x", &["package-lock.json"], true),
            ("web/node_modules/x", &["web2/package.json"], false),
            ("node_modules/x", &["src/package.json"], false),
            (".venv/lib/pytest.py", &["requirements/dev.txt"], true),
            ("api/.venv/lib/pytest.py", &["api/requirements/dev.txt"], true),
            (".venv/lib/pytest.py", &["docs/requirements/dev.md"], false),
            (".venv/lib/pytest.py", &["src/a.py"], false),
            (".venv/lib/pytest.py", &["pyproject.toml"], true),
            (".venv/lib/pytest.py", &["package.json"], false),
            ("vendor/x/y.go", &["go.mod"], true),
            ("vendor/bundle/x.rb", &["Gemfile.lock"], true),
            ("target/debug/x", &["Cargo.toml", "Cargo.lock"], false),
        ] {
            assert_eq!(is_reinstalled(path, &lists(changed)), stays, "{path} {changed:?}");
        }
    }

    #[test]
    fn the_command_is_that_of_the_package_manager_whose_files_are_there() {
        for (changed, there, command) in [
            (&["package.json"][..], &[][..], &[("", "npm install")][..]),
            (&["web/package.json"], &["web/pnpm-lock.yaml"], &[("web", "pnpm install")]),
            (&["package.json", "package-lock.json"], &[], &[("", "npm install")]),
            (&["pyproject.toml"], &["uv.lock"], &[("", "uv sync")]),
            (&["requirements/dev.txt"], &[], &[("", "pip install -r requirements/dev.txt")]),
            (&["go.mod"], &[], &[]),
            (&["go.mod"], &["composer.json", "Gemfile"], &[]),
            (&["Cargo.lock"], &["composer.lock"], &[]),
            (&["Gemfile.lock"], &["composer.json"], &[("", "bundle install")]),
            (&["-yarn.lock", "package.json"], &["package-lock.json"], &[("", "npm install")]),
            (&["-requirements.txt", "-yarn.lock"], &[], &[]),
        ] {
            // One with `-` was deleted.
            let is_there = |path: &str| there.contains(&path) || changed.contains(&path);
            let changed: Vec<&str> = changed.iter().map(|one| one.trim_matches('-')).collect();
            let found = install_commands(&lists(&changed), &is_there);
            let wanted: Vec<(String, String)> =
                command.iter().map(|(at, line)| ((*at).to_owned(), (*line).to_owned())).collect();
            assert_eq!(found, wanted, "{changed:?}");
        }
    }
}
