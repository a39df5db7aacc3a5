//! The figures of one part of the soak, as data: `soak` prints them, `proof` writes them down.

use std::fmt;

/// One part: kill rounds, the images of one file system, the rounds of one flow.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// The words after `cargo xtask soak` that run it again.
    pub(crate) again: String,
    pub(crate) outcome: Outcome,
}

#[derive(Debug)]
pub(crate) enum Outcome {
    Ran(Figures),
    /// The reason why it cannot run on this machine.
    Skipped(String),
}

#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Counted things in the order in which they are told.
    pub(crate) counts: Vec<(&'static str, u64)>,
    /// Each round that did not end as it must.
    pub(crate) diverged: Vec<String>,
}

impl Part {
    pub(crate) fn ran(name: &str, again: String, figures: Figures) -> Self {
        Self { name: name.to_owned(), again, outcome: Outcome::Ran(figures) }
    }

    pub(crate) fn skipped(name: &str, again: String, why: String) -> Self {
        Self { name: name.to_owned(), again, outcome: Outcome::Skipped(why) }
    }

    pub(crate) fn diverged(&self) -> &[String] {
        match &self.outcome {
            Outcome::Ran(figures) => &figures.diverged,
            Outcome::Skipped(_) => &[],
        }
    }
}

impl Figures {
    /// All counts in one line.
    pub(crate) fn told(&self) -> String {
        let counts = self.counts.iter().map(|(name, count)| format!("{count} {name}"));
        counts.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, again, outcome } = self;
        match outcome {
            Outcome::Skipped(why) => write!(f, "{name}: skipped, {why}"),
            Outcome::Ran(figures) => {
                let diverged = figures.diverged.len();
                write!(f, "{name}: {}, {diverged} diverged", figures.told())?;
                write!(f, "\n  again: cargo xtask soak {again}")?;
                figures.diverged.iter().try_for_each(|told| write!(f, "\n  {told}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_tells_its_counts_and_every_divergence() {
        let figures = Figures {
            counts: vec![("rounds", 3), ("kills", 7)],
            diverged: vec!["round 2: lost".to_owned()],
        };
        let part = Part::ran("auto", "--auto 3 9".to_owned(), figures);
        assert_eq!(
            part.to_string(),
            "auto: 3 rounds, 7 kills, 1 diverged\n  again: cargo xtask soak --auto 3 9\n  round 2: lost"
        );
        assert_eq!(part.diverged().len(), 1);
    }

    #[test]
    fn a_skipped_part_says_why_and_has_no_figures() {
        let part = Part::skipped("power", "--power 8".to_owned(), "it needs root".to_owned());
        assert_eq!(part.to_string(), "power: skipped, it needs root");
        assert!(part.diverged().is_empty());
    }
}
