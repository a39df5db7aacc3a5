//! Rust: the rules that tell which token begins a definition, with its name and kind. `braces`
//! applies them and finds where each definition ends. `impl` blocks label their content, and test
//! attributes mark the next item.

use super::braces::{self, Begin, Found, Holds, Scope};
use super::{Kind, closing, name, text};
use crate::explore::tokens::Token;

pub(super) struct Rules;

impl braces::Rules for Rules {
    fn begins(&self, tokens: &[Token<'_>], at: usize, scope: &Scope) -> Option<Begin> {
        let before = at.checked_sub(1).map_or("", |before| text(tokens, before));
        let found = |kind| Found::new(name(tokens, at + 1)?, kind).begin();
        match text(tokens, at) {
            "#" => is_test_mark(tokens, at).then_some(Begin::TestMark),
            "fn" => match scope.holds {
                Holds::Members => found(Kind::Method),
                Holds::Anything | Holds::Code => found(Kind::Function),
            },
            "struct" | "enum" | "trait" => found(Kind::Type),
            "union" if matches!(text(tokens, at + 2), "{" | "<") => found(Kind::Type),
            "type" if scope.holds != Holds::Code && before != "#" => found(Kind::Type),
            "mod" => found(Kind::Module),
            "macro_rules" => Found::new(name(tokens, at + 2)?, Kind::Macro).begin(),
            "const" | "static" if scope.holds != Holds::Code && before != "*" => {
                let skip = usize::from(text(tokens, at + 1) == "mut");
                let found = name(tokens, at + 1 + skip)?;
                let is_value = text(tokens, at + 2 + skip) == ":";
                is_value.then(|| Begin::Definition(Found::new(found, Kind::Constant)))
            }
            "impl"
                if scope.holds != Holds::Code
                    && !matches!(before, ":" | "(" | "," | ">" | "&" | "<") =>
            {
                Some(Begin::Label { label: implemented(tokens, at)?, holds: Holds::Members })
            }
            _ => None,
        }
    }
}

/// `#[test]`, `#[tokio::test]`, `#[cfg(test)]`.
fn is_test_mark(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(end) = closing(tokens, at + 1).filter(|_| text(tokens, at + 1) == "[") else {
        return false;
    };
    tokens.get(at..end).is_some_and(|inside| inside.iter().any(|token| token.is("test")))
}

/// The type that an `impl` block is about: the name before its generics, after `for` if there is one.
fn implemented(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let mut last = None;
    let mut depth = 0_i32;
    for token in tokens.iter().skip(at + 1).take(200) {
        match token.text {
            "<" => depth += 1,
            ">" => depth -= 1,
            "{" | "where" => break,
            ";" => return None,
            "for" if depth <= 0 => last = None,
            _ if depth <= 0
                && token.is_name()
                && !matches!(token.text, "dyn" | "mut" | "const") =>
            {
                last = Some(token.text);
            }
            _ => {}
        }
    }
    last.map(str::to_owned)
}
