//! Keeps of an output of any length the lines that may say how many tests ran.

use std::collections::VecDeque;

use super::runners::tells;
use super::tally::selection;

/// The longest line that is looked at; summaries are short.
const LONGEST: usize = 2_000;
/// Most lines that are kept: the last ones, where runners sum up.
const MOST_LINES: usize = 20_000;

/// One stream of a run, fed as it comes.
#[derive(Debug, Default)]
pub struct Sieve {
    line: Vec<u8>,
    kept: VecDeque<String>,
}

impl Sieve {
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.extend(&rest[..end]);
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.extend(rest);
    }

    /// The lines that may count, in their order.
    pub fn text(mut self) -> String {
        self.end_line();
        self.kept.make_contiguous().join("\n")
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = LONGEST.saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }

    fn end_line(&mut self) {
        let line = plain(&String::from_utf8_lossy(&self.line));
        self.line.clear();
        if tells(&line) || selection(&line).is_some() {
            if self.kept.len() == MOST_LINES {
                self.kept.pop_front();
            }
            self.kept.push_back(line);
        }
    }
}

/// A line without the colours of a terminal.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.trim_end_matches('\r');
    while let Some(at) = rest.find('\u{1b}') {
        plain += &rest[..at];
        let after = &rest[at + 1..];
        rest = match after.strip_prefix('[') {
            Some(code) => {
                let end =
                    code.find(|c: char| c.is_ascii_alphabetic()).map_or(code.len(), |at| at + 1);
                &code[end..]
            }
            None => after,
        };
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::runners::count;

    #[test]
    fn a_summary_before_any_amount_of_noise_is_still_known() {
        let mut sieve = Sieve::default();
        sieve.feed(b"test result: ok. 3 passed; 0 failed; 0 ignored\n");
        for _ in 0..100_000 {
            sieve.feed(b"noise noise noise\n");
        }
        assert_eq!(count(&sieve.text()).summary.unwrap().passed, 3);
    }

    #[test]
    fn lines_come_in_any_pieces_and_colours() {
        let mut sieve = Sieve::default();
        for piece in
            "\u{1b}[1m  \u{1b}[32m3 passed\u{1b}[0m in 0.1s\u{1b}[0m\r\n".as_bytes().chunks(3)
        {
            sieve.feed(piece);
        }
        assert_eq!(count(&sieve.text()).summary.unwrap().total, 3);
    }

    #[test]
    fn a_line_without_an_end_costs_no_memory() {
        let mut sieve = Sieve::default();
        for _ in 0..100 {
            sieve.feed(&[b'x'; 100_000]);
        }
        assert!(sieve.line.capacity() < 10 * LONGEST);
        assert_eq!(sieve.text(), "");
    }
}
