//! Four lanes, killed at moments that nobody chose, and started again until all is done.

use std::path::Path;

use hast_stage::dice::random_seed;
use hast_stage::plays::lanes::FourLanes;
use hast_stage::rounds;

#[test]
fn killed_at_any_moment_each_goal_is_done_once_and_nothing_is_left() {
    let hast = Path::new(env!("CARGO_BIN_EXE_hast"));
    let tally = rounds::play(&FourLanes, hast, 4, random_seed(), 2);
    assert!(tally.diverged.is_empty(), "{:#?}", tally.diverged);
    assert!(tally.ended_before < tally.kills, "no kill came in time: {tally}");
}
