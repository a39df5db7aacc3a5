//! JavaScript and TypeScript: the rules that tell which token begins a definition, with its name
//! and kind. `braces` applies them and finds where each definition ends.

use super::braces::{self, Begin, Found, Holds, Scope};
use super::{Kind, closing, name, text};
use crate::explore::tokens::Token;

pub(super) struct Rules;

impl braces::Rules for Rules {
    fn begins(&self, tokens: &[Token<'_>], at: usize, scope: &Scope) -> Option<Begin> {
        let before = at.checked_sub(1).map_or("", |before| text(tokens, before));
        let found = |kind| Found::new(name(tokens, at + 1)?, kind).begin();
        match text(tokens, at) {
            "function" => {
                let skip = usize::from(text(tokens, at + 1) == "*");
                Found::new(name(tokens, at + 1 + skip)?, Kind::Function).begin()
            }
            "class" if before != "." => found(Kind::Type),
            "interface" | "enum" | "namespace" if begins_a_block(tokens, at) => {
                found(if text(tokens, at) == "namespace" { Kind::Module } else { Kind::Type })
            }
            "type" if matches!(text(tokens, at + 2), "=" | "<") => found(Kind::Type),
            "const" | "let" | "var" => variable(tokens, at, scope),
            _ if scope.holds == Holds::Members && scope.brackets == 0 => member(tokens, at, before),
            _ => None,
        }
    }
}

fn begins_a_block(tokens: &[Token<'_>], at: usize) -> bool {
    let after = matches!(text(tokens, at + 2), "{" | "<" | "extends" | ".");
    name(tokens, at + 1).is_some() && after
}

/// A function that has a variable's name, or a value at the top of the file.
fn variable(tokens: &[Token<'_>], at: usize, scope: &Scope) -> Option<Begin> {
    let found = name(tokens, at + 1)?;
    let equals = (at + 2..at + 40).find(|at| matches!(text(tokens, *at), "=" | ";" | ""))?;
    if text(tokens, equals) != "=" {
        return None;
    }
    if is_function(tokens, equals + 1) {
        return Found::new(found, Kind::Function).begin();
    }
    (scope.holds == Holds::Anything).then(|| Begin::Definition(Found::new(found, Kind::Constant)))
}

/// `function`, `async`, `x =>`, `(x) =>`, `(x): T =>`.
fn is_function(tokens: &[Token<'_>], at: usize) -> bool {
    match text(tokens, at) {
        "function" => true,
        "async" => is_function(tokens, at + 1),
        "<" => closing(tokens, at).is_some_and(|end| is_function(tokens, end + 1)),
        "(" => closing(tokens, at).is_some_and(|end| {
            let typed = text(tokens, end + 1) == ":";
            let arrow = |at| text(tokens, at) == "=" && text(tokens, at + 1) == ">";
            arrow(end + 1) || (typed && (end + 2..end + 30).any(arrow))
        }),
        _ => {
            name(tokens, at).is_some() && text(tokens, at + 1) == "=" && text(tokens, at + 2) == ">"
        }
    }
}

const NO_METHOD: &[&str] =
    &["if", "for", "while", "switch", "catch", "return", "constructor", "super", "function"];

fn member(tokens: &[Token<'_>], at: usize, before: &str) -> Option<Begin> {
    let found = name(tokens, at)?;
    if NO_METHOD.contains(&found) || matches!(before, "." | "new" | "=") {
        return None;
    }
    let open = match text(tokens, at + 1) {
        "(" => at + 1,
        "<" => closing(tokens, at + 1)? + 1,
        "=" if is_function(tokens, at + 2) => {
            return Found::new(found, Kind::Method).begin();
        }
        _ => return None,
    };
    let after = text(tokens, closing(tokens, open)? + 1);
    matches!(after, "{" | ":").then(|| Begin::Definition(Found::new(found, Kind::Method)))
}
