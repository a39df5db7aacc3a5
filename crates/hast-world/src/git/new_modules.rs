//! The repository of a submodule that somebody else made: whether it is just what git makes, so that
//! nothing in it runs a program, hides a file or takes objects from elsewhere.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::modules::path_is_module;
use super::run::Git;
use crate::files::read_bounded;

/// What git, and the filter that many use, put into a repository.
const FILES: [&str; 8] =
    ["FETCH_HEAD", "HEAD", "ORIG_HEAD", "config", "description", "index", "packed-refs", "shallow"];
const DIRECTORIES: [&str; 9] =
    ["branches", "hooks", "info", "lfs", "logs", "modules", "objects", "refs", "reftable"];
const ELSEWHERE: [&str; 2] = ["objects/info/alternates", "objects/info/http-alternates"];
/// What they write into its settings. None of it names a program.
const SETTINGS: [&str; 14] = [
    "core.bare",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.precomposeunicode",
    "core.repositoryformatversion",
    "core.symlinks",
    "core.worktree",
    "extensions.objectformat",
    "extensions.partialclone",
    "extensions.refstorage",
    "lfs.repositoryformatversion",
    "submodule.active",
    "core.sharedrepository",
];
/// The same of a remote, a branch, a submodule, a server for large files.
const NAMED: [(&str, &[&str]); 4] = [
    ("remote.", &["fetch", "partialclonefilter", "promisor", "tagopt", "url"]),
    ("branch.", &["merge", "rebase", "remote"]),
    ("submodule.", &["active", "url"]),
    ("lfs.", &["access"]),
];
const LARGEST: usize = 1 << 20;

/// The repository of a submodule, and its settings.
#[derive(Debug)]
pub(super) struct Module<'m> {
    git_dir: &'m Path,
    settings: Vec<(String, String)>,
}

impl<'m> Module<'m> {
    /// Nothing where its settings cannot be read.
    pub(super) fn at(git: &Git, git_dir: &'m Path) -> Option<Self> {
        let settings = settings(git, &git_dir.join("config"))?;
        Some(Self { git_dir, settings })
    }

    fn all<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s str> {
        self.settings.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Whether it says that it belongs to a directory. One that was there before may say nothing: git
    /// takes it out when a submodule is given up.
    pub(super) fn is_of(&self, top: &Path, is_new: bool) -> bool {
        let mut named = self.all("core.worktree").peekable();
        let leads = |path: &str| self.git_dir.join(path).canonicalize().is_ok_and(|at| at == top);
        (named.peek().is_some() || !is_new) && named.all(leads)
    }

    /// Whether it was cloned from where the repository above it says.
    pub(super) fn is_from(&self, git: &Git, above: &Path, name: &Path) -> bool {
        let Some(name) = name.to_str() else { return false };
        let Some(above) = settings(git, &above.join("config")) else { return false };
        let key = format!("submodule.{name}.url");
        let Some((_, wanted)) = above.iter().rev().find(|(known, _)| *known == key) else {
            return false;
        };
        let is_url =
            |(key, _): &&(String, String)| key.starts_with("remote.") && key.ends_with(".url");
        let mut urls = self.settings.iter().filter(is_url).peekable();
        urls.peek().is_some() && urls.all(|(_, url)| url == wanted)
    }

    /// Whether nothing is in it but what git makes.
    pub(super) fn is_plain(&self) -> bool {
        let Some(all) = named(self.git_dir) else { return false };
        let known = all.iter().all(|(name, kind)| {
            (kind.is_file() && FILES.contains(&name.as_str()))
                || (kind.is_dir() && DIRECTORIES.contains(&name.as_str()))
        });
        let is_there = |path: &str| fs::symlink_metadata(self.git_dir.join(path)).is_ok();
        known
            && !ELSEWHERE.iter().any(|path| is_there(path))
            && self.settings.iter().all(|(key, _)| is_known(key))
            && self.runs_no_hook()
            && self.hides_nothing()
            && named(&self.git_dir.join("branches")).is_none_or(|all| all.is_empty())
    }

    fn runs_no_hook(&self) -> bool {
        let directory = self.git_dir.join("hooks");
        let sleeps = |(name, kind): &(String, fs::FileType)| {
            let mode = fs::symlink_metadata(directory.join(name)).map(|at| at.permissions().mode());
            kind.is_file()
                && (name.ends_with(".sample") || mode.is_ok_and(|mode| mode & 0o111 == 0))
        };
        named(&directory).is_none_or(|all| all.iter().all(sleeps))
    }

    /// Rules that no tree holds.
    fn hides_nothing(&self) -> bool {
        let directory = self.git_dir.join("info");
        let says_nothing = |text: Vec<u8>| {
            let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
            lines.all(|line| line.is_empty() || line.starts_with(b"#"))
        };
        let empty = |(name, kind): &(String, fs::FileType)| match name.as_str() {
            "refs" => kind.is_file(),
            "exclude" => {
                let text = read_bounded(&directory.join(name), LARGEST);
                kind.is_file() && text.is_ok_and(says_nothing)
            }
            _ => false,
        };
        named(&directory).is_none_or(|all| all.iter().all(empty))
    }
}

fn is_known(key: &str) -> bool {
    let of_named = |(section, words): &(&str, &[&str])| {
        let rest = key.strip_prefix(section);
        rest.and_then(|rest| rest.rsplit_once('.')).is_some_and(|(_, word)| words.contains(&word))
    };
    SETTINGS.contains(&key) || NAMED.iter().any(of_named)
}

/// What a file of settings says, and no other that it names.
fn settings(git: &Git, file: &Path) -> Option<Vec<(String, String)>> {
    let is_file = fs::symlink_metadata(file).is_ok_and(|there| there.is_file());
    let call = git.call(["config", "--no-includes", "--list", "-z", "--file"]);
    let output = is_file.then(|| call.args([file.as_os_str()]).output().ok()).flatten()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.code == Some(0))?;
    let entries = text.split('\0').filter(|entry| !entry.is_empty());
    let parted = |entry: &str| match entry.split_once('\n') {
        Some((key, value)) => (key.to_owned(), value.to_owned()),
        None => (entry.to_owned(), "true".to_owned()),
    };
    Some(entries.map(parted).collect())
}

/// What is in a directory; nothing where it is none, or a name is no text.
fn named(directory: &Path) -> Option<Vec<(String, fs::FileType)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).ok()? {
        let entry = entry.ok()?;
        all.push((entry.file_name().into_string().ok()?, entry.file_type().ok()?));
    }
    Some(all)
}

/// The repositories in a directory of such; nothing where something else is among them.
pub(super) fn modules_in(directory: &Path) -> Option<Vec<PathBuf>> {
    let (mut all, mut left) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten() {
            let entry = entry.ok()?;
            if !entry.file_type().ok()?.is_dir() {
                return None;
            }
            match path_is_module(&entry.path()) {
                true => all.push(entry.path()),
                false => left.push(entry.path()),
            }
        }
    }
    Some(all)
}
