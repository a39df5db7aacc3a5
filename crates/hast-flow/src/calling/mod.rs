//! One call from a flow's wish to its result, without the machine: what the agent is told, what it
//! may write, who is asked next when it refuses, and what its end means.

pub mod request;

pub mod grants;

pub mod candidates;

pub mod strays;

pub mod settle;

pub mod keeping;
