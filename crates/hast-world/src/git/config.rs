//! Programs that git's configuration would make it run, and the settings that keep it from that.
//!
//! Programs that the user chose for all repositories keep working: `filter.*` in the global or the
//! system's config, such as git-lfs. Without them contents are compared and stored wrongly.
//! Programs that only the repository's own config chooses do not run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use hast_flow::attempt::git_problem::GitProblem;

use super::fetching::Fetching;
use super::run::Git;
use super::signing::Signing;

/// Settings that go before every other source.
#[derive(Clone, Debug, Default)]
pub(super) struct Overrides {
    pub(super) settings: Vec<(String, String)>,
    pub(super) object_format: ObjectFormat,
    /// How commits that are made for the user are signed; none where they are not.
    pub(super) signing: Option<Signing>,
    /// How a partial clone gets what it lacks; none where the repository is whole.
    pub(super) fetching: Option<Fetching>,
}

/// How long the names of objects are in a repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ObjectFormat {
    #[default]
    Sha1,
    Sha256,
}

impl ObjectFormat {
    /// The name that stands for no object.
    pub(super) fn zero(self) -> &'static str {
        const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
        match self {
            Self::Sha1 => &ZEROS[..40],
            Self::Sha256 => ZEROS,
        }
    }
}

/// What the configuration says that matters to us.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    pub(super) overrides: Overrides,
    /// Filters that only the repository's config defines.
    pub(super) own_filters: BTreeSet<String>,
    pub(super) excludes_file: Option<PathBuf>,
    pub(super) attributes_file: Option<PathBuf>,
    pub(super) hooks_path: Option<PathBuf>,
    pub(super) user: Option<(String, String)>,
    /// Other files that are part of it.
    pub(super) included: Vec<PathBuf>,
}

/// Always set, whatever any config says.
const FIXED: &[(&str, &str)] = &[
    ("safe.directory", "*"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", ""),
    ("core.askPass", ""),
    ("core.pager", "cat"),
    ("core.editor", ":"),
    ("sequence.editor", ":"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("gpg.program", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("core.useReplaceRefs", "false"),
    // A forged graph could make any commit an ancestor.
    ("core.commitGraph", "false"),
    // A file whose content changed must not look unchanged.
    ("core.trustctime", "true"),
    ("core.checkStat", "default"),
    ("core.ignoreStat", "false"),
    ("core.preloadIndex", "true"),
    ("index.sparse", "false"),
    ("index.skipHash", "false"),
    ("core.quotePath", "false"),
    ("i18n.commitEncoding", "UTF-8"),
    ("core.warnAmbiguousRefs", "false"),
    ("core.safecrlf", "false"),
    // No grafts are read on purpose; that they are old is no news.
    ("advice.graftFileDeprecated", "false"),
];

/// What the system's config may still say, although it is not read: how contents are converted.
const FROM_SYSTEM: &[&str] =
    &["core.autocrlf", "core.eol", "core.attributesfile", "core.symlinks", "core.filemode"];

/// One value with where it comes from.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) scope: String,
    pub(super) origin: String,
    pub(super) key: String,
    pub(super) value: String,
}

impl Setting {
    /// Whether the user chose it, or whoever keeps the machine, for all repositories.
    pub(super) fn is_users(&self) -> bool {
        matches!(self.scope.as_str(), "global" | "system")
    }
}

impl Config {
    /// Reads the configuration. Listing it runs nothing.
    pub(super) fn read(git: &Git) -> Result<Self, GitProblem> {
        let list = git
            .call(["config", "--list", "-z", "--show-scope", "--show-origin", "--includes"])
            .variable("GIT_CONFIG_NOSYSTEM", "0")
            .variable("GIT_CONFIG_COUNT", "0")
            .run()?;
        let settings = parse(&list);
        let mut config = Self::default();
        config.overrides.settings =
            FIXED.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        config.pass_on_system(&settings);
        config.settle_filters(&settings);
        config.settle_merge_drivers(&settings);
        let last = |key: &str| settings.iter().rev().find(|s| s.key == key).map(|s| &s.value);
        let path = |key: &str| last(key).filter(|v| !v.is_empty()).map(|v| expand(git, v));
        let usual = |name: &str| {
            let environment = &git.environment;
            let home = || environment.home.as_ref().map(|home| home.join(".config"));
            Some(environment.config_home.clone().or_else(home)?.join("git").join(name))
        };
        config.excludes_file = path("core.excludesfile").or_else(|| usual("ignore"));
        config.attributes_file = path("core.attributesfile").or_else(|| usual("attributes"));
        if last("extensions.objectformat").is_some_and(|format| format == "sha256") {
            config.overrides.object_format = ObjectFormat::Sha256;
        }
        // Said where the repository was made, and not true of this disk: a file would be hidden by another.
        if last("core.ignorecase").is_some() && tells_case_apart(git) {
            config.overrides.settings.push(("core.ignorecase".to_owned(), "false".to_owned()));
        }
        config.overrides.signing = Signing::of(&settings);
        config.overrides.fetching = Fetching::of(&settings);
        let include = |setting: &&Setting| {
            setting.key.starts_with("include") && setting.key.ends_with(".path")
        };
        let (top, home) = (&git.place.top, git.environment.home.as_deref());
        let leads = |setting: &Setting| included(&setting.origin, &setting.value, top, home);
        config.included = settings.iter().filter(include).filter_map(leads).collect();
        config.hooks_path = path("core.hookspath");
        config.user = last("user.name").cloned().zip(last("user.email").cloned());
        Ok(config)
    }

    /// A filter that only the repository defines would change what is compared and stored.
    pub(super) fn refuse_own_filters(&self) -> Result<(), GitProblem> {
        match self.own_filters.first() {
            Some(name) => Err(GitProblem::RepositoryFilter { name: name.clone() }),
            None => Ok(()),
        }
    }

    fn pass_on_system(&mut self, settings: &[Setting]) {
        for key in FROM_SYSTEM {
            let last = settings.iter().rev().find(|setting| setting.key == *key);
            if let Some(setting) = last.filter(|setting| setting.scope == "system") {
                self.overrides.settings.push(((*key).to_owned(), setting.value.clone()));
            }
        }
    }

    /// A merge driver that only the repository names is not run: what it would merge conflicts.
    fn settle_merge_drivers(&mut self, settings: &[Setting]) {
        for setting in settings {
            let driver = setting.key.starts_with("merge.") && setting.key.ends_with(".driver");
            if driver && !setting.is_users() {
                self.overrides.settings.push((setting.key.clone(), "false".to_owned()));
            }
        }
    }

    /// Filters are what the user's and the system's config say; the repository's own are blank.
    fn settle_filters(&mut self, settings: &[Setting]) {
        let mut names: BTreeMap<&str, BTreeMap<&str, Option<&str>>> = BTreeMap::new();
        for setting in settings {
            let Some((name, word)) =
                setting.key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'))
            else {
                continue;
            };
            let users = setting.is_users();
            let known = names.entry(name).or_default();
            if users {
                known.insert(word, Some(&setting.value));
            } else {
                known.entry(word).or_insert(None);
            }
        }
        for (name, words) in names {
            let users = words.iter().any(|(word, value)| *word != "required" && value.is_some());
            // A blank `process` switches the user's `clean` off as well, so that is not theirs any more.
            let own_process = words.get("process").is_some_and(Option::is_none);
            if !users || own_process {
                self.own_filters.insert(name.to_owned());
            }
            for word in ["clean", "smudge", "process", "required"] {
                let blank = if word == "required" { "false" } else { "" };
                let value = words.get(word).copied().flatten();
                if value.is_some() || words.contains_key(word) {
                    let key = format!("filter.{name}.{word}");
                    self.overrides.settings.push((key, value.unwrap_or(blank).to_owned()));
                }
            }
        }
    }
}

/// Whether names that differ in case only are different files here, found out as git does.
fn tells_case_apart(git: &Git) -> bool {
    let there = |name: &str| git.place.common_dir.join(name).symlink_metadata().is_ok();
    there("config") && !there("CoNfIg")
}

/// `scope NUL origin NUL key LF value NUL` over and over; a key alone means `true`.
fn parse(list: &[u8]) -> Vec<Setting> {
    let mut parts = list.split(|byte| *byte == 0);
    let mut settings = Vec::new();
    while let (Some(scope), Some(origin), Some(entry)) = (parts.next(), parts.next(), parts.next())
    {
        let text = String::from_utf8_lossy(entry);
        let (key, value) = text.split_once('\n').unwrap_or((&text, "true"));
        settings.push(Setting {
            scope: String::from_utf8_lossy(scope).into_owned(),
            origin: String::from_utf8_lossy(origin).into_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
        });
    }
    settings
}

/// Where a value of `include.path` leads, from the file that has it.
fn included(origin: &str, value: &str, top: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let path = match value.strip_prefix("~/") {
        Some(rest) => home?.join(rest),
        None => top.join(origin.strip_prefix("file:")?).parent()?.join(value),
    };
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// A path as git reads it in a config: `~/` is the home directory, else relative to the top.
fn expand(git: &Git, value: &str) -> PathBuf {
    match (value.strip_prefix("~/"), &git.environment.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => git.place.top.join(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(entries: &[(&str, &str)]) -> Config {
        let list: Vec<u8> = entries
            .iter()
            .flat_map(|(scope, entry)| format!("{scope}\0file:config\0{entry}\0").into_bytes())
            .collect();
        let mut config = Config::default();
        config.settle_filters(&parse(&list));
        config
    }

    fn value<'c>(config: &'c Config, key: &str) -> Option<&'c str> {
        let found = config.overrides.settings.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    #[test]
    fn a_filter_of_the_repository_is_blank_and_named() {
        let config = config(&[
            ("local", "filter.evil.clean\ntouch marker"),
            ("local", "filter.evil.required\ntrue"),
        ]);
        assert!(config.own_filters.contains("evil"));
        assert_eq!(value(&config, "filter.evil.clean"), Some(""));
        assert_eq!(value(&config, "filter.evil.required"), Some("false"));
    }

    #[test]
    fn the_users_filter_stands_where_the_repository_says_something_else() {
        let config = config(&[
            ("global", "filter.lfs.clean\ngit-lfs clean -- %f"),
            ("local", "filter.lfs.clean\ntouch marker"),
        ]);
        assert!(config.own_filters.is_empty());
        assert_eq!(value(&config, "filter.lfs.clean"), Some("git-lfs clean -- %f"));
    }

    #[test]
    fn a_process_that_only_the_repository_names_makes_the_filter_its_own() {
        let config = config(&[
            ("global", "filter.lfs.clean\ngit-lfs clean -- %f"),
            ("local", "filter.lfs.process\ntouch marker"),
        ]);
        assert_eq!(value(&config, "filter.lfs.process"), Some(""));
        assert!(config.own_filters.contains("lfs"));
    }

    #[test]
    fn an_included_path_is_read_from_the_file_that_includes_it() {
        let leads = |origin, value| included(origin, value, Path::new("/p"), Some(Path::new("/h")));
        assert_eq!(leads("file:/p/.git/config", "../.gitconfig"), Some("/p/.gitconfig".into()));
        assert_eq!(leads("file:.git/config", "../a/./b"), Some("/p/a/b".into()));
        assert_eq!(leads("file:/h/.gitconfig", "~/x"), Some("/h/x".into()));
        assert_eq!(leads("file:/h/.gitconfig", "/p/y"), Some("/p/y".into()));
        assert_eq!(leads("command line:", "x"), None);
    }
}
