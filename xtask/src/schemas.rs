//! Writes the JSON Schemas of all documents to `schemas/`, and tells when they drifted.

use std::fs;
use std::io;
use std::path::Path;

use hast_flow::docs::registry::ENTRIES;

/// Writes what is missing or different; removes what no document has any more.
pub(crate) fn write(root: &Path) -> io::Result<usize> {
    let directory = root.join("schemas");
    fs::create_dir_all(&directory)?;
    let mut changed = 0;
    for (name, text) in expected() {
        let path = directory.join(name);
        if fs::read_to_string(&path).ok().as_deref() != Some(&*text) {
            fs::write(path, text)?;
            changed += 1;
        }
    }
    for name in unknown(root)? {
        fs::remove_file(directory.join(name))?;
        changed += 1;
    }
    Ok(changed)
}

fn expected() -> Vec<(String, String)> {
    let file = |name: &str| format!("{name}.schema.json");
    ENTRIES.iter().map(|entry| (file(entry.name), format!("{:#}\n", (entry.schema)()))).collect()
}

fn unknown(root: &Path) -> io::Result<Vec<String>> {
    let known: Vec<String> = expected().into_iter().map(|(name, _)| name).collect();
    let mut unknown = Vec::new();
    for entry in fs::read_dir(root.join("schemas"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !known.contains(&name) {
            unknown.push(name);
        }
    }
    Ok(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository_root;

    /// The names of schemas that are not as the types say.
    fn drifted(root: &Path) -> io::Result<Vec<String>> {
        let directory = root.join("schemas");
        let mut drifted = unknown(root)?;
        for (name, text) in expected() {
            if fs::read_to_string(directory.join(&name)).ok().as_deref() != Some(&*text) {
                drifted.push(name);
            }
        }
        Ok(drifted)
    }

    #[test]
    fn the_schemas_in_the_repository_are_the_types_of_today() {
        let drifted = drifted(&repository_root()).unwrap();
        assert_eq!(drifted, Vec::<String>::new(), "run `cargo xtask schemas`");
    }
}
