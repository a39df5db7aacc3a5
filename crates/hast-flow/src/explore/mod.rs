//! A map of a code base for a question, without a model: terms, files, symbols, who uses them, which
//! tests are about them and what a change would reach. Pure: texts of files in, a map out.

pub mod language;

pub mod blank;

pub mod tokens;

pub mod symbols;

pub mod bodies;

pub mod terms;

pub mod scan;

pub mod map;

pub mod show;
