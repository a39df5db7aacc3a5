//! The text of `docs/proof.md`, from the figures of one run of `cargo xtask proof`.

use std::fmt;

use crate::sim::{PlantedFault, Subject, Sweep};
use crate::soak::{Outcome, Part};

#[derive(Debug)]
pub(super) struct Page {
    /// The full id of the commit that was tested.
    pub(super) commit: String,
    pub(super) date: String,
    pub(super) cores: usize,
    pub(super) minutes: u64,
    /// The arguments that chose the sizes.
    pub(super) sizes: String,
    /// Faults that the sweep has to find.
    pub(super) planted: Vec<PlantedFault>,
    pub(super) sweep: Sweep,
    pub(super) parts: Vec<Part>,
}

impl Page {
    pub(super) fn diverged(&self) -> usize {
        let swept = self.sweep.subjects.iter().map(|subject| subject.diverged.len());
        let played = self.parts.iter().map(|part| part.diverged().len());
        let unfound = self.planted.iter().filter(|fault| fault.runs.is_none()).count();
        swept.chain(played).sum::<usize>() + unfound
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { commit, date, cores, minutes, sizes, planted, sweep, parts } = self;
        write!(
            f,
            "# Proof

`cargo xtask proof {sizes}` wrote this file in {minutes} minutes on {cores} cores, {date}, at commit
`{commit}`. Its numbers are never typed by hand; other pages link here.

## The sweep
`hast-sim` runs every subject in a simulated world: once undisturbed for each seed, then again and again with one blow
at one operation, and until the end after it. A run diverges when it ends unlike the undisturbed one, loses or repeats
something, or never ends.

    cargo run -p hast-sim --release -- --from {from} --seeds {seeds} --every {every} --jobs {cores}

| subject | seeds | runs | crashes | diverged | runs by kind of blow |
|---|---|---|---|---|---|
",
            from = sweep.from,
            seeds = sweep.seeds,
            every = sweep.every,
        )?;
        for subject in &sweep.subjects {
            write_subject(f, subject)?;
        }
        let sum = |count: fn(&Subject) -> u64| sweep.subjects.iter().map(count).sum::<u64>();
        let (runs, crashes) = (sum(|one| one.runs), sum(|one| one.crashes));
        let diverged = sum(|one| one.diverged.len() as u64);
        writeln!(f, "| all | | {runs} | {crashes} | {diverged} | in {} minutes |", sweep.minutes)?;
        write_planted(f, planted)?;
        write!(
            f,
            "
## The rounds
The real binary on the real disk, killed at random instants and started again until it is done; and images of file
systems copied under a writer, mounted and recovered as after a power cut.

| part | figures | diverged | again: `cargo xtask soak` |
|---|---|---|---|
"
        )?;
        parts.iter().try_for_each(|part| write_part(f, part))?;
        write_divergences(f, self)
    }
}

fn write_planted(f: &mut fmt::Formatter<'_>, planted: &[PlantedFault]) -> fmt::Result {
    write!(
        f,
        "
## Planted faults
A sweep that cannot fail is worth nothing: with a rule broken on purpose in each part, seeds and places as few as in
`.ci/run` have to find it.

| fault in | found by the subject | after runs |
|---|---|---|
"
    )?;
    for PlantedFault { fault, subject, runs } in planted {
        let runs = runs.map_or("not found".to_owned(), |runs| runs.to_string());
        writeln!(f, "| {fault} | {subject} | {runs} |")?;
    }
    Ok(())
}

fn write_subject(f: &mut fmt::Formatter<'_>, one: &Subject) -> fmt::Result {
    let Subject { subject, seeds, runs, crashes, blows, diverged } = one;
    let blows: Vec<_> = blows.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let (diverged, blows) = (diverged.len(), blows.join(", "));
    writeln!(f, "| {subject} | {seeds} | {runs} | {crashes} | {diverged} | {blows} |")
}

fn write_part(f: &mut fmt::Formatter<'_>, part: &Part) -> fmt::Result {
    let Part { name, again, outcome } = part;
    match outcome {
        Outcome::Ran(figures) => {
            let diverged = figures.diverged.len();
            writeln!(f, "| {name} | {} | {diverged} | `{again}` |", figures.told())
        }
        Outcome::Skipped(why) => writeln!(f, "| {name} | skipped: {why} | - | `{again}` |"),
    }
}

/// Nothing where nothing diverged.
fn write_divergences(f: &mut fmt::Formatter<'_>, page: &Page) -> fmt::Result {
    if page.diverged() == 0 {
        return Ok(());
    }
    writeln!(f, "\n## Diverged\n\n    cargo run -p hast-sim --release -- ARGUMENTS\n")?;
    for subject in &page.sweep.subjects {
        for arguments in &subject.diverged {
            writeln!(f, "- {}: `{arguments}`", subject.subject)?;
        }
    }
    // The words of a round name directories of the machine that it ran on.
    for part in page.parts.iter().filter(|part| !part.diverged().is_empty()) {
        let (name, count) = (&part.name, part.diverged().len());
        writeln!(f, "- {name}: {count}, `cargo xtask soak {}`", part.again)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::soak::Figures;

    fn page() -> Page {
        let subject = Subject {
            subject: "store".to_owned(),
            seeds: 6,
            runs: 120,
            crashes: 80,
            blows: BTreeMap::from([("death".to_owned(), 60), ("edit".to_owned(), 54)]),
            diverged: Vec::new(),
        };
        let sweep = Sweep { from: 900, seeds: 6, every: 1, minutes: 0.5, subjects: vec![subject] };
        let counts = vec![("rounds", 20), ("kills", 71)];
        let ran = Figures { counts, diverged: Vec::new() };
        Page {
            commit: "ab".repeat(20),
            date: "2026-02-09".to_owned(),
            cores: 2,
            minutes: 9,
            sizes: "--seeds 6 --rounds 20".to_owned(),
            planted: vec![PlantedFault {
                fault: "merge".to_owned(),
                subject: "worktrees".to_owned(),
                runs: Some(17),
            }],
            sweep,
            parts: vec![
                Part::ran("auto", "--auto 20 7".to_owned(), ran),
                Part::skipped("power", "--power 4".to_owned(), "it needs root".to_owned()),
            ],
        }
    }

    #[test]
    fn the_page_names_its_commit_its_figures_and_the_commands_that_repeat_them() {
        let text = page().to_string();
        for line in [
            "| store | 6 | 120 | 80 | 0 | death 60, edit 54 |",
            "| all | | 120 | 80 | 0 | in 0.5 minutes |",
            "| merge | worktrees | 17 |",
            "| auto | 20 rounds, 71 kills | 0 | `--auto 20 7` |",
            "    cargo run -p hast-sim --release -- --from 900 --seeds 6 --every 1 --jobs 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(text.contains(&format!("`{}`", "ab".repeat(20))), "{text}");
        assert!(!text.contains("## Diverged"));
    }

    #[test]
    fn a_planted_fault_that_nobody_found_counts_as_a_divergence() {
        let mut page = page();
        page.planted[0].runs = None;
        assert_eq!(page.diverged(), 1);
        assert!(page.to_string().contains("| merge | worktrees | not found |"));
    }

    #[test]
    fn a_part_that_was_skipped_stands_there_with_its_reason() {
        let text = page().to_string();
        assert!(text.contains("| power | skipped: it needs root | - | `--power 4` |"), "{text}");
    }

    #[test]
    fn what_diverged_stands_there_with_its_replay_and_without_paths() {
        let mut page = page();
        page.sweep.subjects[0].diverged.push("--replay 13:Edit:418".to_owned());
        if let Outcome::Ran(figures) = &mut page.parts[0].outcome {
            figures.diverged.push("round 3: lost; see /tmp/x".to_owned());
        }
        assert_eq!(page.diverged(), 2);
        let text = page.to_string();
        assert!(text.contains("- store: `--replay 13:Edit:418`"), "{text}");
        assert!(text.contains("- auto: 1, `cargo xtask soak --auto 20 7`"), "{text}");
        assert!(!text.contains("/tmp/x"), "{text}");
    }
}
