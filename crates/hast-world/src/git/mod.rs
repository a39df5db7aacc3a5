//! Git, by the git binary alone: plumbing commands in `-z` form with nothing of the repository's choosing
//! run. The user's checkout and its repository are here, rooms for agents in `rooms`. Decides nothing.

mod aside;
mod checkout;
mod commit;
mod config;
mod copies;
mod cut_off_merge;
mod delivery;
mod diff;
mod directories;
mod emptied;
mod ending;
mod fetching;
mod hollow;
mod hooking;
mod ignores;
mod in_the_way;
mod index;
mod locks;
mod looking;
mod merge;
mod moved_tests;
mod own_refs;
mod owner;
mod paths;
mod place;
mod reading;
mod refs;
mod replay;
mod restore;
mod rooms;
mod run;
mod signing;
mod status;
mod undoing;

pub use aside::{AsideFiles, BroughtBack, Lying};
pub use checkout::Checkout;
pub use hooking::Hooking;
pub use looking::{export, fresh_directory, patch, user_name};
pub use place::Place;
pub use rooms::{
    RealRooms, RealWorktrees, Room, RoomWorkspace, RoomsOnDisk, UnitRoom, moved_submodules,
    room_of_unit, rooms_directory, rooms_on_disk,
};
pub use run::GitEnvironment;
pub use status::{RepositoryState, glance, hides_handoffs};
pub use undoing::{TakenBack, UndoPlan, Undone, undo};
