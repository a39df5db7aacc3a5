//! Definitions in code, found from its tokens: what is defined, where, in what, and up to which line.
//! Not a parser: it knows how a definition begins in each language, and how blocks nest.

mod braces;
mod c;
mod go;
mod java;
mod python;
mod rust;
mod script;
mod shell;

use crate::explore::language::Language;
use crate::explore::tokens::Token;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Type,
    Function,
    Method,
    Macro,
    Module,
    Constant,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Function => "function",
            Self::Method => "method",
            Self::Macro => "macro",
            Self::Module => "module",
            Self::Constant => "constant",
        }
    }
}

/// Something that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub kind: Kind,
    pub line: u32,
    pub end: u32,
    /// The type, module or class that it belongs to.
    pub container: Option<String>,
    pub is_test: bool,
}

/// All definitions, in their order.
pub fn definitions(tokens: &[Token<'_>], language: Language) -> Vec<Definition> {
    match language {
        Language::Rust => braces::definitions(tokens, &rust::Rules),
        Language::JavaScript | Language::TypeScript => braces::definitions(tokens, &script::Rules),
        Language::Go => braces::definitions(tokens, &go::Rules),
        Language::Java => braces::definitions(tokens, &java::Rules),
        Language::C | Language::Cpp => braces::definitions(tokens, &c::Rules),
        Language::Shell => braces::definitions(tokens, &shell::Rules),
        Language::Python => python::definitions(tokens),
        Language::Text => Vec::new(),
    }
}

/// The innermost definition around a line.
pub fn around(definitions: &[Definition], line: u32) -> Option<&Definition> {
    let holds = |definition: &&Definition| definition.line <= line && line <= definition.end;
    definitions.iter().filter(holds).min_by_key(|definition| definition.end - definition.line)
}

fn text<'t>(tokens: &[Token<'t>], at: usize) -> &'t str {
    tokens.get(at).map_or("", |token| token.text)
}

fn name<'t>(tokens: &[Token<'t>], at: usize) -> Option<&'t str> {
    tokens.get(at).filter(|token| token.is_name()).map(|token| token.text)
}

/// Where the bracket at this place is closed again; what never closes nearby is given up.
fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    const FAR: usize = 2_000;
    let (opens, closes) = match text(tokens, open) {
        "(" => ("(", ")"),
        "[" => ("[", "]"),
        "<" => ("<", ">"),
        "{" => ("{", "}"),
        _ => return None,
    };
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate().skip(open).take(FAR) {
        if token.is(opens) {
            depth += 1;
        } else if token.is(closes) {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
