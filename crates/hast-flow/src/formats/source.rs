//! A file's text with its name, and places inside it.

use std::ops::Range;
use std::str::Utf8Error;

use crate::formats::diagnostic::{Diagnostic, Finding};

/// The largest document that is read as a whole; logs and large tables are read in pieces.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// How much of a long line a message shows around the place it points at.
const SHOWN_CHARS: usize = 160;

/// A file's text with the name that messages call it by.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// Where something stands in a file: first line and column (from 1, in characters), and the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
    pub bytes: Range<usize>,
    pub excerpt: Excerpt,
}

/// The line of a place, cut where it is too long to show, and the marked part inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    pub marked: Range<usize>,
}

impl<'a> Source<'a> {
    pub fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text }
    }

    /// Checks size and encoding. A byte-order mark is not part of the text that formats see.
    pub fn from_bytes(name: &'a str, bytes: &'a [u8]) -> Result<Self, Diagnostic> {
        if bytes.len() > MAX_DOCUMENT_BYTES {
            let finding = Finding::TooLarge { bytes: bytes.len(), limit: MAX_DOCUMENT_BYTES };
            return Err(Diagnostic::of_file(name, finding));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(name, text)),
            Err(error) => Err(not_utf8(name, bytes, error)),
        }
    }

    pub fn place(&self, bytes: Range<usize>) -> Place {
        let start = floor_char(self.text, bytes.start);
        let end = floor_char(self.text, bytes.end.max(start));
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = memchr::memchr(b'\n', &self.text.as_bytes()[start..])
            .map_or(self.text.len(), |at| start + at);
        let line_end = if self.text[..line_end].ends_with('\r') {
            (line_end - 1).max(start)
        } else {
            line_end
        };
        Place {
            line: memchr::memchr_iter(b'\n', &self.text.as_bytes()[..line_start]).count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            bytes: start..end,
            excerpt: excerpt(
                &self.text[line_start..line_end],
                start - line_start..end.min(line_end) - line_start,
            ),
        }
    }

    /// The place of a whole line, counted from 1.
    pub fn line_place(&self, line: usize) -> Place {
        let start = self.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let length = self.text[start..].lines().next().map_or(0, str::len);
        self.place(start..start + length)
    }

    pub fn diagnose(&self, bytes: Range<usize>, finding: Finding) -> Diagnostic {
        Diagnostic { place: Some(self.place(bytes)), ..Diagnostic::of_file(self.name, finding) }
    }
}

/// Looks at no more of the line than it shows: a line may have megabytes, and a hundred findings.
fn excerpt(line: &str, marked: Range<usize>) -> Excerpt {
    if line.chars().nth(SHOWN_CHARS).is_none() {
        return Excerpt { text: line.to_owned(), marked };
    }
    let before = line[..marked.start].char_indices().rev().take(SHOWN_CHARS / 2);
    let start = before.last().map_or(marked.start, |(at, _)| at);
    let shown = &line[start..];
    let end = shown.char_indices().nth(SHOWN_CHARS).map_or(shown.len(), |(at, _)| at);
    let marked_start = marked.start - start;
    let marked_end = (marked.end - start).min(end).max(marked_start);
    Excerpt { text: shown[..end].to_owned(), marked: marked_start..marked_end }
}

fn floor_char(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

fn not_utf8(name: &str, bytes: &[u8], error: Utf8Error) -> Diagnostic {
    let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
    let line = good.matches('\n').count() + 1;
    Diagnostic::of_file(name, Finding::NotUtf8 { line, byte: error.valid_up_to() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let source = Source::new("f", "a: 1\r\n이름: 값\r\n");
        let at = source.text.find('값').unwrap();
        let place = source.place(at..at + '값'.len_utf8());
        assert_eq!((place.line, place.column), (2, 5));
        assert_eq!(place.excerpt.text, "이름: 값");
        assert_eq!(&place.excerpt.text[place.excerpt.marked], "값");
    }

    #[test]
    fn a_place_in_a_long_line_shows_a_window() {
        let text = "가".repeat(2_000_000);
        let place = Source::new("f", &text).place(3_000_000..3_000_003);
        assert_eq!(place.column, 1_000_001);
        assert_eq!(place.excerpt.text.chars().count(), SHOWN_CHARS);
        assert_eq!(&place.excerpt.text[place.excerpt.marked], "가");
    }

    #[test]
    fn many_places_in_a_long_line_are_found_in_good_time() {
        let text = "가".repeat(5_000_000);
        let source = Source::new("f", &text);
        for _ in 0..200 {
            assert_eq!(source.place(text.len() - 3..text.len()).excerpt.marked, 240..243);
        }
        assert_eq!(source.place(0..text.len()).excerpt.marked, 0..3 * SHOWN_CHARS);
    }

    #[test]
    fn every_offset_of_a_text_has_a_place() {
        let text = "가\r\n\nb\r\n";
        let source = Source::new("f", text);
        for start in 0..=text.len() + 2 {
            for end in start..=text.len() + 2 {
                let place = source.place(start..end);
                assert!(place.excerpt.marked.end <= place.excerpt.text.len());
            }
        }
        assert_eq!(source.line_place(3).excerpt.text, "b");
    }

    #[test]
    fn bytes_that_are_not_text_are_a_finding_with_a_line() {
        let diagnostic = Source::from_bytes("f", b"a\nb\xff").unwrap_err();
        assert_eq!(diagnostic.finding, Finding::NotUtf8 { line: 2, byte: 3 });
    }
}
