//! One file: what it defines and mentions that a question is about, and where it uses given names.

use crate::explore::blank::blank;
use crate::explore::language::{Language, is_test};
use crate::explore::symbols::{Definition, around, definitions};
use crate::explore::terms::{Terms, parts};
use crate::explore::tokens::{number_of, tokens};

/// Larger files are generated, or data.
pub const MOST_BYTES: usize = 1 << 20;
/// Lines longer than this on average are not written by people.
const LONG_LINES: usize = 400;

/// What is known of a file after one look.
#[derive(Clone, Debug, PartialEq)]
pub struct Scanned {
    pub path: String,
    pub language: Language,
    pub is_test: bool,
    /// The numbers of all names in its code, sorted: who may use what is asked of these first.
    pub names: Vec<u32>,
    /// The numbers of the names that it defines, sorted.
    pub defined: Vec<u32>,
    /// The definitions that are about a term.
    pub definitions: Vec<Definition>,
    /// For each term, how the file is about it.
    pub hits: Vec<Hit>,
}

/// How a file is about a term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// It is the path, or a name, that the question wrote.
    pub exact: bool,
    pub in_path: bool,
    /// Definitions whose names have it.
    pub symbols: u32,
    /// Words of its text, comments and strings too.
    pub words: u32,
}

impl Hit {
    pub fn is_any(self) -> bool {
        self.exact || self.in_path || self.symbols > 0 || self.words > 0
    }
}

/// More uses of a file are not told of; nobody would read them.
const MOST_USES: usize = 1_000;

/// Looks at a file; nothing for what is no text of a person.
pub fn scan(path: &str, text: &str, terms: &Terms) -> Option<Scanned> {
    let language = Language::of(path)?;
    if text.len() > MOST_BYTES || text.len() / (text.matches('\n').count() + 1) > LONG_LINES {
        return None;
    }
    let mut hits = mentions(text, terms);
    let blanked = if language == Language::Text { String::new() } else { blank(text, language) };
    let tokens = tokens(&blanked);
    let mut names: Vec<u32> =
        tokens.iter().filter(|token| token.is_name()).map(|token| number_of(token.text)).collect();
    names.sort_unstable();
    names.dedup();
    let mut found = definitions(&tokens, language);
    let mut defined: Vec<u32> = found.iter().map(|found| number_of(&found.name)).collect();
    defined.sort_unstable();
    let path_parts = parts(path.rsplit_once('.').map_or(path, |(stem, _)| stem));
    for (term, hit) in terms.terms.iter().zip(&mut hits) {
        hit.in_path = term.hits(&path_parts) > 0;
        hit.exact = term.names(path) || found.iter().any(|found| term.names(&found.name));
    }
    found.retain(|definition| {
        let parts = parts(&definition.name);
        let mut is_about = false;
        for (term, hit) in terms.terms.iter().zip(&mut hits) {
            if term.hits(&parts) > 0 || term.names(&definition.name) {
                hit.symbols += 1;
                is_about = true;
            }
        }
        is_about
    });
    let (path, is_test) = (path.to_owned(), is_test(path));
    Some(Scanned { path, language, is_test, names, defined, definitions: found, hits })
}

/// How often each term is mentioned, in whatever form, in code, comments and strings.
fn mentions(text: &str, terms: &Terms) -> Vec<Hit> {
    let mut hits = vec![Hit::default(); terms.terms.len()];
    for word in terms.words(text).filter(|word| word.len() <= 80) {
        for (term, hit) in terms.terms.iter().zip(&mut hits) {
            hit.words = hit.words.saturating_add(u32::from(term.is_in(word)));
        }
    }
    hits
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub name: String,
    pub line: u32,
    /// The line itself, cut.
    pub code: String,
    pub is_call: bool,
    /// What stands before it: `Store::open`, `store.open`.
    pub qualifier: Option<String>,
    /// The definition that it is in.
    pub inside: Option<Definition>,
}

/// Where a file uses these names (sorted), and not defines them.
pub fn uses(path: &str, text: &str, names: &[String]) -> Vec<Use> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let blanked = blank(text, language);
    let tokens = tokens(&blanked);
    let defined = definitions(&tokens, language);
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Use> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_wanted = names.binary_search_by(|name| name.as_str().cmp(token.text)).is_ok();
        let is_definition =
            || defined.iter().any(|own| own.line == token.line && own.name == token.text);
        if !is_wanted || is_definition() {
            continue;
        }
        if found.len() == MOST_USES {
            break;
        }
        let text_at = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |t| t.text);
        let before = text_at(at.checked_sub(1));
        let back = if before == ":" { 3 } else { 2 };
        let qualifier = matches!(before, "." | ":" | ">").then(|| text_at(at.checked_sub(back)));
        let line = usize::try_from(token.line).unwrap_or(1);
        let code = lines.get(line - 1).map_or("", |line| line.trim());
        // What implements a type is part of it.
        if language == Language::Rust && code.starts_with("impl") {
            continue;
        }
        found.push(Use {
            name: token.text.to_owned(),
            line: token.line,
            code: code.chars().take(120).collect(),
            is_call: matches!(text_at(Some(at + 1)), "(" | "!"),
            qualifier: qualifier.filter(|name| !name.is_empty()).map(str::to_owned),
            inside: around(&defined, token.line).cloned(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_about_what_it_defines_and_mentions() {
        let terms = Terms::of("where is the driver lock released?");
        let code =
            "/// Locks the driver.\npub struct DriverLock;\nfn other() { unlock(); } // lock\n";
        let scanned = scan("src/world/lock.rs", code, &terms).unwrap();
        let [driver, lock, release] = scanned.hits[..] else { panic!() };
        assert_eq!((driver.symbols, driver.words, driver.in_path), (1, 2, false));
        assert_eq!((lock.symbols, lock.words, lock.in_path), (1, 3, true));
        assert!(!release.is_any());
        assert_eq!(scanned.definitions.len(), 1, "what is about nothing is not kept");
        assert!(scanned.names.binary_search(&number_of("unlock")).is_ok());
    }

    #[test]
    fn a_use_knows_where_it_is_and_a_definition_or_a_comment_is_none() {
        let code = "fn take() {}\nfn run() {\n    // take()\n    Lock::take();\n    let s = \"take\";\n}\n";
        let found = uses("a.rs", code, &["take".to_owned()]);
        let [only] = &found[..] else { panic!("{found:?}") };
        assert_eq!((only.line, only.is_call, only.code.as_str()), (4, true, "Lock::take();"));
        assert_eq!(only.qualifier.as_deref(), Some("Lock"));
        assert_eq!(only.inside.as_ref().unwrap().name, "run");
    }

    #[test]
    fn what_no_person_wrote_is_left_out() {
        let terms = Terms::of("lock");
        assert!(scan("a.min.js", &"lock();".repeat(1000), &terms).is_none());
        assert!(scan("a.bin", "lock", &terms).is_none());
    }
}
