//! The part of a file that only tests compile: items behind `#[cfg(test)]`, and modules declared so.

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, Meta};

/// Modules that hast itself has.
pub(crate) fn normal_modules(items: &[Item]) -> Vec<String> {
    modules(items)
        .filter(|module| !only_for_tests(&module.attrs))
        .map(|module| module.ident.to_string())
        .collect()
}

/// Modules with a file of their own that only tests compile.
pub(crate) fn test_module_files(items: &[Item]) -> Vec<String> {
    modules(items)
        .filter(|module| module.content.is_none() && only_for_tests(&module.attrs))
        .map(|module| module.ident.to_string())
        .collect()
}

fn modules(items: &[Item]) -> impl Iterator<Item = &ItemMod> {
    items.iter().filter_map(|item| match item {
        Item::Mod(module) => Some(module),
        _ => None,
    })
}

/// Where the items stand that only tests compile.
#[derive(Debug, Default)]
pub(crate) struct TestItems {
    ranges: Vec<(LineColumn, LineColumn)>,
}

impl TestItems {
    pub(crate) fn of(syntax: &syn::File) -> Self {
        let mut tests = Self::default();
        tests.visit_file(syntax);
        tests
    }

    /// The lines that these items take.
    pub(crate) fn lines(&self) -> usize {
        self.ranges.iter().map(|(start, end)| end.line - start.line + 1).sum()
    }

    pub(crate) fn contains(&self, at: LineColumn) -> bool {
        self.ranges.iter().any(|(start, end)| *start <= at && at < *end)
    }
}

impl<'ast> Visit<'ast> for TestItems {
    fn visit_item(&mut self, item: &'ast Item) {
        if only_for_tests(attributes(item)) {
            let span = item.span();
            self.ranges.push((span.start(), span.end()));
        } else {
            visit::visit_item(self, item);
        }
    }
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]` and `#[cfg(all(test, ..))]`; anything else may be compiled into hast.
pub(crate) fn only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else {
            return false;
        };
        let condition: String =
            list.tokens.to_string().split_whitespace().collect::<Vec<_>>().concat();
        list.path.is_ident("cfg") && (condition == "test" || condition.starts_with("all(test,"))
    })
}
