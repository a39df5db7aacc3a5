//! `auto --isolate` and `--parallel N`: goals in work trees of their own, several at once, merged one
//! after the other. One driver; a lane is a goal with its tree, and at most one effect on its way.

mod choosing;
mod decide;
mod lane;
mod train;
pub mod view;

use crate::flows::goals::auto::AutoFlow;

pub use choosing::overlap;
pub use view::{Lane, LanesView};

/// One run of `auto` in lanes.
#[derive(Clone, Debug)]
pub struct LanesFlow {
    /// The attempt is the same; its place is another one.
    pub auto: AutoFlow,
    /// How many goals are worked on at once.
    pub width: usize,
    /// `worktree_setup`: run in each new tree.
    pub setup: Option<String>,
    /// `worktree_copy`.
    pub copy: Vec<String>,
    /// Goals whose last call was refused by a limit: being cut off there spends nothing.
    pub limited: Vec<String>,
    pub walls: Walls,
}

/// What keeps the agents of lanes from what the lanes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walls {
    /// A sandbox that closes it.
    Whole,
    /// Nothing: what they did there is found afterwards.
    Open,
}
