//! Text formats of the state files: reading with exact places, writing as the seeds print,
//! and edits that change nothing else. Nothing here knows what a document means.

pub mod agent_words;
pub mod diagnostic;
pub mod edit;
pub mod front_matter;
pub mod grant_words;
pub mod json;
pub mod ndjson;
pub mod shape;
pub mod source;
pub mod table;
pub mod tree;
pub mod typed;
pub mod yaml;
pub mod yaml_append;
pub mod yaml_edit;
pub mod yaml_print;
pub mod yaml_words;
