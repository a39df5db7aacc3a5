//! A change of a text as a value: these bytes become that text, and nothing else changes.

use std::ops::Range;

/// Replaces the bytes of `range` by `text`. An empty range is an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<usize>,
    pub text: String,
}

impl Edit {
    pub fn insert(at: usize, text: String) -> Self {
        Self { range: at..at, text }
    }

    /// The changed text. A range that does not fit is moved to the nearest one that does.
    pub fn apply(&self, source: &str) -> String {
        let start = source.floor_char_boundary(self.range.start);
        let end = source.floor_char_boundary(self.range.end).max(start);
        let mut changed = String::with_capacity(source.len() - (end - start) + self.text.len());
        changed.push_str(&source[..start]);
        changed.push_str(&self.text);
        changed.push_str(&source[end..]);
        changed
    }

    /// Whether the edit can be written over the old bytes of a file, moving nothing.
    pub fn keeps_length(&self) -> bool {
        self.range.len() == self.text.len()
    }

    /// The same edit in a text that has `bytes` more in front: a line inside its file.
    #[must_use]
    pub fn shifted(self, bytes: usize) -> Self {
        Self { range: self.range.start + bytes..self.range.end + bytes, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_changes_its_range_and_nothing_else() {
        let edit = Edit { range: 3..6, text: "나".to_owned() };
        assert_eq!(edit.apply("가가가"), "가나가");
        assert!(edit.keeps_length());
        assert_eq!(Edit::insert(3, "x".to_owned()).apply("가가"), "가x가");
    }

    #[test]
    fn an_edit_of_a_line_moves_to_the_place_of_the_line_in_its_file() {
        let edit = Edit::insert(1, "x".to_owned()).shifted(4);
        assert_eq!(edit.apply("one\nab"), "one\naxb");
    }

    #[test]
    fn a_range_outside_the_text_never_panics() {
        let edit = Edit { range: 1..99, text: String::new() };
        assert_eq!(edit.apply("가"), "");
    }
}
