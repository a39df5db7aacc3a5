//! The tools from the outside: real HTTP on loopback, recorded answers, answers that went wrong.

#![cfg(test)]

mod answers;
mod charts;
mod given_up;
mod loopback;
mod pages;
mod total_parsing;
mod web_pages;
