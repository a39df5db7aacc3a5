//! The files that tidy looks at. The only part of tidy that touches the disk.

use std::fs;
use std::path::Path;

use ignore::WalkBuilder;
use proc_macro2::TokenStream;

use super::finding::{Finding, Rule};

#[derive(Debug)]
pub(crate) struct Tree {
    /// Where the repository lies on this machine; no source may name it.
    pub(crate) root: String,
    pub(crate) rust_files: Vec<TextFile>,
    pub(crate) manifests: Vec<TextFile>,
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
            if path.is_dir() || !(is_rust || is_manifest) {
                continue;
            }
            let text =
                fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let below = path.strip_prefix(root).unwrap_or(path);
            let file = TextFile::new(&below.to_string_lossy().replace('\\', "/"), &text);
            if is_rust {
                tree.rust_files.push(file);
            } else {
                tree.manifests.push(file);
            }
        }
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

fn finding_in(file: &str, line: usize, rule: Rule, what: String, next: &str) -> Finding {
    Finding { file: file.to_owned(), line, rule, what, next: next.to_owned() }
}
