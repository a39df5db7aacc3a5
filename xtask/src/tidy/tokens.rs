//! Functions, inline modules and paths of a Rust file, as the checks need them.
//!
//! Tokens are read instead of a syntax tree, because paths and functions inside macro calls
//! (`proptest!`, `assert!`) must obey the rules too.

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// From `fn` to the closing brace.
    pub(crate) lines: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InlineModule {
    pub(crate) name: String,
    pub(crate) line: usize,
}

/// A path into this crate, as segments below the crate's root. A glob ends at its module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UsedPath {
    pub(crate) at: LineColumn,
    pub(crate) segments: Vec<String>,
}

/// Every function with a body, also nested ones and those inside macro calls.
pub(crate) fn functions(tokens: &TokenStream) -> Vec<Function> {
    let mut found = Vec::new();
    collect_functions(&trees(tokens), &mut found);
    found
}

/// Every `mod name { .. }`.
pub(crate) fn inline_modules(tokens: &TokenStream) -> Vec<InlineModule> {
    let mut found = Vec::new();
    collect_modules(&trees(tokens), &mut found);
    found
}

/// Every path that starts with `crate::`, `super::` or `self::`, seen from `module`; a tree of
/// imports gives one path a leaf. Paths that start with one of the module's `children` count too.
pub(crate) fn used_paths(
    tokens: &TokenStream,
    module: &[String],
    children: &[String],
) -> Vec<UsedPath> {
    let mut found = Vec::new();
    collect_paths(&trees(tokens), module, children, &mut found);
    found
}

fn trees(tokens: &TokenStream) -> Vec<TokenTree> {
    tokens.clone().into_iter().collect()
}

fn collect_functions(tokens: &[TokenTree], found: &mut Vec<Function>) {
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            collect_functions(&trees(&group.stream()), found);
        } else if is_ident(token, "fn")
            && let Some(name) = function_name(&tokens[at + 1..])
            && let Some(last_line) = body_end(&tokens[at + 1..])
        {
            let line = token.span().start().line;
            found.push(Function { name, line, lines: last_line - line + 1 });
        }
    }
}

/// The name after `fn`; a macro may name a function `$name`. `fn(u8)` is a type and has none.
fn function_name(after: &[TokenTree]) -> Option<String> {
    match after {
        [TokenTree::Ident(name), ..] => Some(name.to_string()),
        [TokenTree::Punct(dollar), TokenTree::Ident(name), ..] if dollar.as_char() == '$' => {
            Some(format!("${name}"))
        }
        _ => None,
    }
}

fn body_end(signature: &[TokenTree]) -> Option<usize> {
    for token in signature {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                return Some(group.span_close().end().line);
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => return None,
            _ => {}
        }
    }
    None
}

fn collect_modules(tokens: &[TokenTree], found: &mut Vec<InlineModule>) {
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            collect_modules(&trees(&group.stream()), found);
        } else if let Some(name) = inline_module_at(&tokens[at..]) {
            let line = token.span().start().line;
            found.push(InlineModule { name, line });
        }
    }
}

fn inline_module_at(tokens: &[TokenTree]) -> Option<String> {
    match tokens {
        [word, TokenTree::Ident(name), TokenTree::Group(body), ..]
            if is_ident(word, "mod") && body.delimiter() == Delimiter::Brace =>
        {
            Some(name.to_string())
        }
        _ => None,
    }
}

fn collect_paths(
    tokens: &[TokenTree],
    module: &[String],
    children: &[String],
    found: &mut Vec<UsedPath>,
) {
    let mut at = 0;
    while at < tokens.len() {
        let here = &tokens[at..];
        if let Some(name) = inline_module_at(here) {
            let inner = [module, &[name]].concat();
            if let TokenTree::Group(body) = &here[2] {
                collect_paths(&trees(&body.stream()), &inner, &[], found);
            }
            at += 3;
        } else if let TokenTree::Group(group) = &here[0] {
            collect_paths(&trees(&group.stream()), module, children, found);
            at += 1;
        } else if let Some(base) = base_at(here, module) {
            at += 3 + follow(&here[3..], base, found);
        } else if is_child(here, children) && !goes_on(&tokens[..at]) {
            at += follow(here, module.to_vec(), found);
        } else {
            at += 1;
        }
    }
}

/// The module that a path starts from, if `tokens` start with `crate::`, `super::` or `self::`.
fn base_at(tokens: &[TokenTree], module: &[String]) -> Option<Vec<String>> {
    let [TokenTree::Ident(first), rest @ ..] = tokens else {
        return None;
    };
    if !starts_with_colons(rest) {
        return None;
    }
    if first == "crate" {
        Some(Vec::new())
    } else if first == "super" {
        Some(module[..module.len().saturating_sub(1)].to_vec())
    } else if first == "self" {
        Some(module.to_vec())
    } else {
        None
    }
}

fn is_child(tokens: &[TokenTree], children: &[String]) -> bool {
    let [TokenTree::Ident(first), rest @ ..] = tokens else {
        return false;
    };
    starts_with_colons(rest) && children.iter().any(|child| first == child)
}

/// Whether the tokens before a name make it part of something else: a longer path, a field.
fn goes_on(before: &[TokenTree]) -> bool {
    match before {
        [.., dot] if is_punct(dot, '.') => true,
        [.., first, second] => is_punct(first, ':') && is_punct(second, ':'),
        _ => false,
    }
}

/// Reads the segments after a base, into the braces of an import; says how many tokens it took.
fn follow(tokens: &[TokenTree], mut path: Vec<String>, found: &mut Vec<UsedPath>) -> usize {
    let mut taken = 0;
    let mut end = None;
    while let Some(token) = tokens.get(taken) {
        match token {
            TokenTree::Ident(word) if word == "super" => {
                path.pop();
            }
            TokenTree::Ident(word) if word == "self" => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inside = trees(&group.stream());
                for leaf in inside.split(|token| is_punct(token, ',')) {
                    follow(leaf, path.clone(), found);
                }
                return taken + 1;
            }
            TokenTree::Punct(star) if star.as_char() == '*' => {}
            _ => break,
        }
        end.get_or_insert_with(|| token.span().start());
        taken += 1;
        if !starts_with_colons(&tokens[taken..]) {
            break;
        }
        taken += 2;
    }
    if let Some(at) = end {
        found.push(UsedPath { at, segments: path });
    }
    taken
}

fn starts_with_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [first, second, ..] if is_punct(first, ':') && is_punct(second, ':'))
}

fn is_ident(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str, module: &[&str]) -> Vec<String> {
        let module: Vec<String> = module.iter().map(|&name| name.to_owned()).collect();
        used_paths(&text.parse().unwrap(), &module, &["child".to_owned()])
            .into_iter()
            .map(|path| path.segments.join("::"))
            .collect()
    }

    #[test]
    fn an_import_tree_gives_one_path_a_leaf() {
        assert_eq!(
            paths("use crate::{a, b::{c as d, self}, e::*};", &["m"]),
            ["a", "b::c", "b", "e"]
        );
        assert_eq!(paths("use {crate::a, std::fmt, crate::b::C};", &["m"]), ["a", "b::C"]);
    }

    #[test]
    fn paths_in_expressions_types_and_macros_count() {
        assert_eq!(
            paths(
                "fn f(x: crate::a::B::<crate::c::D>) { assert_eq!(x, [crate::e::g()]); $crate::h!() }",
                &["m"]
            ),
            ["a::B", "c::D", "e::g", "h"]
        );
    }

    #[test]
    fn super_climbs_from_the_module_it_is_written_in() {
        assert_eq!(paths("use super::x; use super::super::y;", &["a", "b"]), ["a::x", "y"]);
        assert_eq!(paths("mod inner { use super::*; use super::super::x; }", &["a"]), ["a", "x"]);
        assert_eq!(paths("use super::*;", &["a"]), [""]);
    }

    #[test]
    fn a_path_may_start_with_a_child_of_the_module() {
        assert_eq!(
            paths("use child::{a, b::c};\nfn f(x: child::D) { child::e() }", &["m"]),
            ["m::child::a", "m::child::b::c", "m::child::D", "m::child::e"]
        );
        assert!(
            paths("use std::child::x;\nfn f() { y.child; other::child::z() }", &["m"]).is_empty()
        );
    }

    #[test]
    fn visibility_and_values_are_no_paths() {
        assert!(
            paths("pub(crate) fn f(&self) { self.x; Self::y(); std::z(); }", &["m"]).is_empty()
        );
    }

    #[test]
    fn functions_are_counted_from_fn_to_brace() {
        let text = "#[test]\npub fn outer<T>(x: fn(u8)) -> [u8; 2]\nwhere\n    T: Copy,\n{\n    \
                    fn inner() {}\n}\ntrait T { fn bodiless(); fn given() {} }\n\
                    proptest! { fn $name(x in 0..2) {\n} }";
        let found: Vec<(String, usize, usize)> = functions(&text.parse().unwrap())
            .into_iter()
            .map(|function| (function.name, function.line, function.lines))
            .collect();
        let expected = [("outer", 2, 6), ("inner", 6, 1), ("given", 8, 1), ("$name", 9, 2)];
        assert_eq!(found, expected.map(|(name, line, lines)| (name.to_owned(), line, lines)));
    }

    #[test]
    fn only_modules_with_a_body_are_inline() {
        let found = inline_modules(&"mod a;\nmod b { mod c {} }".parse().unwrap());
        let names: Vec<&str> = found.iter().map(|module| module.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
    }
}
