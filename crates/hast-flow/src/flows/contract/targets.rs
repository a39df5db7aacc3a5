//! Targets of a contract: the code that its cases are about, looked for by symbol in the files of the design
//! as they were before the subtask.

use crate::attempt::workspace::TreeFile;
use crate::docs::contract::{DesignContract, TestContract};
use crate::explore::bodies::{Symbol, defined, raising};
use crate::flows::contract::scope::{in_project, project_path, same_path};

/// A target whose code was there before the subtask, and the files in which its body raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) target: String,
    pub(super) raising: Vec<Replaced>,
}

/// A file, as the tree names it, with another content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub(super) path: String,
    pub(super) text: String,
}

/// Why green tests of a target prove nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Absent {
    /// It is no name of code, as `GET /a`.
    NoSymbol,
    /// No file of the design defines it.
    NotThere,
    /// It is there, and hast cannot take its body away.
    NoBody,
}

/// What the cases are about, each once.
pub(super) fn targets(contract: &TestContract) -> Vec<&str> {
    let mut targets: Vec<&str> =
        contract.test_cases.iter().map(|case| case.target.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

pub(super) fn standing(
    target: &str,
    design: &DesignContract,
    before: &[TreeFile],
    prefix: &str,
) -> Result<Standing, Absent> {
    let symbol = Symbol::read(target).ok_or(Absent::NoSymbol)?;
    let mut found: Vec<Replaced> = Vec::new();
    for file in before {
        let named = in_project(prefix, &file.path).filter(|path| {
            design.file_refs.iter().any(|reference| same_path(path, &reference.path))
        });
        let text = file.bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let (Some(path), Some(text)) = (named, text) else { continue };
        let mut defined = defined(path, text, &symbol);
        defined.retain(|one| !one.is_test);
        if defined.is_empty() || found.iter().any(|known| known.path == file.path) {
            continue;
        }
        let text = raising(path, text, &defined).ok_or(Absent::NoBody)?;
        found.push(Replaced { path: file.path.clone(), text });
    }
    if found.is_empty() {
        return Err(Absent::NotThere);
    }
    Ok(Standing { target: target.to_owned(), raising: found })
}

/// Words that an error about missing code names: symbols of the targets, what holds them, and the files
/// that the design has for them.
pub(super) fn names(contract: &TestContract, design: &DesignContract) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for target in targets(contract) {
        names.push(target.to_owned());
        let symbol = Symbol::read(target);
        if let Some(symbol) = &symbol {
            names.push(symbol.name.to_owned());
            names.extend(symbol.within.iter().map(|part| (*part).to_owned()));
        }
        let refs = design.file_refs.iter().filter(|file| {
            let part = |symbol: &Symbol<'_>| {
                symbol.name == file.entity || symbol.within.contains(&file.entity.as_str())
            };
            target.starts_with(&file.entity) || symbol.as_ref().is_some_and(part)
        });
        for path in refs.filter_map(|file| project_path(&file.path).ok()) {
            let file = path.rsplit('/').next().unwrap_or(&path).to_owned();
            let stem = file.split('.').next().unwrap_or(&file).to_owned();
            names.extend([path, file, stem]);
        }
    }
    names.retain(|name| name.chars().count() > 1);
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::contract::{Author, FileRef, FileStatus};
    use crate::docs::document::Version;

    fn design(files: &[(&str, &str)]) -> DesignContract {
        let file = |(entity, path): &(&str, &str)| FileRef {
            entity: (*entity).to_owned(),
            path: (*path).to_owned(),
            status: FileStatus::ToModify,
        };
        DesignContract {
            version: Version,
            request_id: "R1".parse().unwrap(),
            task_id: "T1".parse().unwrap(),
            created_at: "2026-01-12T14:30:00Z".parse().unwrap(),
            created_by: Author::Architect,
            task_name: "t".to_owned(),
            invariants: Vec::new(),
            interfaces: Vec::new(),
            boundaries: Vec::new(),
            layer_assignments: Vec::new(),
            file_refs: files.iter().map(file).collect(),
        }
    }

    fn file(path: &str, text: &str) -> TreeFile {
        TreeFile { path: path.to_owned(), bytes: Some(text.as_bytes().to_vec()) }
    }

    #[test]
    fn a_target_is_there_only_if_its_symbol_is_defined() {
        let design = design(&[("pricing", "pricing.py"), ("limits", "limits.py")]);
        let before = [
            file("web/pricing.py", "def total(order):\n    return 1\n"),
            file("web/limits.py", "LIMIT = 3\n"),
            file("web/other.py", "def discount(order):\n    return 1\n"),
        ];
        let of = |target: &str| standing(target, &design, &before, "web/").map(|one| one.raising);
        let there = of("pricing.total").unwrap();
        assert_eq!(there[0].path, "web/pricing.py");
        assert!(there[0].text.contains("raise RuntimeError"), "{there:?}");
        assert_eq!(of("pricing.discount"), Err(Absent::NotThere), "another file's is not it");
        assert_eq!(of("LIMIT"), Err(Absent::NoBody));
        assert_eq!(of("GET /a"), Err(Absent::NoSymbol));
    }
}
