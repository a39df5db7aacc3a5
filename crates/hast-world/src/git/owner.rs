//! Check that a repository is one that git would work in: the user's own, or one that
//! `safe.directory` names. Hooks and settings of another owner's repository would run with the
//! rights of the user who works in it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::git_problem::GitProblem;

use super::place::Place;
use super::run::GitEnvironment;

const ROOT: u32 = 0;

/// By git's own rule: the work tree, its git directory and the file that names it belong to this user, or
/// `safe.directory` names the work tree. Nothing of the repository is read for this.
pub(super) fn belongs_to_user(place: &Place) -> Result<(), GitProblem> {
    let dot = place.top.join(".git");
    let paths = [place.top.as_path(), &place.git_dir, &dot];
    let stranger = paths.into_iter().find_map(|path| {
        let owner = path.symlink_metadata().ok().map(|there| there.uid());
        owner.filter(|owner| !is_own(*owner)).map(|owner| (path.to_owned(), owner))
    });
    let assumed = assumes_another_owner().then(|| (place.top.clone(), you()));
    let Some((path, owner)) = stranger.or(assumed) else { return Ok(()) };
    let environment = GitEnvironment::of_this_process()?;
    if is_safe(&environment.protected_settings()?, &place.top, environment.home.as_deref()) {
        return Ok(());
    }
    Err(GitProblem::NotYours {
        path: path.display().to_string(),
        top: place.top.display().to_string(),
        owner,
        you: you(),
    })
}

fn you() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn is_own(owner: u32) -> bool {
    let sudo = std::env::var("SUDO_UID").ok().and_then(|id| id.parse().ok());
    is_own_of(you(), sudo, owner)
}

/// Root by way of `sudo` is also who it was before.
fn is_own_of(you: u32, sudo: Option<u32>, owner: u32) -> bool {
    owner == you || (you == ROOT && sudo == Some(owner))
}

/// Git's own switch for testing this.
fn assumes_another_owner() -> bool {
    let value = std::env::var("GIT_TEST_ASSUME_DIFFERENT_OWNER").unwrap_or_default();
    matches!(value.as_str(), "1" | "true" | "yes" | "on")
}

/// What `safe.directory` says of a work tree; an empty value forgets those before it.
fn is_safe(list: &[u8], top: &Path, home: Option<&Path>) -> bool {
    let mut parts = list.split(|byte| *byte == 0);
    let mut safe = false;
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let (key, value) = match entry.iter().position(|byte| *byte == b'\n') {
            Some(end) => (&entry[..end], &entry[end + 1..]),
            None => (entry, &b""[..]),
        };
        let counts = [&b"system"[..], b"global", b"command"].contains(&scope);
        if !counts || key != b"safe.directory" {
            continue;
        }
        safe = match value {
            b"" => false,
            b"*" => true,
            _ => safe || names(value, top, home),
        };
    }
    safe
}

fn names(value: &[u8], top: &Path, home: Option<&Path>) -> bool {
    let path = match (value.strip_prefix(b"~/"), home) {
        (Some(rest), Some(home)) => home.join(OsStr::from_bytes(rest)),
        _ if value == b"." => std::env::current_dir().unwrap_or_default(),
        _ => PathBuf::from(OsStr::from_bytes(value)),
    };
    if !path.is_absolute() {
        return false;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match path.as_os_str().as_bytes().strip_suffix(b"/*") {
        Some(above) => {
            let above = real(Path::new(OsStr::from_bytes(above)));
            top.starts_with(&above) && top != above
        }
        None => real(&path) == top,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn safe(settings: &[(&str, &str)]) -> bool {
        let list: Vec<u8> = settings
            .iter()
            .flat_map(|(scope, value)| format!("{scope}\0safe.directory\n{value}\0").into_bytes())
            .collect();
        is_safe(&list, Path::new("/srv/none/work"), Some(Path::new("/srv/none")))
    }

    #[test]
    fn a_work_tree_is_safe_where_the_users_own_configuration_names_it() {
        for value in ["/srv/none/work", "/srv/none/work/", "*", "/srv/none/*", "/srv/*", "~/work"] {
            assert!(safe(&[("global", value)]), "{value}");
        }
        for value in ["/srv/none", "/srv/none/work/*", "/srv/none/wor", "work", "/srv/no/*", ""] {
            assert!(!safe(&[("global", value)]), "{value}");
        }
        for scope in ["local", "worktree"] {
            assert!(!safe(&[(scope, "*")]), "the repository does not vouch for itself");
        }
        assert!(safe(&[("system", "*")]) && safe(&[("command", "*")]));
        assert!(!safe(&[("system", "*"), ("global", "")]));
        assert!(safe(&[("global", ""), ("global", "/srv/none/work"), ("global", "/other")]));
    }

    #[test]
    fn root_by_way_of_sudo_is_also_who_it_was() {
        assert!(is_own_of(1000, None, 1000) && is_own_of(0, None, 0));
        assert!(is_own_of(0, Some(1000), 1000) && is_own_of(0, Some(1000), 0));
        assert!(!is_own_of(0, None, 1000) && !is_own_of(1000, None, 0));
        assert!(!is_own_of(1000, Some(2000), 2000), "only root can have come by sudo");
    }
}
