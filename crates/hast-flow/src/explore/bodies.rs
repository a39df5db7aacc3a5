//! A file in which a definition's body raises before it does anything else: a test that uses the
//! definition turns red. Knows texts; where a body cannot be changed for sure, there is no such text.

use crate::explore::blank::blank;
use crate::explore::language::Language;
use crate::explore::symbols::{Definition, Kind, definitions};
use crate::explore::tokens::{Token, tokens};

/// A name as people write it in a contract: `pricing.discount`, `Store::open`, `AService.getData(id)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol<'t> {
    pub name: &'t str,
    /// What stands before the name, outermost first.
    pub within: Vec<&'t str>,
}

impl<'t> Symbol<'t> {
    /// Nothing where the text is no name of code, as `GET /a`.
    pub fn read(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let plain = match text.split_once('(') {
            Some((name, rest)) if rest.ends_with(')') => name,
            Some(_) => return None,
            None => text,
        };
        let mut parts: Vec<&str> = plain.split(['.', ':', '#']).collect();
        // `a::b` has an empty part in the middle.
        parts.retain(|part| !part.is_empty());
        let name = parts.pop()?;
        let is_name = |part: &str| {
            let first = part.chars().next();
            first.is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        };
        let all = parts.iter().copied().chain([name]).all(is_name);
        (all && !plain.contains(":::")).then_some(Self { name, within: parts })
    }
}

/// The definitions in a file that a symbol means. What stands before its name is the type or module that
/// holds it, or the file itself.
pub fn defined(path: &str, text: &str, symbol: &Symbol<'_>) -> Vec<Definition> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let blanked = blank(text, language);
    let found = definitions(&tokens(&blanked), language);
    found.into_iter().filter(|one| one.name == symbol.name && holds(path, one, symbol)).collect()
}

fn holds(path: &str, definition: &Definition, symbol: &Symbol<'_>) -> bool {
    let Some(holder) = symbol.within.last() else { return true };
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    let like = |name: &str| plain(name) == plain(holder);
    match &definition.container {
        Some(container) => container == holder || (symbol.within.len() == 1 && like(stem)),
        None => like(stem) || path.rsplit('/').skip(1).any(like),
    }
}

/// A name without case and joints: `TotalPrice` and `total_price` are one file's.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The file in which the body of each of these definitions raises. A type raises in each of its methods.
pub fn raising(path: &str, text: &str, wanted: &[Definition]) -> Option<String> {
    let language = Language::of(path)?;
    let blanked = blank(text, language);
    let tokens = tokens(&blanked);
    let all = definitions(&tokens, language);
    let mut bodies: Vec<&Definition> = Vec::new();
    for one in wanted {
        match one.kind {
            Kind::Function | Kind::Method => bodies.push(one),
            Kind::Type => {
                let own = |method: &&Definition| {
                    let inside = method.line >= one.line && method.end <= one.end;
                    method.container.as_deref() == Some(&one.name)
                        && (inside || language == Language::Rust || language == Language::Go)
                        && matches!(method.kind, Kind::Function | Kind::Method)
                };
                let methods: Vec<&Definition> = all.iter().filter(own).collect();
                if methods.is_empty() {
                    return None;
                }
                bodies.extend(methods);
            }
            Kind::Macro | Kind::Module | Kind::Constant => return None,
        }
    }
    let starts = line_starts(text);
    let mut inserts: Vec<(usize, String)> = Vec::new();
    for one in bodies {
        let name = tokens.iter().position(|token| token.line == one.line && token.is(&one.name))?;
        inserts.push(insertion(text, &starts, &tokens, name, language)?);
    }
    inserts.sort();
    inserts.dedup();
    let mut changed = text.to_owned();
    for (at, words) in inserts.iter().rev() {
        changed.insert_str(*at, words);
    }
    (!inserts.is_empty()).then_some(changed)
}

/// Where the first statement of a body goes, and the statement. What follows must not be told unreachable:
/// some projects refuse to build that.
fn insertion(
    text: &str,
    starts: &[usize],
    tokens: &[Token<'_>],
    name: usize,
    language: Language,
) -> Option<(usize, String)> {
    let words = match language {
        Language::Python => return python(text, starts, tokens, name),
        Language::Rust => {
            let before = tokens.get(name.saturating_sub(4)..name).unwrap_or_default();
            if before.iter().any(|token| token.is("const")) {
                return None;
            }
            " if ::std::hint::black_box(true) { ::std::panic!(\"body replaced by hast\") } "
        }
        Language::JavaScript | Language::TypeScript => {
            " if (Date.now() > 0) { throw new Error(\"body replaced by hast\"); } "
        }
        Language::Go => " panic(\"body replaced by hast\"); ",
        Language::Java => {
            " if (true) { throw new IllegalStateException(\"body replaced by hast\"); } "
        }
        Language::Cpp => " throw \"body replaced by hast\"; ",
        Language::Shell => " echo \"body replaced by hast\" >&2; exit 70; ",
        Language::C | Language::Text => return None,
    };
    let open = opening(tokens, name)?;
    let at = offset(starts, tokens.get(open)?)? + 1;
    text.is_char_boundary(at).then(|| (at, words.to_owned()))
}

/// The brace that opens the body of what has its name here.
fn opening(tokens: &[Token<'_>], name: usize) -> Option<usize> {
    const FAR: usize = 400;
    let mut depth = 0_u32;
    let mut at = name + 1;
    while at < name + FAR {
        let token = tokens.get(at)?;
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            // Without a body: a declaration, or the end of what holds it.
            ";" | "}" if depth == 0 => return None,
            "{" if depth == 0 => {
                let end = closes(tokens, at)?;
                // A type before the body, as in `(): {a: number} {`, `: {a: number} => {` and `interface{} {`.
                let after = |at: usize, text: &str| tokens.get(at).is_some_and(|one| one.is(text));
                let arrow = after(end + 1, "=") && after(end + 2, ">");
                if !(arrow || after(end + 1, "{")) {
                    return Some(at);
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn closes(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is("{") {
            depth += 1;
        } else if token.is("}") {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

fn python(
    text: &str,
    starts: &[usize],
    tokens: &[Token<'_>],
    name: usize,
) -> Option<(usize, String)> {
    let mut depth = 0_u32;
    let mut colon = name + 1;
    loop {
        match tokens.get(colon)?.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            ":" if depth == 0 => break,
            _ => {}
        }
        colon += 1;
    }
    let (colon, next) = (tokens.get(colon)?, tokens.get(colon + 1));
    let raise = "raise RuntimeError(\"body replaced by hast\")";
    let same_line = next.filter(|next| next.line == colon.line);
    if let Some(next) = same_line {
        return Some((offset(starts, next)?, format!("{raise}; ")));
    }
    let next = next?;
    let line = usize::try_from(next.line).ok()?.checked_sub(1)?;
    let start = *starts.get(line)?;
    let indent: String =
        text.get(start..)?.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    let head = *starts.get(usize::try_from(colon.line).ok()?.checked_sub(1)?)?;
    let outer: String = text.get(head..)?.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    // A body is indented more than what holds it.
    (indent.len() > outer.len()).then(|| (start, format!("{indent}{raise}\n")))
}

fn line_starts(text: &str) -> Vec<usize> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    [0].into_iter().chain(breaks.map(|(at, _)| at + 1)).collect()
}

fn offset(starts: &[usize], token: &Token<'_>) -> Option<usize> {
    let line = usize::try_from(token.line).ok()?.checked_sub(1)?;
    Some(*starts.get(line)? + usize::try_from(token.column).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(path: &str, text: &str, name: &str) -> Option<String> {
        let symbol = Symbol::read(name).unwrap();
        let found = defined(path, text, &symbol);
        if found.is_empty() { None } else { raising(path, text, &found) }
    }

    #[test]
    fn a_name_of_code_is_read_and_anything_else_is_none() {
        for (text, name, within) in [
            ("discount", "discount", &[][..]),
            ("pricing.discount", "discount", &["pricing"]),
            ("shop::Store::open()", "open", &["shop", "Store"]),
            ("AService#getData(id, x)", "getData", &["AService"]),
            ("계산.합계", "합계", &["계산"]),
        ] {
            let found = Symbol::read(text).unwrap();
            assert_eq!((found.name, &found.within[..]), (name, within), "{text}");
        }
        for text in ["GET /a", "", "the total page", "src/total.sh", "a-b", "POST /b", "f(x"] {
            assert_eq!(Symbol::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_symbol_is_where_it_is_defined_and_not_where_a_file_has_its_name() {
        let there = |path: &str, text: &str, name: &str| {
            !defined(path, text, &Symbol::read(name).unwrap()).is_empty()
        };
        let code = "def total(order):\n    return 1\n";
        assert!(there("pricing.py", code, "pricing.total"));
        assert!(there("shop/pricing.py", code, "shop.total"), "a package holds its files");
        assert!(!there("pricing.py", code, "pricing.discount"));
        assert!(!there("pricing.py", "# def discount():\nx = 'def discount(): 1'\n", "discount"));
        assert!(!there("pricing.py", code, "orders.total"), "another module");
        let java = "class AService { int getData(int id) { return id; } }";
        assert!(there("a/AService.java", java, "AService.getData"));
        assert!(!there("a/AService.java", java, "BService.getData"));
        assert!(!there("notes.txt", "discount", "discount"));
    }

    #[test]
    fn a_body_raises_first_in_each_language() {
        for (path, text, name, wanted) in [
            (
                "a.py",
                "def f(x: dict = {1: 2}) -> int:\n    \"\"\"doc: x\"\"\"\n    return x\n",
                "f",
                "\"\"\"doc: x\"\"\"\n    raise RuntimeError(\"body replaced by hast\")\n    return x\n",
            ),
            ("a.py", "def f(): return 1\n", "f", "f(): raise RuntimeError"),
            (
                "a.rs",
                "impl A {\n    fn f<const N: usize>(&self) -> [u8; { N }] { [0; N] }\n}\n",
                "A::f",
                "{ if ::std::hint::black_box(true)",
            ),
            (
                "a.ts",
                "export const f = ({a}: B): {c: number} => { return {c: a}; };",
                "f",
                "=> { if",
            ),
            ("a.js", "class A { f(x) { return x } }", "A.f", "f(x) { if (Date"),
            (
                "a.go",
                "func (s *S) F(x interface{}) interface{} {\n\treturn x\n}\n",
                "S.F",
                "{} { panic(",
            ),
            (
                "A.java",
                "class A { int f(int x) throws E { return x; } }",
                "A.f",
                "throws E { if (true)",
            ),
            ("a.cpp", "int f(int x) { return x; }\n", "f", "f(int x) { throw"),
            ("a.sh", "# f() {\nf() {\n  echo 1\n}\nf \"$@\"\n", "f", "\nf() { echo \"body"),
        ] {
            let found = raised(path, text, name).unwrap_or_else(|| panic!("{path}: {text}"));
            assert!(found.contains(wanted), "{path}: {found}");
            assert_eq!(found.matches("body replaced by hast").count(), 1, "{found}");
        }
    }

    #[test]
    fn a_type_raises_in_all_of_its_methods() {
        let text = "class A:\n    size = 3\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\n\ndef f():\n    return 3\n";
        let found = raised("a.py", text, "A").unwrap();
        assert_eq!(found.matches("        raise").count(), 2, "{found}");
        assert_eq!(found.matches("raise").count(), 2, "{found}");
    }

    #[test]
    fn what_has_no_body_that_can_raise_is_left() {
        for (path, text, name) in [
            ("a.py", "LIMIT = 3\n", "LIMIT"),
            ("a.py", "class A:\n    pass\n", "A"),
            ("a.rs", "const fn f() -> u8 { 1 }\n", "f"),
            ("a.c", "int f(int x) { return x; }\n", "f"),
            ("a.h", "int f(int x);\nint g(int x) { return x; }\n", "f"),
            ("a.js", "const f = (x) => x * 2;\n", "f"),
        ] {
            assert_eq!(raised(path, text, name), None, "{path}: {text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_changed_or_left_without_a_panic(
            text in "(?s)(def |f|\\(|\\)|:|\\{|\\}|\n| |'|\"|한|fn |;|=){0,40}",
        ) {
            for path in ["a.py", "a.rs", "a.ts", "a.go", "A.java", "a.cpp", "a.sh"] {
                let _ = raised(path, &text, "f");
            }
        }
    }
}
