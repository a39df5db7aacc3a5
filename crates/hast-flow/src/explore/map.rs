//! The map: files and symbols in the order of how much they are about the question, who uses the
//! symbols, which tests are about them, and what a change would reach. Bounded, and the same for the
//! same files.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::explore::language::Language;
use crate::explore::scan::{Hit, Scanned, Use};
use crate::explore::symbols::{Definition, Kind};
use crate::explore::terms::{Terms, parts};
use crate::explore::tokens::number_of;

const MOST_FILES: usize = 12;
const MOST_SYMBOLS: usize = 16;
const MOST_CALLERS: usize = 6;
const MOST_TESTS: usize = 8;
const MOST_REACHED: usize = 12;
/// A name that more files use says nothing about who uses this one.
const COMMON: usize = 400;
/// A name that is defined more often is one of many: only uses that say whose count.
const AMBIGUOUS: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Map {
    pub terms: Vec<String>,
    /// Files that were looked at.
    pub looked_at: usize,
    pub files: Vec<MappedFile>,
    pub symbols: Vec<Symbol>,
    pub tests: Vec<Reached>,
    /// Files that use the symbols, or use what uses them: what a change would reach.
    pub impact: Vec<Reached>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MappedFile {
    pub path: String,
    pub language: &'static str,
    /// The terms that it is about.
    pub terms: Vec<String>,
    pub symbols: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symbol {
    pub name: String,
    pub kind: &'static str,
    pub container: Option<String>,
    pub path: String,
    pub line: u32,
    pub end: u32,
    pub callers: Vec<Caller>,
    /// All that were found, also those that are not named.
    pub uses: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Caller {
    pub path: String,
    pub line: u32,
    /// The definition that the use is in.
    pub inside: Option<String>,
    pub code: String,
    /// Whether it is called there, and not only named.
    pub is_call: bool,
    pub is_test: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reached {
    pub path: String,
    /// The symbols through which it is reached.
    pub through: Vec<String>,
    /// 1 for a use of a symbol, 2 for a use of what uses it; 0 for a test that is about the terms.
    pub steps: u32,
}

/// A map in the making: what was looked at once.
#[derive(Debug)]
pub struct Draft<'s> {
    terms: &'s Terms,
    scans: &'s [Scanned],
    /// By rank.
    files: Vec<(usize, f64)>,
    symbols: Vec<(usize, &'s Definition)>,
    definers: BTreeMap<u32, usize>,
}

/// What has to be looked at again: these names, in these files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Sorted.
    pub names: Vec<String>,
    pub paths: Vec<String>,
}

/// What was found there, by path.
pub type Found = BTreeMap<String, Vec<Use>>;

impl<'s> Draft<'s> {
    /// Ranks what was scanned; the order of the scans does not matter if they are sorted by path.
    pub fn new(terms: &'s Terms, scans: &'s [Scanned]) -> Self {
        let weights = weights(terms, scans);
        let mut files: Vec<(usize, f64)> = scans
            .iter()
            .enumerate()
            .map(|(at, scan)| (at, file_score(scan, &weights)))
            .filter(|(_, score)| *score > 0.0)
            .collect();
        files.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut symbols: Vec<(usize, &Definition, f64)> = Vec::new();
        for (at, score) in files.iter().take(MOST_FILES * 4) {
            let Some(scan) = scans.get(*at) else { continue };
            symbols.extend(scan.definitions.iter().map(|definition| {
                let own = symbol_score(definition, terms, &weights);
                let factor = if scan.is_test || definition.is_test { 0.2 } else { 1.0 };
                (*at, definition, (own + score * 0.15) * factor)
            }));
        }
        symbols.sort_by(|one, other| {
            let place = |entry: &(usize, &Definition, f64)| (entry.0, entry.1.line);
            other.2.total_cmp(&one.2).then(place(one).cmp(&place(other)))
        });
        let symbols =
            symbols.into_iter().take(MOST_SYMBOLS).map(|(at, found, _)| (at, found)).collect();
        let mut definers = BTreeMap::new();
        for number in scans.iter().flat_map(|scan| &scan.defined) {
            *definers.entry(*number).or_insert(0) += 1;
        }
        Self { terms, scans, files, symbols, definers }
    }

    /// Where the symbols may be used.
    pub fn wanted(&self) -> Wanted {
        self.named(self.symbols.iter().map(|(_, found)| found.name.clone()).collect())
    }

    /// Where what uses the symbols may be used.
    pub fn wanted_next(&self, found: &Found) -> Wanted {
        let first: BTreeSet<&str> =
            self.symbols.iter().map(|(_, symbol)| symbol.name.as_str()).collect();
        let users = self.uses(found).filter_map(|(_, _, one)| one.inside.as_ref());
        let names = users
            .filter(|user| matches!(user.kind, Kind::Function | Kind::Method))
            .filter(|user| !user.is_test && !first.contains(user.name.as_str()))
            .filter(|user| {
                self.definers.get(&number_of(&user.name)).is_none_or(|count| *count < AMBIGUOUS)
            })
            .map(|user| user.name.clone());
        self.named(names.collect::<BTreeSet<_>>().into_iter().take(40).collect())
    }

    fn named(&self, names: BTreeSet<String>) -> Wanted {
        let mut wanted = Wanted::default();
        let mut paths = BTreeSet::new();
        for name in names {
            let number = number_of(&name);
            let users = self.scans.iter().filter(|scan| scan.names.binary_search(&number).is_ok());
            let users: Vec<&Scanned> = users.take(COMMON + 1).collect();
            if users.len() <= COMMON {
                paths.extend(users.into_iter().map(|scan| scan.path.clone()));
                wanted.names.push(name);
            }
        }
        wanted.paths = paths.into_iter().collect();
        wanted
    }

    /// The uses of each symbol: which one, in which file, and the use.
    fn uses<'f>(&'f self, found: &'f Found) -> impl Iterator<Item = (usize, &'f String, &'f Use)> {
        let all = found.iter().flat_map(|(path, uses)| uses.iter().map(move |one| (path, one)));
        all.flat_map(move |(path, one)| {
            let fits = move |(number, symbol): (usize, &(usize, &'f Definition))| {
                self.is_use_of(symbol, path, one).then_some((number, path, one))
            };
            self.symbols.iter().enumerate().filter_map(fits)
        })
    }

    /// Whether a use is one of this symbol. Where many have its name, it must say whose.
    fn is_use_of(&self, (at, symbol): &(usize, &Definition), path: &str, one: &Use) -> bool {
        if one.name != symbol.name || !is_no_variable(symbol, one) {
            return false;
        }
        let Some(scan) = self.scans.get(*at) else { return false };
        let many =
            self.definers.get(&number_of(&symbol.name)).is_some_and(|count| *count >= AMBIGUOUS);
        if !many || scan.path == path {
            return true;
        }
        let stem = stem_of(&scan.path);
        let owners = [symbol.container.as_deref(), Some(stem)];
        one.qualifier.as_deref().is_some_and(|said| {
            owners.into_iter().flatten().any(|owner| owner.eq_ignore_ascii_case(said))
        })
    }

    /// The whole map.
    pub fn finish(&self, found: &Found, next: &Found) -> Map {
        let mut symbols: Vec<Symbol> =
            self.symbols.iter().map(|(at, found)| self.symbol(*at, found)).collect();
        let mut reached: BTreeMap<&str, (u32, BTreeSet<String>)> = BTreeMap::new();
        let mut users: BTreeSet<&str> = BTreeSet::new();
        for (number, path, one) in self.uses(found) {
            let Some(symbol) = symbols.get_mut(number) else { continue };
            symbol.uses += 1;
            symbol.callers.push(caller(path, one, self.is_test(path)));
            if *path != symbol.path {
                reached.entry(path).or_insert((1, BTreeSet::new())).1.insert(symbol.name.clone());
            }
            users.extend(one.inside.as_ref().map(|user| user.name.as_str()));
        }
        for (path, uses) in next {
            for one in uses.iter().filter(|one| users.contains(one.name.as_str())) {
                let (steps, through) = reached.entry(path).or_insert((2, BTreeSet::new()));
                if *steps == 2 {
                    through.insert(one.name.clone());
                }
            }
        }
        for symbol in &mut symbols {
            // Who calls it says more than who names it, and an import says least.
            symbol.callers.sort_by_key(|caller| {
                let rank = (caller.is_test, !caller.is_call, caller.inside.is_none());
                (rank, caller.path.clone(), caller.line)
            });
            symbol.callers.dedup();
            symbol.callers.truncate(MOST_CALLERS);
        }
        Map {
            terms: self.terms.terms.iter().map(|term| term.word.clone()).collect(),
            looked_at: self.scans.len(),
            files: self.mapped(),
            tests: self.tests(&reached),
            impact: self.impact(&reached),
            symbols,
        }
    }

    fn symbol(&self, at: usize, found: &Definition) -> Symbol {
        Symbol {
            name: found.name.clone(),
            kind: found.kind.name(),
            container: found.container.clone(),
            path: self.scans.get(at).map(|scan| scan.path.clone()).unwrap_or_default(),
            line: found.line,
            end: found.end,
            callers: Vec::new(),
            uses: 0,
        }
    }

    fn mapped(&self) -> Vec<MappedFile> {
        let ranked = self.files.iter().filter_map(|(at, _)| self.scans.get(*at));
        let files = ranked.filter(|scan| !scan.is_test).take(MOST_FILES);
        files
            .map(|scan| MappedFile {
                path: scan.path.clone(),
                language: scan.language.name(),
                terms: self.about(scan),
                symbols: scan.definitions.len(),
            })
            .collect()
    }

    fn about(&self, scan: &Scanned) -> Vec<String> {
        let hits = self.terms.terms.iter().zip(&scan.hits);
        hits.filter(|(_, hit)| hit.is_any()).map(|(term, _)| term.word.clone()).collect()
    }

    /// Tests that use the symbols come first, most of them first; then those that are about the terms.
    fn tests(&self, reached: &BTreeMap<&str, (u32, BTreeSet<String>)>) -> Vec<Reached> {
        let mut tests: Vec<Reached> =
            self.reached(reached).filter(|reached| self.is_test(&reached.path)).collect();
        tests.sort_by(closest);
        let ranked = self.files.iter().filter_map(|(at, _)| self.scans.get(*at));
        for scan in ranked.filter(|scan| scan.is_test) {
            if tests.iter().all(|test| test.path != scan.path) {
                tests.push(Reached {
                    path: scan.path.clone(),
                    through: self.about(scan),
                    steps: 0,
                });
            }
        }
        tests.truncate(MOST_TESTS);
        tests
    }

    fn impact(&self, reached: &BTreeMap<&str, (u32, BTreeSet<String>)>) -> Vec<Reached> {
        let mut files: Vec<Reached> =
            self.reached(reached).filter(|reached| !self.is_test(&reached.path)).collect();
        files.sort_by(closest);
        files.truncate(MOST_REACHED);
        files
    }

    fn reached<'r>(
        &self,
        reached: &'r BTreeMap<&str, (u32, BTreeSet<String>)>,
    ) -> impl Iterator<Item = Reached> + use<'r, 's> {
        reached.iter().map(|(path, (steps, through))| Reached {
            path: (*path).to_owned(),
            through: through.iter().cloned().collect(),
            steps: *steps,
        })
    }

    fn is_test(&self, path: &str) -> bool {
        self.scan_of(path).is_some_and(|scan| scan.is_test)
    }

    fn scan_of(&self, path: &str) -> Option<&Scanned> {
        let at = self.scans.binary_search_by(|scan| scan.path.as_str().cmp(path)).ok()?;
        self.scans.get(at)
    }
}

/// A short name may be that of a variable: then only calls and imports count, and what is qualified.
fn is_no_variable(symbol: &Definition, one: &Use) -> bool {
    let is_code = matches!(symbol.kind, Kind::Function | Kind::Method);
    let is_plain = symbol.name.len() < 12 && !symbol.name.contains('_');
    let is_named = one.is_call || one.qualifier.is_some() || one.inside.is_none();
    is_named || !(is_code && is_plain)
}

fn closest(one: &Reached, other: &Reached) -> std::cmp::Ordering {
    let rank = |reached: &Reached| (reached.steps, usize::MAX - reached.through.len());
    rank(one).cmp(&rank(other)).then(one.path.cmp(&other.path))
}

fn caller(path: &str, one: &Use, in_tests: bool) -> Caller {
    let inside = one.inside.as_ref().map(|inside| match &inside.container {
        Some(container) => format!("{container}.{}", inside.name),
        None => inside.name.clone(),
    });
    Caller {
        path: path.to_owned(),
        line: one.line,
        inside,
        code: one.code.clone(),
        is_call: one.is_call,
        is_test: in_tests || one.inside.as_ref().is_some_and(|inside| inside.is_test),
    }
}

fn stem_of(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match stem {
        "mod" | "lib" | "main" | "index" | "__init__" => parts.next().unwrap_or(stem),
        _ => stem,
    }
}

/// What few files are about weighs more.
fn weights(terms: &Terms, scans: &[Scanned]) -> Vec<f64> {
    let all = count(scans.len());
    let of_term = |term: usize| {
        let hit = |scan: &&Scanned| scan.hits.get(term).copied().is_some_and(Hit::is_any);
        let files = count(scans.iter().filter(hit).count());
        (1.0 + all / (1.0 + files)).log2()
    };
    (0..terms.terms.len()).map(of_term).collect()
}

fn file_score(scan: &Scanned, weights: &[f64]) -> f64 {
    let of_hit = |(hit, weight): (&Hit, &f64)| {
        let symbols = f64::from(hit.symbols.min(8)).sqrt() * 2.0;
        let words = (1.0 + f64::from(hit.words)).log2().min(4.0) * 0.5;
        let exact = if hit.exact { 8.0 } else { 0.0 };
        let path = if hit.in_path { 3.0 } else { 0.0 };
        weight * (exact + path + symbols + words)
    };
    let sum: f64 = scan.hits.iter().zip(weights).map(of_hit).sum();
    let matched = count(scan.hits.iter().filter(|hit| hit.is_any()).count());
    let coverage = matched / count(scan.hits.len().max(1));
    let factor = match (scan.language, scan.is_test) {
        (Language::Text, _) => 0.5,
        (_, true) => 0.7,
        (_, false) => 1.0,
    };
    sum * coverage * factor
}

fn symbol_score(definition: &Definition, terms: &Terms, weights: &[f64]) -> f64 {
    let name = parts(&definition.name);
    let container = definition.container.as_deref().map(parts).unwrap_or_default();
    let of_term = |(term, weight): (&crate::explore::terms::Term, &f64)| {
        let own = count(term.hits(&name)) / count(name.len().max(1));
        let around = if term.hits(&container) > 0 { 0.3 } else { 0.0 };
        let exact = if term.names(&definition.name) { 4.0 } else { 0.0 };
        weight * (own.sqrt() * 3.0 + around + exact)
    };
    let sum: f64 = terms.terms.iter().zip(weights).map(of_term).sum();
    match definition.kind {
        Kind::Type | Kind::Function | Kind::Method | Kind::Macro => sum,
        Kind::Module | Kind::Constant => sum * 0.6,
    }
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::scan::{scan, uses};

    fn map(question: &str, files: &[(&str, &str)]) -> Map {
        let terms = Terms::of(question);
        let mut scans: Vec<Scanned> =
            files.iter().filter_map(|(path, text)| scan(path, text, &terms)).collect();
        scans.sort_by(|one, other| one.path.cmp(&other.path));
        let draft = Draft::new(&terms, &scans);
        let look = |wanted: &Wanted| -> Found {
            let wants = |(path, _): &&(&str, &str)| wanted.paths.iter().any(|want| want == path);
            let files = files.iter().filter(wants);
            files
                .map(|(path, text)| ((*path).to_owned(), uses(path, text, &wanted.names)))
                .collect()
        };
        let first = look(&draft.wanted());
        let next = look(&draft.wanted_next(&first));
        draft.finish(&first, &next)
    }

    const FILES: &[(&str, &str)] = &[
        ("src/queue.rs", "pub struct Queue;\nimpl Queue { pub fn renew(&self) {} }\n"),
        ("src/a.rs", "struct A;\nimpl A { fn renew(&self) {} }\n"),
        ("src/b.rs", "struct B;\nimpl B { fn renew(&self) {} }\n"),
        ("src/use.rs", "fn all(queue: Queue, x: X) {\n    queue.renew();\n    x.renew();\n}\n"),
        ("src/top.rs", "fn top() {\n    all(q(), x());\n}\n"),
    ];

    #[test]
    fn where_many_share_a_name_only_uses_that_say_whose_count() {
        let map = map("who can renew the queue?", FILES);
        let symbol = map.symbols.iter().find(|symbol| symbol.name == "renew").unwrap();
        assert_eq!((symbol.path.as_str(), symbol.uses), ("src/queue.rs", 1), "{map:#?}");
        assert_eq!(symbol.callers[0].code, "queue.renew();");
        assert_eq!(symbol.callers[0].inside.as_deref(), Some("all"));
    }

    #[test]
    fn what_uses_a_user_is_reached_in_two_steps() {
        let map = map("who can renew the queue?", FILES);
        let reached = |path: &str| map.impact.iter().find(|reached| reached.path == path).unwrap();
        assert_eq!(reached("src/use.rs").steps, 1);
        assert_eq!(reached("src/top.rs").steps, 2);
        assert_eq!(reached("src/top.rs").through, ["all"]);
    }

    #[test]
    fn the_order_in_which_files_come_does_not_matter() {
        let mut turned = FILES.to_vec();
        turned.reverse();
        assert_eq!(map("renew queue", FILES), map("renew queue", &turned));
    }

    #[test]
    fn a_variable_with_a_functions_name_is_no_use_of_it() {
        let files = [
            ("src/a.rs", "pub fn limit() {}\n"),
            ("src/b.rs", "fn b() {\n    let limit = 3;\n    limit();\n}\n"),
        ];
        let map = map("limit", &files);
        assert_eq!(map.symbols[0].uses, 1, "{:#?}", map.symbols);
    }
}
