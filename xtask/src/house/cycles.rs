//! Modules of a crate that use each other in a circle. An import of a name that a module only
//! passes on (`pub use`) counts for the module that the name comes from.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::{Item, UseTree, Visibility};

use super::sources::Source;
use crate::tidy::tokens;

type Path = Vec<String>;

/// A name may be passed on from module to module, but not for ever.
const PASSED_ON: usize = 8;

/// Each circle with the modules in it; a module without one is in none.
pub(super) fn of_crate(sources: &[&Source<'_>]) -> Vec<Vec<String>> {
    let uses = uses(sources);
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        uses.keys().map(|module| (module, reach(module, &uses))).collect();
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (module, far) in &reached {
        if far.contains(module) {
            let back =
                |other: &&&Path| reached.get(**other).is_some_and(|far| far.contains(module));
            let circle = far.iter().filter(back).map(|path| shown(sources, path)).collect();
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn shown(sources: &[&Source<'_>], path: &Path) -> String {
    let krate = sources.first().map_or("", |source| source.krate);
    format!("{krate}::{}", path.join("::"))
}

/// The modules that a module comes to by one import or more; itself only through a circle.
fn reach<'u>(module: &Path, uses: &'u BTreeMap<Path, BTreeSet<Path>>) -> BTreeSet<&'u Path> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Path> = uses.get(module).into_iter().flatten().collect();
    while let Some(path) = next.pop() {
        if reached.insert(path) {
            next.extend(uses.get(path).into_iter().flatten());
        }
    }
    reached
}

fn uses(sources: &[&Source<'_>]) -> BTreeMap<Path, BTreeSet<Path>> {
    let known: BTreeSet<&Path> = sources.iter().map(|source| &source.module).collect();
    let passed_on: BTreeMap<&Path, BTreeMap<String, Path>> =
        sources.iter().map(|source| (&source.module, passed_on(source))).collect();
    let mut uses: BTreeMap<Path, BTreeSet<Path>> = BTreeMap::new();
    for source in sources {
        let own = uses.entry(source.module.clone()).or_default();
        let skipped = passing_items(source);
        let children = children(source);
        for used in tokens::used_paths(&source.file.tokens, &source.module, &children) {
            let passes = skipped.iter().any(|(start, end)| *start <= used.at && used.at < *end);
            if passes || source.tests.contains(used.at) {
                continue;
            }
            let target = origin(used.segments, &known, &passed_on);
            if target != source.module {
                own.insert(target);
            }
        }
    }
    uses
}

/// The module that a path leads to, behind every module that only passes its name on.
fn origin(
    mut path: Path,
    known: &BTreeSet<&Path>,
    passed_on: &BTreeMap<&Path, BTreeMap<String, Path>>,
) -> Path {
    for _ in 0..PASSED_ON {
        let mut module = path.clone();
        while !module.is_empty() && !known.contains(&module) {
            module.pop();
        }
        let name = path.get(module.len());
        let further = name.and_then(|name| passed_on.get(&module)?.get(name));
        match further {
            Some(further) => path = further.clone(),
            None => return module,
        }
    }
    path
}

fn children(source: &Source<'_>) -> Vec<String> {
    let declared = source.syntax.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() => Some(module.ident.to_string()),
        _ => None,
    });
    declared.collect()
}

fn passing<'s>(source: &'s Source<'_>) -> impl Iterator<Item = &'s syn::ItemUse> {
    source.syntax.items.iter().filter_map(|item| match item {
        Item::Use(item) if !matches!(item.vis, Visibility::Inherited) => Some(item),
        _ => None,
    })
}

fn passing_items(source: &Source<'_>) -> Vec<(LineColumn, LineColumn)> {
    passing(source).map(|item| (item.span().start(), item.span().end())).collect()
}

/// The names that a module passes on, and where each comes from.
fn passed_on(source: &Source<'_>) -> BTreeMap<String, Path> {
    let mut names = BTreeMap::new();
    let children = children(source);
    for item in passing(source) {
        leaves(&item.tree, &mut Vec::new(), &mut |segments, name| {
            if let Some(path) = absolute(segments, &source.module, &children) {
                names.insert(name, path);
            }
        });
    }
    names
}

fn leaves(tree: &UseTree, before: &mut Path, found: &mut impl FnMut(&[String], String)) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, found);
            before.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, before, found);
            }
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found(&[before.as_slice(), std::slice::from_ref(&name)].concat(), name);
        }
        UseTree::Rename(name) => {
            let path = [before.as_slice(), &[name.ident.to_string()]].concat();
            found(&path, name.rename.to_string());
        }
        UseTree::Glob(_) => {}
    }
}

/// A path below the root of the crate; none where it leads out of the crate.
fn absolute(segments: &[String], module: &[String], children: &[String]) -> Option<Path> {
    let (first, rest) = segments.split_first()?;
    let mut path = match first.as_str() {
        "crate" => return Some(rest.to_vec()),
        "self" => module.to_vec(),
        "super" => module.split_last()?.1.to_vec(),
        child if children.iter().any(|known| known == child) => {
            [module, std::slice::from_ref(first)].concat()
        }
        _ => return None,
    };
    for segment in rest {
        if segment == "super" {
            path.pop();
        } else {
            path.push(segment.clone());
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::super::sources::production;
    use super::*;
    use crate::tidy::tree::{RustFile, TextFile};

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<TextFile> = files
            .iter()
            .map(|(path, text)| TextFile::new(&format!("crates/hast/src/{path}"), text))
            .collect();
        let parsed: Vec<RustFile<'_>> =
            files.iter().map(|file| RustFile::parse(file).unwrap()).collect();
        let sources = production(&parsed);
        of_crate(&sources.iter().collect::<Vec<_>>())
            .into_iter()
            .map(|circle| circle.join(" "))
            .collect()
    }

    #[test]
    fn modules_that_use_each_other_are_a_circle() {
        let circle = found(&[
            ("main.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "fn f() { crate::c::g() }"),
            ("c.rs", "use super::a::A;"),
            ("d.rs", "use crate::a::A;"),
        ]);
        assert_eq!(circle, ["hast::a hast::b hast::c"]);
    }

    #[test]
    fn a_name_that_is_passed_on_counts_for_its_origin() {
        let store = ("store/mod.rs", "mod put; mod draft; pub use put::Put; use draft::Draft;");
        let put = ("store/put.rs", "");
        assert!(found(&[store, put, ("store/draft.rs", "use super::Put;")]).is_empty());
        let circle = found(&[store, put, ("store/draft.rs", "use super::Own;")]);
        assert_eq!(circle, ["hast::store hast::store::draft"]);
    }

    #[test]
    fn what_tests_use_makes_no_circle() {
        let test = "use crate::b::B;\n#[cfg(test)]\nmod tests { use crate::c::C; }";
        assert!(found(&[("a.rs", test), ("b.rs", ""), ("c.rs", "use crate::a::A;")]).is_empty());
    }
}
