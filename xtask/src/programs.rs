//! Programs of this very source: built by cargo, and found beside this one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;

/// Always built together: cargo compiles what they share once, with the same features.
const PACKAGES: [&str; 3] = ["hast", "hast-benches", "hast-sim"];

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Dev,
    Release,
}

/// Builds the programs and returns their directory.
pub(crate) fn build(profile: Profile) -> Result<PathBuf, Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.arg("build").arg("--quiet").current_dir(crate::repository_root());
    let directory = match profile {
        Profile::Dev => "debug",
        Profile::Release => {
            cargo.arg("--release");
            "release"
        }
    };
    for package in PACKAGES {
        cargo.args(["-p", package]);
    }
    if !cargo.status()?.success() {
        return Err(format!("{} does not compile", PACKAGES.join(", ")).into());
    }
    Ok(target()?.join(directory))
}

/// The programs of the dev profile that the last build left.
pub(crate) fn built() -> Result<PathBuf, Failure> {
    Ok(target()?.join("debug"))
}

fn target() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe()?;
    Ok(own.parent().and_then(Path::parent).ok_or("no target directory")?.to_owned())
}
