//! Real processes under the real guard, friendly and hostile. Each test ends with a count of what
//! is left in `/proc`.

#![cfg(test)]

mod deaths;
mod endings;
mod hostile;
mod played;
mod proc;
mod rehearsal_calls;
mod rehearsal_files;
mod rehearsal_hostile;
mod rehearsal_recorded;
mod rehearsal_scene;
mod sandbox;
mod scene;
