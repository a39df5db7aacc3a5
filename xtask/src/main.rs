//! Development tasks: `cargo xtask tidy` checks the rules of the house that the compiler and
//! clippy do not know, `house` measures the sources, `schemas` writes the JSON Schemas, `soak` runs the long rounds, `proof`
//! writes down what they came to, `prompts` the prompts of all flows, `bench` runs the benchmarks. Nothing here is part of hast.

mod bench;
mod house;
mod programs;
mod prompts;
mod proof;
mod schemas;
mod sim;
mod soak;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tidy"] => run_tidy(),
        ["house", ..] => told("house", house::run(&arguments[1..])),
        ["schemas"] => run_schemas(),
        ["soak", ..] => told("soak", soak::run(&arguments[1..])),
        ["prompts", ..] => told("prompts", prompts::run(&arguments[1..])),
        ["proof", ..] => told("proof", proof::run(&arguments[1..])),
        ["bench", ..] => told("bench", bench::run(&arguments[1..])),
        _ => {
            eprintln!("usage: cargo xtask tidy|house|schemas|soak|proof|prompts|bench");
            ExitCode::from(2)
        }
    }
}

fn told(task: &str, outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{task}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_tidy() -> ExitCode {
    match tidy::tree::Tree::read(&repository_root()) {
        Ok(tree) => {
            let report = tidy::check(&tree, &house::House::measure(&tree).counted());
            print!("{report}");
            if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run_schemas() -> ExitCode {
    match schemas::write(&repository_root()) {
        Ok(changed) => {
            println!("schemas: {changed} changed");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("schemas/: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Asked at run time first: one target directory may serve several clones, and the path from
/// compile time would then be that of another clone.
fn repository_root() -> PathBuf {
    let manifest =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let manifest = Path::new(&manifest);
    manifest.parent().unwrap_or(manifest).to_owned()
}
