//! What can hit a run, how a run is named so that it can be replayed, and what a sweep counted.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::Name;
use crate::disk::FaultKind;

/// What hits a run. `at` counts operations of the disk, or effects for what people do to the
/// running program.
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
    /// A person starts a second driver on the same root.
    Second,
    /// A person interrupts.
    Interrupt,
}

impl Blow {
    pub const ALL: [Self; 10] = [
        Self::KillBefore,
        Self::KillAfter,
        Self::PowerBefore,
        Self::PowerAfter,
        Self::Full,
        Self::Denied,
        Self::Broken,
        Self::Edit,
        Self::Second,
        Self::Interrupt,
    ];

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
            Self::Second => "second",
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
            Self::Edit | Self::Second | Self::Interrupt => None,
        }
    }

    pub(crate) fn cuts_power(self) -> bool {
        matches!(self, Self::PowerBefore | Self::PowerAfter)
    }

    /// Whether its place is an effect and not an operation.
    pub(super) fn at_effect(self) -> bool {
        matches!(self, Self::Second | Self::Interrupt)
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
        let known = Blow::ALL.into_iter().find(|known| known.as_str() == *blow);
        if known.is_none() && *blow != "calm" {
            return Err(bad());
        }
        let number = |text: &str| text.parse().map_err(|_| bad());
        Ok(Self { flow, seed: number(seed)?, blow: known, at: number(at)? })
    }
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
    pub diverged: Vec<(Case, String)>,
    /// How each process of each run ended, where somebody wants to know: one case is replayed.
    pub lives: Option<Vec<String>>,
}

impl Report {
    /// A report that also tells of every process.
    pub fn of_lives() -> Self {
        Self { lives: Some(Vec::new()), ..Self::default() }
    }
}
