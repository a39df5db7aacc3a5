//! Counts that are too high and may only fall: `xtask/ceilings.toml` has each as it was last.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::finding::{Finding, Rule};
use super::tree::TextFile;

pub(crate) const PATH: &str = "xtask/ceilings.toml";
const HEAD: &str = "# Counts of `cargo xtask house` that may only fall. `cargo xtask house --lower` writes lower ones.\n";

/// A figure that has a ceiling, and the places that make it up.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) name: &'static str,
    pub(crate) count: usize,
    pub(crate) places: Vec<String>,
}

pub(crate) fn check(file: &TextFile, counted: &[Counted]) -> Vec<Finding> {
    let ceilings = match read(&file.text) {
        Ok(ceilings) => ceilings,
        Err(error) => {
            let what = format!("this is not TOML: {error}");
            return vec![file.finding(1, Rule::Syntax("TOML"), what, "correct it")];
        }
    };
    let above = |one: &&Counted| ceilings.get(one.name).is_none_or(|ceiling| one.count > *ceiling);
    counted.iter().filter(above).map(|one| too_high(file, one, &ceilings)).collect()
}

fn too_high(file: &TextFile, one: &Counted, ceilings: &BTreeMap<String, usize>) -> Finding {
    let limit = ceilings.get(one.name).copied().unwrap_or_default();
    let line = file.text.lines().position(|line| line.starts_with(one.name)).map_or(1, |at| at + 1);
    let what = format!("{} is {}", one.name, one.count);
    let next = "cargo xtask house --places NAME lists them: mend the new ones";
    file.finding(line, Rule::Ceiling(limit), what, next)
}

/// The file with each count that has fallen; a ceiling never rises.
pub(crate) fn lowered(text: &str, counted: &[Counted]) -> Result<String, String> {
    let ceilings = read(text)?;
    let mut lines = HEAD.to_owned();
    for one in counted {
        let ceiling = ceilings.get(one.name).map_or(one.count, |old| one.count.min(*old));
        lines.push_str(&format!("{} = {ceiling}\n", one.name));
    }
    Ok(lines)
}

fn read(text: &str) -> Result<BTreeMap<String, usize>, String> {
    let table = DeTable::parse(text).map_err(|error| error.message().to_owned())?.into_inner();
    let number = |value: &DeValue<'_>| match value {
        DeValue::Integer(number) => number.as_str().parse().ok(),
        _ => None,
    };
    table
        .iter()
        .map(|(name, value)| {
            let count = number(value.get_ref()).ok_or(format!("{} is no count", name.get_ref()))?;
            Ok((name.get_ref().to_string(), count))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(count: usize) -> Vec<Counted> {
        vec![Counted { name: "modules_in_cycles", count, places: Vec::new() }]
    }

    #[test]
    fn a_count_may_be_at_its_ceiling_and_not_above() {
        let file = TextFile::new(PATH, "modules_in_cycles = 3\n");
        assert_eq!(check(&file, &counted(3)), []);
        assert_eq!(
            check(&file, &counted(4))[0].to_string(),
            "xtask/ceilings.toml:1: modules_in_cycles is 4 (ceiling: 3) -> cargo xtask house \
             --places NAME lists them: mend the new ones"
        );
        let missing = check(&TextFile::new(PATH, ""), &counted(1));
        assert_eq!(missing[0].rule, Rule::Ceiling(0));
        assert_eq!(check(&TextFile::new(PATH, "a = b\n"), &counted(0)).len(), 1);
    }

    #[test]
    fn a_ceiling_falls_and_never_rises() {
        let text = "modules_in_cycles = 3\n";
        assert!(lowered(text, &counted(2)).unwrap().ends_with("modules_in_cycles = 2\n"));
        assert!(lowered(text, &counted(9)).unwrap().ends_with("modules_in_cycles = 3\n"));
        assert!(lowered("", &counted(9)).unwrap().ends_with("modules_in_cycles = 9\n"));
    }
}
