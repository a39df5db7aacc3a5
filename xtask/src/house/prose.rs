//! Prose that a machine can judge: module docs and titles that hide their subject, and lines of
//! docs that are too long to read in a diff.

use crate::tidy::tree::Tree;

/// Openings that put a clause where the subject belongs.
const HIDING: [&str; 5] = ["What", "Whether", "Whoever", "Who", "One that"];
const LINE_CHARACTERS: usize = 120;

/// Places with `path:line`.
#[derive(Debug, Default)]
pub(super) struct Prose {
    pub(super) hidden_subjects: Vec<String>,
    pub(super) long_lines: Vec<String>,
}

impl Prose {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut prose = Self::default();
        for file in &tree.rust_files {
            let opening = file.text.lines().next().unwrap_or_default();
            if opening.strip_prefix("//!").is_some_and(hides_its_subject) {
                prose.hidden_subjects.push(format!("{}:1", file.path));
            }
        }
        for page in &tree.pages {
            let mut is_code = false;
            for (number, line) in (1..).zip(page.text.lines()) {
                is_code ^= line.starts_with("```");
                let title = line.trim_start_matches('#');
                if !is_code && title.len() < line.len() && hides_its_subject(title) {
                    prose.hidden_subjects.push(format!("{}:{number}", page.path));
                }
                // Rows of tables and indented examples cannot be broken.
                let is_whole = line.starts_with('|') || line.starts_with("    ");
                if line.chars().count() > LINE_CHARACTERS && !is_whole {
                    prose.long_lines.push(format!("{}:{number}", page.path));
                }
            }
        }
        prose
    }
}

/// The number of a decision (`# 0021: ..`) is no subject.
fn hides_its_subject(text: &str) -> bool {
    let number = |c: char| c.is_ascii_digit() || c == ':' || c == ' ';
    let text = text.trim_start_matches(number);
    HIDING.iter().any(|word| text.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::TextFile;

    #[test]
    fn a_doc_or_a_title_that_opens_with_a_clause_is_found() {
        for text in [" What a call needs.", " Whether it may run", " 0021: What the seed leaves"] {
            assert!(hides_its_subject(text), "{text}");
        }
        for text in [" Whatever is left", " The call.", " 0021: Rooms"] {
            assert!(!hides_its_subject(text), "{text}");
        }
    }

    #[test]
    fn long_lines_count_but_for_rows_of_tables_and_examples() {
        let long = "x ".repeat(61);
        let text =
            format!("# What it is\n{long}\n| {long} |\n    {long}\n```\n# What is code\n```\n");
        let tree = Tree {
            root: "/nowhere".into(),
            rust_files: vec![TextFile::new("a.rs", "//! Whoever calls.\n")],
            manifests: Vec::new(),
            pages: vec![TextFile::new("docs/a.md", &text)],
            ceilings: TextFile::new("xtask/ceilings.toml", ""),
            proof_age: None,
        };
        let prose = Prose::of(&tree);
        assert_eq!(prose.hidden_subjects, ["a.rs:1", "docs/a.md:1"]);
        assert_eq!(prose.long_lines, ["docs/a.md:2"]);
    }
}
