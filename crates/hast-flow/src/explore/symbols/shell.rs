//! Definitions in a shell script: `name() {` and `function name`.

use super::braces::{self, Begin, Found, Scope};
use super::{Kind, name, text};
use crate::explore::tokens::Token;

pub(super) struct Rules;

impl braces::Rules for Rules {
    fn begins(&self, tokens: &[Token<'_>], at: usize, _: &Scope) -> Option<Begin> {
        let found = name(tokens, at)?;
        if found == "function" {
            return Found::new(name(tokens, at + 1)?, Kind::Function).begin();
        }
        let before = at.checked_sub(1).map_or("", |before| text(tokens, before));
        let parameters = text(tokens, at + 1) == "(" && text(tokens, at + 2) == ")";
        let is_function = parameters && text(tokens, at + 3) == "{" && before != "function";
        is_function.then(|| Begin::Definition(Found::new(found, Kind::Function)))
    }
}
