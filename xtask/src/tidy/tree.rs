//! The files that tidy looks at, and what git knows of them. The only part of tidy that touches the
//! disk.

use std::fs;
use std::path::Path;
use std::process::Command;

use ignore::WalkBuilder;
use proc_macro2::TokenStream;

use super::ceilings;
use super::figures::{self, Age};
use super::finding::{Finding, Rule};
use crate::proof;

#[derive(Debug)]
pub(crate) struct Tree {
    /// Where the repository lies on this machine; no source may name it.
    pub(crate) root: String,
    pub(crate) rust_files: Vec<TextFile>,
    pub(crate) manifests: Vec<TextFile>,
    /// Pages of prose: at the root, in `docs/` and below. The changelog is not one.
    pub(crate) pages: Vec<TextFile>,
    /// The counts that may only fall.
    pub(crate) ceilings: TextFile,
    /// None where that page names no commit.
    pub(crate) proof_age: Option<Age>,
}

/// A file with its path below the root, written with `/`.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A Rust file and its tokens.
#[derive(Debug)]
pub(crate) struct RustFile<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    pub(crate) tokens: TokenStream,
}

impl Tree {
    /// Reads every file that git does not ignore, in order of path.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let mut tree = Self {
            root: root.to_string_lossy().into_owned(),
            rust_files: Vec::new(),
            manifests: Vec::new(),
            pages: Vec::new(),
            ceilings: TextFile::new(ceilings::PATH, ""),
            proof_age: None,
        };
        let walk = WalkBuilder::new(root)
            .parents(false)
            .git_global(false)
            .git_exclude(false)
            .require_git(false)
            .sort_by_file_name(Ord::cmp)
            .build();
        for entry in walk {
            let entry = entry.map_err(|error| error.to_string())?;
            let path = entry.path();
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let is_manifest = path.file_name().is_some_and(|name| name == "Cargo.toml");
            let below = path.strip_prefix(root).unwrap_or(path);
            let below = below.to_string_lossy().replace('\\', "/");
            let is_page = is_page(&below);
            let is_ceilings = below == ceilings::PATH;
            if path.is_dir() || !(is_rust || is_manifest || is_page || is_ceilings) {
                continue;
            }
            let text =
                fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let file = TextFile::new(&below, &text);
            if is_rust {
                tree.rust_files.push(file);
            } else if is_page {
                tree.pages.push(file);
            } else if is_ceilings {
                tree.ceilings = file;
            } else {
                tree.manifests.push(file);
            }
        }
        let proof = tree.pages.iter().find(|page| page.path == proof::PATH);
        let commit = proof.and_then(|page| figures::commit_of(&page.text));
        tree.proof_age = commit.map(|commit| age(root, commit));
        Ok(tree)
    }
}

impl TextFile {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn finding(&self, line: usize, rule: Rule, what: String, next: &str) -> Finding {
        finding_in(&self.path, line, rule, what, next)
    }
}

impl<'a> RustFile<'a> {
    pub(crate) fn parse(file: &'a TextFile) -> Result<Self, Finding> {
        match file.text.parse::<TokenStream>() {
            Ok(tokens) => Ok(Self { path: &file.path, text: &file.text, tokens }),
            Err(error) => Err(file.finding(
                error.span().start().line,
                Rule::Syntax("Rust 2024"),
                "a bracket without its partner, or a broken literal".to_owned(),
                "make it compile first",
            )),
        }
    }

    pub(crate) fn finding(&self, line: usize, rule: Rule, what: String, next: &str) -> Finding {
        finding_in(self.path, line, rule, what, next)
    }
}

/// A page of prose; the changelog is a list.
fn is_page(path: &str) -> bool {
    let in_docs = path.starts_with("docs/") || !path.contains('/');
    path.ends_with(".md") && in_docs && path != "CHANGELOG.md"
}

/// How many commits changed the code under proof since then.
fn age(root: &Path, commit: &str) -> Age {
    let mut git = Command::new("git");
    git.args(["rev-list", "--count", &format!("{commit}..HEAD"), "--"]);
    let output = match git.args(figures::UNDER_PROOF).current_dir(root).output() {
        Ok(output) => output,
        Err(error) => return Age::Unknown(error.to_string()),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    said.trim()
        .parse()
        .map(Age::Commits)
        .unwrap_or_else(|_| Age::Unknown(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

fn finding_in(file: &str, line: usize, rule: Rule, what: String, next: &str) -> Finding {
    Finding { file: file.to_owned(), line, rule, what, next: next.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_the_prose_at_the_root_and_in_docs() {
        for path in ["README.md", "docs/store.md", proof::PATH, "docs/decisions/0001-a.md"] {
            assert!(is_page(path), "{path}");
        }
        for path in ["CHANGELOG.md", "fuzz/README.md", "docs/a.txt"] {
            assert!(!is_page(path), "{path}");
        }
    }
}
