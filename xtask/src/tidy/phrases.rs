//! Words, paths and white space that no source may contain.
//!
//! Each needle is put together from two halves, so that this file does not find itself.

use super::finding::{Finding, Rule};
use super::tree::TextFile;

struct Phrase {
    needle: &'static str,
    next: &'static str,
    /// Whether the needle must stand alone, not inside a longer word.
    whole_word: bool,
}

const PHRASES: &[Phrase] = &[
    Phrase {
        needle: concat!("#[al", "low("),
        next: "write #[expect(.., reason = \"..\")]",
        whole_word: false,
    },
    Phrase {
        needle: concat!("#![al", "low("),
        next: "write #![expect(.., reason = \"..\")]",
        whole_word: false,
    },
    Phrase {
        needle: concat!("to", "do!("),
        next: "write it, or return an error that says so",
        whole_word: true,
    },
    Phrase {
        needle: concat!("unimple", "mented!("),
        next: "write it, or return an error that says so",
        whole_word: true,
    },
    Phrase {
        needle: concat!("#[ig", "nore"),
        next: "make the test fast and hermetic, or move it to `cargo xtask soak`",
        whole_word: false,
    },
    Phrase { needle: concat!("FIX", "ME"), next: "repair it, or open an issue", whole_word: true },
    Phrase { needle: concat!("XX", "X"), next: "repair it, or open an issue", whole_word: true },
];

/// Where developers' machines keep their files.
const HOMES: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/ro", "ot/"),
    concat!("C:\\Us", "ers\\"),
];

/// `root` is where the repository lies on this machine.
pub(crate) fn check(file: &TextFile, root: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in file.text.split('\n').enumerate() {
        let number = index + 1;
        findings.extend(white_space(file, number, line));
        for phrase in PHRASES.iter().filter(|phrase| phrase.is_in(line)) {
            let what = format!("`{}`", phrase.needle);
            findings.push(file.finding(number, Rule::Phrase, what, phrase.next));
        }
        if let Some(path) = machine_path(line, root) {
            findings.push(file.finding(
                number,
                Rule::MachinePath,
                format!("`{path}` is a path of one machine"),
                "use a path below the root, or a temporary directory",
            ));
        }
    }
    findings
}

impl Phrase {
    fn is_in(&self, line: &str) -> bool {
        line.match_indices(self.needle).any(|(at, found)| {
            let before = line[..at].chars().next_back();
            let after = line[at + found.len()..].chars().next();
            // A needle that ends in a bracket has its end in itself.
            let open_end = found.ends_with(|c: char| c.is_alphanumeric());
            !self.whole_word
                || !(before.is_some_and(is_word) || open_end && after.is_some_and(is_word))
        })
    }
}

fn white_space(file: &TextFile, number: usize, line: &str) -> Option<Finding> {
    let (what, next) = if line.contains('\t') {
        ("a tab", "use spaces, and \\t in a text")
    } else if line.ends_with(char::is_whitespace) {
        ("white space at the end of the line", "run cargo fmt")
    } else {
        return None;
    };
    Some(file.finding(number, Rule::WhiteSpace, what.to_owned(), next))
}

fn machine_path<'a>(line: &str, root: &'a str) -> Option<&'a str> {
    // A root such as `/src` is too short to tell it from other texts.
    let root_tells = root.matches(['/', '\\']).count() >= 2;
    let needles = HOMES.iter().copied().chain(root_tells.then_some(root));
    needles.into_iter().find(|needle| {
        line.match_indices(needle).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| is_word(c) || "./}-".contains(c))
        })
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/srv/clones/hast";

    fn found(line: &str) -> Vec<String> {
        check(&TextFile::new("a.rs", line), ROOT).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn every_phrase_is_found_and_has_a_way_out() {
        for phrase in PHRASES {
            assert_eq!(found(&format!("  {}", phrase.needle)).len(), 1);
            assert!(!phrase.next.is_empty());
        }
    }

    #[test]
    fn a_phrase_inside_a_word_is_no_finding() {
        for line in [
            format!("let EV_{}X = 1;", concat!("XX", "X")),
            format!("let not_{}) = 1;", concat!("to", "do!(")),
            "#[expect(dead_code, reason = \"x\")]".to_owned(),
            "let allow = ignore(todo);".to_owned(),
        ] {
            assert_eq!(found(&line), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        for home in HOMES {
            assert_eq!(found(&format!("let x = \"{home}kim/hast\";")).len(), 1);
        }
        assert_eq!(found(&format!("let x = \"{ROOT}/Cargo.toml\";")).len(), 1);
        assert_eq!(found("let x = \"assets/home/icon\"; // see /srv/data"), Vec::<String>::new());
    }

    #[test]
    fn a_short_root_is_not_searched_for() {
        assert_eq!(machine_path("the /source/ of", "/source"), None);
    }

    #[test]
    fn tabs_and_trailing_white_space_are_found() {
        assert_eq!(found("\tlet x;"), ["a tab"]);
        for line in ["let x; ", "let x;\r\nlet y;", "let x;\u{3000}"] {
            assert_eq!(found(line), ["white space at the end of the line"]);
        }
        assert_eq!(found("let x = \"\\t\";\n\nlet y;\n"), Vec::<String>::new());
    }
}
