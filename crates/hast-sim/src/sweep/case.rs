//! Interruptions of a run of the store's sweep, and the name by which a run can be replayed.

use std::fmt;
use std::str::FromStr;

use crate::disk::FaultKind;

/// What interrupts a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Quiet,
    KillBefore,
    KillAfter,
    PowerBefore,
    PowerAfter,
    Full,
    Denied,
    Broken,
    Edit,
    EditThenKill,
    EditThenPower,
}

impl Mode {
    pub const ALL: [Self; 10] = [
        Self::KillBefore,
        Self::KillAfter,
        Self::PowerBefore,
        Self::PowerAfter,
        Self::Full,
        Self::Denied,
        Self::Broken,
        Self::Edit,
        Self::EditThenKill,
        Self::EditThenPower,
    ];

    pub(super) fn cuts_power(self) -> bool {
        matches!(self, Self::PowerBefore | Self::PowerAfter | Self::EditThenPower)
    }

    pub(super) fn fault(self) -> Option<FaultKind> {
        Some(match self {
            Self::Quiet | Self::Edit => return None,
            Self::KillBefore | Self::PowerBefore => FaultKind::DieBefore,
            Self::KillAfter | Self::PowerAfter | Self::EditThenKill | Self::EditThenPower => {
                FaultKind::DieAfter
            }
            Self::Full => FaultKind::Full,
            Self::Denied => FaultKind::Denied,
            Self::Broken => FaultKind::Broken,
        })
    }

    pub(super) fn edits(self) -> bool {
        matches!(self, Self::Edit | Self::EditThenKill | Self::EditThenPower)
    }
}

/// One run: everything about it follows from these three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub seed: u64,
    pub mode: Mode,
    pub at: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:?}:{}", self.seed, self.mode, self.at)
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not a case like 7:PowerAfter:120");
        let mut parts = text.split(':');
        let mut part = || parts.next().ok_or_else(bad);
        let seed = part()?.parse().map_err(|_| bad())?;
        let name = part()?;
        let all = Mode::ALL.into_iter().chain([Mode::Quiet]);
        let mode = all.into_iter().find(|mode| format!("{mode:?}") == name);
        Ok(Self { seed, mode: mode.ok_or_else(bad)?, at: part()?.parse().map_err(|_| bad())? })
    }
}

/// What a sweep did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub runs: u64,
    pub crashes: u64,
    pub edits: u64,
    pub commits: u64,
    pub diverged: Vec<(Case, String)>,
}
