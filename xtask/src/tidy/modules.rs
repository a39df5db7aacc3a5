//! A module says what it is for, in its first lines and in its name.

use super::finding::{Finding, Rule};
use super::tokens;
use super::tree::{RustFile, TextFile};

const DOC_LINES: usize = 5;
/// The root of a crate also says what the whole crate must not know.
const CRATE_DOC_LINES: usize = 12;

/// Names that say nothing: such a module becomes a drawer.
const EMPTY_NAMES: &[&str] = &["utils", "helpers", "common", "manager", "imp", "misc"];

pub(crate) fn check_doc(file: &TextFile) -> Option<Finding> {
    let limit = if file_name(&file.path) == "lib.rs" { CRATE_DOC_LINES } else { DOC_LINES };
    let lines = file.text.lines().take_while(|line| line.starts_with("//!")).count();
    let (what, next) = if lines == 0 {
        (
            "no module doc".to_owned(),
            "start the file with `//!`: what it is for and what it must not know",
        )
    } else if lines > limit {
        (
            format!("the module doc has {lines} lines"),
            "shorten it; reasons belong to docs/decisions/",
        )
    } else {
        return None;
    };
    Some(file.finding(1, Rule::ModuleDoc(limit), what, next))
}

pub(crate) fn check_path(file: &TextFile) -> Vec<Finding> {
    let path = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    path.split('/')
        .filter(|name| EMPTY_NAMES.contains(name))
        .map(|name| empty_name(&file.path, 1, name))
        .collect()
}

pub(crate) fn check_inline(file: &RustFile<'_>) -> Vec<Finding> {
    tokens::inline_modules(&file.tokens)
        .into_iter()
        .filter(|module| EMPTY_NAMES.contains(&module.name.as_str()))
        .map(|module| empty_name(file.path, module.line, &module.name))
        .collect()
}

fn empty_name(file: &str, line: usize, name: &str) -> Finding {
    Finding {
        file: file.to_owned(),
        line,
        rule: Rule::ModuleName,
        what: format!("a module called `{name}`"),
        next: "name it after what lives there".to_owned(),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc_of(path: &str, lines: usize) -> Option<String> {
        let file = TextFile::new(path, &("//! x\n".repeat(lines) + "\nfn f() {}\n"));
        check_doc(&file).map(|finding| finding.what)
    }

    #[test]
    fn a_module_doc_has_one_to_five_lines() {
        assert_eq!(doc_of("src/a.rs", 0).as_deref(), Some("no module doc"));
        assert_eq!(doc_of("src/a.rs", 1), None);
        assert_eq!(doc_of("src/a.rs", 5), None);
        assert_eq!(doc_of("src/a.rs", 6).as_deref(), Some("the module doc has 6 lines"));
    }

    #[test]
    fn the_root_of_a_crate_may_say_more() {
        assert_eq!(doc_of("src/lib.rs", 12), None);
        assert!(doc_of("src/lib.rs", 13).is_some());
    }

    #[test]
    fn the_doc_comes_before_everything_else() {
        let file = TextFile::new("a.rs", "\n//! late\n");
        assert!(check_doc(&file).is_some());
    }

    #[test]
    fn names_that_say_nothing_are_found_in_paths() {
        for path in ["a/utils.rs", "tests/common/mod.rs", "src/helpers/x.rs"] {
            assert_eq!(check_path(&TextFile::new(path, "")).len(), 1, "{path}");
        }
        for path in ["a/import.rs", "a/uncommon/x.rs", "src/lib.rs"] {
            assert_eq!(check_path(&TextFile::new(path, "")), [], "{path}");
        }
    }

    #[test]
    fn names_that_say_nothing_are_found_inside_files() {
        let file = TextFile::new("a.rs", "mod words {\n    mod misc {}\n}\n");
        let found = check_inline(&RustFile::parse(&file).unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 2);
    }
}
