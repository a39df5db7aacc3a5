//! A rehearsal as decisions: which reply answers a call, what its placeholders mean, how the lines
//! of a real agent look. Playing it is not here: that touches the machine.

pub mod dialect;
pub mod handoff;
pub mod matching;
pub mod recording;
pub mod values;
