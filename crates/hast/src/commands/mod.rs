//! One module a command; each turns arguments into calls and results into text or JSON.

pub(crate) mod agent;
pub(crate) mod agent_guard;
pub(crate) mod agent_record;
pub(crate) mod agent_rehearse;
pub(crate) mod agent_tool;
pub(crate) mod auto;
pub(crate) mod calling;
pub(crate) mod context;
pub(crate) mod driving;
pub(crate) mod explore;
pub(crate) mod flow_root;
pub(crate) mod goals_files;
pub(crate) mod goals_log;
pub(crate) mod init;
pub(crate) mod kernel;
pub(crate) mod queue;
pub(crate) mod session;
pub(crate) mod shell;
pub(crate) mod status;
pub(crate) mod trust;
pub(crate) mod verify;
