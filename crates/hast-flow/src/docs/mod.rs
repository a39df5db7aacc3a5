//! One Rust type for every document of the five flows, with its strictness and JSON Schema.
