//! Paths as git has them: bytes with `/`. What a set of rules says about one, and how it is shown.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::evidence::RepoPath;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A path for people: UTF-8 as it is, other bytes as `\xNN`.
pub(super) fn shown(path: &[u8]) -> String {
    let mut out = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

pub(super) fn repo_path(path: &[u8]) -> RepoPath {
    RepoPath(shown(path).into())
}

/// Rules, ready to be asked.
#[derive(Debug)]
pub(super) struct Matcher<'r> {
    rules: &'r TreeRules,
    protect: Option<Gitignore>,
    keep: Option<Gitignore>,
}

impl<'r> Matcher<'r> {
    pub(super) fn new(rules: &'r TreeRules) -> Self {
        let globs = |globs: &[String]| {
            let mut builder = GitignoreBuilder::new("");
            for glob in globs {
                // A glob that cannot be read names nothing; reading the config reports it.
                let _ = builder.add_line(None, glob);
            }
            if globs.is_empty() { None } else { builder.build().ok() }
        };
        Self { rules, protect: globs(&rules.protect), keep: globs(&rules.keep) }
    }

    pub(super) fn is_left_out(&self, path: &[u8]) -> bool {
        self.rules.leave_out.iter().any(|rule| within(path, rule))
    }

    pub(super) fn is_protected(&self, path: &[u8]) -> bool {
        self.rules.protected.iter().any(|rule| within(path, rule)) || self.is_guarded(path)
    }

    /// Whether one of the configuration's globs names it.
    pub(super) fn is_guarded(&self, path: &[u8]) -> bool {
        self.protect.as_ref().is_some_and(|globs| {
            globs.matched_path_or_any_parents(Path::new(OsStr::from_bytes(path)), false).is_ignore()
        })
    }

    /// Whether an ignored file, or a directory of them, stays as the agent left it.
    pub(super) fn is_kept(&self, path: &[u8]) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        let named = |is_dir: bool| {
            let keep = self.keep.as_ref();
            keep.is_some_and(|globs| globs.matched_path_or_any_parents(path, is_dir).is_ignore())
        };
        named(false) || named(true)
    }

    pub(super) fn is_handoff(&self, path: &[u8]) -> bool {
        self.rules.handoffs.as_deref().is_some_and(|directory| within(path, directory))
    }

    /// Those of some paths that no attempt may commit or change.
    pub(super) fn off_limits<'p>(
        &self,
        paths: impl Iterator<Item = &'p Vec<u8>>,
    ) -> impl Iterator<Item = RepoPath> {
        let touched = paths.filter(|path| self.is_protected(path) || self.is_left_out(path));
        touched.map(|path| repo_path(path))
    }

    /// Pathspecs for everything but what is left out.
    pub(super) fn pathspecs(&self) -> Vec<String> {
        let mut specs = vec![":/".to_owned()];
        specs.extend(self.rules.leave_out.iter().map(|rule| {
            let rule = rule.trim_end_matches('/');
            format!(":(top,exclude,literal){rule}")
        }));
        specs
    }
}

/// Whether a path is what a rule names, or below it when it is a directory.
pub(super) fn within(path: &[u8], rule: &str) -> bool {
    let name = rule.trim_end_matches('/').as_bytes();
    match path.strip_prefix(name) {
        Some([]) => true,
        Some([b'/', ..]) => rule.ends_with('/'),
        _ => false,
    }
}

/// A literal path as a line of a `.gitignore` at the top.
pub(super) fn literal_pattern(path: &[u8]) -> Vec<u8> {
    let mut line = vec![b'/'];
    for byte in path {
        if b"*?[\\ \t".contains(byte) {
            line.push(b'\\');
        }
        line.push(*byte);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_shown_escaped() {
        assert_eq!(shown("한 글".as_bytes()), "한 글");
        assert_eq!(shown(b"a\xffb"), "a\\xffb");
    }

    #[test]
    fn a_directory_holds_what_is_below_it_and_a_file_only_itself() {
        assert!(within(b".ai/events/x", ".ai/events/"));
        assert!(within(b".ai/events", ".ai/events/"));
        assert!(!within(b".ai/events-2", ".ai/events/"));
        assert!(within(b".ai/auto.lock", ".ai/auto.lock"));
        assert!(!within(b".ai/auto.lock/x", ".ai/auto.lock"));
    }

    #[test]
    fn globs_protect_as_in_a_gitignore() {
        let rules = TreeRules {
            protect: vec!["*.pem".into(), "infra/".into(), "/top.txt".into()],
            ..TreeRules::default()
        };
        let matcher = Matcher::new(&rules);
        for path in ["a/b.pem", "infra/x/y", "top.txt"] {
            assert!(matcher.is_protected(path.as_bytes()), "{path}");
        }
        for path in ["a/top.txt", "src/main.rs"] {
            assert!(!matcher.is_protected(path.as_bytes()), "{path}");
        }
    }
}
