//! `auto`: goal after goal, each tried until it passes, is used up, or is handed to a person.
//!
//! One turn names one step: look, test the base, record it, call the agent, inspect, judge, test,
//! judge, settle. What was agreed before the agent starts is written down and stays.

mod asking;
mod base_tests;
mod endings;
mod evidence;
mod goals_file;
mod judging;
pub mod kept;
pub mod lanes;
pub mod layout;
pub mod packets;
pub mod policy;
pub mod publishing;
pub mod record;
mod red_base;
pub mod retry;
pub mod run;
mod settling;
pub mod spike;
mod starting;
mod tested;
pub mod view;
pub mod words;
mod working;
mod write;

use jiff::tz::Offset;

use crate::attempt::base::{TreeRules, fills_submodules};
use crate::attempt::recovery::{NotReady, StartFrom};
use crate::attempt::settle::Commits;
use crate::docs::goals::{Goal, Minutes, OnRedBase};
use crate::flows::goals::layout as project;
use crate::flows::goals::runnable::Asked;
use crate::time::UtcTime;

pub use red_base::failing_line;
pub use view::View;

/// One run of `auto`, with everything that is read once before any agent starts.
#[derive(Clone, Debug)]
pub struct AutoFlow {
    /// Names this run; another run has another name.
    pub run: String,
    pub asked: Asked,
    pub settings: Settings,
    /// The process of another run that is alive.
    pub running: Option<u32>,
    pub not_ready: Option<NotReady>,
    /// Whether kept work is where the next attempt begins.
    pub from: StartFrom,
    /// Why the last call was cut off, where the caller knows.
    pub cut_off: CutOff,
    pub bounds: RunBounds,
}

/// Where a run ends though there is more to do. What is under way then is finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunBounds {
    /// No goal and no attempt begins from here on.
    pub until: Option<UtcTime>,
    /// So many goals begin.
    pub goals: Option<u32>,
}

impl RunBounds {
    /// Nothing begins any more.
    pub fn is_late(&self, now: UtcTime) -> bool {
        self.until.is_some_and(|until| now >= until)
    }

    /// No further goal begins.
    pub fn is_reached(&self, begun: usize, now: UtcTime) -> bool {
        let full = |most: u32| usize::try_from(most).is_ok_and(|most| begun >= most);
        self.is_late(now) || self.goals.is_some_and(full)
    }
}

/// What the configuration says.
#[derive(Clone, Debug)]
pub struct Settings {
    pub test_command: String,
    pub timeout_minutes: Minutes,
    pub max_retries: u32,
    pub max_context_bytes: usize,
    pub commits: Commits,
    pub on_red_base: OnRedBase,
    /// The configuration's `protect`.
    pub protect: Vec<String>,
    /// Roots of other flows that are here, from the top of the repository.
    pub other_roots: Vec<String>,
    /// Files of a saved attempt, each and together.
    pub max_saved_file_bytes: u64,
    pub max_saved_bytes: u64,
    /// `room_setup`: installs dependencies in a room.
    pub setup: Option<String>,
    /// `room_keep`.
    pub keep: Vec<String>,
    /// Local time, for the names of handoffs.
    pub offset: Offset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutOff {
    Interruption,
    /// No attempt is spent, and it does not count as an interruption either.
    Limit {
        resume_at: Option<UtcTime>,
    },
}

impl Settings {
    pub fn test_command_of<'a>(&'a self, goal: &'a Goal) -> &'a str {
        goal.test_command.as_deref().unwrap_or(&self.test_command)
    }

    pub fn timeout_of(&self, goal: &Goal) -> Minutes {
        goal.timeout_minutes.unwrap_or(self.timeout_minutes)
    }

    pub fn max_retries_of(&self, goal: &Goal) -> u32 {
        goal.max_retries.map_or(self.max_retries, u32::from)
    }

    pub fn tree_rules(&self) -> TreeRules {
        TreeRules {
            keep: self.keep.clone(),
            installs_again: self.setup.is_some(),
            fills_submodules: fills_submodules(self.setup.as_ref()),
            ..tree_rules(&self.protect, &self.other_roots)
        }
    }
}

/// What belongs to an attempt of this flow and what does not, with the configuration's `protect` and
/// the roots of other flows that are here.
pub fn tree_rules(protect: &[String], other_roots: &[String]) -> TreeRules {
    let machine =
        project::MACHINE_FILES.iter().map(|name| format!("{}/{name}", project::DIRECTORY));
    let others = other_roots.iter().map(|root| format!("{}/", root.trim_end_matches('/')));
    let protected = [project::CONFIG, project::GOALS, project::RULES, project::IGNORE];
    TreeRules {
        leave_out: machine.chain(others).collect(),
        protected: protected.map(str::to_owned).to_vec(),
        protect: protect.to_vec(),
        handoffs: Some(format!("{}/", project::HANDOFFS)),
        ..TreeRules::default()
    }
}
