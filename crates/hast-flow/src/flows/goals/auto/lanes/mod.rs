//! `auto`: goals in rooms, one or several at once, merged one after the other. One driver; a lane is a
//! goal with its room, and at most one effect on its way.

mod choosing;
pub(super) mod decide;
mod delivery;
mod lane;
pub(super) mod status;
mod train;
mod uncommitted;
pub mod view;
pub(super) mod wanted;

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::CallEnd;
use crate::attempt::worktrees::{Delivered, Target};
use crate::flows::goals::auto::AutoFlow;

pub use choosing::overlap;
pub use view::{Lane, LanePhase, LanesView};

/// One run of `auto`.
#[derive(Clone, Debug)]
pub struct LanesFlow {
    pub auto: AutoFlow,
    /// How many goals are worked on at once.
    pub width: usize,
    /// `room_setup`: run in each new room.
    pub setup: Option<String>,
    /// `room_copy`.
    pub copy: Vec<String>,
    /// Goals whose last call was refused by a limit: being cut off there spends nothing.
    pub limited: Vec<String>,
    /// What a worker elsewhere made: the one lane of this run, with that in the place of a call.
    pub delivery: Option<Delivery>,
}

/// The result of a packet, as a lane takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub packet: String,
    pub goal: String,
    /// Where the packet began.
    pub base: ObjectId,
    /// The branch that it goes onto; none is the one that is checked out.
    pub onto: Option<Target>,
    /// What the worker says of it.
    pub end: CallEnd,
    pub work: Option<Delivered>,
    /// The handoff that came with it: path and text.
    pub handoff: Option<(String, String)>,
}
