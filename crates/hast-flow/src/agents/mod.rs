//! Agents as pure descriptions: a call becomes a command, bytes become a reply, both become an
//! outcome. Nothing here starts a process, reads a file or knows a flow.

pub mod command;

pub mod usage;

pub mod limit;

pub mod resume_time;

pub mod tool_use;

pub mod events;

pub mod reply;

pub mod presets;

pub mod problem;

pub mod template;

pub mod provider;

pub mod rehearsal;

pub mod choice;

pub mod fields;

pub mod asking;

pub mod outbox;

pub mod outcome;

pub mod beginning;

pub mod last_words;

pub mod denials;

pub mod redact;

pub mod record;

pub mod ledger;

pub mod budget;

pub mod homes;

pub mod inspection;
