//! A round of the sweep: every subject over a range of seeds, and what came of it in figures. One
//! seed of one subject is one piece of work, so that several threads can share a round; which
//! thread does a piece changes nothing.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use crate::flows::{self, Blow, Name};
use crate::sweep::{self, Mode};

/// What a round sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Store,
    Leases,
    Flow(Name),
}

impl Subject {
    pub fn all() -> Vec<Self> {
        let flows = Name::ALL.into_iter().map(Self::Flow);
        [Self::Store, Self::Leases].into_iter().chain(flows).collect()
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|subject| subject.as_str() == name)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Leases => "leases",
            Self::Flow(name) => name.as_str(),
        }
    }

    /// A run has hundreds to thousands of operations; each seed hits some of them.
    pub(crate) fn stride(self) -> u64 {
        match self {
            Self::Leases => 1,
            Self::Flow(Name::Counting) => 3,
            Self::Store => 4,
            Self::Flow(Name::Auto) => 13,
            Self::Flow(Name::Contract | Name::Worktrees) => 23,
            Self::Flow(Name::Session | Name::Lanes | Name::Run | Name::Kernel) => 97,
        }
    }

    /// Runs one seed: undisturbed, and hit at every `every`-th of the places that it is usually hit.
    /// Another blow than all of them is chosen for flows only.
    pub fn sweep(self, seed: u64, every: u64, only: Option<Blow>) -> Figures {
        let mut figures = self.caught(seed, every, || self.hit(seed, every * self.stride(), only));
        figures.seeds = 1;
        figures
    }

    fn hit(self, seed: u64, every: u64, only: Option<Blow>) -> Figures {
        match self {
            Self::Store | Self::Leases if only.is_some() => Figures::default(),
            Self::Store => Figures::of_store(&sweep::sweep([seed], every, None)),
            Self::Leases => Figures::of_leases(seed),
            Self::Flow(name) => {
                let mut report = flows::Report { only, ..flows::Report::default() };
                flows::sweep_named(name, seed..seed + 1, every, &mut report);
                Figures::of_flow(&report)
            }
        }
    }

    /// A panic of what is swept is a divergence of this seed; the other seeds go on.
    fn caught(self, seed: u64, every: u64, work: impl FnOnce() -> Figures) -> Figures {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Figures {
            diverged: vec![(
                format!("{} --every {every}", self.again(seed)),
                format!("panicked: {}", words_of(&*panic)),
            )],
            ..Figures::default()
        })
    }

    /// The arguments that sweep one seed again.
    fn again(self, seed: u64) -> String {
        format!("--only {} --from {seed} --seeds 1", self.as_str())
    }
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without words")
}

/// What some runs did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub seeds: u64,
    pub runs: u64,
    /// Processes that died in the middle.
    pub crashes: u64,
    /// Runs by what hit them.
    pub blows: BTreeMap<String, u64>,
    /// What agents and people did instead of answering.
    pub moods: BTreeMap<String, u64>,
    /// Kinds of documents that the flows look at, and that people edited.
    pub documents: BTreeSet<String>,
    pub edited: BTreeSet<String>,
    /// The arguments that replay the case, and what went wrong.
    pub diverged: Vec<(String, String)>,
}

impl Figures {
    fn of_store(report: &sweep::Report) -> Self {
        // Each kind is tried at the same places, and one run of the seed is undisturbed.
        let kinds = Mode::ALL.len() as u64;
        let each = report.runs.saturating_sub(1) / kinds;
        let named = |mode: Mode| (format!("{mode:?}").to_lowercase(), each);
        Self {
            runs: report.runs,
            crashes: report.crashes,
            blows: Mode::ALL.into_iter().map(named).collect(),
            diverged: told(&report.diverged),
            ..Self::default()
        }
    }

    fn of_leases(seed: u64) -> Self {
        let ended = crate::leases::sweep(seed..seed + 1);
        let diverged = ended.err().map(|why| (Subject::Leases.again(seed), why));
        Self { runs: 1, diverged: diverged.into_iter().collect(), ..Self::default() }
    }

    pub fn of_flow(report: &flows::Report) -> Self {
        let counted = |counts: &BTreeMap<&'static str, u64>| {
            counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        Self {
            runs: report.runs,
            crashes: report.crashes,
            blows: counted(&report.blows),
            moods: counted(&report.moods),
            documents: report.read.clone(),
            edited: report.edited.keys().cloned().collect(),
            diverged: told(&report.diverged),
            ..Self::default()
        }
    }

    pub fn add(&mut self, other: Self) {
        self.seeds += other.seeds;
        self.runs += other.runs;
        self.crashes += other.crashes;
        for (sum, counts) in [(&mut self.blows, other.blows), (&mut self.moods, other.moods)] {
            for (name, count) in counts {
                *sum.entry(name).or_default() += count;
            }
        }
        self.documents.extend(other.documents);
        self.edited.extend(other.edited);
        self.diverged.extend(other.diverged);
    }

    /// Kinds of documents that the flows look at and nobody edited.
    pub fn unedited(&self) -> Vec<&String> {
        self.documents.difference(&self.edited).collect()
    }

    /// For whoever writes the figures down.
    pub fn to_json(&self, subject: Subject) -> Value {
        let diverged: Vec<&String> = self.diverged.iter().map(|(case, _)| case).collect();
        json!({"subject": subject.as_str(), "seeds": self.seeds, "runs": self.runs, "crashes": self.crashes,
            "blows": self.blows, "documents": self.documents, "edited": self.edited,
            "diverged": diverged})
    }
}

fn told<C: Display>(diverged: &[(C, String)]) -> Vec<(String, String)> {
    diverged.iter().map(|(case, why)| (format!("--replay {case}"), why.clone())).collect()
}

/// The first seed of a round that nobody has made before: it follows from a text, such as the id of
/// a commit, so that the round can be made again.
pub fn first_seed(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // Numbers that a person can type again.
    1_000_000 + hash % 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_several_seeds_add_up_and_keep_what_diverged() {
        let subject = Subject::Flow(Name::Counting);
        let mut sum = subject.sweep(1, 40, None);
        let second = subject.sweep(2, 40, None);
        let runs = sum.runs + second.runs;
        let failed = Figures {
            diverged: vec![("--replay counting:3:calm:0".to_owned(), "why".to_owned())],
            ..Figures::default()
        };
        sum.add(second);
        sum.add(failed);
        assert_eq!((sum.seeds, sum.runs, sum.diverged.len()), (2, runs, 1));
        assert_eq!(sum.to_json(subject)["diverged"], json!(["--replay counting:3:calm:0"]));
        assert!(sum.blows.values().sum::<u64>() < runs, "the undisturbed runs have no blow");
    }

    #[test]
    fn people_edit_every_kind_of_document_that_a_flow_looks_at() {
        use Name::{Auto, Contract, Kernel, Run, Session, Worktrees};
        for name in [Session, Run, Kernel, Auto, Contract, Worktrees] {
            let mut sum = Figures::default();
            let subject = Subject::Flow(name);
            // As many places as there are kinds of documents, and some more.
            let every = if subject.stride() > 50 { 31 } else { 47 };
            for seed in 1..5 {
                sum.add(subject.hit(seed, every, Some(Blow::EditAny)));
            }
            assert!(sum.documents.len() > 3, "{name:?}: {:?}", sum.documents);
            assert_eq!(sum.unedited(), Vec::<&String>::new(), "{name:?}");
        }
    }

    #[test]
    fn a_panic_is_a_divergence_with_the_arguments_that_sweep_its_seed_again() {
        let subject = Subject::Flow(Name::Kernel);
        let figures = subject.caught(7, 4, || panic!("no such row"));
        assert_eq!(
            figures.diverged,
            [(
                "--only kernel --from 7 --seeds 1 --every 4".to_owned(),
                "panicked: no such row".to_owned()
            )]
        );
    }

    #[test]
    fn the_first_seed_follows_from_the_text_alone() {
        assert_eq!(first_seed("4b63a84"), first_seed("4b63a84"));
        assert_ne!(first_seed("4b63a84"), first_seed("4b63a85"));
    }

    #[test]
    fn every_subject_has_a_name_of_its_own() {
        for subject in Subject::all() {
            assert_eq!(Subject::named(subject.as_str()), Some(subject));
        }
    }
}
