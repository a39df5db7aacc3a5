//! `cargo xtask proof`: runs the sweep and the soak, and writes their figures to `docs/proof.md`.
//! A divergence is written down as well, and then the command fails.

mod page;

use std::process::Command;
use std::time::Instant;

use hast_flow::ports::Clock;
use hast_world::clock::Machine;

use crate::programs::{Profile, build};
use crate::soak::Order;
use crate::{Failure, sim};
use page::Page;

pub(crate) const PATH: &str = "docs/proof.md";
const USAGE: &str = "usage: cargo xtask proof [--seeds N] [--rounds N]";
/// Meant for about 25 minutes on two cores; the page says how long it took.
const SEEDS: u64 = 20;
const ROUNDS: u64 = 60;
/// A round of the writer takes milliseconds, one of `hast` seconds.
const KILLS_A_ROUND: u64 = 20;
const ROUNDS_A_COPY: u64 = 5;
const ROUNDS_A_FLEET: u64 = 20;
const FLOWS: [&str; 5] = ["session", "run", "kernel", "contract", "lanes"];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let sizes = Sizes::read(arguments)?;
    let commit = clean_commit()?;
    let programs = build(Profile::Release)?;
    let started = Instant::now();
    let planted = sim::planted(&programs)?;
    let sweep = sim::sweep(&programs, sizes.seeds)?;
    let mut parts = Vec::new();
    for order in sizes.orders() {
        for part in order.play(&|| Ok(programs.join("hast")))? {
            eprintln!("{part}");
            parts.push(part);
        }
    }
    let page = Page {
        commit,
        date: Machine.now().to_string().chars().take(10).collect(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        minutes: started.elapsed().as_secs().div_ceil(60),
        sizes: format!("--seeds {} --rounds {}", sizes.seeds, sizes.rounds),
        planted,
        sweep,
        parts,
    };
    std::fs::write(crate::repository_root().join(PATH), page.to_string())?;
    println!("{PATH} is written");
    match page.diverged() {
        0 => Ok(()),
        count => Err(format!("{count} diverged or not found; {PATH} names them").into()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    /// Of the sweep, for every subject.
    seeds: u64,
    /// Of `auto` and of each flow; the other parts follow from it.
    rounds: u64,
}

impl Sizes {
    fn read(arguments: &[String]) -> Result<Self, Failure> {
        let mut sizes = Self { seeds: SEEDS, rounds: ROUNDS };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let size = match name.as_str() {
                "--seeds" => &mut sizes.seeds,
                "--rounds" => &mut sizes.rounds,
                _ => return Err(USAGE.into()),
            };
            *size = rest.next().ok_or(USAGE)?.parse::<u64>()?.max(1);
        }
        Ok(sizes)
    }

    fn orders(self) -> Vec<Order> {
        let mut orders = vec![
            Order::Kill(self.rounds * KILLS_A_ROUND),
            Order::Power(self.rounds.div_ceil(ROUNDS_A_COPY)),
            Order::Auto(self.rounds, None),
        ];
        orders.extend(FLOWS.map(|name| Order::Flow(name.to_owned(), self.rounds, None)));
        orders.push(Order::Queue(self.rounds.div_ceil(ROUNDS_A_FLEET), None));
        orders
    }
}

/// The commit that the figures are about. Figures of a changed tree would be about none.
fn clean_commit() -> Result<String, Failure> {
    let keep_page = format!(":(exclude){PATH}");
    let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", ".", &keep_page])?;
    if !changed.is_empty() {
        return Err(format!(
            "the page names a commit, and these files differ from it -> commit them first\n{changed}"
        )
        .into());
    }
    git(&["rev-parse", "HEAD"])
}

fn git(args: &[&str]) -> Result<String, Failure> {
    let output = Command::new("git").args(args).current_dir(crate::repository_root()).output()?;
    if !output.status.success() {
        return Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_chooses_the_sizes_and_every_part_follows() {
        let words = ["--seeds", "6", "--rounds", "20"].map(str::to_owned);
        let sizes = Sizes::read(&words).unwrap();
        assert_eq!(sizes, Sizes { seeds: 6, rounds: 20 });
        let orders = sizes.orders();
        assert_eq!(orders[..3], [Order::Kill(400), Order::Power(4), Order::Auto(20, None)]);
        assert_eq!(orders.last(), Some(&Order::Queue(1, None)));
        assert_eq!(orders.len(), 4 + FLOWS.len());
    }

    #[test]
    fn an_unknown_argument_and_a_missing_number_are_told_with_the_usage() {
        for words in [&["--round"][..], &["--seeds"]] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(Sizes::read(&words).unwrap_err().to_string(), USAGE);
        }
    }
}
