//! The agent's own settings, looked at before and after a call. Bounded; links are read where they
//! lead, because that is what the agent will read.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use hast_flow::agents::homes::{MAX_WATCHED_BYTES, counted, watched};
use hast_flow::agents::presets::{Home, HomeKind, Preset};
use hast_flow::agents::provider::Provider;

use crate::files::{PathError, read_if_there};

/// Where the homes of an agent are for this user.
pub fn paths(provider: &Provider, env: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
    provider.homes().iter().filter_map(|home| path(home, env)).collect()
}

/// Makes the directories among the homes that are not there, for this user alone. Under a sandbox the agent
/// cannot make them: what is not there cannot be opened to it.
pub fn make(
    provider: &Provider,
    env: &BTreeMap<OsString, OsString>,
) -> Result<Vec<PathBuf>, PathError> {
    let mut made = Vec::new();
    for path in directories(provider, env) {
        if path.is_dir() {
            continue;
        }
        let mut builder = DirBuilder::new();
        let done = builder.mode(0o700).recursive(true).create(&path);
        done.map_err(|source| PathError { path: path.clone(), source })?;
        made.push(path);
    }
    Ok(made)
}

/// A directory of an agent as it is here, looked at and not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeState {
    pub path: PathBuf,
    pub state: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Writable,
    /// It is not there, and can be made.
    NotThere,
    Closed,
}

/// The directories among the homes of an agent, and whether it can write there.
pub fn states(provider: &Provider, env: &BTreeMap<OsString, OsString>) -> Vec<HomeState> {
    let state = |path: PathBuf| HomeState { state: access(&path), path };
    directories(provider, env).into_iter().map(state).collect()
}

fn directories(provider: &Provider, env: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
    let homes = provider.homes().iter().filter(|home| home.kind == HomeKind::Directory);
    homes.filter_map(|home| path(home, env)).collect()
}

fn access(path: &Path) -> Access {
    let writable = |at: &Path| {
        let rights = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
        at.is_dir() && rustix::fs::access(at, rights).is_ok()
    };
    let nearest = path.ancestors().find(|above| above.symlink_metadata().is_ok());
    match nearest {
        Some(nearest) if !writable(nearest) => Access::Closed,
        Some(nearest) if nearest == path => Access::Writable,
        Some(_) => Access::NotThere,
        None => Access::Closed,
    }
}

/// What counts in the settings of an agent now, by path.
pub fn look(provider: &Provider, env: &BTreeMap<OsString, OsString>) -> BTreeMap<String, Vec<u8>> {
    let Some(preset) = preset(provider) else { return BTreeMap::new() };
    let homes = preset.description().homes;
    let mut found = BTreeMap::new();
    for file in watched(preset) {
        let Some(home) = homes.get(file.home).and_then(|home| path(home, env)) else { continue };
        let at = if file.path.is_empty() { home } else { home.join(file.path) };
        // What cannot be read is a state too: it may become readable.
        let bytes = match read_if_there(&at, MAX_WATCHED_BYTES) {
            Ok(Some(bytes)) if bytes.len() > MAX_WATCHED_BYTES => {
                at.metadata().map_or(0, |metadata| metadata.len()).to_string().into_bytes()
            }
            Ok(Some(bytes)) => counted(file.part, &bytes),
            Ok(None) => continue,
            Err(error) => error.source.to_string().into_bytes(),
        };
        // A file in which nothing counts is like none.
        if !bytes.is_empty() {
            found.insert(at.display().to_string(), bytes);
        }
    }
    found
}

fn preset(provider: &Provider) -> Option<Preset> {
    match provider {
        Provider::Preset(preset) => Some(*preset),
        Provider::Template(template) => template.known_as(),
        Provider::Builtin(_) | Provider::Rehearsal { .. } => None,
    }
}

fn path(home: &Home, env: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
    home.path(|name| env.get(OsStr::new(name)).map(OsString::as_os_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn settings_are_found_where_the_variable_says_else_below_home() {
        let root = tempfile::tempdir().unwrap();
        let claude = root.path().join("elsewhere");
        std::fs::create_dir(&claude).unwrap();
        let env: BTreeMap<OsString, OsString> = [
            ("HOME".into(), root.path().into()),
            ("CLAUDE_CONFIG_DIR".into(), claude.clone().into()),
        ]
        .into();
        let provider = Provider::parse("claude").unwrap();
        assert_eq!(paths(&provider, &env), [claude.clone(), claude.join(".claude.json")]);
        let before = look(&provider, &env);
        assert!(before.is_empty());
        let settings = claude.join("settings.json");
        std::fs::File::create(&settings).unwrap().write_all(b"{\"hooks\": {}}").unwrap();
        let after = look(&provider, &env);
        assert_eq!(after.keys().collect::<Vec<_>>(), [&settings.display().to_string()]);
    }

    #[test]
    fn homes_that_are_not_there_are_made_for_the_user_alone() {
        use std::os::unix::fs::MetadataExt;
        let root = tempfile::tempdir().unwrap();
        let env: BTreeMap<OsString, OsString> = [
            ("HOME".into(), root.path().into()),
            ("XDG_DATA_HOME".into(), root.path().join("data").into()),
        ]
        .into();
        let provider = Provider::parse("opencode").unwrap();
        let before: Vec<Access> = states(&provider, &env).iter().map(|home| home.state).collect();
        assert_eq!(before, [Access::NotThere; 4]);
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0, "only looked at");
        let made = make(&provider, &env).unwrap();
        assert_eq!(made.len(), 4);
        assert!(made.contains(&root.path().join("data/opencode")), "{made:?}");
        for home in states(&provider, &env) {
            assert_eq!(home.state, Access::Writable);
            assert_eq!(home.path.metadata().unwrap().mode() & 0o777, 0o700);
        }
        assert_eq!(make(&provider, &env).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_file_where_a_home_should_be_is_told_and_stays() {
        let root = tempfile::tempdir().unwrap();
        std::fs::File::create(root.path().join(".codex")).unwrap().write_all(b"mine").unwrap();
        let env: BTreeMap<OsString, OsString> = [("HOME".into(), root.path().into())].into();
        let provider = Provider::parse("codex").unwrap();
        assert_eq!(states(&provider, &env)[0].state, Access::Closed);
        assert_eq!(make(&provider, &env).unwrap_err().path, root.path().join(".codex"));
        assert_eq!(std::fs::read(root.path().join(".codex")).unwrap(), b"mine");
    }
}
