//! Commands that look at a goal and its attempts the morning after: `show`, `log`, `diff`, `try`. They change
//! nothing of the project.

pub(crate) mod diff;
pub(crate) mod log;
mod records;
pub(crate) mod show;
mod show_text;
pub(crate) mod target;
pub(crate) mod try_out;
