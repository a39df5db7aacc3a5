//! A play for each flow.

pub mod contract;
pub mod kernel;
pub mod lanes;
pub mod run;
pub mod session;

use crate::rounds::Play;

/// The play of a flow, by the flow's name.
pub fn named(flow: &str) -> Option<Box<dyn Play>> {
    Some(match flow {
        "contract" => Box::new(contract::TestFirst),
        "kernel" => Box::new(kernel::Growing),
        "lanes" => Box::new(lanes::FourLanes),
        "session" => Box::new(session::Research::of(40)),
        "run" => Box::new(run::Published),
        _ => return None,
    })
}
