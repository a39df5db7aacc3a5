//! Definitions in Python, whose blocks are indentation.

use super::{Definition, Kind, name, text};
use crate::explore::tokens::Token;

pub(super) fn definitions(tokens: &[Token<'_>]) -> Vec<Definition> {
    let mut found: Vec<Definition> = Vec::new();
    // Open definitions with their columns, outermost first.
    let mut open: Vec<(u32, usize)> = Vec::new();
    let (mut line, mut brackets) = (0, 0_u32);
    for (at, token) in tokens.iter().enumerate() {
        let begins_line = token.line != line && brackets == 0;
        if begins_line {
            while let Some((_, last)) = open.pop_if(|(column, _)| *column >= token.column) {
                if let Some(definition) = found.get_mut(last) {
                    definition.end = line.max(definition.line);
                }
            }
        }
        line = token.line;
        match token.text {
            "(" | "[" | "{" => brackets += 1,
            ")" | "]" | "}" => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        if !begins_line {
            continue;
        }
        if let Some(definition) = begins(tokens, at, &open, &found) {
            open.push((token.column, found.len()));
            found.push(definition);
        }
    }
    for (_, at) in open {
        if let Some(definition) = found.get_mut(at) {
            definition.end = line;
        }
    }
    found
}

fn begins(
    tokens: &[Token<'_>],
    at: usize,
    open: &[(u32, usize)],
    found: &[Definition],
) -> Option<Definition> {
    let token = tokens.get(at)?;
    let outer = open.last().and_then(|(_, at)| found.get(*at));
    let in_class = outer.is_some_and(|outer| outer.kind == Kind::Type);
    let skip = usize::from(token.is("async"));
    let (found, kind) = match text(tokens, at + skip) {
        "def" if in_class => (name(tokens, at + skip + 1)?, Kind::Method),
        "def" => (name(tokens, at + skip + 1)?, Kind::Function),
        "class" => (name(tokens, at + 1)?, Kind::Type),
        word if token.column == 0 && is_constant(tokens, at, word) => (word, Kind::Constant),
        _ => return None,
    };
    let container = match outer {
        Some(outer) if in_class => Some(outer.name.clone()),
        Some(outer) => outer.container.clone(),
        None => None,
    };
    let is_test = found.starts_with("test_") || (kind == Kind::Type && found.starts_with("Test"));
    let (name, line) = (found.to_owned(), token.line);
    Some(Definition { name, kind, line, end: line, container, is_test })
}

fn is_constant(tokens: &[Token<'_>], at: usize, word: &str) -> bool {
    let capitals = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let named = word.len() > 1 && word.starts_with(|c: char| c.is_ascii_uppercase());
    named && word.chars().all(capitals) && matches!(text(tokens, at + 1), "=" | ":")
}
