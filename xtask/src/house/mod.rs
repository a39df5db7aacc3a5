//! `cargo xtask house`: the size and the words of the code base as figures, from the sources alone.
//! `tidy` holds some of them below the ceilings of `xtask/ceilings.toml`.

mod cycles;
mod prose;
mod sources;
mod types;

use std::collections::BTreeMap;
use std::fmt;

use crate::tidy::ceilings::{self, Counted};
use crate::tidy::tree::{RustFile, Tree};
use crate::{Failure, repository_root};
use sources::Source;

const USAGE: &str = "usage: cargo xtask house [--lower | --places NAME]";

/// A folder is a table of contents, and this is how many entries one has at most.
const FOLDER_FILES: usize = 20;

/// Prints the figures, the places behind one of them, or lowers the ceilings to them.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let tree = Tree::read(&repository_root())?;
    let house = House::measure(&tree);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => print!("{house}"),
        ["--lower"] => {
            let lowered = ceilings::lowered(&tree.ceilings.text, &house.counted())?;
            std::fs::write(repository_root().join(ceilings::PATH), lowered)?;
        }
        ["--places", name] => {
            let counted = house.counted();
            let known = counted.iter().find(|one| one.name == *name);
            let names = counted.iter().map(|one| one.name).collect::<Vec<_>>().join(", ");
            let one = known.ok_or(format!("{name} is none of: {names}"))?;
            one.places.iter().for_each(|place| println!("{place}"));
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

/// The figures of one state of the sources.
#[derive(Debug)]
pub(crate) struct House {
    files: Vec<SourceFile>,
    folders: Vec<(String, usize)>,
    types: types::TypeNames,
    cycles: Vec<Vec<String>>,
    prose: prose::Prose,
}

/// A file that is part of the binary, without what only tests compile.
#[derive(Debug)]
struct SourceFile {
    krate: String,
    /// The first module of its path; empty for the root of the crate.
    module: String,
    lines: usize,
}

impl House {
    pub(crate) fn measure(tree: &Tree) -> Self {
        let parsed: Vec<RustFile<'_>> =
            tree.rust_files.iter().filter_map(|file| RustFile::parse(file).ok()).collect();
        let sources = sources::production(&parsed);
        let files = sources
            .iter()
            .map(|source| SourceFile {
                krate: source.krate.to_owned(),
                module: source.module.first().cloned().unwrap_or_default(),
                lines: source.lines(),
            })
            .collect();
        Self {
            files,
            folders: full_folders(tree),
            types: types::TypeNames::of(&sources),
            cycles: by_crate(&sources).values().flat_map(|own| cycles::of_crate(own)).collect(),
            prose: prose::Prose::of(tree),
        }
    }

    /// The figures that may only fall.
    pub(crate) fn counted(&self) -> Vec<Counted> {
        let full = self.folders.iter().map(|(path, files)| format!("{path} ({files} files)"));
        let cycles = self.cycles.iter().map(|cycle| cycle.join(" "));
        vec![
            Counted {
                name: "types_with_a_name_used_twice",
                count: self.types.doubled(),
                places: self.types.doubled_names(),
            },
            Counted {
                name: "modules_in_cycles",
                count: self.cycles.iter().map(Vec::len).sum(),
                places: cycles.collect(),
            },
            Counted {
                name: "folders_over_20_files",
                count: self.folders.len(),
                places: full.collect(),
            },
            Counted {
                name: "hidden_subjects",
                count: self.prose.hidden_subjects.len(),
                places: self.prose.hidden_subjects.clone(),
            },
            Counted {
                name: "long_lines_of_docs",
                count: self.prose.long_lines.len(),
                places: self.prose.long_lines.clone(),
            },
        ]
    }
}

fn by_crate<'a, 's>(sources: &'s [Source<'a>]) -> BTreeMap<&'a str, Vec<&'s Source<'a>>> {
    let mut crates: BTreeMap<&str, Vec<&Source<'_>>> = BTreeMap::new();
    for source in sources {
        crates.entry(source.krate).or_default().push(source);
    }
    crates
}

/// Folders with more Rust files than one table of contents has.
fn full_folders(tree: &Tree) -> Vec<(String, usize)> {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &tree.rust_files {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        *folders.entry(folder).or_default() += 1;
    }
    let full = folders.into_iter().filter(|(_, files)| *files > FOLDER_FILES);
    full.map(|(folder, files)| (folder.to_owned(), files)).collect()
}

impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut crates: BTreeMap<&str, BTreeMap<&str, (usize, usize)>> = BTreeMap::new();
        for file in &self.files {
            let modules = crates.entry(&file.krate).or_default();
            let (files, lines) = modules.entry(&file.module).or_default();
            (*files, *lines) = (*files + 1, *lines + file.lines);
        }
        writeln!(f, "{:<40} {:>6} {:>8}", "production", "files", "lines")?;
        for (krate, modules) in &crates {
            write_row(f, krate, modules.values())?;
            for (module, sizes) in modules {
                let module = if module.is_empty() { "(root)" } else { module };
                write_row(f, &format!("  {module}"), std::iter::once(sizes))?;
            }
        }
        write_row(f, "all", crates.values().flat_map(BTreeMap::values))?;
        let mut lines: Vec<usize> = self.files.iter().map(|file| file.lines).collect();
        lines.sort_unstable();
        let at = |part: usize| lines.get(lines.len() * part / 100).copied().unwrap_or_default();
        writeln!(f, "\nlines of a file: median {}, 90 % below {}", at(50), at(90))?;
        writeln!(
            f,
            "types: {}, of which {} % share their name with another",
            self.types.all(),
            self.types.doubled() * 100 / self.types.all().max(1)
        )?;
        for counted in self.counted() {
            writeln!(f, "{}: {}", counted.name, counted.count)?;
        }
        Ok(())
    }
}

fn write_row<'a>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    sizes: impl Iterator<Item = &'a (usize, usize)>,
) -> fmt::Result {
    let (files, lines) = sizes.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    writeln!(f, "{name:<40} {files:>6} {lines:>8}")
}
