//! Go: the rules that tell which token begins a definition, with its name and kind. `braces`
//! applies them and finds where each definition ends. A definition without a block ends with its
//! line.

use super::braces::{self, Begin, Found, Holds, Scope};
use super::{Kind, closing, name, text};
use crate::explore::tokens::Token;

pub(super) struct Rules;

impl braces::Rules for Rules {
    fn begins(&self, tokens: &[Token<'_>], at: usize, scope: &Scope) -> Option<Begin> {
        if scope.holds == Holds::Code {
            return None;
        }
        match text(tokens, at) {
            "func" if text(tokens, at + 1) == "(" => {
                let end = closing(tokens, at + 1)?;
                let method = name(tokens, end + 1)?;
                let container = receiver(tokens, at + 2, end);
                let mut found = Found::new(method, Kind::Method);
                found.container = container;
                found.begin()
            }
            "func" => Found::new(name(tokens, at + 1)?, Kind::Function).begin(),
            "type" => Found::new(name(tokens, at + 1)?, Kind::Type).begin(),
            "const" | "var" => Found::new(name(tokens, at + 1)?, Kind::Constant).begin(),
            _ => grouped(tokens, at, scope),
        }
    }

    fn ends_with_line(&self) -> bool {
        true
    }
}

/// The type of a receiver: `(s *Server[T])` is about `Server`.
fn receiver(tokens: &[Token<'_>], from: usize, to: usize) -> Option<String> {
    let inside = tokens.get(from..to)?;
    let until = inside.iter().position(|token| token.is("[")).unwrap_or(inside.len());
    let mut names = inside.iter().take(until).filter(|token| token.is_name());
    names.next_back().map(|token| token.text.to_owned())
}

/// `const ( A = 1 ... )`: the names that begin its lines.
fn grouped(tokens: &[Token<'_>], at: usize, scope: &Scope) -> Option<Begin> {
    let token = tokens.get(at).filter(|token| token.is_name() && scope.brackets == 1)?;
    let before = at.checked_sub(1).and_then(|before| tokens.get(before))?;
    if before.line == token.line {
        return None;
    }
    let kind = match scope.bracket.checked_sub(1).map(|word| text(tokens, word)) {
        Some("const" | "var") => Kind::Constant,
        Some("type") => Kind::Type,
        _ => return None,
    };
    Found::new(token.text, kind).begin()
}
