//! `cargo xtask bench`: every benchmark program, one after the other. `--short` runs each with small
//! sizes in the dev profile, so that none stops working unnoticed; `--built` runs the programs that
//! the last build left.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::Failure;
use crate::programs::{Profile, build, built};

const USAGE: &str = "usage: cargo xtask bench [--short [--built]]";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (programs, sizes) = match words.as_slice() {
        [] => (build(Profile::Release)?, None),
        ["--short"] => (build(Profile::Dev)?, Some("--short")),
        ["--short", "--built"] => (built()?, Some("--short")),
        _ => return Err(USAGE.into()),
    };
    let root = crate::repository_root();
    for name in names(&root.join("benches/src"))? {
        println!("-- bench {name}");
        let start = Instant::now();
        let status = Command::new(programs.join(&name))
            .args(sizes)
            // Another hast would be measured instead of the one that was just built.
            .env_remove("HAST_BIN")
            .current_dir(&root)
            .status()
            .map_err(|error| format!("{name}: {error}"))?;
        if !status.success() {
            return Err(format!("{name} failed: {status}").into());
        }
        println!("-- {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// The programs of the package, as cargo finds them: a new one cannot be forgotten.
fn names(sources: &Path) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for directory in [sources.to_owned(), sources.join("bin")] {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            let in_bin = path.parent().is_some_and(|parent| parent.ends_with("bin"));
            let in_file = in_bin && path.extension().is_some_and(|extension| extension == "rs");
            if let Some(name) = path.file_stem()
                && (in_file || path.join("main.rs").is_file())
            {
                names.push(name.to_string_lossy().into_owned());
            }
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn programs_in_files_and_in_directories_are_found() {
        let found = names(&crate::repository_root().join("benches/src")).unwrap();
        assert_eq!(found, ["auto", "cli", "driver", "queue", "replay", "store", "tables"]);
    }
}
