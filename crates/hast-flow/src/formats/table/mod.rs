//! Markdown tables: typed rows in a file that people read and edit.
//!
//! A table is read in one pass without copying cells. Changes are [`Edit`](super::edit::Edit)s:
//! one inserted line or the bytes of one cell, so that prose and other rows stay as they are.

pub(crate) mod blocks;
mod cell;
mod columns;
mod header;
mod print;
mod read;

pub use cell::{decode, encode};
pub use columns::{Column, Row};
pub use header::{Line, TableHeader};
pub use print::print_table;
pub use read::{MdTable, RowView, read_rows};
