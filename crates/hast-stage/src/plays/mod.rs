//! A play for each flow.

pub mod kernel;
pub mod run;

use crate::rounds::Play;

/// The play of a flow, by the flow's name.
pub fn named(flow: &str) -> Option<Box<dyn Play>> {
    Some(match flow {
        "kernel" => Box::new(kernel::Growing),
        "run" => Box::new(run::Published),
        _ => return None,
    })
}
