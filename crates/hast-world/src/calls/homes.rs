//! The agent's own settings, looked at before and after a call. Bounded; links are read where they
//! lead, because that is what the agent will read.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hast_flow::agents::homes::{MAX_WATCHED_BYTES, counted, watched};
use hast_flow::agents::presets::{Home, Preset};
use hast_flow::agents::provider::Provider;

use crate::files::read_if_there;

/// Where the homes of an agent are for this user.
pub fn paths(provider: &Provider, env: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
    provider.homes().iter().filter_map(|home| path(home, env)).collect()
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
        Provider::Rehearsal { .. } => None,
    }
}

fn path(home: &Home, env: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
    let variable = |name: &str| env.get(OsStr::new(name)).filter(|value| !value.is_empty());
    if let Some(path) = home.variable.and_then(variable) {
        return Some(PathBuf::from(path));
    }
    Some(Path::new(variable("HOME")?).join(home.below_home))
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
        assert_eq!(paths(&provider, &env), [claude.clone(), root.path().join(".claude.json")]);
        let before = look(&provider, &env);
        assert!(before.is_empty());
        let settings = claude.join("settings.json");
        std::fs::File::create(&settings).unwrap().write_all(b"{\"hooks\": {}}").unwrap();
        let after = look(&provider, &env);
        assert_eq!(after.keys().collect::<Vec<_>>(), [&settings.display().to_string()]);
    }
}
