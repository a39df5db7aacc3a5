//! How git fetches what a partial clone lacks: with the user's remote, keys and helpers, and with no program
//! that only the repository's config names.

use super::config::Setting;

/// The settings of a call that may fetch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fetching {
    pub(super) settings: Vec<(String, String)>,
}

/// Where the user's git finds keys, proxies and certificates for a fetch.
pub(super) const OF_FETCHING: &[&str] = &[
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "GIT_ASKPASS",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_NO_VERIFY",
    "GIT_PROXY_COMMAND",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
    "DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "USER",
    "LOGNAME",
];
/// How objects may be fetched: nothing that runs a command of a repository's choosing.
pub(super) const FETCHED_BY: &str = "file:git:http:https:ssh";
/// Variables that keep git from fetching.
pub(super) const CLOSED: &[&str] =
    &["GIT_NO_LAZY_FETCH", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSH_COMMAND"];

/// Settings that name a program for a fetch, with git's own choice.
const PROGRAMS: &[(&str, &str)] =
    &[("core.sshcommand", "ssh"), ("core.gitproxy", ""), ("core.askpass", "")];

impl Fetching {
    /// None where the repository has all of its objects.
    pub(super) fn of(settings: &[Setting]) -> Option<Self> {
        let promises = |setting: &&Setting| {
            setting.key == "extensions.partialclone"
                || (setting.key.starts_with("remote.") && setting.key.ends_with(".promisor"))
        };
        settings.iter().find(promises)?;
        let mut all: Vec<(String, String)> = Vec::new();
        for (key, usual) in PROGRAMS {
            let mut named = settings.iter().rev().filter(|setting| setting.key == *key);
            let users = named.clone().find(|setting| setting.is_users());
            if named.next().is_some() {
                let value = users.map_or(*usual, |setting| &setting.value);
                all.push(((*key).to_owned(), value.to_owned()));
            }
        }
        all.extend(helpers(settings));
        let of_remotes = settings.iter().filter(|setting| {
            setting.key.starts_with("remote.") && setting.key.ends_with(".uploadpack")
        });
        let own = of_remotes.filter(|setting| !setting.is_users());
        all.extend(own.map(|setting| (setting.key.clone(), "git-upload-pack".to_owned())));
        Some(Self { settings: all })
    }

    /// Whether a setting that keeps git from running programs is left out for a fetch.
    pub(super) fn opens(key: &str) -> bool {
        let key = key.to_ascii_lowercase();
        let named = PROGRAMS.iter().any(|(name, _)| key == *name);
        named || key == "protocol.allow" || key == "credential.helper"
    }
}

/// Helpers for logins: a blank one forgets those before it, then come the user's again.
fn helpers(settings: &[Setting]) -> Vec<(String, String)> {
    let is_helper = |setting: &&Setting| {
        setting.key.starts_with("credential.") && setting.key.ends_with("helper")
    };
    let mut keys: Vec<&str> =
        settings.iter().filter(is_helper).map(|one| one.key.as_str()).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut all = Vec::new();
    for key in keys {
        all.push((key.to_owned(), String::new()));
        let users = settings.iter().filter(|setting| setting.key == key && setting.is_users());
        all.extend(users.map(|setting| (key.to_owned(), setting.value.clone())));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetching(entries: &[(&str, &str, &str)]) -> Option<Vec<(String, String)>> {
        let settings: Vec<Setting> = entries
            .iter()
            .map(|(scope, key, value)| Setting {
                scope: (*scope).to_owned(),
                origin: String::new(),
                key: (*key).to_owned(),
                value: (*value).to_owned(),
            })
            .collect();
        Fetching::of(&settings).map(|fetching| fetching.settings)
    }

    #[test]
    fn only_a_partial_clone_fetches() {
        assert_eq!(fetching(&[("local", "remote.origin.url", "x")]), None);
        assert_eq!(fetching(&[("local", "remote.origin.promisor", "true")]), Some(Vec::new()));
    }

    #[test]
    fn programs_are_the_users_and_none_that_only_the_repository_names() {
        let found = fetching(&[
            ("global", "credential.helper", "store"),
            ("global", "core.sshcommand", "ssh -i key"),
            ("local", "extensions.partialclone", "origin"),
            ("local", "credential.helper", "evil"),
            ("local", "core.sshcommand", "evil"),
            ("local", "core.gitproxy", "evil"),
            ("local", "remote.origin.uploadpack", "evil"),
        ])
        .unwrap();
        let wanted = [
            ("core.sshcommand", "ssh -i key"),
            ("core.gitproxy", ""),
            ("credential.helper", ""),
            ("credential.helper", "store"),
            ("remote.origin.uploadpack", "git-upload-pack"),
        ];
        assert_eq!(found, wanted.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }
}
