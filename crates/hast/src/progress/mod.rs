//! Progress that people see while hast works: a board of units on a terminal, one line an event
//! elsewhere. It only shows, and decides nothing. All of it goes to stderr.

pub(crate) mod beats;
pub(crate) mod board;
mod drawn;
pub(crate) mod live;
