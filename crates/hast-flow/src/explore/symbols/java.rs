//! Java: the rules that tell which token begins a definition, with its name and kind. `braces`
//! applies them and finds where each definition ends.

use super::braces::{self, Begin, Found, Holds, Scope};
use super::{Kind, closing, name, text};
use crate::explore::tokens::Token;

pub(super) struct Rules;

impl braces::Rules for Rules {
    fn begins(&self, tokens: &[Token<'_>], at: usize, scope: &Scope) -> Option<Begin> {
        let before = at.checked_sub(1).map_or("", |before| text(tokens, before));
        match text(tokens, at) {
            "class" | "interface" | "enum" if before != "." => {
                Found::new(name(tokens, at + 1)?, Kind::Type).begin()
            }
            "record" if text(tokens, at + 2) == "(" || text(tokens, at + 2) == "<" => {
                Found::new(name(tokens, at + 1)?, Kind::Type).begin()
            }
            "@" if name(tokens, at + 1).is_some_and(|mark| mark.ends_with("Test")) => {
                Some(Begin::TestMark)
            }
            found if scope.holds == Holds::Members && scope.brackets == 0 => {
                member(tokens, at, found, before)
            }
            _ => None,
        }
    }
}

const NO_TYPE: &[&str] = &["new", "return", "else", "throw", "assert", "case", "record", "@"];

fn member(tokens: &[Token<'_>], at: usize, found: &str, before: &str) -> Option<Begin> {
    name(tokens, at)?;
    let typed = at.checked_sub(1).and_then(|before| name(tokens, before)).is_some();
    if !(typed || matches!(before, ">" | "]")) || NO_TYPE.contains(&before) {
        return None;
    }
    match text(tokens, at + 1) {
        "(" => {
            let after = text(tokens, closing(tokens, at + 1)? + 1);
            let is_method = matches!(after, "{" | "throws" | ";" | "default");
            // A constructor has no type before it, only who may see it.
            let sees = matches!(before, "public" | "private" | "protected");
            (is_method && !sees).then(|| Begin::Definition(Found::new(found, Kind::Method)))
        }
        "=" if found.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit()) => {
            Found::new(found, Kind::Constant).begin()
        }
        _ => None,
    }
}
