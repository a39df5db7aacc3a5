//! Blows that can hit a simulated run, the name by which a run can be replayed, and the counts of a
//! sweep.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use hast_flow::store::DocPath;

use super::Name;
use super::subject::PersonsEdit;
use crate::disk::FaultKind;
use crate::planted::Planted;

/// What hits a run. `at` counts operations of the disk; effects or looks at the clock for what people
/// do to the running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    KillBefore,
    KillAfter,
    PowerBefore,
    PowerAfter,
    Full,
    Denied,
    Broken,
    /// A person saves a document of the flow.
    Edit,
    /// A person spoils any document that the flow looks at.
    EditAny,
    /// A person starts a second driver on the same root.
    Second,
    /// The same while the first one decides: it has read, and not committed yet.
    SecondMeanwhile,
    /// The same at any operation of the disk.
    SecondAnywhere,
    /// A person interrupts.
    Interrupt,
}

impl Blow {
    pub const ALL: [Self; 13] = [
        Self::KillBefore,
        Self::KillAfter,
        Self::PowerBefore,
        Self::PowerAfter,
        Self::Full,
        Self::Denied,
        Self::Broken,
        Self::Edit,
        Self::EditAny,
        Self::Second,
        Self::SecondMeanwhile,
        Self::SecondAnywhere,
        Self::Interrupt,
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|blow| blow.as_str() == name)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::KillBefore => "kill-before",
            Self::KillAfter => "kill-after",
            Self::PowerBefore => "power-before",
            Self::PowerAfter => "power-after",
            Self::Full => "full",
            Self::Denied => "denied",
            Self::Broken => "broken",
            Self::Edit => "edit",
            Self::EditAny => "edit-any",
            Self::Second => "second",
            Self::SecondMeanwhile => "second-meanwhile",
            Self::SecondAnywhere => "second-anywhere",
            Self::Interrupt => "interrupt",
        }
    }

    pub(crate) fn fault(self) -> Option<FaultKind> {
        match self {
            Self::KillBefore | Self::PowerBefore => Some(FaultKind::DieBefore),
            Self::KillAfter | Self::PowerAfter => Some(FaultKind::DieAfter),
            Self::Full => Some(FaultKind::Full),
            Self::Denied => Some(FaultKind::Denied),
            Self::Broken => Some(FaultKind::Broken),
            Self::Edit
            | Self::EditAny
            | Self::Second
            | Self::SecondMeanwhile
            | Self::SecondAnywhere
            | Self::Interrupt => None,
        }
    }

    pub(crate) fn cuts_power(self) -> bool {
        matches!(self, Self::PowerBefore | Self::PowerAfter)
    }
}

/// One run: everything about it follows from these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub flow: Name,
    pub seed: u64,
    /// None is the undisturbed run.
    pub blow: Option<Blow>,
    pub at: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blow = self.blow.map_or("calm", Blow::as_str);
        write!(f, "{}:{}:{blow}:{}", self.flow.as_str(), self.seed, self.at)
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not a case like lanes:7:power-after:120");
        let parts: Vec<&str> = text.split(':').collect();
        let [flow, seed, blow, at] = parts.as_slice() else { return Err(bad()) };
        let flow = Name::ALL.into_iter().find(|name| name.as_str() == *flow).ok_or_else(bad)?;
        let known = Blow::named(blow);
        if known.is_none() && *blow != "calm" {
            return Err(bad());
        }
        let number = |text: &str| text.parse().map_err(|_| bad());
        Ok(Self { flow, seed: number(seed)?, blow: known, at: number(at)? })
    }
}

/// A document without the numbers of its unit: those of all tasks are one kind.
fn kind_of(path: &DocPath) -> String {
    let mut kind = String::new();
    for c in path.as_str().chars() {
        match c {
            '0'..='9' if kind.ends_with('#') => {}
            '0'..='9' => kind.push('#'),
            c => kind.push(c),
        }
    }
    kind
}

/// What a sweep did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub runs: u64,
    /// Processes that died in the middle.
    pub crashes: u64,
    pub effects: u64,
    /// How often each kind of blow was planned.
    pub blows: BTreeMap<&'static str, u64>,
    /// How often agents and people did something other than answer.
    pub moods: BTreeMap<&'static str, u64>,
    /// Documents that undisturbed runs looked at, by their kinds.
    pub read: BTreeSet<String>,
    /// Documents that people edited, by their kinds, and how often.
    pub edited: BTreeMap<String, u64>,
    pub diverged: Vec<(Case, String)>,
    /// How each process of each run ended, where somebody wants to know: one case is replayed.
    pub lives: Option<Vec<String>>,
    /// The only blow that is wanted; without it all are but [`Blow::EditAny`], which is asked for by name.
    pub only: Option<Blow>,
    /// A fault that is swept for; the first divergence is all that is wanted then.
    pub planted: Option<Planted>,
}

impl Report {
    /// A report that also tells of every process.
    pub fn of_lives() -> Self {
        Self { lives: Some(Vec::new()), ..Self::default() }
    }

    /// Counts a run, its blow, and the document that a person edits.
    pub(crate) fn begins(&mut self, case: Case, edit: Option<&PersonsEdit>) {
        self.runs += 1;
        if let Some(blow) = case.blow {
            *self.blows.entry(blow.as_str()).or_default() += 1;
        }
        if let Some(edit) = edit {
            *self.edited.entry(kind_of(&edit.path)).or_default() += 1;
        }
    }

    pub(crate) fn wants(&self, blow: Blow) -> bool {
        self.only.map_or(blow != Blow::EditAny, |only| only == blow)
    }

    /// What the undisturbed run of a seed has looked at.
    pub(crate) fn looked_at(&mut self, read: &[DocPath]) {
        self.read.extend(read.iter().map(kind_of));
    }

    /// A sweep for a planted fault that has found it.
    pub(crate) fn is_enough(&self) -> bool {
        self.planted.is_some() && !self.diverged.is_empty()
    }
}
