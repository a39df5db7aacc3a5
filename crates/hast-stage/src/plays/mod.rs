//! A play for each flow.

pub mod kernel;
pub mod lanes;

use crate::rounds::Play;

/// The play of a flow, by the flow's name.
pub fn named(flow: &str) -> Option<Box<dyn Play>> {
    Some(match flow {
        "kernel" => Box::new(kernel::Growing),
        "lanes" => Box::new(lanes::FourLanes),
        _ => return None,
    })
}
