//! Which crate of the workspace may depend on which: `hast` on `hast-world` and `hast-agent`,
//! these on `hast-flow`, `hast-sim` on `hast-flow`. Tests may not turn a direction around either.

use toml::de::{DeTable, DeValue};

use super::finding::{Finding, Rule};
use super::tree::TextFile;

struct Direction {
    package: &'static str,
    may_use: &'static [&'static str],
    tests_may_also_use: &'static [&'static str],
}

const DIRECTIONS: &[Direction] = &[
    Direction { package: "hast-flow", may_use: &[], tests_may_also_use: &[] },
    Direction {
        package: "hast-world",
        may_use: &["hast-flow"],
        tests_may_also_use: &["hast-sim", "hast-stage"],
    },
    Direction { package: "hast-agent", may_use: &["hast-flow"], tests_may_also_use: &[] },
    Direction {
        package: "hast",
        may_use: &["hast-flow", "hast-world", "hast-agent"],
        tests_may_also_use: &["hast-sim", "hast-stage"],
    },
    Direction { package: "hast-sim", may_use: &["hast-flow"], tests_may_also_use: &[] },
    Direction { package: "hast-stage", may_use: &[], tests_may_also_use: &[] },
    Direction {
        package: "xtask",
        may_use: &["hast-flow", "hast-world", "hast-sim", "hast-stage"],
        tests_may_also_use: &[],
    },
    Direction {
        package: "hast-benches",
        may_use: &["hast-flow", "hast-world", "hast-sim"],
        tests_may_also_use: &[],
    },
    Direction { package: "hast-fuzz", may_use: &["hast-flow"], tests_may_also_use: &[] },
];

/// One entry of a dependency table, under the name of the package and not its local name.
struct Dependency {
    package: String,
    only_tests: bool,
    line: usize,
}

pub(crate) fn check(manifest: &TextFile) -> Vec<Finding> {
    let parsed = match DeTable::parse(&manifest.text) {
        Ok(parsed) => parsed.into_inner(),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let what = format!("this is not TOML: {}", error.message());
            let rule = Rule::Syntax("TOML");
            let line = line_of(&manifest.text, at);
            return vec![manifest.finding(line, rule, what, "correct it")];
        }
    };
    // A manifest without a package is that of a workspace and depends on nothing.
    let Some(package) = table(&parsed, "package").and_then(|package| text(package, "name")) else {
        return Vec::new();
    };
    let Some(direction) = DIRECTIONS.iter().find(|known| known.package == package) else {
        return vec![manifest.finding(
            1,
            Rule::CrateDirection(&[]),
            format!("`{package}` is a new crate"),
            "say in ARCHITECTURE.md what it forbids, and add its row to xtask/src/tidy/directions.rs",
        )];
    };
    dependencies(&parsed, &manifest.text)
        .into_iter()
        .filter(|dependency| !direction.allows(dependency))
        .map(|dependency| {
            manifest.finding(
                dependency.line,
                Rule::CrateDirection(direction.may_use),
                format!("{package} depends on {}", dependency.package),
                "turn it around with a port of hast-flow, or move the code",
            )
        })
        .collect()
}

impl Direction {
    fn allows(&self, dependency: &Dependency) -> bool {
        let package = dependency.package.as_str();
        let ours = DIRECTIONS.iter().any(|known| known.package == package);
        !ours
            || self.may_use.contains(&package)
            || dependency.only_tests && self.tests_may_also_use.contains(&package)
    }
}

fn dependencies(manifest: &DeTable<'_>, source: &str) -> Vec<Dependency> {
    let platforms = table(manifest, "target")
        .into_iter()
        .flat_map(|targets| targets.values().filter_map(|target| target.get_ref().as_table()));
    let mut found = Vec::new();
    for place in std::iter::once(manifest).chain(platforms) {
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let entries = table(place, kind).into_iter().flatten();
            found.extend(entries.map(|(name, value)| {
                Dependency {
                    package: value
                        .get_ref()
                        .as_table()
                        .and_then(|entry| text(entry, "package"))
                        .unwrap_or(name.get_ref().as_ref())
                        .to_owned(),
                    only_tests: kind == "dev-dependencies",
                    line: line_of(source, name.span().start),
                }
            }));
        }
    }
    found
}

fn table<'a, 'i>(parent: &'a DeTable<'i>, name: &str) -> Option<&'a DeTable<'i>> {
    parent.get(name).and_then(|value| value.get_ref().as_table())
}

fn text<'a>(parent: &'a DeTable<'_>, name: &str) -> Option<&'a str> {
    match parent.get(name)?.get_ref() {
        DeValue::String(text) => Some(text.as_ref()),
        _ => None,
    }
}

fn line_of(text: &str, byte: usize) -> usize {
    text.as_bytes()[..byte.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(package: &str, tables: &str) -> Vec<String> {
        let text = format!("[package]\nname = \"{package}\"\n{tables}");
        check(&TextFile::new("Cargo.toml", &text))
            .into_iter()
            .map(|finding| format!("{}: {}", finding.line, finding.what))
            .collect()
    }

    #[test]
    fn the_decided_directions_are_allowed() {
        for (package, tables) in [
            ("hast", "[dependencies]\nhast-world.workspace = true\nserde = \"1\""),
            ("hast-world", "[dependencies]\nhast-flow = { path = \"../hast-flow\" }"),
            ("hast-world", "[dev-dependencies]\nhast-sim.workspace = true"),
            ("hast-sim", "[dependencies.hast-flow]\nworkspace = true"),
            ("hast-flow", "[dev-dependencies]\nproptest.workspace = true"),
        ] {
            assert_eq!(found(package, tables), Vec::<String>::new(), "{package} {tables}");
        }
    }

    #[test]
    fn every_table_is_looked_at() {
        for (package, tables, what) in [
            (
                "hast-flow",
                "[dependencies]\nhast-world.workspace = true",
                "4: hast-flow depends on hast-world",
            ),
            (
                "hast-flow",
                "[dev-dependencies]\nhast-sim.workspace = true",
                "4: hast-flow depends on hast-sim",
            ),
            (
                "hast-world",
                "[build-dependencies]\nhast-sim = \"1\"",
                "4: hast-world depends on hast-sim",
            ),
            (
                "hast-world",
                "[dependencies.hast-agent]\nworkspace = true",
                "3: hast-world depends on hast-agent",
            ),
            (
                "hast-agent",
                "[target.'cfg(unix)'.dependencies]\nhast = \"1\"",
                "4: hast-agent depends on hast",
            ),
            (
                "hast",
                "[dependencies]\nworld = { package = \"hast-sim\" }",
                "4: hast depends on hast-sim",
            ),
            ("hast-sim", "[dev-dependencies]\nxtask = \"1\"", "4: hast-sim depends on xtask"),
        ] {
            assert_eq!(found(package, tables), [what]);
        }
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        assert_eq!(found("hast-core", ""), ["1: `hast-core` is a new crate"]);
    }

    #[test]
    fn a_workspace_has_no_direction_and_a_broken_manifest_is_a_finding() {
        let workspace = TextFile::new("Cargo.toml", "[workspace.dependencies]\nhast = \"1\"\n");
        assert_eq!(check(&workspace), []);
        let broken = check(&TextFile::new("Cargo.toml", "[package]\nname = \n"));
        assert_eq!(broken[0].line, 2);
    }
}
