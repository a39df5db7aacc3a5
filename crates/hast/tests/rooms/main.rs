//! Agents in rooms, with the real binary: what an agent sees at the checkout's path, what of the user's
//! repository it can reach, and what makes its tests green.
#![cfg(test)]

mod attacks;
mod deaths;
mod dependencies;
mod grants;
mod hooks;
mod outside;
mod own_commits;
mod private_places;
mod same_path;
mod scene;
mod shapes;
mod vandals;
