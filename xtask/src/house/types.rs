//! Names of types: a name that stands for two types has to be looked up each time.

use std::collections::BTreeMap;

use syn::Item;
use syn::visit::{self, Visit};

use super::sources::Source;
use crate::tidy::test_code::{attributes, only_for_tests};

/// Every type of the sources under its name, with the file of each.
#[derive(Debug, Default)]
pub(super) struct TypeNames {
    places: BTreeMap<String, Vec<String>>,
}

impl TypeNames {
    pub(super) fn of(sources: &[Source<'_>]) -> Self {
        let mut names = Self::default();
        for source in sources {
            let mut types = Types::default();
            types.visit_file(&source.syntax);
            for name in types.found {
                names.places.entry(name).or_default().push(source.file.path.to_owned());
            }
        }
        names
    }

    pub(super) fn all(&self) -> usize {
        self.places.values().map(Vec::len).sum()
    }

    /// Types whose name another one has too.
    pub(super) fn doubled(&self) -> usize {
        self.shared().map(|(_, places)| places.len()).sum()
    }

    pub(super) fn doubled_names(&self) -> Vec<String> {
        self.shared().map(|(name, places)| format!("{name}: {}", places.join(" "))).collect()
    }

    fn shared(&self) -> impl Iterator<Item = (&String, &Vec<String>)> {
        self.places.iter().filter(|(_, places)| places.len() > 1)
    }
}

#[derive(Default)]
struct Types {
    found: Vec<String>,
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item(&mut self, item: &'ast Item) {
        if only_for_tests(attributes(item)) {
            return;
        }
        let name = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        self.found.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sources::production;
    use super::*;
    use crate::tidy::tree::{RustFile, TextFile};

    #[test]
    fn a_name_counts_for_each_type_that_has_it_and_tests_do_not() {
        let files = [
            TextFile::new(
                "crates/hast/src/a.rs",
                "struct Found; enum Found2 {} fn f() { struct Own; }",
            ),
            TextFile::new(
                "crates/hast-flow/src/b.rs",
                "trait Found {}\n#[cfg(test)]\nmod t { struct Own; }",
            ),
        ];
        let parsed: Vec<RustFile<'_>> =
            files.iter().map(|file| RustFile::parse(file).unwrap()).collect();
        let names = TypeNames::of(&production(&parsed));
        assert_eq!((names.all(), names.doubled()), (4, 2));
        assert_eq!(
            names.doubled_names(),
            ["Found: crates/hast/src/a.rs crates/hast-flow/src/b.rs"]
        );
    }
}
