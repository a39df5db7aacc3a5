//! The rules of the house, checked on text. Every check is a pure function from files to
//! findings; only `tree` reads the disk.

pub(crate) mod ceilings;
mod directions;
mod figures;
pub(crate) mod finding;
mod modules;
mod order;
mod phrases;
mod size;
pub(crate) mod test_code;
pub(crate) mod tokens;
pub(crate) mod tree;

use std::fmt;

use ceilings::Counted;
use finding::Finding;
use order::ModuleOrder;
use tree::{RustFile, Tree};

/// What all checks found, and how much they looked at.
#[derive(Debug)]
pub(crate) struct Report {
    findings: Vec<Finding>,
    rust_files: usize,
    manifests: usize,
    pages: usize,
}

/// `counted` has each figure with a ceiling.
pub(crate) fn check(tree: &Tree, counted: &[Counted]) -> Report {
    let mut findings = Vec::new();
    let mut parsed = Vec::new();
    for file in &tree.rust_files {
        findings.extend(phrases::check(file, &tree.root));
        findings.extend(modules::check_doc(file));
        findings.extend(modules::check_path(file));
        findings.extend(size::check_file(file));
        match RustFile::parse(file) {
            Ok(file) => parsed.push(file),
            Err(finding) => findings.push(finding),
        }
    }
    for file in &parsed {
        findings.extend(size::check_functions(file));
        findings.extend(modules::check_inline(file));
    }
    findings.extend(ModuleOrder::of_flow_crate(&parsed).check(&parsed));
    for manifest in &tree.manifests {
        findings.extend(directions::check(manifest));
    }
    findings.extend(figures::check(&tree.pages, tree.proof_age.as_ref()));
    findings.extend(ceilings::check(&tree.ceilings, counted));
    findings.sort();
    // One line can use the same module several times.
    findings.dedup();
    Report {
        findings,
        rust_files: tree.rust_files.len(),
        manifests: tree.manifests.len(),
        pages: tree.pages.len(),
    }
}

impl Report {
    pub(crate) fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        writeln!(
            f,
            "tidy: {} findings in {} Rust files, {} manifests and {} pages",
            self.findings.len(),
            self.rust_files,
            self.manifests,
            self.pages
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use crate::repository_root;
    use tree::TextFile;

    #[test]
    fn this_repository_is_tidy() {
        let tree = Tree::read(&repository_root()).unwrap();
        assert!(tree.rust_files.len() > 10, "the walk found the sources");
        assert!(tree.manifests.len() > 5, "the walk found the manifests");
        assert!(tree.pages.len() > 10, "the walk found the pages");
        let report = check(&tree, &House::measure(&tree).counted());
        assert!(report.is_clean(), "\n{report}");
    }

    #[test]
    fn every_kind_of_check_is_reached() {
        let tree = Tree {
            root: "/nowhere/hast".into(),
            rust_files: vec![
                TextFile::new("crates/hast-flow/src/lib.rs", "//! L.\nmod ids;\nmod docs;\n"),
                TextFile::new(
                    "crates/hast-flow/src/ids.rs",
                    "use crate::docs::Goal; \nmod utils {}\n",
                ),
                TextFile::new("crates/hast-flow/src/misc.rs", "//! M.\n}\n"),
            ],
            manifests: vec![TextFile::new(
                "crates/hast-flow/Cargo.toml",
                "[package]\nname = \"hast-flow\"\n[dependencies]\nhast-world = \"1\"\n",
            )],
            pages: vec![TextFile::new("docs/proof.md", "# Proof\n")],
            ceilings: TextFile::new("xtask/ceilings.toml", ""),
            proof_age: None,
        };
        let counted = [Counted { name: "modules_in_cycles", count: 0, places: Vec::new() }];
        let report = check(&tree, &counted).to_string();
        let shown: Vec<&str> =
            report.lines().map(|line| line.split(" -> ").next().unwrap()).collect();
        assert_eq!(
            shown,
            [
                "crates/hast-flow/Cargo.toml:4: hast-flow depends on hast-world (crate direction: none)",
                "crates/hast-flow/src/ids.rs:1: no module doc (module doc: 1 to 5 lines)",
                "crates/hast-flow/src/ids.rs:1: white space at the end of the line (white space: none)",
                "crates/hast-flow/src/ids.rs:1: `ids` uses `docs` (module order: lib.rs)",
                "crates/hast-flow/src/ids.rs:2: a module called `utils` (module name: says what lives there)",
                "crates/hast-flow/src/misc.rs:1: a module called `misc` (module name: says what lives there)",
                "crates/hast-flow/src/misc.rs:2: a bracket without its partner, or a broken literal (syntax: Rust 2024)",
                "docs/proof.md:1: the page names no commit (age of the proof: 50 commits)",
                "xtask/ceilings.toml:1: modules_in_cycles is 0 (ceiling: 0)",
                "tidy: 9 findings in 3 Rust files, 1 manifests and 1 pages",
            ]
        );
    }
}
