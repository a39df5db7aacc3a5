//! C and C++: the rules that tell which token begins a definition, with its name and kind. `braces`
//! applies them and finds where each definition ends. In a type, a declaration without a body
//! counts too.

use super::braces::{self, Begin, Found, Holds, Scope};
use super::{Kind, closing, name, text};
use crate::explore::tokens::Token;

pub(super) struct Rules;

impl braces::Rules for Rules {
    fn begins(&self, tokens: &[Token<'_>], at: usize, scope: &Scope) -> Option<Begin> {
        let before = at.checked_sub(1).map_or("", |before| text(tokens, before));
        match text(tokens, at) {
            "#" if text(tokens, at + 1) == "define" => {
                Found::new(name(tokens, at + 2)?, Kind::Macro).begin()
            }
            _ if scope.holds == Holds::Code || scope.brackets > 0 => None,
            "extern" if text(tokens, at + 1) == "{" => {
                Some(Begin::Label { label: scope.label.clone()?, holds: Holds::Anything })
            }
            "namespace" => {
                let named = name(tokens, at + 1).unwrap_or("anonymous").to_owned();
                Some(Begin::Label { label: named, holds: Holds::Anything })
            }
            "struct" | "class" | "union" | "enum" if before != "enum" && before != "<" => {
                let skip = usize::from(matches!(text(tokens, at + 1), "class" | "struct"));
                let found = name(tokens, at + 1 + skip)?;
                has_body(tokens, at + 2 + skip)
                    .then(|| Begin::Definition(Found::new(found, Kind::Type)))
            }
            "using" if text(tokens, at + 2) == "=" => {
                Found::new(name(tokens, at + 1)?, Kind::Type).begin()
            }
            ";" => typedef(tokens, at),
            found => function(tokens, at, found, before, scope),
        }
    }
}

/// A body, or bases and then a body; a mere use of the type has neither.
fn has_body(tokens: &[Token<'_>], at: usize) -> bool {
    match text(tokens, at) {
        "{" => true,
        "final" | ":" => (at..at + 60)
            .find(|at| matches!(text(tokens, *at), "{" | ";" | "(" | ""))
            .is_some_and(|end| text(tokens, end) == "{"),
        _ => false,
    }
}

/// `typedef ... name;`: the name stands last.
fn typedef(tokens: &[Token<'_>], end: usize) -> Option<Begin> {
    let last = end.checked_sub(1).and_then(|last| name(tokens, last))?;
    let mut depth = 0_u32;
    for token in tokens.get(end.saturating_sub(200)..end)?.iter().rev() {
        match token.text {
            "}" => depth += 1,
            "{" => depth = depth.checked_sub(1)?,
            ";" if depth == 0 => return None,
            "typedef" if depth == 0 => return Found::new(last, Kind::Type).begin(),
            _ => {}
        }
    }
    None
}

const NO_FUNCTION: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "defined",
    "catch",
    "alignof",
    "decltype",
    "static_assert",
    "__attribute__",
    "noexcept",
    "throw",
    "new",
    "delete",
    "operator",
    "requires",
];

fn function(
    tokens: &[Token<'_>],
    at: usize,
    found: &str,
    before: &str,
    scope: &Scope,
) -> Option<Begin> {
    name(tokens, at)?;
    if text(tokens, at + 1) != "(" || NO_FUNCTION.contains(&found) {
        return None;
    }
    let typed = at.checked_sub(1).and_then(|before| name(tokens, before));
    let typed = typed.is_some_and(|word| !matches!(word, "return" | "else" | "new" | "define"));
    if !(typed || matches!(before, "*" | "&" | ">" | ":" | "~")) {
        return None;
    }
    if !is_followed_by_body(tokens, closing(tokens, at + 1)? + 1, scope) {
        return None;
    }
    let owner = qualifier(tokens, at);
    // Who makes or ends a type is found with the type.
    let label = owner.as_deref().or(scope.label.as_deref());
    if label == Some(found) {
        return None;
    }
    let kind = match owner.is_some() || scope.holds == Holds::Members {
        true => Kind::Method,
        false => Kind::Function,
    };
    let mut found = Found::new(found, kind);
    found.container = owner;
    found.begin()
}

/// `Owner::name(` belongs to `Owner`.
fn qualifier(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let skip = usize::from(at > 0 && text(tokens, at - 1) == "~");
    let colons = at.checked_sub(skip + 2)?;
    let qualified = text(tokens, colons) == ":" && text(tokens, colons + 1) == ":";
    let mut owner = colons.checked_sub(1).filter(|_| qualified)?;
    if text(tokens, owner) == ">" {
        let open = tokens.get(..owner)?.iter().rposition(|token| token.is("<"))?;
        owner = open.checked_sub(1)?;
    }
    name(tokens, owner).map(str::to_owned)
}

/// A body follows, after qualifiers, a trailing type or initialisers. In a type, a declaration counts
/// as well: its body is in another file.
fn is_followed_by_body(tokens: &[Token<'_>], from: usize, scope: &Scope) -> bool {
    for at in from..from + 120 {
        match text(tokens, at) {
            "{" => return true,
            ";" => return scope.holds == Holds::Members && at < from + 6,
            "=" => return false,
            "" | "}" => return false,
            "," if text(tokens, from) != ":" => return false,
            _ => {}
        }
    }
    false
}
