//! The files that become the binary, each with its syntax and with what only tests compile in it.

use std::collections::BTreeSet;

use crate::tidy::test_code::{TestItems, test_module_files};
use crate::tidy::tree::RustFile;

/// Crates that somebody installs; the others are for development.
const SHIPPED: [&str; 4] = ["hast", "hast-agent", "hast-flow", "hast-world"];

pub(super) struct Source<'a> {
    pub(super) krate: &'a str,
    /// Below the root of the crate.
    pub(super) module: Vec<String>,
    pub(super) file: &'a RustFile<'a>,
    pub(super) syntax: syn::File,
    pub(super) tests: TestItems,
}

impl Source<'_> {
    pub(super) fn lines(&self) -> usize {
        self.file.text.lines().count().saturating_sub(self.tests.lines())
    }
}

/// Files of shipped crates, without modules that only tests compile.
pub(super) fn production<'a>(files: &'a [RustFile<'a>]) -> Vec<Source<'a>> {
    let all: Vec<Source<'_>> = files.iter().filter_map(source).collect();
    let test_modules: BTreeSet<(&str, Vec<String>)> = all
        .iter()
        .flat_map(|source| {
            let declared = test_module_files(&source.syntax.items).into_iter();
            declared.map(|name| (source.krate, [source.module.as_slice(), &[name]].concat()))
        })
        .collect();
    let only_for_tests = |source: &Source<'_>| {
        (1..=source.module.len())
            .any(|end| test_modules.contains(&(source.krate, source.module[..end].to_vec())))
    };
    all.into_iter().filter(|source| !only_for_tests(source)).collect()
}

fn source<'a>(file: &'a RustFile<'a>) -> Option<Source<'a>> {
    let (krate, below) = file.path.strip_prefix("crates/")?.split_once("/src/")?;
    SHIPPED.contains(&krate).then_some(())?;
    let mut module: Vec<String> =
        below.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    let syntax = syn::parse_file(file.text).ok()?;
    let tests = TestItems::of(&syntax);
    Some(Source { krate, module, file, syntax, tests })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::TextFile;

    #[test]
    fn tests_and_crates_for_development_are_no_production() {
        let files = [
            TextFile::new(
                "crates/hast/src/a/mod.rs",
                "//! A.\nfn f() {}\n#[cfg(test)]\nmod scene;\n#[cfg(test)]\nmod tests {\n}\n",
            ),
            TextFile::new("crates/hast/src/a/scene.rs", "//! S.\n"),
            TextFile::new("crates/hast-sim/src/lib.rs", "//! L.\n"),
            TextFile::new("crates/hast/tests/cli.rs", "//! T.\n"),
        ];
        let parsed: Vec<RustFile<'_>> =
            files.iter().map(|file| RustFile::parse(file).unwrap()).collect();
        let found = production(&parsed);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].krate, found[0].module.join("::")), ("hast", "a".to_owned()));
        assert_eq!(found[0].lines(), 2);
    }
}
